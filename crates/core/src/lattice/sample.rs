//! The sum over all paths, and paths by chance (U38, U39).

use super::{Edge, Lattice, Score};
use crate::chance::Generator;
use crate::floats::{Scaled, exp, ln};

/// The logarithm of the sum over all paths.
pub(super) fn log_probability<F: Score>(lattice: &Lattice<F>) -> f64 {
    ln(forward(lattice, 1.0)[lattice.size])
}

/// A path, drawn from its end.
pub(super) fn sample<F: Score>(lattice: &Lattice<F>, alpha: f64, generator: &mut Generator) -> Vec<Edge> {
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
