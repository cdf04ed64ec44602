//! The keys by which chunks are looked up.

use crate::hash::hash_one;

/// The longest chunk of the first tier, in bytes.
pub(super) const MAX_KEY_BYTES: usize = 15;

/// The key of a chunk of the first tier: its bytes and, in the highest byte, their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Key(u128);

impl Key {
    /// The marker of a chunk without a key: it is longer than [`MAX_KEY_BYTES`].
    pub(super) const NONE: Self = Self(u128::MAX);

    /// Returns the key of the folded, non-empty `text[start..end]`; [`Key::NONE`] if it is too long.
    #[inline]
    pub(super) fn new(text: &[u8], start: usize, end: usize, fold: Fold) -> Self {
        let length = end - start;
        if length > MAX_KEY_BYTES {
            return Self::NONE;
        }
        let mut bytes = match text.get(start..start + 16) {
            Some(bytes) => bytes.try_into().expect("sixteen bytes"),
            None => {
                let mut bytes = [0; 16];
                bytes[..length].copy_from_slice(&text[start..end]);
                bytes
            }
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
        Self(u128::from_le_bytes(bytes) & BYTE_MASKS[length & 15] | (length as u128) << 120)
    }

    /// Returns a 64-bit hash in which each bit depends on all bits of the key.
    ///
    /// An attacker who constructs collisions only causes cache misses.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "halves are what is wanted")]
    pub(super) fn hash(self) -> u64 {
        let (low, high) = (self.0 as u64, (self.0 >> 64) as u64);
        let product = u128::from(low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high ^ 0xD1B5_4A32_D192_ED03);
        (product as u64) ^ (product >> 64) as u64
    }
}

/// A key and its hash: the lower half chooses the primary bucket, the upper half the alternate one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct HashedKey {
    pub(super) key: Key,
    pub(super) hash: u64,
}

impl HashedKey {
    /// Returns the key and the hash of a chunk; see [`Key::new`].
    #[inline]
    pub(super) fn new(text: &[u8], start: usize, end: usize, fold: Fold) -> Self {
        let key = Key::new(text, start, end, fold);
        if key == Key::NONE { Self::long(&text[start..end]) } else { Self::of(key) }
    }

    /// Returns the hashed key of a chunk that the first tier does not hold.
    ///
    /// The primary bucket of all these chunks is bucket 0, which stays in the CPU cache.
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

/// Masks that keep the lowest bytes; the index is the number of bytes.
const BYTE_MASKS: [u128; 16] = {
    let mut kept = [0; 16];
    let mut length = 1;
    while length < 16 {
        kept[length] = u128::MAX >> (128 - 8 * length);
        length += 1;
    }
    kept
};
