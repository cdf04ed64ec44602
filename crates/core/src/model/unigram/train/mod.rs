//! Unigram training: too many pieces to begin with, their probabilities by EM, and the least missed dropped, again and again.
//!
//! * `config`: what a training is told.
//! * `stretches`: words to what is learned from.
//! * `allowed`, `seeds`: the pieces to begin with.
//! * `pieces`: the pieces of a round.
//! * `floats`, `lattice`, `em`: how often each piece is expected, and what is lost without it.
//!
//! The rules are those of `spec/unigram.md`, sections 2 and 3. The result depends on the words, their counts and the settings, on
//! nothing else, and has the same bits with any number of threads.
//!
//! Cost: a step of EM takes time for every place in a word where a piece stands. Memory: with M characters in the different
//! words and K pieces, 20 bytes for each of M while seeds are sought, 4 later; some 150 for each of K, and 16 more of K in each
//! thread. A word of any length is worked on in blocks, at 32 bytes a character. The progress callback is called often, but not while suffixes
//! are sorted, which takes some 0.2 s for a million characters of different words.

mod allowed;
mod config;
mod em;
mod floats;
mod lattice;
mod pieces;
mod seeds;
mod stretches;

use std::cmp::{Ordering, Reverse};
use std::ops::{Range, RangeFrom};

pub use config::TrainerConfig;

pub use crate::learn::{Progress, ProgressCallback, Stage, Threads, UnigramStep};

use crate::error::{Error, Result};
use crate::learn::report;
use crate::numbers::floats::{Scaled, ln};
use floats::{HALF, from_units};
use pieces::Pieces;
use stretches::Corpus;

const PLAIN_STEPS: usize = 2;

/// What a training gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    /// The vocabulary and the scores, by id.
    pub entries: Vec<(String, f64)>,
    /// What was done.
    pub history: Vec<UnigramStep>,
}

/// Trains on words and their counts.
///
/// # Errors
/// [`Error::Config`] for settings that do not fit the words, [`Error::Counts`] where no word is left or the words are too many,
/// [`Error::Overflow`] where a sum does not fit into 64 bits, [`Error::Interrupted`] where the callback ends the training.
pub fn train(
    words: &[(&str, u64)],
    config: &TrainerConfig,
    threads: Threads<'_>,
    callback: ProgressCallback<'_>,
) -> Result<Trained> {
    config.check()?;
    let mut training = Training::new(words, config, threads, callback)?;
    training.shrink(callback)?;
    for _ in 0..PLAIN_STEPS {
        training.step(true, callback)?;
    }
    Ok(Trained { entries: training.entries(), history: training.history })
}

struct Training<'a> {
    config: &'a TrainerConfig,
    threads: Threads<'a>,
    reserved: Vec<String>,
    corpus: Corpus,
    shards: Vec<Range<usize>>,
    /// How many pieces there are to be.
    size: usize,
    pieces: Pieces,
    /// How often each is expected, in units.
    expected: Vec<u128>,
    history: Vec<UnigramStep>,
    /// Steps taken, and steps to take at most.
    steps: [usize; 2],
}

impl<'a> Training<'a> {
    fn new(
        words: &[(&str, u64)],
        config: &'a TrainerConfig,
        threads: Threads<'a>,
        callback: ProgressCallback<'_>,
    ) -> Result<Self> {
        let reserved = config.reserved();
        let corpus = Corpus::new(words, config, callback)?;
        let size = wanted(config, reserved.len(), corpus.alphabet.len())?;
        let seeds = seeds::seeds(&corpus, config, callback)?;
        let largest = corpus.alphabet.len() + seeds.len();
        if size > largest {
            return Err(Error::Config(format!(
                "vocab_size={} is too large: these words have pieces for {} entries at most; lower vocab_size, or raise \
                 seed_size or max_piece_length, or lower min_frequency",
                config.vocab_size,
                reserved.len() + largest
            )));
        }
        let pieces = Pieces::new(&corpus, &seeds);
        let (shards, steps) = (em::shards(&corpus), most_steps(config, pieces.len(), size));
        let (expected, history) = (Vec::new(), Vec::new());
        Ok(Self { config, threads, reserved, corpus, shards, size, pieces, expected, history, steps: [0, steps] })
    }

    /// Takes steps and prunes until the size is reached (U21).
    fn shrink(&mut self, callback: ProgressCallback<'_>) -> Result<()> {
        let target = enough(self.size);
        loop {
            for _ in 0..self.config.em_steps {
                self.step(false, callback)?;
            }
            if self.pieces.len() <= target {
                break;
            }
            self.prune(fewer(self.config, self.pieces.len(), target), callback)?;
        }
        if self.pieces.len() > self.size { self.prune(self.size, callback) } else { Ok(()) }
    }

    fn step(&mut self, plain: bool, callback: ProgressCallback<'_>) -> Result<()> {
        let before = self.pieces.len();
        let (begun, all) = self.progress();
        let mut report = |done| report(callback, Stage::Learning, begun.saturating_add(done), all);
        let expected = em::expect(&self.corpus, &self.shards, &self.pieces, self.threads, &mut report)?;
        self.expected = expected.counts;
        let removed = if plain { Vec::new() } else { self.drop_rare() };
        em::maximize(&mut self.pieces, &self.expected, plain);
        self.steps[0] += 1;
        let log_likelihood = Some(-readable(from_units(expected.missing)));
        self.history.push(UnigramStep { pieces: before, log_likelihood, removed: Some(removed) });
        Ok(())
    }

