//! What the fast path asks of every way to cut a text into chunks.
//!
//! A *chunk* is a part of a text that can be encoded by itself: its tokens do not depend on what stands around it. Each
//! implementation of [`Chunker`] serves one kind of pipeline, and recognizes it by what its stages promise ([`Locality`](crate::normalize::locality::Locality), [`Boundary`]).
//!
//! [`Boundary`]: crate::pretokenize::boundary::Boundary

use super::keys::Fold;
use super::list::{ChunkList, ChunkRanges};
use crate::splitter::WordSplitter;

/// Cuts whole texts into chunks, and says how a chunk is encoded.
///
/// Callers are generic over it, so that cutting, keys and look-ups are compiled into one function for each implementation.
pub(super) trait Chunker: Sized {
    /// Returns the chunker with the kernel of that name, if it runs on this machine.
    fn with_kernel(self, name: &str) -> Option<Self>;

    /// Returns the name of what classifies the bytes of a text on this machine.
    fn kernel(&self) -> &'static str;

    /// Returns what holds of all texts.
    fn capabilities(&self) -> Capabilities;

    /// Returns the differences between chunks that do not change their tokens.
    #[inline]
    fn fold(&self) -> Fold {
        Fold::Nothing
    }

    /// Returns the end of the first chunk where that is encoded differently from all others, else 0.
    fn first(&self, _text: &str) -> usize {
        0
    }

    /// Calls `take` with the chunks of a text from byte `first` on, a list of them at a time.
    ///
    /// `first` is what [`Chunker::first`] returned. The text is no longer than 2^32 bytes. With `lines`, each line of it is a text
    /// by itself, which only chunkers take that count lines.
    fn cut<E>(
        &self,
        text: &str,
        first: usize,
        lines: bool,
        list: &mut ChunkList,
        take: impl FnMut(ChunkRanges<'_>) -> Result<(), E>,
    ) -> Result<(), E>;

    /// Returns whether a text may be cut at a byte, which is not the first.
    fn may_cut(&self, text: &[u8], at: usize) -> bool;

    /// Returns whether a block of lines may be counted without cutting it at its lines, their ends included or not.
    fn counts_lines(&self, _keep_ends: bool) -> bool {
        false
    }

    /// Returns whether new chunks, which together are `run`, are better encoded one by one than as one text.
    #[inline]
    fn encodes_singly(&self, _run: &[u8]) -> bool {
        true
    }

    /// Returns what the model sees of a chunk, where that is known without normalizing and splitting it.
    ///
    /// The chunk `begins` the text or does not. If it is `aligned`, tokens must have their offsets.
    fn model_input<'a>(
        &self,
        chunk: &'a str,
        begins: bool,
        aligned: bool,
        buffer: &'a mut String,
    ) -> Option<ModelInput<'a>>;

    /// Returns what splits a chunk that does not begin the text, where that is not what splits a text; and whether the space before
    /// the chunk is written as a metaspace at its front.
    fn splitter(&self, _chunk: &str) -> Option<(&WordSplitter, bool)> {
        None
    }

    /// Returns whether the offsets of all tokens of a text may depend on how it begins.
    fn may_drift(&self, _text: &str) -> bool {
        false
    }
}

/// What holds of all texts of a pipeline.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Capabilities {
    /// Whether white space is part of no token.
    pub(crate) drops_spaces: bool,
    /// Whether all chunks of a text are one word to the model.
    pub(crate) is_one_word: bool,
    /// Whether the tokens of a chunk may depend on those before it, by the model's context.
    pub(crate) has_context: bool,
    /// Whether the text that begins the input gets a metaspace that other texts do not get.
    pub(crate) prefixes_first: bool,
}

/// What the model sees of a chunk.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ModelInput<'a> {
    /// The chunk as it stands, or folded.
    Word(&'a str),
    /// The bytes of the chunk, each written as a character.
    Bytes(&'a str),
    /// The chunk with a metaspace for each space, and maybe one before it.
    Metaspaces(&'a str),
    /// The chunk with a metaspace at its front, which has this number of bytes more than what stood there.
    Metaspace(&'a str, u32),
}

/// Returns all chunks of a text.
#[cfg(test)]
pub(super) fn chunks_of(chunker: &impl Chunker, text: &str) -> Vec<(usize, usize)> {
    let (mut list, mut found) = (ChunkList::default(), Vec::new());
    let Ok(()) = chunker.cut(text, chunker.first(text), false, &mut list, |chunks| {
        found.extend(chunks);
        Ok::<_, std::convert::Infallible>(())
    });
    found
}
