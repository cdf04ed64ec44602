//! Words in the tokens of an existing model, from which an extension of the vocabulary learns merges.
//!
//! The merge engine merges symbols, whatever they are. An extension passes it the tokens of words instead of their
//! characters, and appends the new merges to the old ones, which are applied first; so nothing else changes.

use hashbrown::HashMap;

use super::alphabet::overflow;
use super::{CountedWords, ProgressCallback, Stage, report};
use crate::error::{Error, Message, Result};
use crate::hash::FixedHasher;
use crate::merge::segments::Segments;
use crate::merge::symbols::Symbols;

/// The number of words encoded between two calls of the progress callback.
const CHUNK: usize = 1 << 12;

/// The segmentation of words into tokens, whose adjacent pairs may merge.
pub(crate) struct SegmentedTokens {
    pub(super) segments: Segments,
    pub(super) symbols: Symbols,
    /// The symbol of each token that occurs.
    ids: HashMap<u32, u32, FixedHasher>,
    count: u64,
}

impl SegmentedTokens {
    /// Returns no words, for tokens with this prefix inside words and this suffix at their ends.
    pub(crate) fn new(prefix: &str, suffix: &str) -> Self {
        Self {
            segments: Segments::with_capacity(0),
            symbols: Symbols::new(prefix, suffix),
            ids: HashMap::with_hasher(FixedHasher::default()),
            count: 0,
        }
    }

    /// Adds words as the tokens that `encode` appends, each of which `push` adds; a word that it refuses is left out.
    pub(crate) fn add_words<T>(
        &mut self,
        words: &CountedWords<'_>,
        callback: ProgressCallback<'_>,
        mut encode: impl FnMut(&str, &mut Vec<T>) -> Result<()>,
        push: impl Fn(&mut Self, &T) -> Result<()>,
    ) -> Result<()> {
        let mut tokens = Vec::new();
        for (done, (word, count)) in words.iter().enumerate() {
            if done % CHUNK == 0 {
                report(callback, Stage::Reading, done, words.len())?;
            }
            tokens.clear();
            if encode(word, &mut tokens).is_err() {
                continue;
            }
            self.count = count;
            self.segments.set_weight(count);
            tokens.iter().try_for_each(|token| push(self, token))?;
            self.cut();
        }
        Ok(())
    }

    /// Appends a token to the word.
    pub(crate) fn push(&mut self, token: u32, name: &str) -> Result<()> {
        if self.segments.len() >= Segments::LIMIT - 1 {
            let problem =
                format!("the distinct words hold more than {} tokens (and one for each word)", Segments::LIMIT);
            return Err(Error::Counts(Message::new(problem).hint("extend by fewer words")));
        }
        let symbol = *self.ids.entry(token).or_insert_with(|| self.symbols.add_token(name));
        self.segments.push(symbol);
        if self.symbols.increase(symbol, self.count) { Ok(()) } else { Err(overflow()) }
    }

    /// Ends the run of tokens; no merge crosses its end.
    pub(crate) fn cut(&mut self) {
        self.segments.cut();
    }
}
