//! Strings that become others.

use super::search::{Found, Search};
use super::{Flow, Stage};
use crate::error::Result;

/// Replaces a string in each part.
#[derive(Debug, Clone)]
pub(super) struct Literal {
    search: Search,
    by: Vec<u8>,
    in_first: Vec<u8>,
    /// Whether an empty string is found in an empty part.
    in_nothing: bool,
    is_first: bool,
    is_empty: bool,
}

impl Literal {
    pub(super) fn new(found: &str, by: &str) -> Self {
        let (search, by) = (Search::new(found), by.as_bytes().to_vec());
        Self { search, in_first: by.clone(), by, in_nothing: true, is_first: true, is_empty: true }
    }

    /// What comes in its place in the first part.
    pub(super) fn with_first(self, by: &str) -> Self {
        Self { in_first: by.as_bytes().to_vec(), ..self }
    }

    /// Finds nothing in empty parts, as patterns do.
    pub(super) fn with_nothing_in_nothing(self) -> Self {
        Self { in_nothing: false, ..self }
    }
}

impl Stage for Literal {
    fn piece(&mut self, piece: &[u8], out: &mut Flow) -> Result<()> {
        self.is_empty = false;
        let by = if self.is_first { &self.in_first } else { &self.by };
        self.search.piece(piece, |found| replace(&found, by, out))
    }

    fn end(&mut self, out: &mut Flow) -> Result<()> {
        if self.in_nothing || !self.is_empty {
            let by = if self.is_first { &self.in_first } else { &self.by };
            self.search.end(|found| replace(&found, by, out))?;
        }
        (self.is_first, self.is_empty) = (false, true);
        out.end();
        Ok(())
    }
}

fn replace(found: &Found<'_>, by: &[u8], out: &mut Flow) -> Result<()> {
    out.push(match found {
        Found::Other(other) => other,
        Found::Match => by,
    })
}

/// Makes spaces of the ends of words, and nothing of those in the last part.
#[derive(Debug, Clone)]
pub(super) struct Suffix {
    search: Search,
    /// Whether the first part is the last one.
    is_single: bool,
    /// What comes from the first suffix of a part on, if more parts follow and if none does.
    waiting: Option<(Vec<u8>, Vec<u8>)>,
    /// Whether the part that waits is over.
    is_over: bool,
}

impl Suffix {
    pub(super) fn new(suffix: &str, is_single: bool) -> Self {
        Self { search: Search::new(suffix), is_single, waiting: None, is_over: false }
    }

    /// A part has begun, so the one before it was not the last.
    fn release(&mut self, out: &mut Flow) -> Result<()> {
        if std::mem::take(&mut self.is_over)
            && let Some((spaced, _)) = self.waiting.take()
        {
            out.push(&spaced)?;
            out.end();
        }
        Ok(())
    }

    fn keep(
        waiting: &mut Option<(Vec<u8>, Vec<u8>)>,
        is_single: bool,
        found: &Found<'_>,
        out: &mut Flow,
    ) -> Result<()> {
        match (found, waiting) {
            (Found::Match, _) if is_single => {}
            (Found::Match, waiting) => waiting.get_or_insert_default().0.push(b' '),
            (Found::Other(other), None) => out.push(other)?,
            (Found::Other(other), Some((spaced, bare))) => {
                spaced.extend_from_slice(other);
                bare.extend_from_slice(other);
            }
        }
        Ok(())
    }
}

impl Stage for Suffix {
    fn piece(&mut self, piece: &[u8], out: &mut Flow) -> Result<()> {
        self.release(out)?;
        let Self { search, is_single, waiting, .. } = self;
        search.piece(piece, |found| Self::keep(waiting, *is_single, &found, out))
    }

    fn end(&mut self, out: &mut Flow) -> Result<()> {
        self.release(out)?;
        let Self { search, is_single, waiting, .. } = self;
        search.end(|found| Self::keep(waiting, *is_single, &found, out))?;
        self.is_over = waiting.is_some();
        if !self.is_over {
            out.end();
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Flow) -> Result<()> {
        if let Some((_, bare)) = self.waiting.take() {
            out.push(&bare)?;
            out.end();
        }
        Ok(())
    }
}
