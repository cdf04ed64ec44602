//! The kernels of x86-64. All vector code of the project is here.

#![allow(unsafe_code, reason = "vector instructions: each block says why it is sound")]

use std::arch::x86_64::{
    __m128i, __m256i, _MM_HINT_T0, _mm_and_si128, _mm_cmpeq_epi8, _mm_cmpgt_epi8, _mm_loadu_si128, _mm_movemask_epi8,
    _mm_prefetch, _mm_set1_epi8, _mm_setr_epi8, _mm_setzero_si128, _mm_shuffle_epi8, _mm_srli_epi16, _mm_xor_si128,
    _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_loadu_si256,
    _mm256_movemask_epi8, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
    _mm256_xor_si256, _mm512_cmplt_epi8_mask, _mm512_loadu_si512, _mm512_mask_blend_epi8, _mm512_movepi8_mask,
    _mm512_permutex2var_epi8, _mm512_set1_epi8, _mm512_test_epi8_mask,
};

use super::{BLOCK, Kernel, Masks, Tables};

/// Returns whether the machine has the instructions of a kernel.
pub(super) fn is_supported(kernel: Kernel) -> bool {
    match kernel {
        Kernel::Scalar => true,
        Kernel::Ssse3 => is_x86_feature_detected!("ssse3"),
        Kernel::Avx2 => is_x86_feature_detected!("avx2"),
        Kernel::Avx512 => is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi"),
    }
}

/// Prefetches the first 64 bytes of a value.
#[inline]
pub(super) fn prefetch<T>(value: &T) {
    // SAFETY: the address is not read from, and a hint never faults.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
}

/// Returns the masks of a block; `kernel` must be one that [`is_supported`].
#[inline]
pub(super) fn masks<const N: usize>(kernel: Kernel, tables: &Tables<N>, block: &[u8; BLOCK]) -> Masks<N> {
    // SAFETY: a classifier only has a kernel for which `runs` found the instructions.
    unsafe {
        match kernel {
            Kernel::Scalar => super::scalar::masks(tables, block),
            Kernel::Ssse3 => ssse3(tables, block),
            Kernel::Avx2 => avx2(tables, block),
            Kernel::Avx512 => avx512(tables, block),
        }
    }
}

/// Classifies 64 bytes by a look-up in 128 bytes of the table.
///
/// A second look-up follows if not all are ASCII.
#[target_feature(enable = "avx512bw,avx512vbmi")]
fn avx512<const N: usize>(tables: &Tables<N>, block: &[u8; BLOCK]) -> Masks<N> {
    // SAFETY: the load reads 64 bytes of an array of 64 bytes.
    let text = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
    let look_up = |from: &[u8; 128]| {
        // SAFETY: each load reads 64 bytes within an array of 128 bytes.
        let (low, high) =
            unsafe { (_mm512_loadu_si512(from.as_ptr().cast()), _mm512_loadu_si512(from.as_ptr().add(64).cast())) };
        _mm512_permutex2var_epi8(low, text, high)
    };
    let [ascii, others] = [&tables.bits.as_chunks::<128>().0[0], &tables.bits.as_chunks::<128>().0[1]];
    let high = _mm512_movepi8_mask(text);
    let mut bits = look_up(ascii);
    if high != 0 {
        bits = _mm512_mask_blend_epi8(high, bits, look_up(others));
    }
    let set = |set: usize| _mm512_test_epi8_mask(bits, _mm512_set1_epi8((1_u8 << set).cast_signed()));
    let inside = _mm512_cmplt_epi8_mask(text, _mm512_set1_epi8(LOWEST_LEAD_BYTE));
    Masks { sets: std::array::from_fn(set), high, inside }
}

