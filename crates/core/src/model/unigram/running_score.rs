//! The running score of a text: the sum of all scores from its beginning, in 32 bits as in SentencePiece.
//!
//! It is the state of a [`Context`](crate::model::Context). Its rounding decides between nearly equal segmentations. The
//! exponent is that of the absolute value: the score is less than two to this power. The tag of an id is the number of its
//! scores, in its highest bits.
//!
//! It matters only if a word has two nearly equal paths (see [`super::rounding_margin`]). So only a bound of its
//! exponent is announced, and the scores are added if the bound is not sufficient.

use super::rounding_margin::exponent_above;
use super::viterbi::{RESET_BELOW, ViterbiScratch};
use super::{Unigram, id_tags};
use crate::error::Result;
use crate::model::context::NOTHING_VALID;
use crate::model::{ModelScratch, Token};
use crate::numbers::floats::to_single;
use crate::vocab::AllowedEntries;

/// The running score of a text, with a bound of its exponent.
#[derive(Debug, Clone)]
pub(crate) struct RunningScore<'a> {
    model: &'a Unigram,
    entries: AllowedEntries,
    /// The largest absolute score.
    largest: f64,
    /// The number of ids whose scores are in the sum.
    summed: usize,
    /// The sum, rounded after each addition.
    score: f64,
    /// The absolute sum when it was last set, plus the absolute values of the scores added since.
    size: f64,
    /// The number of scores in the sum.
    added: usize,
    /// The number of scores in the tags of all later ids.
    tagged: usize,
    /// The index of the text's first id, and whether any id has a tag.
    begun: usize,
    has_tags: bool,
    /// The number of scores up to which the announced exponent holds.
    announced: usize,
    /// The announced exponent e: up to that number of scores, the running score's absolute value is below 2^e.
    exponent: u8,
}

impl<'a> RunningScore<'a> {
    pub(in crate::model) fn new(model: &'a Unigram) -> Self {
        Self {
            model,
            entries: AllowedEntries::All,
            largest: 0.0,
            summed: 0,
            score: 0.0,
            size: 0.0,
            added: 0,
            tagged: 0,
            begun: 0,
            has_tags: false,
            announced: 0,
            exponent: 0,
        }
    }

    /// Returns the sum of the scores of all ids, which are added one after the other; see [`id_tags`].
    fn add_up(&mut self, ids: &[u32]) -> f64 {
        let tables = self.model.tables(self.entries);
        for &id in &ids[self.summed..] {
            let (score, times) = match id_tags::is_tagged(id) {
                true => (tables.unknown.unwrap_or_default(), id_tags::scores(id)),
                false => (tables.scores[id as usize], 1),
            };
            for _ in 0..times {
                self.score = to_single(self.score + score);
                self.size += score.abs();
                self.added += 1;
            }
        }
        (self.summed, self.tagged) = (ids.len(), 0);
        self.score
    }

    /// Records the running score after a word: the score, the number of scores, and the number of ids.
    fn set(&mut self, score: f64, steps: usize, ids: usize) {
        (self.score, self.size, self.added) = (score, score.abs(), self.added + steps);
        (self.summed, self.tagged) = (ids, 0);
    }

    /// Returns an upper bound of the number of scores so far. An id with a tag counts once more than its scores.
    fn steps(&self, ids: &[u32]) -> usize {
        self.added + ids.len() - self.summed + self.tagged
    }

    /// Returns an upper bound of the running score's absolute value after the announced number of scores.
    #[expect(clippy::cast_precision_loss, reason = "a bound, with some to spare")]
    fn bound(&self) -> f64 {
        // Each addition may also add half of the last bit of a sum that is below the limit of a reset.
        let most = self.largest * 1.01 + RESET_BELOW.abs() * f64::from(f32::EPSILON);
        self.size.max(self.score.abs()) + self.announced.saturating_sub(self.added) as f64 * most
    }
}

