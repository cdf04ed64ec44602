//! Floats with equal results on all machines and without underflow (`spec/unigram.md`, U1 to U4).

use std::cmp::Ordering;
use std::f64::consts::{LN_2, LOG2_E};
use std::ops::{Add, Div, Mul};

/// A non-negative number with an unbounded exponent: `value` times 2 to the power of `scale` times [`STEP`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scaled {
    /// 0, or from 2⁻²⁵⁶ to below 2²⁵⁶.
    value: f64,
    scale: i64,
}

const STEP: i64 = 512;
const UP: f64 = power(512);
const DOWN: f64 = power(-512);
const LARGE: f64 = power(256);
const SMALL: f64 = power(-256);

/// Returns two to the power of a float's exponent.
#[expect(clippy::cast_sign_loss, reason = "the sum is positive")]
const fn power(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

impl Scaled {
    pub(crate) const ZERO: Self = Self { value: 0.0, scale: 0 };
    pub(crate) const ONE: Self = Self { value: 1.0, scale: 0 };

    /// Converts a float, which is 0 or neither very large nor very small.
    pub(crate) fn of(value: f64) -> Self {
        Self::new(value, 0)
    }

    /// Returns the nearest float; for very small numbers an arbitrary very small one.
    pub(crate) fn float(self) -> f64 {
        let exponent = self.scale.saturating_mul(STEP).clamp(i32::MIN.into(), i32::MAX.into());
        libm::ldexp(self.value, i32::try_from(exponent).expect("it was cut off"))
    }

    /// Brings a value into its range.
    fn new(value: f64, scale: i64) -> Self {
        if value >= LARGE {
            Self { value: value * DOWN, scale: scale + 1 }
        } else if value < SMALL && value > 0.0 {
            Self { value: value * UP, scale: scale - 1 }
        } else {
            Self { value, scale }
        }
    }

    /// Returns the significand, from ½ to below 1, and the exponent of two.
    pub(crate) fn parts(self) -> (f64, i64) {
        let (digits, exponent) = libm::frexp(self.value);
        (digits, i64::from(exponent) + self.scale * STEP)
    }
}

impl Mul for Scaled {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self::new(self.value * other.value, self.scale.saturating_add(other.scale))
    }
}

impl Div for Scaled {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        Self::new(self.value / other.value, self.scale.saturating_sub(other.scale))
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
            // The smaller number is too small to change the sum.
            _ => large,
        }
    }
}

impl PartialOrd for Scaled {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        if self.value == 0.0 || other.value == 0.0 {
            return self.value.partial_cmp(&other.value);
        }
        (self.scale, self.value).partial_cmp(&(other.scale, other.value))
    }
}

/// Returns a number rounded to 32 bits.
///
/// A sum or difference of two numbers of 32 bits is the same whether it is rounded at once, or to 64 bits first.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "it is rounded")]
pub(crate) fn to_single(number: f64) -> f64 {
    f64::from(number as f32)
}

/// Returns the natural logarithm of a number above 0.
#[expect(clippy::cast_precision_loss, reason = "exponents have far fewer than 53 bits")]
pub(crate) fn ln(x: Scaled) -> f64 {
    let (digits, exponent) = x.parts();
    libm::log(digits) + exponent as f64 * LN_2
}

/// Returns e to the power of `x`, by the algorithm of FreeBSD's `e_exp.c` with an unbounded exponent.
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "what is large is cut off before")]
pub(crate) fn exp(x: f64) -> Scaled {
    const TINY: f64 = f64::from_bits(0x3e30_0001_0000_0000);
    const HALF_LN2: f64 = f64::from_bits(0x3fd6_2e43_0000_0000);
    const LN2_AND_HALF: f64 = f64::from_bits(0x3ff0_a2b2_0000_0000);
    const MOST: f64 = power(50);
    const LN2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];
    const TERMS: [f64; 5] = [
        1.666_666_666_666_660_2e-1,
        -2.777_777_777_701_559_3e-3,
        6.613_756_321_437_934e-5,
        -1.653_390_220_546_525_2e-6,
        4.138_136_797_057_238_5e-8,
    ];
    // Larger exponents could overflow when they are added up.
    let x = x.clamp(-MOST, MOST);
    if x.abs() < TINY {
        return Scaled::of(1.0 + x);
    }
    let half = if x < 0.0 { -0.5 } else { 0.5 };
    let k = match x.abs() {
        size if size < HALF_LN2 => 0,
        size if size < LN2_AND_HALF => (2.0 * half) as i64,
        _ => (LOG2_E * x + half) as i64,
    };
    let (high, low) = (x - k as f64 * LN2[0], k as f64 * LN2[1]);
    let x = high - low;
    let z = x * x;
    let [first, second, third, fourth, fifth] = TERMS;
    let c = x - z * (first + z * (second + z * (third + z * (fourth + z * fifth))));
    let y = 1.0 + (x * c / (2.0 - c) - low + high);
    Scaled::new(y * power(k.rem_euclid(STEP) - STEP / 2), k.div_euclid(STEP)) * HALF_STEP
}

/// Two to the power of half a step.
const HALF_STEP: Scaled = Scaled { value: SMALL, scale: 1 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scaled_floats_equal_floats_in_their_range() {
        let numbers: Vec<f64> = (0..60).map(|n| libm::exp(f64::from(n) * 3.1 - 100.0)).collect();
        for &a in &numbers {
            for &b in &numbers {
                let (x, y) = (Scaled::of(a), Scaled::of(b));
                assert_eq!([(x * y).float(), (x / y).float(), (x + y).float()], [a * b, a / b, a + b]);
                assert_eq!((x.partial_cmp(&y), x < Scaled::ZERO), (a.partial_cmp(&b), false));
            }
        }
    }

    #[test]
    fn scaled_floats_exceed_the_range_of_floats() {
        let tiny = Scaled::of(2.0_f64.powi(-150));
        let power = (1..20).fold(tiny, |power, _| power * tiny);
        assert_eq!(power.parts(), (0.5, -2999));
        assert_eq!((power + power).parts(), (0.5, -2998));
        assert_eq!(power + Scaled::ONE, Scaled::ONE);
        assert_eq!([power.float(), (power / power).float()], [0.0, 1.0]);
        assert!(power < power + power && Scaled::ZERO < power && power < Scaled::ONE);
        assert_eq!(ln(power), -3000.0 * LN_2);
    }

    #[test]
    fn exp_and_ln_equal_the_library() {
        let mut numbers: Vec<f64> = (0..20_000).map(|n| f64::from(n) * 0.0677 - 700.0).collect();
        numbers.extend([0.0, 1e-9, -1e-9, 3.8e-9, 0.3465, 0.3466, -0.3466, 1.0397, 1.03973, -1.0398]);
        for x in numbers.into_iter().filter(|x| x.abs() < 700.0) {
            assert_eq!(exp(x).float(), libm::exp(x), "{x}");
            let (digits, exponent) = libm::frexp(libm::exp(x));
            assert_eq!(ln(exp(x)), libm::log(digits) + f64::from(exponent) * LN_2);
        }
    }

    #[test]
    fn exp_has_no_bounds() {
        assert_eq!(exp(-1000.0).parts().1, -1442);
        assert!((ln(exp(-123_456.7)) + 123_456.7).abs() < 1e-9);
        assert!((ln(exp(98_765.4)) - 98_765.4).abs() < 1e-9);
        assert_eq!(exp(f64::NEG_INFINITY), exp(-(2.0_f64.powi(50))));
        assert!(exp(f64::NEG_INFINITY) > Scaled::ZERO);
    }
}