    /// How many parts of the words were worked on in all steps so far, and how many are to be at most.
    fn progress(&self) -> (usize, usize) {
        let [taken, most] = self.steps.map(|steps| steps.saturating_mul(self.shards.len()));
        (taken, most)
    }

    /// Drops pieces that are expected less than half a time, if enough are left (U17).
    fn drop_rare(&mut self) -> Vec<String> {
        let is_rare = |&piece: &usize| self.expected[piece] < HALF && !self.pieces.is_character(piece);
        let mut rare: Vec<usize> = (0..self.pieces.len()).filter(is_rare).collect();
        let needed = (self.size + rare.len()).saturating_sub(self.pieces.len());
        rare.sort_unstable_by_key(|&piece| (self.expected[piece], Reverse(piece)));
        rare.truncate(rare.len() - needed.min(rare.len()));
        self.remove(&rare)
    }

    /// Removes the pieces that are missed least (U20).
    fn prune(&mut self, size: usize, callback: ProgressCallback<'_>) -> Result<()> {
        let before = self.pieces.len();
        let (begun, all) = self.progress();
        let mut report = |_| report(callback, Stage::Learning, begun, all);
        let losses = em::losses(&self.pieces, &self.expected, self.threads, &mut report)?;
        let mut others: Vec<usize> = (0..before).filter(|&piece| !self.pieces.is_character(piece)).collect();
        others.sort_unstable_by(|&one, &other| by_loss(losses[one], losses[other]).then(other.cmp(&one)));
        others.truncate(before.saturating_sub(size));
        let removed = self.remove(&others);
        self.history.push(UnigramStep { pieces: before, log_likelihood: None, removed: Some(removed) });
        Ok(())
    }

    /// Removes pieces, and gives their names.
    fn remove(&mut self, pieces: &[usize]) -> Vec<String> {
        if pieces.is_empty() {
            return Vec::new();
        }
        let names = pieces.iter().map(|&piece| self.pieces.name(piece, &self.corpus)).collect();
        let mut keep = vec![true; self.pieces.len()];
        pieces.iter().for_each(|&piece| keep[piece] = false);
        let mut kept = keep.iter();
        self.expected.retain(|_| kept.next().is_none_or(|&kept| kept));
        self.pieces.retain(&keep);
        names
    }

    /// The entries by id (U22).
    fn entries(&self) -> Vec<(String, f64)> {
        let probability = |piece: usize| self.pieces.probabilities[piece];
        let mut ranked: Vec<usize> = (0..self.pieces.len()).collect();
        ranked.sort_by(|&one, &other| probability(other).total_cmp(&probability(one)));
        let learned =
            ranked.into_iter().map(|piece| (self.pieces.name(piece, &self.corpus), score(probability(piece))));
        let reserved = |range: RangeFrom<usize>| self.reserved[range].iter().map(|entry| (entry.clone(), 0.0));
        let specials = self.config.special_tokens.len();
        if self.config.special_tokens_first {
            reserved(0..).chain(learned).collect()
        } else {
            reserved(specials..).chain(learned).chain(reserved(0..).take(specials)).collect()
        }
    }
}

/// The score of a probability. With so few digits whoever reads a file gets the same float, `tokenizers` too, which rounds others
/// in its own way.
fn score(probability: f64) -> f64 {
    format!("{:.13}", ln(Scaled::of(probability))).parse().expect("digits are a number")
}

/// A number with as many digits as all that read a file read alike.
fn readable(number: f64) -> f64 {
    format!("{number:.14e}").parse().expect("digits are a number")
}

/// Losses in order; both zeros are the same.
fn by_loss(one: f64, other: f64) -> Ordering {
    one.partial_cmp(&other).expect("losses are numbers")
}

/// How many pieces there are to be (U15).
fn wanted(config: &TrainerConfig, reserved: usize, alphabet: usize) -> Result<usize> {
    match config.vocab_size.checked_sub(reserved).filter(|&size| size >= alphabet) {
        Some(size) => Ok(size),
        None => Err(Error::Config(format!(
            "vocab_size={} is too small: {reserved} special tokens, user-defined symbols and bytes and an alphabet of \
             {alphabet} need at least {}; raise vocab_size, or lower character_coverage",
            config.vocab_size,
            reserved + alphabet
        ))),
    }
}

/// With so few pieces the rounds end.
fn enough(size: usize) -> usize {
    size.max(size.saturating_mul(11) / 10)
}

/// How many pieces a pruning leaves.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a number of pieces is one")]
fn fewer(config: &TrainerConfig, pieces: usize, target: usize) -> usize {
    target.max((config.shrinking_factor * pieces as f64) as usize)
}

/// How many steps of EM it takes if none drops a piece.
fn most_steps(config: &TrainerConfig, mut pieces: usize, size: usize) -> usize {
    let target = enough(size);
    let mut rounds = 1;
    while pieces > target {
        pieces = fewer(config, pieces, target);
        rounds += 1;
    }
    config.em_steps.saturating_mul(rounds).saturating_add(PLAIN_STEPS)
}
