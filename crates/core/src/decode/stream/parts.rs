//! Stages that work on whole parts.

use std::borrow::Cow;

use super::search::{Search, Section};
use super::{PartBuffer, Stage};
use crate::decode::{ReplaceDecoder, StripDecoder};
use crate::error::Result;

/// The stage that concatenates all parts; the result ends with the input.
#[derive(Debug, Clone)]
pub(super) struct Fuse;

impl Stage for Fuse {
    fn receive(&mut self, fragment: &[u8], out: &mut PartBuffer) -> Result<()> {
        out.push(fragment)
    }

    fn end(&mut self, _out: &mut PartBuffer) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self, out: &mut PartBuffer) -> Result<()> {
        out.end();
        Ok(())
    }
}

/// The stage that adds a space before each part, except the first and those with the prefix, which is removed.
#[derive(Debug, Clone)]
pub(super) struct Spaces {
    prefix: Option<Vec<u8>>,
    /// The start of the part that may be the prefix; `None` once that is decided, as in the first part.
    head: Option<Vec<u8>>,
}

impl Spaces {
    pub(super) fn new(prefix: Option<&str>) -> Self {
        Self { prefix: prefix.map(|prefix| prefix.as_bytes().to_vec()), head: None }
    }

    /// Emits the separator and the start of the part, without the prefix.
    fn emit_head(&mut self, out: &mut PartBuffer) -> Result<()> {
        let Some(head) = self.head.take() else { return Ok(()) };
        if let Some(rest) = self.prefix.as_ref().and_then(|prefix| head.strip_prefix(&**prefix)) {
            return out.push(rest);
        }
        out.push(b" ")?;
        out.push(&head)
    }

    /// Returns whether the start of a part may still become the prefix.
    fn may_be_prefix(&self, head: &[u8]) -> bool {
        self.prefix.as_ref().is_some_and(|prefix| head.len() < prefix.len() && prefix.starts_with(head))
    }
}

impl Stage for Spaces {
    fn receive(&mut self, fragment: &[u8], out: &mut PartBuffer) -> Result<()> {
        let Some(mut head) = self.head.take() else { return out.push(fragment) };
        head.extend_from_slice(fragment);
        let waits = self.may_be_prefix(&head);
        self.head = Some(head);
        if waits { Ok(()) } else { self.emit_head(out) }
    }

    fn end(&mut self, out: &mut PartBuffer) -> Result<()> {
        self.emit_head(out)?;
        self.head = Some(Vec::new());
        out.end();
        Ok(())
    }
}

/// The stage that removes a character from the ends of each part.
#[derive(Debug, Clone)]
pub(super) struct Strip {
    search: Search,
    ends: StripState,
}

/// The character to strip, and the progress of the current part.
#[derive(Debug, Clone)]
struct StripState {
    content: Vec<u8>,
    start: usize,
    stop: usize,
    /// The number of characters removed at the start, or `None` after the start.
    dropped: Option<usize>,
    /// The number of such characters that are last so far, if they may be removed at the end.
    delayed: usize,
}

impl Strip {
    pub(super) fn new(settings: &StripDecoder) -> Self {
        let StripDecoder { content, start, stop } = *settings;
        let content = content.to_string();
        let search = Search::new(&content);
        Self { search, ends: StripState { content: content.into_bytes(), start, stop, dropped: Some(0), delayed: 0 } }
    }
}

impl StripState {
    fn each(&mut self, found: &Section<'_>, out: &mut PartBuffer) -> Result<()> {
        match found {
            Section::Match => self.content(out),
            Section::Other(other) => self.other(other, out),
        }
    }

    /// Receives an occurrence of the character.
    fn content(&mut self, out: &mut PartBuffer) -> Result<()> {
        if let Some(dropped) = self.dropped.filter(|&dropped| dropped < self.start) {
            self.dropped = Some(dropped + 1);
            return Ok(());
        }
        self.dropped = None;
        if self.delayed < self.stop {
            self.delayed += 1;
            return Ok(());
        }
        out.push(&self.content)
    }

    /// Receives other text.
    fn other(&mut self, other: &[u8], out: &mut PartBuffer) -> Result<()> {
        if other.is_empty() {
            return Ok(());
        }
        self.dropped = None;
        for _ in 0..std::mem::take(&mut self.delayed) {
            out.push(&self.content)?;
        }
        out.push(other)
    }
}

impl Stage for Strip {
    fn receive(&mut self, fragment: &[u8], out: &mut PartBuffer) -> Result<()> {
        self.search.receive(fragment, |found| self.ends.each(&found, out))
    }

    fn end(&mut self, out: &mut PartBuffer) -> Result<()> {
        self.search.end(|found| self.ends.each(&found, out))?;
        (self.ends.dropped, self.ends.delayed) = (Some(0), 0);
        out.end();
        Ok(())
    }
}

/// The stage that replaces the matches of a regular expression in each part.
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
    fn receive(&mut self, fragment: &[u8], _out: &mut PartBuffer) -> Result<()> {
        self.part.extend_from_slice(fragment);
        Ok(())
    }

    fn end(&mut self, out: &mut PartBuffer) -> Result<()> {
        let part = std::mem::take(&mut self.part);
        let replaced = self.decoder.replace(Cow::Owned(String::from_utf8_lossy(&part).into_owned()))?;
        out.push(replaced.as_bytes())?;
        out.end();
        Ok(())
    }
}

/// The stage that removes repeated parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Repetitions {
    /// The part before, followed by the differing bytes of this one.
    last: Option<Vec<u8>>,
    /// The number of bytes of the part before that this one repeats; `None` after the first difference.
    repeated: Option<usize>,
}

impl Repetitions {
    /// Emits the delayed bytes of a part that differs.
    fn differ(&mut self, out: &mut PartBuffer) -> Result<()> {
        let last = self.last.get_or_insert_default();
        if let Some(repeated) = self.repeated.take() {
            last.truncate(repeated);
            out.push(last)?;
        }
        Ok(())
    }
}

impl Stage for Repetitions {
    fn receive(&mut self, fragment: &[u8], out: &mut PartBuffer) -> Result<()> {
        if let (Some(last), Some(repeated)) = (&self.last, &mut self.repeated)
            && last[*repeated..].starts_with(fragment)
        {
            *repeated += fragment.len();
            return Ok(());
        }
        self.differ(out)?;
        if let Some(last) = &mut self.last {
            last.extend_from_slice(fragment);
        }
        out.push(fragment)
    }

    fn end(&mut self, out: &mut PartBuffer) -> Result<()> {
        let is_repetition = self.repeated.is_some() && self.repeated == self.last.as_ref().map(Vec::len);
        if !is_repetition {
            self.differ(out)?;
            out.end();
        }
        self.repeated = Some(0);
        Ok(())
    }
}

/// The stage that removes empty parts.
#[derive(Debug, Clone, Default)]
pub(super) struct NonEmpty {
    has_text: bool,
}

impl Stage for NonEmpty {
    fn receive(&mut self, fragment: &[u8], out: &mut PartBuffer) -> Result<()> {
        self.has_text = true;
        out.push(fragment)
    }

    fn end(&mut self, out: &mut PartBuffer) -> Result<()> {
        if std::mem::take(&mut self.has_text) {
            out.end();
        }
        Ok(())
    }
}
