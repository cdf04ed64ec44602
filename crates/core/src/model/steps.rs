//! The steps by which a model encodes a word, for explanations.

use super::Scored;
use crate::text::span::Span;

pub use super::bpe::{MergeStep, MergeSteps, PairMerge, UnusedSplit};

/// The steps by which a model encodes a word; spans are bytes of the word.
#[derive(Debug, Clone, PartialEq)]
pub enum Steps {
    /// The longest matches of `WordPiece`: the token, or `None` where none matches.
    Matches(Vec<(Option<u32>, Span)>),
    /// The merges of BPE.
    Merges(MergeSteps),
    /// The lattice of Unigram, or of `WordPiece` with the likeliest segmentation.
    Lattice(LatticeSteps),
}

/// The lattice of a word, and its best segmentations.
#[derive(Debug, Clone, PartialEq)]
pub struct LatticeSteps {
    /// The edges in the order of their starts, then of their ends.
    pub edges: Vec<LatticeEdge>,
    /// The natural logarithm of the word's probability, summed over all segmentations.
    pub log_probability: f64,
    /// The best segmentations, best first.
    pub best: Vec<Scored>,
}

/// A token at a position of a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatticeEdge {
    /// The token; `None` for a character that is no token.
    pub id: Option<u32>,
    /// Its bytes of the word.
    pub span: Span,
    /// Its score.
    pub score: f64,
}
