//! The rounding margin of a best path: how sure it is, where a running score of 32 bits goes on from word to word.
//!
//! SentencePiece takes a whole text for one word. Its sums are rounded, and how they are rounded hangs on all that stands before: of two
//! ways to spell a word that are nearly as good, another may win behind another text. But an addition errs by no more than
//! half of the last bit of its result. So where the second-best way to each place of the best path is worse by more than all
//! additions can err, the path is the same behind any text that is not too long: see [`Pieces::search_surely`].

use super::letters::Letter;
use super::pieces::{Pieces, edge};
use crate::lattice::Edge;

/// What is best to reach a letter of the word, in sums as good as exact, and what is second best.
#[derive(Debug, Clone, Copy)]
pub(super) struct Margin {
    best: f64,
    second: f64,
    /// The first letter of the piece that brings the best, and its id.
    from: u64,
}

impl Margin {
    const NOWHERE: Self = Self { best: f64::NEG_INFINITY, second: f64::NEG_INFINITY, from: 0 };
}

impl Pieces<'_, f32> {
    /// Finds the path that is best in sums as good as exact, and its valid-below exponent: one more than the largest power of
    /// two of a running score behind which the word surely takes it, 0 if there is none. `None` if nothing leads to the end.
    pub(super) fn search_surely(&self, word: &[Letter], margins: &mut Vec<Margin>, path: &mut Vec<Edge>) -> Option<u8> {
        self.weigh(word, margins);
        path.clear();
        let (mut margin, mut end) = (f64::INFINITY, word.len() - 1);
        while end > 0 {
            let Margin { best, second, from } = margins[end];
            if best == f64::NEG_INFINITY {
                return None;
            }
            margin = margin.min(best - second);
            let (start, id) = unpacked(from);
            path.push(edge(word, start, end, id));
            end = start;
        }
        // Two paths, each of as many steps as there are characters, err by half of a last bit in each; and some to spare.
        let steps = (word.len() - 1) as f64;
        let err = 1.1 * f64::from(f32::EPSILON) * steps;
        Some(exponent_below(margin / err - steps * self.largest))
    }

    /// The best and second best of all places.
    fn weigh(&self, word: &[Letter], margins: &mut Vec<Margin>) {
        margins.clear();
        margins.resize(word.len(), Margin::NOWHERE);
        margins[0].best = 0.0;
        for start in 0..word.len() - 1 {
            let here = margins[start].best;
            if here > f64::NEG_INFINITY {
                self.each(&word[start..], |length, id, score| {
                    margins[start + length].add(here + f64::from(score), packed(start, id));
                });
            }
        }
    }
}

impl Margin {
    /// Adds a way, without a branch that nobody could predict.
    #[inline]
    fn add(&mut self, sum: f64, from: u64) {
        let Self { best, second, .. } = *self;
        let is_better = sum > best;
        self.second = second.max(if is_better { best } else { sum });
        self.best = if is_better { sum } else { best };
        self.from = if is_better { from } else { self.from };
    }
}

/// A start and an id, which go together.
#[inline]
fn packed(start: usize, id: u32) -> u64 {
    (start as u64) << 32 | u64::from(id)
}

#[expect(clippy::cast_possible_truncation, reason = "these are the halves")]
fn unpacked(edge: u64) -> (usize, u32) {
    ((edge >> 32) as usize, edge as u32)
}

/// One more than the largest power of two that is no larger than a number; 0 below 1.
fn exponent_below(number: f64) -> u8 {
    if number < 1.0 { 0 } else { exponent(number) + 1 }
}

/// The power of two that a sum is surely below.
pub(super) fn exponent_above(sum: f64) -> u8 {
    if sum <= 1.0 { 0 } else { exponent(sum) + 1 }
}

/// The exponent of a number of 1 or more, at most 200.
fn exponent(number: f64) -> u8 {
    ((number.to_bits() >> 52).saturating_sub(1023)).min(200) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::context::VALID_ALWAYS;

    #[test]
    fn powers() {
        assert_eq!([0.5, 1.0, 1.5, 2.0, 1000.0].map(exponent_below), [0, 1, 1, 2, 10]);
        assert_eq!([0.5, 1.0, 1.5, 2.0, 1000.0].map(exponent_above), [0, 0, 1, 2, 10]);
        assert!(exponent_below(f64::INFINITY) < VALID_ALWAYS && exponent_above(f64::INFINITY) < VALID_ALWAYS);
    }
}
