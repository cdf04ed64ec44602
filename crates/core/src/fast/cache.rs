//! What became of chunks that were met before.
//!
//! The key is the chunk as it stands in the text, before normalization. Chunks of up to fifteen bytes that became up to
//! three tokens live in a table of fixed size, two to a cache line: a third one pushes out the older. All others live in
//! a second tier, which is emptied when it is full.

use std::hash::BuildHasher;

use hashbrown::HashTable;

/// The longest chunk of the first tier, in bytes.
pub(super) const SHORT: usize = 15;
/// The most ids of an entry of the first tier.
const FEW: usize = 3;
/// Longer chunks are not kept at all.
pub(super) const LONG: usize = 256;

/// A chunk of the first tier: its bytes and, in the highest byte, their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Key(u128);

impl Key {
    /// The key of `text[start..end]`, which has 1 to [`SHORT`] bytes.
    #[inline]
    pub(super) fn new(text: &[u8], start: usize, end: usize) -> Self {
        let length = end - start;
        let bytes = match text.get(start..start + 16) {
            Some(bytes) => u128::from_le_bytes(bytes.try_into().expect("sixteen bytes")),
            None => {
                let mut bytes = [0; 16];
                bytes[..length].copy_from_slice(&text[start..end]);
                u128::from_le_bytes(bytes)
            }
        };
        let kept = bytes & (u128::MAX >> (128 - 8 * length));
        Self(kept | (length as u128) << 120)
    }

    /// Mixes all bits; whoever makes keys collide makes misses, and no more.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "halves are what is wanted")]
    pub(super) fn hash(self) -> u64 {
        let (low, high) = (self.0 as u64, (self.0 >> 64) as u64);
        let product = u128::from(low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high ^ 0xD1B5_4A32_D192_ED03);
        (product as u64) ^ (product >> 64) as u64
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    key: Key,
    ids: [u32; FEW],
    count: u32,
}

/// Two entries, the younger first.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Line([Entry; 2]);

/// The cache of a worker.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    lines: Vec<Line>,
    /// How many entries were put into the first tier since it last grew.
    filled: usize,
    long: HashTable<Long>,
    bytes: Vec<u8>,
    ids: Vec<u32>,
}

/// A chunk of the second tier.
#[derive(Debug, Clone, Copy)]
struct Long {
    start: u32,
    length: u32,
    first: u32,
    count: u32,
}

/// The fewest and the most lines of the first tier: two entries, 64 bytes each.
const FEWEST: usize = 1 << 6;
const MOST: usize = 1 << 15;
/// The most entries, bytes and ids of the second tier.
const MOST_LONG: usize = 1 << 14;
const MOST_BYTES: usize = 1 << 20;

impl Cache {
    /// The ids of a short chunk.
    #[inline]
    pub(super) fn short(&self, key: Key) -> Option<(&[u32; FEW], usize)> {
        let line = self.lines.get(self.place(key))?;
        let entry = line.0.iter().find(|entry| entry.key == key)?;
        Some((&entry.ids, entry.count as usize))
    }

    /// Keeps the ids of a short chunk; false if they are too many.
    pub(super) fn keep_short(&mut self, key: Key, ids: &[u32]) -> bool {
        if ids.len() > FEW {
            return false;
        }
        let mut entry = Entry { key, ids: [0; FEW], count: u32::try_from(ids.len()).unwrap_or_default() };
        entry.ids[..ids.len()].copy_from_slice(ids);
        if self.lines.is_empty() || (self.filled > self.lines.len() && self.lines.len() < MOST) {
            self.grow();
        }
        self.filled += 1;
        self.put(entry);
        true
    }

    fn put(&mut self, entry: Entry) {
        let place = self.place(entry.key);
        let line = &mut self.lines[place].0;
        line[1] = line[0];
        line[0] = entry;
    }

    fn grow(&mut self) {
        let size = (self.lines.len() * 4).clamp(FEWEST, MOST);
        let old = std::mem::replace(&mut self.lines, vec![Line::default(); size]);
        self.filled = 0;
        for entry in old.iter().flat_map(|line| line.0.iter().rev()).filter(|entry| entry.key != Key::default()) {
            self.filled += 1;
            self.put(*entry);
        }
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the lines are far fewer than 2^32")]
    fn place(&self, key: Key) -> usize {
        // The number of lines is a power of two.
        key.hash() as usize & self.lines.len().wrapping_sub(1)
    }

    /// The ids of a chunk of the second tier.
    pub(super) fn long(&self, chunk: &[u8]) -> Option<&[u32]> {
        let found = self.long.find(hash(chunk), |entry| entry.bytes(&self.bytes) == chunk)?;
        Some(&self.ids[found.first as usize..][..found.count as usize])
    }

    /// Keeps the ids of a chunk that is not yet in the second tier.
    #[expect(clippy::cast_possible_truncation, reason = "bounded far below")]
    pub(super) fn keep_long(&mut self, chunk: &[u8], ids: &[u32]) {
        if chunk.len() > LONG || ids.len() > LONG {
            return;
        }
        if self.long.len() >= MOST_LONG || self.bytes.len() + chunk.len() > MOST_BYTES {
            self.long.clear();
            self.bytes.clear();
            self.ids.clear();
        }
        let entry = Long {
            start: self.bytes.len() as u32,
            length: chunk.len() as u32,
            first: self.ids.len() as u32,
            count: ids.len() as u32,
        };
        self.bytes.extend_from_slice(chunk);
        self.ids.extend_from_slice(ids);
        let bytes = &self.bytes;
        self.long.insert_unique(hash(chunk), entry, |entry| hash(entry.bytes(bytes)));
    }
}

impl Long {
    fn bytes(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..][..self.length as usize]
    }
}

pub(super) fn hash(chunk: &[u8]) -> u64 {
    foldhash::fast::FixedState::default().hash_one(chunk)
}
