//! Chance that comes out the same everywhere: `SplitMix64`, with a generator for each input of a call (B10 and B11 of `spec/bpe.md`).

/// A generator of pseudo-random numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Generator {
    state: u64,
}

/// By how much the state of the generator grows.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

impl Generator {
    /// The generator of one input of a call with this seed: the call's generator begins it.
    pub(crate) fn new(seed: u64, input: u64) -> Self {
        let mut call = Self { state: seed.wrapping_add(input.wrapping_mul(GAMMA)) };
        Self { state: call.draw() }
    }

    fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        let mut bits = self.state;
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ bits >> 31
    }

    /// A number under 2^53.
    fn bits(&mut self) -> u64 {
        self.draw() >> 11
    }

    /// A number from 0 to below 1.
    #[expect(clippy::cast_precision_loss, reason = "it has 53 bits")]
    pub(crate) fn fraction(&mut self) -> f64 {
        self.bits() as f64 * (1.0 / ONE)
    }
}

/// 2^53.
const ONE: f64 = (1_u64 << 53) as f64;

/// Chance that passes something over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dropout {
    /// A number under 2^53 out of as many that passes it over.
    threshold: u64,
    generator: Generator,
}

impl Dropout {
    /// Chance that passes over with this probability, for one input of a call with this seed.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a probability times 2^53")]
    pub fn new(probability: f32, seed: u64, input: u64) -> Self {
        let threshold = (f64::from(probability) * ONE) as u64;
        Self { threshold, generator: Generator::new(seed, input) }
    }

    /// Whether the next one is passed over.
    pub(crate) fn passes(&mut self) -> bool {
        self.generator.bits() < self.threshold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_reference() {
        assert_eq!(Generator { state: 0 }.fraction(), 0.883_310_808_213_642_6);
        assert_eq!(Generator::new(0, 0), Generator { state: 0xe220_a839_7b1d_cdaf });
    }
}
