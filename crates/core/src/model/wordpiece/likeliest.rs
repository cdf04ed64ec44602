//! The most likely segmentation of a word (W20 of `spec/wordpiece.md`), which longest match need not find.

use super::automaton::Piece;
use crate::error::{Error, Result};
use crate::lattice::{Edge, Lattice, UNKNOWN};
use crate::model::trie::Trie;
use crate::model::{PROBABILITY_FLOOR, Probabilities, UNKNOWN_PENALTY};
use crate::numbers::floats::{Scaled, ln};
use crate::vocab::Vocab;

/// The tokens at the start of a word and those that continue it, with their scores.
#[derive(Debug)]
pub(super) struct Likeliest {
    start: Trie,
    continuing: Trie,
    /// The scores by id.
    scores: Vec<f64>,
}

impl Likeliest {
    /// Returns the tables of a vocabulary; text produces only tokens for which `allowed` is true.
    pub(super) fn new(
        vocab: &Vocab,
        probabilities: &Probabilities<'_>,
        prefix: &str,
        allowed: impl Fn(u32) -> bool,
    ) -> Result<Self> {
        let entries = || vocab.iter().filter(|&(_, id)| allowed(id));
        let continuing = entries().filter_map(|(entry, id)| Some((entry.strip_prefix(prefix)?, id)));
        let score = |id: u32| ln(Scaled::of(probabilities.of(id)));
        Ok(Self {
            start: trie(entries())?,
            continuing: trie(continuing)?,
            scores: (0..vocab.id_limit()).map(score).collect(),
        })
    }

    /// Returns the lattice of a word, if there is a segmentation; with `unknown`, characters may be unmatched.
    pub(super) fn lattice(&self, word: &str, unknown: bool) -> Option<Lattice<f64>> {
        Lattice::new(word, unknown.then(unknown_score), |start, each| {
            let trie = if start == 0 { &self.start } else { &self.continuing };
            trie.each(&word.as_bytes()[start..], |bytes, id| each(bytes, id, self.scores[id as usize]));
        })
    }

    /// Returns the score of a token.
    pub(super) fn score(&self, id: u32) -> f64 {
        self.scores[id as usize]
    }
}

/// Returns the score of an unknown token.
pub(super) fn unknown_score() -> f64 {
    ln(Scaled::of(PROBABILITY_FLOOR)) - UNKNOWN_PENALTY
}

/// Returns the piece of an edge.
pub(super) fn piece(edge: &Edge) -> Piece {
    let bytes = u32::try_from(edge.end - edge.start).expect("a text is under 4 GiB");
    if edge.id == UNKNOWN { Piece::Unmatched { bytes } } else { Piece::Token { id: edge.id, bytes } }
}

fn trie<'a>(entries: impl Iterator<Item = (&'a str, u32)>) -> Result<Trie> {
    let texts = entries.filter(|(text, _)| !text.is_empty()).map(|(text, id)| (text.as_bytes().to_vec(), id));
    let too_many = || Error::Vocabulary("the tokens have more than 16 million bytes together".into());
    Trie::new(texts.collect()).ok_or_else(too_many)
}
