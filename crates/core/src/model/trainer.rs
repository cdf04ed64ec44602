//! The settings of any trainer.

use super::{bpe, unigram, wordpiece};

/// Whose training it is, and its settings.
#[derive(Debug, Clone, PartialEq)]
pub enum Trainer {
    /// Of a `WordPiece` model.
    WordPiece(wordpiece::train::TrainerConfig),
    /// Of a BPE model.
    Bpe(bpe::train::TrainerConfig),
    /// Of a Unigram model.
    Unigram(unigram::train::TrainerConfig),
}
