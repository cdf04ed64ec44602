//! Canonical reordering: the characters of a text that wait for it.

use crate::text::span::Span;

/// Characters that wait for canonical reordering, and the spans of the input they came from.
///
/// [`Normalized`](super::Normalized) keeps the memory of one from text to text.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    pub(super) chars: Vec<Pending>,
    pub(super) origins: Vec<Span>,
    pub(super) last_origin: Span,
}

/// A character that waits for canonical reordering.
#[derive(Debug, Clone)]
pub(super) struct Pending {
    pub(super) class: u8,
    pub(super) c: char,
    /// False for a character that a decomposition added.
    pub(super) consumes: bool,
}
