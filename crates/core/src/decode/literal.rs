//! The stage that replaces a string.

use super::search::{Needle, Section};
use super::stage::{DecodeStage, DecodedParts};
use crate::error::Result;

/// The stage that replaces a string in each part.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LiteralStage {
    needle: Needle,
    matched: usize,
    by: Vec<u8>,
    /// The replacement in the first part, if this is the first part and it has another.
    in_first: Option<Vec<u8>>,
    /// Whether an empty string matches in an empty part.
    matches_empty_parts: bool,
    is_empty: bool,
}

impl LiteralStage {
    pub(super) fn new(found: &str, by: &str) -> Self {
        let (needle, by) = (Needle::new(found), by.as_bytes().to_vec());
        Self { needle, matched: 0, by, in_first: None, matches_empty_parts: true, is_empty: true }
    }

    /// Sets another replacement for the first part.
    pub(super) fn with_first(self, by: &str) -> Self {
        Self { in_first: Some(by.as_bytes().to_vec()), ..self }
    }

    /// Disables matches in empty parts, as in patterns.
    pub(super) fn without_empty_parts(self) -> Self {
        Self { matches_empty_parts: false, ..self }
    }
}

impl DecodeStage for LiteralStage {
    #[inline]
    fn receive(&mut self, fragment: &[u8], out: &mut DecodedParts) -> Result<()> {
        self.is_empty = false;
        let by = self.in_first.as_ref().unwrap_or(&self.by);
        if out.check((fragment.len() + 1).saturating_mul(by.len())).is_err() {
            check_growth(&self.needle, self.matched, fragment, by, out)?;
        }
        self.needle.receive(&mut self.matched, fragment, |found| replace(&found, by, out))
    }

    #[inline]
    fn keeps(&self, bytes: &[u8]) -> bool {
        self.in_first.is_none() && !self.needle.is_in(bytes)
    }

    #[inline]
    fn end(&mut self, out: &mut DecodedParts) -> Result<()> {
        if self.matches_empty_parts || !self.is_empty {
            let by = self.in_first.as_ref().unwrap_or(&self.by);
            self.needle.end(&mut self.matched, |found| replace(&found, by, out))?;
        }
        (self.in_first, self.is_empty) = (None, true);
        out.end();
        Ok(())
    }
}

/// Emits a section of a text, a match as `by`.
pub(super) fn replace(found: &Section<'_>, by: &[u8], out: &mut DecodedParts) -> Result<()> {
    out.push(match found {
        Section::Other(other) => other,
        Section::Match => by,
    })
}

/// Returns an error, before memory is used, if the replacements in a fragment are too long.
fn check_growth(needle: &Needle, mut matched: usize, fragment: &[u8], by: &[u8], out: &DecodedParts) -> Result<()> {
    let mut more = 0_usize;
    needle.receive(&mut matched, fragment, |found| {
        more = more.saturating_add(if matches!(found, Section::Match) { by.len() } else { 0 });
        Ok(())
    })?;
    out.check(more)
}
