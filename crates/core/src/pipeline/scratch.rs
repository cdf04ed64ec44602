//! The working memory of a worker.

use std::sync::Arc;

use super::Tokenizer;
use super::fast_path::{CachedToken, INLINE_IDS, INLINE_TOKENS};
use crate::added::AllowedFinders;
use crate::encoding::Encoding;
use crate::fast::{Cache, ChunkBuffers, NormalizedTokenBuffers};
use crate::memory::MAX_KEPT_CAPACITY;
use crate::model::{ModelScratch, SubwordRegularization, Token};
use crate::pretokenize::words::Words;
use crate::vocab::AllowedEntries;

/// The buffers and caches of one thread, which calls reuse.
///
/// A call with another tokenizer clears the caches.
#[derive(Debug, Default)]
pub struct Scratch {
    pub(super) allowed: AllowedFinders,
    pub(super) generic: GenericBuffers,
    pub(super) chunks: ChunkBuffers,
    pub(super) forms: NormalizedTokenBuffers,
    /// The tokens of a new chunk as they are cached.
    pub(super) cached: Vec<CachedToken>,
    /// The columns of a text; of a call for ids alone, the ids are the caller's.
    pub(super) columns: Encoding,
    pub(super) ids: [Vec<u32>; 2],
    /// The caches by the entries that text may become: ids alone, and tokens with offsets.
    pub(super) id_caches: [Cache<u32, INLINE_IDS>; AllowedEntries::COUNT],
    pub(super) token_caches: [Cache<CachedToken, INLINE_TOKENS>; AllowedEntries::COUNT],
    /// The identity of the tokenizer that filled the caches.
    owner: Option<Arc<()>>,
}

/// The buffers of the generic path, for texts and for single chunks.
#[derive(Debug, Default)]
pub(super) struct GenericBuffers {
    pub(super) words: Words,
    pub(super) tokens: Vec<Token>,
    /// For each token of a chunk, the number of its word in the chunk.
    pub(super) word_numbers: Vec<u32>,
    pub(super) model: ModelScratch,
    /// The model input of a chunk.
    pub(super) input: String,
    /// The names of unknown tokens of the last chunk that are not their texts, with their numbers.
    pub(super) names: Vec<(usize, String)>,
}

impl Scratch {
    /// Clears the caches unless they belong to this tokenizer.
    pub(super) fn belong_to(&mut self, tokenizer: &Tokenizer) {
        if !self.owner.as_ref().is_some_and(|owner| Arc::ptr_eq(owner, &tokenizer.identity)) {
            let (ids, generic) = (std::mem::take(&mut self.ids), std::mem::take(&mut self.generic));
            *self = Self { owner: Some(Arc::clone(&tokenizer.identity)), ids, generic, ..Self::default() };
        }
    }

    /// Begins an input of a call with this seed.
    pub(super) fn begin(&mut self, chance: Option<SubwordRegularization>, seed: u64, input: u64) {
        self.generic.model.begin(chance, seed, input);
    }

    /// Frees the buffers that a long text has enlarged.
    pub fn trim(&mut self) {
        if self.capacity() > MAX_KEPT_CAPACITY {
            (self.generic, self.ids, self.columns, self.forms, self.cached) = Default::default();
            self.chunks.trim();
        }
    }

    /// Returns the largest capacity of a buffer, except for the caches.
    pub(super) fn capacity(&self) -> usize {
        let Self { generic: GenericBuffers { words, tokens, model, input, .. }, ids, columns, forms, chunks, .. } =
            self;
        let buffers = [words.capacity(), tokens.capacity(), model.capacity(), input.capacity(), forms.capacity()];
        let tokens = [&ids[0], &ids[1], &columns.ids].map(Vec::capacity);
        buffers.into_iter().chain(tokens).chain([chunks.capacity()]).fold(0, usize::max)
    }
}
