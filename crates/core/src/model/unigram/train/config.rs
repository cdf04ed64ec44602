//! The settings of a Unigram training.

use std::collections::HashSet;

use crate::error::{Error, Message, Result};
use crate::text::bytes::byte_entry;

/// The settings of a Unigram training.
#[derive(Clone, Debug, PartialEq)]
pub struct UnigramTrainerConfig {
    /// The vocabulary size; special tokens, user-defined symbols, bytes and alphabet included.
    pub vocab_size: usize,
    /// The largest number of seed pieces, besides the characters.
    pub seed_size: usize,
    /// The share of the pieces that a pruning keeps.
    pub shrinking_factor: f64,
    /// The number of EM steps before each pruning.
    pub em_steps: usize,
    /// The largest number of characters of a learned piece.
    pub max_piece_length: usize,
    /// The smallest number of occurrences of a seed piece; at least 2.
    pub min_frequency: u64,
    /// The smallest count of a word that is learned from.
    pub min_word_frequency: u64,
    /// Entries that no text becomes.
    pub special_tokens: Vec<String>,
    /// Whether special tokens have the first ids; else the last.
    pub special_tokens_first: bool,
    /// The special token for unknown characters, if there is one.
    pub unk_token: Option<String>,
    /// Entries at which text is cut; nothing is learned across them.
    pub user_defined_symbols: Vec<String>,
    /// Whether the 256 bytes are entries.
    pub byte_fallback: bool,
    /// The share of all characters that the alphabet must cover.
    pub character_coverage: f64,
    /// Characters that the alphabet contains even if they do not occur.
    pub required_chars: Vec<char>,
    /// Whether pieces with characters of two scripts are excluded.
    pub split_by_unicode_script: bool,
    /// Whether pieces with digits and letters are excluded, too.
    pub split_by_number: bool,
    /// Whether each digit is a piece by itself.
    pub split_digits: bool,
    /// Whether `▁` occurs only at the front of a piece.
    pub split_by_whitespace: bool,
    /// Whether several `▁` may be a piece.
    pub allow_whitespace_only_pieces: bool,
    /// Whether `▁` ends a word, and occurs only at the end of a piece.
    pub treat_whitespace_as_suffix: bool,
}

impl Default for UnigramTrainerConfig {
    fn default() -> Self {
        Self {
            vocab_size: 8000,
            seed_size: 1_000_000,
            shrinking_factor: 0.75,
            em_steps: 1,
            max_piece_length: 16,
            min_frequency: 2,
            min_word_frequency: 1,
            special_tokens: ["<unk>", "<s>", "</s>"].map(str::to_owned).to_vec(),
            special_tokens_first: true,
            unk_token: Some("<unk>".to_owned()),
            user_defined_symbols: Vec::new(),
            byte_fallback: false,
            character_coverage: 0.9995,
            required_chars: Vec::new(),
            split_by_unicode_script: true,
            split_by_number: true,
            split_digits: false,
            split_by_whitespace: true,
            allow_whitespace_only_pieces: false,
            treat_whitespace_as_suffix: false,
        }
    }
}

impl UnigramTrainerConfig {
    /// Returns an error for settings that no words can be trained with.
    pub fn check(&self) -> Result<()> {
        let refuse = |setting: &str, message: Message| Err(Error::Config(message.setting(setting)));
        if !(self.shrinking_factor > 0.0 && self.shrinking_factor < 1.0) {
            return refuse(
                "shrinking_factor",
                format!("expected a number between 0 and 1, found {}", self.shrinking_factor).into(),
            );
        }
        if !(0.0..=1.0).contains(&self.character_coverage) {
            return refuse(
                "character_coverage",
                format!("expected a number from 0 to 1, found {}", self.character_coverage).into(),
            );
        }
        let sizes =
            [("vocab_size", self.vocab_size), ("em_steps", self.em_steps), ("max_piece_length", self.max_piece_length)];
        if let Some((name, _)) = sizes.into_iter().find(|&(_, size)| size == 0) {
            return refuse(name, "expected an integer from 1 on, found 0".into());
        }
        if let Some(unk) = self.unk_token.as_ref().filter(|unk| !self.special_tokens.contains(unk)) {
            return refuse(
                "unk_token",
                Message::new(format!("{unk:?} is not a special token"))
                    .hint("add it to `special_tokens`, or pass `unk_token=None`"),
            );
        }
        let mut seen = HashSet::new();
        match self.reserved().into_iter().find(|entry| entry.is_empty() || !seen.insert(entry.clone())) {
            Some(entry) => Err(Error::Config(
                format!(
                    "the entry {entry:?} is empty or given twice, as a special token, a user-defined symbol or a byte"
                )
                .into(),
            )),
            None => Ok(()),
        }
    }

    /// Returns the entries that are not learned, special tokens first.
    pub(super) fn reserved(&self) -> Vec<String> {
        let bytes = (0..=255).filter(|_| self.byte_fallback).map(byte_entry);
        self.special_tokens.iter().chain(&self.user_defined_symbols).cloned().chain(bytes).collect()
    }
}