impl RunningScore<'_> {
    /// Begins a text whose first id has the index `ids`, and which may become these entries.
    pub(crate) fn begin(&mut self, ids: usize, entries: AllowedEntries) {
        let largest = self.model.tables(entries).largest;
        *self = Self { entries, largest, summed: ids, begun: ids, ..Self::new(self.model) };
    }

    /// Ends the text: removes the tags from its ids.
    pub(crate) fn end(&mut self, ids: &mut [u32]) {
        if std::mem::take(&mut self.has_tags) {
            id_tags::remove(&mut ids[self.begun..]);
        }
    }

    /// Records the tags of ids that were appended, from the cache or newly encoded.
    #[inline]
    pub(crate) fn record(&mut self, ids: &[u32]) {
        let (tagged, has_tags) = id_tags::sum(ids);
        self.tagged += tagged;
        self.has_tags |= has_tags;
    }

    /// Returns the context's exponent for about `bytes` more bytes, given all `ids` so far.
    pub(crate) fn announce(&mut self, ids: &[u32], bytes: usize) -> u8 {
        // A character rarely becomes more than one piece.
        self.announced = self.steps(ids) + bytes / 2 + 32;
        if self.bound() >= -RESET_BELOW {
            self.add_up(ids);
        }
        // Once SentencePiece may reset the score to 0, no tokens are taken from the cache.
        self.exponent = if self.bound() >= -RESET_BELOW { NOTHING_VALID } else { exponent_above(self.bound()) };
        self.exponent
    }

    /// Returns whether the exponent that was announced was exceeded: tokens from the cache may be wrong.
    pub(crate) fn is_exceeded(&mut self, ids: &[u32]) -> bool {
        if self.steps(ids) <= self.announced {
            return false;
        }
        self.add_up(ids);
        exponent_above(self.size) > self.exponent
    }

    /// Announces that no cached tokens hold.
    pub(crate) fn distrust(&mut self) {
        (self.announced, self.exponent) = (usize::MAX, NOTHING_VALID);
    }

    /// Appends the tokens of `word`, with spans in the word; returns their valid-below exponent.
    pub(crate) fn encode_word(
        &mut self,
        word: &str,
        ids: &[u32],
        scratch: &mut ModelScratch,
        out: &mut Vec<Token>,
    ) -> Result<u8> {
        let paths: &mut ViterbiScratch = &mut scratch.paths;
        if let Some(valid_below) = self.model.encode_cacheable(word, self.entries, self.exponent, paths, out) {
            return Ok(valid_below);
        }
        paths.before = self.add_up(ids);
        self.model.encode_word(word, self.entries, paths, out)?;
        self.set(paths.after, paths.steps(), ids.len() + out.len());
        Ok(0)
    }

    /// Returns an id without its tag.
    pub(crate) fn untagged(&self, id: u32) -> u32 {
        id_tags::untagged(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::unigram::{Precision, UnigramSettings};
    use crate::model::{Context, Model};
    use crate::vocab::Vocab;

    #[test]
    fn words_of_any_length_continue_the_running_score() {
        let pieces =
            [("<unk>", 0.0), ("\u{2581}", -1.1), ("a", -0.7), ("aa", -1.4), ("\u{2581}a", -1.8), ("aaa", -2.1)];
        let vocab = Vocab::from_tokens(pieces.map(|(piece, _)| piece.to_owned())).unwrap();
        let settings = UnigramSettings {
            unk_token: Some("<unk>".to_owned()),
            precision: Precision::Float32,
            ..UnigramSettings::default()
        };
        let model = Unigram::new(vocab, pieces.map(|(_, score)| score).to_vec(), settings).unwrap();
        let model = Model::Unigram(model);
        // The rounding margin of words of more than 2,048 bytes is not computed.
        let lengths = [3, 2044, 2045, 2046, 5, 3000, 1, 7, 6000, 2, 9];
        let words = lengths.map(|length| format!("\u{2581}{}", "a".repeat(length)));
        let (mut context, entries) = (Context::new(&model, true), AllowedEntries::All);
        let (mut scratch, mut ids, mut found) = (ModelScratch::default(), Vec::new(), Vec::new());
        context.begin(0, entries);
        for word in &words {
            context.announce(&ids, 2 * word.len());
            found.clear();
            context.encode_word(word, entries, &ids, &mut scratch, &mut found).unwrap();
            let first = ids.len();
            ids.extend(found.iter().map(|token| token.id));
            context.record(&ids[first..]);
        }
        context.end(&mut ids);
        found.clear();
        model.encode_word(&words.concat(), entries, &mut scratch, &mut found).unwrap();
        assert_eq!(ids, found.iter().map(|token| token.id).collect::<Vec<_>>());
        let fresh = words.iter().flat_map(|word| {
            found.clear();
            model.encode_word(word, entries, &mut scratch, &mut found).unwrap();
            found.iter().map(|token| token.id).collect::<Vec<_>>()
        });
        assert_ne!(ids, fresh.collect::<Vec<_>>(), "the running score matters");
    }
}
