//! The exact sign of sums of integers times logarithms of integers.
//!
//! e to the power of such a sum is a product of powers of integers, so the sum is 0 exactly if that product is 1. The
//! arguments are first rewritten as pairwise coprime ones, by greatest common divisors and without factoring; then the
//! product is 1 only if no term is left. Otherwise the sum is not 0, and its sign is known once it is computed with
//! enough precision.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint};

/// A linear form in logarithms: a sum of coefficients times logarithms of integers.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinearForm {
    terms: Vec<Term>,
}

/// A coefficient times the logarithm of an integer.
#[derive(Clone, Copy, Debug)]
struct Term {
    coefficient: i128,
    argument: u64,
}

/// The precision in bits of the first attempt to find a sign; each further attempt doubles it.
const FIRST_BITS: u32 = 128;

impl LinearForm {
    /// Adds `coefficient` times the logarithm of `argument`, which is at least 1.
    ///
    /// Coefficients are below 2^66, so that all sums below fit: a form has few terms, and no factor divides an argument
    /// more than 63 times.
    pub(crate) fn add(&mut self, coefficient: i128, argument: u64) {
        self.terms.push(Term { coefficient, argument });
    }

    /// Adds the negative of another form.
    pub(crate) fn subtract(&mut self, other: &Self) {
        for term in &other.terms {
            self.add(-term.coefficient, term.argument);
        }
    }

    /// Compares the sum with 0 exactly.
    pub(crate) fn sign(self) -> Ordering {
        let terms = coprime(self.terms);
        if terms.is_empty() {
            return Ordering::Equal;
        }
        let mut bits = FIRST_BITS;
        loop {
            if let Some(sign) = sign_at(&terms, bits) {
                return sign;
            }
            bits *= 2;
        }
    }
}

/// Rewrites a sum of logarithms over pairwise coprime arguments above 1.
///
/// A step replaces two arguments x and y with the common divisor g by x/g, y/g and g. The product of all arguments
/// falls with each step, so this ends. Logarithms of such arguments are linearly independent over the integers, so the
/// sum is 0 only if it has no terms.
fn coprime(mut open: Vec<Term>) -> Vec<Term> {
    let mut done: Vec<Term> = Vec::with_capacity(open.len());
    while let Some(term) = open.pop() {
        if term.coefficient == 0 || term.argument == 1 {
            continue;
        }
        let shared = |(at, other): (usize, &Term)| {
            let divisor = gcd(term.argument, other.argument);
            (divisor > 1).then_some((at, divisor))
        };
        let Some((at, divisor)) = done.iter().enumerate().find_map(shared) else {
            done.push(term);
            continue;
        };
        let other = done.swap_remove(at);
        for part in [term, other] {
            open.push(Term { argument: part.argument / divisor, ..part });
        }
        open.push(Term { coefficient: term.coefficient + other.coefficient, argument: divisor });
    }
    done
}

