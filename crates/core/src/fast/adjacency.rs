//! From text to stretches between which no entry of the model reaches, for models that see a text as one word.
//!
//! SentencePiece writes spaces as a mark, puts one before the text, and hands the whole of it to the model. But no entry
//! holds a word's last character and the mark of the next word, so words may be encoded by themselves. Where that is so, and
//! where else, the model knows: see [`crate::model::adjacency`].

use super::chunker::{Capabilities, Chunker, ModelInput};
use super::contiguous::{self, ContiguousChunks};
use super::list::{ChunkList, ChunkRanges};
use super::masks::{BLOCK, SCALAR};
use crate::model::Model;
use crate::model::adjacency::{Adjacency, ByteAdjacency};
use crate::normalize::Normalizer;
use crate::splitter::WordSplitter;

/// What spaces are written as.
pub(super) const MARK: char = '▁';

/// Cuts texts where the model may not join them.
#[derive(Debug, Clone)]
pub(super) struct AdjacencyChunker {
    adjacency: ByteAdjacency,
    /// Whether a mark is put before the text.
    prefix: bool,
}

impl AdjacencyChunker {
    /// The seams of a pipeline, if it has any.
    pub(super) fn of(splitter: &WordSplitter, model: &Model) -> Option<Self> {
        if splitter.pre_tokenizer().is_some() {
            return None;
        }
        let steps: Vec<_> = splitter.normalizer()?.steps().collect();
        let prefix = match &steps[..] {
            [replace] if is_mark(replace) => false,
            [Normalizer::Prepend(prefix), replace] if is_mark(replace) && prefix.chars().eq([MARK]) => true,
            _ => return None,
        };
        Some(Self { adjacency: model.byte_adjacency(MARK)?, prefix })
    }

    /// Writes a stretch as the model sees it; `first` if it begins the text.
    fn write(&self, stretch: &str, first: bool, room: &mut String) {
        room.clear();
        if first && self.prefix {
            room.push(MARK);
        }
        room.extend(stretch.chars().map(|c| if c == ' ' { MARK } else { c }));
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
        Capabilities { is_one_word: true, ..Capabilities::default() }
    }

    /// A mark is put before the first stretch.
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

    /// A part would begin with a mark of its own, so a text is never cut.
    fn may_cut(&self, _: &[u8], _: usize) -> bool {
        false
    }

    fn model_input<'a>(&self, chunk: &'a str, begins: bool, _: bool, buffer: &'a mut String) -> Option<ModelInput<'a>> {
        self.write(chunk, begins, buffer);
        Some(ModelInput::Marked(buffer))
    }
}

impl ContiguousChunks for AdjacencyChunker {
    fn list(&self, text: &str, at: usize, list: &mut ChunkList) -> usize {
        let bytes = text.as_bytes();
        let (at, end) = (at + 1, bytes.len().min(at + 1 + BLOCK));
        let mut starts = 0;
        for (place, pair) in bytes[at - 1..end].windows(2).enumerate() {
            starts |= u64::from(!self.adjacency.joins(pair[0], pair[1])) << place;
        }
        list.add_pieces(at, starts);
        if end == bytes.len() {
            list.begin(end);
            return end;
        }
        end - 1
    }
}

/// Whether a normalizer writes spaces as the mark, and does no more.
pub(super) fn is_mark(normalizer: &Normalizer) -> bool {
    let Normalizer::Replace { pattern, content } = normalizer else { return false };
    !pattern.is_regex() && pattern.source() == " " && content.chars().eq([MARK])
}
