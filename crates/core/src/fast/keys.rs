//! The keys by which chunks are looked up.
//!
//! Chunks share a key only if their bytes are equal after the fold of the plan, which no token shows. All keys of a
//! list are made, and their cache lines prefetched, before the first is looked up.

use super::list::{CAPACITY, ChunkRanges};
use crate::hash::hash_one;

/// The longest chunk of the first tier, in bytes.
pub(super) const MAX_KEY_BYTES: usize = 15;

/// The key of a chunk of the first tier: its bytes and, in the highest byte, their number.
///
/// It is made and compared as two words of 64 bits: a load of 128 bits would wait for both stores.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ChunkKey {
    low: u64,
    high: u64,
}

impl PartialEq for ChunkKey {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        (self.low ^ other.low) | (self.high ^ other.high) == 0
    }
}

impl Eq for ChunkKey {}

impl ChunkKey {
    /// The marker of a chunk without a key: it is longer than [`MAX_KEY_BYTES`].
    pub(super) const NONE: Self = Self { low: u64::MAX, high: u64::MAX };

    /// Returns the key of the folded, non-empty `text[start..end]`; [`ChunkKey::NONE`] if it is too long.
    #[cfg(test)]
    pub(super) fn new(text: &[u8], start: usize, end: usize, fold: KeyFold) -> Self {
        HashedKey::new(text, start, end, fold).key
    }

    /// Returns a 64-bit hash in which each bit depends on all bits of the key.
    ///
    /// An attacker who constructs collisions only causes cache misses.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "halves are what is wanted")]
    pub(super) fn hash(self) -> u64 {
        let product = u128::from(self.low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(self.high ^ 0xD1B5_4A32_D192_ED03);
        (product as u64) ^ (product >> 64) as u64
    }
}

/// A key and its hash: the lower half chooses the primary bucket, the upper half the alternate one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HashedKey {
    pub(super) key: ChunkKey,
    pub(super) hash: u64,
}

impl HashedKey {
    /// Returns the key and the hash of the non-empty chunk `text[start..end]`, whose bytes are folded; it fits a key.
    ///
    /// All of it is in registers: what is stored and loaded again takes longer than the rest.
    #[inline(always)]
    fn short(text: &[u8], start: usize, end: usize, fold: impl Fn(u64, u64) -> (u64, u64)) -> Self {
        let length = end - start;
        let (low, high) = match text.get(start..start + 16) {
            Some(bytes) => words(bytes),
            None => last_words(&text[start..end]),
        };
        let (low, high) = fold(low, high);
        let [low_mask, high_mask] = BYTE_MASKS[length & 15];
        Self::of(ChunkKey { low: low & low_mask, high: high & high_mask | (length as u64) << 56 })
    }

    /// Returns the hashed key of a chunk that is too long for a key.
    ///
    /// The primary bucket of all these chunks is bucket 0, which stays in the CPU cache.
    #[inline(never)]
    pub(super) fn long(chunk: &[u8]) -> Self {
        Self { key: ChunkKey::NONE, hash: hash_one(chunk) & !u64::from(u32::MAX) }
    }

    /// Returns the key and the hash of the non-empty chunk `text[start..end]`.
    #[cfg(test)]
    fn new(text: &[u8], start: usize, end: usize, fold: KeyFold) -> Self {
        let (mut list, ends) = (KeyList::default(), [start, end].map(|at| u32::try_from(at).unwrap_or_default()));
        list.fill(text, ChunkRanges::contiguous(&ends), fold, |_, _| ());
        list.as_slice()[0]
    }

    #[inline(always)]
    pub(super) fn of(key: ChunkKey) -> Self {
        Self { key, hash: key.hash() }
    }
}

/// Returns sixteen bytes as two words.
#[inline(always)]
fn words(bytes: &[u8]) -> (u64, u64) {
    let [low, high] = bytes.as_chunks::<8>().0 else { unreachable!("sixteen bytes are two words") };
    (u64::from_le_bytes(*low), u64::from_le_bytes(*high))
}

/// Returns the up to fifteen bytes of a chunk near the end of a text, followed by zeros, as two words.
#[inline(never)]
fn last_words(chunk: &[u8]) -> (u64, u64) {
    let mut bytes = [0; 16];
    bytes[..chunk.len()].copy_from_slice(chunk);
    words(&bytes)
}

/// Returns two words of bytes with the letters of ASCII in lower case.
#[inline(always)]
fn lowercase(low: u64, high: u64) -> (u64, u64) {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let lower = |word: u64| {
        // The highest bit of each byte says whether its lower seven bits are at least `A`, and more than `Z`.
        let bits = word & (ONES * 0x7F);
        let upper = (bits + ONES * u64::from(0x80 - b'A')) & !(bits + ONES * u64::from(0x7F - b'Z'));
        word | (upper & !word & (ONES * 0x80)) >> 2
    };
    (lower(low), lower(high))
}

