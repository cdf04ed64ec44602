//! The settings of any trainer.

use super::{bpe, unigram, word_level, wordpiece};

/// The settings of a training, by the kind of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Trainer {
    /// The settings of a `WordPiece` training.
    WordPiece(wordpiece::train::TrainerConfig),
    /// The settings of a BPE training.
    Bpe(bpe::train::TrainerConfig),
    /// The settings of a Unigram training.
    Unigram(unigram::train::TrainerConfig),
    /// The settings of a `WordLevel` training.
    WordLevel(word_level::train::TrainerConfig),
}
