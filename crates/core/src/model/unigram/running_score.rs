//! The running score of a text, in 32 bits as SentencePiece has it: the sum of all scores since the text began.
//!
//! It matters only where a word has two paths that are nearly as good (see [`super::rounding_margin`]). So its exponent is
//! announced, from a bound, and the scores are added up when that is not enough.

use super::rounding_margin::exponent_above;
use super::viterbi::{Paths, RESET_BELOW};
use super::{Total, Unigram, id_tags};
use crate::model::context::{Context, ContextExceeded, NOTHING_VALID};
use crate::model::{ModelScratch, Token};

type Result<T> = std::result::Result<T, ContextExceeded>;

/// The running score of a text.
#[derive(Debug)]
pub(crate) struct RunningScore<'a> {
    model: &'a Unigram,
    specials: bool,
    /// The largest score, whatever its sign.
    largest: f64,
    /// The number of ids whose scores are in the sum.
    summed: usize,
    sum: Total,
    /// The number of scores that the tags of all later ids stand for.
    tagged: usize,
    /// Where the ids of the text begin, and whether any of them has a tag.
    begun: usize,
    has_tags: bool,
    /// The number of scores that the announced exponent allows for.
    announced: usize,
    /// The announced exponent: the running score is below two to its power until then.
    exponent: u8,
}

impl<'a> RunningScore<'a> {
    pub(super) fn new(model: &'a Unigram) -> Self {
        Self {
            model,
            specials: true,
            largest: 0.0,
            summed: 0,
            sum: Total::default(),
            tagged: 0,
            begun: 0,
            has_tags: false,
            announced: 0,
            exponent: 0,
        }
    }

    /// Fails if more scores were added up than announced, and the exponent is too low for them.
    fn check(&mut self, ids: &[u32]) -> Result<()> {
        if self.announced > 0 && self.steps(ids) > self.announced {
            self.add_up(ids);
            if exponent_above(self.sum.size) > self.exponent {
                return Err(ContextExceeded);
            }
        }
        Ok(())
    }

    /// Returns the sum of the scores of all ids.
    fn add_up(&mut self, ids: &[u32]) -> f32 {
        self.model.add_up(&ids[self.summed..], self.specials, &mut self.sum);
        (self.summed, self.tagged) = (ids.len(), 0);
        self.sum.score
    }

    /// Records a word whose scores the model added up: the running score, the number of scores, and that of all ids with it.
    fn set(&mut self, score: f32, steps: usize, ids: usize) {
        self.sum = Total { score, size: score.abs().into(), steps: self.sum.steps + steps };
        (self.summed, self.tagged) = (ids, 0);
    }

    /// The number of scores that were added up, or a few less.
    fn steps(&self, ids: &[u32]) -> usize {
        self.sum.steps + ids.len() - self.summed + self.tagged
    }

    /// What the running score is surely below, whatever its sign, when there are as many scores as announced.
    #[expect(clippy::cast_precision_loss, reason = "a bound, with some to spare")]
    fn bound(&self) -> f64 {
        // Each addition may add half of the last bit, too, of a sum that is not yet too large.
        let most = self.largest * 1.01 + RESET_BELOW.abs() * f64::from(f32::EPSILON);
        let sum = self.sum.size.max(f64::from(self.sum.score.abs()));
        sum + self.announced.saturating_sub(self.sum.steps) as f64 * most
    }
}

impl Context for RunningScore<'_> {
    fn begin(&mut self, ids: usize, specials: bool) {
        let largest = f64::from(self.model.largest(specials));
        *self = Self { specials, largest, summed: ids, begun: ids, ..Self::new(self.model) };
    }

    fn end(&mut self, ids: &mut [u32]) -> Result<()> {
        let checked = self.check(ids);
        // What was announced holds of this text alone, whether it was true or not, and so do the tags.
        self.announced = 0;
        if std::mem::take(&mut self.has_tags) {
            id_tags::remove(&mut ids[self.begun..]);
        }
        checked
    }

    #[inline]
    fn record(&mut self, ids: &[u32]) {
        let (tagged, has_tags) = id_tags::sum(ids);
        self.tagged += tagged;
        self.has_tags |= has_tags;
    }

    fn announce(&mut self, ids: &[u32], bytes: usize) -> Result<u8> {
        self.check(ids)?;
        // A character seldom becomes more than one piece.
        self.announced = self.steps(ids) + bytes / 2 + 32;
        if self.bound() >= -RESET_BELOW {
            self.add_up(ids);
        }
        // Where the library begins to count from 0 again, nothing is taken from the cache.
        self.exponent = if self.bound() >= -RESET_BELOW { NOTHING_VALID } else { exponent_above(self.bound()) };
        Ok(self.exponent)
    }

    fn encode_word(
        &mut self,
        word: &str,
        at: u32,
        ids: &[u32],
        scratch: &mut ModelScratch,
        out: &mut Vec<Token>,
    ) -> crate::error::Result<u8> {
        let paths: &mut Paths = &mut scratch.paths;
        if let Some(valid_below) = self.model.encode_surely(word, at, self.specials, self.exponent, paths, out)? {
            return Ok(valid_below);
        }
        paths.before = self.add_up(ids);
        self.model.encode_word(word, at, self.specials, paths, out)?;
        self.set(paths.after, paths.steps(), ids.len() + out.len());
        Ok(0)
    }

    fn untagged(&self, id: u32) -> u32 {
        id_tags::untagged(id)
    }
}
