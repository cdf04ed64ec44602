//! Cuts long pre-tokens into parts that the model encodes separately.

use super::keys::MAX_KEY_BYTES;
use super::list::{CAPACITY, ChunkRanges};
use crate::model::{Model, WordParts};
use crate::vocab::Entries;

/// The chunks of a list in parts.
#[derive(Debug, Default)]
pub(super) struct PartList {
    /// The first bytes of parts, and the end of the last one.
    starts: Vec<u32>,
    /// The ends of parts in one chunk.
    ends: Vec<usize>,
}

impl PartList {
    /// Fills the list with contiguous chunks, and parts of those that can be cut.
    ///
    /// The model may produce these entries. Returns false for a model that encodes no words in parts.
    #[inline(never)]
    pub(super) fn fill(&mut self, text: &[u8], chunks: ChunkRanges<'_>, (model, entries): (&Model, Entries)) -> bool {
        let Some(parts) = model.word_parts(entries) else { return false };
        self.starts.clear();
        let mut last = 0;
        for (start, end) in chunks.iter() {
            self.push(start);
            if may_have_parts(text, start, end) {
                parts.find(&text[start..end], &mut self.ends);
                self.starts.extend(self.ends.iter().map(|&part| to_u32(start + part)));
            }
            last = end;
        }
        self.push(last);
        true
    }

    /// Returns the capacity of the list.
    pub(super) fn capacity(&self) -> usize {
        self.starts.capacity().max(self.ends.capacity())
    }

    fn push(&mut self, at: usize) {
        self.starts.push(to_u32(at));
    }

    /// Iterates over the parts, as many at a time as are looked up together.
    pub(super) fn batches(&self) -> impl Iterator<Item = ChunkRanges<'_>> {
        let parts = self.starts.len().saturating_sub(1);
        (0..parts).step_by(CAPACITY).map(move |first| {
            let last = parts.min(first + CAPACITY);
            ChunkRanges::contiguous(&self.starts[first..=last])
        })
    }
}

/// Returns whether a chunk is too long for the first tier, and its last character can be an end of a part.
#[inline(always)]
pub(super) fn may_have_parts(text: &[u8], start: usize, end: usize) -> bool {
    end - start > MAX_KEY_BYTES && WordParts::may_end_with(text[end - 3])
}

#[expect(clippy::cast_possible_truncation, reason = "no text is longer")]
fn to_u32(at: usize) -> u32 {
    at as u32
}
