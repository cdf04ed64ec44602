//! Stages that replace strings.

use super::search::{Search, Section};
use super::{PartBuffer, Stage};
use crate::error::Result;

/// The stage that replaces a string in each part.
#[derive(Debug, Clone)]
pub(super) struct Literal {
    search: Search,
    by: Vec<u8>,
    in_first: Vec<u8>,
    /// Whether an empty string matches in an empty part.
    matches_empty_parts: bool,
    is_first: bool,
    is_empty: bool,
}

impl Literal {
    pub(super) fn new(found: &str, by: &str) -> Self {
        let (search, by) = (Search::new(found), by.as_bytes().to_vec());
        Self { search, in_first: by.clone(), by, matches_empty_parts: true, is_first: true, is_empty: true }
    }

    /// Sets another replacement for the first part.
    pub(super) fn with_first(self, by: &str) -> Self {
        Self { in_first: by.as_bytes().to_vec(), ..self }
    }

    /// Disables matches in empty parts, as in patterns.
    pub(super) fn without_empty_parts(self) -> Self {
        Self { matches_empty_parts: false, ..self }
    }
}

impl Stage for Literal {
    fn receive(&mut self, fragment: &[u8], out: &mut PartBuffer) -> Result<()> {
        self.is_empty = false;
        let by = if self.is_first { &self.in_first } else { &self.by };
        self.search.receive(fragment, |found| replace(&found, by, out))
    }

    fn end(&mut self, out: &mut PartBuffer) -> Result<()> {
        if self.matches_empty_parts || !self.is_empty {
            let by = if self.is_first { &self.in_first } else { &self.by };
            self.search.end(|found| replace(&found, by, out))?;
        }
        (self.is_first, self.is_empty) = (false, true);
        out.end();
        Ok(())
    }
}

fn replace(found: &Section<'_>, by: &[u8], out: &mut PartBuffer) -> Result<()> {
    out.push(match found {
        Section::Other(other) => other,
        Section::Match => by,
    })
}

/// The stage that replaces suffixes of words with spaces, and removes them from the last part.
#[derive(Debug, Clone)]
pub(super) struct Suffix {
    search: Search,
    /// Whether the first part is the last one.
    is_single: bool,
    /// The pending output from the first suffix of a part on: if more parts follow, and if none does.
    pending: Option<(Vec<u8>, Vec<u8>)>,
    /// Whether the pending part is complete.
    is_complete: bool,
}

impl Suffix {
    pub(super) fn new(suffix: &str, is_single: bool) -> Self {
        Self { search: Search::new(suffix), is_single, pending: None, is_complete: false }
    }

    /// Emits the pending output after a part that is not the last.
    fn release(&mut self, out: &mut PartBuffer) -> Result<()> {
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
        out: &mut PartBuffer,
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

impl Stage for Suffix {
    fn receive(&mut self, fragment: &[u8], out: &mut PartBuffer) -> Result<()> {
        self.release(out)?;
        let Self { search, is_single, pending, .. } = self;
        search.receive(fragment, |found| Self::keep(pending, *is_single, &found, out))
    }

    fn end(&mut self, out: &mut PartBuffer) -> Result<()> {
        self.release(out)?;
        let Self { search, is_single, pending, .. } = self;
        search.end(|found| Self::keep(pending, *is_single, &found, out))?;
        self.is_complete = pending.is_some();
        if !self.is_complete {
            out.end();
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut PartBuffer) -> Result<()> {
        if let Some((_, without)) = self.pending.take() {
            out.push(&without)?;
            out.end();
        }
        Ok(())
    }
}
