//! Pseudo-random numbers: `SplitMix64` (Steele et al. 2014), one generator for each input of a call (`spec/bpe.md`,
//! B10, B11).

/// A generator of pseudo-random numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Generator {
    state: u64,
}

/// The increment of the generator's state.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

impl Generator {
    /// Returns the generator of one input of a call with this seed, itself seeded by the call's generator.
    pub(crate) fn new(seed: u64, input: u64) -> Self {
        let mut call = Self { state: seed.wrapping_add(input.wrapping_mul(GAMMA)) };
        Self { state: call.draw() }
    }

    /// Returns 64 random bits.
    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        let mut bits = self.state;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ bits >> 31
    }

    /// Returns a random integer below 2^53.
    fn bits(&mut self) -> u64 {
        self.draw() >> 11
    }

    /// Returns a random number from 0 to below 1.
    #[expect(clippy::cast_precision_loss, reason = "it has 53 bits")]
    pub(crate) fn fraction(&mut self) -> f64 {
        self.bits() as f64 * (1.0 / ONE)
    }
}

/// 2^53 as a float.
const ONE: f64 = (1_u64 << 53) as f64;

/// The random choices of dropout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropout {
    /// The probability of dropping, times 2^53.
    threshold: u64,
    generator: Generator,
}

impl Dropout {
    /// Returns the dropout with this probability for one input of a call with this seed.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a probability times 2^53")]
    pub fn new(probability: f32, seed: u64, input: u64) -> Self {
        let threshold = (f64::from(probability) * ONE) as u64;
        Self { threshold, generator: Generator::new(seed, input) }
    }

    /// Returns whether to drop the next candidate.
    pub(crate) fn passes(&mut self) -> bool {
        self.generator.bits() < self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_equal_the_reference() {
        assert_eq!(Generator { state: 0 }.fraction(), 0.883_310_808_213_642_6);
        assert_eq!(Generator::new(0, 0), Generator { state: 0xe220_a839_7b1d_cdaf });
    }
}
