//! The likeliest path through the pieces of a word.
//!
//! From the left, each place is reached by the piece that brings the most; of equal ones the first that came, which is the longest. The
//! cost is linear in the text, times the pieces that begin at one place.

use std::ops::Sub;

use super::margin::Margin;
use crate::lattice::{Edge, Score, UNKNOWN};
use crate::trie::Trie;

/// The start of what leads to a place that nothing has reached.
const NOWHERE: u32 = u32::MAX;

/// A score that is added up along a text.
pub(super) trait Sum: Score + Sub<Output = Self> {
    /// Below, SentencePiece begins to count from 0 again, lest a long text have no digits left.
    const FAR: f64;
}

impl Sum for f32 {
    const FAR: f64 = FAR;
}

impl Sum for f64 {
    const FAR: f64 = f64::NEG_INFINITY;
}

/// See [`Sum::FAR`].
pub(crate) const FAR: f64 = -100_000.0;

/// What is best to reach a byte of the word.
#[derive(Debug, Clone, Copy)]
struct Place<F> {
    score: F,
    /// The first byte of the last piece, and its id.
    start: u32,
    id: u32,
}

/// The working memory of the search, and what a word has to do with those before it.
#[derive(Debug, Default)]
pub struct Paths {
    /// In 32 bits, the sum of the scores before the next word, for this once.
    pub(crate) before: f32,
    /// What it came to behind the last one.
    pub(crate) after: f32,
    singles: Vec<Place<f32>>,
    doubles: Vec<Place<f64>>,
    margins: Vec<Margin>,
    /// The best path, from its end.
    pub(super) reversed: Vec<Edge>,
}

impl Paths {
    /// The most that any part has room for.
    pub(crate) fn capacity(&self) -> usize {
        let Self { singles, doubles, margins, reversed, .. } = self;
        [singles.capacity(), doubles.capacity(), margins.capacity(), reversed.capacity()]
            .into_iter()
            .fold(0, usize::max)
    }

    pub(super) fn single(&mut self, pieces: &Pieces<'_, f32>, word: &str) -> Option<()> {
        pieces.search(word, std::mem::take(&mut self.before), &mut self.singles);
        follow_back(&self.singles, &mut self.reversed)?;
        self.after = self.singles[word.len()].score;
        Some(())
    }

    /// The same without regard to what comes before, and up to which limit that holds.
    pub(super) fn surely(&mut self, pieces: &Pieces<'_, f32>, word: &str) -> Option<u8> {
        pieces.search_surely(word, &mut self.margins, &mut self.reversed)
    }

    /// How many scores were added up for the last word.
    pub(crate) fn steps(&self) -> usize {
        self.reversed.len()
    }

    pub(super) fn double(&mut self, pieces: &Pieces<'_, f64>, word: &str) -> Option<()> {
        pieces.search(word, 0.0, &mut self.doubles);
        follow_back(&self.doubles, &mut self.reversed)
    }
}

/// The pieces that a word may become.
pub(super) struct Pieces<'a, F> {
    pub(super) trie: &'a Trie,
    /// By id.
    pub(super) scores: &'a [F],
    /// The score of an unknown character, if there may be any.
    pub(super) unknown: Option<F>,
}

impl<F: Sum> Pieces<'_, F> {
    #[expect(clippy::cast_possible_truncation, reason = "no word is longer than 2^32 bytes")]
    fn search(&self, word: &str, sum: F, places: &mut Vec<Place<F>>) {
        places.clear();
        places.resize(word.len() + 1, Place { score: F::default(), start: NOWHERE, id: UNKNOWN });
        (places[0].start, places[0].score) = (0, sum);
        let mut reached = 0;
        for (start, c) in word.char_indices() {
            let Place { score: mut here, start: before, .. } = places[start];
            if before == NOWHERE {
                continue;
            }
            if here.into() < F::FAR {
                places[start..=reached].iter_mut().for_each(|place| place.score = place.score - here);
                here = F::default();
            }
            let mut relax = |length: usize, id: u32, score: F| {
                reached = reached.max(start + length);
                let (place, sum) = (&mut places[start + length], here + score);
                if place.start == NOWHERE || sum > place.score {
                    *place = Place { score: sum, start: start as u32, id };
                }
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
    }
}

/// The path that leads to the end; `None` if nothing does.
fn follow_back<F: Copy>(places: &[Place<F>], path: &mut Vec<Edge>) -> Option<()> {
    path.clear();
    let mut end = places.len() - 1;
    while end > 0 {
        let Place { start, id, .. } = places[end];
        if start == NOWHERE {
            return None;
        }
        let start = start as usize;
        path.push(Edge { start, end, id });
        end = start;
    }
    Some(())
}
