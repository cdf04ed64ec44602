//! `WordLevel` models in `tokenizer.json`.

use super::own::{CONTENTS, FINGERPRINT, VERSION, own_part};
use super::vocab::{read_vocab, vocab_json};
use crate::error::Result;
use crate::format::json::{Json, JsonNode, object};
use crate::format::tokenizer_json::training::{read_training, training_json};
use crate::model::word_level::WordLevel;
use crate::pipeline::Training;

pub(super) const WORD_LEVEL: &str = "WordLevel";

pub(super) fn read(node: &JsonNode<'_>) -> Result<(WordLevel, Option<Training>)> {
    node.only(&["type", "vocab", "unk_token", "piecework"])?;
    let vocab = read_vocab(&node.member("vocab")?)?;
    let own = own_part(node, &["training", CONTENTS, FINGERPRINT])?;
    let training = read_training(&own, &vocab)?;
    Ok((WordLevel::new(vocab, node.get("unk_token")?), training))
}

pub(super) fn word_level_json(model: &WordLevel, training: Option<&Training>) -> Json {
    let own = |training| object([("version", VERSION.into()), ("training", training_json(training))]);
    let (vocab, unk) = (vocab_json(model.vocab()), model.unk_token().into());
    object([("type", WORD_LEVEL.into()), ("vocab", vocab), ("unk_token", unk)]).with("piecework", training.map(own))
}
