//! What trainers share, whatever the model; of those that learn by merging, words as symbols, a run of merges, its history.
//!
//! * `plan`: what a trainer asks for.
//! * `table`: the words to learn from.
//! * `alphabet`: the characters that are kept, and the words cut into them.
//! * `run`: one training, from the first merge to the stop rule.
//! * `progress`: what it tells while it runs.
//! * `threads`: work that several threads share.
//!
//! The merging itself is done by the engine in `crate::merge`.

pub(crate) mod alphabet;
pub(crate) mod plan;
mod progress;
pub(crate) mod run;
pub(crate) mod table;
mod threads;

pub use crate::merge::Ties;
pub(crate) use progress::tell;
pub use progress::{Progress, Stage, Watch};
pub use threads::Threads;
pub(crate) use threads::{Shift, Tell};

/// A step of a training, with the counts before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    /// The left symbol as written.
    pub left: String,
    /// The right symbol as written, with its prefix.
    pub right: String,
    /// What they became.
    pub token: String,
    /// What the criterion gave.
    pub score: f64,
    /// How often the pair occurred.
    pub pair_count: u64,
    /// How often the left symbol occurred.
    pub left_count: u64,
    /// How often the right symbol occurred.
    pub right_count: u64,
    /// How many candidates had exactly this score.
    pub ties: u64,
}

/// A step of EM of a training of Unigram, or a pruning.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// How many pieces there were before it.
    pub pieces: usize,
    /// Of the words under them; a pruning does not ask for it.
    pub log_likelihood: Option<f64>,
    /// The pieces that it removed, the least expected or the least missed first; files do not keep them.
    pub removed: Option<Vec<String>>,
}
