//! Expectation and maximization (U16 to U18), and what is lost without a piece (U19 of `spec/unigram.md`).

use std::ops::Range;
use std::sync::Mutex;

use super::floats::{HALF, Number, Scaled, exp_digamma, from_units, ln, units};
use super::lattice::Lattice;
use super::pieces::Pieces;
use super::stretches::Corpus;
use crate::error::Result;
use crate::learn::{Tell, Threads};

/// How many symbols, about, or pieces are looked at in one go.
const SHARD: usize = 1 << 16;

/// How often each piece is expected, and what the log-likelihood is less by, in units.
pub(super) struct Expected {
    pub(super) counts: Vec<u128>,
    pub(super) missing: u128,
}

/// The stretches, in parts of about the same size.
pub(super) fn shards(corpus: &Corpus) -> Vec<Range<usize>> {
    let mut shards = Vec::new();
    let mut first = 0;
    while first < corpus.len() {
        let start = corpus.range(first).start;
        let last = corpus.stretch_at((start + SHARD).min(corpus.range(corpus.len() - 1).end));
        shards.push(first..last + 1);
        first = last + 1;
    }
    shards
}

/// Counts how often each piece is expected.
pub(super) fn expect(
    corpus: &Corpus,
    shards: &[Range<usize>],
    pieces: &Pieces,
    threads: Threads<'_>,
    tell: Tell<'_>,
) -> Result<Expected> {
    let whole = Mutex::new(Expected { counts: vec![0; pieces.len()], missing: 0 });
    threads.share(shards.len(), tell, &|next| {
        let mut own = Worker::new(pieces);
        while let Some(shard) = next() {
            shards[shard].clone().for_each(|stretch| own.add(corpus, stretch));
        }
        own.expected.add_to(&mut whole.lock().expect("no thread panicked"));
    })?;
    Ok(whole.into_inner().expect("no thread panicked"))
}

impl Expected {
    fn add_to(&self, whole: &mut Self) {
        whole.missing += self.missing;
        whole.counts.iter_mut().zip(&self.counts).for_each(|(sum, count)| *sum += count);
    }
}

/// What a thread works with.
struct Worker<'p> {
    pieces: &'p Pieces,
    short: Lattice<f64>,
    long: Lattice<Scaled>,
    expected: Expected,
}

impl<'p> Worker<'p> {
    fn new(pieces: &'p Pieces) -> Self {
        let expected = Expected { counts: vec![0; pieces.len()], missing: 0 };
        Self { pieces, short: Lattice::new(), long: Lattice::new(), expected }
    }

    fn add(&mut self, corpus: &Corpus, stretch: usize) {
        let (text, count) = (&corpus.text[corpus.range(stretch)], corpus.counts[stretch] as f64);
        let Expected { counts, missing } = &mut self.expected;
        let emit = |piece: u32, share| counts[piece as usize] += units(share);
        let log = if let Some(sum) = self.short.forward(text, self.pieces, None) {
            self.short.backward(text, self.pieces, count, emit);
            ln(sum)
        } else {
            let sum = self.long.forward(text, self.pieces, None).expect("no sum is too small");
            self.long.backward(text, self.pieces, count, emit);
            ln(sum)
        };
        *missing += units(count * (-log).max(0.0));
    }
}

/// Makes probabilities of the counts.
pub(super) fn maximize(pieces: &mut Pieces, counts: &[u128], plain: bool) {
    let own = |count: u128| count.max(HALF);
    let whole: u128 = counts.iter().copied().map(own).sum();
    let weight = |count: u128| if plain { count as f64 } else { exp_digamma(from_units(count)) };
    let all = weight(whole);
    pieces.probabilities = counts.iter().map(|&count| weight(own(count)) / all).collect();
}

/// What the log-likelihood loses if a piece is spelled by others; nothing for the characters, which nothing else spells.
pub(super) fn losses(pieces: &Pieces, counts: &[u128], threads: Threads<'_>, tell: Tell<'_>) -> Result<Vec<f64>> {
    let whole = Mutex::new(vec![0.0; pieces.len()]);
    threads.share(pieces.len().div_ceil(SHARD), tell, &|next| {
        let (mut short, mut long) = (Lattice::<f64>::new(), Lattice::<Scaled>::new());
        while let Some(shard) = next() {
            let first = shard * SHARD;
            let range = first..(first + SHARD).min(pieces.len());
            let loss = |piece| {
                if pieces.is_character(piece) { 0.0 } else { loss(pieces, piece, counts[piece], &mut short, &mut long) }
            };
            let part: Vec<f64> = range.clone().map(loss).collect();
            whole.lock().expect("no thread panicked")[range].copy_from_slice(&part);
        }
    })?;
    Ok(whole.into_inner().expect("no thread panicked"))
}

fn loss(pieces: &Pieces, piece: usize, count: u128, short: &mut Lattice<f64>, long: &mut Lattice<Scaled>) -> f64 {
    let (text, probability) = (pieces.text(piece), pieces.probabilities[piece]);
    let without = u32::try_from(piece).ok();
    let ratio = if let Some(others) = short.forward(text, pieces, without) {
        ln(probability / others)
    } else {
        let others = long.forward(text, pieces, without).expect("no sum is too small");
        ln(Scaled::of(probability) / others)
    };
    from_units(count) * ratio
}
