//! Decoding for connectionist temporal classification: a model's output with repetitions and padding.

use super::cleanup::cleaned;
use super::{Parts, replaced};

/// Drops repetitions and padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CtcDecoder {
    /// What separates repeated tokens; it is dropped wherever it stands in a token.
    pub pad_token: String,
    /// What becomes a space, if `cleanup` is on.
    pub word_delimiter_token: String,
    /// Undo spaces as [`super::WordPieceDecoder`] does, and make spaces of `word_delimiter_token`.
    pub cleanup: bool,
}

impl Default for CtcDecoder {
    fn default() -> Self {
        Self { pad_token: "<pad>".to_owned(), word_delimiter_token: "|".to_owned(), cleanup: true }
    }
}

impl CtcDecoder {
    /// Of equal tokens in a row one stays; what then becomes empty is dropped.
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
