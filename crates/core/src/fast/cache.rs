//! What became of chunks that were met before.
//!
//! The key is the chunk as it stands in the text, before normalization, but for the case of ASCII letters where the
//! pipeline makes them lower case anyway. Chunks of up to fifteen bytes that became up to three tokens live in a table of
//! fixed size, two to a cache line: a third one pushes out the older. All others live in a second tier, which is emptied
//! when it is full.

use std::hash::BuildHasher;

use super::masks;

/// The longest chunk of the first tier, in bytes.
pub(super) const SHORT: usize = 15;
/// The most ids of an entry of the first tier.
pub(super) const FEW: usize = 3;
/// Chunks with more bytes or ids are not kept at all.
const LONG: usize = 256;

/// A chunk of the first tier: its bytes and, in the highest byte, their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Key(u128);

impl Key {
    /// The key of no chunk.
    pub(super) const NONE: Self = Self(u128::MAX);

    /// The key of `text[start..end]`, which has 1 to [`SHORT`] bytes; in lower case if `lowercase`.
    #[inline]
    pub(super) fn new(text: &[u8], start: usize, end: usize, lowercase: bool) -> Self {
        let length = end - start;
        let mut bytes = match text.get(start..start + 16) {
            Some(bytes) => bytes.try_into().expect("sixteen bytes"),
            None => {
                let mut bytes = [0; 16];
                bytes[..length].copy_from_slice(&text[start..end]);
                bytes
            }
        };
        if lowercase {
            bytes = bytes.map(|byte: u8| byte.to_ascii_lowercase());
        }
        Self(u128::from_le_bytes(bytes) & KEPT[length & 15] | (length as u128) << 120)
    }

    /// Mixes all bits; whoever makes keys collide makes misses, and no more.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "halves are what is wanted")]
    fn hash(self) -> u64 {
        let (low, high) = (self.0 as u64, (self.0 >> 64) as u64);
        let product = u128::from(low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high ^ 0xD1B5_4A32_D192_ED03);
        (product as u64) ^ (product >> 64) as u64
    }
}

/// Masks that keep as many bytes as their place says.
const KEPT: [u128; 16] = {
    let mut kept = [0; 16];
    let mut length = 1;
    while length < 16 {
        kept[length] = u128::MAX >> (128 - 8 * length);
        length += 1;
    }
    kept
};

/// What became of a chunk of the first tier.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    key: Key,
    ids: [u32; FEW],
    count: u32,
}

impl Entry {
    /// All places for ids, and how many are filled.
    #[inline]
    pub(super) fn ids(&self) -> (&[u32; FEW], usize) {
        (&self.ids, self.count as usize)
    }
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
    long: Long,
}

/// The fewest and the most lines of the first tier: two entries, 64 bytes each.
const FEWEST: usize = 1 << 6;
const MOST: usize = 1 << 16;

impl Cache {
    /// What became of a short chunk.
    #[inline]
    pub(super) fn short(&self, key: Key) -> Option<&Entry> {
        let [first, second] = &self.lines.get(self.place(key))?.0;
        // Which of the two cannot be foretold, whether one of them can.
        let entry = if second.key == key { second } else { first };
        (entry.key == key).then_some(entry)
    }

    /// Has the line of a short chunk brought near, which is soon to be looked up.
    #[inline]
    pub(super) fn prefetch(&self, key: Key) {
        if let Some(line) = self.lines.get(self.place(key)) {
            masks::prefetch(line);
        }
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

    /// Appends the ids of a chunk of the second tier; false if it is not there.
    pub(super) fn long(&self, chunk: &[u8], ids: &mut Vec<u32>) -> bool {
        let Some(found) = self.long.get(chunk) else { return false };
        ids.extend(found.as_chunks().0.iter().map(|id| u32::from_le_bytes(*id)));
        true
    }

    /// Keeps the ids of a chunk that is not yet in the second tier.
    pub(super) fn keep_long(&mut self, chunk: &[u8], ids: &[u32]) {
        if chunk.len() <= LONG && ids.len() <= LONG {
            self.long.insert(chunk, ids);
        }
    }
}

/// The second tier: records one after the other, and an index with open addressing.
#[derive(Debug, Default)]
struct Long {
    slots: Vec<Slot>,
    filled: usize,
    /// For each chunk its length, the number of its ids, and both.
    records: Vec<u8>,
}

/// Where a record begins, behind which there are some, and a part of its hash.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    tag: u32,
    /// One more than the place, or 0 in an empty slot.
    end: u32,
}

/// The fewest and the most slots; half are filled at most.
const FEWEST_SLOTS: usize = 1 << 6;
const MOST_SLOTS: usize = 1 << 17;
/// The most bytes of records.
const MOST_BYTES: usize = 1 << 22;
/// The bytes of a record's two lengths.
const HEAD: usize = 4;

