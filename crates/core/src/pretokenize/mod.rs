//! The pre-tokenizers, which split normalized text into words.
//!
//! A pre-tokenizer splits each existing word into parts (at first the text is one word), and some rewrite the text
//! (bytes as characters, a metaspace for a space). Added tokens are never changed. `PreTokenizer::boundary` describes
//! where words end.

pub(crate) mod boundary;
mod byte_level;
mod characters;
mod dictionary;
pub(crate) mod divisions;
mod function;
#[cfg(feature = "jieba")]
mod jieba;
mod metaspace;
mod properties;
mod scripts;
mod split;
mod user_words;
#[cfg(not(feature = "jieba"))]
mod without_jieba;
pub mod words;

pub use dictionary::Dictionary;
pub use function::Function;
#[cfg(feature = "jieba")]
pub use jieba::Jieba;
pub(crate) use properties::Substitution;
pub use split::{Behavior, Split};
pub use user_words::UserWord;
#[cfg(not(feature = "jieba"))]
pub use without_jieba::Jieba;

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::error::Result;
use crate::pretokenize::words::{WordKind, Words};
use crate::settings::{ByteLevel, Metaspace, PrependScheme};
use crate::text::span::Span;
use crate::text::unicode::Class;
use boundary::{Boundary, CharacterBoundary};
use divisions::{BYTES, Division, Divisions};

/// A pre-tokenizer: splits a normalized text into words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreTokenizer {
    /// Splits at white space; every punctuation character is a word.
    Bert,
    /// Splits into runs of letters and digits, and runs of other characters but white space.
    Whitespace,
    /// Splits at white space.
    WhitespaceSplit,
    /// Splits at punctuation.
    Punctuation(Behavior),
    /// Splits off digits, each one if `individual`, else runs of them.
    Digits {
        /// Whether each digit is a word.
        individual: bool,
    },
    /// Splits at a character, which is dropped.
    CharDelimiterSplit(char),
    /// Splits at the matches of a pattern.
    Split(Split),
    /// Splits by the pattern of GPT-2, and writes bytes as printable characters.
    ByteLevel(ByteLevel),
    /// Replaces spaces by a metaspace, which begins words.
    Metaspace(Metaspace),
    /// Splits where the script changes.
    UnicodeScripts,
    /// Splits into words of this number of characters.
    FixedLength(NonZeroUsize),
    /// Splits out phrases, which stay whole.
    Dictionary(Arc<Dictionary>),
    /// Splits Chinese text into words.
    Jieba(Arc<Jieba>),
    /// Splits by a function of the caller.
    Function(Function),
    /// Applies several pre-tokenizers in order.
    Sequence(Vec<PreTokenizer>),
}

impl PreTokenizer {
    /// Returns the same with a limit of Oniguruma's retries in a text.
    pub(crate) fn with_retries(self, retries: Option<u64>) -> Self {
        match self {
            Self::Sequence(steps) => Self::Sequence(steps.into_iter().map(|step| step.with_retries(retries)).collect()),
            Self::Split(split) => Self::Split(Split { pattern: split.pattern.with_retries(retries), ..split }),
            other => other,
        }
    }

    /// Returns the phrases of a dictionary; none of other pre-tokenizers.
    pub(crate) fn phrases(&self) -> &[String] {
        if let Self::Dictionary(dictionary) = self { dictionary.phrases() } else { &[] }
    }

    /// Splits `words` further.
    pub(crate) fn pre_tokenize(&self, words: &mut Words) -> Result<()> {
        words.check_length()?;
        match self {
            Self::Bert => split_all(words, characters::bert),
            Self::Whitespace => split_all(words, characters::whitespace),
            Self::WhitespaceSplit => split_all(words, characters::whitespace_split),
            Self::Punctuation(behavior) => split_all(words, |text, each| {
                characters::split(text, |c| Class::PUNCTUATION.contains(c), *behavior, each);
            }),
            Self::Digits { individual } => {
                let behavior = if *individual { Behavior::Isolated } else { Behavior::Contiguous };
                split_all(words, |text, each| characters::split(text, |c| Class::NUMERIC.contains(c), behavior, each))
            }
            Self::CharDelimiterSplit(delimiter) => {
                split_all(words, |text, each| characters::split(text, |c| c == *delimiter, Behavior::Removed, each))
            }
            Self::Split(split) => words.split(|text, each| split.split(text, each)),
            Self::ByteLevel(settings) => byte_level::pre_tokenize(*settings, words),
            Self::Metaspace(settings) => metaspace::pre_tokenize(*settings, words),
            Self::UnicodeScripts => split_all(words, scripts::split),
            Self::FixedLength(length) => {
                split_all(words, |text, each| characters::fixed_length(text, length.get(), each))
            }
            Self::Dictionary(dictionary) => words.split_into(|text, each| {
                dictionary.split(text, |span, whole| each(span, if whole { WordKind::Whole } else { WordKind::Text }));
                Ok(())
            }),
            Self::Jieba(jieba) => split_all(words, |text, each| {
                jieba.split(text, |span| {
                    if !characters::is_blank(&text[span.range()]) {
                        each(span);
                    }
                });
            }),
            Self::Function(function) => words.split(|text, each| function.split(text, each)),
            Self::Sequence(pre_tokenizers) => {
                pre_tokenizers.iter().try_for_each(|pre_tokenizer| pre_tokenizer.pre_tokenize(words))
            }
        }
    }

