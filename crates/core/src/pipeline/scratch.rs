//! The working memory of a worker.

use std::sync::Arc;

use super::Tokenizer;
use super::fast_path::scratch::FastScratch;
use crate::added::AllowedTokens;
use crate::model::{ModelScratch, SubwordRegularization, Token};
use crate::pretokenize::words::Words;

/// The buffers and caches of one thread, which calls reuse.
///
/// A call with another tokenizer clears the caches.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) allowed: AllowedTokens,
    pub(super) words: Words,
    pub(super) tokens: Vec<Token>,
    pub(super) model: ModelScratch,
    fast: FastScratch,
    pub(super) ids: [Vec<u32>; 2],
    /// The identity of the tokenizer that filled the caches.
    owner: Option<Arc<()>>,
}

/// The largest capacity of a buffer, in elements, that is kept after a text.
const MAX_KEPT_CAPACITY: usize = 1 << 20;

impl Scratch {
    /// Returns the caches, cleared unless they belong to this tokenizer.
    pub(super) fn caches_for(&mut self, tokenizer: &Tokenizer) -> (&mut AllowedTokens, &mut FastScratch) {
        if !self.owner.as_ref().is_some_and(|owner| Arc::ptr_eq(owner, &tokenizer.identity)) {
            self.owner = Some(Arc::clone(&tokenizer.identity));
            (self.allowed, self.fast) = Default::default();
        }
        (&mut self.allowed, &mut self.fast)
    }

    /// Begins an input of a call with this seed.
    pub(super) fn begin(&mut self, chance: Option<SubwordRegularization>, seed: u64, input: u64) {
        self.model.begin(chance, seed, input);
    }

    /// Frees the buffers that a long text has enlarged.
    pub fn trim(&mut self) {
        if self.capacity() > MAX_KEPT_CAPACITY {
            (self.words, self.tokens, self.ids, self.model) = Default::default();
            self.fast.trim();
        }
    }

    /// Returns the largest capacity of a buffer, except for the caches.
    pub(super) fn capacity(&self) -> usize {
        let Self { words, tokens, model, ids, fast, .. } = self;
        let columns = ids.iter().map(Vec::capacity).fold(tokens.capacity(), usize::max);
        words.capacity().max(columns).max(model.capacity()).max(fast.capacity())
    }
}
