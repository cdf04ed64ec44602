//! What makes one pair better than another: the trait that every criterion implements, exact
//! comparison, and the simplest criterion.

use std::cmp::Ordering;

use crate::numbers::logarithms::LinearForm;

/// The counts around a pair, from which every score is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    /// How often the pair occurs.
    pub(crate) pair: u64,
    /// How often its left symbol occurs.
    pub(crate) left: u64,
    /// How often its right symbol occurs.
    pub(crate) right: u64,
    /// How many symbols there are in all.
    pub(crate) total: u64,
    /// Whether both symbols are the same one.
    pub(crate) same: bool,
}

/// Pairs with the same signature have equal scores, now and as long as it stays.
pub(crate) type Signature = [u64; 4];

/// A score that compares exactly.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    /// A fraction, its denominator not 0.
    Ratio(u64, u128),
    /// A real number.
    Real(Real),
}

impl Value {
    /// A float that is not above the bound of any score that is at least this one.
    #[expect(clippy::cast_precision_loss, reason = "bounds are padded by more than that")]
    pub(crate) fn lower_bound(&self) -> f64 {
        match self {
            &Self::Ratio(n, d) => n as f64 / d as f64,
            // Twice, for the rounding of the difference.
            Self::Real(real) => real.estimate - 2.0 * real.error,
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (&Self::Ratio(n, d), &Self::Ratio(m, e)) => Some(product(n, e).cmp(&product(m, d))),
            (Self::Real(x), Self::Real(y)) => Some(x.compare(y)),
            _ => None,
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

/// A real number: a float near it, and the exact number where that float cannot decide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Real {
    /// The number as a float.
    pub(crate) estimate: f64,
    /// A bound of the error of that float, with room for the rounding of a comparison.
    pub(crate) error: f64,
    /// The counts that the number is computed from.
    pub(crate) counts: Counts,
    /// Computes the exact number from these counts.
    pub(crate) exact: fn(&Counts) -> LinearForm,
}

impl Real {
    /// Compares with 0.
    pub(crate) fn sign(&self) -> Ordering {
        decide(self.estimate, self.error, || (self.exact)(&self.counts))
    }

    fn compare(&self, other: &Self) -> Ordering {
        decide(self.estimate - other.estimate, self.error + other.error, || {
            let mut difference = (self.exact)(&self.counts);
            difference.subtract(&(other.exact)(&other.counts));
            difference
        })
    }
}

/// The sign of a number: of its float, if that is far enough from 0.
fn decide(estimate: f64, error: f64, exact: impl FnOnce() -> LinearForm) -> Ordering {
    if estimate > error {
        Ordering::Greater
    } else if estimate < -error {
        Ordering::Less
    } else {
        exact().sign()
    }
}

/// A 192-bit product as (high 128 bits, low 64 bits).
fn product(one: u64, other: u128) -> (u128, u64) {
    const LOW: u128 = u64::MAX as u128;
    let one = u128::from(one);
    let low = one * (other & LOW);
    let high = one * (other >> 64) + (low >> 64);
    (high, u64::try_from(low & LOW).expect("64 bits"))
}

/// A criterion: which pair to merge.
pub(crate) trait Score {
    /// Whether (x, x) counts the merges that a pass would make, not its adjacent occurrences.
    fn counts_merges(&self) -> bool {
        false
    }

    /// Whether the score depends on more than the pair's own count.
    fn needs_symbols(&self) -> bool {
        true
    }

    /// What decides the score, the total apart.
    fn signature(&self, counts: &Counts) -> Signature;

    /// The exact score.
    fn value(&self, counts: &Counts) -> Value;

    /// The score as the history records it: the exact score, but for rounding.
    fn float(&self, counts: &Counts) -> f64;

    /// A bound that this pair's score does not exceed, however it is rounded, as long as its count
    /// stays, its symbols' counts are at least as large, and the total is at most as large.
    fn bound(&self, counts: &Counts) -> f64 {
        padded(self.float(counts))
    }
}

/// A positive float, raised far above what rounding can have taken from it.
pub(crate) fn padded(score: f64) -> f64 {
    score * (1.0 + 1e-9)
}

/// How often the pair occurs: the criterion of BPE.
pub(crate) struct Frequency;

impl Score for Frequency {
    fn needs_symbols(&self) -> bool {
        false
    }

    fn signature(&self, counts: &Counts) -> Signature {
        [counts.pair, 0, 0, 0]
    }

    fn value(&self, counts: &Counts) -> Value {
        Value::Ratio(counts.pair, 1)
    }

    fn float(&self, counts: &Counts) -> f64 {
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
        let near = Value::Ratio(u64::MAX - 1, u128::MAX - 1);
        assert!(near < Value::Ratio(u64::MAX, u128::MAX));
        assert!(Value::Ratio(1, 3) == Value::Ratio(1, 3));
        assert_eq!(Value::Ratio(2, 6).partial_cmp(&Value::Ratio(1, 3)), Some(Ordering::Equal));
    }
}
