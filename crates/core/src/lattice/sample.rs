//! The sum over all paths (the forward algorithm), and sampling of paths (U38, U39, U48).

use super::{Edge, Lattice, LatticePath};
use crate::memory::{Growable, filled};
use crate::numbers::floats::{Scaled, exp, ln};
use crate::numbers::random::Generator;

/// The settings and the random numbers of sampling.
#[derive(Debug)]
pub(crate) struct Sampling {
    alpha: f64,
    nbest_size: Option<usize>,
    generator: Generator,
}

impl Sampling {
    /// Returns the sampling for one input of a call with this seed. A path is drawn with its probability to the power
    /// of `alpha`, from all paths or from the `nbest_size` best.
    pub(crate) fn new(alpha: f64, nbest_size: Option<usize>, seed: u64, input: u64) -> Self {
        Self { alpha, nbest_size, generator: Generator::new(seed, input) }
    }
}

impl Lattice {
    /// Returns the natural logarithm of the sum over all paths.
    pub(crate) fn log_probability(&self) -> f64 {
        ln(forward(self, 1.0)[self.size])
    }

    /// Draws a path, in reverse order.
    pub(crate) fn sample(&self, Sampling { alpha, nbest_size, generator }: &mut Sampling) -> Vec<Edge> {
        match *nbest_size {
            Some(size) => sample_from(self.nbest(size), *alpha, generator),
            None => sample_all(self, *alpha, generator),
        }
    }
}

/// Draws one of `paths`.
fn sample_from(paths: Vec<LatticePath>, alpha: f64, generator: &mut Generator) -> Vec<Edge> {
    let weights: Vec<Scaled> = paths.iter().map(|path| exp(alpha * path.score)).collect();
    let threshold = weights.iter().fold(Scaled::ZERO, |sum, &weight| sum + weight) * Scaled::of(generator.fraction());
    let mut cumulative = Scaled::ZERO;
    let is_taken = |weight: &Scaled| {
        cumulative = cumulative + *weight;
        cumulative > threshold
    };
    let taken = weights.iter().position(is_taken).unwrap_or(weights.len() - 1);
    paths.into_iter().nth(taken).map(|path| path.reversed).unwrap_or_default()
}

/// Draws one of all paths, by forward filtering and backward sampling.
fn sample_all(lattice: &Lattice, alpha: f64, generator: &mut Generator) -> Vec<Edge> {
    let sums = forward(lattice, alpha);
    let (mut reversed, mut end) = (Vec::new(), lattice.size);
    while end > 0 {
        let threshold = sums[end] * Scaled::of(generator.fraction());
        let mut cumulative = Scaled::ZERO;
        let (mut ending, mut taken) = (lattice.ends.at(end), None);
        while cumulative <= threshold
            && let Some(index) = ending.next()
        {
            cumulative = cumulative + sums[lattice.edges[index].start] * weight(lattice, index, alpha);
            taken = Some(lattice.edges[index]);
        }
        let Some(edge) = taken else { unreachable!("a path leads to where an edge begins") };
        reversed.make_room(1);
        reversed.push(edge);
        end = edge.start;
    }
    reversed
}

/// Returns for each position the sum over all paths from the start to it.
fn forward(lattice: &Lattice, alpha: f64) -> Vec<Scaled> {
    let mut sums = filled(Scaled::ZERO, lattice.size + 1);
    sums[0] = Scaled::ONE;
    for (index, edge) in lattice.edges.iter().enumerate() {
        sums[edge.end] = sums[edge.end] + sums[edge.start] * weight(lattice, index, alpha);
    }
    sums
}

/// Returns the factor of an edge: its probability to the power of `alpha`.
fn weight(lattice: &Lattice, index: usize, alpha: f64) -> Scaled {
    exp(alpha * lattice.scores[index])
}
