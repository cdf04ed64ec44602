//! The sink of calls that want tokens with offsets.

use super::chunk::{ChunkEncoder, ChunkToken, EncodedChunk};
use super::{Result, TextSink};
use crate::encoding::Encoding;
use crate::fast::Sink;
use crate::model::context::Context;
use crate::text::span::Span;
use crate::vocab::Entries;

/// The number of tokens that fill a cache line of 64 bytes, with the key.
pub(super) const INLINE_TOKENS: usize = 5;

/// A cached token: its id, its bytes in the chunk, and the number of its word in the chunk.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CachedToken {
    id: u32,
    start: u8,
    end: u8,
    word: u8,
}

/// Collects tokens with offsets in the columns of an encoding, and with `WORD_IDS` the indices of their words.
pub(super) struct ColumnSink<'a, C, const WORD_IDS: bool> {
    encoder: ChunkEncoder<'a>,
    new: &'a mut (Vec<ChunkToken>, Vec<CachedToken>),
    /// The first byte of the current plain-text range.
    base: u32,
    /// The number of the pre-split word, if the call passes words.
    given: Option<u32>,
    /// The number of the next word, or of the current one if it is open.
    word: u32,
    /// Whether the next chunks belong to the same word.
    is_open: bool,
    encoding: &'a mut Encoding,
    /// The model's context, carried from chunk to chunk.
    context: Option<C>,
    /// Whether tokens were collected that may be wrong.
    is_invalid: bool,
}

impl<'a, C: Context, const WORD_IDS: bool> ColumnSink<'a, C, WORD_IDS> {
    /// Returns a sink that appends to the columns of `encoding`.
    pub(super) fn new(
        encoder: ChunkEncoder<'a>,
        new: &'a mut (Vec<ChunkToken>, Vec<CachedToken>),
        context: Option<C>,
        encoding: &'a mut Encoding,
    ) -> Self {
        Self { encoder, new, base: 0, given: None, word: 0, is_open: false, encoding, context, is_invalid: false }
    }

    /// Appends the tokens of a chunk that begins at byte `start` of the plain-text range.
    #[inline]
    fn take(&mut self, start: usize, tokens: impl Iterator<Item = ChunkToken>) {
        let at = self.base + Span::new(start, start).start;
        let (before, mut words) = (self.encoding.len(), 0);
        for (id, span, word) in tokens {
            if self.encoder.tokenizer.shadows {
                let id = self.untagged(id);
                let name = self.encoder.tokenizer.model().vocab().token(id);
                name.into_iter().for_each(|name| self.name(id, name));
            }
            self.push(id, span.shifted(at), self.word + word);
            words = word + 1;
        }
        if self.encoder.fast.capabilities().is_one_word {
            // A chunk without words is not a word.
            self.is_open |= words > 0 || self.context.is_none();
        } else {
            self.word += words;
        }
        if let Some(context) = &mut self.context {
            context.record(&self.encoding.ids[before..]);
        }
    }

    fn untagged(&self, id: u32) -> u32 {
        self.context.as_ref().map_or(id, |context| context.untagged(id))
    }

    /// Ends the current plain-text range.
    fn end(&mut self) {
        self.close();
        if let Some(context) = &mut self.context {
            self.is_invalid |= context.end(&mut self.encoding.ids).is_err();
        }
    }

    /// Ends the last plain-text range; returns whether all tokens are valid for the context they were used in.
    pub(super) fn finish(mut self) -> bool {
        self.end();
        !self.is_invalid
    }

    /// Ends an open word.
    fn close(&mut self) {
        self.word += u32::from(std::mem::take(&mut self.is_open));
    }

    #[inline]
    fn push(&mut self, id: u32, span: Span, word: u32) {
        self.encoding.ids.push(id);
        self.encoding.spans.push(span);
        if WORD_IDS {
            self.encoding.word_ids.push(self.given.unwrap_or(word));
        }
    }

    /// Records the text of the next token, if it differs from the one that its id is decoded to.
    fn name(&mut self, id: u32, name: &str) {
        if self.encoder.tokenizer.token(id) != Some(name) {
            self.encoding.renamed.push((self.encoding.len(), name.to_owned()));
        }
    }
}

impl<C: Context, const WORD_IDS: bool> Sink<CachedToken, INLINE_TOKENS> for ColumnSink<'_, C, WORD_IDS> {
    const TAKES_PARTS: bool = false;

    #[inline]
    fn push_inline<'t>(&mut self, chunks: impl Iterator<Item = (usize, &'t [CachedToken; INLINE_TOKENS], usize)>) {
        chunks.for_each(|(start, cached, count)| self.push_slice(start, &cached[..count]));
    }

    #[inline]
    fn push_slice(&mut self, start: usize, cached: &[CachedToken]) {
        self.take(start, cached.iter().map(|token| token.token()));
    }

    fn announce(&mut self, bytes: usize) -> Result<u8> {
        self.context.as_mut().map_or(Ok(0), |context| Ok(context.announce(&self.encoding.ids, bytes)?))
    }

    fn encode(&mut self, start: usize, chunk: &str) -> Result<Option<(&[CachedToken], u8)>> {
        let (mut tokens, mut cached) = std::mem::take(self.new);
        cached.clear();
        let context = self.context.as_mut().map(|context| (context, &self.encoding.ids[..]));
        let encoded = self.encoder.encode(start, chunk, true, context, &mut tokens);
        let first = self.word;
        self.take(start, tokens.iter().copied());
        cached.extend(tokens.iter().map_while(|token| CachedToken::new(*token)));
        let fit = cached.len() == tokens.len();
        *self.new = (tokens, cached);
        // A word may have no tokens. The cached tokens do not count such words at the end of a chunk.
        let taken = self.word;
        let EncodedChunk { words, valid_below } = encoded?;
        self.word = if self.is_open { first } else { first + words };
        Ok((fit && self.word == taken).then_some((self.new.1.as_slice(), valid_below)))
    }
}

impl<C: Context, const WORD_IDS: bool> TextSink<CachedToken, INLINE_TOKENS> for ColumnSink<'_, C, WORD_IDS> {
    fn text(&mut self, given: Option<u32>) {
        self.given = given;
    }

    fn plain_text(&mut self, base: u32, entries: Entries) {
        self.end();
        (self.base, self.encoder.entries) = (base, entries);
        if let Some(context) = &mut self.context {
            context.begin(self.encoding.len(), entries);
        }
    }

    fn added(&mut self, id: u32, span: Span, text: &str) {
        self.end();
        self.name(id, text);
        self.push(id, span, self.word);
        self.word += 1;
    }
}

impl CachedToken {
    /// Returns the cached form of a token; `None` unless it begins and ends within 255 bytes.
    fn new((id, span, word): ChunkToken) -> Option<Self> {
        let narrow = |number: u32| u8::try_from(number).ok();
        Some(Self { id, start: narrow(span.start)?, end: narrow(span.end)?, word: narrow(word)? })
    }

    #[inline]
    fn token(self) -> ChunkToken {
        (self.id, Span { start: self.start.into(), end: self.end.into() }, self.word.into())
    }
}
