//! Boundaries: the properties of pre-tokenizers that decide where words end.
//!
//! The fast path cuts a text into chunks whose words do not depend on their context. Each pre-tokenizer provides its
//! [`Boundary`], in the stage's table ([`PreTokenizer::boundary`](super::PreTokenizer::boundary)) or its own file; the
//! plan of the fast path matches on the kind of boundary, never on a pre-tokenizer.

use super::divisions::Divisions;
use crate::settings::PrependScheme;
use crate::text::grammar::Grammar;

/// The part of a text that decides where words end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// The characters before and after a position.
    Characters(CharacterBoundary),
    /// The matches of a pattern: all words are matches, and all matches are words.
    Matches {
        /// The matcher of the pattern.
        grammar: Grammar,
        /// Whether the bytes of words are written as characters (byte level).
        writes_bytes: bool,
        /// Whether a space is put before a text that does not begin with one.
        prefix_space: bool,
    },
    /// Patterns in a row, each of which divides the pieces of the one before.
    Divisions(Divisions),
    /// Metaspaces, which replace spaces: at them words begin.
    Metaspaces {
        /// The words without a metaspace that get one.
        prepend: PrependScheme,
        /// Whether white space is dropped first, so that no space becomes a metaspace.
        drops_spaces: bool,
        /// Whether words also end elsewhere, by the characters before and after a position.
        splits_words: bool,
    },
    /// Nothing: words stay whole, and their spaces are written as metaspaces.
    Whole {
        /// The words that get a metaspace before them, unless they begin with one.
        prepend: PrependScheme,
    },
    /// Nothing: words stay whole, and their bytes are written as characters.
    Bytes,
    /// More of the text than any other variant.
    Text,
}

/// The rules by which the characters before and after a position decide whether a word ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct CharacterBoundary {
    /// Whether white space ends words and is dropped.
    pub(crate) drops_spaces: bool,
    /// Whether a punctuation character is a word by itself.
    pub(crate) isolates_punctuation: bool,
    /// Whether words end between `\w` and other characters.
    pub(crate) separates_words: bool,
    /// Whether other rules by characters exist, too.
    pub(crate) has_others: bool,
}

impl Boundary {
    /// Returns the boundary of two pre-tokenizers in a row.
    pub(super) fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Characters(one), Self::Characters(other)) => Self::Characters(one.and(other)),
            (Self::Characters(characters), Self::Metaspaces { prepend, .. }) => Self::Metaspaces {
                prepend,
                drops_spaces: characters.drops_spaces,
                splits_words: characters != CharacterBoundary::default() && characters != CharacterBoundary::SPACES,
            },
            (Self::Matches { grammar, writes_bytes: false, prefix_space: false }, Self::Bytes) => {
                Self::Matches { grammar, writes_bytes: true, prefix_space: false }
            }
            (
                Self::Matches { grammar, writes_bytes: false, prefix_space: false },
                Self::Matches { grammar: other, writes_bytes, prefix_space: false },
            ) if grammar.matches_are_of(other) => Self::Matches { grammar, writes_bytes, prefix_space: false },
            _ => Self::Text,
        }
    }
}

impl CharacterBoundary {
    /// The boundary of pre-tokenizers that only split at white space and drop it.
    pub(super) const SPACES: Self =
        Self { drops_spaces: true, isolates_punctuation: false, separates_words: false, has_others: false };

