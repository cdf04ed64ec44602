//! What a trainer asks for, in the terms that all trainers share.

use std::collections::HashSet;

use crate::error::{Error, Result};
use crate::merge::score::Score;
use crate::merge::{Settings, Ties};

/// The settings of a training, lent by those of a trainer.
#[derive(Clone, Copy)]
pub(crate) struct Plan<'a> {
    /// How many entries to stop at, special tokens, user-defined symbols and alphabet included.
    pub(crate) vocab_size: usize,
    /// What makes a pair good.
    pub(crate) score: &'static dyn Score,
    /// Pairs that occur less often are not merged.
    pub(crate) min_frequency: u64,
    /// Words that occur less often are left out, unless they are user-defined symbols.
    pub(crate) min_word_frequency: u64,
    /// How many merges to stop at.
    pub(crate) max_merges: Option<usize>,
    /// Stop when no pair occurs more often than this.
    pub(crate) stop_at_pair_frequency: Option<u64>,
    /// Which of equally good pairs is merged.
    pub(crate) ties: Ties,
    /// Entries that are not learned.
    pub(crate) special_tokens: &'a [String],
    /// Whether they have the first ids, not the last.
    pub(crate) special_tokens_first: bool,
    /// Whole words that are entries whether they occur or not; nothing is learned from those that do.
    pub(crate) user_defined_symbols: &'a [String],
    /// Characters that are in the alphabet whether they occur or not.
    pub(crate) initial_alphabet: &'a [char],
    /// How many characters to keep.
    pub(crate) limit_alphabet: Option<usize>,
    /// The most characters of a learned entry, prefix and suffix not counted.
    pub(crate) max_token_length: Option<usize>,
    /// How symbols are written.
    pub(crate) spelling: Spelling<'a>,
    /// What becomes of characters that are not kept, of the alphabet, and of special tokens that merges would make.
    pub(crate) customs: Customs,
}

/// What two families of trainers do differently beside ties.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Customs {
    /// A word is cut where a character is not kept; the alphabet has the forms that occur, and the wanted characters in all
    /// forms; no merge makes a special token.
    Own,
    /// As in `tokenizers`: such a character vanishes, the alphabet has all characters without prefix and suffix and then the
    /// other forms that occur, and a merge may make a special token.
    Tokenizers,
}

/// How the symbols of a word are written, by where they stand.
#[derive(Clone, Copy)]
pub(crate) struct Spelling<'a> {
    /// What stands before a symbol that does not begin the word.
    pub(crate) prefix: &'a str,
    /// What stands behind a symbol that ends the word.
    pub(crate) suffix: &'a str,
    /// Whether the suffix is a symbol of its own.
    pub(crate) separate: bool,
}

/// A symbol to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A character where it begins a word or does not, and ends it or does not, as far as that makes a difference.
    Letter { letter: char, first: bool, last: bool },
    /// The suffix as a symbol of its own.
    Suffix,
}

impl<'a> Spelling<'a> {
    /// Characters with a prefix, but for the first of a word.
    pub(crate) fn prefixed(prefix: &'a str) -> Self {
        Self { prefix, suffix: "", separate: false }
    }

    /// The form of a character that begins a word or does not, and ends it or does not.
    pub(crate) fn form(&self, letter: char, begins: bool, ends: bool) -> Form {
        Form::Letter { letter, first: begins || self.prefix.is_empty(), last: ends && self.marks_last() }
    }

    /// All forms of a character.
    pub(crate) fn forms(self, letter: char) -> impl Iterator<Item = Form> {
        let firsts: &[bool] = if self.prefix.is_empty() { &[true] } else { &[true, false] };
        let lasts: &[bool] = if self.marks_last() { &[false, true] } else { &[false] };
        lasts.iter().flat_map(move |&last| firsts.iter().map(move |&first| Form::Letter { letter, first, last }))
    }

    /// Whether each word ends with the suffix as a symbol.
    pub(crate) fn ends_words(&self) -> bool {
        self.separate && !self.suffix.is_empty()
    }

    /// Whether the last character of a word is written with the suffix.
    fn marks_last(&self) -> bool {
        !self.separate && !self.suffix.is_empty()
    }

    /// How a symbol is written.
    pub(crate) fn written(&self, form: Form) -> String {
        match form {
            Form::Suffix => format!("{}{}", self.prefix, self.suffix),
            Form::Letter { letter, first, last } => {
                let prefix = if first { "" } else { self.prefix };
                let suffix = if last { self.suffix } else { "" };
                format!("{prefix}{letter}{suffix}")
            }
        }
    }
}

impl<'a> Plan<'a> {
    /// The special tokens and the user-defined symbols, each of which is an entry of its own.
    pub(crate) fn named(&self) -> Result<HashSet<&'a str>> {
        let mut named = HashSet::new();
        if let Some(twice) = self.special_tokens.iter().find(|special| !named.insert(special.as_str())) {
            return Err(Error::Config(format!("the special token {twice:?} is given twice")));
        }
        for symbol in self.user_defined_symbols {
            if symbol.is_empty() {
                return Err(Error::Config("user_defined_symbols: an empty one".to_owned()));
            }
            if !named.insert(symbol) {
                let reason = if self.special_tokens.contains(symbol) { "is a special token" } else { "is given twice" };
                return Err(Error::Config(format!("user_defined_symbols: {symbol:?} {reason}")));
            }
        }
        Ok(named)
    }

    /// Refuses a size that cannot hold what must be in the vocabulary.
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
        let asked_for: usize = self.initial_alphabet.iter().map(|&letter| self.spelling.forms(letter).count()).sum();
        let or = if alphabet > asked_for { ", or lower the alphabet with limit_alphabet" } else { "" };
        Err(Error::Config(format!(
            "vocab_size={size} is too small: {named} and an alphabet of {alphabet} need at least {least}; \
             raise vocab_size{or}"
        )))
    }

    /// The names that no merge may make, the alphabet apart.
    pub(crate) fn barred(&self) -> &'a [String] {
        match self.customs {
            Customs::Own => self.special_tokens,
            Customs::Tokenizers => &[],
        }
    }

    /// The special tokens that are characters which words may consist of, whatever limit the alphabet has.
    pub(crate) fn letters_among_specials(&self) -> impl Iterator<Item = char> {
        let tokens = if self.customs == Customs::Tokenizers { self.special_tokens } else { &[] };
        tokens.iter().filter_map(|token| {
            let mut letters = token.chars();
            letters.next().filter(|_| letters.as_str().is_empty())
        })
    }

    /// What the engine is asked for.
    pub(crate) fn engine(&self) -> Settings {
        Settings {
            score: self.score,
            ties: self.ties,
            min_frequency: self.min_frequency.max(1),
            max_length: self.max_length(),
            track_frequency: self.stop_at_pair_frequency.is_some(),
        }
    }

    fn max_length(&self) -> u32 {
        let longest = self.max_token_length.unwrap_or(usize::MAX);
        // The library asks for less than the most, but lets the first pairs through, whatever it is.
        let most = if self.customs == Customs::Tokenizers { longest.saturating_sub(1).max(2) } else { longest };
        u32::try_from(most).unwrap_or(u32::MAX)
    }
}
