//! The table of symbols: names, widths in slots, lengths in characters, and counts.

use std::cmp::Ordering;

use hashbrown::HashMap;

use super::segments::to_u32;
use crate::hash::FixedHasher;

/// All symbols, by id; their names are distinct.
pub(crate) struct Symbols {
    text: String,
    ends: Vec<usize>,
    widths: Vec<u32>,
    lengths: Vec<u32>,
    counts: Vec<u64>,
    total: u64,
    /// The prefix of the name of a symbol that continues a word; a merge drops it.
    prefix: String,
    /// The suffix of the name of a symbol that ends a word.
    suffix: String,
    ids: HashMap<String, u32, FixedHasher>,
}

impl Symbols {
    /// Returns an empty table. Every symbol that can be the right side of a pair has the prefix, and every one that
    /// ends a word the suffix.
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
            ids: HashMap::with_hasher(FixedHasher::default()),
        }
    }

    /// Adds a symbol of one slot without occurrences, and returns its id. `length` is its number of characters without
    /// prefix and suffix.
    pub(crate) fn add(&mut self, name: &str, length: u32) -> u32 {
        let id = to_u32(self.ends.len());
        self.text.push_str(name);
        self.ends.push(self.text.len());
        self.widths.push(1);
        self.lengths.push(length);
        self.counts.push(0);
        self.ids.insert(name.to_owned(), id);
        id
    }

    /// Adds a token of a model, whose name may have the prefix and the suffix; returns its id.
    pub(crate) fn add_token(&mut self, name: &str) -> u32 {
        let text = name.strip_prefix(&self.prefix).unwrap_or(name);
        let text = text.strip_suffix(&self.suffix).unwrap_or(text);
        let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        self.add(name, length)
    }

    /// Adds the merge of `left` and `right`, or updates its symbol if it exists without occurrences; returns its id.
    pub(crate) fn add_merged(&mut self, left: u32, right: u32) -> u32 {
        let name = self.merged_name(left, right);
        let id = self.find(&name).unwrap_or_else(|| self.add(&name, 0));
        self.widths[id as usize] = self.width(left) + self.width(right);
        self.lengths[id as usize] = self.merged_length(left, right);
        id
    }

    /// Returns the id of the symbol with this name.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.ids.get(name).copied()
    }

    /// Returns the name of the merge of two symbols.
    pub(crate) fn merged_name(&self, left: u32, right: u32) -> String {
        let mut name = String::new();
        self.write_merged_name(left, right, &mut name);
        name
    }

    /// Replaces `name` with the name of the merge of two symbols.
    pub(crate) fn write_merged_name(&self, left: u32, right: u32, name: &mut String) {
        name.clear();
        name.push_str(self.name(left));
        name.push_str(&self.name(right)[self.prefix.len()..]);
    }

    /// Returns the bytes of the name of the merge of two symbols.
    pub(crate) fn merged_bytes(&self, left: u32, right: u32) -> impl Iterator<Item = u8> {
        self.name(left).bytes().chain(self.name(right)[self.prefix.len()..].bytes())
    }

    /// Returns the pairs of symbols whose merge has the name `name`, which is the latest symbol's.
    ///
    /// Texts that start, continue or end a word usually arise from one pair only. There is another pair only where a
    /// word's own text starts like the prefix, or ends like the suffix.
    pub(crate) fn splits<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (u32, u32)> + 'a {
        let searched = if self.is_ambiguous(name) { name } else { "" };
        let inner = searched.char_indices().skip(1);
        inner.filter_map(|(at, _)| {
            let left = *self.ids.get(&name[..at])?;
            let right = *self.ids.get(&format!("{}{}", self.prefix, &name[at..]))?;
            Some((left, right))
        })
    }

    /// Returns whether symbols at two places of a word could both have this name.
    fn is_ambiguous(&self, name: &str) -> bool {
        let (start, end) = (self.prefix.chars().next(), self.suffix.chars().next_back());
        start.is_some_and(|letter| {
            name.starts_with(&self.prefix) && self.ids.contains_key(letter.encode_utf8(&mut [0; 4]) as &str)
        }) || end.is_some_and(|letter| {
            name.ends_with(&self.suffix) && self.ids.contains_key(&format!("{}{letter}", self.prefix))
        })
    }

    /// Returns the number of symbols.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the name of a symbol.
    pub(crate) fn name(&self, id: u32) -> &str {
        let id = id as usize;
        let start = if id == 0 { 0 } else { self.ends[id - 1] };
        &self.text[start..self.ends[id]]
    }

    /// Compares two symbols by the bytes of their names.
    pub(crate) fn compare(&self, one: u32, other: u32) -> Ordering {
        self.name(one).as_bytes().cmp(self.name(other).as_bytes())
    }

    /// Returns the number of slots that a symbol covers.
    pub(crate) fn width(&self, id: u32) -> u32 {
        self.widths[id as usize]
    }

    /// Returns the length of the merge of two symbols in characters, without prefix and suffix.
    pub(crate) fn merged_length(&self, left: u32, right: u32) -> u32 {
        self.lengths[left as usize] + self.lengths[right as usize]
    }

    /// Returns the number of occurrences of a symbol.
    pub(crate) fn count(&self, id: u32) -> u64 {
        self.counts[id as usize]
    }

    /// Returns the number of symbols in all segments.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Adds `more` to the count of a symbol; returns false if the total does not fit into 64 bits.
    #[must_use]
    pub(crate) fn increase(&mut self, id: u32, more: u64) -> bool {
        let sum = self.total.checked_add(more);
        self.total = sum.unwrap_or(u64::MAX);
        let count = &mut self.counts[id as usize];
        *count = count.saturating_add(more);
        sum.is_some()
    }

    /// Updates the counts after `times` occurrences of the pair became occurrences of `new`.
    pub(crate) fn apply_merge(&mut self, left: u32, right: u32, new: u32, times: u64) {
        self.counts[left as usize] -= times;
        self.counts[right as usize] -= times;
        self.counts[new as usize] += times;
        self.total -= times;
    }
}
