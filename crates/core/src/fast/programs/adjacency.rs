//! Cuts a text where no entry of the model can span the cut.
//!
//! It serves models that encode a text as one word. SentencePiece writes spaces as metaspaces, puts one before the
//! text, and passes the whole text to the model. No token spans two adjacent characters that are adjacent in no
//! vocabulary entry, so the text before and after such a position can be encoded separately. The model's adjacency
//! table holds the pairs that occur in entries: see [`crate::model::adjacency`].
//!
//! A text is not cut at all of these positions: in ASCII only at those that a few sets of bytes describe, because blocks
//! are classified by sets; beyond ASCII only in unspaced scripts.

use super::Program;
use super::unspaced::{Changeability, UnspacedBoundaryFinder};
use crate::fast::driver::{BlockPosition, Blocks};
use crate::fast::masks::{BLOCK, BlockLoop, Classifier, Masks, below};
use crate::fast::plan::{CutPlan, ModelInput};
use crate::model::Model;
use crate::model::adjacency::{ByteAdjacency, SEPARATE, SeparateBytes};
use crate::normalize::locality::Metaspaces;
use crate::settings::{METASPACE, PrependScheme};
use crate::splitter::WordSplitter;
use crate::text::unicode::CharSet;

/// Cuts texts between characters that the model never merges.
#[derive(Debug, Clone)]
pub(in crate::fast) struct AdjacencyProgram {
    pub(super) classifier: Box<Classifier<SETS>>,
    adjacency: ByteAdjacency,
    unspaced: UnspacedBoundaryFinder,
    /// Whether a metaspace is put before a text, and whether also before one that begins with a space or a metaspace.
    prefix: (bool, bool),
}

/// The sets of bytes: two for each pair of [`SeparateBytes`].
const SETS: usize = 2 * SEPARATE;

impl AdjacencyProgram {
    /// Returns the plan of a pipeline that only writes spaces as metaspaces, if its model has an adjacency of bytes.
    ///
    /// Either its normalizer writes them, or its pre-tokenizer, which then puts one before a text as `prepend` says.
    pub(in crate::fast) fn plan(
        splitter: &WordSplitter,
        prepend: Option<PrependScheme>,
        model: &Model,
    ) -> Option<CutPlan> {
        let (mut symbols, mut later): (&[String], _) = (&[], None);
        let (prefix, prepend) = match (prepend, splitter.locality()) {
            (None, Some(locality)) => {
                let spaces = locality.metaspaces.filter(Metaspaces::keeps_characters)?;
                symbols = spaces.symbols;
                if !symbols.is_empty() {
                    // The characters of a symbol all have the same offset, which only the normalizer knows.
                    let [_, normalizer] = spaces.chunk_normalizers()?;
                    let splitter = WordSplitter::new(Some(normalizer), None).ok()?;
                    later = Some(Box::new([splitter.clone(), splitter]));
                }
                ((spaces.prefix, true), None)
            }
            (Some(scheme), None) => ((scheme != PrependScheme::Never, false), prepend),
            _ => return None,
        };
        let (adjacency, unspaced) = model.text_adjacency(METASPACE, symbols)?;
        let classifier = Classifier::new(std::array::from_fn(|byte| sets(&adjacency.separate, byte)));
        // Entries have metaspaces for spaces, so the adjacency of characters does not hold for spaces.
        let mut ascii = [Changeability::Unchanged; 128];
        ascii[usize::from(b' ')] = Changeability::Separator;
        let unspaced = UnspacedBoundaryFinder::new(unspaced, &CharSet::default(), &ascii);
        let program = Program::Adjacency(Self { classifier, adjacency, unspaced, prefix });
        Some(CutPlan { later, is_one_word: true, prepend, ..CutPlan::new(program) })
    }

    /// Returns whether the text may be cut at byte `at`, which is not 0.
    pub(super) fn separates(&self, text: &str, at: usize) -> bool {
        let bytes = text.as_bytes();
        !self.adjacency.joins(bytes[at - 1], bytes[at]) || self.unspaced.lies_at(text, at)
    }

    /// Returns whether a metaspace is put before a text that begins.
    pub(super) fn prefixes(&self, text: &str) -> bool {
        let (has_prefix, always) = self.prefix;
        has_prefix && (always || !text.starts_with([' ', METASPACE]))
    }

    /// Writes a chunk as model input; `begins` if the chunk begins the text.
    pub(in crate::fast) fn model_input<'a>(&self, chunk: &str, begins: bool, buffer: &'a mut String) -> ModelInput<'a> {
        buffer.clear();
        if begins && self.prefixes(chunk) {
            buffer.push(METASPACE);
        }
        buffer.extend(chunk.chars().map(|c| if c == ' ' { METASPACE } else { c }));
        ModelInput::EscapedSpaces(buffer)
    }
}

impl BlockLoop<SETS> for Blocks<'_, '_, AdjacencyProgram> {
    type Output = BlockPosition;

    #[inline(always)]
    fn run(self, masks: impl Fn(&[u8; BLOCK]) -> Masks<SETS> + Copy) -> BlockPosition {
        let Self { program, text, .. } = self;
        self.each_block(masks, |BlockPosition { at, .. }, (Masks { sets, high, inside }, length), listing| {
            let before = if at == 0 { 0 } else { program.classifier.sets_of(text.as_bytes()[at - 1]) };
            let mut starts = 0;
            for (place, pair) in sets.as_chunks::<2>().0.iter().enumerate() {
                starts |= (pair[0] << 1 | u64::from(before >> (2 * place) & 1)) & pair[1];
            }
            // Characters of unspaced scripts have at least three bytes.
            if inside & inside << 1 != 0 {
                starts |= program.unspaced.find(text, at, high & !inside);
            }
            listing.list.add_contiguous(at, starts & below(length) & !listing.list.begins_at(at));
            BlockPosition::at(at + length)
        })
    }
}

/// Returns the sets that contain a byte, one bit a set.
fn sets(separate: &[SeparateBytes; SEPARATE], byte: usize) -> u8 {
    let of_pair = |pair: &SeparateBytes| u8::from(pair.left[byte]) | u8::from(pair.right[byte]) << 1;
    separate.iter().rev().fold(0, |sets, pair| sets << 2 | of_pair(pair))
}
