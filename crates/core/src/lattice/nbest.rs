//! The best few paths, best first: A* from the end to the start (U36).
//!
//! How much a path can still get is known exactly, from Viterbi's algorithm. Which of equal bounds comes first is SentencePiece's choice,
//! and so that of the binary heap of the C++ library (U37).

use super::{Edge, Lattice, Path, Score};

/// An agenda of so many is made smaller, to so few at most, and so many times; and so is a smaller one after so many new partial paths.
const MOST_PARTIALS: usize = 10_000;
const FEW_PARTIALS: usize = 512;
const MOST_SHRINKINGS: usize = 10;
const MOST_NEW: usize = 100_000;
/// After so many partial paths the search is given up.
const MOST_EVER: usize = 500_000;

/// The end of a path.
#[derive(Debug, Clone, Copy)]
struct Partial<F> {
    score: F,
    /// The number of its first edge; none before there is one, and once it is whole.
    edge: Option<usize>,
    /// What follows that edge.
    rest: Option<usize>,
}

/// The best paths, if there are so many.
pub(super) fn nbest<F: Score>(lattice: &Lattice<F>, wanted: usize) -> Vec<Path> {
    let (through, few) = (through(lattice), FEW_PARTIALS.min(wanted.saturating_mul(10)));
    let mut found = Vec::new();
    let mut partials = vec![Partial { score: F::default(), edge: None, rest: None }];
    let (mut agenda, mut shrinkings, mut before) = (Agenda::default(), 0, 0);
    agenda.push(F::default(), 0);
    while found.len() < wanted
        && let Some((bound, number)) = agenda.pop()
    {
        let top = partials[number];
        if let (Some(rest), None) = (top.rest, top.edge) {
            found.push(Path { reversed: reversed(lattice, &partials, rest), score: bound.into() });
            continue;
        }
        let start = top.edge.map_or(lattice.size, |edge| lattice.edges[edge].start);
        let mut put = |bound, partial| {
            agenda.push(bound, partials.len());
            partials.push(partial);
        };
        for edge in lattice.ends.at(start) {
            let score = lattice.scores[edge] + top.score;
            put(through[edge] + top.score, Partial { score, edge: Some(edge), rest: Some(number) });
        }
        if start == 0 {
            put(top.score, Partial { score: top.score, edge: None, rest: Some(number) });
        }
        let size = agenda.heap.len();
        let is_large = size >= MOST_PARTIALS || size > few && partials.len() - before >= MOST_NEW;
        if partials.len() >= MOST_EVER || is_large && shrinkings == MOST_SHRINKINGS {
            // Rounding may make equal what was not, and then the first is taken.
            return vec![traced(lattice, |edge, after| through[edge] + after)];
        }
        if is_large {
            agenda = agenda.shrunk(few);
            (shrinkings, before) = (shrinkings + 1, partials.len());
        }
    }
    found
}

/// The edges of a whole path, from its end.
fn reversed<F: Score>(lattice: &Lattice<F>, partials: &[Partial<F>], first: usize) -> Vec<Edge> {
    let chain = std::iter::successors(Some(first), |&number| partials[number].rest);
    let mut edges: Vec<Edge> = chain.filter_map(|number| Some(lattice.edges[partials[number].edge?])).collect();
    edges.reverse();
    edges
}

/// The score of the best path from the start through each edge, to its end.
pub(super) fn through<F: Score>(lattice: &Lattice<F>) -> Vec<F> {
    let mut reached = vec![None; lattice.size + 1];
    reached[0] = Some(F::default());
    let edges = lattice.edges.iter().zip(&lattice.scores);
    let sums = edges.map(|(edge, &score)| {
        let sum = reached[edge.start].unwrap_or_default() + score;
        if reached[edge.end].is_none_or(|best| sum > best) {
            reached[edge.end] = Some(sum);
        }
        sum
    });
    sums.collect()
}

/// The best path, of equal ones that whose last edge begins first.
pub(super) fn best<F: Score>(lattice: &Lattice<F>, through: &[F]) -> Path {
    traced(lattice, |edge, _| through[edge])
}

/// The path from the end whose edges give the highest sums, the first of equal ones, which get an edge and the score of what follows.
fn traced<F: Score>(lattice: &Lattice<F>, sum: impl Fn(usize, F) -> F) -> Path {
    let (mut reversed, mut end) = (Vec::new(), lattice.size);
    let (mut score, mut after) = (F::default(), F::default());
    while end > 0 {
        let ending = lattice.ends.at(end).map(|edge| (edge, sum(edge, after)));
        let Some((edge, highest)) = ending.reduce(|one, other| if other.1 > one.1 { other } else { one }) else {
            unreachable!("a path leads to where an edge begins")
        };
        if reversed.is_empty() {
            score = highest;
        }
        reversed.push(lattice.edges[edge]);
        (end, after) = (lattice.edges[edge].start, lattice.scores[edge]);
    }
    Path { reversed, score: score.into() }
}

/// The partial path of the highest bound, again and again: bounds, and numbers of partial paths.
#[derive(Debug)]
struct Agenda<F> {
    heap: Vec<(F, usize)>,
}

impl<F> Default for Agenda<F> {
    fn default() -> Self {
        Self { heap: Vec::new() }
    }
}

impl<F: Score> Agenda<F> {
    fn push(&mut self, bound: F, number: usize) {
        self.heap.push((bound, number));
        self.rise(self.heap.len() - 1, (bound, number));
    }

    /// Takes out the first: what is below it moves up to the bottom, and the last rises from there.
    fn pop(&mut self) -> Option<(F, usize)> {
        let last = self.heap.pop()?;
        let Some(&top) = self.heap.first() else { return Some(last) };
        let mut place = 0;
        while let Some(&(first, _)) = self.heap.get(2 * place + 1) {
            let is_second = self.heap.get(2 * place + 2).is_some_and(|&(second, _)| second >= first);
            let below = 2 * place + 1 + usize::from(is_second);
            self.heap[place] = self.heap[below];
            place = below;
        }
        self.rise(place, last);
        Some(top)
    }

    /// Puts an entry at a free place, or above it.
    fn rise(&mut self, mut place: usize, entry: (F, usize)) {
        while place > 0 && self.heap[(place - 1) / 2].0 < entry.0 {
            self.heap[place] = self.heap[(place - 1) / 2];
            place = (place - 1) / 2;
        }
        self.heap[place] = entry;
    }

    /// An agenda of the first ones alone.
    fn shrunk(mut self, size: usize) -> Self {
        let mut smaller = Self::default();
        for (bound, number) in std::iter::from_fn(|| self.pop()).take(size) {
            smaller.push(bound, number);
        }
        smaller
    }
}
