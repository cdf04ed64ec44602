//! The properties of pre-tokenizers that other modules need to know, beside their boundary.

use super::{Behavior, PreTokenizer, Split};
use crate::settings::Metaspace;
use crate::text::pattern::Pattern;

/// The characters of the runs that Jieba segments, each run by itself.
const JIEBA_RUN: &str = "[\u{4E00}-\u{9FD5}a-zA-Z0-9+#&._%-]+";

/// A replacement of the characters of words by a pre-tokenizer.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Substitution<'a> {
    /// Bytes as visible characters.
    Bytes,
    /// A metaspace for a space.
    Spaces(&'a Metaspace),
}

impl PreTokenizer {
    /// Returns whether a function of the caller splits, of which nothing is known.
    pub(crate) fn has_function(&self) -> bool {
        self.steps().any(|step| matches!(step, Self::Function(_)))
    }

    /// Returns whether it finds words in runs of Chinese characters.
    pub(crate) fn segments_chinese(&self) -> bool {
        self.steps().any(|step| matches!(step, Self::Jieba(_)))
    }

    /// Iterates over what the steps write in place of text.
    pub(crate) fn substitutions(&self) -> impl Iterator<Item = Substitution<'_>> {
        self.steps().filter_map(|step| match step {
            Self::ByteLevel(_) => Some(Substitution::Bytes),
            Self::Metaspace(metaspace) => Some(Substitution::Spaces(metaspace)),
            _ => None,
        })
    }

    /// Returns the settings of the first step that writes metaspaces.
    pub(crate) fn metaspace(&self) -> Option<&Metaspace> {
        self.substitutions().find_map(|substitution| {
            if let Substitution::Spaces(metaspace) = substitution { Some(metaspace) } else { None }
        })
    }

    /// Returns whether it only removes its matches, which separate words.
    pub(crate) fn removes_matches(&self) -> bool {
        match self {
            Self::CharDelimiterSplit(_) | Self::Punctuation(Behavior::Removed) => true,
            Self::Split(split) => split.behavior == Behavior::Removed,
            _ => false,
        }
    }

    /// Returns the number of characters of its longest word, if the words of a suffix depend on where it begins; 0 if not.
    pub(crate) fn longest_shifted(&self) -> usize {
        match self {
            Self::FixedLength(length) => length.get(),
            Self::Dictionary(dictionary) => {
                dictionary.phrases().iter().map(|phrase| phrase.chars().count()).max().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Returns whether its words depend on no text after them.
    pub(crate) fn proves_words(&self) -> bool {
        match self {
            Self::Split(split) => split.pattern.is_known(),
            Self::Function(_) | Self::Jieba(_) => false,
            _ => true,
        }
    }

    /// Returns the pre-tokenizer of the runs that it splits, each run by itself.
    pub(crate) fn runs(&self) -> Option<Self> {
        let Self::Jieba(_) = self else { return None };
        let pattern = Pattern::regex(JIEBA_RUN).ok()?;
        Some(Self::Split(Split { pattern, behavior: Behavior::Isolated, invert: false }))
    }

    /// Returns whether the two characters beside a position decide whether a word ends there.
    pub(crate) fn splits_by_pairs(&self) -> bool {
        matches!(
            self,
            Self::Bert
                | Self::Whitespace
                | Self::WhitespaceSplit
                | Self::Punctuation(_)
                | Self::Digits { .. }
                | Self::CharDelimiterSplit(_)
        )
    }

    /// Returns whether it changes no character, and later steps may split all of its words.
    pub(crate) fn only_splits(&self) -> bool {
        self.splits_by_pairs()
            || matches!(
                self,
                Self::Split(_) | Self::UnicodeScripts | Self::FixedLength(_) | Self::Jieba(_) | Self::Function(_)
            )
    }

    /// Returns the character that it may put before words.
    pub(crate) fn inserted(&self) -> Option<char> {
        match self {
            Self::Metaspace(metaspace) => Some(metaspace.replacement),
            Self::ByteLevel(settings) => settings.add_prefix_space.then_some(' '),
            _ => None,
        }
    }

    /// Returns whether it splits a text at any of its words into texts that have the words of the whole.
    pub(crate) fn is_additive(&self) -> bool {
        self.steps().all(|step| step.splits_by_pairs() || matches!(step, Self::Jieba(_)))
    }
}
