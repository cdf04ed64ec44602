//! The record of a Unigram training: the pieces that each step removes, and the most probable ones.

/// An EM step or a pruning, with lists of pieces and their losses, expected counts or probabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct UnigramTraceStep {
    /// The number of pieces before the step.
    pub pieces: usize,
    /// The log-likelihood (nats) of the words before the step; `None` for a pruning.
    pub log_likelihood: Option<f64>,
    /// The number of removed pieces.
    pub removed_number: usize,
    /// The first removed pieces, least first: with their expected counts in an EM step, with their losses in a pruning.
    pub removed: Vec<(String, f64)>,
    /// The first pieces that a pruning kept, by loss, least first.
    pub kept: Vec<(String, f64)>,
    /// The most probable pieces after the step, with their probabilities.
    pub most_probable: Vec<(String, f64)>,
}

/// Records a Unigram training.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use piecework_core::learn::{Threads, UnigramRecorder};
/// use piecework_core::model::unigram::train::{UnigramTrainerConfig, train};
///
/// let words = [("hug", 10), ("hugs", 5), ("bun", 3)];
/// let config = UnigramTrainerConfig { vocab_size: 12, ..UnigramTrainerConfig::default() };
/// let mut recorder = UnigramRecorder::new(1);
/// let recorded = Some(&mut recorder);
/// train(&words, &config, recorded, Threads::SINGLE, &mut |_| ControlFlow::Continue(()))?;
/// assert_eq!(recorder.into_steps()[0].most_probable[0].0, "hug");
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug)]
pub struct UnigramRecorder {
    /// The number of pieces in each list.
    pub(crate) top: usize,
    pub(crate) steps: Vec<UnigramTraceStep>,
}

impl UnigramRecorder {
    /// Returns a recorder of lists of `top` pieces.
    #[must_use]
    pub fn new(top: usize) -> Self {
        Self { top, steps: Vec::new() }
    }

    /// Returns the steps in order.
    #[must_use]
    pub fn into_steps(self) -> Vec<UnigramTraceStep> {
        self.steps
    }
}
