//! The settings of a Unigram trainer as JSON.

use crate::error::Result;
use crate::format::json::{Json, Node, object};
use crate::model::unigram::train::TrainerConfig;

pub(super) const UNIGRAM: &str = "UnigramTrainer";

const MEMBERS: [&str; 21] = [
    "type",
    "vocab_size",
    "seed_size",
    "shrinking_factor",
    "em_steps",
    "max_piece_length",
    "min_frequency",
    "min_word_frequency",
    "special_tokens",
    "special_tokens_first",
    "unk_token",
    "user_defined_symbols",
    "byte_fallback",
    "character_coverage",
    "required_chars",
    "split_by_unicode_script",
    "split_by_number",
    "split_digits",
    "split_by_whitespace",
    "allow_whitespace_only_pieces",
    "treat_whitespace_as_suffix",
];

pub(super) fn read(node: &Node<'_>) -> Result<TrainerConfig> {
    node.only(&MEMBERS)?;
    let size = |name| node.member(name)?.size();
    let flag = |name| node.member(name)?.bool();
    let config = TrainerConfig {
        vocab_size: size("vocab_size")?,
        seed_size: size("seed_size")?,
        shrinking_factor: node.member("shrinking_factor")?.float()?,
        em_steps: size("em_steps")?,
        max_piece_length: size("max_piece_length")?,
        min_frequency: node.member("min_frequency")?.unsigned()?,
        min_word_frequency: node.member("min_word_frequency")?.unsigned()?,
        special_tokens: node.member("special_tokens")?.strings()?,
        special_tokens_first: flag("special_tokens_first")?,
        unk_token: node.find("unk_token")?.map(|node| Ok(node.str()?.to_owned())).transpose()?,
        user_defined_symbols: node.member("user_defined_symbols")?.strings()?,
        byte_fallback: flag("byte_fallback")?,
        character_coverage: node.member("character_coverage")?.float()?,
        required_chars: node.member("required_chars")?.array()?.map(|node| node.char()).collect::<Result<_>>()?,
        split_by_unicode_script: flag("split_by_unicode_script")?,
        split_by_number: flag("split_by_number")?,
        split_digits: flag("split_digits")?,
        split_by_whitespace: flag("split_by_whitespace")?,
        allow_whitespace_only_pieces: flag("allow_whitespace_only_pieces")?,
        treat_whitespace_as_suffix: flag("treat_whitespace_as_suffix")?,
    };
    config.check()?;
    Ok(config)
}

pub(super) fn write(config: &TrainerConfig) -> Json {
    let size = |value: usize| Json::from(value as u64);
    let list = |names: &[String]| names.iter().map(String::as_str).collect::<Json>();
    object([
        ("type", UNIGRAM.into()),
        ("vocab_size", size(config.vocab_size)),
        ("seed_size", size(config.seed_size)),
        ("shrinking_factor", Json::Float(config.shrinking_factor)),
        ("em_steps", size(config.em_steps)),
        ("max_piece_length", size(config.max_piece_length)),
        ("min_frequency", config.min_frequency.into()),
        ("min_word_frequency", config.min_word_frequency.into()),
        ("special_tokens", list(&config.special_tokens)),
        ("special_tokens_first", config.special_tokens_first.into()),
        ("unk_token", config.unk_token.as_deref().map_or(Json::Null, Json::from)),
        ("user_defined_symbols", list(&config.user_defined_symbols)),
        ("byte_fallback", config.byte_fallback.into()),
        ("character_coverage", Json::Float(config.character_coverage)),
        ("required_chars", config.required_chars.iter().map(|c| Json::String(c.to_string())).collect()),
        ("split_by_unicode_script", config.split_by_unicode_script.into()),
        ("split_by_number", config.split_by_number.into()),
        ("split_digits", config.split_digits.into()),
        ("split_by_whitespace", config.split_by_whitespace.into()),
        ("allow_whitespace_only_pieces", config.allow_whitespace_only_pieces.into()),
        ("treat_whitespace_as_suffix", config.treat_whitespace_as_suffix.into()),
    ])
}
