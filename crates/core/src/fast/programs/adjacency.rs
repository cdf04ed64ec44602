//! Cuts a text where no entry of the model can span the cut.
//!
//! It serves models that encode a text as one word. SentencePiece writes spaces as metaspaces, puts one before the
//! text, and passes the whole text to the model. No token spans two adjacent characters that are adjacent in no
//! vocabulary entry, so the text before and after such a position can be encoded separately. The model's adjacency
//! table holds the pairs that occur in entries: see [`crate::model::adjacency`].
//!
//! A text is not cut at all of these positions: in ASCII only at those that a few sets of bytes describe, because blocks
//! are classified by sets; beyond ASCII only in unspaced scripts.

use super::stability::Stability;
use super::unspaced::UnspacedBoundaries;
use crate::fast::chunker::{Capabilities, Chunker, ModelInput, PrefixedTexts};
use crate::fast::contiguous::{self, ContiguousChunks};
use crate::fast::list::{BLOCKS, ChunkList, ChunkRanges};
use crate::fast::masks::{BLOCK, BlockLoop, Classifier, Masks, below, first_block};
use crate::model::Model;
use crate::model::adjacency::{Adjacency, ByteAdjacency, SEPARATE, SeparateBytes, TextAdjacency};
use crate::normalize::locality::Metaspaces;
use crate::pretokenize::boundary::Boundary;
use crate::settings::{METASPACE, PrependScheme};
use crate::splitter::WordSplitter;
use crate::text::unicode::CharSet;

/// Cuts texts between characters that the model never merges.
#[derive(Debug, Clone)]
pub(in crate::fast) struct AdjacencyChunker {
    adjacency: ByteAdjacency,
    classifier: Classifier<SETS>,
    unspaced: UnspacedBoundaries,
    prefix: Prefix,
    /// The splitter of chunks after the first, if there are user-defined symbols.
    ///
    /// The characters of a symbol all have the same offset, which only the normalizer knows.
    aligned_splitter: Option<WordSplitter>,
}

/// The sets of bytes: two for each pair of [`SeparateBytes`].
const SETS: usize = 2 * SEPARATE;

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
    pub(in crate::fast) fn of(splitter: &WordSplitter, model: &Model) -> Option<Self> {
        let (mut symbols, mut aligned_splitter): (&[String], _) = (&[], None);
        let prefix = match (splitter.boundary(), splitter.locality()) {
            (None, Some(locality)) => {
                let spaces = locality.metaspaces.filter(Metaspaces::keeps_characters)?;
                symbols = spaces.symbols;
                if !symbols.is_empty() {
                    let [_, normalizer] = spaces.chunk_normalizers()?;
                    aligned_splitter = Some(WordSplitter::new(Some(normalizer), None).ok()?);
                }
                if spaces.prefix { Prefix::Always } else { Prefix::Never }
            }
            (Some(Boundary::Whole { prepend }), None) => match prepend {
                PrependScheme::Never => Prefix::Never,
                PrependScheme::First => Prefix::UnlessSpace { only_first: true },
                PrependScheme::Always => Prefix::UnlessSpace { only_first: false },
            },
            _ => return None,
        };
        let TextAdjacency { bytes: adjacency, separate, unspaced } = model.text_adjacency(METASPACE, symbols)?;
        let classifier = Classifier::new(std::array::from_fn(|byte| sets(&separate, byte)));
        // Entries have metaspaces for spaces, so the adjacency of characters does not hold for spaces.
        let mut ascii = [Stability::Stable; 128];
        ascii[usize::from(b' ')] = Stability::Separator;
        let unspaced = UnspacedBoundaries::new(unspaced, &CharSet::default(), &ascii);
        Some(Self { adjacency, classifier, unspaced, prefix, aligned_splitter })
    }

    /// Returns whether the text may be cut at byte `at`, which is not 0.
    fn separates(&self, text: &str, at: usize) -> bool {
        let bytes = text.as_bytes();
        !self.adjacency.joins(bytes[at - 1], bytes[at]) || text.is_char_boundary(at) && self.unspaced.lies_at(text, at)
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
        Some(Self { classifier: self.classifier.with_kernel(name)?, ..self })
    }

    fn kernel(&self) -> &'static str {
        self.classifier.name()
    }

    fn capabilities(&self) -> Capabilities {
        let prefixed = match self.prefix {
            Prefix::UnlessSpace { only_first: true } => PrefixedTexts::First,
            Prefix::UnlessSpace { only_first: false } => PrefixedTexts::All,
            Prefix::Never | Prefix::Always => PrefixedTexts::Normalized,
        };
        Capabilities { is_one_word: true, prefixed, ..Capabilities::default() }
    }

    /// Returns the end of the first chunk, which is the only one that may get a metaspace before it, or 0 without one.
    fn first(&self, text: &str, begins: bool) -> usize {
        if !begins || !self.prefixes(text) {
            return 0;
        }
        (1..text.len()).find(|&at| self.separates(text, at)).unwrap_or(text.len())
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

    fn is_token_boundary(&self, text: &str, at: usize) -> bool {
        self.separates(text, at)
    }

    fn model_input<'a>(
        &self,
        chunk: &'a str,
        begins: bool,
        aligned: bool,
        buffer: &'a mut String,
    ) -> Option<ModelInput<'a>> {
        if aligned && self.aligned_splitter.is_some() {
            return None;
        }
        self.write(chunk, begins, buffer);
        Some(ModelInput::EscapedSpaces(buffer))
    }

    fn splitter(&self, _: &str) -> Option<(&WordSplitter, bool)> {
        self.aligned_splitter.as_ref().map(|splitter| (splitter, false))
    }
}

