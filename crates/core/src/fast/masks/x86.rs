//! The kernels of x86-64. All vector code of the project is here.

#![allow(unsafe_code, reason = "vector instructions: each block says why it is sound")]

use std::arch::x86_64::{
    __m128i, __m256i, __m512i, _mm_and_si128, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_loadu_si128, _mm_movemask_epi8,
    _mm_set1_epi8, _mm_setr_epi8, _mm_setzero_si128, _mm_shuffle_epi8, _mm_srli_epi16, _mm_xor_si128, _mm256_and_si256,
    _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_loadu_si256, _mm256_movemask_epi8,
    _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_xor_si256,
    _mm512_cmplt_epi8_mask, _mm512_loadu_si512, _mm512_mask_blend_epi8, _mm512_movepi8_mask, _mm512_permutex2var_epi8,
    _mm512_set1_epi8, _mm512_test_epi8_mask,
};

use super::wide::{self, Bytes64, LOWEST_LEAD_BYTE};
use super::{BLOCK, BlockLoop, Classifier, Kernel, Masks};

/// Returns whether the machine has the instructions of a kernel.
pub(super) fn is_supported(kernel: Kernel) -> bool {
    // Every machine with AVX2 has these instructions, but an emulated one may not say so.
    let has_bits = is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    match kernel {
        Kernel::Ssse3 => is_x86_feature_detected!("ssse3"),
        Kernel::Avx2 => is_x86_feature_detected!("avx2") && has_bits,
        Kernel::Avx512 => is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi") && has_bits,
        Kernel::Scalar => true,
        #[cfg(debug_assertions)]
        Kernel::Emulated => true,
    }
}

/// Runs a loop over blocks; `kernel` must be one that [`is_supported`].
#[inline]
pub(super) fn run<const N: usize, L: BlockLoop<N>>(kernel: Kernel, classifier: &Classifier<N>, blocks: L) -> L::Output {
    // SAFETY: only kernels for which `is_supported` found the instructions are chosen.
    unsafe {
        match kernel {
            Kernel::Ssse3 => with_ssse3(
                #[inline(always)]
                || {
                    blocks.run(
                        #[inline(always)]
                        |block| ssse3(classifier, block),
                    )
                },
            ),
            Kernel::Avx2 => with_avx2(
                #[inline(always)]
                || {
                    blocks.run(
                        #[inline(always)]
                        |block| avx2(classifier, block),
                    )
                },
            ),
            Kernel::Avx512 => with_avx512(
                #[inline(always)]
                || {
                    blocks.run(
                        #[inline(always)]
                        |block| wide::masks::<__m512i, N>(classifier, block),
                    )
                },
            ),
            _ => blocks.run(|block| super::scalar::masks(classifier, block)),
        }
    }
}

/// Calls a closure, compiled for the instructions of a kernel, which must be one that [`is_supported`].
#[inline]
pub(super) fn call<R>(kernel: Kernel, work: impl FnOnce() -> R) -> R {
    // SAFETY: only kernels for which `is_supported` found the instructions are chosen.
    unsafe {
        match kernel {
            Kernel::Ssse3 => with_ssse3(work),
            Kernel::Avx2 => with_avx2(work),
            Kernel::Avx512 => with_avx512(work),
            _ => work(),
        }
    }
}

#[target_feature(enable = "avx512bw,avx512vbmi,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx512<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn with_avx2<R>(work: impl FnOnce() -> R) -> R {
    work()
}

#[target_feature(enable = "ssse3")]
fn with_ssse3<R>(work: impl FnOnce() -> R) -> R {
    work()
}

// The following functions are always inlined, into loops that are compiled for their instructions, so that masks stay in
// registers. A function with target features cannot be. They pass no closure to a function that may stay apart from them
// (`array::from_fn`, `Iterator::map`): it would be compiled without the instructions and call each intrinsic as a function.
// `tests/unit/test_kernel_symbols.py` finds such calls in the compiled crate.

