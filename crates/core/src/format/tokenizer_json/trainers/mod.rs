//! The settings of trainers as JSON, as the boundary passes them and as files store them.

mod bpe;
mod unigram;
mod word_level;
mod word_piece;

use self::bpe::BPE;
use self::unigram::UNIGRAM;
use self::word_level::WORD_LEVEL;
use self::word_piece::WORD_PIECE;
use crate::error::Result;
use crate::format::json::{Json, Node};
use crate::model::Trainer;

pub(super) use self::bpe::SUFFIX_STYLES;

/// Reads the settings of a trainer.
pub fn read_trainer(text: &str) -> Result<Trainer> {
    trainer(&Node::root(&Json::parse(text.as_bytes())?))
}

/// Writes all settings of a trainer, in a fixed order.
#[must_use]
pub fn write_trainer(trainer: &Trainer) -> String {
    trainer_json(trainer).text()
}

pub(super) fn trainer_json(trainer: &Trainer) -> Json {
    match trainer {
        Trainer::WordPiece(config) => word_piece::write(config),
        Trainer::Bpe(config) => bpe::write(config),
        Trainer::Unigram(config) => unigram::write(config),
        Trainer::WordLevel(config) => word_level::write(config),
    }
}

/// Reads the settings of a trainer from a file.
pub(super) fn trainer(node: &Node<'_>) -> Result<Trainer> {
    match node.kind()? {
        WORD_PIECE => word_piece::read(node).map(Trainer::WordPiece),
        BPE => bpe::read(node).map(Trainer::Bpe),
        UNIGRAM => unigram::read(node).map(Trainer::Unigram),
        WORD_LEVEL => word_level::read(node).map(Trainer::WordLevel),
        other => Err(node.unknown_kind(other, &[WORD_PIECE, BPE, UNIGRAM, WORD_LEVEL])),
    }
}
