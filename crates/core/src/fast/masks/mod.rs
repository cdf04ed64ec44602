//! Classifies 64 bytes of text at a time into bit sets, with one bit per byte.
//!
//! Every kernel returns what the scalar kernel returns. The kernel is chosen when a plan is made, by the instruction
//! sets of the machine. Loops over blocks (`BlockLoop`), and those over keys and look-ups (`Kernel::call`), are compiled
//! for the instructions of each kernel, so all that they call for a block or a chunk is `#[inline(always)]`, closures too.
//! The kernels are the only `unsafe` code of the core beside `memory`.

#[cfg(debug_assertions)]
mod emulated;
mod scalar;
#[cfg(any(target_arch = "x86_64", debug_assertions))]
mod wide;
#[cfg(target_arch = "x86_64")]
mod x86;

/// The name of the kernel that runs on every machine.
pub(super) const SCALAR: &str = "scalar";

/// The number of bytes of a block.
pub(super) const BLOCK: usize = 64;

/// The bytes of a block that belong to each of `N` sets, one bit a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Masks<const N: usize> {
    pub(super) sets: [u64; N],
    /// The bytes that are not ASCII.
    pub(super) high: u64,
    /// The continuation bytes of characters.
    pub(super) inside: u64,
}

/// A loop over blocks, which is compiled for the instructions of each kernel.
pub(super) trait BlockLoop<const N: usize> {
    type Output;

    /// Runs the loop; `masks` returns the masks of a block.
    ///
    /// Implementations are `#[inline(always)]`, and so is what they call for each block: else it is compiled for any
    /// machine. They pass `masks` on by value: a call behind a reference is not inlined.
    fn run(self, masks: impl Fn(&[u8; BLOCK]) -> Masks<N> + Copy) -> Self::Output;
}

/// The instructions for which the loops of the fast path are compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kernel {
    Scalar,
    /// The logic of AVX-512 on any machine, for tests.
    #[cfg(debug_assertions)]
    Emulated,
    #[cfg(target_arch = "x86_64")]
    Ssse3,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The sets that bytes belong to, in the layouts that the kernels read to compute the masks of blocks.
#[derive(Debug, Clone)]
pub(super) struct Classifier<const N: usize> {
    /// For each byte, a bit for each set that contains it.
    bits: [u8; 256],
    /// The table of the portable kernel.
    words: scalar::SetWords,
    /// For each set and low nibble, a bit for each high nibble with which the byte is in the set.
    ///
    /// The first half of the table is for ASCII, the second for the other bytes.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "the vector kernels of x86-64 read it"))]
    rows: [[[u8; 16]; N]; 2],
}

impl<const N: usize> Classifier<N> {
    /// Returns the classifier of sets; `bits` has for each byte a bit for each of up to eight of them.
    pub(super) fn new(bits: [u8; 256]) -> Box<Self> {
        let row = |half: usize, set: usize, low: usize| {
            let is_in = |high: &usize| bits[half * 128 + high * 16 + low] & 1 << set != 0;
            (0..8).filter(is_in).fold(0, |row, high| row | 1 << high)
        };
        let rows = |half| std::array::from_fn(|set| std::array::from_fn(|low| row(half, set, low)));
        Box::new(Self { bits, words: scalar::set_words(&bits), rows: [rows(0), rows(1)] })
    }

    /// Runs a loop with this classifier, on a kernel that this machine has.
    #[inline]
    pub(super) fn run<L: BlockLoop<N>>(&self, kernel: Kernel, blocks: L) -> L::Output {
        debug_assert!(kernels().contains(&kernel));
        match kernel {
            Kernel::Scalar => blocks.run(|block| scalar::masks(self, block)),
            #[cfg(debug_assertions)]
            Kernel::Emulated => blocks.run(|block| emulated::masks(self, block)),
            #[cfg(target_arch = "x86_64")]
            kernel => x86::run(kernel, self, blocks),
        }
    }

    /// Returns the sets that contain a byte, one bit a set.
    pub(super) fn sets_of(&self, byte: u8) -> u8 {
        self.bits[usize::from(byte)]
    }
}

impl Kernel {
    /// Returns the fastest kernel of this machine.
    pub(super) fn fastest() -> Self {
        kernels().last().copied().unwrap_or(Self::Scalar)
    }

    /// Returns the kernel of a name, if it runs on this machine.
    pub(super) fn named(name: &str) -> Option<Self> {
        kernels().into_iter().find(|kernel| kernel.name() == name)
    }

    /// Calls a closure that is compiled for the instructions of the kernel.
    ///
    /// The closure is `#[inline(always)]`, and so are the loops that it calls.
    #[inline]
    pub(super) fn call<R>(self, work: impl FnOnce() -> R) -> R {
        match self {
            Self::Scalar => work(),
            #[cfg(debug_assertions)]
            Self::Emulated => work(),
            #[cfg(target_arch = "x86_64")]
            kernel => x86::call(kernel, work),
        }
    }

    /// Returns the name of the kernel.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Scalar => SCALAR,
            #[cfg(debug_assertions)]
            Self::Emulated => "AVX-512 emulated",
            #[cfg(target_arch = "x86_64")]
            Self::Ssse3 => "SSSE3",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "AVX-512",
        }
    }
}

