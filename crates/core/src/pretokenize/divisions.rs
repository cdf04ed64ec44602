//! Divisions: pre-tokenizers in a row that split each piece of the one before further, without dropping text.
//!
//! Those of `DeepSeek` split off numbers, then ideographs and kana, then words; those of `StarCoder` digits, then the words
//! of GPT-2. Each splits a piece without looking at others, so the pieces are found in one pass over the text.

use std::sync::Arc;

use super::{Behavior, PreTokenizer};
use crate::settings::ByteLevel;
use crate::text::grammar::Grammar;
use crate::text::runs::RunPattern;
use crate::text::unicode::Class;

/// A rule that splits a text into pieces: the matches of a pattern, and the texts between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Division {
    Grammar(Grammar),
    Run(RunPattern),
}

impl Division {
    /// Returns the division of a pre-tokenizer, if it is one.
    fn of(pre_tokenizer: &PreTokenizer) -> Option<Self> {
        match pre_tokenizer {
            PreTokenizer::Split(split) if split.behavior == Behavior::Isolated && !split.invert => {
                let grammar = || split.pattern.grammar().map(Self::Grammar);
                split.pattern.run().cloned().map(Self::Run).or_else(grammar)
            }
            PreTokenizer::Digits { individual } => Some(Self::Run(RunPattern::of_class(Class::NUMERIC, *individual))),
            PreTokenizer::Punctuation(behavior @ (Behavior::Isolated | Behavior::Contiguous)) => {
                Some(Self::Run(RunPattern::of_class(Class::PUNCTUATION, *behavior == Behavior::Isolated)))
            }
            _ => None,
        }
    }

    /// Returns the end of the piece that begins at `start`, which is not the end of the text.
    #[inline]
    pub(crate) fn piece_end(&self, text: &str, start: usize) -> usize {
        let found = match self {
            Self::Grammar(grammar) => grammar.find(text, start),
            Self::Run(run) => run.find(text, start),
        };
        found.map_or(text.len(), |found| if found.start == start { found.end } else { found.start })
    }
}

/// The divisions with which a sequence of pre-tokenizers begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Divisions {
    pub(crate) steps: Arc<[Division]>,
    /// Whether the bytes of pieces are written as characters (byte level).
    pub(crate) writes_bytes: bool,
    /// Whether each piece is one word; else the pre-tokenizers after the divisions split it further.
    pub(crate) are_words: bool,
}

impl Divisions {
    /// The largest number of divisions in a row.
    pub(crate) const MOST: usize = 8;

    /// Returns the divisions of pre-tokenizers in a row; `None` if they do not begin with one, or if a later one needs more
    /// than a piece.
    pub(super) fn of<'a>(pre_tokenizers: impl Iterator<Item = &'a PreTokenizer>) -> Option<Self> {
        let (mut steps, mut writes_bytes, mut are_words) = (Vec::new(), false, true);
        for pre_tokenizer in pre_tokenizers {
            if let Some(division) = Division::of(pre_tokenizer)
                && are_words
                && !writes_bytes
                && steps.len() < Self::MOST
            {
                steps.push(division);
                continue;
            }
            are_words &= !writes_bytes;
            match pre_tokenizer {
                PreTokenizer::ByteLevel(ByteLevel { add_prefix_space: false, use_regex, .. }) => {
                    if *use_regex && are_words && steps.len() < Self::MOST {
                        steps.push(Division::Grammar(super::byte_level::GRAMMAR));
                    } else {
                        are_words &= !use_regex;
                    }
                    writes_bytes = true;
                }
                PreTokenizer::Split(_) | PreTokenizer::Digits { .. } | PreTokenizer::Punctuation(_) => {
                    are_words = false;
                }
                _ => return None,
            }
        }
        (!steps.is_empty()).then(|| Self { steps: steps.into(), writes_bytes, are_words })
    }
}
