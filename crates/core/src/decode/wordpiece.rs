//! The `WordPiece` decoder, which joins words with spaces and continuing tokens without.

use super::stage::{DecodeStage, DecodedParts};
use crate::error::Result;

/// A decoder that joins tokens to text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPieceDecoder {
    /// The prefix of a continuing token.
    pub prefix: String,
    /// Whether to remove spaces before punctuation and in English contractions, in each token separately.
    pub cleanup: bool,
}

impl Default for WordPieceDecoder {
    fn default() -> Self {
        Self { prefix: "##".to_owned(), cleanup: true }
    }
}

/// The stage that adds a space before each part, except the first and those with the prefix, which is removed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SpacesStage {
    prefix: Option<Vec<u8>>,
    /// The start of the part that may be the prefix; `None` once that is decided, as in the first part.
    head: Option<Vec<u8>>,
}

impl SpacesStage {
    pub(super) fn new(prefix: Option<&str>) -> Self {
        Self { prefix: prefix.map(|prefix| prefix.as_bytes().to_vec()), head: None }
    }

    /// Emits a part, or its start: without the prefix, or after a space.
    fn emit(&self, head: &[u8], out: &mut DecodedParts) -> Result<()> {
        if let Some(rest) = self.prefix.as_ref().and_then(|prefix| head.strip_prefix(&**prefix)) {
            return out.push(rest);
        }
        out.push(b" ")?;
        out.push(head)
    }

    /// Returns whether the start of a part may still become the prefix.
    fn may_be_prefix(&self, head: &[u8]) -> bool {
        self.prefix.as_ref().is_some_and(|prefix| head.len() < prefix.len() && prefix.starts_with(head))
    }
}

impl DecodeStage for SpacesStage {
    fn receive(&mut self, fragment: &[u8], out: &mut DecodedParts) -> Result<()> {
        let Some(mut head) = self.head.take() else { return out.push(fragment) };
        head.extend_from_slice(fragment);
        if self.may_be_prefix(&head) {
            self.head = Some(head);
            return Ok(());
        }
        self.emit(&head, out)
    }

    fn end(&mut self, out: &mut DecodedParts) -> Result<()> {
        if let Some(head) = self.head.take() {
            self.emit(&head, out)?;
        }
        self.head = Some(Vec::new());
        out.end();
        Ok(())
    }

    #[inline]
    fn part(&mut self, part: &[u8], out: &mut DecodedParts) -> Result<()> {
        if self.head.is_some() {
            self.emit(part, out)?;
        } else {
            self.head = Some(Vec::new());
            out.push(part)?;
        }
        out.end();
        Ok(())
    }
}
