//! The decoder of early BPE tokenizers, which mark the end of a word with a suffix.

use super::{Parts, replaced};

/// A decoder that replaces the suffix at the end of words with spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BpeDecoder {
    /// The suffix of a token that ends a word; it is replaced anywhere in a token.
    pub suffix: String,
}

impl BpeDecoder {
    /// Replaces the suffix with a space, in the last token with nothing.
    pub(super) fn decode_chain<'a>(&self, parts: Parts<'a>) -> Parts<'a> {
        let last = parts.len().saturating_sub(1);
        let by = |place| if place == last { "" } else { " " };
        parts.into_iter().enumerate().map(|(place, part)| replaced(part, &self.suffix, by(place))).collect()
    }
}
