//! The forward-backward algorithm over all segmentations of a segment (U16 of `spec/unigram.md`).

use std::ops::Range;

use super::floats::Number;
use super::pieces::Pieces;
use super::segments::Symbol;
use crate::learn::TaskQueue;

/// The number of positions whose edges are in memory at once.
const BLOCK: usize = 1 << 12;

/// The edges of a block of positions.
#[derive(Default)]
struct Edges {
    /// The piece of each edge and its length.
    edges: Vec<(u32, u32)>,
    /// The index of the first edge of each position, and the number of all.
    starts: Vec<usize>,
    /// The first of the positions.
    first: usize,
}

impl Edges {
    /// Finds the edges that begin at these positions, except those of one piece.
    fn find(&mut self, text: &[Symbol], pieces: &Pieces, places: Range<usize>, without: Option<u32>) {
        self.first = places.start;
        self.edges.clear();
        self.starts.clear();
        for place in places {
            self.starts.push(self.edges.len());
            pieces.trie.each(&text[place..], |piece, length| {
                if Some(piece) != without {
                    self.edges.push((piece, length));
                }
            });
        }
        self.starts.push(self.edges.len());
    }

    fn at(&self, place: usize) -> &[(u32, u32)] {
        let place = place - self.first;
        &self.edges[self.starts[place]..self.starts[place + 1]]
    }
}

/// The working memory of a thread; `N` is the number type of sums over paths.
pub(super) struct Lattice<N> {
    edges: Edges,
    /// The sums over all paths from the start to each position.
    sums: Vec<N>,
    /// The expected number of paths through each position, divided by its sum.
    ratios: Vec<N>,
}

impl<N: Number> Lattice<N> {
    pub(super) fn new() -> Self {
        Self { edges: Edges::default(), sums: Vec::new(), ratios: Vec::new() }
    }

    /// Returns the probability of a text: the sum over all paths, except those with the piece `without`.
    ///
    /// `None` if sums are too small for this number type, or the callback ends the training.
    pub(super) fn forward(
        &mut self,
        text: &[Symbol],
        pieces: &Pieces,
        without: Option<u32>,
        queue: &mut TaskQueue<'_>,
    ) -> Option<N> {
        let (zero, one) = (N::of(0.0), N::of(1.0));
        self.sums.clear();
        self.sums.resize(text.len() + 1, zero);
        self.sums[0] = one;
        for block in blocks(text.len()) {
            if polls_callback(&block) && !queue.should_continue() {
                return None;
            }
            self.edges.find(text, pieces, block.clone(), without);
            for place in block {
                let sum = self.sums[place];
                if !sum.is_safe() {
                    return None;
                }
                for &(piece, length) in self.edges.at(place) {
                    let end = &mut self.sums[place + length as usize];
                    *end = *end + sum * N::of(pieces.probabilities[piece as usize]);
                }
            }
        }
        self.sums.last().copied().filter(|sum| sum.is_safe())
    }

    /// Distributes a count among the edges: calls `emit` with each piece and its share.
    ///
    /// Requires [`Self::forward`] over the same text with all pieces. It stops early if the callback ends the training.
    pub(super) fn backward(
        &mut self,
        text: &[Symbol],
        pieces: &Pieces,
        count: f64,
        queue: &mut TaskQueue<'_>,
        mut emit: impl FnMut(u32, f64),
    ) {
        self.ratios.clear();
        self.ratios.resize(text.len() + 1, N::of(0.0));
        self.ratios[text.len()] = N::of(count) / self.sums[text.len()];
        let last = blocks(text.len()).next_back();
        for block in blocks(text.len()).rev() {
            if polls_callback(&block) && !queue.should_continue() {
                return;
            }
            if Some(&block) != last.as_ref() {
                self.edges.find(text, pieces, block.clone(), None);
            }
            for place in block.rev() {
                let (sum, mut passing) = (self.sums[place], 0.0);
                for &(piece, length) in self.edges.at(place).iter().rev() {
                    let probability = N::of(pieces.probabilities[piece as usize]);
                    let share = (sum * probability * self.ratios[place + length as usize]).float();
                    passing += share;
                    emit(piece, share);
                }
                self.ratios[place] = N::of(passing) / sum;
            }
        }
    }
}

/// Returns whether a text is so long that the callback must be called at this block.
fn polls_callback(block: &Range<usize>) -> bool {
    block.start > 0
}

fn blocks(length: usize) -> impl DoubleEndedIterator<Item = Range<usize>> {
    (0..length.div_ceil(BLOCK)).map(move |block| block * BLOCK..((block + 1) * BLOCK).min(length))
}
