//! The lattice of all segmentations of a word: n-best list, sampling, sum (`spec/unigram.md`, sections 1 and 4).
//!
//! It depends on no model: the caller provides the pieces that begin at a position, and their scores. `nbest` finds the
//! best paths; `sample` draws a path and sums over all paths.

mod nbest;
mod sample;

use crate::memory::{Growable, copied, filled};
use crate::numbers::floats::to_single;
use crate::stop::Work;
pub(crate) use sample::Sampling;

/// The id of an edge for an unknown character.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// A piece at a position: its byte range in the word, and its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) id: u32,
}

/// A segmentation in reverse order, and its score.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LatticePath {
    pub(crate) reversed: Vec<Edge>,
    pub(crate) score: f64,
}

/// The reachable edges of a word, ordered by start, then by end.
#[derive(Debug)]
pub(crate) struct Lattice {
    /// The length of the word in bytes.
    size: usize,
    edges: Vec<Edge>,
    /// The scores of the edges (natural logarithms of probabilities).
    scores: Vec<f64>,
    ends: Ends,
    /// Whether sums of scores are rounded to 32 bits.
    rounds_to_f32: bool,
}

impl Lattice {
    /// Returns the lattice of a word, or `None` if no path leads to its end.
    ///
    /// With `rounds_to_f32`, scores are numbers of 32 bits, and so are their sums.
    /// For each reachable position, `pieces_at` passes the length in bytes, the id and the score of each piece that begins
    /// there to its second argument, the shortest first. With `unknown` there is an edge of this score for each
    /// character that is no piece. The cost is linear in the word's bytes and the edges.
    pub(crate) fn new(
        word: &str,
        unknown: Option<f64>,
        rounds_to_f32: bool,
        mut pieces_at: impl FnMut(usize, &mut dyn FnMut(usize, u32, f64)),
    ) -> Option<Self> {
        let (mut edges, mut scores) = (Vec::new(), Vec::new());
        let mut reached = filled(false, word.len() + 1);
        reached[0] = true;
        let mut work = Work::default();
        for (start, c) in word.char_indices() {
            work.add(1);
            if !reached[start] {
                continue;
            }
            let (first, end) = (edges.len(), start + c.len_utf8());
            pieces_at(start, &mut |bytes, id, score| {
                edges.make_room(1);
                edges.push(Edge { start, end: start + bytes, id });
                scores.make_room(1);
                scores.push(score);
            });
            if let Some(unknown) = unknown.filter(|_| edges.get(first).is_none_or(|edge| edge.end != end)) {
                edges.make_room(1);
                edges.insert(first, Edge { start, end, id: UNKNOWN });
                scores.make_room(1);
                scores.insert(first, unknown);
            }
            work.add(edges.len() - first);
            edges[first..].iter().for_each(|edge| reached[edge.end] = true);
        }
        let ends = Ends::new(word.len(), &edges);
        reached[word.len()].then_some(Self { size: word.len(), edges, scores, ends, rounds_to_f32 })
    }

    /// Returns the edges with their scores, in the order of their starts, then of their ends.
    pub(crate) fn scored_edges(&self) -> impl Iterator<Item = (Edge, f64)> {
        self.edges.iter().copied().zip(self.scores.iter().copied())
    }

    /// Returns the sum of two scores.
    fn add(&self, one: f64, other: f64) -> f64 {
        add_scores(one, other, self.rounds_to_f32)
    }
}

/// Returns the sum of two scores, rounded to 32 bits if `rounds_to_f32` is set, as in SentencePiece.
#[inline]
pub(crate) fn add_scores(one: f64, other: f64, rounds_to_f32: bool) -> f64 {
    if rounds_to_f32 { to_single(one + other) } else { one + other }
}

/// The indices of the edges that end at each position, in order.
#[derive(Debug)]
struct Ends {
    /// The index in `indices` of each position's first edge.
    starts: Vec<u32>,
    indices: Vec<u32>,
}

