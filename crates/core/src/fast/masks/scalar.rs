//! The portable kernel, and the oracle of the others.
//!
//! It is a transposition: a look-up yields the sets of one byte, and a mask has one set of all bytes. The table has the
//! bit of each set in a byte of its own, so that eight entries, each shifted by its place, are eight masks of eight bytes
//! together. The bytes of eight such words are then transposed. Comparisons of sixteen bytes with the bounds of ranges,
//! which the compiler turns into vector instructions, take eight times as long: there is no instruction in the base set
//! of x86-64 that it would use to collect a bit of each byte.

use super::{BLOCK, Classifier, Masks};

/// For each byte, a word whose byte `i` is 1 if the set `i` contains it.
pub(super) type SetWords = [u64; 256];

/// Returns the table of sets; `bits` has a bit for each set.
pub(super) fn set_words(bits: &[u8; 256]) -> SetWords {
    bits.map(|bits| u64::from_le_bytes(std::array::from_fn(|set| bits >> set & 1)))
}

#[inline(always)]
pub(super) fn masks<const N: usize>(classifier: &Classifier<N>, block: &[u8; BLOCK]) -> Masks<N> {
    let mut words = [0; 8];
    for (word, eight) in words.iter_mut().zip(block.as_chunks::<8>().0) {
        for (place, &byte) in eight.iter().enumerate() {
            *word |= classifier.words[usize::from(byte)] << place;
        }
    }
    let all = transposed(words);
    let (high, inside) = if block.is_ascii() { (0, 0) } else { beyond_ascii(block) };
    Masks { sets: std::array::from_fn(|set| all[set]), high, inside }
}

/// Returns the words whose byte `j` of word `i` is byte `i` of word `j`.
#[inline(always)]
fn transposed(mut words: [u64; 8]) -> [u64; 8] {
    exchange::<4>(&mut words, 0x0000_0000_FFFF_FFFF);
    exchange::<2>(&mut words, 0x0000_FFFF_0000_FFFF);
    exchange::<1>(&mut words, 0x00FF_00FF_00FF_00FF);
    words
}

/// Exchanges parts of `BYTES` bytes: the upper ones of each word, and the lower ones of the word `BYTES` places after it.
///
/// `lower` has the bits of the lower parts.
#[inline(always)]
fn exchange<const BYTES: usize>(words: &mut [u64; 8], lower: u64) {
    for place in (0..8).filter(|place| place & BYTES == 0) {
        let (one, other) = (words[place], words[place + BYTES]);
        words[place] = one & lower | (other & lower) << (8 * BYTES);
        words[place + BYTES] = one >> (8 * BYTES) & lower | other & !lower;
    }
}

/// Returns the bytes that are not ASCII, and the continuation bytes.
fn beyond_ascii(block: &[u8; BLOCK]) -> (u64, u64) {
    let (mut high, mut second) = (0, 0);
    for (place, eight) in block.as_chunks::<8>().0.iter().enumerate() {
        let text = u64::from_le_bytes(*eight);
        high |= gathered(text >> 7) << (8 * place);
        second |= gathered(text >> 6) << (8 * place);
    }
    (high, high & !second)
}

/// Returns the lowest bits of eight bytes as one byte.
///
/// The factor moves the bit of byte `i` to bit `56 + i`, and no two products overlap.
fn gathered(bytes: u64) -> u64 {
    (bytes & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
