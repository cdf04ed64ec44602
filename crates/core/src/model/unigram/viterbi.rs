//! The likeliest path through the pieces of a word.
//!
//! From the left, each place is reached by the piece that brings the most; of equal ones the first that came, which is the longest. The
//! cost is linear in the text, times the pieces that begin at one place.

use std::ops::{Add, Sub};

use crate::trie::Trie;

/// Where no piece of one character begins, an edge of this id stands for it.
pub(super) const UNKNOWN: u32 = u32::MAX;
/// The start of what leads to a place that nothing has reached.
const NOWHERE: u32 = u32::MAX;

/// A score: it adds up as its bits allow.
pub(super) trait Score: Copy + PartialOrd + Add<Output = Self> + Sub<Output = Self> + Default {
    /// Whether SentencePiece begins to count from 0 again, lest a long text have no digits left.
    fn is_far(self) -> bool;
}

impl Score for f32 {
    fn is_far(self) -> bool {
        self < -100_000.0
    }
}

impl Score for f64 {
    fn is_far(self) -> bool {
        false
    }
}

/// What is best to reach a byte of the word.
#[derive(Debug, Clone, Copy)]
struct Place<F> {
    score: F,
    /// The first byte of the last piece, and its id.
    start: u32,
    id: u32,
}

/// A piece at its place: its bytes and its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) id: u32,
}

/// The working memory of the search.
#[derive(Debug, Default)]
pub struct Paths {
    singles: Vec<Place<f32>>,
    doubles: Vec<Place<f64>>,
    /// The best path, from its end.
    pub(super) reversed: Vec<Edge>,
}

impl Paths {
    /// The most that any part has room for.
    pub(crate) fn capacity(&self) -> usize {
        self.singles.capacity().max(self.doubles.capacity()).max(self.reversed.capacity())
    }

    pub(super) fn single(&mut self, pieces: &Pieces<'_, f32>, word: &str) -> Option<()> {
        pieces.search(word, &mut self.singles);
        follow_back(&self.singles, &mut self.reversed)
    }

    pub(super) fn double(&mut self, pieces: &Pieces<'_, f64>, word: &str) -> Option<()> {
        pieces.search(word, &mut self.doubles);
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

impl<F: Score> Pieces<'_, F> {
    #[expect(clippy::cast_possible_truncation, reason = "no word is longer than 2^32 bytes")]
    fn search(&self, word: &str, places: &mut Vec<Place<F>>) {
        places.clear();
        places.resize(word.len() + 1, Place { score: F::default(), start: NOWHERE, id: UNKNOWN });
        places[0].start = 0;
        let mut reached = 0;
        for (start, c) in word.char_indices() {
            let Place { score: mut here, start: before, .. } = places[start];
            if before == NOWHERE {
                continue;
            }
            if here.is_far() {
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
