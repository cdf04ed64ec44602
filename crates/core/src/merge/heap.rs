//! A priority queue for many entries of which few are ever popped.
//!
//! The largest entries are in a heap that fits a processor's cache. The others are in an unordered list. Entries move
//! between the two, by quickselect in linear time, only when the heap is empty or too large.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::memory::Growable;

/// An entry of the queue; the largest keys come first.
#[derive(Clone, Copy)]
pub(super) struct HeapEntry {
    pub(super) key: f64,
    pub(super) id: u32,
    pub(super) version: u32,
}

impl Ord for HeapEntry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.total_cmp(&other.key).then(self.id.cmp(&other.id))
    }
}

impl PartialOrd for HeapEntry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for HeapEntry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for HeapEntry {}

/// Entries in the order of their keys.
pub(super) struct Heap {
    front: BinaryHeap<HeapEntry>,
    rest: Vec<HeapEntry>,
    /// All keys of the unordered list are below it, and none of the heap's.
    min_front_key: f64,
    /// The maximum number of entries in the heap.
    max_front: usize,
}

/// The number of entries moved to the heap at a time: one in `FRONT_SHARE`, but at least `MIN_FRONT`.
const FRONT_SHARE: usize = 32;
const MIN_FRONT: usize = if cfg!(debug_assertions) { 2 } else { 1 << 11 };

impl Heap {
    /// Returns an empty queue.
    pub(super) fn new() -> Self {
        Self { front: BinaryHeap::new(), rest: Vec::new(), min_front_key: f64::NEG_INFINITY, max_front: 2 * MIN_FRONT }
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.front.len() + self.rest.len()
    }

    /// Adds an entry, whose key is not NaN.
    pub(super) fn push(&mut self, entry: HeapEntry) {
        if entry.key < self.min_front_key {
            self.rest.make_room(1);
            self.rest.push(entry);
            return;
        }
        self.front.make_room(1);
        self.front.push(entry);
        if self.front.len() > self.max_front {
            let mut all = std::mem::take(&mut self.front).into_vec();
            self.partition(&mut all, self.max_front / 2);
            self.rest.make_room(all.len());
            self.rest.append(&mut all);
        }
    }

    /// Removes and returns the entry with the largest key, if that is at least `least`.
    pub(super) fn pop(&mut self, least: f64) -> Option<HeapEntry> {
        if self.front.is_empty() && least < self.min_front_key {
            let mut all = std::mem::take(&mut self.rest);
            let wanted = MIN_FRONT.max(all.len() / FRONT_SHARE);
            self.partition(&mut all, wanted);
            self.rest = all;
        }
        self.front.peek().is_some_and(|top| top.key >= least).then(|| self.front.pop())?
    }

    /// Removes all entries for which `keep` is false.
    pub(super) fn retain(&mut self, mut keep: impl FnMut(&HeapEntry) -> bool) {
        self.front.retain(&mut keep);
        self.rest.retain(&mut keep);
    }

    /// Moves the largest `wanted` entries of `all`, and those with equal keys, to the heap.
    fn partition(&mut self, all: &mut Vec<HeapEntry>, wanted: usize) {
        self.min_front_key = if wanted < all.len() {
            all.select_nth_unstable_by(wanted, |one, other| other.cmp(one)).1.key
        } else {
            f64::NEG_INFINITY
        };
        self.front = all.extract_if(.., |entry| entry.key >= self.min_front_key).collect();
        self.max_front = 2 * self.front.len().max(MIN_FRONT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pops_the_largest_keys_first() {
        let entry = |key: f64| HeapEntry { key, id: 0, version: 0 };
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
