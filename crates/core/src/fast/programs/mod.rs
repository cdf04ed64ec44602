//! The programs: each says where the chunks of one kind of pipeline begin.
//!
//! Where a chunk begins depends on the characters beside it, or on the piece in which it lies. It is the same at every
//! place of a block, and with every kernel.

pub(super) mod adjacency;
pub(super) mod characters;
mod runs;
pub(super) mod spaces;
mod unspaced;
pub(super) mod words;

use self::adjacency::AdjacencyProgram;
use self::characters::CharacterProgram;
use self::spaces::SpaceProgram;
use self::words::WordProgram;
use super::driver::{BlockPosition, Blocks, Listing};
use super::masks::Kernel;

/// The number of sets of bytes that find the pieces of patterns.
const SETS: usize = 8;

/// How the starts of chunks are found in a text.
#[derive(Debug, Clone)]
pub(super) enum Program {
    /// At white space and between kinds of characters, for stages that read one character at a time.
    Characters(CharacterProgram),
    /// At the pieces of patterns in a row; those of a known split pattern, and runs of characters, a block at a time.
    Words(WordProgram),
    /// Before white space, for pipelines that write spaces as metaspaces.
    Spaces(Box<SpaceProgram>),
    /// Where no entry of the model spans the cut, for BPE models that encode a text as one word.
    Adjacency(AdjacencyProgram),
}

impl Program {
    /// Lists the next blocks of a text, and returns the place after them.
    #[inline]
    pub(super) fn blocks(
        &self,
        kernel: Kernel,
        text: &str,
        place: BlockPosition,
        listing: &mut Listing<'_>,
    ) -> BlockPosition {
        match self {
            Self::Characters(program) => program.classifier.run(kernel, Blocks { program, text, place, listing }),
            Self::Words(program) => program.classifier.run(kernel, Blocks { program, text, place, listing }),
            Self::Spaces(program) => {
                program.classifier.run(kernel, Blocks { program: &**program, text, place, listing })
            }
            Self::Adjacency(program) => program.classifier.run(kernel, Blocks { program, text, place, listing }),
        }
    }

    /// Returns whether byte `at`, which is not 0, is a safe split point; see
    /// [`CutPlan::is_safe_split_point`](super::plan::CutPlan::is_safe_split_point).
    pub(super) fn is_safe_split_point(&self, text: &[u8], at: usize) -> bool {
        match self {
            Self::Characters(program) => program.is_safe_split_point(text, at),
            Self::Words(program) => program.is_safe_split_point(text, at),
            Self::Spaces(program) => program.is_safe_split_point(text, at),
            // Each part would be encoded with a metaspace before it.
            Self::Adjacency(_) => false,
        }
    }

    /// Returns whether no token spans byte `at`, a character boundary; see
    /// [`CutPlan::is_token_boundary`](super::plan::CutPlan::is_token_boundary).
    pub(super) fn is_token_boundary(&self, text: &str, at: usize) -> bool {
        match self {
            Self::Characters(program) => program.is_token_boundary(text, at),
            Self::Words(program) => program.is_token_boundary(text, at),
            Self::Spaces(program) => program.is_token_boundary(text, at),
            Self::Adjacency(program) => program.separates(text, at),
        }
    }

    /// Returns whether the first chunk of a text is encoded differently from an equal one in the text.
    pub(super) fn differs_first(&self, text: &str, begins: bool) -> bool {
        match self {
            Self::Characters(_) => false,
            Self::Words(program) => program.has_prefix && !text.starts_with(' '),
            Self::Spaces(program) => program.differs_first(text, begins),
            Self::Adjacency(program) => begins && program.prefixes(text),
        }
    }
}
