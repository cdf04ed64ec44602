//! The decoder of connectionist temporal classification (CTC), whose output has repetitions and padding.

use super::cleanup::cleaned;
use super::{Parts, replaced};

/// A decoder that removes repetitions and padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CtcDecoder {
    /// The token that separates repeated tokens; it is removed anywhere in a token.
    pub pad_token: String,
    /// The token that becomes a space if `cleanup` is true.
    pub word_delimiter_token: String,
    /// Whether to clean up as [`super::WordPieceDecoder`] does, and to replace `word_delimiter_token` with a space.
    pub cleanup: bool,
}

impl Default for CtcDecoder {
    fn default() -> Self {
        Self { pad_token: "<pad>".to_owned(), word_delimiter_token: "|".to_owned(), cleanup: true }
    }
}

impl CtcDecoder {
    /// Removes repeated tokens and padding, then empty parts.
    pub(super) fn decode_chain<'a>(&self, mut parts: Parts<'a>) -> Parts<'a> {
        parts.dedup();
        for part in &mut parts {
            *part = replaced(std::mem::take(part), &self.pad_token, "");
            if self.cleanup {
                *part = replaced(cleaned(std::mem::take(part)), &self.word_delimiter_token, " ");
            }
        }
        parts.retain(|part| !part.is_empty());
        parts
    }
}
