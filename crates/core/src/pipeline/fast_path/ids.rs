//! The sink of calls that want ids alone.

use super::chunk::{ChunkToken, Coder};
use super::running_score::RunningScore;
use super::{Result, TextSink};
use crate::fast::Sink;
use crate::text::span::Span;

/// Ids that fill a line of the machine's cache with their key.
pub(super) const INLINE_IDS: usize = 3;

/// Ids on their way to the others.
#[derive(Debug)]
pub(super) struct Found(Box<[u32; FOUND]>);

const FOUND: usize = 512;

impl Default for Found {
    fn default() -> Self {
        Self(Box::new([0; FOUND]))
    }
}

/// Takes ids alone.
pub(super) struct Ids<'a> {
    coder: Coder<'a>,
    /// The tokens of a new chunk.
    new: &'a mut Vec<ChunkToken>,
    /// Some of the newest ids, not yet with the others: so a few are written at once, however many there are.
    found: &'a mut [u32; FOUND],
    filled: usize,
    ids: &'a mut Vec<u32>,
    sums: Option<RunningScore<'a>>,
    /// Whether something was taken that may be wrong.
    is_lost: bool,
}

impl<'a> Ids<'a> {
    /// Appends to `ids`.
    pub(super) fn new(
        coder: Coder<'a>,
        new: &'a mut Vec<ChunkToken>,
        sums: Option<RunningScore<'a>>,
        found: &'a mut Found,
        ids: &'a mut Vec<u32>,
    ) -> Self {
        Self { coder, new, found: &mut found.0, filled: 0, ids, sums, is_lost: false }
    }

    fn flush(&mut self) {
        let found = &self.found[..self.filled];
        self.ids.extend_from_slice(found);
        if let Some(sums) = &mut self.sums {
            sums.note(found);
        }
        self.filled = 0;
    }

    /// No more chunks come of what began last.
    fn end(&mut self) {
        self.flush();
        if let Some(sums) = &mut self.sums {
            self.is_lost |= sums.end(self.ids).is_err();
        }
    }

    /// All texts have ended; gives whether their ids are right.
    pub(super) fn finish(mut self) -> bool {
        self.end();
        !self.is_lost
    }
}

impl Sink<u32, INLINE_IDS> for Ids<'_> {
    #[inline]
    fn few(&mut self, _: usize, tokens: &[u32; INLINE_IDS], count: usize) {
        if self.filled > FOUND - INLINE_IDS {
            self.flush();
        }
        self.found[self.filled..self.filled + INLINE_IDS].copy_from_slice(tokens);
        self.filled += count;
    }

    fn many(&mut self, _: usize, tokens: &[u32]) {
        self.flush();
        self.ids.extend_from_slice(tokens);
        if let Some(sums) = &mut self.sums {
            sums.note(tokens);
        }
    }

    fn encode(&mut self, start: usize, chunk: &str) -> Result<Option<(&[u32], u8)>> {
        self.flush();
        let Self { coder, ids, sums, new, .. } = self;
        let limit = coder.encode(start, chunk, false, sums.as_mut().map(|sums| (sums, &ids[..])), new)?.limit;
        let before = ids.len();
        ids.extend(new.iter().map(|(id, ..)| id));
        if let Some(sums) = sums {
            sums.note(&ids[before..]);
        }
        Ok(Some((&self.ids[before..], limit)))
    }

    fn reach(&mut self, bytes: usize) -> Result<u8> {
        if self.sums.is_none() {
            return Ok(0);
        }
        self.flush();
        self.sums.as_mut().map_or(Ok(0), |sums| sums.reach(self.ids, bytes))
    }
}

impl TextSink<u32, INLINE_IDS> for Ids<'_> {
    fn text(&mut self, _: Option<u32>) {}

    fn stretch(&mut self, _: u32, specials: bool) {
        self.end();
        self.coder.specials = specials;
        if let Some(sums) = &mut self.sums {
            sums.begin(self.ids.len(), specials);
        }
    }

    fn added(&mut self, id: u32, _: Span, _: &str) {
        self.end();
        self.ids.push(id);
    }
}
