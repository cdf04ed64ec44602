//! The words of a training: those to learn from, and those that are entries already.

use std::borrow::Cow;
use std::collections::HashSet;

use super::config::TrainerConfig;

/// Words and their counts, without those that are too rare.
pub(super) struct Table<'w> {
    /// The words that are taken to pieces.
    pub(super) words: Cow<'w, [(&'w str, u64)]>,
    /// The words that are user-defined symbols: nothing is learned from them, but they are counted.
    pub(super) whole: Vec<(&'w str, u64)>,
}

impl<'w> Table<'w> {
    /// Divides the words; where all are learned from, without a copy.
    pub(super) fn new(words: &'w [(&'w str, u64)], config: &TrainerConfig) -> Self {
        let symbols: HashSet<&str> = config.user_defined_symbols.iter().map(String::as_str).collect();
        let is_whole = |word: &str| !symbols.is_empty() && symbols.contains(word);
        let least = config.min_word_frequency.max(1);
        let is_kept = |&(word, count): &(&str, u64)| count >= least && !word.is_empty() && !is_whole(word);
        if words.iter().all(is_kept) {
            return Self { words: Cow::Borrowed(words), whole: Vec::new() };
        }
        let whole = words.iter().copied().filter(|&(word, count)| count > 0 && is_whole(word)).collect();
        Self { words: words.iter().copied().filter(is_kept).collect(), whole }
    }

    /// Whether no word is left, of either kind.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.whole.is_empty()
    }

    /// All words.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'w str, u64)> {
        self.words.iter().chain(&self.whole).copied()
    }
}