impl Ends {
    /// Sorts the edges by their ends (a counting sort, linear time).
    #[expect(clippy::cast_possible_truncation, reason = "a word under 1 GiB has fewer than 2^32 edges in memory")]
    fn new(size: usize, edges: &[Edge]) -> Self {
        let mut starts = filled(0_u32, size + 2);
        edges.iter().for_each(|edge| starts[edge.end + 1] += 1);
        (1..starts.len()).for_each(|place| starts[place] += starts[place - 1]);
        let (mut indices, mut next) = (filled(0, edges.len()), copied(&starts));
        for (index, edge) in edges.iter().enumerate() {
            let place = &mut next[edge.end];
            indices[*place as usize] = index as u32;
            *place += 1;
        }
        Self { starts, indices }
    }

    /// Returns the indices of the edges that end at a position.
    fn at(&self, place: usize) -> impl Iterator<Item = usize> {
        let range = self.starts[place] as usize..self.starts[place + 1] as usize;
        self.indices[range].iter().map(|&index| index as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lattice of a word over pieces of ASCII letters, whose ids are their indices.
    fn lattice(word: &str, pieces: &[(&str, f64)], unknown: Option<f64>) -> Option<Lattice> {
        Lattice::new(word, unknown, false, |start, each| {
            for end in start + 1..=word.len() {
                if let Some(id) = pieces.iter().position(|&(piece, _)| piece == &word[start..end]) {
                    each(end - start, u32::try_from(id).unwrap(), pieces[id].1);
                }
            }
        })
    }

    fn ends(edges: &[Edge]) -> Vec<usize> {
        edges.iter().rev().map(|edge| edge.end).collect()
    }

    #[test]
    fn equal_paths_prefer_the_longer_edge() {
        let found = lattice("ab", &[("a", -1.0), ("b", -1.0), ("ab", -2.0)], None).unwrap();
        assert_eq!((ends(&found.best().reversed), found.best().score), (vec![2], -2.0));
    }

    #[test]
    fn unknown_edges_where_no_single_character_piece() {
        let pieces = [("a", -1.0), ("bc", -1.0)];
        assert!(lattice("abx", &pieces, None).is_none());
        let found = lattice("abcx", &pieces, Some(-9.0)).unwrap();
        assert_eq!(ends(&found.nbest(1)[0].reversed), [1, 3, 4]);
        let all: Vec<(u32, f64)> = found.scored_edges().map(|(edge, score)| (edge.id, score)).collect();
        assert_eq!(all, [(0, -1.0), (UNKNOWN, -9.0), (1, -1.0), (UNKNOWN, -9.0), (UNKNOWN, -9.0)]);
    }

    #[test]
    fn nbest_is_ordered_and_complete() {
        let found = lattice("aaa", &[("a", -1.0), ("aa", -2.5)], None).unwrap();
        let scores: Vec<f64> = found.nbest(9).iter().map(|path| path.score).collect();
        assert_eq!(scores, [-3.0, -3.5, -3.5]);
        assert!(found.nbest(0).is_empty());
    }

    #[test]
    fn sampling_reaches_all_paths_and_the_sum_covers_them() {
        let found = lattice("aaa", &[("a", -1.0), ("aa", -2.5)], None).unwrap();
        let mut drawn: Vec<_> = (0..50).map(|n| ends(&found.sample(&mut Sampling::new(1.0, None, 0, n)))).collect();
        drawn.sort();
        drawn.dedup();
        assert_eq!(drawn, [vec![1, 2, 3], vec![1, 3], vec![2, 3]]);
        let wanted = libm::log(libm::exp(-3.0) + 2.0 * libm::exp(-3.5));
        assert!((found.log_probability() - wanted).abs() < 1e-12);
        for _ in 0..20 {
            assert_eq!(ends(&found.sample(&mut Sampling::new(1e6, None, 7, 0))), [1, 2, 3]);
        }
    }
}
