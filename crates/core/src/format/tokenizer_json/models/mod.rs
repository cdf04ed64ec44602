//! Models in `tokenizer.json`.
//!
//! What `tokenizers` cannot hold is written to `model.piecework`, which it ignores. A model that it would encode
//! differently is saved with a type of our own, such as `piecework.WordPiece`, which it refuses, so that no id changes
//! silently.

mod bpe;
mod own;
mod unigram;
mod vocab;
mod word_level;
mod word_piece;

use self::bpe::{BPE, OWN_BPE, RawBpe, bpe_json};
use self::unigram::{OWN_UNIGRAM, RawUnigram, unigram_json};
use self::word_level::{WORD_LEVEL, word_level_json};
use self::word_piece::{OWN_WORD_PIECE, WORD_PIECE, word_piece_json};
use super::training::RawTraining;
use crate::error::Result;
use crate::format::json::{Json, Node};
use crate::model::Model;
use crate::model::word_level::WordLevel;
use crate::model::wordpiece::{Settings, WordPiece};
use crate::pipeline::Training;
use crate::vocab::Vocab;

pub(in crate::format) use self::own::{CONTENTS, DECODER, FINGERPRINT, NORMALIZER, with_own};
pub(in crate::format) use self::unigram::UNIGRAM;
pub(in crate::format) use self::vocab::{read_vocab, vocab_json};

/// The member `model`, read before added tokens are known.
pub(in crate::format) struct RawModel {
    pub(in crate::format) vocab: Vocab,
    kind: RawKind,
    training: Option<RawTraining>,
}

enum RawKind {
    WordPiece(Settings),
    WordLevel(String),
    Bpe(RawBpe),
    Unigram(RawUnigram),
}

impl RawModel {
    pub(in crate::format) fn read(node: &Node<'_>) -> Result<Self> {
        let kind = kind(node)?;
        if matches!(kind, UNIGRAM | OWN_UNIGRAM) {
            let (unigram, vocab, training) = RawUnigram::read(node)?;
            return Ok(Self { vocab, kind: RawKind::Unigram(unigram), training });
        }
        let vocab = read_vocab(&node.member("vocab")?)?;
        if kind == WORD_LEVEL {
            let (unk_token, training) = word_level::read(node)?;
            return Ok(Self { vocab, kind: RawKind::WordLevel(unk_token), training });
        }
        if matches!(kind, BPE | OWN_BPE) {
            let (bpe, training) = RawBpe::read(node, &vocab)?;
            return Ok(Self { vocab, kind: RawKind::Bpe(bpe), training });
        }
        let (settings, training) = word_piece::read(node, &vocab)?;
        Ok(Self { vocab, kind: RawKind::WordPiece(settings), training })
    }

    /// Refuses an unknown token that is not in the vocabulary.
    pub(in crate::format) fn check_unknown(&self, node: &Node<'_>) -> Result<()> {
        // Other models can do without, if they can encode every word.
        let RawKind::WordPiece(settings) = &self.kind else { return Ok(()) };
        word_piece::check_unknown(settings, &self.vocab, node)
    }

    pub(in crate::format) fn build(self, node: &Node<'_>) -> Result<(Model, Option<Training>)> {
        let training = self.training.map(|training| training.checked(node, &self.vocab)).transpose()?;
        let model = match self.kind {
            RawKind::WordPiece(settings) => Model::WordPiece(WordPiece::new(self.vocab, settings)),
            RawKind::WordLevel(unk) => Model::WordLevel(WordLevel::new(self.vocab, unk)),
            RawKind::Bpe(bpe) => Model::Bpe(bpe.build(self.vocab).map_err(|error| node.error(error))?),
            RawKind::Unigram(raw) => Model::Unigram(raw.build(self.vocab).map_err(|error| node.error(error))?),
        };
        Ok((model, training))
    }
}

/// Returns whether a type is one of those that `tokenizers` reads.
pub(in crate::format) fn is_theirs(kind: &str) -> bool {
    matches!(kind, WORD_PIECE | BPE | UNIGRAM | WORD_LEVEL)
}

/// The types of models.
const TYPES: [&str; 7] = [WORD_PIECE, BPE, UNIGRAM, WORD_LEVEL, OWN_WORD_PIECE, OWN_BPE, OWN_UNIGRAM];

/// Returns the type of a model. Old files do not name it: only `WordPiece` has a maximum word length, only BPE has
/// merges, only Unigram has the id of the unknown token.
pub(in crate::format) fn kind<'a>(node: &Node<'a>) -> Result<&'a str> {
    match node.find("type")? {
        Some(kind) => match kind.str()? {
            name if TYPES.contains(&name) => Ok(name),
            other => Err(node.unknown_kind(other, &TYPES)),
        },
        None if node.find("max_input_chars_per_word")?.is_some() => Ok(WORD_PIECE),
        None if node.find("merges")?.is_some() => Ok(BPE),
        None if node.find("unk_id")?.is_some() => Ok(UNIGRAM),
        None => Ok(WORD_LEVEL),
    }
}

/// Writes the model without the record of its training, as in a `tokenizer.json`.
pub fn write_model(model: &Model) -> Result<String> {
    Ok(model_json(model, None)?.text())
}

pub(in crate::format) fn model_json(model: &Model, training: Option<&Training>) -> Result<Json> {
    match model {
        Model::WordPiece(model) => Ok(word_piece_json(model, training)),
        Model::Bpe(model) => Ok(bpe_json(model, training)),
        Model::Unigram(model) => unigram_json(model, training),
        Model::WordLevel(model) => Ok(word_level_json(model, training)),
    }
}
