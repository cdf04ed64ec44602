//! The progress reports of a training.

use std::ops::ControlFlow;

use crate::error::{Error, Result};

/// The phase of a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Reads the words and finds the alphabet; the unit is words.
    Reading,
    /// Collects the pairs; without a count.
    Pairing,
    /// Merges; the unit is entries of the vocabulary.
    Merging,
    /// Collects the seed pieces; the unit is suffixes of words.
    Seeding,
    /// Runs EM steps and pruning; the unit is blocks of words, each once per step.
    Learning,
    /// Encodes the words with the vocabulary; without a count.
    Counting,
}

/// The progress of a training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The phase.
    pub stage: Stage,
    /// The amount done.
    pub done: usize,
    /// The maximum amount to do, or 0 if it is unknown.
    pub total: usize,
}

/// A progress callback, which may end the training. It is called every few milliseconds.
pub type ProgressCallback<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// Reports progress; returns an error if the callback ends the training.
pub(crate) fn report(callback: ProgressCallback<'_>, stage: Stage, done: usize, total: usize) -> Result<()> {
    match callback(Progress { stage, done, total }) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Error::Interrupted),
    }
}