impl ContiguousChunks for AdjacencyChunker {
    #[inline]
    fn list(&self, text: &str, at: usize, list: &mut ChunkList) -> usize {
        self.classifier.run(Blocks { chunker: self, text, at, list })
    }
}

/// Some blocks of a text, whose chunks are listed.
struct Blocks<'a> {
    chunker: &'a AdjacencyChunker,
    text: &'a str,
    at: usize,
    list: &'a mut ChunkList,
}

impl BlockLoop<SETS> for Blocks<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self, masks: impl Fn(&[u8; BLOCK]) -> Masks<SETS>) -> usize {
        let (mut at, bytes) = (self.at, self.text.as_bytes());
        // The sets of the byte before the block, and its first bit if a chunk that is listed begins with it.
        let mut before = if at == 0 { 0 } else { self.chunker.classifier.sets_of(bytes[at - 1]) };
        let mut listed = u64::from(self.list.last_start() == at);
        for _ in 0..BLOCKS {
            let rest = &bytes[at..];
            let (block, length) = first_block(rest, &masks);
            let Masks { sets, high, inside } = block;
            let mut starts = 0;
            for (place, pair) in sets.as_chunks::<2>().0.iter().enumerate() {
                starts |= (pair[0] << 1 | u64::from(before >> (2 * place) & 1)) & pair[1];
            }
            // Characters of unspaced scripts have at least three bytes.
            if inside & inside << 1 != 0 {
                starts |= self.chunker.unspaced.find(self.text, at, high & !inside);
            }
            self.list.add_contiguous(at, starts & below(length) & !listed);
            at += length;
            if at == bytes.len() {
                self.list.begin(at);
                break;
            }
            (before, listed) = (self.chunker.classifier.sets_of(bytes[at - 1]), 0);
        }
        at
    }
}

/// Returns the sets that contain a byte, one bit a set.
fn sets(separate: &[SeparateBytes; SEPARATE], byte: usize) -> u8 {
    let of_pair = |pair: &SeparateBytes| u8::from(pair.left[byte]) | u8::from(pair.right[byte]) << 1;
    separate.iter().rev().fold(0, |sets, pair| sets << 2 | of_pair(pair))
}
