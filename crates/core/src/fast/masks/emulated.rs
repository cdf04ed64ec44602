//! Vectors of 64 bytes on any machine, by which tests run the kernel of AVX-512.

#![allow(unsafe_code, reason = "the trait is unsafe, since other vectors need instructions")]

use super::wide::{self, Bytes64};
use super::{BLOCK, Classifier, Masks};

/// An array of bytes, with the operations of a vector as the manual of the instructions defines them.
#[derive(Clone, Copy)]
struct Array([u8; BLOCK]);

/// Classifies 64 bytes by the kernel of AVX-512.
pub(super) fn masks<const N: usize>(classifier: &Classifier<N>, block: &[u8; BLOCK]) -> Masks<N> {
    // SAFETY: arrays need no instructions.
    unsafe { wide::masks::<Array, N>(classifier, block) }
}

impl Array {
    fn mask(self, is: impl Fn(u8) -> bool) -> u64 {
        self.0.iter().enumerate().fold(0, |mask, (place, &byte)| mask | u64::from(is(byte)) << place)
    }
}

// SAFETY: arrays need no instructions.
unsafe impl Bytes64 for Array {
    unsafe fn load(bytes: &[u8; BLOCK]) -> Self {
        Self(*bytes)
    }

    unsafe fn high(self) -> u64 {
        self.mask(|byte| byte >> 7 == 1)
    }

    unsafe fn look_up(self, low: Self, high: Self) -> Self {
        let table = |index: u8| if index & 64 == 0 { low.0 } else { high.0 }[usize::from(index & 63)];
        Self(self.0.map(table))
    }

    unsafe fn blend(self, mask: u64, other: Self) -> Self {
        Self(std::array::from_fn(|place| if mask >> place & 1 == 1 { other.0[place] } else { self.0[place] }))
    }

    unsafe fn has(self, bits: u8) -> u64 {
        self.mask(|byte| byte & bits != 0)
    }

    unsafe fn below(self, limit: i8) -> u64 {
        self.mask(|byte| byte.cast_signed() < limit)
    }
}
