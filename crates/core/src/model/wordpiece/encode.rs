//! Encoding: pieces of the automaton to tokens, by the policy for unknown characters.

use super::automaton::Piece;
use super::likeliest::{piece, unknown_score};
use super::{Unknown, WordPiece};
use crate::error::Result;
use crate::lattice::{Edge, Lattice, Sampling, Segmentations};
use crate::model::steps::{LatticeSteps, lattice_edges};
use crate::model::{Scored, Token};
use crate::numbers::random::Dropout;
use crate::text::span::Span;
use crate::vocab::AllowedEntries;

/// The working memory of the longest match, which the caller reuses for every word.
#[derive(Debug, Default)]
pub struct MatchScratch {
    stack: Vec<u32>,
    /// The dropout of tokens, if there is one.
    pub dropout: Option<Dropout>,
}

impl WordPiece {
    /// Appends the tokens of `word`, with spans in it.
    ///
    /// No text produces a token outside `entries`. The cost is linear in the length of the word, except
    /// with dropout.
    pub fn encode_word(
        &self,
        word: &str,
        entries: AllowedEntries,
        matches: &mut MatchScratch,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        if self.is_likeliest() {
            let best = self.lattice(word, entries)?.map(|lattice| lattice.best().reversed);
            return self.push_path(word, best.as_deref(), out);
        }
        if self.is_too_long(word) {
            return self.push_unknown_word(word, out);
        }
        let first = out.len();
        let mut run = WordTokens::new(self.settings().unknown);
        let emit = |piece| run.push(piece, out);
        match &mut matches.dropout {
            None => self.automaton(entries).walk(word, &mut matches.stack, emit),
            Some(dropout) => self.automaton(entries).walk_with_dropout(word, dropout, emit),
        }
        self.resolve_unknown(word, &run, first, out)
    }

    /// Appends the tokens of a random segmentation of `word`.
    pub(crate) fn sample_word(
        &self,
        word: &str,
        entries: AllowedEntries,
        sampling: &mut Sampling,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        let drawn = self.lattice(word, entries)?.map(|lattice| lattice.sample(sampling));
        self.push_path(word, drawn.as_deref(), out)
    }

    /// Returns the best segmentations of `word` with their scores, best first; without any, one unknown token.
    pub(crate) fn nbest(&self, word: &str, entries: AllowedEntries, wanted: usize) -> Result<Vec<Scored>> {
        let scored = |path: Option<&[Edge]>, score| {
            let mut tokens = Vec::new();
            self.push_path(word, path, &mut tokens)?;
            Ok(Scored { tokens, score })
        };
        match self.lattice(word, entries)? {
            Some(lattice) => {
                lattice.nbest(wanted).iter().map(|path| scored(Some(&path.reversed), path.score)).collect()
            }
            None => Ok(vec![scored(None, unknown_score())?]),
        }
    }

    /// Returns the lattice of `word` and its `wanted` best segmentations; without any, one unknown token.
    pub(crate) fn lattice_steps(&self, word: &str, entries: AllowedEntries, wanted: usize) -> Result<LatticeSteps> {
        let lattice = self.lattice(word, entries)?;
        let best = self.nbest(word, entries, wanted)?;
        let log_probability = lattice.as_ref().map_or_else(unknown_score, Segmentations::log_probability);
        let edges = lattice.map_or_else(Vec::new, |lattice| lattice_edges(&lattice.scored_edges()));
        Ok(LatticeSteps { edges, log_probability, best })
    }

    /// Returns the log-probability (natural logarithm) of `word`, summed over all segmentations; without any, that of
    /// unknown.
    pub(crate) fn log_probability(&self, word: &str, entries: AllowedEntries) -> Result<f64> {
        let lattice = self.lattice(word, entries)?;
        Ok(lattice.map_or_else(unknown_score, |lattice| lattice.log_probability()))
    }

    /// Returns the sum of the scores of these tokens.
    pub(crate) fn score(&self, ids: &[u32]) -> Result<f64> {
        let tables = self.likeliest(AllowedEntries::All)?;
        let score = |&id: &u32| if Some(id) == self.unk_id() { unknown_score() } else { tables.score(id) };
        Ok(ids.iter().map(score).fold(0.0, |sum, score| sum + score))
    }

    /// Returns the lattice of a word's segmentations, if there are any.
    fn lattice(&self, word: &str, entries: AllowedEntries) -> Result<Option<Lattice<f64>>> {
        let tables = self.likeliest(entries)?;
        let lattice = || tables.lattice(word, self.settings().unknown != Unknown::Word);
        Ok(if self.is_too_long(word) { None } else { lattice() })
    }

    /// Appends the tokens of a path in reverse order; without a path, the word is unknown.
    fn push_path(&self, word: &str, reversed: Option<&[Edge]>, out: &mut Vec<Token>) -> Result<()> {
        let Some(reversed) = reversed else { return self.push_unknown_word(word, out) };
        let first = out.len();
        let mut run = WordTokens::new(self.settings().unknown);
        reversed.iter().rev().for_each(|edge| {
            run.push(piece(edge), out);
        });
        self.resolve_unknown(word, &run, first, out)
    }

    /// Appends unknown tokens for unmatched characters.
    fn resolve_unknown(&self, word: &str, run: &WordTokens, first: usize, out: &mut Vec<Token>) -> Result<()> {
        if !run.unmatched {
            return Ok(());
        }
        match run.policy {
            Unknown::Word => {
                out.truncate(first);
                self.push_unknown_word(word, out)
            }
            Unknown::Run | Unknown::Char => {
                let unk = self.require_unk_id(word)?;
                for token in &mut out[first..] {
                    if token.id == UNMATCHED {
                        token.id = unk;
                    }
                }
                Ok(())
            }
        }
    }

    /// Returns whether the word exceeds the maximum length.
    pub(super) fn is_too_long(&self, word: &str) -> bool {
        let limit = self.settings().max_input_chars_per_word;
        limit.is_some_and(|limit| word.len() > limit && word.chars().count() > limit)
    }

    /// Appends one unknown token for the whole word.
    fn push_unknown_word(&self, word: &str, out: &mut Vec<Token>) -> Result<()> {
        let id = self.require_unk_id(word)?;
        out.push(Token { id, span: Span::new(0, word.len()) });
        Ok(())
    }
}

/// The placeholder of the unknown token until the word is complete; no vocabulary has this id.
const UNMATCHED: u32 = u32::MAX;

/// The tokens of one word as they are found.
struct WordTokens {
    policy: Unknown,
    unmatched: bool,
    end: u32,
}

impl WordTokens {
    fn new(policy: Unknown) -> Self {
        Self { policy, unmatched: false, end: 0 }
    }

    /// Adds a piece; returns false if the rest of the word no longer matters.
    fn push(&mut self, piece: Piece, out: &mut Vec<Token>) -> bool {
        let start = self.end;
        match piece {
            Piece::Token { id, bytes } => {
                self.end += bytes;
                out.push(Token { id, span: Span { start, end: self.end } });
            }
            Piece::Unmatched { bytes } => {
                self.end += bytes;
                self.unmatched = true;
                match (self.policy, out.last_mut()) {
                    (Unknown::Word, _) => return false,
                    (Unknown::Run, Some(last)) if last.id == UNMATCHED => last.span.end = self.end,
                    _ => out.push(Token { id: UNMATCHED, span: Span { start, end: self.end } }),
                }
            }
        }
        true
    }
}
