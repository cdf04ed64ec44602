//! The kernel of every machine, and the oracle of the others.

use super::{BLOCK, Masks, Tables};

/// The bit of what is not ASCII.
const HIGH: u8 = 16;

pub(super) fn masks(tables: &Tables, block: &[u8; BLOCK]) -> Masks {
    let mut masks = [0_u64; 5];
    for (place, eight) in block.as_chunks::<8>().0.iter().enumerate() {
        let bits = u64::from_le_bytes(eight.map(|byte| tables.bits.get(usize::from(byte)).copied().unwrap_or(HIGH)));
        for (mask, number) in masks.iter_mut().zip(0..) {
            *mask |= gathered(bits >> number) << (8 * place);
        }
    }
    let [space, alone, other, glue, high] = masks;
    Masks { space, alone, other, glue, high }
}

/// The lowest bits of eight bytes, side by side: the factor moves that of byte `i` to bit `56 + i`, and no two sums meet.
fn gathered(bytes: u64) -> u64 {
    (bytes & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56
}
