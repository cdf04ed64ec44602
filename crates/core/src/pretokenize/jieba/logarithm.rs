//! Computes the natural logarithm of integers, correctly rounded.
//!
//! The best segmentation of a sentence can depend on the last bit of a logarithm, because many segmentations differ
//! only by rounding. The pinned `libm` is sometimes wrong in that bit.

/// The fraction bits of fixed-point numbers; the logarithm of 64-bit integers has six more.
const FRACTION: u32 = 120;
const HALF: u32 = FRACTION / 2;
const ONE: u128 = 1 << FRACTION;
/// The natural logarithm of 2.
const LN_2: u128 = 0x00b1_7217_f7d1_cf79_abc9_e3b3_9803_f2f6;
/// The fraction bits of a significand of `f64`.
const SIGNIFICAND: u32 = 52;
const EXPONENT_OF_ONE: u64 = 1023;

/// Returns the natural logarithm of `value`, rounded to the nearest 64-bit float.
#[expect(clippy::cast_precision_loss, reason = "the number is rounded as floats are")]
pub(super) fn ln(value: u64) -> f64 {
    if value == 0 {
        return f64::NEG_INFINITY;
    }
    let bits = (value as f64).to_bits();
    let exponent = (bits >> SIGNIFICAND) - EXPONENT_OF_ONE;
    let one = 1 << SIGNIFICAND;
    let above = bits & (one - 1);
    // With m from 1 to 2: ln(m 2^e) = e ln 2 + 2 artanh((m - 1) / (m + 1)).
    let sum = u128::from(exponent) * LN_2 + 2 * artanh(divide(above, above + 2 * one));
    sum as f64 / ONE as f64
}

/// Returns the sum of z^n / n over odd n.
fn artanh(z: u128) -> u128 {
    let square = multiply(z, z);
    let mut power = z;
    let mut sum = 0;
    for n in (1_u128..).step_by(2) {
        if power == 0 {
            break;
        }
        sum += power / n;
        power = multiply(power, square);
    }
    sum
}

/// Returns a / b, for integers a < b < 2^60.
fn divide(a: u64, b: u64) -> u128 {
    let b = u128::from(b);
    let high = u128::from(a) << HALF;
    let low = (high % b) << HALF;
    ((high / b) << HALF) + low / b
}

/// Returns the product of two numbers below 1.
fn multiply(a: u128, b: u128) -> u128 {
    let half = |number: u128| (number >> HALF, number & ((1 << HALF) - 1));
    let ((a, a_low), (b, b_low)) = (half(a), half(b));
    a * b + ((a * b_low) >> HALF) + ((a_low * b) >> HALF)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected bits were computed with 60 digits.
    #[test]
    fn rounded_correctly() {
        for (value, bits) in [
            (1, 0x0000000000000000),
            (2, 0x3fe62e42fefa39ef),
            (3, 0x3ff193ea7aad030b),
            (14, 0x40051cca16d7bba7),
            (48, 0x400ef8383c50bb75),
            (74, 0x4011375cd6fcab1d),
            (176, 0x4014ae935b3cb89d),
            (883634, 0x402b6233609fb790),
            (60101967, 0x4031e95b8bb84672),
            (9007199254740993, 0x40425e4f7b2737fa),
            (18446744073709551615, 0x40462e42fefa39ef),
        ] {
            assert_eq!(ln(value).to_bits(), bits, "{value}");
        }
        assert_eq!(ln(0), f64::NEG_INFINITY);
    }
}
