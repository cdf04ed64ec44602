//! The keys by which chunks are looked up.

use crate::hash::hash_one;

/// The longest chunk of the first tier, in bytes.
pub(super) const MAX_KEY_BYTES: usize = 15;

/// The key of a chunk of the first tier: its bytes and, in the highest byte, their number.
///
/// It is made and compared as two words of 64 bits: a load of 128 bits would wait for both stores.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Key {
    low: u64,
    high: u64,
}

impl PartialEq for Key {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        (self.low ^ other.low) | (self.high ^ other.high) == 0
    }
}

impl Eq for Key {}

impl Key {
    /// The marker of a chunk without a key: it is longer than [`MAX_KEY_BYTES`].
    pub(super) const NONE: Self = Self { low: u64::MAX, high: u64::MAX };

    /// Returns the key of the folded, non-empty `text[start..end]`; [`Key::NONE`] if it is too long.
    #[inline(always)]
    pub(super) fn new(text: &[u8], start: usize, end: usize, fold: Fold) -> Self {
        let length = end - start;
        if length > MAX_KEY_BYTES {
            return Self::NONE;
        }
        let mut bytes = match text.get(start..start + 16) {
            Some(bytes) => bytes.try_into().expect("sixteen bytes"),
            None => last_bytes(&text[start..end]),
        };
        match fold {
            Fold::Nothing => {}
            Fold::Case => bytes = bytes.map(|byte: u8| byte.to_ascii_lowercase()),
            Fold::Space(spaces) => {
                // Two spaces may become one metaspace.
                if bytes[0] < b' ' && bytes[1] > b' ' && spaces >> bytes[0] & 1 == 1 {
                    bytes[0] = b' ';
                }
            }
        }
        let [low, high] = bytes.as_chunks::<8>().0 else { unreachable!("sixteen bytes are two words") };
        let [low_mask, high_mask] = BYTE_MASKS[length & 15];
        Self {
            low: u64::from_le_bytes(*low) & low_mask,
            high: u64::from_le_bytes(*high) & high_mask | (length as u64) << 56,
        }
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

/// Returns the up to fifteen bytes of a chunk near the end of a text, followed by zeros.
#[inline(never)]
fn last_bytes(chunk: &[u8]) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..chunk.len()].copy_from_slice(chunk);
    bytes
}

/// A key and its hash: the lower half chooses the primary bucket, the upper half the alternate one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HashedKey {
    pub(super) key: Key,
    pub(super) hash: u64,
}

impl HashedKey {
    /// Returns the key and the hash of a chunk; see [`Key::new`].
    #[inline(always)]
    pub(super) fn new(text: &[u8], start: usize, end: usize, fold: Fold) -> Self {
        let key = Key::new(text, start, end, fold);
        if key == Key::NONE { Self::long(&text[start..end]) } else { Self::of(key) }
    }

    /// Returns the hashed key of a chunk that the first tier does not hold.
    ///
    /// The primary bucket of all these chunks is bucket 0, which stays in the CPU cache.
    #[inline(never)]
    pub(super) fn long(chunk: &[u8]) -> Self {
        Self { key: Key::NONE, hash: hash_one(chunk) & !u64::from(u32::MAX) }
    }

    #[inline]
    pub(super) fn of(key: Key) -> Self {
        Self { key, hash: key.hash() }
    }
}

/// The equivalence of chunks that share a key, because their tokens are equal.
///
/// Each variant names the bytes that [`Key::new`] folds (replaces by a common form).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
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
