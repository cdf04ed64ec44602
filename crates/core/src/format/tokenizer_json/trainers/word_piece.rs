//! The settings of a `WordPiece` trainer as JSON.

use crate::error::Result;
use crate::format::json::{Json, Node, choice, name_of, object};
use crate::model::wordpiece::train::{Criterion, Ties, TrainerConfig};

pub(super) const WORD_PIECE: &str = "WordPieceTrainer";

const MEMBERS: [&str; 17] = [
    "type",
    "vocab_size",
    "criterion",
    "min_frequency",
    "min_word_frequency",
    "max_merges",
    "stop_at_pair_frequency",
    "stop_without_gain",
    "ties",
    "special_tokens",
    "special_tokens_first",
    "user_defined_symbols",
    "initial_alphabet",
    "limit_alphabet",
    "continuing_subword_prefix",
    "max_token_length",
    "prune_unused",
];

const TIES: [(&str, Ties); 3] = [("lex", Ties::Lex), ("first", Ties::First), ("hf", Ties::Hf)];

pub(super) fn read(node: &Node<'_>) -> Result<TrainerConfig> {
    node.only(&MEMBERS)?;
    Ok(TrainerConfig {
        vocab_size: node.member("vocab_size")?.size()?,
        criterion: choice(&node.member("criterion")?, &Criterion::NAMES)?,
        min_frequency: node.member("min_frequency")?.unsigned()?,
        min_word_frequency: node.member("min_word_frequency")?.unsigned()?,
        max_merges: node.find("max_merges")?.map(|node| node.size()).transpose()?,
        stop_at_pair_frequency: node.find("stop_at_pair_frequency")?.map(|node| node.unsigned()).transpose()?,
        stop_without_gain: node.member("stop_without_gain")?.bool()?,
        ties: choice(&node.member("ties")?, &TIES)?,
        special_tokens: node.member("special_tokens")?.strings()?,
        special_tokens_first: node.member("special_tokens_first")?.bool()?,
        // Files older than this setting lack it.
        user_defined_symbols: node
            .find("user_defined_symbols")?
            .map_or_else(|| Ok(Vec::new()), |node| node.strings())?,
        initial_alphabet: node.member("initial_alphabet")?.array()?.map(|node| node.char()).collect::<Result<_>>()?,
        limit_alphabet: node.find("limit_alphabet")?.map(|node| node.size()).transpose()?,
        continuing_subword_prefix: node.member("continuing_subword_prefix")?.str()?.to_owned(),
        max_token_length: node.find("max_token_length")?.map(|node| node.size()).transpose()?,
        prune_unused: node.member("prune_unused")?.bool()?,
    })
}

pub(super) fn write(config: &TrainerConfig) -> Json {
    let count = |value: Option<usize>| Json::from(value.map(|value| value as u64));
    object([
        ("type", WORD_PIECE.into()),
        ("vocab_size", (config.vocab_size as u64).into()),
        ("criterion", name_of(config.criterion, &Criterion::NAMES).into()),
        ("min_frequency", config.min_frequency.into()),
        ("min_word_frequency", config.min_word_frequency.into()),
        ("max_merges", count(config.max_merges)),
        ("stop_at_pair_frequency", config.stop_at_pair_frequency.into()),
        ("stop_without_gain", config.stop_without_gain.into()),
        ("ties", name_of(config.ties, &TIES).into()),
        ("special_tokens", config.special_tokens.iter().map(String::as_str).collect()),
        ("special_tokens_first", config.special_tokens_first.into()),
        ("user_defined_symbols", config.user_defined_symbols.iter().map(String::as_str).collect()),
        ("initial_alphabet", config.initial_alphabet.iter().map(|c| Json::String(c.to_string())).collect()),
        ("limit_alphabet", count(config.limit_alphabet)),
        ("continuing_subword_prefix", config.continuing_subword_prefix.as_str().into()),
        ("max_token_length", count(config.max_token_length)),
        ("prune_unused", config.prune_unused.into()),
    ])
}
