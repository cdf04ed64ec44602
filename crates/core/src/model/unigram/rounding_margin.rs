//! The rounding margin of a best path: tests whether it is best after any running score, in 32 bits.
//!
//! SentencePiece encodes a whole text as one word. Its sums are rounded, and their rounding depends on all text before:
//! of two nearly equal segmentations of a word, either may win, depending on that text. But the error of an addition is
//! at most half of the last bit of its result. So if the second-best path to each position of the best path is worse by
//! more than the largest possible error of all additions, the path is best after any text whose running score is small
//! enough: see [`Tables::search_with_margin`].

use super::letters::Letter;
use super::tables::Tables;
use super::viterbi::{Link, Path};

/// The best and the second-best sum at a letter of the word, in 64 bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct TwoBest {
    best: f64,
    second: f64,
    /// The piece that ends the best path, by its first letter.
    last: Link,
}

impl TwoBest {
    const NOWHERE: Self = Self { best: f64::NEG_INFINITY, second: f64::NEG_INFINITY, last: Link::NOWHERE };
}

impl Tables {
    /// Finds the best path of a word in letters by 64-bit sums, and returns its valid-below exponent.
    ///
    /// With the exponent e, the path is best after every running score whose absolute value is below 2^(e − 1); with 0,
    /// after none for sure. `None` if no path leads to the end.
    pub(super) fn search_with_margin(
        &self,
        word: &[Letter],
        margins: &mut Vec<TwoBest>,
        path: &mut Path,
    ) -> Option<u8> {
        self.compute_margins(word, margins);
        path.clear(word[word.len() - 1].at as usize);
        let (mut margin, mut end) = (f64::INFINITY, word.len() - 1);
        while end > 0 {
            let TwoBest { best, second, last } = margins[end];
            if best == f64::NEG_INFINITY {
                return None;
            }
            margin = margin.min(best - second);
            path.prepend(word[end].at as usize, last.id());
            end = last.to();
        }
        // Each addition has an error of at most half of the last bit of its sum, so the difference of two paths has an
        // error of at most one last bit per addition. A path has at most one addition per character. The factor 1.1 is
        // a reserve.
        let steps = (word.len() - 1) as f64;
        let err = 1.1 * f64::from(f32::EPSILON) * steps;
        Some(exponent_below(margin / err - steps * self.largest))
    }

    /// Computes the best and second-best sums of all positions.
    #[expect(clippy::cast_possible_truncation, reason = "no word is longer than 2^32 bytes")]
    fn compute_margins(&self, word: &[Letter], margins: &mut Vec<TwoBest>) {
        margins.clear();
        margins.resize(word.len(), TwoBest::NOWHERE);
        margins[0].best = 0.0;
        for start in 0..word.len() - 1 {
            let here = margins[start].best;
            if here > f64::NEG_INFINITY {
                self.each(&word[start..], |length, id, score| {
                    margins[start + length].add(here + score, Link::new(start as u32, id));
                });
            }
        }
    }
}

impl TwoBest {
    /// Adds a path, without a branch, which would be mispredicted.
    #[inline]
    fn add(&mut self, sum: f64, last: Link) {
        let Self { best, second, .. } = *self;
        let is_better = sum > best;
        self.second = second.max(if is_better { best } else { sum });
        self.best = if is_better { sum } else { best };
        self.last = if is_better { last } else { self.last };
    }
}

/// Returns one more than the exponent of the largest power of two up to a number; 0 below 1.
fn exponent_below(number: f64) -> u8 {
    if number < 1.0 { 0 } else { exponent(number) + 1 }
}

/// Returns the exponent of a power of two that is surely larger than a sum.
pub(super) fn exponent_above(sum: f64) -> u8 {
    if sum <= 1.0 { 0 } else { exponent(sum) + 1 }
}

/// Returns the binary exponent of a number from 1 on, capped at 200.
fn exponent(number: f64) -> u8 {
    ((number.to_bits() >> 52).saturating_sub(1023)).min(200) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::VALID_ALWAYS;

    #[test]
    fn powers() {
        assert_eq!([0.5, 1.0, 1.5, 2.0, 1000.0].map(exponent_below), [0, 1, 1, 2, 10]);
        assert_eq!([0.5, 1.0, 1.5, 2.0, 1000.0].map(exponent_above), [0, 0, 1, 2, 10]);
        assert!(exponent_below(f64::INFINITY) < VALID_ALWAYS && exponent_above(f64::INFINITY) < VALID_ALWAYS);
    }
}
