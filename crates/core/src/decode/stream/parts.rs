//! What is done to parts and not to strings in them.

use std::borrow::Cow;

use super::search::{Found, Search};
use super::{Flow, Stage};
use crate::decode::{ReplaceDecoder, StripDecoder};
use crate::error::Result;

/// All parts become one, which is over when no more come.
#[derive(Debug, Clone)]
pub(super) struct Fuse;

impl Stage for Fuse {
    fn piece(&mut self, piece: &[u8], out: &mut Flow) -> Result<()> {
        out.push(piece)
    }

    fn end(&mut self, _out: &mut Flow) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self, out: &mut Flow) -> Result<()> {
        out.end();
        Ok(())
    }
}

/// A space before each part but the first, and before those that begin with the prefix, which lose it.
#[derive(Debug, Clone)]
pub(super) struct Spaces {
    prefix: Option<Vec<u8>>,
    /// What may become the prefix; None once it is settled, as it is in the first part.
    head: Option<Vec<u8>>,
}

impl Spaces {
    pub(super) fn new(prefix: Option<&str>) -> Self {
        Self { prefix: prefix.map(|prefix| prefix.as_bytes().to_vec()), head: None }
    }

    fn settle(&mut self, out: &mut Flow) -> Result<()> {
        let Some(head) = self.head.take() else { return Ok(()) };
        if let Some(rest) = self.prefix.as_ref().and_then(|prefix| head.strip_prefix(&**prefix)) {
            return out.push(rest);
        }
        out.push(b" ")?;
        out.push(&head)
    }

    fn may_be_prefix(&self, head: &[u8]) -> bool {
        self.prefix.as_ref().is_some_and(|prefix| head.len() < prefix.len() && prefix.starts_with(head))
    }
}

impl Stage for Spaces {
    fn piece(&mut self, piece: &[u8], out: &mut Flow) -> Result<()> {
        let Some(mut head) = self.head.take() else { return out.push(piece) };
        head.extend_from_slice(piece);
        let waits = self.may_be_prefix(&head);
        self.head = Some(head);
        if waits { Ok(()) } else { self.settle(out) }
    }

    fn end(&mut self, out: &mut Flow) -> Result<()> {
        self.settle(out)?;
        self.head = Some(Vec::new());
        out.end();
        Ok(())
    }
}

/// A character dropped at the ends of each part.
#[derive(Debug, Clone)]
pub(super) struct Strip {
    search: Search,
    ends: Ends,
}

#[derive(Debug, Clone)]
struct Ends {
    content: Vec<u8>,
    start: usize,
    stop: usize,
    /// How often it was dropped at the start, or None behind the start.
    dropped: Option<usize>,
    /// How often it stood last, where these may be the end.
    held: usize,
}

impl Strip {
    pub(super) fn new(settings: &StripDecoder) -> Self {
        let StripDecoder { content, start, stop } = *settings;
        let content = content.to_string();
        let search = Search::new(&content);
        Self { search, ends: Ends { content: content.into_bytes(), start, stop, dropped: Some(0), held: 0 } }
    }
}

impl Ends {
    fn each(&mut self, found: &Found<'_>, out: &mut Flow) -> Result<()> {
        match found {
            Found::Match => self.content(out),
            Found::Other(other) => self.other(other, out),
        }
    }

    /// Once more the character.
    fn content(&mut self, out: &mut Flow) -> Result<()> {
        if let Some(dropped) = self.dropped.filter(|&dropped| dropped < self.start) {
            self.dropped = Some(dropped + 1);
            return Ok(());
        }
        self.dropped = None;
        if self.held < self.stop {
            self.held += 1;
            return Ok(());
        }
        out.push(&self.content)
    }

    /// Something else.
    fn other(&mut self, other: &[u8], out: &mut Flow) -> Result<()> {
        if other.is_empty() {
            return Ok(());
        }
        self.dropped = None;
        for _ in 0..std::mem::take(&mut self.held) {
            out.push(&self.content)?;
        }
        out.push(other)
    }
}

impl Stage for Strip {
    fn piece(&mut self, piece: &[u8], out: &mut Flow) -> Result<()> {
        self.search.piece(piece, |found| self.ends.each(&found, out))
    }

    fn end(&mut self, out: &mut Flow) -> Result<()> {
        self.search.end(|found| self.ends.each(&found, out))?;
        (self.ends.dropped, self.ends.held) = (Some(0), 0);
        out.end();
        Ok(())
    }
}

/// What a regular expression finds in each part, replaced.
#[derive(Debug, Clone)]
pub(super) struct Regex {
    decoder: ReplaceDecoder,
    part: Vec<u8>,
}

impl Regex {
    pub(super) fn new(decoder: &ReplaceDecoder) -> Self {
        Self { decoder: decoder.clone(), part: Vec::new() }
    }
}

impl Stage for Regex {
    fn piece(&mut self, piece: &[u8], _out: &mut Flow) -> Result<()> {
        self.part.extend_from_slice(piece);
        Ok(())
    }

    fn end(&mut self, out: &mut Flow) -> Result<()> {
        let part = std::mem::take(&mut self.part);
        let replaced = self.decoder.replace(Cow::Owned(String::from_utf8_lossy(&part).into_owned()))?;
        out.push(replaced.as_bytes())?;
        out.end();
        Ok(())
    }
}

/// Of equal parts in a row the first.
#[derive(Debug, Clone, Default)]
pub(super) struct Repetitions {
    /// The part before, and behind it as much of this one as differs.
    last: Option<Vec<u8>>,
    /// How much of the last part this one has repeated; None where they differ.
    repeated: Option<usize>,
}

impl Repetitions {
    /// The part differs: what was held back is given.
    fn differ(&mut self, out: &mut Flow) -> Result<()> {
        let last = self.last.get_or_insert_default();
        if let Some(repeated) = self.repeated.take() {
            last.truncate(repeated);
            out.push(last)?;
        }
        Ok(())
    }
}

impl Stage for Repetitions {
    fn piece(&mut self, piece: &[u8], out: &mut Flow) -> Result<()> {
        if let (Some(last), Some(repeated)) = (&self.last, &mut self.repeated)
            && last[*repeated..].starts_with(piece)
        {
            *repeated += piece.len();
            return Ok(());
        }
        self.differ(out)?;
        if let Some(last) = &mut self.last {
            last.extend_from_slice(piece);
        }
        out.push(piece)
    }

    fn end(&mut self, out: &mut Flow) -> Result<()> {
        let is_repetition = self.repeated.is_some() && self.repeated == self.last.as_ref().map(Vec::len);
        if !is_repetition {
            self.differ(out)?;
            out.end();
        }
        self.repeated = Some(0);
        Ok(())
    }
}

/// Parts with something in them.
#[derive(Debug, Clone, Default)]
pub(super) struct NonEmpty {
    has_text: bool,
}

impl Stage for NonEmpty {
    fn piece(&mut self, piece: &[u8], out: &mut Flow) -> Result<()> {
        self.has_text = true;
        out.push(piece)
    }

    fn end(&mut self, out: &mut Flow) -> Result<()> {
        if std::mem::take(&mut self.has_text) {
            out.end();
        }
        Ok(())
    }
}
