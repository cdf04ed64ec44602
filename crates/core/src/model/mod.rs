//! The models: a word in, tokens out. Each has a room of its own, and none knows another.

pub mod wordpiece;

use crate::span::Span;

/// A token of a word, with its bytes in the normalized text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// The token's id.
    pub id: u32,
    /// Its bytes in the normalized text.
    pub span: Span,
}
