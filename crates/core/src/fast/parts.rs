//! Encodes long chunks in parts, each of which may be cached.
//!
//! A pre-token is cut where no entry that the model may produce spans the cut.

use super::keys::{KeyFold, KeyList, MAX_KEY_BYTES};
use super::list::{CAPACITY, ChunkRanges};
use super::masks::Kernel;
use super::{Cache, Result, Sink, fill, look_up};
use crate::model::{Model, WordParts};
use crate::text::span::offset;
use crate::vocab::AllowedEntries;

/// The parts of a long word, with their cache keys.
#[derive(Debug, Default)]
pub(super) struct PartList {
    /// The first byte of each part in the text, and the end of the last one.
    starts: Vec<u32>,
    /// The ends of parts in the chunk.
    ends: Vec<usize>,
    keys: KeyList,
}

/// The parts of a chunk that is one word, which the model encodes separately.
pub(super) struct ChunkParts<'a> {
    /// The text of all chunks.
    pub(super) text: &'a str,
    /// The model, and the entries that it may produce.
    pub(super) model: (&'a Model, AllowedEntries),
    pub(super) kernel: Kernel,
    pub(super) list: &'a mut PartList,
}

impl PartList {
    /// Returns the largest capacity of its vectors.
    pub(super) fn capacity(&self) -> usize {
        self.starts.capacity().max(self.ends.capacity())
    }
}

impl ChunkParts<'_> {
    /// Finds the parts of the chunk that begins at byte `at`; returns false if it has only one.
    pub(super) fn find(&mut self, at: usize, chunk: &str) -> bool {
        let (model, entries) = self.model;
        if chunk.len() <= MAX_KEY_BYTES || !WordParts::may_end_with(chunk.as_bytes()[chunk.len() - 3]) {
            return false;
        }
        let Some(parts) = model.word_parts(entries) else { return false };
        let PartList { starts, ends, .. } = &mut *self.list;
        parts.find(chunk.as_bytes(), ends);
        starts.clear();
        starts.extend([0].iter().chain(&*ends).chain([&chunk.len()]).map(|&part| offset(at + part)));
        !ends.is_empty()
    }

    /// Looks up the parts that were found, and passes their tokens to `sink`.
    pub(super) fn encode<T: Copy + Default, const INLINE: usize>(
        &mut self,
        cache: &mut Cache<T, INLINE>,
        sink: &mut impl Sink<T, INLINE>,
    ) -> Result<()> {
        let Self { text, kernel, list: PartList { starts, keys, .. }, .. } = self;
        (0..starts.len() - 1).step_by(CAPACITY).try_for_each(|first| {
            let last = (starts.len() - 1).min(first + CAPACITY);
            let parts = ChunkRanges::contiguous(&starts[first..=last]);
            kernel.call(
                #[inline(always)]
                || {
                    fill(keys, text.as_bytes(), parts, KeyFold::Nothing, cache);
                    look_up(text, parts, keys.as_slice(), (cache, None), sink)
                },
            )
        })
    }
}
