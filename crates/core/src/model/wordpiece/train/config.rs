//! What a training is told.

use super::criterion::Criterion;
use crate::learn::Ties;
use crate::learn::plan::{Customs, Plan, Spelling};

/// The settings of a training.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrainerConfig {
    /// How many entries to stop at, special tokens, user-defined symbols and alphabet included.
    pub vocab_size: usize,
    /// Which pair is the best.
    pub criterion: Criterion,
    /// Pairs that occur less often are not merged.
    pub min_frequency: u64,
    /// Words that occur less often are left out, unless they are user-defined symbols.
    pub min_word_frequency: u64,
    /// How many merges to stop at.
    pub max_merges: Option<usize>,
    /// Stop when no pair occurs more often than this.
    pub stop_at_pair_frequency: Option<u64>,
    /// Stop when the best merge does not raise the log-likelihood of the words.
    pub stop_without_gain: bool,
    /// Which of equally good pairs is merged.
    pub ties: Ties,
    /// Entries that are not learned.
    pub special_tokens: Vec<String>,
    /// Whether they have the first ids, not the last.
    pub special_tokens_first: bool,
    /// Whole words that are entries whether they occur or not; nothing is learned from those that do.
    pub user_defined_symbols: Vec<String>,
    /// Characters that are in the alphabet whether they occur or not.
    pub initial_alphabet: Vec<char>,
    /// How many characters to keep; words are cut where others stood.
    pub limit_alphabet: Option<usize>,
    /// What stands before an entry that continues a word.
    pub continuing_subword_prefix: String,
    /// The most characters of a learned entry, its prefix not counted.
    pub max_token_length: Option<usize>,
    /// Whether to replace learned entries that longest match never emits.
    pub prune_unused: bool,
}

impl Default for TrainerConfig {
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

impl TrainerConfig {
    /// What all trainers ask for.
    pub(super) fn plan(&self) -> Plan<'_> {
        Plan {
            vocab_size: self.vocab_size,
            score: self.criterion.score(),
            min_frequency: self.min_frequency,
            min_word_frequency: self.min_word_frequency,
            max_merges: self.max_merges,
            stop_at_pair_frequency: self.stop_at_pair_frequency,
            ties: self.ties,
            special_tokens: &self.special_tokens,
            special_tokens_first: self.special_tokens_first,
            user_defined_symbols: &self.user_defined_symbols,
            initial_alphabet: &self.initial_alphabet,
            limit_alphabet: self.limit_alphabet,
            max_token_length: self.max_token_length,
            spelling: Spelling::prefixed(&self.continuing_subword_prefix),
            customs: Customs::Own,
        }
    }
}