/// Returns a word of bytes that begins with a space in place of an equivalent control character, if no white space
/// follows.
#[inline(always)]
fn one_space(word: u64, spaces: u32) -> u64 {
    let [first, second, ..] = word.to_le_bytes();
    // Two spaces may become one metaspace.
    let is_space = first < b' ' && second > b' ' && spaces >> (first & 31) & 1 == 1;
    if is_space { word & !0xFF | u64::from(b' ') } else { word }
}

/// The keys of the chunks of a list.
#[derive(Debug)]
pub(super) struct KeyList {
    keys: Box<[HashedKey; CAPACITY]>,
    length: usize,
}

impl Default for KeyList {
    fn default() -> Self {
        Self { keys: Box::new([HashedKey::default(); CAPACITY]), length: 0 }
    }
}

impl KeyList {
    /// Fills the list with the keys of chunks, after `prefetch` has been called with the hash of each, and whether the chunk
    /// has a key.
    #[inline(always)]
    pub(super) fn fill(&mut self, text: &[u8], chunks: ChunkRanges<'_>, fold: KeyFold, prefetch: impl Fn(u64, bool)) {
        match fold {
            KeyFold::Nothing => self.fill_folded(
                text,
                chunks,
                #[inline(always)]
                |low, high| (low, high),
                prefetch,
            ),
            KeyFold::Case => self.fill_folded(text, chunks, lowercase, prefetch),
            KeyFold::Space(spaces) => self.fill_folded(
                text,
                chunks,
                #[inline(always)]
                |low, high| (one_space(low, spaces), high),
                prefetch,
            ),
        }
    }

    #[inline(always)]
    fn fill_folded(
        &mut self,
        text: &[u8],
        chunks: ChunkRanges<'_>,
        fold: impl Fn(u64, u64) -> (u64, u64) + Copy,
        prefetch: impl Fn(u64, bool),
    ) {
        let mut length = 0;
        for (to, (start, end)) in self.keys.iter_mut().zip(chunks.iter()) {
            if end - start <= MAX_KEY_BYTES {
                *to = HashedKey::short(text, start, end, fold);
                prefetch(to.hash, true);
            } else {
                *to = HashedKey::long(&text[start..end]);
                prefetch(to.hash, false);
            }
            length += 1;
        }
        self.length = length;
    }

    /// Returns the keys.
    pub(super) fn as_slice(&self) -> &[HashedKey] {
        &self.keys[..self.length]
    }
}

/// The differences between chunks that keys ignore, because the tokens are equal: case, or a leading space.
///
/// Each variant names the bytes of a key that are folded (replaced by a common form).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyFold {
    Nothing,
    /// The case of ASCII letters.
    Case,
    /// The space or control character at the front of a chunk, if no white space follows.
    ///
    /// Bit `i` is set if the control character `i` is equivalent to a space.
    Space(u32),
}

/// Masks that keep the lowest bytes of two words; the index is the number of bytes.
const BYTE_MASKS: [[u64; 2]; 16] = {
    let mut kept = [[0; 2]; 16];
    let mut length = 1;
    while length < 16 {
        let low = if length < 8 { length } else { 8 };
        kept[length][0] = u64::MAX >> (64 - 8 * low);
        kept[length][1] = if length > 8 { u64::MAX >> (128 - 8 * length) } else { 0 };
        length += 1;
    }
    kept
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lowercased_as_bytes_are() {
        for place in 0..16 {
            for byte in 0..=255_u8 {
                let mut bytes = *b"@AZ[`az{\x7F\x80\xC1\xDA\xFFMm0";
                bytes[place] = byte;
                let (low, high) = words(&bytes);
                assert_eq!(lowercase(low, high), words(&bytes.map(|byte| byte.to_ascii_lowercase())), "{byte} {place}");
            }
        }
    }

    #[test]
    fn only_equivalent_control_characters_before_text_become_spaces() {
        for (first, second) in (0..=255_u8).flat_map(|first| (0..=255_u8).map(move |second| (first, second))) {
            let word = u64::from_le_bytes([first, second, 3, 4, 5, 6, 7, 8]);
            let is_space = matches!(first, b'\t' | b'\n') && second > b' ';
            let wanted = if is_space { b' ' } else { first };
            assert_eq!(one_space(word, 1 << b'\t' | 1 << b'\n').to_le_bytes()[..2], [wanted, second]);
        }
    }
}