/// Returns the greatest common divisor of two positive numbers, by Euclid's algorithm.
pub(crate) fn gcd(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// Returns the sign of a sum of logarithms if `bits` (at least 64) binary places are enough to determine it.
///
/// With 2^k the largest power of two up to x, ln x = 2 (k atanh(1/3) + atanh((x - 2^k) / (x + 2^k))). So half of the
/// sum is a sum of inverse hyperbolic tangents, each of them less than `bits` units too small.
fn sign_at(terms: &[Term], bits: u32) -> Option<Ordering> {
    let (mut twos, mut size, mut half) = (0_i128, 0_u128, BigInt::ZERO);
    for &Term { coefficient, argument } in terms {
        let (k, power) = (argument.ilog2(), 1 << argument.ilog2());
        twos += coefficient * i128::from(k);
        size += coefficient.unsigned_abs();
        half += BigInt::from(atanh(argument - power, u128::from(argument) + u128::from(power), bits)) * coefficient;
    }
    half += BigInt::from(atanh(1, 3, bits)) * twos;
    let error = BigUint::from(size + twos.unsigned_abs()) * bits;
    let sign = half.cmp(&BigInt::ZERO);
    (*half.magnitude() > error).then_some(sign)
}

/// Returns the inverse hyperbolic tangent of p/q, at most 1/3, by its power series, in units of 2^-bits.
///
/// Every division rounds down. A power of p/q is too small by less than 9/8 units, since its error shrinks to a ninth
/// before it grows by 1; so a term of the sum is too small by less than 11/8, and the rest of the series is less than
/// 2. There are at most bits/3 + 1 terms, so from 64 bits on the result is too small by less than `bits` units.
fn atanh(p: u64, q: u128, bits: u32) -> BigUint {
    let squares = (BigUint::from(p).pow(2), BigUint::from(q).pow(2));
    let mut power = (BigUint::from(p) << bits) / q;
    let (mut sum, mut odd) = (BigUint::ZERO, 1_u32);
    while power != BigUint::ZERO {
        sum += &power / odd;
        power = power * &squares.0 / &squares.1;
        odd += 2;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sign(terms: &[(i128, u64)]) -> Ordering {
        let mut form = LinearForm::default();
        for &(coefficient, argument) in terms {
            form.add(coefficient, argument);
        }
        form.sign()
    }

    #[test]
    fn equal_products_cancel() {
        assert_eq!(sign(&[]), Ordering::Equal);
        assert_eq!(sign(&[(5, 1), (0, 7)]), Ordering::Equal);
        assert_eq!(sign(&[(3, 4), (-2, 8)]), Ordering::Equal);
        assert_eq!(sign(&[(1, 12), (-2, 6), (1, 3)]), Ordering::Equal);
        // Semiprimes that share their factors crosswise.
        let [p, q, r] = [4_294_967_291, 4_294_967_279, 2_147_483_647];
        assert_eq!(sign(&[(7, p * q), (-7, q * r), (-7, p), (7, r)]), Ordering::Equal);
        let most = i128::from(u64::MAX);
        assert_eq!(sign(&[(most, u64::MAX), (-most, 3), (-most, u64::MAX / 3)]), Ordering::Equal);
    }

    #[test]
    fn close_products_differ() {
        assert_eq!(sign(&[(5, 2), (-3, 3)]), Ordering::Greater);
        assert_eq!(sign(&[(1, u64::MAX), (-1, u64::MAX - 1)]), Ordering::Greater);
        assert_eq!(sign(&[(2, u64::MAX - 1), (-1, u64::MAX), (-1, u64::MAX - 2)]), Ordering::Greater);
        // Convergents of the continued fraction of ln 3 / ln 2, which lie on both sides of it, alternately.
        let convergents = [(19, 12), (65, 41), (84, 53), (485, 306), (1054, 665), (24_727, 15_601), (50_508, 31_867)];
        let sides = [Ordering::Less, Ordering::Greater].into_iter().cycle();
        for ((twos, threes), side) in convergents.into_iter().zip(sides) {
            assert_eq!(sign(&[(twos, 2), (-threes, 3)]), side, "{twos}/{threes}");
            let scale = 1 << 40;
            assert_eq!(sign(&[(-scale * twos, 2), (scale * threes, 3)]), side.reverse());
        }
    }

    #[test]
    fn more_bits_decide_close_sums() {
        // A convergent with terms of 40 digits differs from ln 3 / ln 2 in the 80th digit.
        let (twos, threes) = convergent(1 << 120);
        let terms = [Term { coefficient: twos, argument: 2 }, Term { coefficient: -threes, argument: 3 }];
        assert_eq!(sign_at(&terms, FIRST_BITS), None);
        assert_eq!(sign(&[(twos, 2), (-threes, 3)]), sign_at(&terms, 1024).expect("enough bits"));
    }

    /// Returns the last convergent of ln 3 / ln 2 whose terms are below a limit.
    fn convergent(limit: i128) -> (i128, i128) {
        let ln_2 = atanh(1, 3, 512);
        let (mut above, mut below) = (&ln_2 + atanh(1, 5, 512), ln_2);
        let (mut last, mut now) = ((0, 1), (1, 0));
        loop {
            let quotient = &above / &below;
            (above, below) = (below.clone(), above - &quotient * below);
            let quotient = i128::try_from(quotient).expect("a partial quotient is small");
            let next = (quotient * now.0 + last.0, quotient * now.1 + last.1);
            if next.0 > limit {
                return now;
            }
            (last, now) = (now, next);
        }
    }

    #[test]
    fn atanh_error_is_below_its_bound() {
        for (p, q) in [(0, 5), (1, 3), (1, 5), (7, 100), (u64::MAX >> 2, u128::from(u64::MAX)), (1, 1 << 64)] {
            for bits in [64, 65, 128, 512] {
                let precise: BigUint = atanh(p, q, 2 * bits) >> bits;
                let found = atanh(p, q, bits);
                assert!(found <= precise && precise < found + bits, "{p}/{q} with {bits} bits");
            }
        }
    }
}
