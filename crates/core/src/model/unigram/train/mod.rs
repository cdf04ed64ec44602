//! Unigram training: starts with many seed pieces, and alternates EM with pruning until the vocabulary size is reached.
//!
//! * `config`: the settings.
//! * `segments`: cuts words into the segments to learn from.
//! * `allowed`, `suffixes`, `seeds`: the seed pieces.
//! * `pieces`: the pieces of a step.
//! * `floats`, `lattice`, `em`: the expected count of each piece, and the loss of its removal.
//!
//! The rules are those of `spec/unigram.md`, sections 2 and 3. The result depends on the words, their counts and the
//! settings, on nothing else, and has the same bits with any number of threads. Source: Kudo 2018, *Subword
//! regularization*.
//!
//! Cost: the time of an EM step is proportional to the occurrences of pieces at all positions of the words. Memory:
//! with M characters in the different words and K pieces, 12 bytes times M while seeds are searched, and in each thread 8
//! times the suffixes with one first character; 4 times M later; about 150 bytes times K, and 16 more times K in each
//! thread. A word of any length is processed in blocks, with 32 bytes a character.

mod allowed;
mod config;
mod em;
mod extend;
mod floats;
mod lattice;
mod pieces;
mod seeds;
mod segments;
mod suffixes;

use std::cmp::{Ordering, Reverse};
use std::ops::Range;

pub use config::UnigramTrainerConfig;
pub use extend::extend;

pub use crate::learn::{Progress, ProgressCallback, Stage, Threads, UnigramRecorder, UnigramStep};

use crate::error::{Error, Message, Result};
use crate::learn::{CountedWords, UnigramTraceStep, report};
use crate::numbers::floats::{Scaled, ln};
use floats::{HALF, from_units};
use pieces::Pieces;
use segments::Corpus;

/// The number of EM steps without a prior, after the last pruning (U18, U21).
const PLAIN_STEPS: usize = 2;

/// The result of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct UnigramTrained {
    /// The vocabulary and the scores, by id.
    pub entries: Vec<(String, f64)>,
    /// The steps of the training.
    pub history: Vec<UnigramStep>,
}

/// Trains on words and their counts.
///
/// With a recorder it records the steps; the result does not depend on it.
///
/// # Errors
///
/// [`Error::Config`] if the settings do not fit the words, [`Error::Counts`] if no word is left or there are too many,
/// [`Error::Overflow`] if a sum does not fit into 64 bits, [`Error::Interrupted`] if the callback ends the training.
pub fn train<'w>(
    words: impl Into<CountedWords<'w>>,
    config: &UnigramTrainerConfig,
    recorder: Option<&mut UnigramRecorder>,
    threads: Threads<'_>,
    callback: ProgressCallback<'_>,
) -> Result<UnigramTrained> {
    config.check()?;
    let mut training = Training::new(&words.into(), config, recorder, threads, callback)?;
    training.run(callback)?;
    Ok(UnigramTrained { entries: training.entries(), history: training.history })
}

struct Training<'a> {
    config: &'a UnigramTrainerConfig,
    threads: Threads<'a>,
    corpus: Corpus,
    shards: Vec<Range<usize>>,
    /// The number of pieces to reach, fixed ones included.
    size: usize,
    pieces: Pieces,
    /// The expected count of each piece, in units.
    expected: Vec<u128>,
    history: Vec<UnigramStep>,
    /// The number of EM steps so far, and the largest number.
    steps: [usize; 2],
    recorder: Option<&'a mut UnigramRecorder>,
}

impl<'a> Training<'a> {
    fn new(
        words: &CountedWords<'_>,
        config: &'a UnigramTrainerConfig,
        recorder: Option<&'a mut UnigramRecorder>,
        threads: Threads<'a>,
        callback: ProgressCallback<'_>,
    ) -> Result<Self> {
        let reserved = config.reserved();
        let tokens = [&*config.special_tokens, &*config.user_defined_symbols].concat();
        let corpus = Corpus::new(words, &tokens, config, callback)?;
        let size = wanted(config, reserved.len(), corpus.alphabet.len())?;
        let seeds = seeds::seeds(&corpus, config, threads, callback)?;
        let largest = corpus.alphabet.len() + seeds.len();
        if size > largest {
            return Err(Error::Config(
                Message::new(format!(
                    "{} is too large: these words have pieces for {} entries at most",
                    config.vocab_size,
                    reserved.len() + largest
                ))
                .setting("vocab_size")
                .hint("lower `vocab_size`, or pass more text; `seed_size`, `max_piece_length` and `min_frequency` also bound it"),
            ));
        }
        let pieces = Pieces::new(&corpus, &seeds);
        let mut training = Self::over(config, threads, corpus, size, pieces);
        training.recorder = recorder;
        Ok(training)
    }

