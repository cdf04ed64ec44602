//! The interface between the fast path and the strategies that cut a text into chunks.
//!
//! A *chunk* is a part of a text that can be encoded by itself: its tokens do not depend on its context. Each
//! implementation of [`Chunker`] serves one kind of pipeline, recognized by the properties of its stages
//! ([`Locality`](crate::normalize::locality::Locality), [`Boundary`]).
//!
//! [`Boundary`]: crate::pretokenize::boundary::Boundary

use super::keys::Fold;
use super::list::{ChunkList, ChunkRanges};
use crate::splitter::WordSplitter;

/// Cuts whole texts into chunks, and provides the model input of chunks.
///
/// Callers are generic over it, so that cutting, keys and look-ups are compiled into one function for each
/// implementation.
pub(super) trait Chunker: Sized {
    /// Returns the chunker with the kernel of that name, if it runs on this machine.
    fn with_kernel(self, name: &str) -> Option<Self>;

    /// Returns the name of the kernel that classifies the bytes of a text on this machine.
    fn kernel(&self) -> &'static str;

    /// Returns the properties that hold for all texts.
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

    /// Calls `take` with the chunks of a text from byte `first` on, a list of chunks at a time.
    ///
    /// `first` is the result of [`Chunker::first`]. The text has at most 2^32 bytes. With `lines`, each line is a text
    /// by itself, which only chunkers with [`Chunker::counts_lines`] support.
    fn cut<E>(
        &self,
        text: &str,
        first: usize,
        lines: bool,
        list: &mut ChunkList,
        take: impl FnMut(ChunkRanges<'_>) -> Result<(), E>,
    ) -> Result<(), E>;

    /// Returns whether a text may be cut at a byte other than the first.
    fn may_cut(&self, text: &[u8], at: usize) -> bool;

    /// Returns whether a block of lines may be counted without cutting it into lines.
    ///
    /// The lines contain their ends if `keep_ends`.
    fn counts_lines(&self, _keep_ends: bool) -> bool {
        false
    }

    /// Returns whether new chunks, which together are `run`, should be encoded one by one, not as one text.
    #[inline]
    fn encodes_singly(&self, _run: &[u8]) -> bool {
        true
    }

    /// Returns the model input of a chunk, if it is known without normalizing and splitting the chunk.
    ///
    /// `begins` says whether the chunk begins the text, `aligned` whether its tokens need offsets.
    fn model_input<'a>(
        &self,
        chunk: &'a str,
        begins: bool,
        aligned: bool,
        buffer: &'a mut String,
    ) -> Option<ModelInput<'a>>;

    /// Returns the splitter of chunks that do not begin the text, if it differs from the text's.
    ///
    /// The flag says whether the space before the chunk is written as a metaspace at its front.
    fn splitter(&self, _chunk: &str) -> Option<(&WordSplitter, bool)> {
        None
    }

    /// Returns whether the offsets of all tokens of a text may depend on how it begins.
    fn may_drift(&self, _text: &str) -> bool {
        false
    }
}

/// The properties of a fast path that hold for all texts.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Capabilities {
    /// Whether white space is part of no token.
    pub(crate) drops_spaces: bool,
    /// Whether the model encodes all chunks of a text as one word.
    pub(crate) is_one_word: bool,
    /// Whether the tokens of a chunk may depend on those before it, by the model's context.
    pub(crate) has_context: bool,
    /// Whether only the text that begins the input gets a metaspace.
    pub(crate) prefixes_first: bool,
}

/// A chunk in the form that the model encodes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ModelInput<'a> {
    /// The chunk unchanged, or folded.
    Word(&'a str),
    /// The bytes of the chunk, each written as a character.
    Bytes(&'a str),
    /// The chunk with a metaspace for each space, possibly with one before it.
    Metaspaces(&'a str),
    /// The chunk with a metaspace at its front, and the number of bytes that this adds to the text.
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