    /// Returns the boundary: what decides where words end.
    pub(crate) fn boundary(&self) -> Boundary {
        match self.own_boundary() {
            Boundary::Text => Divisions::of(self.steps()).map_or(Boundary::Text, Boundary::Divisions),
            boundary => boundary,
        }
    }

    /// Returns the boundary of one pre-tokenizer, or the joint boundary of a sequence.
    fn own_boundary(&self) -> Boundary {
        let characters = Boundary::Characters;
        let spaces = CharacterBoundary::SPACES;
        match self {
            Self::Bert => characters(CharacterBoundary { isolates_punctuation: true, ..spaces }),
            Self::Whitespace => characters(CharacterBoundary { separates_words: true, ..spaces }),
            Self::WhitespaceSplit => characters(spaces),
            Self::Punctuation(Behavior::Isolated) => {
                characters(CharacterBoundary { isolates_punctuation: true, ..CharacterBoundary::default() })
            }
            Self::Digits { .. } => characters(CharacterBoundary { has_others: true, ..CharacterBoundary::default() }),
            Self::Split(split) => split.boundary(),
            Self::ByteLevel(settings) => byte_level::boundary(*settings),
            Self::Metaspace(settings) => metaspace::boundary(*settings),
            Self::Sequence(_) => {
                let nowhere = Boundary::Characters(CharacterBoundary::default());
                self.steps().map(Self::own_boundary).reduce(Boundary::then).unwrap_or(nowhere)
            }
            Self::Punctuation(_)
            | Self::CharDelimiterSplit(_)
            | Self::UnicodeScripts
            | Self::FixedLength(_)
            | Self::Dictionary(_)
            | Self::Jieba(_)
            | Self::Function(_) => Boundary::Text,
        }
    }

    /// Returns whether a text without spaces stays whole, because it splits at spaces alone and drops nothing else.
    pub(crate) fn splits_at_spaces_alone(&self) -> bool {
        self.steps().all(|step| matches!(step, Self::Split(split) if split.splits_at_spaces_alone()))
    }

    /// Returns how it divides the pieces of other divisions, and what then changes each piece by itself.
    ///
    /// Returns `None` if its result for a piece depends on more than the piece.
    fn division(&self) -> Option<(Option<Division>, Option<Self>)> {
        let division = match self {
            Self::Split(split) => split.division(),
            Self::Digits { individual } => Some(Division::of_class(Class::NUMERIC, *individual)),
            Self::Punctuation(Behavior::Isolated) => Some(Division::of_class(Class::PUNCTUATION, true)),
            Self::Punctuation(Behavior::Contiguous) => Some(Division::of_class(Class::PUNCTUATION, false)),
            Self::Punctuation(_) => None,
            Self::ByteLevel(ByteLevel { add_prefix_space: false, use_regex, .. }) => {
                return Some((use_regex.then_some(Division::Grammar(byte_level::GRAMMAR)), Some(BYTES)));
            }
            _ => return None,
        };
        let rest = if division.is_none() { Some(self.clone()) } else { None };
        Some((division, rest))
    }

    /// Returns whether the result for a word depends on its position in the original text.
    pub(crate) fn needs_origin(&self) -> bool {
        self.steps()
            .any(|step| matches!(step, Self::Metaspace(metaspace) if metaspace.prepend_scheme == PrependScheme::First))
    }

    /// Returns the backend of each pattern, in order: see [`Pattern::engine`](crate::text::pattern::Pattern::engine).
    #[must_use]
    pub fn engines(&self) -> Vec<String> {
        let engine = |step: &Self| match step {
            Self::Split(split) => Some(split.pattern.engine()),
            Self::ByteLevel(settings) => settings.use_regex.then(|| byte_level::GRAMMAR.engine()),
            _ => None,
        };
        self.steps().filter_map(engine).collect()
    }

    /// Returns the steps of a sequence in order, or the pre-tokenizer itself.
    pub fn steps(&self) -> Box<dyn Iterator<Item = &Self> + '_> {
        match self {
            Self::Sequence(pre_tokenizers) => Box::new(pre_tokenizers.iter().flat_map(Self::steps)),
            _ => Box::new(std::iter::once(self)),
        }
    }
}

/// Splits all words by a function that cannot fail.
fn split_all(words: &mut Words, split: impl Fn(&str, &mut dyn FnMut(Span))) -> Result<()> {
    words.split(|text, each| {
        split(text, each);
        Ok(())
    })
}
