//! Half-open byte ranges of a text.

use std::ops::Range;

use crate::error::{Error, Result};

/// A half-open range of bytes, in 32 bits, since an encoding has one for each token.
///
/// ```
/// use piecework_core::text::span::Span;
///
/// assert_eq!(&"a word"[Span::new(2, 6).range()], "word");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Returns the span from `start` to `end` of a text that passed [`check_length`].
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: offset(start), end: offset(end) }
    }

    /// Returns the span as a range that indexes a `str`.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Returns the span extended to whole characters of `text`; positions past the end are in the last character.
    #[must_use]
    pub fn of_characters(self, text: &str) -> Self {
        let is_boundary = |at: &usize| text.is_char_boundary(*at);
        let Range { start, end } = self.range();
        let start = (0..=start.min(text.len().saturating_sub(1))).rev().find(is_boundary).unwrap_or(0);
        Self::new(start, (end..text.len()).find(is_boundary).unwrap_or(text.len()))
    }

    /// Returns the span moved `by` bytes to the right.
    #[must_use]
    pub fn shifted(self, by: u32) -> Self {
        Self { start: self.start + by, end: self.end + by }
    }

    /// Returns the span moved `by` bytes to the left.
    #[must_use]
    pub fn shifted_left(self, by: u32) -> Self {
        Self { start: self.start - by, end: self.end - by }
    }
}

/// Returns a byte of a text that passed [`check_length`] in 32 bits.
#[inline]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "texts are checked to be under 1 GiB")]
pub(crate) fn offset(at: usize) -> u32 {
    debug_assert!(u32::try_from(at).is_ok(), "byte {at} of a text that was not checked");
    at as u32
}

/// Returns an error for a text that is too long for a [`Span`].
///
/// The limit is a quarter of the range of 32 bits, since normalization can lengthen a text.
pub fn check_length(text: &str) -> Result<()> {
    check_bytes(text.len())
}

/// The number of times that a text may become as long as it was, and the bytes that it may gain besides.
///
/// No normalizer of a published tokenizer makes more than eleven times as much, of the one character that stands for 18.
const MOST_GROWTH: (usize, usize) = (16, 1 << 16);

/// Returns an error if a stage may not make `bytes` bytes of a text of `original` bytes.
pub(crate) fn check_growth(original: usize, bytes: usize) -> Result<()> {
    let (times, more) = MOST_GROWTH;
    if bytes > original.saturating_mul(times).saturating_add(more) {
        return Err(Error::Lengthened { original, bytes });
    }
    check_bytes(bytes)
}

/// Returns an error if a text of this many bytes would be too long for a [`Span`].
pub fn check_bytes(bytes: usize) -> Result<()> {
    if bytes > (u32::MAX / 4) as usize {
        return Err(Error::TooLong(bytes));
    }
    Ok(())
}
