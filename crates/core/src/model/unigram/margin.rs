//! How sure a best path is, where sums of 32 bits go on from word to word.
//!
//! SentencePiece takes a whole text for one word. Its sums are rounded, and how they are rounded hangs on all that stands before: of two
//! ways to spell a word that are nearly as good, another may win behind another text. But an addition errs by no more than
//! half of the last bit of its result. So where the second-best way to each place of the best path is worse by more than all
//! additions can err, the path is the same behind any text that is not too long: see [`Pieces::search_surely`].

use super::viterbi::Pieces;
use crate::lattice::{Edge, UNKNOWN};

/// A path that is the same behind any text.
pub(crate) const ALWAYS: u8 = u8::MAX;
/// A text so far that no path is surely the same.
pub(crate) const NOTHING: u8 = u8::MAX;

/// What is best to reach a byte of the word, in sums as good as exact, and what is second best.
#[derive(Debug, Clone, Copy)]
pub(super) struct Margin {
    best: f64,
    second: f64,
    start: u32,
    id: u32,
}

impl Margin {
    const NOWHERE: Self = Self { best: f64::NEG_INFINITY, second: f64::NEG_INFINITY, start: 0, id: UNKNOWN };
}

impl Pieces<'_, f32> {
    /// Finds the path that is best in sums as good as exact, and its limit: one more than the largest power of
    /// two of a sum behind which the word surely takes it, 0 if there is none. `None` if nothing leads to the end.
    pub(super) fn search_surely(&self, word: &str, margins: &mut Vec<Margin>, path: &mut Vec<Edge>) -> Option<u8> {
        let (steps, largest) = self.weigh(word, margins);
        path.clear();
        let (mut margin, mut end) = (f64::INFINITY, word.len());
        while end > 0 {
            let Margin { best, second, start, id } = margins[end];
            if best == f64::NEG_INFINITY {
                return None;
            }
            margin = margin.min(best - second);
            path.push(Edge { start: start as usize, end, id });
            end = start as usize;
        }
        // Two paths, each of as many steps as there are characters, err by half of a last bit in each; and some to spare.
        let err = 1.1 * f64::from(f32::EPSILON) * steps;
        Some(power_below(margin / err - steps * largest))
    }

    /// The best and second best of all places; how many characters there are, and the largest score.
    #[expect(clippy::cast_possible_truncation, reason = "no word is longer than 2^32 bytes")]
    fn weigh(&self, word: &str, margins: &mut Vec<Margin>) -> (f64, f64) {
        margins.clear();
        margins.resize(word.len() + 1, Margin::NOWHERE);
        margins[0].best = 0.0;
        let (mut steps, mut largest) = (0.0, 0.0_f64);
        for (start, c) in word.char_indices() {
            steps += 1.0;
            let here = margins[start].best;
            if here == f64::NEG_INFINITY {
                continue;
            }
            let mut relax = |length: usize, id: u32, score: f32| {
                let score = f64::from(score);
                largest = largest.max(score.abs());
                margins[start + length].add(here + score, start as u32, id);
            };
            let mut is_known = false;
            self.trie.each(&word.as_bytes()[start..], |length, id| {
                is_known |= length == c.len_utf8();
                relax(length, id, self.scores[id as usize]);
            });
            if let Some(unknown) = self.unknown.filter(|_| !is_known) {
                relax(c.len_utf8(), UNKNOWN, unknown);
            }
        }
        (steps, largest)
    }
}

impl Margin {
    #[inline]
    fn add(&mut self, sum: f64, start: u32, id: u32) {
        if sum > self.best {
            *self = Self { best: sum, second: self.best, start, id };
        } else {
            self.second = self.second.max(sum);
        }
    }
}

/// One more than the largest power of two that is no larger than a number; 0 below 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 200")]
fn power_below(number: f64) -> u8 {
    if number < 1.0 { 0 } else { number.log2().min(200.0) as u8 + 1 }
}

/// The power of two that a sum is surely below.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 250")]
pub(crate) fn power_above(sum: f64) -> u8 {
    sum.max(1.0).log2().ceil().min(250.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers() {
        assert_eq!([0.5, 1.0, 1.5, 2.0, 1000.0].map(power_below), [0, 1, 1, 2, 10]);
        assert_eq!([0.5, 1.0, 1.5, 2.0, 1000.0].map(power_above), [0, 0, 1, 1, 10]);
        assert!(power_below(f64::INFINITY) < ALWAYS && power_above(f64::INFINITY) < ALWAYS);
    }
}
