//! The memory that the fast path reuses.

use super::chunk::{ChunkToken, GenericBuffers};
use super::sink::{CachedToken, INLINE_IDS, INLINE_TOKENS};
use crate::encoding::Encoding;
use crate::fast::{Cache, ChunkBuffers, FormBuffers};

/// The memory of a worker that the fast path reuses for all texts.
#[derive(Debug, Default)]
pub(in crate::pipeline) struct FastScratch {
    pub(super) chunks: ChunkBuffers,
    pub(super) forms: FormBuffers,
    pub(super) generic: GenericBuffers,
    /// Takes the ids of a call for ids alone.
    pub(super) columns: Encoding,
    pub(super) new: (Vec<ChunkToken>, Vec<CachedToken>),
    /// The caches without and with special tokens in text: ids alone, and tokens with offsets.
    pub(super) ids: [Cache<u32, INLINE_IDS>; 2],
    pub(super) tokens: [Cache<CachedToken, INLINE_TOKENS>; 2],
}

impl FastScratch {
    /// Frees the buffers that a long chunk may have enlarged.
    pub(in crate::pipeline) fn trim(&mut self) {
        (self.generic, self.forms, self.new) = Default::default();
        self.chunks.trim();
    }

    /// Returns the largest capacity of a buffer, except for the caches.
    pub(in crate::pipeline) fn capacity(&self) -> usize {
        [self.forms.capacity(), self.new.0.capacity(), self.chunks.capacity()]
            .into_iter()
            .fold(self.generic.capacity(), usize::max)
    }
}
