//! The settings of a WordPiece training.

use super::criterion::{Criterion, increases_likelihood};
use crate::learn::Ties;
use crate::learn::plan::{Compatibility, Plan, Spelling};

/// The settings of a training.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordPieceTrainerConfig {
    /// The vocabulary size to stop at, including special tokens, user-defined symbols and the alphabet.
    pub vocab_size: usize,
    /// The criterion that scores pairs.
    pub criterion: Criterion,
    /// The number of occurrences below which a pair is not merged.
    pub min_frequency: u64,
    /// The number of occurrences below which a word is left out, unless it is a user-defined symbol.
    pub min_word_frequency: u64,
    /// The number of merges to stop at.
    pub max_merges: Option<usize>,
    /// The pair count to stop at: training ends when no pair occurs more often.
    pub stop_at_pair_frequency: Option<u64>,
    /// Whether to stop when the best merge does not increase the log-likelihood of the words.
    pub stop_without_gain: bool,
    /// The rule that chooses among pairs of equal score.
    pub ties: Ties,
    /// The entries that are not learned.
    pub special_tokens: Vec<String>,
    /// Whether special tokens have the first ids, not the last.
    pub special_tokens_first: bool,
    /// Whole words that are always entries; nothing is learned from their occurrences.
    pub user_defined_symbols: Vec<String>,
    /// Characters that are always in the alphabet.
    pub initial_alphabet: Vec<char>,
    /// The maximum number of characters in the alphabet; words are split at other characters.
    pub limit_alphabet: Option<usize>,
    /// The prefix of an entry that continues a word.
    pub continuing_subword_prefix: String,
    /// The maximum length of a learned entry in characters, without its prefix.
    pub max_token_length: Option<usize>,
    /// Whether to replace learned entries that longest match never emits.
    pub prune_unused: bool,
}

impl Default for WordPieceTrainerConfig {
    fn default() -> Self {
        Self {
            vocab_size: 30_000,
            criterion: Criterion::Likelihood,
            min_frequency: 1,
            min_word_frequency: 1,
            max_merges: None,
            stop_at_pair_frequency: None,
            stop_without_gain: false,
            ties: Ties::Lex,
            special_tokens: ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].map(str::to_owned).into(),
            special_tokens_first: true,
            user_defined_symbols: Vec::new(),
            initial_alphabet: Vec::new(),
            limit_alphabet: None,
            continuing_subword_prefix: "##".to_owned(),
            max_token_length: None,
            prune_unused: false,
        }
    }
}

impl WordPieceTrainerConfig {
    /// Returns the settings that all trainers share.
    pub(super) fn plan(&self) -> Plan<'_> {
        Plan {
            vocab_size: self.vocab_size,
            score: self.criterion.score(),
            min_frequency: self.min_frequency,
            min_word_frequency: self.min_word_frequency,
            max_merges: self.max_merges,
            stop_at_pair_frequency: self.stop_at_pair_frequency,
            is_worthwhile: if self.stop_without_gain { increases_likelihood } else { |_, _| true },
            ties: self.ties,
            special_tokens: &self.special_tokens,
            special_tokens_first: self.special_tokens_first,
            user_defined_symbols: &self.user_defined_symbols,
            initial_alphabet: &self.initial_alphabet,
            limit_alphabet: self.limit_alphabet,
            max_token_length: self.max_token_length,
            spelling: Spelling::prefixed(&self.continuing_subword_prefix),
            compatibility: Compatibility::Own,
        }
    }
}