/// Returns the bits below `length`, which is 64 at most.
#[inline(always)]
pub(super) fn below(length: usize) -> u64 {
    u64::MAX.checked_shr(u32::try_from(BLOCK - length).unwrap_or(64)).unwrap_or(0)
}

/// Returns the masks of the first block of a text, and its number of bytes, which is less at the end of the text.
#[inline(always)]
pub(super) fn first_block<const N: usize>(
    text: &[u8],
    masks: impl Fn(&[u8; BLOCK]) -> Masks<N> + Copy,
) -> (Masks<N>, usize) {
    match text.first_chunk::<BLOCK>() {
        Some(block) => (masks(block), BLOCK),
        None => (masks(&zero_padded(text)), text.len()),
    }
}

/// Returns fewer bytes than a block, followed by zeros.
#[inline(never)]
fn zero_padded(bytes: &[u8]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    block
}

/// Returns the length of the whole characters in the first `length` bytes.
///
/// `firsts` are the first bytes of non-ASCII characters.
pub(super) fn whole(bytes: &[u8], firsts: u64, length: usize) -> usize {
    let Some(last) = firsts.checked_ilog2() else { return length };
    let last = last as usize;
    let size = bytes[last].leading_ones() as usize;
    if last + size > length { last } else { length }
}

/// Returns a set of first bytes with the continuation bytes of their characters.
#[inline]
pub(super) fn with_continuations(mut set: u64, inside: u64) -> u64 {
    for _ in 0..3 {
        set |= set << 1 & inside;
    }
    set
}

/// Returns the first bytes of the characters that end at `lasts`.
#[inline(always)]
pub(super) fn first_bytes(mut lasts: u64, inside: u64) -> u64 {
    if inside & lasts != 0 {
        for _ in 0..3 {
            lasts = lasts & !inside | (lasts & inside) >> 1;
        }
    }
    lasts
}

/// Returns the kernels that this machine runs, the slowest first; without debug assertions, none is emulated.
fn kernels() -> Vec<Kernel> {
    #[cfg(target_arch = "x86_64")]
    let vectors = [Kernel::Ssse3, Kernel::Avx2, Kernel::Avx512].into_iter().filter(|&kernel| x86::is_supported(kernel));
    #[cfg(not(target_arch = "x86_64"))]
    let vectors = [];
    let portable = [
        #[cfg(debug_assertions)]
        Kernel::Emulated,
        Kernel::Scalar,
    ];
    portable.into_iter().chain(vectors).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests take larger steps under Miri, which is a thousand times slower.
    const STEP: usize = if cfg!(miri) { 50 } else { 1 };

    /// Returns a pseudo-random number (linear congruential generator).
    fn random(state: &mut u64) -> usize {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(*state >> 33).unwrap()
    }

    /// Returns the masks by their definition, byte by byte.
    fn defined<const N: usize>(bits: &[u8; 256], block: &[u8; BLOCK]) -> Masks<N> {
        let mask = |is: &dyn Fn(u8) -> bool| {
            block.iter().enumerate().fold(0, |mask, (place, &byte)| mask | u64::from(is(byte)) << place)
        };
        let set = |set: usize| mask(&|byte| bits[usize::from(byte)] & 1 << set != 0);
        Masks {
            sets: std::array::from_fn(set),
            high: mask(&|byte| !byte.is_ascii()),
            inside: mask(&|byte| byte & 0xC0 == 0x80),
        }
    }

    /// A loop over one block.
    struct Single<'a>(&'a [u8; BLOCK]);

    impl<const N: usize> BlockLoop<N> for Single<'_> {
        type Output = Masks<N>;

        fn run(self, masks: impl Fn(&[u8; BLOCK]) -> Masks<N> + Copy) -> Masks<N> {
            masks(self.0)
        }
    }

    fn check<const N: usize>(kernel: Kernel, bits: [u8; 256], block: &[u8; BLOCK]) {
        let classifier = Classifier::<N>::new(bits);
        assert_eq!(classifier.run(kernel, Single(block)), defined(&bits, block), "{kernel:?}");
    }

    #[test]
    fn every_kernel_equals_the_definition() {
        let mut state = 5;
        for kernel in kernels() {
            for _ in (0..200).step_by(STEP) {
                let bits = std::array::from_fn(|_| u8::try_from(random(&mut state) % 256).unwrap());
                for high in [1, 2, 64] {
                    let byte = |state: &mut u64| {
                        let high = if random(state).is_multiple_of(high) { 256 } else { 128 };
                        u8::try_from(random(state) % high).unwrap()
                    };
                    let block = std::array::from_fn(|_| byte(&mut state));
                    check::<4>(kernel, bits, &block);
                    check::<8>(kernel, bits, &block);
                }
            }
        }
    }

    #[test]
    fn every_kernel_classifies_every_byte_at_every_position() {
        let bits = std::array::from_fn(|byte| u8::try_from(byte * 7 / 3 % 256).unwrap());
        for kernel in kernels() {
            for shift in (0..=255_u8).step_by(STEP) {
                let block = std::array::from_fn(|place| shift.wrapping_add(u8::try_from(place).unwrap()));
                check::<8>(kernel, bits, &block);
            }
        }
    }
}
