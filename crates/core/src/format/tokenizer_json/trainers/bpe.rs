//! The settings of a BPE trainer as JSON.

use crate::error::Result;
use crate::format::json::{Json, Node, choice, name_of, object};
use crate::model::bpe::SuffixStyle;
use crate::model::bpe::train::{Alphabet, Ties, TrainerConfig};

pub(super) const BPE: &str = "BpeTrainer";

const MEMBERS: [&str; 18] = [
    "type",
    "vocab_size",
    "max_merges",
    "min_frequency",
    "min_word_frequency",
    "stop_at_pair_frequency",
    "ties",
    "special_tokens",
    "special_tokens_first",
    "unk_token",
    "user_defined_symbols",
    "alphabet",
    "initial_alphabet",
    "limit_alphabet",
    "continuing_subword_prefix",
    "end_of_word_suffix",
    "suffix_style",
    "max_token_length",
];

const TIES: [(&str, Ties); 4] =
    [("lex", Ties::Lex), ("first", Ties::First), ("hf", Ties::Hf), ("sentencepiece", Ties::SentencePiece)];

const ALPHABETS: [(&str, Alphabet); 2] = [("char", Alphabet::Char), ("byte", Alphabet::Byte)];

pub(in crate::format::tokenizer_json) const SUFFIX_STYLES: [(&str, SuffixStyle); 2] =
    [("attached", SuffixStyle::Attached), ("separate", SuffixStyle::Separate)];

/// The names of unknown tokens in files older than the setting.
const UNKNOWN: [&str; 2] = ["<unk>", "[UNK]"];

/// Reads the unknown token. Without the member it is one of the special tokens; null means none.
fn unk_token(node: &Node<'_>, special_tokens: &[String]) -> Result<Option<String>> {
    if node.members()?.iter().any(|(name, _)| name == "unk_token") {
        return node.find("unk_token")?.map(|node| Ok(node.str()?.to_owned())).transpose();
    }
    let is_special = |unk: &&str| special_tokens.iter().any(|token| token == unk);
    Ok(UNKNOWN.into_iter().find(is_special).map(str::to_owned))
}

pub(super) fn read(node: &Node<'_>) -> Result<TrainerConfig> {
    node.only(&MEMBERS)?;
    let special_tokens = node.member("special_tokens")?.strings()?;
    let size = |name| node.find(name)?.map(|node| node.size()).transpose();
    let characters = node.member("initial_alphabet")?;
    Ok(TrainerConfig {
        vocab_size: size("vocab_size")?,
        max_merges: size("max_merges")?,
        min_frequency: node.member("min_frequency")?.unsigned()?,
        min_word_frequency: node.member("min_word_frequency")?.unsigned()?,
        stop_at_pair_frequency: node.find("stop_at_pair_frequency")?.map(|node| node.unsigned()).transpose()?,
        ties: choice(&node.member("ties")?, &TIES)?,
        unk_token: unk_token(node, &special_tokens)?,
        special_tokens,
        special_tokens_first: node.member("special_tokens_first")?.bool()?,
        user_defined_symbols: node.member("user_defined_symbols")?.strings()?,
        alphabet: choice(&node.member("alphabet")?, &ALPHABETS)?,
        initial_alphabet: characters.array()?.map(|node| node.char()).collect::<Result<_>>()?,
        limit_alphabet: size("limit_alphabet")?,
        continuing_subword_prefix: node.member("continuing_subword_prefix")?.str()?.to_owned(),
        end_of_word_suffix: node.member("end_of_word_suffix")?.str()?.to_owned(),
        suffix_style: choice(&node.member("suffix_style")?, &SUFFIX_STYLES)?,
        max_token_length: size("max_token_length")?,
    })
}

pub(super) fn write(config: &TrainerConfig) -> Json {
    let count = |value: Option<usize>| Json::from(value.map(|value| value as u64));
    object([
        ("type", BPE.into()),
        ("vocab_size", count(config.vocab_size)),
        ("max_merges", count(config.max_merges)),
        ("min_frequency", config.min_frequency.into()),
        ("min_word_frequency", config.min_word_frequency.into()),
        ("stop_at_pair_frequency", config.stop_at_pair_frequency.into()),
        ("ties", name_of(config.ties, &TIES).into()),
        ("special_tokens", config.special_tokens.iter().map(String::as_str).collect()),
        ("special_tokens_first", config.special_tokens_first.into()),
        ("unk_token", config.unk_token.as_deref().map_or(Json::Null, Json::from)),
        ("user_defined_symbols", config.user_defined_symbols.iter().map(String::as_str).collect()),
        ("alphabet", name_of(config.alphabet, &ALPHABETS).into()),
        ("initial_alphabet", config.initial_alphabet.iter().map(|c| Json::String(c.to_string())).collect()),
        ("limit_alphabet", count(config.limit_alphabet)),
        ("continuing_subword_prefix", config.continuing_subword_prefix.as_str().into()),
        ("end_of_word_suffix", config.end_of_word_suffix.as_str().into()),
        ("suffix_style", name_of(config.suffix_style, &SUFFIX_STYLES).into()),
        ("max_token_length", count(config.max_token_length)),
    ])
}