    fn over(
        config: &'a UnigramTrainerConfig,
        threads: Threads<'a>,
        corpus: Corpus,
        size: usize,
        pieces: Pieces,
    ) -> Self {
        let (shards, fixed) = (em::shards(&corpus), pieces.count_fixed());
        let steps = most_steps(config, pieces.len() - fixed, size - fixed);
        let (steps, expected, history, recorder) = ([0, steps], Vec::new(), Vec::new(), None);
        Self { config, threads, corpus, shards, size, pieces, expected, history, steps, recorder }
    }

    /// Learns the pieces and their probabilities.
    fn run(&mut self, callback: ProgressCallback<'_>) -> Result<()> {
        self.shrink(callback)?;
        (0..PLAIN_STEPS).try_for_each(|_| self.step(true, callback))
    }

    /// Alternates EM steps and pruning until the size is reached (U21).
    fn shrink(&mut self, callback: ProgressCallback<'_>) -> Result<()> {
        let fixed = self.pieces.count_fixed();
        let target = enough(self.size - fixed);
        loop {
            for _ in 0..self.config.em_steps {
                self.step(false, callback)?;
            }
            let learned = self.pieces.len() - fixed;
            if learned <= target {
                break;
            }
            self.prune(fixed + fewer(self.config, learned, target), callback)?;
        }
        if self.pieces.len() > self.size { self.prune(self.size, callback) } else { Ok(()) }
    }

    fn step(&mut self, plain: bool, callback: ProgressCallback<'_>) -> Result<()> {
        let before = self.pieces.len();
        let (begun, all) = self.progress();
        let mut report = |done| report(callback, Stage::Learning, begun.saturating_add(done), all);
        let expected = em::expect(&self.corpus, &self.shards, &self.pieces, self.threads, &mut report)?;
        self.expected = expected.counts;
        let rare = if plain { Vec::new() } else { self.rare() };
        let recorded = self.scored(&rare, |piece| from_units(self.expected[piece]));
        let removed = self.remove(&rare);
        em::maximize(&mut self.pieces, &self.expected, plain);
        self.steps[0] += 1;
        let log_likelihood = Some(-round_for_files(from_units(expected.negative_log_likelihood)));
        self.record(UnigramStep { pieces: before, log_likelihood, removed: Some(removed) }, recorded, Vec::new());
        Ok(())
    }

    /// Returns the number of tasks done in all steps so far, and the largest number.
    fn progress(&self) -> (usize, usize) {
        let [taken, most] = self.steps.map(|steps| steps.saturating_mul(self.shards.len()));
        (taken, most)
    }

    /// Returns the pieces to remove with an expected count below one half, if enough are left (U17).
    fn rare(&self) -> Vec<usize> {
        let is_rare = |&piece: &usize| self.expected[piece] < HALF && self.pieces.is_removable(piece);
        let mut rare: Vec<usize> = (0..self.pieces.len()).filter(is_rare).collect();
        let needed = (self.size + rare.len()).saturating_sub(self.pieces.len());
        rare.sort_unstable_by_key(|&piece| (self.expected[piece], Reverse(piece)));
        rare.truncate(rare.len() - needed.min(rare.len()));
        rare
    }

    /// Prunes the pieces whose removal costs the least likelihood (U20).
    fn prune(&mut self, size: usize, callback: ProgressCallback<'_>) -> Result<()> {
        let before = self.pieces.len();
        let (begun, all) = self.progress();
        let mut report = |_| report(callback, Stage::Learning, begun, all);
        let losses = em::losses(&self.pieces, &self.expected, self.threads, &mut report)?;
        let mut others: Vec<usize> = (0..before).filter(|&piece| self.pieces.is_removable(piece)).collect();
        others.sort_unstable_by(|&one, &other| by_loss(losses[one], losses[other]).then(other.cmp(&one)));
        let number = before.saturating_sub(size).min(others.len());
        let (pruned, kept) = others.split_at(number);
        let loss = |piece: usize| losses[piece];
        let (recorded, kept) = (self.scored(pruned, loss), self.scored(kept, loss));
        let removed = self.remove(pruned);
        self.record(UnigramStep { pieces: before, log_likelihood: None, removed: Some(removed) }, recorded, kept);
        Ok(())
    }

