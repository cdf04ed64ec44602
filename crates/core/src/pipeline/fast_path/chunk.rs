//! Encodes chunks that are not in the cache, by the model or on the generic path.

use crate::stop::{self, Work};
use std::str::Chars;

use super::Result;
use crate::fast::{CutPlan, ModelInput};
use crate::model::{Context, Token, VALID_ALWAYS};
use crate::pipeline::Tokenizer;
use crate::pipeline::scratch::GenericBuffers;
use crate::settings::METASPACE;
use crate::text::span::Span;
use crate::vocab::AllowedEntries;

/// Encodes single chunks, without normalizing and splitting them if the model input is known.
///
/// Other chunks take the generic path.
pub(super) struct ChunkEncoder<'a> {
    pub(super) tokenizer: &'a Tokenizer,
    pub(super) fast: &'a CutPlan,
    /// Whether the current text gets what is put before texts; otherwise it continues another.
    pub(super) begins: bool,
    /// The vocabulary entries that the model may produce from the chunks.
    pub(super) entries: AllowedEntries,
    /// The unknown token's id, if it takes the text that it replaces as its name.
    pub(super) unknown: Option<u32>,
    pub(super) generic: &'a mut GenericBuffers,
    /// The context, carried from chunk to chunk.
    pub(super) context: Context<'a>,
}

/// The length of a metaspace in bytes.
const METASPACE_BYTES: u32 = 3;

impl<'a> ChunkEncoder<'a> {
    /// Returns an encoder of the chunks of a plan; `unknown` is the unknown token's id, if tokens are named.
    pub(super) fn new(
        tokenizer: &'a Tokenizer,
        fast: &'a CutPlan,
        unknown: Option<u32>,
        generic: &'a mut GenericBuffers,
    ) -> Self {
        let context = Context::new(tokenizer.model(), fast.is_one_word);
        Self { tokenizer, fast, begins: true, entries: AllowedEntries::All, unknown, generic, context }
    }

    /// Fills the buffers with the tokens of a chunk, with their bytes in the chunk if `aligned`.
    ///
    /// `ids` are all ids so far. Ids may have tags. Returns the number of words, and the valid-below exponent of the tokens
    /// (see [`Context`]).
    pub(super) fn encode(&mut self, start: usize, chunk: &str, aligned: bool, ids: &[u32]) -> Result<(u32, u8)> {
        let (entries, context) = (self.entries, &mut self.context);
        let GenericBuffers { words, tokens, word_numbers, model: scratch, input: buffer, names } = &mut *self.generic;
        tokens.clear();
        word_numbers.clear();
        names.clear();
        let begins = start == 0 && self.begins;
        // Replaces the spans in a word, whose tokens begin at `first`, by those in the chunk, and records the names of its
        // unknown tokens that are not their texts in the chunk.
        let mut map_spans =
            |tokens: &mut [Token], first, word: &str, context: &Context<'_>, in_chunk: &mut dyn FnMut(Span) -> Span| {
                let mut work = Work::default();
                for (number, token) in tokens.iter_mut().enumerate().skip(first) {
                    work.add(1);
                    let name = token.span.range();
                    token.span = in_chunk(token.span);
                    if self.unknown.is_some_and(|unknown| context.untagged(token.id) == unknown)
                        && chunk.get(token.span.range()) != Some(&word[name.clone()])
                    {
                        names.push((number, word[name].to_owned()));
                    }
                }
            };
        // The generic path computes the span of a metaspace before the text.
        let is_known = |input: &ModelInput<'_>| !(aligned && begins && matches!(input, ModelInput::EscapedSpaces(_)));
        if let Some(input) = self.fast.model_input(chunk, begins, aligned, buffer).filter(is_known) {
            let (ModelInput::Word(word)
            | ModelInput::Bytes(word)
            | ModelInput::EscapedSpaces(word)
            | ModelInput::LeadingMetaspace(word, _)) = input;
            let is_bytes = matches!(input, ModelInput::Bytes(_));
            let mut valid_below = VALID_ALWAYS;
            if !is_bytes {
                valid_below = context.encode_word(word, entries, ids, scratch, tokens)?;
            }
            if !is_bytes || self.tokenizer.model().encode_bytes(word, entries, scratch, tokens)? {
                stop::check_after(chunk.len());
                let mut escaped = [EscapedCursor::new(chunk), EscapedCursor::new(chunk)];
                let mut original = |span: Span| match input {
                    ModelInput::Word(_) => span,
                    ModelInput::Bytes(_) if aligned => span.of_characters(word),
                    ModelInput::Bytes(_) => span,
                    ModelInput::EscapedSpaces(_) => {
                        let [start, end] = &mut escaped;
                        Span::new(start.to(span.range().start), end.to(span.range().end))
                    }
                    ModelInput::LeadingMetaspace(_, more) => {
                        Span { start: span.start.saturating_sub(more), end: span.end - more }
                    }
                };
                if is_bytes {
                    tokens.iter_mut().for_each(|token| token.span = original(token.span));
                } else {
                    map_spans(tokens, 0, word, context, &mut original);
                }
                word_numbers.resize(tokens.len(), 0);
                return Ok((1, valid_below));
            }
        }
        let whole = || self.fast.splitter_of_stripped().unwrap_or_else(|| self.tokenizer.splitter());
        let (splitter, has_metaspace) = self.fast.splitter(chunk, begins).unwrap_or_else(|| (whole(), false));
        // Nothing is put before a chunk that does not begin at byte 0.
        let base = self.fast.base(self.begins);
        splitter.split_from(chunk, base, aligned, words)?;
        let (mut count, mut all_valid_below) = (0, VALID_ALWAYS);
        for word in words.as_slice() {
            let (first, text) = (tokens.len(), words.text_of(word));
            let valid_below = context.encode_word(text, entries, ids, scratch, tokens)?;
            let in_chunk = |Span { start, end }| match start {
                _ if !aligned => Span { start, end },
                // This metaspace replaces the first space.
                0 if has_metaspace && end == METASPACE_BYTES => Span { start: 0, end: 1 },
                0 if has_metaspace => Span { start: 0, ..words.original(Span { start, end }) },
                _ => words.original(Span { start, end }).shifted_left(base),
            };
            map_spans(tokens, first, text, context, &mut |span| in_chunk(span.shifted(word.span.start)));
            word_numbers.resize(tokens.len(), count);
            (count, all_valid_below) = (count + 1, all_valid_below.min(valid_below));
        }
        Ok((count, all_valid_below))
    }
}

/// Maps bytes of a chunk whose spaces are written as metaspaces to those of the chunk, in ascending order.
struct EscapedCursor<'a> {
    rest: Chars<'a>,
    written: usize,
    at: usize,
}

impl<'a> EscapedCursor<'a> {
    fn new(chunk: &'a str) -> Self {
        Self { rest: chunk.chars(), written: 0, at: 0 }
    }

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
