//! The kernels of x86-64. All vector code of the project stands here.

#![allow(unsafe_code, reason = "vector instructions: each block says why it is sound")]

use std::arch::x86_64::{
    __m128i, __m256i, _MM_HINT_T0, _mm_and_si128, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_prefetch,
    _mm_set1_epi8, _mm_setr_epi8, _mm_setzero_si128, _mm_shuffle_epi8, _mm_srli_epi16, _mm256_and_si256,
    _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_set1_epi8,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16, _mm512_loadu_si512, _mm512_movepi8_mask,
    _mm512_permutex2var_epi8, _mm512_set1_epi8, _mm512_test_epi8_mask,
};

use super::{BLOCK, Kernel, Masks, Tables};

/// Whether the machine has what a kernel needs.
pub(super) fn runs(kernel: Kernel) -> bool {
    match kernel {
        Kernel::Scalar => true,
        Kernel::Ssse3 => is_x86_feature_detected!("ssse3"),
        Kernel::Avx2 => is_x86_feature_detected!("avx2"),
        Kernel::Avx512 => is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi"),
    }
}

/// Asks for the first 64 bytes of a value to be brought near.
#[inline]
pub(super) fn prefetch<T>(value: &T) {
    // SAFETY: the address is not read from, and a hint never faults.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
}

/// The masks of a block; `kernel` must be one that [`runs`].
#[inline]
pub(super) fn masks(kernel: Kernel, tables: &Tables, block: &[u8; BLOCK]) -> Masks {
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

/// One look-up in the 128 kinds for all 64 bytes at once.
#[target_feature(enable = "avx512bw,avx512vbmi")]
fn avx512(tables: &Tables, block: &[u8; BLOCK]) -> Masks {
    // SAFETY: each load reads 64 bytes of an array that has as many from there on.
    let (text, low, high) = unsafe {
        (
            _mm512_loadu_si512(block.as_ptr().cast()),
            _mm512_loadu_si512(tables.bits.as_ptr().cast()),
            _mm512_loadu_si512(tables.bits.as_ptr().add(64).cast()),
        )
    };
    let bits = _mm512_permutex2var_epi8(low, text, high);
    let mask = |bit| _mm512_test_epi8_mask(bits, _mm512_set1_epi8(bit));
    let ascii = !_mm512_movepi8_mask(text);
    Masks {
        space: mask(1) & ascii,
        alone: mask(2) & ascii,
        other: mask(4) & ascii,
        glue: mask(8) & ascii,
        high: !ascii,
    }
}

/// A byte belongs to a mask if the row of its low half has the bit of its high half.
#[target_feature(enable = "avx2")]
fn avx2(tables: &Tables, block: &[u8; BLOCK]) -> Masks {
    let highs = _mm256_broadcastsi128_si256(highs());
    let row = |number: usize| {
        // SAFETY: a row has sixteen bytes.
        _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(tables.rows[number].as_ptr().cast()) })
    };
    let rows = [row(0), row(1), row(2), row(3)];
    let mut masks = Masks::default();
    for (place, part) in block.as_chunks::<32>().0.iter().enumerate() {
        // SAFETY: a part has 32 bytes.
        let text: __m256i = unsafe { _mm256_loadu_si256(part.as_ptr().cast()) };
        let half = _mm256_and_si256(_mm256_srli_epi16::<4>(text), _mm256_set1_epi8(0xF));
        let high = _mm256_shuffle_epi8(highs, half);
        let mask = |row| {
            let missed = _mm256_and_si256(_mm256_shuffle_epi8(row, text), high);
            u64::from(!_mm256_movemask_epi8(_mm256_cmpeq_epi8(missed, _mm256_setzero_si256())).cast_unsigned())
        };
        masks.add(rows.map(mask), u64::from(_mm256_movemask_epi8(text).cast_unsigned()), 32 * place);
    }
    masks
}

/// The same, sixteen bytes at a time.
#[target_feature(enable = "ssse3")]
fn ssse3(tables: &Tables, block: &[u8; BLOCK]) -> Masks {
    let highs = highs();
    // SAFETY: a row has sixteen bytes.
    let rows = tables.rows.each_ref().map(|row| unsafe { _mm_loadu_si128(row.as_ptr().cast()) });
    let mut masks = Masks::default();
    for (place, part) in block.as_chunks::<16>().0.iter().enumerate() {
        // SAFETY: a part has sixteen bytes.
        let text: __m128i = unsafe { _mm_loadu_si128(part.as_ptr().cast()) };
        let half = _mm_and_si128(_mm_srli_epi16::<4>(text), _mm_set1_epi8(0xF));
        let high = _mm_shuffle_epi8(highs, half);
        let mask = |row| {
            let missed = _mm_and_si128(_mm_shuffle_epi8(row, text), high);
            u64::from(!_mm_movemask_epi8(_mm_cmpeq_epi8(missed, _mm_setzero_si128())).cast_unsigned() & 0xFFFF)
        };
        masks.add(rows.map(mask), u64::from(_mm_movemask_epi8(text).cast_unsigned()), 16 * place);
    }
    masks
}

/// The bit of each high half; none for those of bytes that are not ASCII.
#[target_feature(enable = "sse2")]
fn highs() -> __m128i {
    _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0)
}

impl Masks {
    /// Adds those of a part of the block, which begins at bit `at`.
    #[inline]
    fn add(&mut self, [space, alone, other, glue]: [u64; 4], high: u64, at: usize) {
        self.space |= space << at;
        self.alone |= alone << at;
        self.other |= other << at;
        self.glue |= glue << at;
        self.high |= high << at;
    }
}
