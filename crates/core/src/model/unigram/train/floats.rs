//! The numbers of a training (U2, U3 and U5 of `spec/unigram.md`): fixed-point sums, and floats of any exponent.
//!
//! Each share of a word's count is rounded to a multiple of 2⁻³² before it is added. Such sums do not depend on their
//! order, so threads process words in any order. Within a word, floats are added in the order of its positions; in a
//! long word they have an exponent of their own, which changes no digit.

use std::ops::{Add, Div, Mul};

use crate::numbers::floats::Scaled;

/// The number of units in 1: sums over words are integers, in units of 2⁻³².
pub(super) const UNIT: f64 = 4_294_967_296.0;
/// Half of [`UNIT`]: the smallest count in an M step, and the limit below which a piece is rare.
pub(super) const HALF: u128 = 1 << 31;

/// A non-negative number: a float, or one with an unbounded exponent.
pub(super) trait Number: Copy + Add<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// Returns the number equal to a float, which is 0, or neither very large nor very small.
    fn of(value: f64) -> Self;
    /// Returns whether products and quotients with probabilities and counts keep full precision.
    fn is_safe(self) -> bool;
    /// Returns the nearest float; for very small numbers, any very small one.
    fn float(self) -> f64;
}

impl Number for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn is_safe(self) -> bool {
        /// 2⁻⁸⁰⁰: the smallest safe sum, as no probability is below 2⁻¹⁶⁰.
        const LEAST: f64 = f64::from_bits((1023 - 800) << 52);
        self > LEAST
    }

    fn float(self) -> f64 {
        self
    }
}

impl Number for Scaled {
    fn of(value: f64) -> Self {
        Self::of(value)
    }

    fn is_safe(self) -> bool {
        true
    }

    fn float(self) -> f64 {
        self.float()
    }
}

/// Returns the nearest number of units.
#[inline]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and what is large is apart")]
pub(super) fn units(value: f64) -> u128 {
    /// 2³⁰: below it, the number of units fits into 64 bits.
    const SMALL: f64 = 1_073_741_824.0;
    let units = value * UNIT + 0.5;
    if value < SMALL { u128::from(units as u64) } else { units as u128 }
}

/// Returns the float nearest to a number of units.
pub(super) fn from_units(units: u128) -> f64 {
    units as f64 / UNIT
}

/// Returns an approximation of the exponential of the digamma function, for numbers from ½ on.
pub(super) fn exp_digamma(mut x: f64) -> f64 {
    const TERMS: [f64; 4] = [1.0 / 24.0, -37.0 / 5760.0, 10313.0 / 2_903_040.0, -5_509_121.0 / 1_393_459_200.0];
    let mut below = 0.0;
    while x < 8.0 {
        below += 1.0 / x;
        x += 1.0;
    }
    let y = x - 0.5;
    let z = 1.0 / (y * y);
    let [first, second, third, fourth] = TERMS;
    let large = y * (1.0 + z * (first + z * (second + z * (third + z * fourth))));
    if below == 0.0 { large } else { large * libm::exp(-below) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_rounded() {
        assert_eq!([units(1.0), units(0.75 / UNIT), units(0.25 / UNIT)], [1 << 32, 1, 0]);
        assert_eq!(units(2.0_f64.powi(63)), 1 << 95);
    }
}
