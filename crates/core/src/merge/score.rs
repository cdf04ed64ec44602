//! The trait of criteria, their exact comparison, and the criterion of BPE.
//!
//! Ratios are compared as 192-bit products. Gains of `likelihood` are sums of integers times logarithms of integers:
//! floats order them where they differ by more than a proven bound of the error, and the few others are compared
//! exactly (`numbers::logarithms`; `spec/wordpiece.md`, section 2.3). The history records floats, from one pinned
//! logarithm in one order of operations.

use std::cmp::Ordering;

use crate::numbers::logarithms::LinearForm;

/// The counts from which the score of a pair is computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairCounts {
    /// The number of occurrences of the pair.
    pub(crate) pair: u64,
    /// The number of occurrences of its left symbol.
    pub(crate) left: u64,
    /// The number of occurrences of its right symbol.
    pub(crate) right: u64,
    /// The number of symbols in all.
    pub(crate) total: u64,
    /// Whether both symbols are equal.
    pub(crate) same: bool,
}

/// A key that only pairs of equal scores share, now and as long as it is unchanged.
pub(crate) type Signature = [u64; 4];

/// A score with exact comparison.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ScoreValue {
    /// A fraction: numerator and denominator, which is not 0.
    Ratio(u64, u128),
    /// A real number.
    Real(ExactReal),
}

impl ScoreValue {
    /// Returns a float that is at most the bound of any score not below this one.
    #[expect(clippy::cast_precision_loss, reason = "bounds are padded by more than that")]
    pub(crate) fn lower_bound(&self) -> f64 {
        match self {
            &Self::Ratio(n, d) => n as f64 / d as f64,
            // The doubled error covers the rounding of the difference.
            Self::Real(real) => real.estimate - 2.0 * real.error,
        }
    }
}

impl PartialOrd for ScoreValue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (&Self::Ratio(n, d), &Self::Ratio(m, e)) => Some(product(n, e).cmp(&product(m, d))),
            (Self::Real(x), Self::Real(y)) => Some(x.compare(y)),
            _ => None,
        }
    }
}

impl PartialEq for ScoreValue {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

/// A real number: an approximation as a float, and the exact number where the float cannot decide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExactReal {
    /// The approximation.
    pub(crate) estimate: f64,
    /// A bound of its error, which covers the rounding of a comparison.
    pub(crate) error: f64,
    /// The counts from which the number is computed.
    pub(crate) counts: PairCounts,
    /// Computes the exact number from these counts.
    pub(crate) exact: fn(&PairCounts) -> LinearForm,
}

impl ExactReal {
    /// Compares the number with 0.
    pub(crate) fn sign(&self) -> Ordering {
        decide(self.estimate, self.error, || (self.exact)(&self.counts))
    }

    /// Compares two numbers.
    fn compare(&self, other: &Self) -> Ordering {
        decide(self.estimate - other.estimate, self.error + other.error, || {
            let mut difference = (self.exact)(&self.counts);
            difference.subtract(&(other.exact)(&other.counts));
            difference
        })
    }
}

/// Returns the sign of a number: of its float if that exceeds the error, else of the exact number.
fn decide(estimate: f64, error: f64, exact: impl FnOnce() -> LinearForm) -> Ordering {
    if estimate > error {
        Ordering::Greater
    } else if estimate < -error {
        Ordering::Less
    } else {
        exact().sign()
    }
}

/// Returns a 192-bit product as (high 128 bits, low 64 bits).
fn product(one: u64, other: u128) -> (u128, u64) {
    const LOW: u128 = u64::MAX as u128;
    let one = u128::from(one);
    let low = one * (other & LOW);
    let high = one * (other >> 64) + (low >> 64);
    (high, u64::try_from(low & LOW).expect("64 bits"))
}

/// A criterion: the score by which the pair to merge is chosen.
pub(crate) trait PairScore {
    /// Whether the count of (x, x) is the number of merges of a pass, not of adjacent occurrences.
    fn counts_merges(&self) -> bool {
        false
    }

    /// Whether the score depends on more than the pair's own count.
    fn needs_symbols(&self) -> bool {
        true
    }

    /// Returns everything that determines the score, except the total.
    fn signature(&self, counts: &PairCounts) -> Signature;

    /// Returns the exact score.
    fn value(&self, counts: &PairCounts) -> ScoreValue;

    /// Returns the score as the history records it: the exact score, rounded.
    fn float(&self, counts: &PairCounts) -> f64;

    /// Returns an upper bound of the pair's score, however it is rounded.
    ///
    /// It is valid as long as the pair's count stays, its symbols' counts are at least as large, and the total is at
    /// most as large.
    fn bound(&self, counts: &PairCounts) -> f64 {
        padded(self.float(counts))
    }
}

/// Returns a positive float, increased by far more than any rounding error.
pub(crate) fn padded(score: f64) -> f64 {
    score * (1.0 + 1e-9)
}

/// The number of occurrences of the pair: the criterion of BPE.
pub(crate) struct Frequency;

impl PairScore for Frequency {
    fn needs_symbols(&self) -> bool {
        false
    }

    fn signature(&self, counts: &PairCounts) -> Signature {
        [counts.pair, 0, 0, 0]
    }

    fn value(&self, counts: &PairCounts) -> ScoreValue {
        ScoreValue::Ratio(counts.pair, 1)
    }

    fn float(&self, counts: &PairCounts) -> f64 {
        counts.pair as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_do_not_wrap() {
        assert_eq!(product(3, 5), (0, 15));
        assert_eq!(product(u64::MAX, 1 << 64), (u128::from(u64::MAX), 0));
        let top = product(u64::MAX, u128::MAX);
        assert_eq!(top, (u128::MAX - (1 << 64), 1));
    }

    #[test]
    fn fractions_compare_exactly() {
        let near = ScoreValue::Ratio(u64::MAX - 1, u128::MAX - 1);
        assert!(near < ScoreValue::Ratio(u64::MAX, u128::MAX));
        assert!(ScoreValue::Ratio(1, 3) == ScoreValue::Ratio(1, 3));
        assert_eq!(ScoreValue::Ratio(2, 6).partial_cmp(&ScoreValue::Ratio(1, 3)), Some(Ordering::Equal));
    }
}
