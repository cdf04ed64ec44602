//! The settings of a merging training, in terms that all merging trainers share.

use std::collections::HashSet;

use super::ExtensionConfig;
use crate::error::{Error, Message, Result};
use crate::merge::score::PairScore;
use crate::merge::{BestPair, EngineSettings, MergeEngine, Ties};
use crate::text::single_character;

/// The settings of a training, borrowed from those of a trainer.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a> {
    /// The vocabulary size to stop at, including special tokens, user-defined symbols and the alphabet.
    pub(crate) vocab_size: usize,
    /// The criterion that scores pairs.
    pub(crate) score: &'static dyn PairScore,
    /// The number of occurrences below which a pair is not merged.
    pub(crate) min_frequency: u64,
    /// The number of occurrences below which a word is left out, unless it is a user-defined symbol.
    pub(crate) min_word_frequency: u64,
    /// The number of merges to stop at.
    pub(crate) max_merges: Option<usize>,
    /// The pair count to stop at: training ends when no pair occurs more often.
    pub(crate) stop_at_pair_frequency: Option<u64>,
    /// Whether the best merge is worth making; training ends at the first that is not.
    pub(crate) is_worthwhile: fn(&MergeEngine, &BestPair) -> bool,
    /// The rule that chooses among pairs of equal score.
    pub(crate) ties: Ties,
    /// The entries that are not learned.
    pub(crate) special_tokens: &'a [String],
    /// Whether special tokens have the first ids, not the last.
    pub(crate) special_tokens_first: bool,
    /// Whole words that are always entries; nothing is learned from their occurrences.
    pub(crate) user_defined_symbols: &'a [String],
    /// Characters that are always in the alphabet.
    pub(crate) initial_alphabet: &'a [char],
    /// The maximum number of characters in the alphabet.
    pub(crate) limit_alphabet: Option<usize>,
    /// The maximum length of a learned entry in characters, without prefix and suffix.
    pub(crate) max_token_length: Option<usize>,
    /// The spelling of symbols.
    pub(crate) spelling: Spelling<'a>,
    /// Whose rules apply to dropped characters, the alphabet, and merges that make special tokens.
    pub(crate) compatibility: Compatibility,
}

/// The family of trainers whose behaviour is reproduced, except for ties.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compatibility {
    /// The rules of this library.
    ///
    /// A word is split at a character that is not kept; the alphabet has the forms that occur, and the initial
    /// characters in all forms; no merge makes a special token.
    Own,
    /// The rules of `tokenizers`.
    ///
    /// A character that is not kept is dropped; the alphabet has all characters without prefix and suffix, then the
    /// other forms that occur; a merge may make a special token.
    Tokenizers,
}

/// The spelling of a word's symbols, by their position in the word.
#[derive(Clone, Copy)]
pub(crate) struct Spelling<'a> {
    /// The prefix of a symbol that does not begin the word.
    pub(crate) prefix: &'a str,
    /// The suffix of a symbol that ends the word.
    pub(crate) suffix: &'a str,
    /// Whether the suffix is a symbol of its own.
    pub(crate) separate: bool,
}

/// An initial symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SymbolForm {
    /// A character, and whether it begins and ends a word, as far as its spelling depends on that.
    Character { character: char, first: bool, last: bool },
    /// The suffix as a symbol of its own.
    Suffix,
}

impl<'a> Spelling<'a> {
    /// Returns the spelling with a prefix on all characters but the first of a word.
    pub(crate) fn prefixed(prefix: &'a str) -> Self {
        Self { prefix, suffix: "", separate: false }
    }

    /// Returns the form of a character by whether it begins and ends a word.
    pub(crate) fn form(&self, character: char, begins: bool, ends: bool) -> SymbolForm {
        SymbolForm::Character { character, first: begins || self.prefix.is_empty(), last: ends && self.marks_last() }
    }

    /// Iterates over the forms of a word's symbols.
    pub(crate) fn forms_of(self, word: &str) -> impl Iterator<Item = SymbolForm> {
        let characters = word
            .char_indices()
            .map(move |(at, character)| self.form(character, at == 0, at + character.len_utf8() == word.len()));
        characters.chain((self.separate && !self.suffix.is_empty()).then_some(SymbolForm::Suffix))
    }

    /// Returns all forms of a character.
    pub(crate) fn forms(self, character: char) -> impl Iterator<Item = SymbolForm> {
        let firsts: &[bool] = if self.prefix.is_empty() { &[true] } else { &[true, false] };
        let lasts: &[bool] = if self.marks_last() { &[false, true] } else { &[false] };
        lasts
            .iter()
            .flat_map(move |&last| firsts.iter().map(move |&first| SymbolForm::Character { character, first, last }))
    }

