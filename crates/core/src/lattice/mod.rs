//! All segmentations of a word at once: a lattice, and the few things to ask of it (`spec/unigram.md`, sections 1 and 4).
//!
//! It knows no model: one says which pieces begin at a place, and their scores. `nbest` finds the best few paths, `sample` draws one
//! and sums all of them up.

mod nbest;
mod sample;

use std::fmt::Debug;
use std::ops::Add;

pub(crate) use sample::Sampling;

/// The id of an edge for an unknown character.
pub(crate) const UNKNOWN: u32 = u32::MAX;

/// A score: it adds up as its bits allow.
pub(crate) trait Score: Copy + PartialOrd + Add<Output = Self> + Default + Into<f64> + Debug {}

impl Score for f32 {}
impl Score for f64 {}

/// A piece at its place: its bytes and its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) id: u32,
}

/// A segmentation, from its end, and its score.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Path {
    pub(crate) reversed: Vec<Edge>,
    pub(crate) score: f64,
}

/// What there is to ask, however scores are rounded.
pub(crate) trait Segmentations {
    /// The best few, best first.
    fn nbest(&self, wanted: usize) -> Vec<Path>;
    /// One by chance, from its end.
    fn sample(&self, sampling: &mut Sampling) -> Vec<Edge>;
    /// The logarithm of the sum of all probabilities.
    fn log_probability(&self) -> f64;
}

/// The edges of a word that can be reached, by start, then by end.
#[derive(Debug)]
pub(crate) struct Lattice<F> {
    /// The bytes of the word.
    size: usize,
    edges: Vec<Edge>,
    scores: Vec<F>,
    ends: Ends,
}

impl<F: Score> Lattice<F> {
    /// The lattice of a word; `None` if no path leads to its end.
    ///
    /// `fits` calls what it is given with the bytes, the id and the score of each piece that begins at a place, the shortest first. With
    /// `unknown` there is an edge of this score for each character that is no piece.
    pub(crate) fn new(
        word: &str,
        unknown: Option<F>,
        mut fits: impl FnMut(usize, &mut dyn FnMut(usize, u32, F)),
    ) -> Option<Self> {
        let (mut edges, mut scores) = (Vec::new(), Vec::new());
        let mut reached = vec![false; word.len() + 1];
        reached[0] = true;
        for (start, c) in word.char_indices() {
            if !reached[start] {
                continue;
            }
            let (first, end) = (edges.len(), start + c.len_utf8());
            fits(start, &mut |bytes, id, score| {
                edges.push(Edge { start, end: start + bytes, id });
                scores.push(score);
            });
            if let Some(unknown) = unknown.filter(|_| edges.get(first).is_none_or(|edge| edge.end != end)) {
                edges.insert(first, Edge { start, end, id: UNKNOWN });
                scores.insert(first, unknown);
            }
            edges[first..].iter().for_each(|edge| reached[edge.end] = true);
        }
        let ends = Ends::new(word.len(), &edges);
        reached[word.len()].then_some(Self { size: word.len(), edges, scores, ends })
    }

    /// The best path; of equal ones that with the longer edge, from the end.
    pub(crate) fn best(&self) -> Path {
        nbest::best(self, &nbest::through(self))
    }
}

/// The numbers of the edges that end at each place, in their order.
#[derive(Debug)]
struct Ends {
    /// Where those of each place begin in the numbers.
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Ends {
    #[expect(clippy::cast_possible_truncation, reason = "a word under 1 GiB has fewer than 2^32 edges in memory")]
    fn new(size: usize, edges: &[Edge]) -> Self {
        let mut starts = vec![0_u32; size + 2];
        edges.iter().for_each(|edge| starts[edge.end + 1] += 1);
        (1..starts.len()).for_each(|place| starts[place] += starts[place - 1]);
        let (mut numbers, mut next) = (vec![0; edges.len()], starts.clone());
        for (number, edge) in edges.iter().enumerate() {
            let place = &mut next[edge.end];
            numbers[*place as usize] = number as u32;
            *place += 1;
        }
        Self { starts, numbers }
    }

    /// The edges that end at a place.
    fn at(&self, place: usize) -> impl Iterator<Item = usize> {
        let range = self.starts[place] as usize..self.starts[place + 1] as usize;
        self.numbers[range].iter().map(|&number| number as usize)
    }
}

impl<F: Score> Segmentations for Lattice<F> {
    fn nbest(&self, wanted: usize) -> Vec<Path> {
        nbest::nbest(self, wanted)
    }

    fn sample(&self, sampling: &mut Sampling) -> Vec<Edge> {
        sample::sample(self, sampling)
    }

    fn log_probability(&self) -> f64 {
        sample::log_probability(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lattice of a word over pieces of ASCII letters, whose ids are their places.
    fn lattice(word: &str, pieces: &[(&str, f64)], unknown: Option<f64>) -> Option<Lattice<f64>> {
        Lattice::new(word, unknown, |start, each| {
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
    fn of_equal_paths_the_longer_edge_is_taken() {
        let found = lattice("ab", &[("a", -1.0), ("b", -1.0), ("ab", -2.0)], None).unwrap();
        assert_eq!((ends(&found.best().reversed), found.best().score), (vec![2], -2.0));
    }

    #[test]
    fn unknown_characters_have_edges_where_no_piece_does() {
        let pieces = [("a", -1.0), ("bc", -1.0)];
        assert!(lattice("abx", &pieces, None).is_none());
        let found = lattice("abcx", &pieces, Some(-9.0)).unwrap();
        assert_eq!(ends(&found.nbest(1)[0].reversed), [1, 3, 4]);
        let all: Vec<u32> = found.edges.iter().map(|edge| edge.id).collect();
        assert_eq!(all, [0, UNKNOWN, 1, UNKNOWN, UNKNOWN]);
    }

    #[test]
    fn the_best_few_are_in_order_and_all_there_are() {
        let found = lattice("aaa", &[("a", -1.0), ("aa", -2.5)], None).unwrap();
        let scores: Vec<f64> = found.nbest(9).iter().map(|path| path.score).collect();
        assert_eq!(scores, [-3.0, -3.5, -3.5]);
        assert!(found.nbest(0).is_empty());
    }

    #[test]
    fn a_draw_can_be_any_path_and_the_sum_is_that_of_all() {
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
