//! The scores that were added up since a text began, in 32 bits as SentencePiece does: see [`crate::model::unigram::margin`].
//!
//! They matter only where a word has two ways that are nearly as good. So what is told of them is how large they are at most, and
//! they are added up when that is not enough.

use crate::fast::Fallback;
use crate::model::unigram::margin::{NOTHING, power_above};
use crate::model::unigram::{FAR, Total, Unigram, marks};

type Result<T> = std::result::Result<T, Fallback>;

/// The sum of a text's scores.
pub(super) struct RunningScore<'a> {
    model: &'a Unigram,
    specials: bool,
    /// The largest score.
    largest: f64,
    /// The scores of all ids before this one.
    summed: usize,
    sum: Total,
    /// What the marks of all ids behind stand for.
    marked: usize,
    /// Where the ids of the text begin, and whether any of them has a mark.
    begun: usize,
    has_marks: bool,
    /// How many scores there may be before the next reach is asked for.
    told: usize,
    /// The power of two that sums are below until then.
    reach: u8,
}

impl<'a> RunningScore<'a> {
    pub(super) fn new(model: &'a Unigram) -> Self {
        let (largest, sum, has_marks) = (0.0, Total::default(), false);
        Self { model, specials: true, largest, summed: 0, sum, marked: 0, begun: 0, has_marks, told: 0, reach: 0 }
    }

    /// Whose scores they are.
    pub(super) fn model(&self) -> &'a Unigram {
        self.model
    }

    /// Begins a text after this number of ids.
    pub(super) fn begin(&mut self, ids: usize, specials: bool) {
        let largest = f64::from(self.model.largest(specials));
        *self = Self { specials, largest, summed: ids, begun: ids, ..Self::new(self.model) };
    }

    /// The text has ended: what was told holds of it alone, whether it was true or not, and so do the marks.
    pub(super) fn end(&mut self, ids: &mut [u32]) -> Result<()> {
        let checked = self.check(ids);
        self.told = 0;
        if std::mem::take(&mut self.has_marks) {
            marks::remove(&mut ids[self.begun..]);
        }
        checked
    }

    /// Takes note of the marks of more ids.
    #[inline]
    pub(super) fn note(&mut self, ids: &[u32]) {
        let (marked, has_marks) = marks::sum(ids);
        self.marked += marked;
        self.has_marks |= has_marks;
    }

    /// Whether a word may be taken that is the same behind any sum below two to the power of its limit, less one.
    pub(super) fn sure(&self) -> u8 {
        self.reach
    }

    /// Returns the exponent of the running score that holds for about this number of further bytes; see [`Sink::reach`](crate::fast::Sink::reach).
    pub(super) fn reach(&mut self, ids: &[u32], bytes: usize) -> Result<u8> {
        self.check(ids)?;
        // A character seldom becomes more than one piece.
        self.told = self.steps(ids) + bytes / 2 + 32;
        if self.bound() >= -FAR {
            self.add_up(ids);
        }
        // Where it begins to count from 0 again, nothing is taken from the cache.
        self.reach = if self.bound() >= -FAR { NOTHING } else { power_above(self.bound()) };
        Ok(self.reach)
    }

    /// Falls back to the generic path if more scores were added up than the last exponent allowed for.
    fn check(&mut self, ids: &[u32]) -> Result<()> {
        if self.told > 0 && self.steps(ids) > self.told {
            self.add_up(ids);
            if power_above(self.sum.size) > self.reach {
                return Err(Fallback::ScoresExceeded);
            }
        }
        Ok(())
    }

    /// What the scores of all ids come to.
    pub(super) fn add_up(&mut self, ids: &[u32]) -> f32 {
        self.model.add_up(&ids[self.summed..], self.specials, &mut self.sum);
        (self.summed, self.marked) = (ids.len(), 0);
        self.sum.score
    }

    /// Records a word whose scores the model added up: the running score, the number of scores, and that of all ids with it.
    pub(super) fn set(&mut self, score: f32, steps: usize, ids: usize) {
        self.sum = Total { score, size: score.abs().into(), steps: self.sum.steps + steps };
        (self.summed, self.marked) = (ids, 0);
    }

    /// How many scores were added up, or a few less.
    fn steps(&self, ids: &[u32]) -> usize {
        self.sum.steps + ids.len() - self.summed + self.marked
    }

    /// What the sum is surely below when there are as many scores as told, whatever its sign.
    #[expect(clippy::cast_precision_loss, reason = "a bound, with some to spare")]
    fn bound(&self) -> f64 {
        // Each addition may add half of the last bit, too, of a sum that is not yet too large.
        let most = self.largest * 1.01 + FAR.abs() * f64::from(f32::EPSILON);
        let sum = self.sum.size.max(f64::from(self.sum.score.abs()));
        sum + self.told.saturating_sub(self.sum.steps) as f64 * most
    }
}
