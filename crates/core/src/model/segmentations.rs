//! All segmentations of a word, with their probabilities: n-best lists, sampling and sums, for the models that have them.

use super::steps::{LatticeEdge, LatticeSteps};
use super::{Model, PROBABILITY_FLOOR, Scored, Token, UNKNOWN_PENALTY};
use crate::error::Result;
use crate::lattice::{Edge, Lattice, Sampling, UNKNOWN};
use crate::numbers::floats::{Scaled, ln};
use crate::text::span::Span;
use crate::vocab::AllowedEntries;

impl Model {
    /// Returns the best segmentations of `word`, best first, with the sums of their scores.
    ///
    /// Spans are bytes of the word.
    pub fn nbest(&self, word: &str, entries: AllowedEntries, wanted: usize) -> Result<Vec<Scored>> {
        self.scored(word, entries, self.lattice(word, entries)?.as_ref(), wanted)
    }

    /// Returns the natural logarithm of the probability of `word`, summed over all segmentations.
    pub fn log_probability(&self, word: &str, entries: AllowedEntries) -> Result<f64> {
        Ok(log_probability(self.lattice(word, entries)?.as_ref()))
    }

    /// Returns the sum of the scores of these entries.
    pub(crate) fn score(&self, ids: &[u32]) -> Result<f64> {
        match self {
            Self::Unigram(model) => Ok(model.score(ids)),
            Self::WordPiece(model) if model.is_likeliest() => Ok(model.score(ids)),
            Self::WordPiece(_) | Self::Bpe(_) | Self::WordLevel(_) => Err(self.traits().without_probabilities()),
        }
    }

    /// Returns the lattice of `word`, and its `wanted` best segmentations.
    pub(super) fn lattice_steps(&self, word: &str, entries: AllowedEntries, wanted: usize) -> Result<LatticeSteps> {
        let lattice = self.lattice(word, entries)?;
        let best = self.scored(word, entries, lattice.as_ref(), wanted)?;
        let edge = |(Edge { start, end, id }, score)| LatticeEdge {
            id: (id != UNKNOWN).then_some(id),
            span: Span::new(start, end),
            score,
        };
        let edges = lattice.iter().flat_map(Lattice::scored_edges).map(edge).collect();
        Ok(LatticeSteps { edges, log_probability: log_probability(lattice.as_ref()), best })
    }

    /// Appends the tokens of a random segmentation of `word`.
    pub(super) fn sample_word(
        &self,
        word: &str,
        entries: AllowedEntries,
        sampling: &mut Sampling,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        let drawn = self.lattice(word, entries)?.map(|lattice| lattice.sample(sampling));
        self.push_path(word, entries, drawn.as_deref(), out)
    }

    /// Returns the best segmentations of a lattice with their scores; without a lattice, one unknown token.
    fn scored(
        &self,
        word: &str,
        entries: AllowedEntries,
        lattice: Option<&Lattice>,
        wanted: usize,
    ) -> Result<Vec<Scored>> {
        let scored = |path: Option<&[Edge]>, score| {
            let mut tokens = Vec::new();
            self.push_path(word, entries, path, &mut tokens)?;
            Ok(Scored { tokens, score })
        };
        match lattice {
            Some(lattice) => {
                lattice.nbest(wanted).iter().map(|path| scored(Some(&path.reversed), path.score)).collect()
            }
            None => Ok(vec![scored(None, unknown_score())?]),
        }
    }

    /// Returns the lattice of a word; `None` if it has no segmentation, so that it is one unknown token.
    fn lattice(&self, word: &str, entries: AllowedEntries) -> Result<Option<Lattice>> {
        match self {
            Self::Unigram(model) => model.lattice(word, entries).map(Some),
            Self::WordPiece(model) if model.is_likeliest() => Ok(model.lattice(word, entries)),
            Self::WordPiece(_) | Self::Bpe(_) | Self::WordLevel(_) => Err(self.traits().without_probabilities()),
        }
    }

    /// Appends the tokens of a path in reverse order; without a path, one unknown token.
    fn push_path(
        &self,
        word: &str,
        entries: AllowedEntries,
        reversed: Option<&[Edge]>,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        match self {
            Self::Unigram(model) => {
                model.push_path(word, entries, reversed.unwrap_or_default(), out);
                Ok(())
            }
            Self::WordPiece(model) => model.push_path(word, reversed, out),
            Self::Bpe(_) | Self::WordLevel(_) => Err(self.traits().without_probabilities()),
        }
    }
}

/// Returns the natural logarithm of the sum over a lattice's paths; without a lattice, the score of an unknown token.
fn log_probability(lattice: Option<&Lattice>) -> f64 {
    lattice.map_or_else(unknown_score, Lattice::log_probability)
}

/// Returns the score of an unknown token of a model with probabilities of tokens.
pub(super) fn unknown_score() -> f64 {
    ln(Scaled::of(PROBABILITY_FLOOR)) - UNKNOWN_PENALTY
}
