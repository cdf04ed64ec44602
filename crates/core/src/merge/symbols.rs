//! What is known of each symbol: how it is written, how wide and how long it is, how often it occurs.

use std::cmp::Ordering;

use hashbrown::HashMap;

use super::Hash;
use super::segments::number;

/// All symbols, by id; no two are written alike.
pub(crate) struct Symbols {
    text: String,
    ends: Vec<usize>,
    widths: Vec<u32>,
    lengths: Vec<u32>,
    counts: Vec<u64>,
    total: u64,
    /// What stands before the name of a symbol that continues a word; a merge drops it.
    prefix: String,
    /// What stands behind the name of a symbol that ends a word.
    suffix: String,
    ids: HashMap<String, u32, Hash>,
}

impl Symbols {
    /// No symbols yet. Every symbol that can stand on the right of a pair is written with the prefix, and every one
    /// that ends a word with the suffix.
    pub(crate) fn new(prefix: &str, suffix: &str) -> Self {
        Self {
            text: String::new(),
            ends: Vec::new(),
            widths: Vec::new(),
            lengths: Vec::new(),
            counts: Vec::new(),
            total: 0,
            prefix: prefix.to_owned(),
            suffix: suffix.to_owned(),
            ids: HashMap::with_hasher(Hash::default()),
        }
    }

    /// Adds a symbol of one slot that occurs nowhere yet, and gives its id; `length` is how many characters it has, what
    /// marks its place in the word not counted.
    pub(crate) fn add(&mut self, name: &str, length: u32) -> u32 {
        let id = number(self.ends.len());
        self.text.push_str(name);
        self.ends.push(self.text.len());
        self.widths.push(1);
        self.lengths.push(length);
        self.counts.push(0);
        self.ids.insert(name.to_owned(), id);
        id
    }

    /// Adds what `left` and `right` make, or finds it, if it was known before it occurred anywhere.
    pub(crate) fn add_merged(&mut self, left: u32, right: u32) -> u32 {
        let name = self.joined(left, right);
        let id = self.find(&name).unwrap_or_else(|| self.add(&name, 0));
        self.widths[id as usize] = self.width(left) + self.width(right);
        self.lengths[id as usize] = self.length_joined(left, right);
        id
    }

    /// The symbol that is written so.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.ids.get(name).copied()
    }

    /// How the merge of two symbols is written.
    pub(crate) fn joined(&self, left: u32, right: u32) -> String {
        let (left, right) = (self.name(left), &self.name(right)[self.prefix.len()..]);
        let mut name = String::with_capacity(left.len() + right.len());
        name.push_str(left);
        name.push_str(right);
        name
    }

    /// The same as bytes.
    pub(crate) fn bytes_joined(&self, left: u32, right: u32) -> impl Iterator<Item = u8> {
        self.name(left).bytes().chain(self.name(right)[self.prefix.len()..].bytes())
    }

    /// The pairs of symbols whose merge is written like `name`, the latest symbol's.
    ///
    /// A text that starts a word, or continues one, or ends one, never arises from two pairs. So there is
    /// another pair only where a word's own text starts as the prefix does, or ends as the suffix does.
    pub(crate) fn splits<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (u32, u32)> + 'a {
        let searched = if self.is_ambiguous(name) { name } else { "" };
        let inner = searched.char_indices().skip(1);
        inner.filter_map(|(at, _)| {
            let left = *self.ids.get(&name[..at])?;
            let right = *self.ids.get(&format!("{}{}", self.prefix, &name[at..]))?;
            Some((left, right))
        })
    }

    /// Whether symbols at two places of a word could both be written so.
    fn is_ambiguous(&self, name: &str) -> bool {
        let (start, end) = (self.prefix.chars().next(), self.suffix.chars().next_back());
        start.is_some_and(|letter| {
            name.starts_with(&self.prefix) && self.ids.contains_key(letter.encode_utf8(&mut [0; 4]) as &str)
        }) || end.is_some_and(|letter| {
            name.ends_with(&self.suffix) && self.ids.contains_key(&format!("{}{letter}", self.prefix))
        })
    }

    /// How many symbols there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How a symbol is written.
    pub(crate) fn name(&self, id: u32) -> &str {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.text[start..self.ends[id]]
    }

    /// Compares two symbols by the bytes of their names.
    pub(crate) fn compare(&self, one: u32, other: u32) -> Ordering {
        self.name(one).as_bytes().cmp(self.name(other).as_bytes())
    }

    /// How many slots a symbol covers.
    pub(crate) fn width(&self, id: u32) -> u32 {
        self.widths[id as usize]
    }

    /// How many characters the merge of two symbols has, what marks its place in the word not counted.
    pub(crate) fn length_joined(&self, left: u32, right: u32) -> u32 {
        self.lengths[left as usize] + self.lengths[right as usize]
    }

    /// How often a symbol occurs.
    pub(crate) fn count(&self, id: u32) -> u64 {
        self.counts[id as usize]
    }

    /// How many symbols the whole table holds.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Notes that a symbol occurs `more` times more; false if the sum does not fit.
    #[must_use]
    pub(crate) fn increase(&mut self, id: u32, more: u64) -> bool {
        let sum = self.total.checked_add(more);
        self.total = sum.unwrap_or(u64::MAX);
        let count = &mut self.counts[id as usize];
        *count = count.saturating_add(more);
        sum.is_some()
    }

    /// Moves the counts: `times` occurrences of the pair became occurrences of `new`.
    pub(crate) fn note_merge(&mut self, left: u32, right: u32, new: u32, times: u64) {
        self.counts[left as usize] -= times;
        self.counts[right as usize] -= times;
        self.counts[new as usize] += times;
        self.total -= times;
    }
}
