//! Encodes chunks that are not in the cache, by the model or on the generic path.

use std::str::Chars;

use super::Result;
use crate::fast::{Fallback, FastPath, ModelInput};
use crate::model::context::{Context, VALID_ALWAYS};
use crate::model::{Model, ModelScratch, Token};
use crate::pipeline::Tokenizer;
use crate::pretokenize::words::Words;
use crate::settings::METASPACE;
use crate::text::span::Span;
use crate::vocab::Entries;

/// A token of a chunk: its id, its bytes in the chunk, and the index of its word.
pub(super) type ChunkToken = (u32, Span, u32);

/// The buffers of the generic path for single chunks.
#[derive(Debug, Default)]
pub(super) struct GenericBuffers {
    words: Words,
    tokens: Vec<Token>,
    model: ModelScratch,
    word: String,
}

impl GenericBuffers {
    /// Returns the largest capacity of a buffer.
    pub(super) fn capacity(&self) -> usize {
        let Self { words, tokens, model, word } = self;
        [words.capacity(), tokens.capacity(), model.capacity(), word.capacity()].into_iter().fold(0, usize::max)
    }
}

/// Encodes single chunks, without normalizing and splitting them if the model input is known.
///
/// Other chunks take the generic path.
pub(super) struct ChunkEncoder<'a> {
    pub(super) tokenizer: &'a Tokenizer,
    pub(super) fast: &'a FastPath,
    /// The vocabulary entries that the model may produce from the chunks.
    pub(super) entries: Entries,
    pub(super) generic: &'a mut GenericBuffers,
}

/// The length of a metaspace in bytes.
const METASPACE_BYTES: u32 = 3;

/// The number of words of an encoded chunk, and the contexts for which its tokens are valid.
pub(super) struct EncodedChunk {
    /// The number of words.
    pub(super) words: u32,
    /// The valid-below exponent; see [`Context`].
    pub(super) valid_below: u8,
}

impl ChunkEncoder<'_> {
    /// Fills `out` with the tokens of a chunk, with their bytes in the chunk if `aligned`.
    ///
    /// `context` is the model's state between chunks, if it has one, and all ids so far. Then ids may have tags.
    pub(super) fn encode(
        &mut self,
        start: usize,
        chunk: &str,
        aligned: bool,
        mut context: Option<(&mut impl Context, &[u32])>,
        out: &mut Vec<ChunkToken>,
    ) -> Result<EncodedChunk> {
        let (model, entries) = (self.tokenizer.model(), self.entries);
        let GenericBuffers { words, tokens, model: scratch, word } = &mut *self.generic;
        out.clear();
        tokens.clear();
        if aligned && start == 0 && self.fast.may_shift_offsets(chunk) {
            return Err(Fallback::OffsetsShifted);
        }
        match self.fast.model_input(chunk, start == 0, aligned, word) {
            Some(ModelInput::Word(word)) => {
                model.encode_word(word, 0, entries, scratch, tokens)?;
                out.extend(tokens.iter().map(|token| (token.id, token.span, 0)));
                return Ok(EncodedChunk { words: 1, valid_below: VALID_ALWAYS });
            }
            Some(ModelInput::Bytes(word)) if model.encode_bytes(word, entries, scratch, tokens)? => {
                let span = |token: &Token| if aligned { token.span.of_characters(word) } else { token.span };
                out.extend(tokens.iter().map(|token| (token.id, span(token), 0)));
                return Ok(EncodedChunk { words: 1, valid_below: VALID_ALWAYS });
            }
            // The generic path computes the span of a metaspace before the text.
            Some(ModelInput::EscapedSpaces(word)) if !aligned || start > 0 => {
                model.encode_word(word, 0, entries, scratch, tokens)?;
                let mut spans = Unescaped::new(chunk);
                out.extend(tokens.iter().map(|token| (token.id, spans.of(token.span), 0)));
                return Ok(EncodedChunk { words: 1, valid_below: VALID_ALWAYS });
            }
            Some(ModelInput::LeadingMetaspace(word, more)) => {
                let valid_below = encode_word(model, word, 0, entries, scratch, &mut context, tokens)?;
                let span = |Span { start, end }| Span { start: start.saturating_sub(more), end: end - more };
                out.extend(tokens.iter().map(|token| (token.id, span(token.span), 0)));
                return Ok(EncodedChunk { words: 1, valid_below });
            }
            _ => {}
        }
        let later = if start > 0 { self.fast.splitter(chunk) } else { None };
        let whole = || self.fast.splitter_of_stripped().unwrap_or_else(|| self.tokenizer.splitter());
        let (splitter, has_metaspace) = later.unwrap_or_else(|| (whole(), false));
        splitter.split(chunk, aligned, words)?;
        let mut made = EncodedChunk { words: 0, valid_below: VALID_ALWAYS };
        for word in words.as_slice() {
            tokens.clear();
            let text = words.text_of(word);
            let valid_below = encode_word(model, text, word.span.start, entries, scratch, &mut context, tokens)?;
            let span = |Span { start, end }| match start {
                _ if !aligned => Span { start, end },
                // This metaspace replaces the first space.
                0 if has_metaspace && end == METASPACE_BYTES => Span { start: 0, end: 1 },
                0 if has_metaspace => Span { start: 0, ..words.original(Span { start, end }) },
                _ => words.original(Span { start, end }),
            };
            out.extend(tokens.iter().map(|token| (token.id, span(token.span), made.words)));
            made = EncodedChunk { words: made.words + 1, valid_below: made.valid_below.min(valid_below) };
        }
        Ok(made)
    }
}

/// Appends the tokens of a word; returns the context's exponent below which they are valid (see [`Context`]).
fn encode_word(
    model: &Model,
    word: &str,
    at: u32,
    entries: Entries,
    scratch: &mut ModelScratch,
    context: &mut Option<(&mut impl Context, &[u32])>,
    tokens: &mut Vec<Token>,
) -> Result<u8> {
    if let Some((context, ids)) = context {
        return Ok(context.encode_word(word, at, ids, scratch, tokens)?);
    }
    model.encode_word(word, at, entries, scratch, tokens)?;
    Ok(VALID_ALWAYS)
}

/// Maps bytes of a chunk whose spaces are written as metaspaces to those of the chunk; spans come in order.
struct Unescaped<'a> {
    starts: Cursor<'a>,
    ends: Cursor<'a>,
}

/// A position in the written chunk and in the chunk itself.
#[derive(Clone)]
struct Cursor<'a> {
    rest: Chars<'a>,
    written: usize,
    at: usize,
}

impl<'a> Unescaped<'a> {
    fn new(chunk: &'a str) -> Self {
        let cursor = Cursor { rest: chunk.chars(), written: 0, at: 0 };
        Self { starts: cursor.clone(), ends: cursor }
    }

    fn of(&mut self, span: Span) -> Span {
        Span::new(self.starts.to(span.range().start), self.ends.to(span.range().end))
    }
}

impl Cursor<'_> {
    fn to(&mut self, written: usize) -> usize {
        while self.written < written
            && let Some(c) = self.rest.next()
        {
            self.at += c.len_utf8();
            self.written += if c == ' ' { METASPACE.len_utf8() } else { c.len_utf8() };
        }
        self.at
    }
}
