//! Texts whose chunks have nothing between them, a block at a time.

use super::list::{BLOCKS, ChunkList, ChunkRanges};

/// Lists where the chunks of a text begin; each ends where the next one begins.
pub(super) trait ContiguousChunks {
    /// Lists where chunks begin from byte `at` on, which has one begun before it or is the first; returns up to where.
    fn list(&self, text: &str, at: usize, list: &mut ChunkList) -> usize;
}

/// Calls `take` with the chunks of a text from byte `first` on; see [`Chunker::cut`](super::chunker::Chunker::cut).
#[inline]
pub(super) fn cut<E>(
    chunks: &impl ContiguousChunks,
    text: &str,
    first: usize,
    list: &mut ChunkList,
    mut take: impl FnMut(ChunkRanges<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut at = first;
    list.clear();
    list.begin(first);
    while list.open() != text.len() {
        for _ in 0..BLOCKS {
            at = chunks.list(text, at, list);
            if at == text.len() {
                break;
            }
        }
        take(list.contiguous())?;
        list.forget();
    }
    Ok(())
}
