//! What a training is told.

use crate::learn::Ties;
use crate::learn::plan::{Compatibility, Plan, Spelling};
use crate::merge::score::Frequency;
use crate::model::bpe::SuffixStyle;
use crate::text::bytes::byte_to_char;

/// What the alphabet holds whether it occurs or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Alphabet {
    /// No more than was asked for.
    #[default]
    Char,
    /// The 256 characters that stand for bytes; words consist of these alone.
    Byte,
}

/// The settings of a training.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrainerConfig {
    /// How many entries to stop at, special tokens, user-defined symbols and alphabet included; `None` for no limit.
    pub vocab_size: Option<usize>,
    /// How many merges to stop at.
    pub max_merges: Option<usize>,
    /// Pairs that occur less often are not merged.
    pub min_frequency: u64,
    /// Words that occur less often are left out, unless they are user-defined symbols.
    pub min_word_frequency: u64,
    /// Stop when no pair occurs more often than this.
    pub stop_at_pair_frequency: Option<u64>,
    /// Which of equally frequent pairs is merged. With [`Ties::Hf`] all else is as in `tokenizers`, too.
    pub ties: Ties,
    /// Entries that are not learned, without an unknown token that is added to them.
    pub special_tokens: Vec<String>,
    /// Whether they have the first ids, not the last.
    pub special_tokens_first: bool,
    /// The token for unknown characters; `None` drops them.
    pub unk_token: Option<String>,
    /// Whole words that are entries whether they occur or not; nothing is learned from those that do.
    pub user_defined_symbols: Vec<String>,
    /// What the alphabet holds in any case.
    pub alphabet: Alphabet,
    /// Characters that are in the alphabet whether they occur or not.
    pub initial_alphabet: Vec<char>,
    /// How many characters to keep; words are cut where others stood.
    pub limit_alphabet: Option<usize>,
    /// What stands before an entry that continues a word.
    pub continuing_subword_prefix: String,
    /// What stands behind an entry that ends a word.
    pub end_of_word_suffix: String,
    /// Where that goes.
    pub suffix_style: SuffixStyle,
    /// The most characters of a learned entry, without prefix and suffix.
    pub max_token_length: Option<usize>,
}

impl Default for TrainerConfig {
    fn default() -> Self {
        Self {
            vocab_size: Some(30_000),
            max_merges: None,
            min_frequency: 1,
            min_word_frequency: 1,
            stop_at_pair_frequency: None,
            ties: Ties::Lex,
            special_tokens: Vec::new(),
            special_tokens_first: true,
            unk_token: None,
            user_defined_symbols: Vec::new(),
            alphabet: Alphabet::Char,
            initial_alphabet: Vec::new(),
            limit_alphabet: None,
            continuing_subword_prefix: String::new(),
            end_of_word_suffix: String::new(),
            suffix_style: SuffixStyle::Attached,
            max_token_length: None,
        }
    }
}

impl TrainerConfig {
    /// Returns all special tokens in the order of their ids: an unknown token that is not listed comes first.
    #[must_use]
    pub fn all_special_tokens(&self) -> Vec<String> {
        let added = self.unk_token.iter().filter(|unk| !self.special_tokens.contains(unk));
        added.chain(&self.special_tokens).cloned().collect()
    }

    /// The characters that the alphabet holds in any case.
    pub(super) fn wanted(&self) -> Vec<char> {
        let bytes = match self.alphabet {
            Alphabet::Char => 0..0,
            Alphabet::Byte => 0..256,
        };
        let bytes = bytes.filter_map(|byte| u8::try_from(byte).ok()).map(byte_to_char);
        self.initial_alphabet.iter().copied().chain(bytes).collect()
    }

    /// What all trainers ask for, with what [`Self::wanted`] and [`Self::all_special_tokens`] give.
    pub(super) fn plan<'a>(&'a self, wanted: &'a [char], special_tokens: &'a [String]) -> Plan<'a> {
        Plan {
            vocab_size: self.vocab_size.unwrap_or(usize::MAX),
            score: &Frequency,
            min_frequency: self.min_frequency,
            min_word_frequency: self.min_word_frequency,
            max_merges: self.max_merges,
            stop_at_pair_frequency: self.stop_at_pair_frequency,
            ties: self.ties,
            special_tokens,
            special_tokens_first: self.special_tokens_first,
            user_defined_symbols: &self.user_defined_symbols,
            initial_alphabet: wanted,
            limit_alphabet: self.limit_alphabet,
            max_token_length: self.max_token_length,
            spelling: Spelling {
                prefix: &self.continuing_subword_prefix,
                suffix: &self.end_of_word_suffix,
                separate: self.suffix_style == SuffixStyle::Separate,
            },
            compatibility: if self.ties == Ties::Hf { Compatibility::Tokenizers } else { Compatibility::Own },
        }
    }
}
