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

    /// Returns the equivalence of chunks that share a cache key, because their tokens are equal.
    #[inline]
    fn fold(&self) -> Fold {
        Fold::Nothing
    }

    /// Returns the end of the first chunk where that is encoded differently from all others, else 0.
    ///
    /// `begins` says whether a text gets what is put before texts; otherwise it continues another.
    fn first(&self, _text: &str, _begins: bool) -> usize {
        0
    }

    /// Calls `take` with the chunks of a text from byte `first` on, a list of chunks at a time.
    ///
    /// `first` is the result of [`Chunker::first`]. The text has at most 2^32 bytes. With `lines`, each line is a text
    /// by itself, which only chunkers with [`Chunker::can_count_blocks`] support.
    fn cut<E>(
        &self,
        text: &str,
        first: usize,
        lines: bool,
        list: &mut ChunkList,
        take: impl FnMut(ChunkRanges<'_>) -> Result<(), E>,
    ) -> Result<(), E>;

    /// Returns whether byte `at`, which is not 0, is a safe split point: both parts can be encoded separately.
    ///
    /// The caller encodes each part as a text by itself, possibly on another thread.
    fn is_safe_split_point(&self, text: &[u8], at: usize) -> bool;

    /// Returns whether no token spans byte `at`, a character boundary other than the first, with all its text in view.
    ///
    /// The tokens before the byte are those of the text up to it, and the tokens after it do not depend on how far the
    /// text extends to the left, except for the context of the model. Unlike the parts at a safe split point, the text
    /// after the byte need not have these tokens by itself.
    fn is_token_boundary(&self, text: &str, at: usize) -> bool {
        self.is_safe_split_point(text.as_bytes(), at)
    }

    /// Returns whether the words of a block of lines can be counted without splitting the block into lines.
    ///
    /// With `keep_ends`, each line includes its line end.
    fn can_count_blocks(&self, _keep_ends: bool) -> bool {
        false
    }

    /// Returns whether chunks that bypass the cache, together `run`, are encoded one by one, not as one text.
    #[inline]
    fn encodes_singly(&self, _run: &[u8]) -> bool {
        true
    }

    /// Returns the model input of a chunk, if it is known without normalizing and splitting the chunk.
    ///
    /// `begins` says whether the chunk begins a text that begins (see [`Chunker::first`]), `aligned` whether its tokens
    /// need offsets.
    fn model_input<'a>(
        &self,
        chunk: &'a str,
        begins: bool,
        aligned: bool,
        buffer: &'a mut String,
    ) -> Option<ModelInput<'a>>;

    /// Returns the splitter of a chunk that does not begin the text, if it differs from the text's splitter.
    ///
    /// The flag is true if the chunk begins with white space, which the splitter writes as a metaspace.
    fn splitter(&self, _chunk: &str) -> Option<(&WordSplitter, bool)> {
        None
    }

    /// Returns whether the first character of a text may shift the offsets of all its tokens.
    fn may_shift_offsets(&self, _text: &str) -> bool {
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
    /// Whether the model may encode a chunk in parts: a chunk is one word, whose bytes are those of the text.
    pub(crate) may_cut_words: bool,
    /// The texts that get a metaspace or space before them.
    pub(crate) prefixed: PrefixedTexts,
}

/// The texts that get what is put before texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum PrefixedTexts {
    /// Every text between added tokens: the pre-tokenizer puts it there.
    #[default]
    All,
    /// Every text that is normalized: not one behind a token of normalized text.
    Normalized,
    /// The text that begins the input.
    First,
}

/// A chunk in the form that the model encodes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ModelInput<'a> {
    /// The chunk unchanged, or folded.
    Word(&'a str),
    /// The chunk unchanged, or folded; a byte-level model reads each of its bytes as one character.
    Bytes(&'a str),
    /// The chunk with a metaspace for each space, possibly with one before it.
    EscapedSpaces(&'a str),
    /// The chunk, possibly with a metaspace at its front, and the number of bytes that this adds.
    LeadingMetaspace(&'a str, u32),
}

/// Returns all chunks of a text.
#[cfg(test)]
pub(super) fn chunks_of(chunker: &impl Chunker, text: &str) -> Vec<(usize, usize)> {
    let (mut list, mut found) = (ChunkList::default(), Vec::new());
    let Ok(()) = chunker.cut(text, chunker.first(text, true), false, &mut list, |chunks| {
        found.extend(chunks);
        Ok::<_, std::convert::Infallible>(())
    });
    found
}

/// Returns a pseudo-random number (linear congruential generator).
#[cfg(test)]
pub(super) fn random(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap_or(0)
}
