//! The likeliest segmentation of a word, where longest match need not be (W20 of `spec/wordpiece.md`).

use super::automaton::Piece;
use crate::error::{Error, Result};
use crate::lattice::{Edge, Lattice, UNKNOWN};
use crate::model::trie::Trie;
use crate::model::{PROBABILITY_FLOOR, Probabilities, UNKNOWN_PENALTY};
use crate::numbers::floats::{Scaled, ln};
use crate::vocab::Vocab;

/// The entries that fit at the start of a word and behind it, and their scores.
#[derive(Debug)]
pub(super) struct Likeliest {
    start: Trie,
    continuing: Trie,
    /// By id.
    scores: Vec<f64>,
}

impl Likeliest {
    /// The tables of a vocabulary, of whose entries text may become what is `allowed`.
    pub(super) fn new(
        vocab: &Vocab,
        probabilities: &Probabilities<'_>,
        prefix: &str,
        allowed: impl Fn(u32) -> bool,
    ) -> Result<Self> {
        let entries = || vocab.iter().filter(|&(_, id)| allowed(id));
        let behind = entries().filter_map(|(entry, id)| Some((entry.strip_prefix(prefix)?, id)));
        let score = |id: u32| ln(Scaled::of(probabilities.of(id)));
        Ok(Self {
            start: trie(entries())?,
            continuing: trie(behind)?,
            scores: (0..vocab.id_limit()).map(score).collect(),
        })
    }

    /// All segmentations of a word, if there are any; with `unknown`, characters may be unmatched.
    pub(super) fn lattice(&self, word: &str, unknown: bool) -> Option<Lattice<f64>> {
        Lattice::new(word, unknown.then(unknown_score), |start, each| {
            let trie = if start == 0 { &self.start } else { &self.continuing };
            trie.each(&word.as_bytes()[start..], |bytes, id| each(bytes, id, self.scores[id as usize]));
        })
    }

    /// The score of a token.
    pub(super) fn score(&self, id: u32) -> f64 {
        self.scores[id as usize]
    }
}

/// The score of what is unknown.
pub(super) fn unknown_score() -> f64 {
    ln(Scaled::of(PROBABILITY_FLOOR)) - UNKNOWN_PENALTY
}

/// What an edge stands for.
pub(super) fn piece(edge: &Edge) -> Piece {
    let bytes = u32::try_from(edge.end - edge.start).expect("a text is under 4 GiB");
    if edge.id == UNKNOWN { Piece::Unmatched { bytes } } else { Piece::Token { id: edge.id, bytes } }
}

fn trie<'a>(entries: impl Iterator<Item = (&'a str, u32)>) -> Result<Trie> {
    let texts = entries.filter(|(text, _)| !text.is_empty()).map(|(text, id)| (text.as_bytes().to_vec(), id));
    let too_many = || Error::Vocabulary("the tokens have more than 16 million bytes together".to_owned());
    Trie::new(texts.collect()).ok_or_else(too_many)
}
