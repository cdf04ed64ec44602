//! The decoder of early BPE tokenizers, which mark the end of a word with a suffix.

use super::search::{Needle, Section};
use super::stage::{DecodeStage, DecodedParts};
use crate::error::Result;

/// A decoder that replaces the suffix at the end of words with spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BpeDecoder {
    /// The suffix of a token that ends a word; it is replaced anywhere in a token, in the last one with nothing.
    pub suffix: String,
}

/// The stage that replaces suffixes of words with spaces, and removes them from the last part.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SuffixStage {
    needle: Needle,
    matched: usize,
    /// Whether the first part is the last one.
    is_single: bool,
    /// The pending output from the first suffix of a part on: if more parts follow, and if none does.
    pending: Option<(Vec<u8>, Vec<u8>)>,
    /// Whether the pending part is complete.
    is_complete: bool,
}

impl SuffixStage {
    pub(super) fn new(suffix: &str, is_single: bool) -> Self {
        Self { needle: Needle::new(suffix), matched: 0, is_single, pending: None, is_complete: false }
    }

    /// Emits the pending output after a part that is not the last.
    fn release(&mut self, out: &mut DecodedParts) -> Result<()> {
        if std::mem::take(&mut self.is_complete)
            && let Some((with_space, _)) = self.pending.take()
        {
            out.push(&with_space)?;
            out.end();
        }
        Ok(())
    }

    /// Adds a section to the pending output, or emits it if there is none.
    fn keep(
        pending: &mut Option<(Vec<u8>, Vec<u8>)>,
        is_single: bool,
        found: &Section<'_>,
        out: &mut DecodedParts,
    ) -> Result<()> {
        match (found, pending) {
            (Section::Match, _) if is_single => {}
            (Section::Match, pending) => pending.get_or_insert_default().0.push(b' '),
            (Section::Other(other), None) => out.push(other)?,
            (Section::Other(other), Some((with_space, without))) => {
                with_space.extend_from_slice(other);
                without.extend_from_slice(other);
            }
        }
        Ok(())
    }
}

impl DecodeStage for SuffixStage {
    fn receive(&mut self, fragment: &[u8], out: &mut DecodedParts) -> Result<()> {
        self.release(out)?;
        let Self { needle, matched, is_single, pending, .. } = self;
        needle.receive(matched, fragment, |found| Self::keep(pending, *is_single, &found, out))
    }

    fn end(&mut self, out: &mut DecodedParts) -> Result<()> {
        self.release(out)?;
        let Self { needle, matched, is_single, pending, .. } = self;
        needle.end(matched, |found| Self::keep(pending, *is_single, &found, out))?;
        self.is_complete = pending.is_some();
        if !self.is_complete {
            out.end();
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut DecodedParts) -> Result<()> {
        if let Some((_, without)) = self.pending.take() {
            out.push(&without)?;
            out.end();
        }
        Ok(())
    }
}
