//! The settings of trainers as JSON, as the boundary passes them and as files store them.

use crate::error::Result;
use crate::format::json::{Json, JsonNode, choice};
use crate::format::members::{Member, components, names, record};
use crate::model::bpe::SuffixStyle;
use crate::model::bpe::train::{InitialAlphabet, Ties};
use crate::model::wordpiece::train::Criterion;
use crate::model::{Trainer, bpe, unigram, word_level, wordpiece};

components! {
    Trainer by JsonNode::kind;
    "WordPieceTrainer": WordPiece(wordpiece::train::WordPieceTrainerConfig);
    "BpeTrainer": Bpe(bpe::train::BpeTrainerConfig);
    "UnigramTrainer": Unigram(unigram::train::UnigramTrainerConfig);
    "WordLevelTrainer": WordLevel(word_level::train::WordLevelTrainerConfig);
}

record!(wordpiece::train::WordPieceTrainerConfig {
    vocab_size,
    criterion,
    min_frequency,
    min_word_frequency,
    max_merges,
    stop_at_pair_frequency,
    stop_without_gain,
    ties by own_ties,
    special_tokens,
    special_tokens_first,
    // Files older than this setting lack it.
    user_defined_symbols = Vec::new(),
    initial_alphabet,
    limit_alphabet,
    continuing_subword_prefix,
    max_token_length,
    prune_unused,
});

record!(bpe::train::BpeTrainerConfig {
    vocab_size,
    max_merges,
    min_frequency,
    min_word_frequency,
    stop_at_pair_frequency,
    ties,
    special_tokens,
    special_tokens_first,
    unk_token,
    user_defined_symbols,
    alphabet,
    initial_alphabet,
    limit_alphabet,
    continuing_subword_prefix,
    end_of_word_suffix,
    suffix_style,
    max_token_length,
});

record!(unigram::train::UnigramTrainerConfig {
    vocab_size,
    seed_size,
    shrinking_factor,
    em_steps,
    max_piece_length,
    min_frequency,
    min_word_frequency,
    special_tokens,
    special_tokens_first,
    unk_token,
    user_defined_symbols,
    byte_fallback,
    character_coverage,
    required_chars,
    split_by_unicode_script,
    split_by_number,
    split_digits,
    split_by_whitespace,
    allow_whitespace_only_pieces,
    treat_whitespace_as_suffix,
});

record!(word_level::train::WordLevelTrainerConfig { vocab_size, min_frequency, special_tokens, unk_token });

names!(Criterion: &Criterion::NAMES);
names!(Ties: &TIES);

/// The ties of BPE; `WordPiece` has all but the last.
const TIES: [(&str, Ties); 4] =
    [("lex", Ties::Lex), ("first", Ties::First), ("hf", Ties::Hf), ("sentencepiece", Ties::SentencePiece)];

/// Reads the ties of `WordPiece`.
fn own_ties(node: &JsonNode<'_>) -> Result<Ties> {
    choice(node, &TIES[..3])
}
names! {
    InitialAlphabet: &[("char", Self::Char), ("byte", Self::Byte)]
}
names! {
    SuffixStyle: &[("attached", Self::Attached), ("separate", Self::Separate)]
}

/// Reads the settings of a trainer.
pub fn read_trainer(text: &str) -> Result<Trainer> {
    trainer(&JsonNode::root(&Json::parse(text.as_bytes())?))
}

/// Writes all settings of a trainer, in a fixed order.
#[must_use]
pub fn write_trainer(trainer: &Trainer) -> String {
    trainer.json().text()
}

/// Reads the settings of a trainer, and checks them.
pub(super) fn trainer(node: &JsonNode<'_>) -> Result<Trainer> {
    let mut trainer = Trainer::read(node)?;
    // Null means none, too.
    if !node.members()?.iter().any(|(name, _)| name == "unk_token") {
        trainer = trainer.with_implied_unknown();
    }
    trainer.check()?;
    Ok(trainer)
}
