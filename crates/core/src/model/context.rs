//! The context of a model: the state that it carries from word to word of a text.
//!
//! The *exponent* of a context bounds its state. Tokens that may be cached have a *valid-below exponent*: they are those of
//! a word in each context with a lower exponent. Until the text ends, an id may have a tag, for the model's use.

use super::unigram::RunningScore;
use super::{Model, ModelScratch, Token};
use crate::error::Result;
use crate::vocab::AllowedEntries;

/// The valid-below exponent of tokens that do not depend on the text before.
pub(crate) const VALID_ALWAYS: u8 = u8::MAX;
/// The exponent of a context in which no cached tokens are used, not even those with [`VALID_ALWAYS`].
pub(super) const NOTHING_VALID: u8 = u8::MAX;

/// The context of the words of a text; most models have no state.
#[derive(Debug, Clone)]
pub(crate) struct Context<'a> {
    model: &'a Model,
    score: Option<RunningScore<'a>>,
}

impl<'a> Context<'a> {
    /// Returns the context before a text; `is_one_word` states that the words of the model are cut from one word.
    pub(crate) fn new(model: &'a Model, is_one_word: bool) -> Self {
        let unigram = model.as_unigram().filter(|_| is_one_word);
        Self { model, score: unigram.map(RunningScore::new) }
    }

    /// Returns whether the tokens of a word may depend on the text before it.
    #[inline]
    pub(crate) fn has_state(&self) -> bool {
        self.score.is_some()
    }

    /// Begins a text whose first id has the index `ids`, and which may become these entries.
    pub(crate) fn begin(&mut self, ids: usize, entries: AllowedEntries) {
        if let Some(score) = &mut self.score {
            score.begin(ids, entries);
        }
    }

    /// Ends the text: removes the tags from its ids.
    pub(crate) fn end(&mut self, ids: &mut [u32]) {
        if let Some(score) = &mut self.score {
            score.end(ids);
        }
    }

    /// Records the tags of ids that were appended, from the cache or newly encoded.
    #[inline]
    pub(crate) fn record(&mut self, ids: &[u32]) {
        if let Some(score) = &mut self.score {
            score.record(ids);
        }
    }

    /// Returns the exponent that holds for about `bytes` more bytes, given all `ids` so far; 0 without a state.
    pub(crate) fn announce(&mut self, ids: &[u32], bytes: usize) -> u8 {
        self.score.as_mut().map_or(0, |score| score.announce(ids, bytes))
    }

    /// Returns whether the exponent that was announced was exceeded: tokens from the cache may be wrong.
    pub(crate) fn is_exceeded(&mut self, ids: &[u32]) -> bool {
        self.score.as_mut().is_some_and(|score| score.is_exceeded(ids))
    }

    /// Announces that no cached tokens hold.
    pub(crate) fn distrust(&mut self) {
        self.score.iter_mut().for_each(RunningScore::distrust);
    }

    /// Returns an id without its tag.
    pub(crate) fn untagged(&self, id: u32) -> u32 {
        self.score.as_ref().map_or(id, |score| score.untagged(id))
    }

    /// Appends the tokens of `word` after `ids`, with spans in the word; returns their valid-below exponent.
    pub(crate) fn encode_word(
        &mut self,
        word: &str,
        entries: AllowedEntries,
        ids: &[u32],
        scratch: &mut ModelScratch,
        out: &mut Vec<Token>,
    ) -> Result<u8> {
        if let Some(score) = &mut self.score {
            return score.encode_word(word, ids, scratch, out);
        }
        self.model.encode_word(word, entries, scratch, out)?;
        Ok(VALID_ALWAYS)
    }
}
