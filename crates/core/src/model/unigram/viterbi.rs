//! Viterbi's algorithm: finds the most probable path through the pieces of a word.
//!
//! Positions are visited from left to right. Each stores the piece that reaches it with the best sum; of equal sums,
//! the first, which is that of the longest piece. The cost is linear in the pieces that occur at all positions.
//! Source: Viterbi 1967, *Error bounds for convolutional codes*.

use std::ops::Sub;

use super::letters::Letter;
use super::pieces::{Pieces, edge};
use super::rounding_margin::TwoBest;
use crate::lattice::{Edge, PathScore, UNKNOWN};

/// The start of a position that no path reaches.
const NOWHERE: u32 = u32::MAX;

/// A number type in which scores are added along a text.
pub(super) trait Sum: PathScore + Sub<Output = Self> {
    /// The limit below which SentencePiece resets a sum to 0, to keep precision.
    ///
    /// It also resets sums above the limit's absolute value.
    const RESET_BELOW: f64;
}

impl Sum for f32 {
    const RESET_BELOW: f64 = RESET_BELOW;
}

impl Sum for f64 {
    const RESET_BELOW: f64 = f64::NEG_INFINITY;
}

/// The limit below which SentencePiece resets its 32-bit sums.
pub(super) const RESET_BELOW: f64 = -100_000.0;

/// The best sum at a letter of the word, and its last piece.
#[derive(Debug, Clone, Copy)]
struct Place<F> {
    score: F,
    /// The first letter of the last piece, and its id.
    start: u32,
    id: u32,
}

/// The working memory of the search, and the running score between words.
#[derive(Debug, Default)]
pub struct ViterbiScratch {
    /// The running score before the next word, in 32 bits; reset after it.
    pub(super) before: f32,
    /// The running score after the last word.
    pub(super) after: f32,
    letters: Vec<Letter>,
    singles: Vec<Place<f32>>,
    doubles: Vec<Place<f64>>,
    margins: Vec<TwoBest>,
    /// The best path, from its end.
    pub(super) reversed: Vec<Edge>,
}

impl ViterbiScratch {
    /// Returns the largest capacity of a buffer.
    pub(crate) fn capacity(&self) -> usize {
        let Self { letters, singles, doubles, margins, reversed, .. } = self;
        [letters.capacity(), singles.capacity(), doubles.capacity(), margins.capacity(), reversed.capacity()]
            .into_iter()
            .fold(0, usize::max)
    }

    /// Finds the best path by 32-bit sums, which continue the running score; `None` if no path leads to the end.
    pub(super) fn single(&mut self, pieces: &Pieces<'_, f32>, word: &str) -> Option<()> {
        pieces.letters.read(word, &mut self.letters);
        pieces.search(&self.letters, std::mem::take(&mut self.before), &mut self.singles);
        follow_back(&self.letters, &self.singles, &mut self.reversed)?;
        self.after = self.singles.last()?.score;
        Some(())
    }

    /// Finds the best path, and returns its valid-below exponent; `None` if no path leads to the end.
    ///
    /// See [`Pieces::search_with_margin`].
    pub(super) fn search_cacheable(&mut self, pieces: &Pieces<'_, f32>, word: &str) -> Option<u8> {
        pieces.letters.read(word, &mut self.letters);
        pieces.search_with_margin(&self.letters, &mut self.margins, &mut self.reversed)
    }

    /// Returns the number of scores that were added for the last word.
    pub(super) fn steps(&self) -> usize {
        self.reversed.len()
    }

    /// Finds the best path by 64-bit sums, from 0; `None` if no path leads to the end.
    pub(super) fn double(&mut self, pieces: &Pieces<'_, f64>, word: &str) -> Option<()> {
        pieces.letters.read(word, &mut self.letters);
        pieces.search(&self.letters, 0.0, &mut self.doubles);
        follow_back(&self.letters, &self.doubles, &mut self.reversed)
    }
}

impl<F: Sum> Pieces<'_, F> {
    /// Computes the best sum at each letter, from `sum` at the first; the last letter ends the word.
    #[expect(clippy::cast_possible_truncation, reason = "no word is longer than 2^32 bytes")]
    fn search(&self, word: &[Letter], sum: F, places: &mut Vec<Place<F>>) {
        places.clear();
        places.resize(word.len(), Place { score: F::default(), start: NOWHERE, id: UNKNOWN });
        (places[0].start, places[0].score) = (0, sum);
        let mut reached = 0;
        for start in 0..word.len() - 1 {
            let Place { score: mut here, start: before, .. } = places[start];
            if before == NOWHERE {
                continue;
            }
            if here.into().abs() > -F::RESET_BELOW {
                places[start..=reached].iter_mut().for_each(|place| place.score = place.score - here);
                here = F::default();
            }
            self.each(&word[start..], |length, id, score| {
                let end = start + length;
                reached = reached.max(end);
                let (place, sum) = (&mut places[end], here + score);
                if place.start == NOWHERE || sum > place.score {
                    *place = Place { score: sum, start: start as u32, id };
                }
            });
        }
    }
}

/// Fills `path` with the reversed path to the end; `None` if none leads there.
fn follow_back<F: Copy>(word: &[Letter], places: &[Place<F>], path: &mut Vec<Edge>) -> Option<()> {
    path.clear();
    let mut end = places.len() - 1;
    while end > 0 {
        let Place { start, id, .. } = places[end];
        if start == NOWHERE {
            return None;
        }
        let start = start as usize;
        path.push(edge(word, start, end, id));
        end = start;
    }
    Some(())
}