impl Long {
    /// The ids of a chunk, four bytes each.
    fn get(&self, chunk: &[u8]) -> Option<&[u8]> {
        let (mut place, tag) = self.place(hash(chunk));
        loop {
            let slot = self.slots.get(place)?;
            if slot.end == 0 {
                return None;
            }
            if slot.tag == tag {
                let (found, ids) = self.record(*slot);
                if found == chunk {
                    return Some(ids);
                }
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
    }

    fn record(&self, slot: Slot) -> (&[u8], &[u8]) {
        let record = &self.records[slot.end as usize - 1..];
        let length = |at| usize::from(u16::from_le_bytes([record[at], record[at + 1]]));
        record[HEAD..HEAD + length(0) + 4 * length(2)].split_at(length(0))
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "both lengths are bounded by LONG, and the records far below 2^32"
    )]
    fn insert(&mut self, chunk: &[u8], ids: &[u32]) {
        if self.records.len() + HEAD + chunk.len() + 4 * ids.len() > MOST_BYTES || self.filled == MOST_SLOTS / 2 {
            self.records.clear();
            self.slots.fill(Slot::default());
            self.filled = 0;
        }
        if self.filled * 2 >= self.slots.len() {
            self.grow();
        }
        self.put(hash(chunk), self.records.len() as u32 + 1);
        self.filled += 1;
        self.records.extend_from_slice(&(chunk.len() as u16).to_le_bytes());
        self.records.extend_from_slice(&(ids.len() as u16).to_le_bytes());
        self.records.extend_from_slice(chunk);
        self.records.extend(ids.iter().flat_map(|id| id.to_le_bytes()));
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 4).clamp(FEWEST_SLOTS, MOST_SLOTS);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        for slot in old.into_iter().filter(|slot| slot.end != 0) {
            self.put(hash(self.record(slot).0), slot.end);
        }
    }

    fn put(&mut self, hash: u64, end: u32) {
        let (mut place, tag) = self.place(hash);
        while self.slots[place].end != 0 {
            place = (place + 1) & (self.slots.len() - 1);
        }
        self.slots[place] = Slot { tag, end };
    }

    /// The first slot for a hash, and what is kept of it.
    #[expect(clippy::cast_possible_truncation, reason = "parts are what is wanted")]
    fn place(&self, hash: u64) -> (usize, u32) {
        // The number of slots is a power of two.
        (hash as usize & self.slots.len().wrapping_sub(1), (hash >> 32) as u32)
    }
}

fn hash(chunk: &[u8]) -> u64 {
    foldhash::fast::FixedState::default().hash_one(chunk)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str, lowercase: bool) -> Key {
        Key::new(text.as_bytes(), 0, text.len(), lowercase)
    }

    #[test]
    fn keys_are_the_bytes_and_their_number() {
        assert_eq!(
            key("ab", false),
            Key::new("xab and what follows".as_bytes(), 1, 3, false),
            "at the end and before it"
        );
        assert_ne!(key("ab", false), key("ab\0", false));
        assert_ne!(key("Ab", false), key("ab", false));
        assert_eq!(key("Abé[`@Z", true), key("abé[`@z", true));
    }

    #[test]
    fn the_first_tier_keeps_few_ids_and_forgets_the_oldest() {
        let mut cache = Cache::default();
        assert!(cache.short(key("a", false)).is_none());
        assert!(!cache.keep_short(key("a", false), &[1, 2, 3, 4]));
        for number in 0..500_000 {
            assert!(cache.keep_short(key(&number.to_string(), false), &[number, 7]));
            assert_eq!(cache.short(key(&number.to_string(), false)).map(Entry::ids), Some((&[number, 7, 0], 2)));
        }
        assert_eq!(cache.lines.len(), MOST);
        let kept = (0..500_000_u32).filter(|number| cache.short(key(&number.to_string(), false)).is_some()).count();
        assert!((MOST..=2 * MOST).contains(&kept), "{kept}");
    }

    #[test]
    fn the_second_tier_is_bounded() {
        let mut cache = Cache::default();
        let mut ids = Vec::new();
        for number in 0..200_000 {
            let chunk = format!("a long chunk {number}");
            assert!(!cache.long(chunk.as_bytes(), &mut ids));
            cache.keep_long(chunk.as_bytes(), &[number, 1]);
            assert!(cache.long(chunk.as_bytes(), &mut ids));
            assert_eq!(std::mem::take(&mut ids), [number, 1]);
            assert!(cache.long.records.len() <= MOST_BYTES && cache.long.filled <= MOST_SLOTS / 2);
        }
        cache.keep_long(&[b'a'; LONG + 1], &[1]);
        assert!(!cache.long(&[b'a'; LONG + 1], &mut ids), "too long");
    }
}
