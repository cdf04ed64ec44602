//! The criteria beside `frequency`: each takes the counts around a pair and says what a merge is worth.

use crate::merge::score::{Counts, Frequency, Real, Score, Signature, Value};
use crate::numbers::logarithms::{LinearForm, gcd};

/// What makes a pair the best one to merge, for its count n, its symbols' counts A and B, and N symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Criterion {
    /// n.
    Frequency,
    /// n / (A·B).
    Pmi,
    /// n / (A+B).
    Sum,
    /// The gain in log-likelihood of the words under a unigram model of the symbols.
    #[default]
    Likelihood,
}

impl Criterion {
    pub(super) fn score(self) -> &'static dyn Score {
        match self {
            Self::Frequency => &Frequency,
            Self::Pmi => &Pmi,
            Self::Sum => &Sum,
            Self::Likelihood => &Likelihood,
        }
    }
}

struct Pmi;

impl Score for Pmi {
    fn signature(&self, counts: &Counts) -> Signature {
        reduced(counts.pair, u128::from(counts.left) * u128::from(counts.right))
    }

    fn value(&self, counts: &Counts) -> Value {
        Value::Ratio(counts.pair, u128::from(counts.left) * u128::from(counts.right))
    }

    fn float(&self, counts: &Counts) -> f64 {
        counts.pair as f64 / (counts.left as f64 * counts.right as f64)
    }
}

struct Sum;

impl Score for Sum {
    fn signature(&self, counts: &Counts) -> Signature {
        reduced(counts.pair, u128::from(counts.left) + u128::from(counts.right))
    }

    fn value(&self, counts: &Counts) -> Value {
        Value::Ratio(counts.pair, u128::from(counts.left) + u128::from(counts.right))
    }

    fn float(&self, counts: &Counts) -> f64 {
        counts.pair as f64 / (counts.left as f64 + counts.right as f64)
    }
}

/// A fraction in lowest terms.
fn reduced(numerator: u64, denominator: u128) -> Signature {
    let divisor = gcd(numerator, low(denominator % u128::from(numerator)));
    let denominator = denominator / u128::from(divisor);
    [numerator / divisor, low(denominator >> 64), low(denominator & u128::from(u64::MAX)), 0]
}

fn low(number: u128) -> u64 {
    u64::try_from(number).expect("it is below 2^64")
}

struct Likelihood;

impl Score for Likelihood {
    fn counts_merges(&self) -> bool {
        true
    }

    fn signature(&self, counts: &Counts) -> Signature {
        let (less, more) = ordered(counts);
        [counts.pair, less, more, u64::from(counts.same)]
    }

    fn value(&self, counts: &Counts) -> Value {
        Value::Real(gain(counts))
    }

    fn float(&self, counts: &Counts) -> f64 {
        estimate(counts)
    }

    /// The padding is a thousand times the error of the float.
    fn bound(&self, counts: &Counts) -> f64 {
        let gain = estimate(counts);
        gain + 1e-9 * gain.abs() + 1e-10 * counts.pair as f64
    }
}

/// How far the float of a gain may be off, for each merge: section 2.3 of `spec/wordpiece.md` has the proof.
const ERROR: f64 = 1.0 / (1_u64 << 44) as f64;

/// How much the merges of a pair raise the log-likelihood.
pub(super) fn gain(counts: &Counts) -> Real {
    Real { estimate: estimate(counts), error: ERROR * counts.pair as f64, counts: *counts, exact }
}

/// The gain as a sum of φ(x) = x ln x.
fn exact(counts: &Counts) -> LinearForm {
    let mut form = LinearForm::default();
    let mut add = |sign: i128, count: u64| {
        if count > 0 {
            form.add(sign * i128::from(count), count);
        }
    };
    let lost = if counts.same { 2 * counts.pair } else { counts.pair };
    let symbols = [counts.left, counts.right];
    for &count in if counts.same { &symbols[..1] } else { &symbols } {
        add(1, count - lost);
        add(-1, count);
    }
    add(1, counts.pair);
    add(1, counts.total);
    add(-1, counts.total - counts.pair);
    form
}

/// The gain as a float, in this order of operations: it is part of the specification, as the history records it.
fn estimate(counts: &Counts) -> f64 {
    let (less, more) = ordered(counts);
    let (pair, total) = (counts.pair, counts.total);
    let product = pair as f64 * total as f64;
    let mut sum = pair as f64 * libm::log(product / (less as f64 * more as f64));
    if counts.same {
        sum += left_over(less, 2 * pair);
    } else {
        sum += left_over(less, pair);
        sum += left_over(more, pair);
    }
    sum - left_over(total, pair)
}

/// The counts of both symbols, the smaller first, so that (a, b) and (b, a) give the same float.
fn ordered(counts: &Counts) -> (u64, u64) {
    (counts.left.min(counts.right), counts.left.max(counts.right))
}

/// What the occurrences add that are not merged: (x − n) ln(1 − n/x), and 0 where none is left.
fn left_over(count: u64, merged: u64) -> f64 {
    if count <= merged {
        return 0.0;
    }
    let rest = (count - merged) as f64;
    let share = merged as f64 / count as f64;
    // Beyond 2^53 a share below 1 can round to 1, whose logarithm would be infinite.
    let log = if share < 1.0 { libm::log1p(-share) } else { libm::log(rest / count as f64) };
    rest * log
}
