//! `WordLevel` models in `tokenizer.json`.

use super::vocab::vocab_json;
use crate::error::Result;
use crate::format::json::{Json, Node, object};
use crate::model::word_level::WordLevel;

pub(super) const WORD_LEVEL: &str = "WordLevel";

/// Reads the unknown token.
pub(super) fn read(node: &Node<'_>) -> Result<String> {
    node.only(&["type", "vocab", "unk_token"])?;
    Ok(node.member("unk_token")?.str()?.to_owned())
}

pub(super) fn word_level_json(model: &WordLevel) -> Json {
    object([("type", WORD_LEVEL.into()), ("vocab", vocab_json(model.vocab())), ("unk_token", model.unk_token().into())])
}
