//! Cuts a text where no entry of the model can span the cut.
//!
//! It serves models that encode a text as one word. SentencePiece writes spaces as metaspaces, puts one before the
//! text, and passes the whole text to the model. No token spans two adjacent characters that are adjacent in no
//! vocabulary entry, so the text before and after such a position can be encoded separately. The model's adjacency
//! table holds the pairs that occur in entries: see [`crate::model::adjacency`].

use super::chunker::{Capabilities, Chunker, ModelInput};
use super::contiguous::{self, ContiguousChunks};
use super::list::{BLOCKS, ChunkList, ChunkRanges};
use super::masks::{BLOCK, SCALAR};
use crate::model::Model;
use crate::model::adjacency::{Adjacency, ByteAdjacency};
use crate::normalize::locality::Metaspaces;
use crate::pretokenize::boundary::Boundary;
use crate::settings::{METASPACE, PrependScheme};
use crate::splitter::WordSplitter;

/// Cuts texts between characters that the model never merges.
#[derive(Debug, Clone)]
pub(super) struct AdjacencyChunker {
    adjacency: ByteAdjacency,
    prefix: Prefix,
    /// Whether there are user-defined symbols, whose characters all have the same offset.
    has_symbols: bool,
}

/// The metaspace before a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prefix {
    Never,
    Always,
    /// A text that begins with a space or a metaspace has none; `only_first`: only the text that begins the input has one.
    UnlessSpace {
        only_first: bool,
    },
}

impl AdjacencyChunker {
    /// Returns the chunker of a pipeline that only writes spaces as metaspaces, if its model has an adjacency of bytes.
    pub(super) fn of(splitter: &WordSplitter, model: &Model) -> Option<Self> {
        let mut has_symbols = false;
        let prefix = match (splitter.boundary(), splitter.locality()) {
            (None, Some(locality)) => {
                let spaces = locality.metaspaces.filter(Metaspaces::keeps_characters)?;
                has_symbols = !spaces.symbols.is_empty();
                if spaces.prefix { Prefix::Always } else { Prefix::Never }
            }
            (Some(Boundary::Whole { prepend }), None) => match prepend {
                PrependScheme::Never => Prefix::Never,
                PrependScheme::First => Prefix::UnlessSpace { only_first: true },
                PrependScheme::Always => Prefix::UnlessSpace { only_first: false },
            },
            _ => return None,
        };
        Some(Self { adjacency: model.byte_adjacency(METASPACE)?, prefix, has_symbols })
    }

    /// Returns whether a metaspace is put before a text.
    fn prefixes(&self, text: &str) -> bool {
        match self.prefix {
            Prefix::Never => false,
            Prefix::Always => true,
            Prefix::UnlessSpace { .. } => !text.starts_with([' ', METASPACE]),
        }
    }

    /// Writes a chunk as model input; `begins` if the chunk begins the text.
    fn write(&self, chunk: &str, begins: bool, buffer: &mut String) {
        buffer.clear();
        if begins && self.prefixes(chunk) {
            buffer.push(METASPACE);
        }
        buffer.extend(chunk.chars().map(|c| if c == ' ' { METASPACE } else { c }));
    }
}

impl Chunker for AdjacencyChunker {
    fn with_kernel(self, name: &str) -> Option<Self> {
        (name == SCALAR).then_some(self)
    }

    fn kernel(&self) -> &'static str {
        SCALAR
    }

    fn capabilities(&self) -> Capabilities {
        let prefixes_first = self.prefix == Prefix::UnlessSpace { only_first: true };
        Capabilities { is_one_word: true, prefixes_first, ..Capabilities::default() }
    }

    /// Returns the end of the first chunk, which is the only one that may get a metaspace before it.
    fn first(&self, text: &str) -> usize {
        let bytes = text.as_bytes();
        (1..bytes.len()).find(|&at| !self.adjacency.joins(bytes[at - 1], bytes[at])).unwrap_or(bytes.len())
    }

    #[inline]
    fn cut<E>(
        &self,
        text: &str,
        first: usize,
        _: bool,
        list: &mut ChunkList,
        take: impl FnMut(ChunkRanges<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        contiguous::cut(self, text, first, list, take)
    }

    /// Returns false: each part would be encoded with a metaspace before it, so a text has no safe split points.
    fn is_safe_split_point(&self, _: &[u8], _: usize) -> bool {
        false
    }

    /// Returns whether there are user-defined symbols; the text is not searched for them.
    fn may_shift_offsets(&self, _: &str) -> bool {
        self.has_symbols
    }

    fn model_input<'a>(&self, chunk: &'a str, begins: bool, _: bool, buffer: &'a mut String) -> Option<ModelInput<'a>> {
        self.write(chunk, begins, buffer);
        Some(ModelInput::EscapedSpaces(buffer))
    }
}

impl ContiguousChunks for AdjacencyChunker {
    fn list(&self, text: &str, mut at: usize, list: &mut ChunkList) -> usize {
        let bytes = text.as_bytes();
        for _ in 0..BLOCKS {
            let end = bytes.len().min(at + 1 + BLOCK);
            let mut starts = 0;
            for (place, pair) in bytes[at..end].windows(2).enumerate() {
                starts |= u64::from(!self.adjacency.joins(pair[0], pair[1])) << place;
            }
            list.add_contiguous(at + 1, starts);
            if end == bytes.len() {
                list.begin(end);
                return end;
            }
            at = end - 1;
        }
        at
    }
}
