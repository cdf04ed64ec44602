//! The likeliest segmentation of a word, where longest match need not be (W20 of `spec/wordpiece.md`).

use super::automaton::Piece;
use crate::error::{Error, Result};
use crate::floats::{Scaled, ln};
use crate::lattice::{Lattice, UNKNOWN};
use crate::model::{PROBABILITY_FLOOR, probability};
use crate::trie::Trie;
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
    /// The tables of a vocabulary, of whose entries text may become what is `allowed`, with how often each was counted.
    pub(super) fn new(vocab: &Vocab, counts: &[u64], prefix: &str, allowed: impl Fn(u32) -> bool) -> Result<Self> {
        let entries = || vocab.iter().filter(|&(_, id)| allowed(id));
        let behind = entries().filter_map(|(entry, id)| Some((entry.strip_prefix(prefix)?, id)));
        let total: u64 = counts.iter().sum();
        let score = |id: u32| ln(Scaled::of(probability(counts.get(id as usize).copied().unwrap_or(0), total)));
        Ok(Self {
            start: trie(entries())?,
            continuing: trie(behind)?,
            scores: (0..vocab.id_limit()).map(score).collect(),
        })
    }

    /// Feeds every piece of the best path to `emit`. Without `unknown` a word that no path leads through is one unmatched piece.
    pub(super) fn walk(&self, word: &str, unknown: bool, mut emit: impl FnMut(Piece) -> bool) {
        let unknown = unknown.then(|| ln(Scaled::of(PROBABILITY_FLOOR)) - UNKNOWN_PENALTY);
        let lattice = Lattice::new(word, unknown, |start, each| {
            let trie = if start == 0 { &self.start } else { &self.continuing };
            trie.each(&word.as_bytes()[start..], |bytes, id| each(bytes, id, self.scores[id as usize]));
        });
        let Some(lattice) = lattice else {
            emit(Piece::Unmatched { bytes: size(word.len()) });
            return;
        };
        for edge in lattice.best().reversed.iter().rev() {
            let bytes = size(edge.end - edge.start);
            emit(if edge.id == UNKNOWN { Piece::Unmatched { bytes } } else { Piece::Token { id: edge.id, bytes } });
        }
    }
}

/// What is unknown is by so much less likely.
const UNKNOWN_PENALTY: f64 = 10.0;

fn size(bytes: usize) -> u32 {
    u32::try_from(bytes).expect("a text is under 4 GiB")
}

fn trie<'a>(entries: impl Iterator<Item = (&'a str, u32)>) -> Result<Trie> {
    let texts = entries.filter(|(text, _)| !text.is_empty()).map(|(text, id)| (text.as_bytes().to_vec(), id));
    let too_many = || Error::Vocabulary("the tokens have more than 16 million bytes together".to_owned());
    Trie::new(texts.collect()).ok_or_else(too_many)
}
