//! Divisions: pre-tokenizers in a row that split each piece of the one before further, without dropping text.
//!
//! Those of `DeepSeek` split off numbers, then ideographs and kana, then words; those of `StarCoder` digits, then the words
//! of GPT-2. Each splits a piece without looking at others, so the pieces are found in one pass over the text.

use std::sync::Arc;

use super::PreTokenizer;
use crate::settings::ByteLevel;
use crate::text::grammar::Grammar;
use crate::text::runs::RunPattern;
use crate::text::unicode::Class;

/// A rule that splits a text into pieces: the matches of a pattern, and the texts between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Division {
    Grammar(Grammar),
    Run(RunPattern),
    /// Line ends, each with the text behind them.
    Paragraphs(Grammar),
}

/// The pre-tokenizer that writes the bytes of each piece as characters.
pub(super) const BYTES: PreTokenizer =
    PreTokenizer::ByteLevel(ByteLevel { add_prefix_space: false, trim_offsets: true, use_regex: false });

impl Division {
    /// Returns the division into runs of characters that have one of the properties, or into such characters, and other
    /// text.
    pub(crate) fn of_class(classes: Class, is_single: bool) -> Self {
        Self::Run(RunPattern::of_class(classes, is_single))
    }

    /// Returns whether it divides into the matches of a pattern, in the syntax of Oniguruma, and other text.
    pub(crate) fn has_pattern(&self, pattern: &str) -> bool {
        matches!(self, Self::Run(run) if RunPattern::parse(pattern).as_ref() == Some(run))
    }

    /// Returns the end of the piece that begins at `start`, which is not the end of the text.
    #[inline]
    pub(crate) fn piece_end(&self, text: &str, start: usize) -> usize {
        let found = match self {
            Self::Grammar(grammar) => grammar.find(text, start),
            Self::Run(run) => run.find(text, start),
            Self::Paragraphs(line_ends) => {
                let of_piece = line_ends.find(text, start).filter(|found| found.start == start);
                let next = line_ends.find(text, of_piece.map_or(start, |found| found.end));
                return next.map_or(text.len(), |next| next.start);
            }
        };
        found.map_or(text.len(), |found| if found.start == start { found.end } else { found.start })
    }

    /// Returns whether a piece ends between a letter or number and ASCII white space in any case; `None` if a split of the
    /// text there may change other pieces.
    fn ends_between(&self, before: char, blank: char) -> Option<bool> {
        match self {
            Self::Grammar(grammar) | Self::Paragraphs(grammar) => Some(grammar.ends_between(before, blank)),
            Self::Run(run) => run.ends_between(before, blank),
        }
    }

    /// Returns whether it must be the first division: a piece depends on the character before it.
    fn looks_back(&self) -> bool {
        matches!(self, Self::Grammar(grammar) if grammar.looks_back())
    }
}

/// The divisions with which a sequence of pre-tokenizers begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Divisions {
    pub(crate) steps: Arc<[Division]>,
    /// The pre-tokenizers after them, which change each piece by itself.
    ///
    /// A piece alone must not be divided again: in `aE\u{301}` the pattern of o200k finds one match, of which that of GPT-2
    /// makes two pieces, but in the first of these, `aE`, that of o200k finds two matches.
    pub(crate) rest: Vec<PreTokenizer>,
}

impl Divisions {
    /// The largest number of divisions in a row.
    const MOST: usize = 8;

    /// Returns divisions whose pieces are words, the bytes of which may be written as characters (byte level).
    pub(crate) fn into_words(steps: Arc<[Division]>, writes_bytes: bool) -> Self {
        Self { steps, rest: writes_bytes.then_some(BYTES).into_iter().collect() }
    }

    /// Returns whether the bytes of pieces are written as characters; `None` if pieces are not words, because they are split
    /// or changed further.
    pub(crate) fn writes_bytes(&self) -> Option<bool> {
        match *self.rest {
            [] => Some(false),
            [PreTokenizer::ByteLevel(ByteLevel { use_regex: false, .. })] => Some(true),
            _ => None,
        }
    }

    /// Returns whether a piece ends between a letter or number and ASCII white space in every text, and a split of the text
    /// there leaves all other pieces as they are.
    pub(crate) fn separate(&self, before: char, blank: char) -> bool {
        let mut ends = self.steps.iter().map(|step| step.ends_between(before, blank));
        ends.try_fold(false, |found, ends| Some(found | ends?)).unwrap_or(false)
    }

    /// Returns the divisions of pre-tokenizers in a row; `None` if they do not begin with one, or if one needs more than a
    /// piece.
    pub(super) fn of<'a>(pre_tokenizers: impl Iterator<Item = &'a PreTokenizer>) -> Option<Self> {
        let (mut steps, mut rest) = (Vec::new(), Vec::new());
        for pre_tokenizer in pre_tokenizers {
            // What follows the bytes, or another change, sees other pieces.
            let may_divide = rest.is_empty() && steps.len() < Self::MOST;
            let (division, after) = pre_tokenizer.division()?;
            if !steps.is_empty() && division.as_ref().is_some_and(Division::looks_back) {
                return None;
            }
            if may_divide {
                steps.extend(division);
                rest.extend(after);
            } else {
                rest.push(pre_tokenizer.clone());
            }
        }
        (!steps.is_empty()).then(|| Self { steps: steps.into(), rest })
    }
}

/// The ends of the current pieces of divisions in a row, from the longest to the shortest.
///
/// They are kept, so that every division reads a text once.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PieceEnds([usize; Divisions::MOST]);

impl PieceEnds {
    /// Returns the end of the piece of all divisions that begins at `at`, which is not the end of the text.
    ///
    /// Calls are from left to right; `text` is the same in each call, or a longer one in which a piece ends where it ended.
    #[inline]
    pub(crate) fn next(&mut self, divisions: &[Division], text: &str, at: usize) -> usize {
        let mut end = text.len();
        for (division, current) in divisions.iter().zip(&mut self.0) {
            if *current <= at {
                *current = division.piece_end(&text[..end], at);
            }
            end = *current;
        }
        end
    }
}
