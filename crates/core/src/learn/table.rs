//! The words of a training: those to learn from, and those that are user-defined symbols.

use std::collections::HashSet;

use super::CountedWords;
use super::plan::Plan;
use crate::error::{Error, Message, Result};

/// The words and their counts, without those that are too rare.
pub(crate) struct TrainingWords<'w> {
    /// The words to learn from.
    pub(crate) words: CountedWords<'w>,
    /// The words that are user-defined symbols: nothing is learned from them, but they are counted.
    pub(crate) whole: Vec<(&'w str, u64)>,
}

impl<'w> TrainingWords<'w> {
    /// Divides the words, without a copy if all are learned from; returns an error if there is no word.
    pub(crate) fn new(words: &'w CountedWords<'w>, plan: &Plan<'_>) -> Result<Self> {
        let symbols: HashSet<&str> = plan.user_defined_symbols.iter().map(String::as_str).collect();
        let is_whole = |word: &str| !symbols.is_empty() && symbols.contains(word);
        let least = plan.min_word_frequency.max(1);
        let mut kept = words.borrowed();
        kept.retain(|word, count| count >= least && !word.is_empty() && !is_whole(word));
        let whole = words.iter().filter(|&(word, count)| count > 0 && is_whole(word)).collect();
        let table = Self { words: kept, whole };
        if table.words.is_empty() && table.whole.is_empty() {
            let message = Message::new("empty corpus: no word is left to train on")
                .hint("pass text, or lower `min_word_frequency`, which excludes rare words");
            return Err(Error::Counts(message));
        }
        Ok(table)
    }

    /// Returns all words.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.words.iter().chain(self.whole.iter().copied())
    }
}
