//! The n-best list: A* search from the end of the word to its start (U36).
//!
//! The best score of the rest of a path is known exactly from Viterbi's algorithm, so paths are found best first. The
//! order of equal bounds is that of SentencePiece, and so of its binary heap (`std::priority_queue`; U37). At most
//! [`MAX_TOTAL_PARTIALS`] partial paths are created.

use super::{Edge, Lattice, LatticePath};
use crate::memory::{Growable, filled, with_room};

/// The number of partial paths in the agenda at which it is shrunk.
const MAX_AGENDA: usize = 10_000;
/// The maximum number of partial paths after that.
const SHRUNK_AGENDA: usize = 512;
/// The maximum number of times that the agenda is shrunk.
const MAX_SHRINKINGS: usize = 10;
/// The number of new partial paths after which a smaller agenda is shrunk too.
const MAX_NEW_PARTIALS: usize = 100_000;
/// The number of partial paths after which the search ends with the best path alone.
const MAX_TOTAL_PARTIALS: usize = 500_000;

/// A partial path: a suffix of a segmentation.
#[derive(Debug, Clone, Copy)]
struct Partial {
    score: f64,
    /// The index of its first edge; `None` for the empty suffix and for a complete path.
    edge: Option<usize>,
    /// The partial path after that edge.
    rest: Option<usize>,
}

impl Lattice {
    /// Returns the `wanted` best paths, or fewer if there are fewer.
    pub(crate) fn nbest(&self, wanted: usize) -> Vec<LatticePath> {
        let (best_scores, few) = (best_scores(self), SHRUNK_AGENDA.min(wanted.saturating_mul(10)));
        let mut found = Vec::new();
        let mut partials = vec![Partial { score: 0.0, edge: None, rest: None }];
        let (mut agenda, mut shrinkings, mut before) = (Agenda::default(), 0, 0);
        agenda.push(0.0, 0);
        while found.len() < wanted
            && let Some((bound, index)) = agenda.pop()
        {
            let top = partials[index];
            if let (Some(rest), None) = (top.rest, top.edge) {
                found.push(LatticePath { reversed: reversed(self, &partials, rest), score: bound });
                continue;
            }
            let start = top.edge.map_or(self.size, |edge| self.edges[edge].start);
            let mut put = |bound, partial| {
                agenda.push(bound, partials.len());
                partials.push(partial);
            };
            for edge in self.ends.at(start) {
                let score = self.add(self.scores[edge], top.score);
                put(self.add(best_scores[edge], top.score), Partial { score, edge: Some(edge), rest: Some(index) });
            }
            if start == 0 {
                put(top.score, Partial { score: top.score, edge: None, rest: Some(index) });
            }
            let size = agenda.heap.len();
            let is_large = size >= MAX_AGENDA || size > few && partials.len() - before >= MAX_NEW_PARTIALS;
            if partials.len() >= MAX_TOTAL_PARTIALS || is_large && shrinkings == MAX_SHRINKINGS {
                // Rounding may make different sums equal; then the first one is taken.
                return vec![trace(self, |edge, after| self.add(best_scores[edge], after))];
            }
            if is_large {
                agenda = agenda.shrink(few);
                (shrinkings, before) = (shrinkings + 1, partials.len());
            }
        }
        found
    }

    /// Returns the best path, by Viterbi's algorithm; among equal ones that with the longer last edge.
    pub(crate) fn best(&self) -> LatticePath {
        let best_scores = best_scores(self);
        trace(self, |edge, _| best_scores[edge])
    }
}

/// Returns the edges of a complete path in reverse order.
fn reversed(lattice: &Lattice, partials: &[Partial], first: usize) -> Vec<Edge> {
    let chain = std::iter::successors(Some(first), |&index| partials[index].rest);
    let mut edges: Vec<Edge> = chain.filter_map(|index| Some(lattice.edges[partials[index].edge?])).collect();
    edges.reverse();
    edges
}

/// Returns for each edge the best score of a path from the start that ends with it.
fn best_scores(lattice: &Lattice) -> Vec<f64> {
    let mut reached = filled(None, lattice.size + 1);
    reached[0] = Some(0.0);
    let edges = lattice.edges.iter().zip(&lattice.scores);
    let mut sums = with_room(lattice.edges.len());
    sums.extend(edges.map(|(edge, &score)| {
        let sum = lattice.add(reached[edge.start].unwrap_or_default(), score);
        if reached[edge.end].is_none_or(|best| sum > best) {
            reached[edge.end] = Some(sum);
        }
        sum
    }));
    sums
}

/// Returns the path that takes the edge with the highest `sum` at each step from the end.
///
/// The first of equal edges is taken. `sum` receives an edge and the score of the edge after it.
fn trace(lattice: &Lattice, sum: impl Fn(usize, f64) -> f64) -> LatticePath {
    let (mut reversed, mut end) = (Vec::new(), lattice.size);
    let (mut score, mut after) = (0.0, 0.0);
    while end > 0 {
        let ending = lattice.ends.at(end).map(|edge| (edge, sum(edge, after)));
        let Some((edge, highest)) = ending.reduce(|one, other| if other.1 > one.1 { other } else { one }) else {
            unreachable!("a path leads to where an edge begins")
        };
        if reversed.is_empty() {
            score = highest;
        }
        reversed.make_room(1);
        reversed.push(lattice.edges[edge]);
        (end, after) = (lattice.edges[edge].start, lattice.scores[edge]);
    }
    LatticePath { reversed, score }
}

/// A priority queue (binary heap) of bounds and indices of partial paths.
#[derive(Debug, Default)]
struct Agenda {
    heap: Vec<(f64, usize)>,
}

impl Agenda {
    /// Adds a partial path with its bound.
    fn push(&mut self, bound: f64, index: usize) {
        self.heap.push((bound, index));
        self.sift_up(self.heap.len() - 1, (bound, index));
    }

    /// Removes and returns the first entry: moves the hole to the bottom, and sifts the last entry up from there.
    fn pop(&mut self) -> Option<(f64, usize)> {
        let last = self.heap.pop()?;
        let Some(&top) = self.heap.first() else { return Some(last) };
        let mut place = 0;
        while let Some(&(first, _)) = self.heap.get(2 * place + 1) {
            let is_second = self.heap.get(2 * place + 2).is_some_and(|&(second, _)| second >= first);
            let below = 2 * place + 1 + usize::from(is_second);
            self.heap[place] = self.heap[below];
            place = below;
        }
        self.sift_up(place, last);
        Some(top)
    }

    /// Moves an entry up from a free position.
    fn sift_up(&mut self, mut place: usize, entry: (f64, usize)) {
        while place > 0 && self.heap[(place - 1) / 2].0 < entry.0 {
            self.heap[place] = self.heap[(place - 1) / 2];
            place = (place - 1) / 2;
        }
        self.heap[place] = entry;
    }

    /// Returns an agenda of the first `size` entries.
    fn shrink(mut self, size: usize) -> Self {
        let mut smaller = Self::default();
        for (bound, index) in std::iter::from_fn(|| self.pop()).take(size) {
            smaller.push(bound, index);
        }
        smaller
    }
}
