//! A priority queue for many entries of which few ever come to the top.
//!
//! Those near the top lie in a heap that is small enough for a processor's cache. The others lie in no order at all, until
//! the heap is empty.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Something to come back to, the larger keys first.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) key: f64,
    pub(super) id: u32,
    pub(super) version: u32,
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.total_cmp(&other.key).then(self.id.cmp(&other.id))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Entry {}

/// Entries by their keys.
pub(super) struct Heap {
    near: BinaryHeap<Entry>,
    far: Vec<Entry>,
    /// All far keys lie below, and no near one.
    edge: f64,
    /// How many entries may be near.
    room: usize,
}

/// How many entries come near at a time: one in so many, and no fewer than these.
const SHARE: usize = 32;
const LEAST: usize = if cfg!(debug_assertions) { 2 } else { 1 << 11 };

impl Heap {
    /// Nothing yet.
    pub(super) fn new() -> Self {
        Self { near: BinaryHeap::new(), far: Vec::new(), edge: f64::NEG_INFINITY, room: 2 * LEAST }
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.near.len() + self.far.len()
    }

    /// Adds an entry, whose key is a number.
    pub(super) fn push(&mut self, entry: Entry) {
        if entry.key < self.edge {
            self.far.push(entry);
            return;
        }
        self.near.push(entry);
        if self.near.len() > self.room {
            let mut all = std::mem::take(&mut self.near).into_vec();
            self.divide(&mut all, self.room / 2);
            self.far.append(&mut all);
        }
    }

    /// Takes out the entry with the largest key, if that is at least `least`.
    pub(super) fn pop(&mut self, least: f64) -> Option<Entry> {
        if self.near.is_empty() && least < self.edge {
            let mut all = std::mem::take(&mut self.far);
            let wanted = LEAST.max(all.len() / SHARE);
            self.divide(&mut all, wanted);
            self.far = all;
        }
        self.near.peek().is_some_and(|top| top.key >= least).then(|| self.near.pop())?
    }

    /// Forgets all entries but those that are to be kept.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&Entry) -> bool) {
        self.near.retain(&mut keep);
        self.far.retain(&mut keep);
    }

    /// Makes the largest `wanted` of `all`, and their equals, the near ones; leaves the others.
    fn divide(&mut self, all: &mut Vec<Entry>, wanted: usize) {
        self.edge = if wanted < all.len() {
            all.select_nth_unstable_by(wanted, |one, other| other.cmp(one)).1.key
        } else {
            f64::NEG_INFINITY
        };
        self.near = all.extract_if(.., |entry| entry.key >= self.edge).collect();
        self.room = 2 * self.near.len().max(LEAST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_largest_keys_first() {
        let entry = |key: f64| Entry { key, id: 0, version: 0 };
        let keys =
            |heap: &mut Heap, least| std::iter::from_fn(|| heap.pop(least)).map(|entry| entry.key).collect::<Vec<_>>();
        let mut heap = Heap::new();
        assert!(heap.pop(f64::NEG_INFINITY).is_none());
        for key in 0..100 {
            heap.push(entry(f64::from(key * 37 % 50)));
        }
        assert_eq!(keys(&mut heap, 45.0), [49, 49, 48, 48, 47, 47, 46, 46, 45, 45].map(f64::from));
        for key in [46.0, 20.5, 44.0] {
            heap.push(entry(key));
        }
        heap.retain(|entry| entry.key >= 20.0 && entry.key != 43.0);
        assert_eq!(heap.len(), 51);
        assert_eq!(keys(&mut heap, 42.0), [46, 44, 44, 44, 42, 42].map(f64::from));
        let rest = keys(&mut heap, f64::NEG_INFINITY);
        assert!(rest.is_sorted_by(|one, other| one >= other) && rest.contains(&20.5));
        assert_eq!((rest.len(), heap.len()), (45, 0));
    }
}