/// Classifies 32 bytes at a time, by the two nibbles of each byte.
///
/// A byte is in a set if the row of its low nibble has the bit of its high nibble.
#[target_feature(enable = "avx2")]
fn avx2<const N: usize>(tables: &Tables<N>, block: &[u8; BLOCK]) -> Masks<N> {
    let mut masks = Masks { sets: [0; N], high: 0, inside: 0 };
    for (place, part) in block.as_chunks::<32>().0.iter().enumerate() {
        // SAFETY: a part has 32 bytes.
        let text: __m256i = unsafe { _mm256_loadu_si256(part.as_ptr().cast()) };
        let high = _mm256_movemask_epi8(text).cast_unsigned();
        masks.high |= u64::from(high) << (32 * place);
        let inside = _mm256_movemask_epi8(_mm256_cmpgt_epi8(_mm256_set1_epi8(LOWEST_LEAD_BYTE), text)).cast_unsigned();
        masks.inside |= u64::from(inside) << (32 * place);
        for (half, rows) in tables.rows.iter().enumerate().take(if high == 0 { 1 } else { 2 }) {
            // A shuffle yields 0 for a byte with its highest bit set, so for the second half that bit is flipped.
            let text = _mm256_xor_si256(text, _mm256_set1_epi8(FLIP[half]));
            let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(text), _mm256_set1_epi8(0xF));
            let bit = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(highs()), upper);
            for (set, row) in masks.sets.iter_mut().zip(rows) {
                // SAFETY: a row has sixteen bytes.
                let row = _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(row.as_ptr().cast()) });
                let hits = _mm256_and_si256(_mm256_shuffle_epi8(row, text), bit);
                let found = !_mm256_movemask_epi8(_mm256_cmpeq_epi8(hits, _mm256_setzero_si256())).cast_unsigned();
                *set |= u64::from(found) << (32 * place);
            }
        }
    }
    masks
}

/// Classifies sixteen bytes at a time.
#[target_feature(enable = "ssse3")]
fn ssse3<const N: usize>(tables: &Tables<N>, block: &[u8; BLOCK]) -> Masks<N> {
    let mut masks = Masks { sets: [0; N], high: 0, inside: 0 };
    for (place, part) in block.as_chunks::<16>().0.iter().enumerate() {
        // SAFETY: a part has sixteen bytes.
        let text: __m128i = unsafe { _mm_loadu_si128(part.as_ptr().cast()) };
        let high = _mm_movemask_epi8(text).cast_unsigned();
        masks.high |= u64::from(high) << (16 * place);
        let inside = _mm_movemask_epi8(_mm_cmpgt_epi8(_mm_set1_epi8(LOWEST_LEAD_BYTE), text)).cast_unsigned();
        masks.inside |= u64::from(inside) << (16 * place);
        for (half, rows) in tables.rows.iter().enumerate().take(if high == 0 { 1 } else { 2 }) {
            let text = _mm_xor_si128(text, _mm_set1_epi8(FLIP[half]));
            let upper = _mm_and_si128(_mm_srli_epi16::<4>(text), _mm_set1_epi8(0xF));
            let bit = _mm_shuffle_epi8(highs(), upper);
            for (set, row) in masks.sets.iter_mut().zip(rows) {
                // SAFETY: a row has sixteen bytes.
                let row = unsafe { _mm_loadu_si128(row.as_ptr().cast()) };
                let hits = _mm_and_si128(_mm_shuffle_epi8(row, text), bit);
                let found = !_mm_movemask_epi8(_mm_cmpeq_epi8(hits, _mm_setzero_si128())).cast_unsigned() & 0xFFFF;
                *set |= u64::from(found) << (16 * place);
            }
        }
    }
    masks
}

/// The lowest lead byte of UTF-8 (0xC0) as a signed number; continuation bytes are smaller.
const LOWEST_LEAD_BYTE: i8 = -64;

/// The bits that are flipped in all bytes before each half of the table is read.
const FLIP: [i8; 2] = [0, -128];

/// Returns for each high nibble its bit in a row; 0 for the nibbles of bytes that are not ASCII.
#[target_feature(enable = "sse2")]
fn highs() -> __m128i {
    _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0)
}
