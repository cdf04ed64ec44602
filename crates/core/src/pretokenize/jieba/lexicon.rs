//! The words with their frequencies: jieba's dictionary, overridden by the user's words.

use hashbrown::HashMap;

use super::logarithm::ln;
use super::tables::Tables;
use crate::error::{Error, Result};
use crate::hash::FixedHasher;

/// The frequency of a word and its logarithm.
pub(super) type Frequency = (u64, f64);

/// The words of the dictionary and of the user.
#[derive(Debug, Clone)]
pub(super) struct Lexicon {
    tables: &'static Tables,
    /// The user's words with their frequencies, and the prefixes of these words.
    user: HashMap<Vec<char>, Option<Frequency>, FixedHasher>,
    /// The sum of all frequencies, including those that the user has replaced.
    total: u64,
    log_total: f64,
}

impl Lexicon {
    /// Returns jieba's dictionary without user's words.
    pub(super) fn new() -> Self {
        let tables = Tables::get();
        Self { tables, user: HashMap::default(), total: tables.total, log_total: ln(tables.total) }
    }

    /// Returns the tables of the dictionary and the model.
    pub(super) fn tables(&self) -> &'static Tables {
        self.tables
    }

    /// Returns the sum of all frequencies.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Adds a word, or replaces its frequency; 0 removes it.
    pub(super) fn add(&mut self, word: &str, frequency: u64) -> Result<()> {
        self.total = self
            .total
            .checked_add(frequency)
            .ok_or_else(|| Error::Overflow("the frequencies of the user's words sum up to 2^64 or more".into()))?;
        self.log_total = ln(self.total);
        let word: Vec<char> = word.chars().collect();
        for end in 1..word.len() {
            self.user.entry_ref(&word[..end]).or_insert(None);
        }
        self.user.insert(word, Some((frequency, ln(frequency))));
        Ok(())
    }

    /// Returns the frequency of a word; 0 for a prefix of a word, `None` for other text.
    pub(super) fn frequency(&self, word: &[char]) -> Option<u64> {
        let mut found = None;
        self.walk(word, |length, (frequency, _)| found = (length == word.len()).then_some(frequency));
        found
    }

    /// Finds the most probable segmentation from each character of a block to its end (Viterbi's algorithm).
    ///
    /// Sets `scores` to the log-probability of each, and `lengths` to the length of its first word in characters.
    pub(super) fn route(&self, block: &[char], scores: &mut Vec<f64>, lengths: &mut Vec<usize>) {
        scores.clear();
        scores.resize(block.len() + 1, 0.0);
        lengths.clear();
        lengths.resize(block.len(), 1);
        for at in (0..block.len()).rev() {
            let rest = &mut scores[at..];
            let mut best = f64::MIN;
            self.walk(&block[at..], |length, (_, logarithm)| {
                let score = logarithm - self.log_total + rest[length];
                // Of equal scores the longest word is taken; the logarithm of a non-word is -∞, so it is never taken.
                if score >= best {
                    best = score;
                    lengths[at] = length;
                }
            });
            rest[0] = if best > f64::MIN { best } else { 0.0 - self.log_total + rest[1] };
        }
    }

    /// Calls `each` with the lengths and frequencies of all prefixes of `text` that are prefixes of words.
    fn walk(&self, text: &[char], mut each: impl FnMut(usize, Frequency)) {
        let (mut node, mut may_be_own) = (None, true);
        for (at, &c) in text.iter().enumerate() {
            node = if at == 0 { self.tables.first(c) } else { node.and_then(|node| self.tables.child(node, c)) };
            let own = if may_be_own { self.user.get(&text[..=at]) } else { None };
            may_be_own = own.is_some();
            let frequency = match (own, node) {
                (Some(Some(own)), _) => *own,
                (_, Some(node)) => self.tables.frequency(node),
                (Some(None), None) => (0, f64::NEG_INFINITY),
                (None, None) => break,
            };
            each(at + 1, frequency);
        }
    }
}
