//! Expectation maximization (U16 to U18), and the loss of removing a piece (U19 of `spec/unigram.md`).

use std::ops::Range;
use std::sync::Mutex;

use super::floats::{HALF, exp_digamma, from_units, units};
use super::lattice::Lattice;
use super::pieces::Pieces;
use super::segments::Corpus;
use crate::error::Result;
use crate::learn::{TaskProgress, TaskQueue, Threads};
use crate::numbers::floats::{Scaled, ln};

/// The number of symbols (approximately) or pieces in a task.
const SHARD: usize = 1 << 16;

/// The expected count of each piece, and the negative log-likelihood, in units.
pub(super) struct Expected {
    pub(super) counts: Vec<u128>,
    pub(super) negative_log_likelihood: u128,
}

/// Returns ranges of segments of about equal numbers of symbols.
pub(super) fn shards(corpus: &Corpus) -> Vec<Range<usize>> {
    let mut shards = Vec::new();
    let mut first = 0;
    for next in 1..=corpus.len() {
        if next == corpus.len() || corpus.range(first).start + SHARD <= corpus.range(next - 1).end {
            shards.push(first..next);
            first = next;
        }
    }
    shards
}

/// Computes the expected count of each piece by the forward-backward algorithm; linear in the number of lattice edges.
pub(super) fn expect(
    corpus: &Corpus,
    shards: &[Range<usize>],
    pieces: &Pieces,
    threads: Threads<'_>,
    report: TaskProgress<'_>,
) -> Result<Expected> {
    let none = || Expected { counts: vec![0; pieces.len()], negative_log_likelihood: 0 };
    let whole = Mutex::new(none());
    threads.run_tasks(shards.len(), report, &|queue| {
        let (mut lattices, mut own) = (Lattices::new(pieces), none());
        while let Some(shard) = queue.next_task() {
            shards[shard].clone().for_each(|segment| lattices.add(corpus, segment, &mut own, queue));
        }
        own.add_to(&mut whole.lock().expect("no thread panicked"));
    })?;
    Ok(whole.into_inner().expect("no thread panicked"))
}

impl Expected {
    fn add_to(&self, whole: &mut Self) {
        whole.negative_log_likelihood += self.negative_log_likelihood;
        whole.counts.iter_mut().zip(&self.counts).for_each(|(sum, count)| *sum += count);
    }
}

/// The lattices of a thread: of doubles, and of scaled numbers for segments whose sums are too small.
struct Lattices<'p> {
    pieces: &'p Pieces,
    short: Lattice<f64>,
    long: Lattice<Scaled>,
}

impl<'p> Lattices<'p> {
    fn new(pieces: &'p Pieces) -> Self {
        Self { pieces, short: Lattice::new(), long: Lattice::new() }
    }

    /// Adds the expected counts of a segment.
    fn add(&mut self, corpus: &Corpus, segment: usize, expected: &mut Expected, queue: &mut TaskQueue<'_>) {
        let (text, count) = (&corpus.text[corpus.range(segment)], corpus.counts[segment] as f64);
        let Expected { counts, negative_log_likelihood } = expected;
        let emit = |piece: u32, share| counts[piece as usize] += units(share);
        let log = if let Some(sum) = self.short.forward(text, self.pieces, None, queue) {
            self.short.backward(text, self.pieces, count, queue, emit);
            ln(Scaled::of(sum))
        } else if let Some(sum) = self.long.forward(text, self.pieces, None, queue) {
            self.long.backward(text, self.pieces, count, queue, emit);
            ln(sum)
        } else {
            return;
        };
        *negative_log_likelihood += units(count * (-log).max(0.0));
    }

    /// Returns the loss of a piece, whose text the other pieces segment.
    fn loss(&mut self, piece: usize, count: u128, queue: &mut TaskQueue<'_>) -> f64 {
        let Self { pieces, short, long } = self;
        let (text, probability, without) = (pieces.text(piece), pieces.probabilities[piece], u32::try_from(piece).ok());
        let ratio = if !pieces.is_removable(piece) {
            return 0.0;
        } else if let Some(others) = short.forward(text, pieces, without, queue) {
            ln(Scaled::of(probability / others))
        } else if let Some(others) = long.forward(text, pieces, without, queue) {
            ln(Scaled::of(probability) / others)
        } else {
            return 0.0;
        };
        from_units(count) * ratio
    }
}

/// Sets probabilities from expected counts (the M step): with a sparse prior, or without one if `plain` (U17, U18).
///
/// Fixed probabilities stay; their counts are part of the sum (U51).
pub(super) fn maximize(pieces: &mut Pieces, counts: &[u128], plain: bool) {
    let own = |piece: usize| if pieces.is_fixed(piece) { counts[piece] } else { counts[piece].max(HALF) };
    let whole: u128 = (0..counts.len()).map(own).sum();
    let weight = |count: u128| if plain { count as f64 } else { exp_digamma(from_units(count)) };
    let all = weight(whole);
    let new = |piece| if pieces.is_fixed(piece) { pieces.probabilities[piece] } else { weight(own(piece)) / all };
    pieces.probabilities = (0..counts.len()).map(new).collect();
}

/// Returns the log-likelihood that the removal of each piece costs.
///
/// Fixed pieces and characters cost nothing, because they are never removed.
pub(super) fn losses(
    pieces: &Pieces,
    counts: &[u128],
    threads: Threads<'_>,
    report: TaskProgress<'_>,
) -> Result<Vec<f64>> {
    let whole = Mutex::new(vec![0.0; pieces.len()]);
    threads.run_tasks(pieces.len().div_ceil(SHARD), report, &|queue| {
        let mut lattices = Lattices::new(pieces);
        while let Some(shard) = queue.next_task() {
            let first = shard * SHARD;
            let range = first..(first + SHARD).min(pieces.len());
            let part: Vec<f64> = range.clone().map(|piece| lattices.loss(piece, counts[piece], queue)).collect();
            whole.lock().expect("no thread panicked")[range].copy_from_slice(&part);
        }
    })?;
    Ok(whole.into_inner().expect("no thread panicked"))
}