    /// Returns the first pieces with a value, for the record; none without a recorder.
    fn scored(&self, pieces: &[usize], value: impl Fn(usize) -> f64) -> Vec<(String, f64)> {
        let top = self.recorder.as_ref().map_or(0, |recorder| recorder.top);
        let scored = |&piece: &usize| (self.pieces.name(piece, &self.corpus), value(piece));
        pieces.iter().take(top).map(scored).collect()
    }

    /// Adds a step to the history, and to the record if there is a recorder.
    fn record(&mut self, step: UnigramStep, removed: Vec<(String, f64)>, kept: Vec<(String, f64)>) {
        let ranked = if self.recorder.is_some() { self.ranked() } else { Vec::new() };
        let most_probable = self.scored(&ranked, |piece| self.pieces.probabilities[piece]);
        if let Some(recorder) = self.recorder.as_deref_mut() {
            recorder.steps.push(UnigramTraceStep {
                pieces: step.pieces,
                log_likelihood: step.log_likelihood,
                removed_number: step.removed.as_ref().map_or(0, Vec::len),
                removed,
                kept,
                most_probable,
            });
        }
        self.history.push(step);
    }

    /// Returns the pieces by probability, the most probable first.
    fn ranked(&self) -> Vec<usize> {
        let probability = |piece: usize| self.pieces.probabilities[piece];
        let mut ranked: Vec<usize> = (0..self.pieces.len()).collect();
        ranked.sort_by(|&one, &other| probability(other).total_cmp(&probability(one)));
        ranked
    }

    /// Removes pieces, and returns their texts.
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

    /// Returns the text and the score of a piece.
    fn entry(&self, piece: usize) -> (String, f64) {
        (self.pieces.name(piece, &self.corpus), score(self.pieces.probabilities[piece]))
    }

    /// Returns the entries by id (U22).
    fn entries(&self) -> Vec<(String, f64)> {
        let learned = self.ranked().into_iter().map(|piece| self.entry(piece));
        let mut reserved: Vec<_> = self.config.reserved().into_iter().map(|entry| (entry, 0.0)).collect();
        let specials = if self.config.special_tokens_first { 0 } else { self.config.special_tokens.len() };
        let others = reserved.split_off(specials);
        others.into_iter().chain(learned).chain(reserved).collect()
    }
}

/// Returns the logarithm of a probability, rounded to 13 decimals, which all file readers parse to the same float.
///
/// `tokenizers` parses longer numbers with a rounding of its own.
fn score(probability: f64) -> f64 {
    format!("{:.13}", ln(Scaled::of(probability))).parse().expect("digits are a number")
}

/// Returns a number with the digits that all readers of a file parse alike.
fn round_for_files(number: f64) -> f64 {
    format!("{number:.14e}").parse().expect("digits are a number")
}

/// Compares losses; both zeros are equal.
fn by_loss(one: f64, other: f64) -> Ordering {
    one.partial_cmp(&other).expect("losses are numbers")
}

/// Returns the number of pieces to reach (U15).
fn wanted(config: &UnigramTrainerConfig, reserved: usize, alphabet: usize) -> Result<usize> {
    match config.vocab_size.checked_sub(reserved).filter(|&size| size >= alphabet) {
        Some(size) => Ok(size),
        None => Err(Error::Config(
            Message::new(format!(
                "{} is too small: {reserved} special tokens, user-defined symbols and bytes and an alphabet of \
                 {alphabet} need at least {}",
                config.vocab_size,
                reserved + alphabet
            ))
            .setting("vocab_size")
            .hint("raise `vocab_size`, or lower `character_coverage`"),
        )),
    }
}

/// Returns the number of pieces at which the pruning ends.
fn enough(size: usize) -> usize {
    size.max(size.saturating_mul(11) / 10)
}

/// Returns the number of pieces that a pruning keeps.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a number of pieces is one")]
fn fewer(config: &UnigramTrainerConfig, pieces: usize, target: usize) -> usize {
    target.max((config.shrinking_factor * pieces as f64) as usize)
}

/// Returns the number of EM steps if none of them removes a piece.
fn most_steps(config: &UnigramTrainerConfig, mut pieces: usize, size: usize) -> usize {
    let target = enough(size);
    let mut rounds = 1;
    while pieces > target {
        pieces = fewer(config, pieces, target);
        rounds += 1;
    }
    config.em_steps.saturating_mul(rounds).saturating_add(PLAIN_STEPS)
}
