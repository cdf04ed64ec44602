//! The sink of calls that want ids alone.

use super::chunk::{ChunkEncoder, ChunkToken};
use super::{Result, TextSink};
use crate::added::AddedTokenSearch;
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
    /// The number of ids and the context at the last announcement.
    announced: (usize, Option<C>),
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
        Self { encoder, new, found: &mut found.0, filled: 0, ids, context, announced: (0, None) }
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
            context.end(self.ids);
        }
    }

    /// Ends the last plain-text range.
    pub(super) fn finish(mut self) {
        self.end();
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

    fn announce(&mut self, bytes: usize) -> u8 {
        if self.context.is_none() {
            return 0;
        }
        self.flush();
        self.announced = (self.ids.len(), self.context.clone());
        self.context.as_mut().map_or(0, |context| context.announce(self.ids, bytes))
    }

    fn take_back(&mut self) -> bool {
        if self.context.is_none() {
            return false;
        }
        self.flush();
        if !self.context.as_mut().is_some_and(|context| context.is_exceeded(self.ids)) {
            return false;
        }
        self.ids.truncate(self.announced.0);
        self.context = self.announced.1.take();
        self.context.iter_mut().for_each(Context::distrust);
        true
    }
}

impl<'a, C: Context> TextSink<'a, u32, INLINE_IDS> for IdSink<'a, C> {
    fn text(&mut self, _: &'a str, _: Option<u32>) {}

    fn plain_text(&mut self, _: Span, begins: bool, entries: Entries) {
        self.end();
        (self.encoder.begins, self.encoder.entries) = (begins, entries);
        if let Some(context) = &mut self.context {
            context.begin(self.ids.len(), entries);
        }
    }

    fn added(&mut self, id: u32, _: Span, _: &str) {
        self.end();
        self.ids.push(id);
    }

    fn needs_whole(&self, _: &str) -> bool {
        false
    }

    fn generic(&mut self, text: &str, span: Span, search: AddedTokenSearch<'_>) -> Result<()> {
        self.end();
        let ids = &mut *self.ids;
        self.encoder.generic(text, span, search, false, |token| ids.push(token.id)).map(|_| ())
    }
}
