//! The sum over all paths, and paths by chance (U38, U39, U48).

use super::{Edge, Lattice, Path, Score, nbest};
use crate::numbers::chance::Generator;
use crate::numbers::floats::{Scaled, exp, ln};

/// The logarithm of the sum over all paths.
pub(super) fn log_probability<F: Score>(lattice: &Lattice<F>) -> f64 {
    ln(forward(lattice, 1.0)[lattice.size])
}

/// Chance that takes one path or another.
#[derive(Debug)]
pub(crate) struct Sampling {
    alpha: f64,
    nbest_size: Option<usize>,
    generator: Generator,
}

impl Sampling {
    /// Chance that takes each path with its probability to the power of `alpha`, of all or of the best few, for one input of a
    /// call with this seed.
    pub(crate) fn new(alpha: f64, nbest_size: Option<usize>, seed: u64, input: u64) -> Self {
        Self { alpha, nbest_size, generator: Generator::new(seed, input) }
    }
}

/// A path by chance, from its end.
pub(super) fn sample<F: Score>(lattice: &Lattice<F>, sampling: &mut Sampling) -> Vec<Edge> {
    let Sampling { alpha, nbest_size, generator } = sampling;
    match *nbest_size {
        Some(size) => of_best(nbest::nbest(lattice, size), *alpha, generator),
        None => of_all(lattice, *alpha, generator),
    }
}

/// One of these paths.
fn of_best(paths: Vec<Path>, alpha: f64, generator: &mut Generator) -> Vec<Edge> {
    let weights: Vec<Scaled> = paths.iter().map(|path| exp(alpha * path.score)).collect();
    let drawn = weights.iter().fold(Scaled::ZERO, |sum, &weight| sum + weight) * Scaled::of(generator.fraction());
    let mut passed = Scaled::ZERO;
    let is_taken = |weight: &Scaled| {
        passed = passed + *weight;
        passed > drawn
    };
    let taken = weights.iter().position(is_taken).unwrap_or(weights.len() - 1);
    paths.into_iter().nth(taken).map(|path| path.reversed).unwrap_or_default()
}

/// A path of all, drawn from its end.
fn of_all<F: Score>(lattice: &Lattice<F>, alpha: f64, generator: &mut Generator) -> Vec<Edge> {
    let sums = forward(lattice, alpha);
    let (mut reversed, mut end) = (Vec::new(), lattice.size);
    while end > 0 {
        let drawn = sums[end] * Scaled::of(generator.fraction());
        let mut passed = Scaled::ZERO;
        let (mut ending, mut taken) = (lattice.ends.at(end), None);
        while passed <= drawn
            && let Some(number) = ending.next()
        {
            passed = passed + sums[lattice.edges[number].start] * weight(lattice, number, alpha);
            taken = Some(lattice.edges[number]);
        }
        let Some(edge) = taken else { unreachable!("a path leads to where an edge begins") };
        reversed.push(edge);
        end = edge.start;
    }
    reversed
}

/// The sum over all paths to each place.
fn forward<F: Score>(lattice: &Lattice<F>, alpha: f64) -> Vec<Scaled> {
    let mut sums = vec![Scaled::ZERO; lattice.size + 1];
    sums[0] = Scaled::ONE;
    for (number, edge) in lattice.edges.iter().enumerate() {
        sums[edge.end] = sums[edge.end] + sums[edge.start] * weight(lattice, number, alpha);
    }
    sums
}

/// What an edge multiplies a path by.
fn weight<F: Score>(lattice: &Lattice<F>, number: usize, alpha: f64) -> Scaled {
    exp(alpha * lattice.scores[number].into())
}
