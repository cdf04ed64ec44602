//! What a training is told, and what it tells while it runs.

use std::ops::ControlFlow;

use super::criterion::Criterion;
use crate::error::{Error, Result};
use crate::merge::Ties;

/// The settings of a training.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrainerConfig {
    /// How many entries to stop at, special tokens, user-defined symbols and alphabet included.
    pub vocab_size: usize,
    /// Which pair is the best.
    pub criterion: Criterion,
    /// Pairs that occur less often are not merged.
    pub min_frequency: u64,
    /// Words that occur less often are left out, unless they are user-defined symbols.
    pub min_word_frequency: u64,
    /// How many merges to stop at.
    pub max_merges: Option<usize>,
    /// Stop when no pair occurs more often than this.
    pub stop_at_pair_frequency: Option<u64>,
    /// Stop when the best merge does not raise the log-likelihood of the words.
    pub stop_without_gain: bool,
    /// Which of equally good pairs is merged.
    pub ties: Ties,
    /// Entries that are not learned.
    pub special_tokens: Vec<String>,
    /// Whether they have the first ids, not the last.
    pub special_tokens_first: bool,
    /// Whole words that are entries whether they occur or not; nothing is learned from those that do.
    pub user_defined_symbols: Vec<String>,
    /// Characters that are in the alphabet whether they occur or not.
    pub initial_alphabet: Vec<char>,
    /// How many characters to keep; words are cut where others stood.
    pub limit_alphabet: Option<usize>,
    /// What stands before an entry that continues a word.
    pub continuing_subword_prefix: String,
    /// The most characters of a learned entry, its prefix not counted.
    pub max_token_length: Option<usize>,
    /// Whether to replace learned entries that longest match never emits.
    pub prune_unused: bool,
}

impl Default for TrainerConfig {
    fn default() -> Self {
        Self {
            vocab_size: 30_000,
            criterion: Criterion::Likelihood,
            min_frequency: 1,
            min_word_frequency: 1,
            max_merges: None,
            stop_at_pair_frequency: None,
            stop_without_gain: false,
            ties: Ties::Lex,
            special_tokens: ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].map(str::to_owned).into(),
            special_tokens_first: true,
            user_defined_symbols: Vec::new(),
            initial_alphabet: Vec::new(),
            limit_alphabet: None,
            continuing_subword_prefix: "##".to_owned(),
            max_token_length: None,
            prune_unused: false,
        }
    }
}

/// What a training is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reads the words and finds the alphabet; counts words.
    Reading,
    /// Finds the pairs; has no count.
    Pairing,
    /// Merges; counts the vocabulary's entries.
    Merging,
    /// Encodes the words with the vocabulary; has no count.
    Counting,
}

/// How far a training has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// What it is doing.
    pub stage: Stage,
    /// How much of that is done.
    pub done: usize,
    /// How much there is to do at most; 0 where that is not known.
    pub total: usize,
}

/// Is told of progress, and may end the training. It is called every few milliseconds.
pub type Watch<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// Tells the watch.
pub(super) fn tell(watch: Watch<'_>, stage: Stage, done: usize, total: usize) -> Result<()> {
    match watch(Progress { stage, done, total }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Interrupted),
    }
}
