//! Sixty-four bytes of text as sets of bits, one bit a byte.
//!
//! Every kernel gives what the scalar one gives. Which runs is settled when a tokenizer is made, by what the machine can
//! do.

mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86;

use super::cutter::Kind;

/// The bytes of a block.
pub(super) const BLOCK: usize = 64;

/// Which bytes of a block are of which kind; of none of these are those of kind `Word`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Masks {
    pub(super) space: u64,
    pub(super) alone: u64,
    pub(super) other: u64,
    pub(super) glue: u64,
    /// What is not ASCII: of no kind yet.
    pub(super) high: u64,
}

/// How the kinds of bytes are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kernel {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Ssse3,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// Makes masks of blocks.
#[derive(Debug, Clone)]
pub(super) struct Classifier {
    kernel: Kernel,
    tables: Tables,
}

/// The kinds of ASCII characters, in the forms that kernels look them up in.
#[derive(Debug, Clone)]
struct Tables {
    /// A bit for the kind of each, in the order of the masks; none for `Word`.
    bits: [u8; 128],
    /// For each mask and each low half of a character the high halves, a bit each, with which it belongs to the mask.
    rows: [[u8; 16]; 4],
}

impl Tables {
    fn new(kinds: &[Kind; 128]) -> Self {
        let bits = kinds.map(|kind| match kind {
            Kind::Word => 0,
            Kind::Space => 1,
            Kind::Alone => 2,
            Kind::Other => 4,
            Kind::Glue => 8,
        });
        let row = |mask: usize, low: usize| {
            (0..8).filter(|high| bits[high * 16 + low] & 1 << mask != 0).fold(0, |row, high| row | 1 << high)
        };
        Self { bits, rows: std::array::from_fn(|mask| std::array::from_fn(|low| row(mask, low))) }
    }
}

impl Classifier {
    /// The fastest for this machine.
    pub(super) fn new(kinds: &[Kind; 128]) -> Self {
        let kernel = kernels().last().copied().unwrap_or(Kernel::Scalar);
        Self { kernel, tables: Tables::new(kinds) }
    }

    /// The same with the kernel of that name, if it runs here.
    pub(super) fn with_kernel(&self, name: &str) -> Option<Self> {
        let mut all = kernels().into_iter().map(|kernel| Self { kernel, ..self.clone() });
        all.find(|classifier| classifier.name() == name)
    }

    /// The masks of a block.
    #[inline]
    pub(super) fn masks(&self, block: &[u8; BLOCK]) -> Masks {
        match self.kernel {
            Kernel::Scalar => scalar::masks(&self.tables, block),
            #[cfg(target_arch = "x86_64")]
            kernel => x86::masks(kernel, &self.tables, block),
        }
    }

    /// What the machine's part in this is called.
    pub(super) fn name(&self) -> &'static str {
        match self.kernel {
            Kernel::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Kernel::Ssse3 => "SSSE3",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512 => "AVX-512",
        }
    }
}

/// Asks for the first 64 bytes of a value to be brought near; a hint, and no more.
#[inline]
pub(super) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    x86::prefetch(value);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// The kernels that run here, the slowest first.
fn kernels() -> Vec<Kernel> {
    let mut kernels = vec![Kernel::Scalar];
    #[cfg(target_arch = "x86_64")]
    kernels.extend([Kernel::Ssse3, Kernel::Avx2, Kernel::Avx512].into_iter().filter(|&kernel| x86::runs(kernel)));
    kernels
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 5] = [Kind::Word, Kind::Other, Kind::Alone, Kind::Space, Kind::Glue];

    /// Miri takes a second where the machine takes a millisecond.
    const STEP: usize = if cfg!(miri) { 50 } else { 1 };

    /// A small generator of pseudo-random numbers: tests need no more.
    fn random(state: &mut u64) -> usize {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(*state >> 33).unwrap()
    }

    /// Byte by byte, as it is defined.
    fn defined(kinds: &[Kind; 128], block: &[u8; BLOCK]) -> Masks {
        let mask = |is: &dyn Fn(u8) -> bool| {
            block.iter().enumerate().fold(0, |mask, (place, &byte)| mask | u64::from(is(byte)) << place)
        };
        let of = |wanted: Kind| mask(&|byte| kinds.get(usize::from(byte)) == Some(&wanted));
        let [space, alone, other, glue] = [Kind::Space, Kind::Alone, Kind::Other, Kind::Glue].map(of);
        Masks { space, alone, other, glue, high: mask(&|byte| !byte.is_ascii()) }
    }

    #[test]
    fn every_kernel_gives_what_is_defined() {
        let mut state = 5;
        for kernel in kernels() {
            for _ in (0..200).step_by(STEP) {
                let kinds = std::array::from_fn(|_| KINDS[random(&mut state) % 5]);
                let classifier = Classifier { kernel, tables: Tables::new(&kinds) };
                for high in [1, 2, 64] {
                    let byte = |state: &mut u64| {
                        let high = if random(state).is_multiple_of(high) { 256 } else { 128 };
                        u8::try_from(random(state) % high).unwrap()
                    };
                    let block = std::array::from_fn(|_| byte(&mut state));
                    assert_eq!(classifier.masks(&block), defined(&kinds, &block), "{kernel:?}");
                }
            }
        }
    }

    #[test]
    fn every_kernel_knows_every_byte_at_every_place() {
        let kinds = std::array::from_fn(|code| KINDS[code * 7 / 3 % 5]);
        for kernel in kernels() {
            let classifier = Classifier { kernel, tables: Tables::new(&kinds) };
            for shift in (0..=255_u8).step_by(STEP) {
                let block = std::array::from_fn(|place| shift.wrapping_add(u8::try_from(place).unwrap()));
                assert_eq!(classifier.masks(&block), defined(&kinds, &block), "{kernel:?}");
            }
        }
    }
}
