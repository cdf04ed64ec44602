//! Buckets: the hash tables of short chunks have two entries in each.
//!
//! Two short chunks share a bucket, and a table decides which of them a third one evicts. The number of buckets is a power of
//! two, so that a look-up is O(1).

use std::array::IntoIter;

use super::keys::{ChunkKey, HashedKey};
use crate::memory::{filled, prefetch, prefetch_at};

/// Two keys with their values, the newer first; an empty entry has the default key.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct Bucket<V> {
    pub(super) keys: [ChunkKey; 2],
    pub(super) values: [V; 2],
}

impl<V> Bucket<V> {
    /// Returns the index of the bucket that the lower half of a hash chooses.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "the buckets are far fewer than 2^32")]
    pub(super) fn place(buckets: &[Self], hash: u64) -> usize {
        hash as usize & buckets.len().wrapping_sub(1)
    }

    /// Prefetches the bucket that the lower half of a hash chooses.
    #[inline(always)]
    pub(super) fn prefetch(buckets: &[Self], hash: u64) {
        // Without a branch for a bucket that is not there.
        let place = Self::place(buckets, hash);
        prefetch_at(buckets, place);
        if size_of::<Self>() > 64 {
            buckets.get(place).into_iter().for_each(|bucket| prefetch(&bucket.values[1]));
        }
    }

    /// Returns the index of the entry with a key.
    #[inline(always)]
    fn find(&self, key: ChunkKey) -> Option<usize> {
        // A branch on which of the two it is would be mispredicted; whether one of them matches is predictable.
        let [is_first, is_second] = self.keys.map(|own| own == key);
        (is_first | is_second).then_some(usize::from(is_second))
    }

    /// Returns the value of a key in the bucket that the lower half of a hash chooses.
    #[inline(always)]
    pub(super) fn get(buckets: &[Self], HashedKey { key, hash }: HashedKey) -> Option<&V> {
        let bucket = buckets.get(Self::place(buckets, hash))?;
        Some(&bucket.values[bucket.find(key)?])
    }

    /// Returns the value of a key in the bucket that the lower half of a hash chooses.
    #[inline(always)]
    pub(super) fn get_mut(buckets: &mut [Self], HashedKey { key, hash }: HashedKey) -> Option<&mut V> {
        let place = Self::place(buckets, hash);
        let bucket = buckets.get_mut(place)?;
        Some(&mut bucket.values[bucket.find(key)?])
    }
}

impl<V: Copy + Default> Bucket<V> {
    /// Replaces the buckets by four times as many, which are empty and at most `most`; returns the entries to insert again.
    pub(super) fn grow(
        buckets: &mut Vec<Self>,
        least: usize,
        most: usize,
    ) -> impl Iterator<Item = (ChunkKey, V)> + use<V> {
        let size = (buckets.len() * 4).clamp(least, most);
        let old = std::mem::replace(buckets, filled(Self::default(), size));
        old.into_iter().flat_map(Self::entries).filter(|(key, _)| *key != ChunkKey::default())
    }

    /// Iterates over the two entries, the older first.
    fn entries(self) -> IntoIter<(ChunkKey, V), 2> {
        let Self { keys: [newer, older], values: [new, old] } = self;
        [(older, old), (newer, new)].into_iter()
    }
}
