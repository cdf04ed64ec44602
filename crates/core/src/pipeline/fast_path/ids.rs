//! The sink of calls that want ids alone.

use super::chunk::{ChunkEncoder, ChunkToken};
use super::{Result, TextSink};
use crate::fast::Sink;
use crate::model::context::Context;
use crate::text::span::Span;
use crate::vocab::Entries;

/// The number of ids that fill half a cache line of 64 bytes, with the key.
pub(super) const INLINE_IDS: usize = 3;

/// A buffer of ids that are not appended yet.
#[derive(Debug)]
pub(super) struct IdBuffer(Box<[u32; BUFFERED_IDS]>);

const BUFFERED_IDS: usize = 512;

impl Default for IdBuffer {
    fn default() -> Self {
        Self(Box::new([0; BUFFERED_IDS]))
    }
}

/// Collects ids.
pub(super) struct IdSink<'a, C> {
    encoder: ChunkEncoder<'a>,
    /// The tokens of a new chunk.
    new: &'a mut Vec<ChunkToken>,
    /// The newest ids, not yet appended: a fixed number of ids is copied per chunk, whatever its length.
    found: &'a mut [u32; BUFFERED_IDS],
    filled: usize,
    ids: &'a mut Vec<u32>,
    /// The model's context, carried from chunk to chunk.
    context: Option<C>,
    /// Whether ids were collected that may be wrong.
    is_invalid: bool,
}

impl<'a, C: Context> IdSink<'a, C> {
    /// Returns a sink that appends to `ids`.
    pub(super) fn new(
        encoder: ChunkEncoder<'a>,
        new: &'a mut Vec<ChunkToken>,
        context: Option<C>,
        found: &'a mut IdBuffer,
        ids: &'a mut Vec<u32>,
    ) -> Self {
        Self { encoder, new, found: &mut found.0, filled: 0, ids, context, is_invalid: false }
    }

    #[cold]
    #[inline(never)]
    fn flush(&mut self) {
        let found = &self.found[..self.filled];
        self.ids.extend_from_slice(found);
        if let Some(context) = &mut self.context {
            context.record(found);
        }
        self.filled = 0;
    }

    /// Ends the current plain-text range.
    fn end(&mut self) {
        self.flush();
        if let Some(context) = &mut self.context {
            self.is_invalid |= context.end(self.ids).is_err();
        }
    }

    /// Ends the last plain-text range; returns whether all ids are valid for the context they were used in.
    pub(super) fn finish(mut self) -> bool {
        self.end();
        !self.is_invalid
    }
}

impl<C: Context> Sink<u32, INLINE_IDS> for IdSink<'_, C> {
    const TAKES_PARTS: bool = true;

    #[inline]
    fn push_inline<'t>(&mut self, chunks: impl Iterator<Item = (usize, &'t [u32; INLINE_IDS], usize)>) {
        let mut filled = self.filled;
        for (_, tokens, count) in chunks {
            if filled > BUFFERED_IDS - INLINE_IDS {
                self.filled = filled;
                self.flush();
                filled = 0;
            }
            self.found[filled..filled + INLINE_IDS].copy_from_slice(tokens);
            filled += count;
        }
        self.filled = filled;
    }

    fn push_slice(&mut self, _: usize, tokens: &[u32]) {
        self.flush();
        self.ids.extend_from_slice(tokens);
        if let Some(context) = &mut self.context {
            context.record(tokens);
        }
    }

    fn encode(&mut self, start: usize, chunk: &str) -> Result<Option<(&[u32], u8)>> {
        self.flush();
        let Self { encoder, ids, context, new, .. } = self;
        let known = context.as_mut().map(|context| (context, &ids[..]));
        let valid_below = encoder.encode(start, chunk, false, known, new)?.valid_below;
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

impl<C: Context> TextSink<u32, INLINE_IDS> for IdSink<'_, C> {
    fn text(&mut self, _: Option<u32>) {}

    fn plain_text(&mut self, _: u32, entries: Entries) {
        self.end();
        self.encoder.entries = entries;
        if let Some(context) = &mut self.context {
            context.begin(self.ids.len(), entries);
        }
    }

    fn added(&mut self, id: u32, _: Span, _: &str) {
        self.end();
        self.ids.push(id);
    }
}