// SAFETY: callers of the methods have the instructions, AVX-512 BW and VBMI. The loads read 64 bytes of an array of 64.
unsafe impl Bytes64 for __m512i {
    #[inline(always)]
    unsafe fn load(bytes: &[u8; BLOCK]) -> Self {
        unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn high(self) -> u64 {
        unsafe { _mm512_movepi8_mask(self) }
    }

    #[inline(always)]
    unsafe fn look_up(self, low: Self, high: Self) -> Self {
        unsafe { _mm512_permutex2var_epi8(low, self, high) }
    }

    #[inline(always)]
    unsafe fn blend(self, mask: u64, other: Self) -> Self {
        unsafe { _mm512_mask_blend_epi8(mask, self, other) }
    }

    #[inline(always)]
    unsafe fn has(self, bits: u8) -> u64 {
        unsafe { _mm512_test_epi8_mask(self, _mm512_set1_epi8(bits.cast_signed())) }
    }

    #[inline(always)]
    unsafe fn below(self, limit: i8) -> u64 {
        unsafe { _mm512_cmplt_epi8_mask(self, _mm512_set1_epi8(limit)) }
    }
}

/// Classifies 32 bytes at a time, by the two nibbles of each byte.
///
/// A byte is in a set if the row of its low nibble has the bit of its high nibble. The machine must have AVX2.
#[inline(always)]
unsafe fn avx2<const N: usize>(classifier: &Classifier<N>, block: &[u8; BLOCK]) -> Masks<N> {
    let mut masks = Masks { sets: [0; N], high: 0, inside: 0 };
    let parts = block.as_chunks::<32>().0;
    // SAFETY: the machine has the instructions. A part has 32 bytes, and a row has sixteen.
    unsafe {
        for (place, part) in parts.iter().enumerate() {
            let text: __m256i = _mm256_loadu_si256(part.as_ptr().cast());
            let high = _mm256_movemask_epi8(text).cast_unsigned();
            masks.high |= u64::from(high) << (32 * place);
            let inside = _mm256_cmpgt_epi8(_mm256_set1_epi8(LOWEST_LEAD_BYTE), text);
            masks.inside |= u64::from(_mm256_movemask_epi8(inside).cast_unsigned()) << (32 * place);
            for (half, rows) in classifier.rows.iter().enumerate().take(if high == 0 { 1 } else { 2 }) {
                // A shuffle yields 0 for a byte with its highest bit set, so for the second half that bit is flipped.
                let text = _mm256_xor_si256(text, _mm256_set1_epi8(FLIP[half]));
                let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(text), _mm256_set1_epi8(0xF));
                let bit = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(highs()), upper);
                for (set, row) in masks.sets.iter_mut().zip(rows) {
                    let row = _mm256_broadcastsi128_si256(_mm_loadu_si128(row.as_ptr().cast()));
                    let hits = _mm256_and_si256(_mm256_shuffle_epi8(row, text), bit);
                    let found = !_mm256_movemask_epi8(_mm256_cmpeq_epi8(hits, _mm256_setzero_si256()));
                    *set |= u64::from(found.cast_unsigned()) << (32 * place);
                }
            }
        }
    }
    masks
}

/// Classifies sixteen bytes at a time, as [`avx2`] does. The machine must have SSSE3.
#[inline(always)]
unsafe fn ssse3<const N: usize>(classifier: &Classifier<N>, block: &[u8; BLOCK]) -> Masks<N> {
    let mut masks = Masks { sets: [0; N], high: 0, inside: 0 };
    let parts = block.as_chunks::<16>().0;
    // SAFETY: the machine has the instructions. A part and a row have sixteen bytes.
    unsafe {
        for (place, part) in parts.iter().enumerate() {
            let text: __m128i = _mm_loadu_si128(part.as_ptr().cast());
            let high = _mm_movemask_epi8(text).cast_unsigned();
            masks.high |= u64::from(high) << (16 * place);
            let inside = _mm_cmpgt_epi8(_mm_set1_epi8(LOWEST_LEAD_BYTE), text);
            masks.inside |= u64::from(_mm_movemask_epi8(inside).cast_unsigned()) << (16 * place);
            for (half, rows) in classifier.rows.iter().enumerate().take(if high == 0 { 1 } else { 2 }) {
                let text = _mm_xor_si128(text, _mm_set1_epi8(FLIP[half]));
                let upper = _mm_and_si128(_mm_srli_epi16::<4>(text), _mm_set1_epi8(0xF));
                let bit = _mm_shuffle_epi8(highs(), upper);
                for (set, row) in masks.sets.iter_mut().zip(rows) {
                    let row = _mm_loadu_si128(row.as_ptr().cast());
                    let hits = _mm_and_si128(_mm_shuffle_epi8(row, text), bit);
                    let found = !_mm_movemask_epi8(_mm_cmpeq_epi8(hits, _mm_setzero_si128()));
                    *set |= u64::from(found.cast_unsigned() & 0xFFFF) << (16 * place);
                }
            }
        }
    }
    masks
}

/// The bits that are flipped in all bytes before each half of the table is read.
const FLIP: [i8; 2] = [0, -128];

/// Returns for each high nibble its bit in a row; 0 for the nibbles of bytes that are not ASCII.
#[target_feature(enable = "sse2")]
fn highs() -> __m128i {
    _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0)
}
