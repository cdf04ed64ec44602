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

use self::bpe::{OWN_BPE, bpe_json};
use self::unigram::{OWN_UNIGRAM, unigram_json};
use self::word_level::{WORD_LEVEL, word_level_json};
use self::word_piece::{OWN_WORD_PIECE, WORD_PIECE, word_piece_json};
use crate::error::Result;
use crate::format::json::{Json, JsonNode};
use crate::model::Model;
use crate::pipeline::Training;

pub(in crate::format) use self::bpe::BPE;
pub(in crate::format) use self::own::{CONTENTS, DECODER, FINGERPRINT, NORMALIZER, with_own};
pub(in crate::format) use self::unigram::UNIGRAM;
pub(in crate::format) use self::vocab::{read_vocab, vocab_json};

/// Reads the member `model`, and the record of its training.
///
/// `allow_no_unk` permits an unknown token of `WordPiece` that is not in the vocabulary; other models can do without, if
/// they can encode every word.
pub(in crate::format) fn read_model(node: &JsonNode<'_>, allow_no_unk: bool) -> Result<(Model, Option<Training>)> {
    Ok(match kind(node)? {
        UNIGRAM | OWN_UNIGRAM => unigram::read(node).map(|(model, training)| (Model::Unigram(model), training))?,
        BPE | OWN_BPE => bpe::read(node).map(|(model, training)| (Model::Bpe(model), training))?,
        WORD_LEVEL => word_level::read(node).map(|(model, training)| (Model::WordLevel(model), training))?,
        _ => word_piece::read(node, allow_no_unk).map(|(model, training)| (Model::WordPiece(model), training))?,
    })
}

/// Returns whether a type is one of those that `tokenizers` reads.
pub(in crate::format) fn is_theirs(kind: &str) -> bool {
    matches!(kind, WORD_PIECE | BPE | UNIGRAM | WORD_LEVEL)
}

/// Returns whether a model's own part may hold the decoder of the tokenizer.
pub(in crate::format) fn has_decoder_record(model: &Json) -> bool {
    matches!(kind(&JsonNode::root(model)), Ok(BPE | OWN_BPE | UNIGRAM | OWN_UNIGRAM))
}

/// The types of models.
const TYPES: [&str; 7] = [WORD_PIECE, BPE, UNIGRAM, WORD_LEVEL, OWN_WORD_PIECE, OWN_BPE, OWN_UNIGRAM];

/// Returns the type of a model. Old files do not name it: only `WordPiece` has a maximum word length, only BPE has
/// merges, only Unigram has the id of the unknown token.
pub(in crate::format) fn kind<'a>(node: &JsonNode<'a>) -> Result<&'a str> {
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
