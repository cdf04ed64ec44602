//! The settings of any trainer.

use super::{bpe, wordpiece};

/// Whose training it is, and its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trainer {
    /// Of a `WordPiece` model.
    WordPiece(wordpiece::train::TrainerConfig),
    /// Of a BPE model.
    Bpe(bpe::train::TrainerConfig),
}
