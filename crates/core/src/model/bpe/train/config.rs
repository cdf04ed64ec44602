//! The settings of a BPE training.

use crate::learn::Ties;
use crate::learn::cut::{CutToken, Occurrences};
use crate::learn::plan::{Compatibility, Plan, Spelling};
use crate::merge::score::Frequency;
use crate::model::bpe::SuffixStyle;
use crate::text::bytes::byte_to_char;

/// The characters that the alphabet contains even if they do not occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum InitialAlphabet {
    /// Only the requested characters.
    #[default]
    Char,
    /// The 256 characters that represent bytes; words consist of these alone.
    Byte,
}

/// The settings of a BPE training.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BpeTrainerConfig {
    /// The vocabulary size, with special tokens, user-defined symbols and alphabet; `None` for no limit.
    pub vocab_size: Option<usize>,
    /// The largest number of merges.
    pub max_merges: Option<usize>,
    /// The smallest number of occurrences of a pair that is merged.
    pub min_frequency: u64,
    /// The smallest count of a word that is learned from, unless it is a user-defined symbol.
    pub min_word_frequency: u64,
    /// Training stops when no pair occurs more often than this.
    pub stop_at_pair_frequency: Option<u64>,
    /// The order of equally frequent pairs. With [`Ties::Hf`] all else is as in `tokenizers`, too.
    pub ties: Ties,
    /// Entries that are not learned, without the unknown token, which is added to them.
    pub special_tokens: Vec<String>,
    /// Whether special tokens have the first ids; else the last.
    pub special_tokens_first: bool,
    /// The token for unknown characters; `None` drops them.
    pub unk_token: Option<String>,
    /// Entries at which words are cut, even if they do not occur; nothing is learned across them.
    pub user_defined_symbols: Vec<String>,
    /// The alphabet's required characters.
    pub alphabet: InitialAlphabet,
    /// More characters that the alphabet contains even if they do not occur.
    pub initial_alphabet: Vec<char>,
    /// The largest number of characters in the alphabet; words are cut at all others.
    pub limit_alphabet: Option<usize>,
    /// The prefix of an entry that continues a word.
    pub continuing_subword_prefix: String,
    /// The suffix of an entry that ends a word.
    pub end_of_word_suffix: String,
    /// The place of the suffix.
    pub suffix_style: SuffixStyle,
    /// The largest number of characters of a learned entry, without prefix and suffix.
    pub max_token_length: Option<usize>,
}

impl Default for BpeTrainerConfig {
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
            alphabet: InitialAlphabet::Char,
            initial_alphabet: Vec::new(),
            limit_alphabet: None,
            continuing_subword_prefix: String::new(),
            end_of_word_suffix: String::new(),
            suffix_style: SuffixStyle::Attached,
            max_token_length: None,
        }
    }
}

impl BpeTrainerConfig {
    /// Returns all special tokens in the order of their ids: an unknown token that is not listed comes first.
    #[must_use]
    pub fn all_special_tokens(&self) -> Vec<String> {
        let added = self.unk_token.iter().filter(|unk| !self.special_tokens.contains(unk));
        added.chain(&self.special_tokens).cloned().collect()
    }

    /// Whether words are cut at special tokens and user-defined symbols, which `tokenizers` does not do.
    #[must_use]
    pub fn cuts_words(&self) -> bool {
        self.ties != Ties::Hf
    }

    /// Returns the tokens that words are cut at, given all special tokens.
    pub(super) fn cut_tokens(&self, special_tokens: &[String]) -> Vec<CutToken> {
        if !self.cuts_words() {
            return Vec::new();
        }
        let special = special_tokens.iter().map(|content| CutToken::special(content));
        let tokens = special.chain(self.user_defined_symbols.iter().map(|content| CutToken::symbol(content)));
        match self.alphabet {
            InitialAlphabet::Char => tokens.collect(),
            InitialAlphabet::Byte => {
                let spelled =
                    |token: CutToken| [CutToken { occurrences: Occurrences::Whole, ..token.clone() }, token.in_bytes()];
                tokens.flat_map(spelled).collect()
            }
        }
    }

    /// Returns the characters that the alphabet contains even if they do not occur.
    pub(super) fn wanted(&self) -> Vec<char> {
        let bytes = match self.alphabet {
            InitialAlphabet::Char => 0..0,
            InitialAlphabet::Byte => 0..256,
        };
        let bytes = bytes.filter_map(|byte| u8::try_from(byte).ok()).map(byte_to_char);
        self.initial_alphabet.iter().copied().chain(bytes).collect()
    }

    /// Returns the shared settings of all trainers, with these required characters and special tokens.
    pub(super) fn plan<'a>(&'a self, wanted: &'a [char], special_tokens: &'a [String]) -> Plan<'a> {
        Plan {
            vocab_size: self.vocab_size.unwrap_or(usize::MAX),
            score: &Frequency,
            min_frequency: self.min_frequency,
            min_word_frequency: self.min_word_frequency,
            max_merges: self.max_merges,
            stop_at_pair_frequency: self.stop_at_pair_frequency,
            is_worthwhile: |_, _| true,
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
            compatibility: if self.cuts_words() { Compatibility::Own } else { Compatibility::Tokenizers },
        }
    }
}
