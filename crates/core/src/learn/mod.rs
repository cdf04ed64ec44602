//! The shared parts of trainers; for merging trainers the settings, the words, the alphabet, and a run of merges.
//!
//! * `plan`: the settings.
//! * `cut`: the words cut at the tokens that encoding always matches.
//! * `words`: words with their counts.
//! * `table`: the words to learn from.
//! * `alphabet`: the characters that are kept, and the words as their symbols.
//! * `segmented`: words in the tokens of a model, for merges on top of an existing vocabulary.
//! * `run`: one training, from the first merge to the stop rule.
//! * `recorder`: an optional record of a run.
//! * `progress`: progress reports.
//! * `unigram_recorder`: an optional record of a Unigram training.
//! * `threads`: work on several threads.
//!
//! The engine in `crate::merge` does the merging.
//!
//! WordPiece and BPE learn in the same way: a trainer states its settings as a `Plan`, and the engine scores pairs
//! through a trait (`merge::score::PairScore`). Neither module depends on a model.

pub(crate) mod alphabet;
pub(crate) mod cut;
pub(crate) mod plan;
mod progress;
pub(crate) mod recorder;
pub(crate) mod run;
pub(crate) mod segmented;
pub(crate) mod table;
mod threads;
mod unigram_recorder;
mod words;

pub use crate::merge::Ties;
pub(crate) use progress::report;
pub use progress::{Progress, ProgressCallback, Stage};
pub use recorder::{Candidate, MergeRecorder, MergeTrace, MergeTraceStep, WordSteps};
pub use threads::Threads;
pub(crate) use threads::{TaskProgress, TaskQueue};
pub use unigram_recorder::{UnigramRecorder, UnigramTraceStep};
pub use words::{CountedWords, WordTable};

/// The settings of an extension of a vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtensionConfig {
    /// The number of entries to learn, if that many can be learned.
    pub new_tokens: usize,
    /// The number of occurrences below which an entry is not learned.
    pub min_frequency: u64,
    /// The maximum length of a learned entry in characters, without prefix and suffix.
    pub max_token_length: Option<usize>,
}

/// An extension of a vocabulary: what it learns from, and how much.
#[derive(Clone, Copy, Debug)]
pub struct Extension<'w> {
    /// The words and their counts.
    pub words: &'w CountedWords<'w>,
    /// Names of entries that must not be learned.
    pub taken: &'w [String],
    /// The settings.
    pub config: &'w ExtensionConfig,
}

/// The result of a training that merges.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    /// The vocabulary, by id.
    pub entries: Vec<String>,
    /// The number of tokens of each entry in the training words.
    ///
    /// For WordPiece these are the tokens of the longest match, none for special tokens; for BPE, those after all merges.
    pub token_counts: Vec<u64>,
    /// All merges, including those whose token was pruned.
    pub history: Vec<Merge>,
}

/// A merge of a training, with the counts before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    /// The left symbol, with its prefix if it has one.
    pub left: String,
    /// The right symbol, with its prefix.
    pub right: String,
    /// The merged symbol.
    pub token: String,
    /// The score of the pair.
    pub score: f64,
    /// The number of occurrences of the pair.
    pub pair_count: u64,
    /// The number of occurrences of the left symbol.
    pub left_count: u64,
    /// The number of occurrences of the right symbol.
    pub right_count: u64,
    /// The number of candidates with exactly this score.
    pub ties: u64,
}

/// An EM step or a pruning step of a Unigram training.
#[derive(Clone, Debug, PartialEq)]
pub struct UnigramStep {
    /// The number of pieces before the step.
    pub pieces: usize,
    /// The log-likelihood (nats) of the words under these pieces; `None` for a pruning step.
    pub log_likelihood: Option<f64>,
    /// The removed pieces, ordered by expected count or by loss, the smallest first; files do not store them.
    pub removed: Option<Vec<String>>,
}
