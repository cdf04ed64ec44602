//! What a training tells while it runs.

use std::ops::ControlFlow;

use crate::error::{Error, Result};

/// What a training is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reads the words and finds the alphabet; counts words.
    Reading,
    /// Finds the pairs; has no count.
    Pairing,
    /// Merges; counts the vocabulary's entries.
    Merging,
    /// Finds the strings to begin with; counts suffixes of words.
    Seeding,
    /// Learns how probable pieces are, and drops the worst; counts parts of the words, once for each step.
    Learning,
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
pub(crate) fn tell(watch: Watch<'_>, stage: Stage, done: usize, total: usize) -> Result<()> {
    match watch(Progress { stage, done, total }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Interrupted),
    }
}
