//! The portable kernel, and the oracle of the others.

use super::{BLOCK, Masks, Tables};

pub(super) fn masks<const N: usize>(tables: &Tables<N>, block: &[u8; BLOCK]) -> Masks<N> {
    let mut masks = Masks { sets: [0; N], high: 0, inside: 0 };
    for (place, eight) in block.as_chunks::<8>().0.iter().enumerate() {
        let bits = u64::from_le_bytes(eight.map(|byte| tables.bits[usize::from(byte)]));
        for (set, number) in masks.sets.iter_mut().zip(0..) {
            *set |= gathered(bits >> number) << (8 * place);
        }
        let text = u64::from_le_bytes(*eight);
        masks.high |= gathered(text >> 7) << (8 * place);
        masks.inside |= gathered(text >> 7 & !text >> 6) << (8 * place);
    }
    masks
}

/// Returns the lowest bits of eight bytes as one byte.
///
/// The factor moves the bit of byte `i` to bit `56 + i`, and no two products overlap.
fn gathered(bytes: u64) -> u64 {
    (bytes & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
