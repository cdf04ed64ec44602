//! Half-open byte ranges of a text.

use std::ops::Range;

use crate::error::{Error, Result};

/// A half-open range of bytes; 32 bits, since an encoding holds one for each token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` to `end`, which must lie within a text that passed [`check_length`].
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "texts are checked to be under 1 GiB")]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The same as a range that indexes a `str`.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The span of the characters of `text` that its bytes lie in; those behind the end lie in the last character.
    #[must_use]
    pub fn of_characters(self, text: &str) -> Self {
        let border = |at: &usize| text.is_char_boundary(*at);
        let Range { start, end } = self.range();
        let start = (0..=start.min(text.len().saturating_sub(1))).rev().find(border).unwrap_or(0);
        Self::new(start, (end..text.len()).find(border).unwrap_or(text.len()))
    }

    /// The span moved `by` bytes to the right.
    #[must_use]
    pub fn shifted(self, by: u32) -> Self {
        Self { start: self.start + by, end: self.end + by }
    }

    /// The span moved `by` bytes to the left.
    #[must_use]
    pub fn back(self, by: u32) -> Self {
        Self { start: self.start - by, end: self.end - by }
    }
}

/// Refuses a text whose bytes a [`Span`] cannot address.
///
/// The limit is a quarter of what 32 bits hold, since normalization can lengthen a text.
pub fn check_length(text: &str) -> Result<()> {
    check_bytes(text.len())
}

/// The same for the number of bytes of a text that is yet to be made.
pub fn check_bytes(bytes: usize) -> Result<()> {
    if bytes > (u32::MAX / 4) as usize {
        return Err(Error::TooLong(bytes));
    }
    Ok(())
}