    fn and(self, other: Self) -> Self {
        Self {
            drops_spaces: self.drops_spaces || other.drops_spaces,
            isolates_punctuation: self.isolates_punctuation || other.isolates_punctuation,
            separates_words: self.separates_words || other.separates_words,
            has_others: self.has_others || other.has_others,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pretokenize::divisions::Division;
    use crate::pretokenize::{Behavior, PreTokenizer, Split};
    use crate::settings::{ByteLevel, Metaspace};
    use crate::text::pattern::Pattern;

    fn split(grammar: Grammar, behavior: Behavior, invert: bool) -> PreTokenizer {
        PreTokenizer::Split(Split { pattern: Pattern::regex(grammar.pattern()).unwrap(), behavior, invert })
    }

    fn bytes(use_regex: bool, add_prefix_space: bool) -> PreTokenizer {
        PreTokenizer::ByteLevel(ByteLevel { use_regex, add_prefix_space, trim_offsets: true })
    }

    fn metaspace(settings: Metaspace) -> PreTokenizer {
        PreTokenizer::Metaspace(settings)
    }

    fn metaspaces(drops_spaces: bool, splits_words: bool) -> Boundary {
        Boundary::Metaspaces { prepend: PrependScheme::Always, drops_spaces, splits_words }
    }

    fn matches(grammar: Grammar, writes_bytes: bool) -> Boundary {
        Boundary::Matches { grammar, writes_bytes, prefix_space: false }
    }

    fn divisions(grammars: &[Grammar], rest: Vec<PreTokenizer>) -> Boundary {
        let steps = grammars.iter().copied().map(Division::Grammar).collect();
        Boundary::Divisions(Divisions { steps, rest })
    }

    #[test]
    fn every_pre_tokenizer_has_its_boundary() {
        let characters = |drops_spaces, isolates_punctuation, separates_words, has_others| {
            Boundary::Characters(CharacterBoundary { drops_spaces, isolates_punctuation, separates_words, has_others })
        };
        let prepend = PrependScheme::Always;
        for (pre_tokenizer, wanted) in [
            (PreTokenizer::Bert, characters(true, true, false, false)),
            (PreTokenizer::Whitespace, characters(true, false, true, false)),
            (PreTokenizer::WhitespaceSplit, Boundary::Characters(CharacterBoundary::SPACES)),
            (PreTokenizer::Punctuation(Behavior::Isolated), characters(false, true, false, false)),
            (PreTokenizer::Punctuation(Behavior::Removed), Boundary::Text),
            (PreTokenizer::Digits { individual: false }, characters(false, false, false, true)),
            (PreTokenizer::UnicodeScripts, Boundary::Text),
            (split(Grammar::CL100K, Behavior::Isolated, false), matches(Grammar::CL100K, false)),
            (split(Grammar::CL100K, Behavior::Isolated, true), matches(Grammar::CL100K, false)),
            (split(Grammar::CL100K, Behavior::Removed, true), matches(Grammar::CL100K, false)),
            (split(Grammar::CL100K, Behavior::Removed, false), Boundary::Text),
            (split(Grammar::CLIP, Behavior::Removed, true), matches(Grammar::CLIP, false)),
            (split(Grammar::CLIP, Behavior::Removed, false), Boundary::Text),
            (split(Grammar::CLIP, Behavior::Isolated, true), {
                Boundary::Divisions(Divisions::into_words([Division::Grammar(Grammar::CLIP)].into(), false))
            }),
            (bytes(true, false), matches(Grammar::GPT2, true)),
            (bytes(false, false), Boundary::Bytes),
            (bytes(true, true), Boundary::Matches { grammar: Grammar::GPT2, writes_bytes: true, prefix_space: true }),
            (bytes(false, true), Boundary::Text),
            (metaspace(Metaspace::default()), metaspaces(false, false)),
            (metaspace(Metaspace { split: false, ..Metaspace::default() }), Boundary::Whole { prepend }),
            (metaspace(Metaspace { replacement: '_', ..Metaspace::default() }), Boundary::Text),
        ] {
            assert_eq!(pre_tokenizer.boundary(), wanted, "{pre_tokenizer:?}");
            let once = PreTokenizer::Sequence(vec![PreTokenizer::Sequence(vec![pre_tokenizer])]);
            assert_eq!(once.boundary(), wanted, "{once:?}");
        }
    }

    #[test]
    fn a_sequence_has_the_boundaries_of_all_its_steps() {
        let [space, bert, punctuation] =
            [PreTokenizer::WhitespaceSplit, PreTokenizer::Bert, PreTokenizer::Punctuation(Behavior::Isolated)];
        let [cl100k, clip] =
            [split(Grammar::CL100K, Behavior::Isolated, false), split(Grammar::CLIP, Behavior::Removed, true)];
        let metaspace = metaspace(Metaspace::default());
        for (steps, wanted) in [
            (vec![], Boundary::Characters(CharacterBoundary::default())),
            (vec![PreTokenizer::Digits { individual: true }, space.clone()], {
                Boundary::Characters(CharacterBoundary { has_others: true, ..CharacterBoundary::SPACES })
            }),
            (vec![space.clone(), metaspace.clone()], metaspaces(true, false)),
            (vec![punctuation, metaspace.clone()], metaspaces(false, true)),
            (vec![bert, metaspace.clone()], metaspaces(true, true)),
            (vec![metaspace, space], Boundary::Text),
            (vec![cl100k.clone(), bytes(false, false)], matches(Grammar::CL100K, true)),
            (
                vec![cl100k.clone(), bytes(true, false)],
                divisions(&[Grammar::CL100K, Grammar::GPT2], vec![bytes(false, false)]),
            ),
            (
                vec![cl100k.clone(), bytes(false, false), bytes(true, false)],
                divisions(&[Grammar::CL100K], vec![bytes(false, false), bytes(true, false)]),
            ),
            (vec![cl100k, bytes(true, true)], Boundary::Text),
            (vec![clip.clone(), bytes(true, false)], matches(Grammar::CLIP, true)),
            (vec![bytes(false, false), clip], Boundary::Text),
        ] {
            let sequence = PreTokenizer::Sequence(steps);
            assert_eq!(sequence.boundary(), wanted, "{sequence:?}");
        }
    }
}
