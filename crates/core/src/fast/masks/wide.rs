//! The kernel of vectors of 64 bytes, over the operations that it needs.
//!
//! A machine with AVX-512 has an instruction for each. Tests run the kernel on any machine, with operations on arrays.

use super::{BLOCK, Classifier, Masks};

/// The lowest lead byte of UTF-8 (0xC0) as a signed number; continuation bytes are smaller.
pub(super) const LOWEST_LEAD_BYTE: i8 = -64;

/// A vector of 64 bytes.
///
/// # Safety
///
/// All methods require the instructions of the implementation.
#[allow(unsafe_code, reason = "an implementation needs vector instructions")]
pub(super) unsafe trait Bytes64: Copy {
    unsafe fn load(bytes: &[u8; BLOCK]) -> Self;

    /// Returns the bytes whose highest bit is set, a bit each.
    unsafe fn high(self) -> u64;

    /// Returns the bytes at the places in two tables that the lower seven bits of each byte say.
    unsafe fn look_up(self, low: Self, high: Self) -> Self;

    /// Returns the bytes of `other` where the bits of `mask` are set, and those of `self` elsewhere.
    unsafe fn blend(self, mask: u64, other: Self) -> Self;

    /// Returns the bytes that have one of some bits.
    unsafe fn has(self, bits: u8) -> u64;

    /// Returns the bytes that are below a number, as signed numbers.
    unsafe fn below(self, limit: i8) -> u64;
}

/// Classifies 64 bytes by a look-up in 128 bytes of the table, and by a second one if not all are ASCII.
///
/// # Safety
///
/// The machine must have the instructions of the vectors.
#[inline(always)]
#[allow(unsafe_code, reason = "the vectors need their instructions")]
pub(super) unsafe fn masks<V: Bytes64, const N: usize>(classifier: &Classifier<N>, block: &[u8; BLOCK]) -> Masks<N> {
    let [ascii_low, ascii_high, other_low, other_high] = classifier.bits.as_chunks().0 else {
        unreachable!("256 bytes are four blocks")
    };
    // SAFETY: the machine has the instructions.
    unsafe {
        let text = V::load(block);
        let high = text.high();
        let mut bits = text.look_up(V::load(ascii_low), V::load(ascii_high));
        if high != 0 {
            bits = bits.blend(high, text.look_up(V::load(other_low), V::load(other_high)));
        }
        let mut sets = [0; N];
        for (set, mask) in sets.iter_mut().enumerate() {
            *mask = bits.has(1 << set);
        }
        Masks { sets, high, inside: text.below(LOWEST_LEAD_BYTE) }
    }
}
