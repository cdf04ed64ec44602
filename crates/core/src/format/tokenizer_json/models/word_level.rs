//! `WordLevel` models in `tokenizer.json`.

use super::own::{CONTENTS, FINGERPRINT, VERSION, check_version};
use super::vocab::vocab_json;
use crate::error::Result;
use crate::format::json::{Json, Node, object};
use crate::format::tokenizer_json::training::{RawTraining, training_json};
use crate::model::word_level::WordLevel;
use crate::pipeline::Training;

pub(super) const WORD_LEVEL: &str = "WordLevel";

/// Reads the unknown token, and the record of the training.
pub(super) fn read(node: &Node<'_>) -> Result<(String, Option<RawTraining>)> {
    node.only(&["type", "vocab", "unk_token", "piecework"])?;
    let training = node.find("piecework")?.map_or(Ok(None), |own| read_own(&own))?;
    Ok((node.member("unk_token")?.str()?.to_owned(), training))
}

fn read_own(node: &Node<'_>) -> Result<Option<RawTraining>> {
    node.only(&["version", "training", CONTENTS, FINGERPRINT])?;
    check_version(node)?;
    node.find("training")?.map(|node| RawTraining::read(&node)).transpose()
}

pub(super) fn word_level_json(model: &WordLevel, training: Option<&Training>) -> Json {
    let own = |training| object([("version", VERSION.into()), ("training", training_json(training))]);
    let (vocab, unk) = (vocab_json(model.vocab()), model.unk_token().into());
    object([("type", WORD_LEVEL.into()), ("vocab", vocab), ("unk_token", unk)]).with("piecework", training.map(own))
}
