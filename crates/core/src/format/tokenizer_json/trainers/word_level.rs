//! The settings of a `WordLevel` trainer as JSON.

use crate::error::Result;
use crate::format::json::{Json, Node, object};
use crate::model::word_level::train::TrainerConfig;

pub(super) const WORD_LEVEL: &str = "WordLevelTrainer";

const MEMBERS: [&str; 5] = ["type", "vocab_size", "min_frequency", "special_tokens", "unk_token"];

pub(super) fn read(node: &Node<'_>) -> Result<TrainerConfig> {
    node.only(&MEMBERS)?;
    let config = TrainerConfig {
        vocab_size: node.member("vocab_size")?.size()?,
        min_frequency: node.member("min_frequency")?.unsigned()?,
        special_tokens: node.member("special_tokens")?.strings()?,
        unk_token: node.find("unk_token")?.map(|node| Ok(node.str()?.to_owned())).transpose()?,
    };
    config.check()?;
    Ok(config)
}

pub(super) fn write(config: &TrainerConfig) -> Json {
    object([
        ("type", WORD_LEVEL.into()),
        ("vocab_size", (config.vocab_size as u64).into()),
        ("min_frequency", config.min_frequency.into()),
        ("special_tokens", config.special_tokens.iter().map(String::as_str).collect()),
        ("unk_token", config.unk_token.as_deref().map_or(Json::Null, Json::from)),
    ])
}
