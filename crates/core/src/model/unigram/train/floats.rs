//! Floats that come out the same everywhere (U1 to U5 of `spec/unigram.md`).

use std::f64::consts::LN_2;
use std::ops::{Add, Div, Mul};

/// Sums over words are whole numbers of 1 / `UNIT`.
pub(super) const UNIT: f64 = 4_294_967_296.0;
/// Half of it, which a count at least has.
pub(super) const HALF: u128 = 1 << 31;

/// A number that is not negative: a float, or one whose exponent has no bounds.
pub(super) trait Number: Copy + Add<Output = Self> + Mul<Output = Self> + Div<Output = Self> {
    /// The number that a float is; it is 0, or neither very large nor very small.
    fn of(value: f64) -> Self;
    /// Whether products and quotients with probabilities and counts have all their digits.
    fn is_safe(self) -> bool;
    /// The float nearest to it; of what is very small, anything that is very small.
    fn float(self) -> f64;
    /// Its digits, from ½ to below 1, and the power of two that they are multiplied by.
    fn parts(self) -> (f64, i32);
}

impl Number for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn is_safe(self) -> bool {
        /// 2⁻⁸⁰⁰: no probability is below 2⁻¹⁶⁰.
        const LEAST: f64 = f64::from_bits((1023 - 800) << 52);
        self > LEAST
    }

    fn float(self) -> f64 {
        self
    }

    fn parts(self) -> (f64, i32) {
        libm::frexp(self)
    }
}

/// A float that is never too small: `value` times 2 to the `scale` times [`STEP`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scaled {
    /// 0, or from 2⁻²⁵⁶ to below 2²⁵⁶.
    value: f64,
    scale: i32,
}

const STEP: i32 = 512;
const UP: f64 = f64::from_bits((1023 + 512) << 52);
const DOWN: f64 = f64::from_bits((1023 - 512) << 52);
const LARGE: f64 = f64::from_bits((1023 + 256) << 52);
const SMALL: f64 = f64::from_bits((1023 - 256) << 52);

impl Scaled {
    fn new(value: f64, scale: i32) -> Self {
        if value >= LARGE {
            Self { value: value * DOWN, scale: scale + 1 }
        } else if value < SMALL && value > 0.0 {
            Self { value: value * UP, scale: scale - 1 }
        } else {
            Self { value, scale }
        }
    }
}

impl Mul for Scaled {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::new(self.value * other.value, self.scale + other.scale)
    }
}

impl Div for Scaled {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        Self::new(self.value / other.value, self.scale - other.scale)
    }
}

impl Add for Scaled {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        if self.value == 0.0 || other.value == 0.0 {
            return if self.value == 0.0 { other } else { self };
        }
        let (large, small) = if self.scale >= other.scale { (self, other) } else { (other, self) };
        match large.scale - small.scale {
            0 => Self::new(large.value + small.value, large.scale),
            1 => Self::new(large.value + small.value * DOWN, large.scale),
            // So far below that it adds nothing.
            _ => large,
        }
    }
}

impl Number for Scaled {
    fn of(value: f64) -> Self {
        Self::new(value, 0)
    }

    fn is_safe(self) -> bool {
        true
    }

    fn float(self) -> f64 {
        libm::ldexp(self.value, self.scale.saturating_mul(STEP))
    }

    fn parts(self) -> (f64, i32) {
        let (digits, exponent) = libm::frexp(self.value);
        (digits, exponent + self.scale * STEP)
    }
}

/// The whole number of units that a number is nearest to.
#[inline]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and what is large is apart")]
pub(super) fn units(value: f64) -> u128 {
    const SMALL: f64 = 1_073_741_824.0;
    let units = value * UNIT + 0.5;
    if value < SMALL { u128::from(units as u64) } else { units as u128 }
}

/// The float nearest to a number of units.
pub(super) fn from_units(units: u128) -> f64 {
    units as f64 / UNIT
}

/// The natural logarithm of a number above 0.
pub(super) fn ln(value: impl Number) -> f64 {
    let (digits, exponent) = value.parts();
    libm::log(digits) + f64::from(exponent) * LN_2
}

/// The exponential of the digamma function, nearly, of a number from ½ on.
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
    fn scaled_floats_are_floats_while_these_reach() {
        let numbers: Vec<f64> = (0..60).map(|n| libm::exp(f64::from(n) * 3.1 - 100.0)).collect();
        for &a in &numbers {
            for &b in &numbers {
                let (x, y) = (Scaled::of(a), Scaled::of(b));
                assert_eq!([(x * y).float(), (x / y).float(), (x + y).float()], [a * b, a / b, a + b]);
                assert_eq!(ln(x), ln(a));
            }
        }
    }

    #[test]
    fn scaled_floats_go_on_where_floats_end() {
        let tiny = Scaled::of(2.0_f64.powi(-150));
        let power = (1..20).fold(tiny, |power, _| power * tiny);
        assert_eq!(power.parts(), (0.5, -2999));
        assert_eq!((power + power).parts(), (0.5, -2998));
        assert_eq!(power + Scaled::of(1.0), Scaled::of(1.0));
        assert_eq!((power / power).float(), 1.0);
        assert_eq!(power.float(), 0.0);
    }

    #[test]
    fn units_are_rounded() {
        assert_eq!([units(1.0), units(0.75 / UNIT), units(0.25 / UNIT)], [1 << 32, 1, 0]);
        assert_eq!(units(2.0_f64.powi(63)), 1 << 95);
    }
}
