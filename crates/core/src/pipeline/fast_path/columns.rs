//! The sink of calls that want tokens with their places.

use super::chunk::{ChunkToken, Coder, EncodedChunk};
use super::{Result, TextSink};
use crate::encoding::Encoding;
use crate::fast::Sink;
use crate::model::context::Context;
use crate::text::span::Span;

/// Tokens that fill two lines of the machine's cache with their key.
pub(super) const INLINE_TOKENS: usize = 5;

/// What is kept of a token: its id, its bytes in the chunk, and the number of its word in the chunk.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CachedToken {
    id: u32,
    start: u8,
    end: u8,
    word: u8,
}

/// Takes tokens with their places.
pub(super) struct Columns<'a, C> {
    coder: Coder<'a>,
    new: &'a mut (Vec<ChunkToken>, Vec<CachedToken>),
    /// Where the chunks' text begins.
    base: u32,
    /// The number of the word that was given.
    given: Option<u32>,
    /// The number of the next word, or of the one whose chunks come.
    word: u32,
    /// Whether chunks of one word come.
    is_open: bool,
    encoding: &'a mut Encoding,
    /// What goes on from chunk to chunk.
    context: Option<C>,
    /// Whether tokens were taken that may be wrong.
    is_lost: bool,
}

impl<'a, C: Context> Columns<'a, C> {
    /// Appends to the columns of `encoding`.
    pub(super) fn new(
        coder: Coder<'a>,
        new: &'a mut (Vec<ChunkToken>, Vec<CachedToken>),
        context: Option<C>,
        encoding: &'a mut Encoding,
    ) -> Self {
        Self { coder, new, base: 0, given: None, word: 0, is_open: false, encoding, context, is_lost: false }
    }

    /// Takes the tokens of a chunk that begins at byte `start` of the chunks' text.
    #[inline]
    fn take(&mut self, start: usize, tokens: impl Iterator<Item = ChunkToken>) {
        let at = self.base + Span::new(start, start).start;
        let (before, mut words) = (self.encoding.len(), 0);
        for (id, span, word) in tokens {
            if self.coder.tokenizer.shadows {
                let name = self.coder.tokenizer.model().vocab().token(self.untagged(id));
                name.into_iter().for_each(|name| self.name(id, name));
            }
            self.push(id, span.shifted(at), self.word + word);
            words = word + 1;
        }
        if self.coder.fast.capabilities().is_one_word {
            // A chunk that vanishes is no word.
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

    /// No more chunks come of what began last.
    fn end(&mut self) {
        self.close();
        if let Some(context) = &mut self.context {
            self.is_lost |= context.end(&mut self.encoding.ids).is_err();
        }
    }

    /// All texts have ended; gives whether their tokens are right.
    pub(super) fn finish(mut self) -> bool {
        self.end();
        !self.is_lost
    }

    /// Ends a word that may have had more chunks.
    fn close(&mut self) {
        self.word += u32::from(std::mem::take(&mut self.is_open));
    }

    #[inline]
    fn push(&mut self, id: u32, span: Span, word: u32) {
        self.encoding.ids.push(id);
        self.encoding.spans.push(span);
        self.encoding.word_ids.push(self.given.unwrap_or(word));
    }

    /// Notes what the next token is called, where that is not what its id is decoded as.
    fn name(&mut self, id: u32, name: &str) {
        if self.coder.tokenizer.token(id) != Some(name) {
            self.encoding.renamed.push((self.encoding.len(), name.to_owned()));
        }
    }
}

impl<C: Context> Sink<CachedToken, INLINE_TOKENS> for Columns<'_, C> {
    #[inline]
    fn few(&mut self, start: usize, pieces: &[CachedToken; INLINE_TOKENS], count: usize) {
        self.many(start, &pieces[..count]);
    }

    #[inline]
    fn many(&mut self, start: usize, pieces: &[CachedToken]) {
        self.take(start, pieces.iter().map(|piece| piece.token()));
    }

    fn announce(&mut self, bytes: usize) -> Result<u8> {
        self.context.as_mut().map_or(Ok(0), |context| Ok(context.announce(&self.encoding.ids, bytes)?))
    }

    fn encode(&mut self, start: usize, chunk: &str) -> Result<Option<(&[CachedToken], u8)>> {
        let (mut tokens, mut pieces) = std::mem::take(self.new);
        pieces.clear();
        let context = self.context.as_mut().map(|context| (context, &self.encoding.ids[..]));
        let encoded = self.coder.encode(start, chunk, true, context, &mut tokens);
        let first = self.word;
        self.take(start, tokens.iter().copied());
        pieces.extend(tokens.iter().map_while(|token| CachedToken::new(*token)));
        let fit = pieces.len() == tokens.len();
        *self.new = (tokens, pieces);
        // A word may have no tokens. What is kept of a chunk tells of no such words at its end.
        let taken = self.word;
        let EncodedChunk { words, valid_below } = encoded?;
        self.word = if self.is_open { first } else { first + words };
        Ok((fit && self.word == taken).then_some((self.new.1.as_slice(), valid_below)))
    }
}

impl<C: Context> TextSink<CachedToken, INLINE_TOKENS> for Columns<'_, C> {
    fn text(&mut self, given: Option<u32>) {
        self.given = given;
    }

    fn plain_text(&mut self, base: u32, specials: bool) {
        self.end();
        (self.base, self.coder.specials) = (base, specials);
        if let Some(context) = &mut self.context {
            context.begin(self.encoding.len(), specials);
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
    /// A token that can be kept: one that begins and ends within 255 bytes.
    fn new((id, span, word): ChunkToken) -> Option<Self> {
        let narrow = |number: u32| u8::try_from(number).ok();
        Some(Self { id, start: narrow(span.start)?, end: narrow(span.end)?, word: narrow(word)? })
    }

    #[inline]
    fn token(self) -> ChunkToken {
        (self.id, Span { start: self.start.into(), end: self.end.into() }, self.word.into())
    }
}
