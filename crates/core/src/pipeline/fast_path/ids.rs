//! The sink of calls that want ids alone.

use super::chunk::{ChunkToken, Coder};
use super::{Result, TextSink};
use crate::fast::Sink;
use crate::model::context::Context;
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
pub(super) struct Ids<'a, C> {
    coder: Coder<'a>,
    /// The tokens of a new chunk.
    new: &'a mut Vec<ChunkToken>,
    /// Some of the newest ids, not yet with the others: so a few are written at once, however many there are.
    found: &'a mut [u32; FOUND],
    filled: usize,
    ids: &'a mut Vec<u32>,
    /// What goes on from chunk to chunk.
    context: Option<C>,
    /// Whether something was taken that may be wrong.
    is_lost: bool,
}

impl<'a, C: Context> Ids<'a, C> {
    /// Appends to `ids`.
    pub(super) fn new(
        coder: Coder<'a>,
        new: &'a mut Vec<ChunkToken>,
        context: Option<C>,
        found: &'a mut Found,
        ids: &'a mut Vec<u32>,
    ) -> Self {
        Self { coder, new, found: &mut found.0, filled: 0, ids, context, is_lost: false }
    }

    fn flush(&mut self) {
        let found = &self.found[..self.filled];
        self.ids.extend_from_slice(found);
        if let Some(context) = &mut self.context {
            context.record(found);
        }
        self.filled = 0;
    }

    /// No more chunks come of what began last.
    fn end(&mut self) {
        self.flush();
        if let Some(context) = &mut self.context {
            self.is_lost |= context.end(self.ids).is_err();
        }
    }

    /// All texts have ended; gives whether their ids are right.
    pub(super) fn finish(mut self) -> bool {
        self.end();
        !self.is_lost
    }
}

impl<C: Context> Sink<u32, INLINE_IDS> for Ids<'_, C> {
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
        if let Some(context) = &mut self.context {
            context.record(tokens);
        }
    }

    fn encode(&mut self, start: usize, chunk: &str) -> Result<Option<(&[u32], u8)>> {
        self.flush();
        let Self { coder, ids, context, new, .. } = self;
        let known = context.as_mut().map(|context| (context, &ids[..]));
        let valid_below = coder.encode(start, chunk, false, known, new)?.valid_below;
        let before = ids.len();
        ids.extend(new.iter().map(|(id, ..)| id));
        if let Some(context) = context {
            context.record(&ids[before..]);
        }
        Ok(Some((&self.ids[before..], valid_below)))
    }

    fn announce(&mut self, bytes: usize) -> Result<u8> {
        if self.context.is_none() {
            return Ok(0);
        }
        self.flush();
        self.context.as_mut().map_or(Ok(0), |context| Ok(context.announce(self.ids, bytes)?))
    }
}

impl<C: Context> TextSink<u32, INLINE_IDS> for Ids<'_, C> {
    fn text(&mut self, _: Option<u32>) {}

    fn plain_text(&mut self, _: u32, specials: bool) {
        self.end();
        self.coder.specials = specials;
        if let Some(context) = &mut self.context {
            context.begin(self.ids.len(), specials);
        }
    }

    fn added(&mut self, id: u32, _: Span, _: &str) {
        self.end();
        self.ids.push(id);
    }
}
