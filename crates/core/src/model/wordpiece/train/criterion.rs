//! The criteria of WordPiece, except `frequency`: functions of the counts of a pair.

use crate::learn::Candidate;
use crate::merge::score::{ExactReal, Frequency, PairCounts, PairScore, ScoreValue, Signature};
use crate::merge::{BestPair, MergeEngine};
use crate::numbers::logarithms::{LinearForm, gcd};

/// The score of a pair with count n, symbol counts A and B, among N symbols.
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
    /// Returns the score of a pair as a history records it, whichever criterion the training has.
    ///
    /// ```
    /// use piecework_core::learn::Candidate;
    /// use piecework_core::model::wordpiece::train::Criterion;
    /// let pair = Candidate {
    ///     left: 0,
    ///     right: 1,
    ///     score: 0.0,
    ///     rank: 1,
    ///     occurrences: 5,
    ///     merges: 5,
    ///     left_count: 20,
    ///     right_count: 5,
    /// };
    /// assert_eq!(Criterion::Pmi.score_of(&pair, 113), 0.05);
    /// ```
    #[must_use]
    pub fn score_of(self, candidate: &Candidate, total: u64) -> f64 {
        let score = self.score();
        score.float(&PairCounts {
            pair: if score.counts_merges() { candidate.merges } else { candidate.occurrences },
            left: candidate.left_count,
            right: candidate.right_count,
            total,
            same: candidate.left == candidate.right,
        })
    }

    /// The criteria by the names in files and settings.
    pub const NAMES: [(&str, Self); 4] =
        [("likelihood", Self::Likelihood), ("pmi", Self::Pmi), ("sum", Self::Sum), ("frequency", Self::Frequency)];

    /// Returns the criterion with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(other, _)| *other == name).map(|(_, criterion)| *criterion)
    }

    /// Returns the implementation of the criterion.
    pub(super) fn score(self) -> &'static dyn PairScore {
        match self {
            Self::Frequency => &Frequency,
            Self::Pmi => &PMI,
            Self::Sum => &SUM,
            Self::Likelihood => &Likelihood,
        }
    }
}

/// A criterion n / d, where d is a function of A and B: exact, and in floats.
struct Ratio {
    denominator: fn(u128, u128) -> u128,
    float: fn(f64, f64) -> f64,
}

/// The criterion n / (A·B).
const PMI: Ratio = Ratio { denominator: |left, right| left * right, float: |left, right| left * right };
/// The criterion n / (A+B).
const SUM: Ratio = Ratio { denominator: |left, right| left + right, float: |left, right| left + right };

impl Ratio {
    fn denominator(&self, counts: &PairCounts) -> u128 {
        (self.denominator)(counts.left.into(), counts.right.into())
    }
}

impl PairScore for Ratio {
    fn signature(&self, counts: &PairCounts) -> Signature {
        reduced(counts.pair, self.denominator(counts))
    }

    fn value(&self, counts: &PairCounts) -> ScoreValue {
        ScoreValue::Ratio(counts.pair, self.denominator(counts))
    }

    fn float(&self, counts: &PairCounts) -> f64 {
        counts.pair as f64 / (self.float)(counts.left as f64, counts.right as f64)
    }
}

/// Returns a fraction in lowest terms.
fn reduced(numerator: u64, denominator: u128) -> Signature {
    let divisor = gcd(numerator, low(denominator % u128::from(numerator)));
    let denominator = denominator / u128::from(divisor);
    [numerator / divisor, low(denominator >> 64), low(denominator & u128::from(u64::MAX)), 0]
}

fn low(number: u128) -> u64 {
    u64::try_from(number).expect("it is below 2^64")
}

/// The criterion of the gain in log-likelihood.
struct Likelihood;

impl PairScore for Likelihood {
    fn counts_merges(&self) -> bool {
        true
    }

    fn signature(&self, counts: &PairCounts) -> Signature {
        let (less, more) = ordered(counts);
        [counts.pair, less, more, u64::from(counts.same)]
    }

    fn value(&self, counts: &PairCounts) -> ScoreValue {
        ScoreValue::Real(gain(counts))
    }

    fn float(&self, counts: &PairCounts) -> f64 {
        estimate(counts)
    }

    /// The padding is a hundred times the error of the series, and a thousand times that of the float.
    fn bound(&self, counts: &PairCounts) -> f64 {
        let gain = sum_of_terms(counts, left_over_by_series);
        gain + 1e-9 * gain.abs() + 1e-10 * counts.pair as f64
    }
}

/// The error bound of the float of a gain, for each merge; section 2.3 of `spec/wordpiece.md` contains the proof.
const ERROR: f64 = 1.0 / (1_u64 << 44) as f64;

/// Returns whether a merge increases the log-likelihood of the words, whatever the criterion.
pub(super) fn increases_likelihood(engine: &MergeEngine, best: &BestPair) -> bool {
    gain(&PairCounts { pair: engine.merge_count(best.pair), ..best.counts }).sign().is_gt()
}

/// Returns the increase in log-likelihood (nats) by the merges of a pair.
fn gain(counts: &PairCounts) -> ExactReal {
    ExactReal { estimate: estimate(counts), error: ERROR * counts.pair as f64, counts: *counts, exact }
}

/// Returns the gain as a sum of φ(x) = x ln x.
fn exact(counts: &PairCounts) -> LinearForm {
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

/// Returns the gain as a float. The specification fixes this order of operations, since the history records it.
fn estimate(counts: &PairCounts) -> f64 {
    sum_of_terms(counts, left_over)
}

/// Returns the gain by a function for the terms of the occurrences that are not merged.
#[inline]
fn sum_of_terms(counts: &PairCounts, left_over: impl Fn(u64, u64) -> f64) -> f64 {
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

/// Returns the counts of both symbols, the smaller first, so that (a, b) and (b, a) give the same float.
fn ordered(counts: &PairCounts) -> (u64, u64) {
    (counts.left.min(counts.right), counts.left.max(counts.right))
}

/// Returns [`left_over`] by its series −n + n·Σ uᵏ/(k(k+1)) where u = n/x is at most 1/16: of eight terms the error is below
/// n·u⁹/80, which is 2·10⁻¹³·n at most.
#[inline]
fn left_over_by_series(count: u64, merged: u64) -> f64 {
    const COEFFICIENTS: [f64; 8] =
        [1.0 / 72.0, 1.0 / 56.0, 1.0 / 42.0, 1.0 / 30.0, 1.0 / 20.0, 1.0 / 12.0, 1.0 / 6.0, 1.0 / 2.0];
    if count / 16 < merged {
        return left_over(count, merged);
    }
    let share = merged as f64 / count as f64;
    let sum = COEFFICIENTS.iter().fold(0.0, |sum, coefficient| (sum + coefficient) * share);
    merged as f64 * (sum - 1.0)
}

/// Returns the term of the occurrences that are not merged: (x − n) ln(1 − n/x), or 0.
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
