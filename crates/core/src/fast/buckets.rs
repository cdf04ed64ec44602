//! Hash tables of short chunks, in buckets of two entries.
//!
//! A table decides which of the two entries of its bucket a new one evicts. The number of buckets is a power of two, so a
//! mask chooses one.

use super::keys::{ChunkKey, HashedKey};
use crate::memory::{filled, prefetch, prefetch_at};

/// A key with its value; an empty entry has the default key.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry<V> {
    pub(super) key: ChunkKey,
    pub(super) value: V,
}

/// Two entries, the newer first.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct Bucket<V>(pub(super) [Entry<V>; 2]);

impl<V> Entry<V> {
    /// Returns whether the entry is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.key == ChunkKey::default()
    }
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
            buckets.get(place).into_iter().for_each(|bucket| prefetch(&bucket.0[1]));
        }
    }

    /// Returns the index of the only entry that may have a key.
    #[inline(always)]
    fn index(&self, key: ChunkKey) -> usize {
        // A branch on which of the two it is would be mispredicted; whether it has the key is predictable.
        usize::from(self.0[1].key == key)
    }

    /// Returns the value of a key in the bucket that the lower half of a hash chooses.
    #[inline(always)]
    pub(super) fn get(buckets: &[Self], HashedKey { key, hash }: HashedKey) -> Option<&V> {
        let bucket = buckets.get(Self::place(buckets, hash))?;
        let entry = &bucket.0[bucket.index(key)];
        (entry.key == key).then_some(&entry.value)
    }

    /// Returns the value of a key in the bucket that the lower half of a hash chooses.
    #[inline(always)]
    pub(super) fn get_mut(buckets: &mut [Self], HashedKey { key, hash }: HashedKey) -> Option<&mut V> {
        let place = Self::place(buckets, hash);
        let bucket = buckets.get_mut(place)?;
        let entry = &mut bucket.0[bucket.index(key)];
        (entry.key == key).then_some(&mut entry.value)
    }
}

impl<V: Copy + Default> Bucket<V> {
    /// Replaces the buckets by four times as many, which are empty and at most `most`; returns the entries to insert again.
    pub(super) fn grow(buckets: &mut Vec<Self>, least: usize, most: usize) -> impl Iterator<Item = Entry<V>> + use<V> {
        let size = (buckets.len() * 4).clamp(least, most);
        let old = std::mem::replace(buckets, filled(Self::default(), size));
        old.into_iter().flat_map(|bucket| bucket.0.into_iter().rev()).filter(|entry| !entry.is_empty())
    }
}
