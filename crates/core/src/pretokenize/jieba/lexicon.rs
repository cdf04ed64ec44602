//! The words with their frequencies: jieba's dictionary, overridden by the user's words.

use hashbrown::HashMap;

use super::logarithm::ln;
use super::tables::{Node, Tables};
use crate::error::{Error, Result};
use crate::hash::FixedHasher;

/// The words of the dictionary and of the user.
#[derive(Debug, Clone)]
pub(super) struct Lexicon {
    tables: &'static Tables,
    user: UserTrie,
    /// The sum of all frequencies, including those that the user has replaced.
    total: u64,
    log_total: f64,
}

/// A trie of the user's words; the root is the first node.
#[derive(Debug, Clone)]
struct UserTrie {
    children: HashMap<(usize, char), usize, FixedHasher>,
    /// For each node the frequency of the user's word that ends there, with its logarithm.
    frequencies: Vec<Option<(u64, f64)>>,
}

/// The state of a look-up after some characters of a text.
#[derive(Clone, Copy)]
enum Place {
    /// A word of the user, with its frequency and logarithm.
    User(u64, f64),
    /// A node of the dictionary.
    Known(Node),
    /// A prefix of a user's word, and not in the dictionary.
    Beginning,
}

/// The most probable segmentation from each character of a block to its end.
#[derive(Debug, Default)]
pub(super) struct Route {
    /// The log-probability of each.
    scores: Vec<f64>,
    /// The length of its first word in characters.
    pub(super) lengths: Vec<usize>,
}

impl Lexicon {
    /// Returns jieba's dictionary without user's words.
    pub(super) fn new() -> Self {
        let tables = Tables::get();
        let user = UserTrie { children: HashMap::default(), frequencies: vec![None] };
        Self { tables, user, total: tables.total, log_total: ln(tables.total) }
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
        self.user.insert(word, frequency);
        Ok(())
    }

    /// Returns the frequency of a word; 0 for a prefix of a word, `None` for other text.
    pub(super) fn frequency(&self, word: &[char]) -> Option<u64> {
        let mut found = None;
        self.walk(word, |length, place| {
            if length == word.len() {
                found = Some(match place {
                    Place::User(frequency, _) => frequency,
                    Place::Known(node) => self.tables.frequency(node),
                    Place::Beginning => 0,
                });
            }
        });
        found
    }

    /// Finds the most probable segmentation of a block of characters, from its end.
    pub(super) fn route(&self, block: &[char], route: &mut Route) {
        route.scores.clear();
        route.scores.resize(block.len() + 1, 0.0);
        route.lengths.clear();
        route.lengths.resize(block.len(), 1);
        for at in (0..block.len()).rev() {
            let rest = &mut route.scores[at..];
            let mut best = f64::MIN;
            self.walk(&block[at..], |length, place| {
                let logarithm = match place {
                    Place::User(_, logarithm) => logarithm,
                    Place::Known(node) => self.tables.logarithm(node),
                    Place::Beginning => return,
                };
                let score = logarithm - self.log_total + rest[length];
                // Of equal scores the longest word is taken; the logarithm of a non-word is -∞, so it is never taken.
                if score >= best {
                    best = score;
                    route.lengths[at] = length;
                }
            });
            rest[0] = if best > f64::MIN { best } else { 0.0 - self.log_total + rest[1] };
        }
    }

    /// Calls `each` with the lengths and states of all prefixes of `text` that are prefixes of words.
    fn walk(&self, text: &[char], mut each: impl FnMut(usize, Place)) {
        let mut known: Option<Node> = None;
        let mut own = Some(0);
        for (at, &c) in text.iter().enumerate() {
            known = if at == 0 { self.tables.first(c) } else { known.and_then(|node| self.tables.child(node, c)) };
            own = own.and_then(|node| self.user.child(node, c));
            let user = own.and_then(|node| self.user.frequencies[node]);
            let place = match (user, known) {
                (Some((frequency, logarithm)), _) => Place::User(frequency, logarithm),
                (None, Some(node)) => Place::Known(node),
                (None, None) if own.is_some() => Place::Beginning,
                (None, None) => break,
            };
            each(at + 1, place);
        }
    }
}

impl UserTrie {
    fn child(&self, node: usize, c: char) -> Option<usize> {
        self.children.get(&(node, c)).copied()
    }

    fn insert(&mut self, word: &str, frequency: u64) {
        let mut node = 0;
        for c in word.chars() {
            node = *self.children.entry((node, c)).or_insert(self.frequencies.len());
            if node == self.frequencies.len() {
                self.frequencies.push(None);
            }
        }
        self.frequencies[node] = Some((frequency, ln(frequency)));
    }
}
