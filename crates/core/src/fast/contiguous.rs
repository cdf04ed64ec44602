//! Cuts texts into chunks without gaps.

use super::list::{ChunkList, ChunkRanges};

/// Lists the starts of the chunks of a text; each chunk ends where the next one begins.
pub(super) trait ContiguousChunks {
    /// Lists the starts of some chunks from byte `at` on; returns the byte up to which they are listed.
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
    while list.last_start() != text.len() {
        at = chunks.list(text, at, list);
        take(list.contiguous())?;
        list.remove_closed();
    }
    Ok(())
}
