//! The decoder of early BPE tokenizers, which mark the end of a word.

use super::{Parts, replaced};

/// Makes spaces of the ends of words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BpeDecoder {
    /// What marks the end of a word; it is replaced wherever it stands in a token.
    pub suffix: String,
}

impl BpeDecoder {
    /// The last token's suffix becomes nothing. No tokens are no parts; the reference counts back from them.
    pub(super) fn decode_chain<'a>(&self, parts: Parts<'a>) -> Parts<'a> {
        let last = parts.len().saturating_sub(1);
        let by = |place| if place == last { "" } else { " " };
        parts.into_iter().enumerate().map(|(place, part)| replaced(part, &self.suffix, by(place))).collect()
    }
}