    /// Returns whether the last character of a word has the suffix.
    fn marks_last(&self) -> bool {
        !self.separate && !self.suffix.is_empty()
    }

    /// Returns the name of a form's symbol.
    pub(crate) fn symbol_name(&self, form: SymbolForm) -> String {
        match form {
            SymbolForm::Suffix => format!("{}{}", self.prefix, self.suffix),
            SymbolForm::Character { character, first, last } => {
                let prefix = if first { "" } else { self.prefix };
                let suffix = if last { self.suffix } else { "" };
                format!("{prefix}{character}{suffix}")
            }
        }
    }
}

impl<'a> Plan<'a> {
    /// Returns the settings of an extension, whose size is the number of entries to learn.
    pub(crate) fn extending(config: &ExtensionConfig, score: &'static dyn PairScore, spelling: Spelling<'a>) -> Self {
        Self {
            vocab_size: config.new_tokens,
            score,
            min_frequency: config.min_frequency,
            min_word_frequency: 1,
            max_merges: None,
            stop_at_pair_frequency: None,
            is_worthwhile: |_, _| true,
            ties: Ties::Lex,
            special_tokens: &[],
            special_tokens_first: true,
            user_defined_symbols: &[],
            initial_alphabet: &[],
            limit_alphabet: None,
            max_token_length: config.max_token_length,
            spelling,
            compatibility: Compatibility::Own,
        }
    }

    /// Returns the special tokens and user-defined symbols, or an error if one of them is repeated.
    pub(crate) fn named_entries(&self) -> Result<HashSet<&'a str>> {
        let mut named = HashSet::new();
        if let Some(twice) = self.special_tokens.iter().find(|special| !named.insert(special.as_str())) {
            return Err(Error::Config(
                Message::new(format!("{twice:?} is given twice")).setting("special_tokens").hint("remove one of them"),
            ));
        }
        for symbol in self.user_defined_symbols {
            if symbol.is_empty() {
                return Err(Error::Config(
                    Message::new("expected symbols, found an empty one").setting("user_defined_symbols"),
                ));
            }
            if !named.insert(symbol) {
                let reason = if self.special_tokens.contains(symbol) { "is a special token" } else { "is given twice" };
                return Err(Error::Config(
                    Message::new(format!("{symbol:?} {reason}")).setting("user_defined_symbols"),
                ));
            }
        }
        Ok(named)
    }

    /// Returns an error if `vocab_size` is smaller than the entries that are not learned.
    pub(crate) fn check_size(&self, alphabet: usize) -> Result<()> {
        let (size, specials) = (self.vocab_size, self.special_tokens.len());
        let symbols = self.user_defined_symbols.len();
        let least = specials + symbols + alphabet;
        if size >= least {
            return Ok(());
        }
        let named = match symbols {
            0 => format!("{specials} special tokens"),
            _ => format!("{specials} special tokens, {symbols} user-defined symbols"),
        };
        let asked_for: usize =
            self.initial_alphabet.iter().map(|&character| self.spelling.forms(character).count()).sum();
        let or = if alphabet > asked_for { ", or lower the alphabet with `limit_alphabet`" } else { "" };
        let problem = format!("{size} is too small: {named} and an alphabet of {alphabet} need at least {least}");
        Err(Error::Config(Message::new(problem).setting("vocab_size").hint(format!("raise `vocab_size`{or}"))))
    }

    /// Returns the names that no merge may make, apart from the alphabet.
    pub(crate) fn forbidden_names(&self) -> &'a [String] {
        match self.compatibility {
            Compatibility::Own => self.special_tokens,
            Compatibility::Tokenizers => &[],
        }
    }

    /// Returns the special tokens that are single characters, which stay in the alphabet whatever its limit.
    pub(crate) fn special_characters(&self) -> impl Iterator<Item = char> {
        let tokens = if self.compatibility == Compatibility::Tokenizers { self.special_tokens } else { &[] };
        tokens.iter().filter_map(|token| single_character(token))
    }

    /// Returns the settings of the engine.
    pub(crate) fn engine(&self) -> EngineSettings {
        EngineSettings {
            score: self.score,
            ties: self.ties,
            min_frequency: self.min_frequency.max(1),
            max_length: self.max_length(),
            track_frequency: self.stop_at_pair_frequency.is_some(),
        }
    }

    /// Returns the maximum length of a merged symbol in characters.
    fn max_length(&self) -> u32 {
        let longest = self.max_token_length.unwrap_or(usize::MAX);
        // `tokenizers` requires a length below the maximum, but always allows the first pairs.
        let most =
            if self.compatibility == Compatibility::Tokenizers { longest.saturating_sub(1).max(2) } else { longest };
        u32::try_from(most).unwrap_or(u32::MAX)
    }
}
