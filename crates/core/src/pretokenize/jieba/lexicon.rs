//! The words with their frequencies: jieba's dictionary, overridden by the user's words.

use crate::stop::Work;
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
    /// A trie of the user's words: the child of a node by a character. The root is node 0.
    children: HashMap<(usize, char), usize, FixedHasher>,
    /// For each node the frequency of the user's word that ends there.
    own: Vec<Option<Frequency>>,
    /// The sum of all frequencies, including those that the user has replaced.
    total: u64,
    log_total: f64,
}

impl Lexicon {
    /// Returns jieba's dictionary without user's words.
    pub(super) fn new() -> Self {
        let tables = Tables::get();
        Self { tables, children: HashMap::default(), own: vec![None], total: tables.total, log_total: ln(tables.total) }
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
        let mut node = 0;
        for c in word.chars() {
            node = *self.children.entry((node, c)).or_insert(self.own.len());
            if node == self.own.len() {
                self.own.push(None);
            }
        }
        self.own[node] = Some((frequency, ln(frequency)));
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
        let mut work = Work::default();
        for at in (0..block.len()).rev() {
            work.add(1);
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
        let (mut known, mut own) = (None, Some(0));
        for (at, &c) in text.iter().enumerate() {
            known = if at == 0 { self.tables.first(c) } else { known.and_then(|node| self.tables.child(node, c)) };
            own = own.and_then(|node| self.children.get(&(node, c)).copied());
            let frequency = match (own.and_then(|node| self.own[node]), known) {
                (Some(own), _) => own,
                (None, Some(node)) => self.tables.frequency(node),
                (None, None) if own.is_some() => (0, f64::NEG_INFINITY),
                (None, None) => break,
            };
            each(at + 1, frequency);
        }
    }
}
