//! Encodes texts on the fast path: to ids alone, or to tokens with offsets.
//!
//! A call cuts its texts at added tokens, passes the plain-text ranges between them to the fast path, and collects the
//! tokens of chunks in a sink: one for ids alone, one for columns. A new chunk is encoded by the model, or on the
//! generic path.

mod chunk;
pub(super) mod scratch;
mod sink;

use self::chunk::ChunkEncoder;
use self::scratch::FastScratch;
use self::sink::TokenSink;
use super::Tokenizer;
use super::options::{EncodingPath, Input, Options};
use super::scratch::Scratch;
use crate::added::{AllowedTokens, TextPart};
use crate::encoding::Encoding;
use crate::fast::{Cache, ChunkBuffers, CutPlan, Failed, FormBuffers, FormPart, PartModel, Sink};
use crate::model::context::Context;
use crate::text::span::{Span, check_bytes, check_length};
use crate::vocab::Entries;

type Result<T> = std::result::Result<T, Failed>;

/// The largest number of bytes for whose tokens memory is reserved; tokens have few bytes on average.
const MOST_RESERVED: usize = 1 << 20;

/// The shared state of a call, for all of its texts.
struct Call<'a, T, const INLINE: usize> {
    tokenizer: &'a Tokenizer,
    fast: &'a CutPlan,
    options: &'a Options,
    allowed: &'a mut AllowedTokens,
    chunks: &'a mut ChunkBuffers,
    forms: &'a mut FormBuffers,
    caches: &'a mut [Cache<T, INLINE>; Entries::COUNT],
}

impl Tokenizer {
    /// Returns the fast path, if it supports the options of the call.
    fn fast(&self, options: &Options) -> Option<&CutPlan> {
        let may = options.path != EncodingPath::Generic && self.regularization(options).is_none();
        self.fast.as_ref().ok().filter(|_| may)
    }

    /// Appends the ids of a text's tokens; returns false if the text needs the generic path.
    ///
    /// A text with an error needs it too: of several errors, the generic path returns the first.
    pub(super) fn fast_ids(
        &self,
        input: Input<'_>,
        options: &Options,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
    ) -> bool {
        let Some(fast) = self.fast(options) else { return false };
        let (allowed, scratch) = scratch.caches_for(self);
        let FastScratch { chunks, forms, generic, columns, new, ids: caches, .. } = scratch;
        let before = ids.len();
        let encoder =
            ChunkEncoder { tokenizer: self, fast, begins: true, entries: Entries::All, unknown: None, generic };
        std::mem::swap(ids, &mut columns.ids);
        let mut sink = TokenSink::<_, false, false>::new(encoder, new, self.context(fast), columns);
        let mut call = Call { tokenizer: self, fast, options, allowed, chunks, forms, caches };
        let is_done = call.encode(input, &mut sink).is_ok();
        sink.finish();
        std::mem::swap(ids, &mut columns.ids);
        if !is_done {
            ids.truncate(before);
        }
        is_done
    }

    /// Returns the model's context (its state between chunks), if the tokens of chunks depend on it.
    fn context(&self, fast: &CutPlan) -> Option<impl Context + '_> {
        self.model().context().filter(|_| fast.has_context)
    }

    /// Returns the encoding of the text with index `text` (0 or 1); `None` if it needs the generic path.
    pub(super) fn fast_tokens(
        &self,
        input: Input<'_>,
        text: u32,
        options: &Options,
        scratch: &mut Scratch,
    ) -> Option<Encoding> {
        let mut encoding = Encoding::default();
        encoding.reserve(input.len().min(MOST_RESERVED) / 3 + 4);
        if !self.fast_spans::<true>(input, options, scratch, &mut encoding) {
            return None;
        }
        encoding.fill(text);
        Some(encoding)
    }

    /// Appends the ids and spans of a text's tokens to an encoding, and with `WORD_IDS` their word ids; returns false if the
    /// text needs the generic path, and then some tokens may have been appended.
    pub(super) fn fast_spans<const WORD_IDS: bool>(
        &self,
        input: Input<'_>,
        options: &Options,
        scratch: &mut Scratch,
        encoding: &mut Encoding,
    ) -> bool {
        let Some(fast) = self.fast(options) else { return false };
        let (allowed, scratch) = scratch.caches_for(self);
        let FastScratch { chunks, forms, generic, new, tokens: caches, .. } = scratch;
        let unknown = self.model().unk_id().filter(|_| WORD_IDS && self.names_unknown());
        let encoder = ChunkEncoder { tokenizer: self, fast, begins: true, entries: Entries::All, unknown, generic };
        let mut sink = TokenSink::<_, true, WORD_IDS>::new(encoder, new, self.context(fast), encoding);
        let mut call = Call { tokenizer: self, fast, options, allowed, chunks, forms, caches };
        let is_done = call.encode(input, &mut sink).is_ok();
        sink.finish();
        is_done
    }
}

impl<T: Copy + Default, const INLINE: usize> Call<'_, T, INLINE> {
    fn encode<'a, C: Context, const SPANS: bool, const WORD_IDS: bool>(
        &mut self,
        input: Input<'a>,
        sink: &mut TokenSink<'a, C, SPANS, WORD_IDS>,
    ) -> Result<()>
    where
        TokenSink<'a, C, SPANS, WORD_IDS>: Sink<T, INLINE>,
    {
        match input {
            Input::Text(text) => self.text(text, None, [(text.len(), None)], sink),
            Input::Words(words) => {
                (0..).zip(words).try_for_each(|(place, word)| self.text(word, Some(place), [(word.len(), None)], sink))
            }
            Input::Segments(text, segments) => {
                self.text(text, None, segments.iter().map(|&(end, trusted)| (end, Some(trusted))), sink)
            }
        }
    }

    /// Encodes a text in segments, or a pre-split word; a segment's trust overrides the call's special-token option.
    fn text<'a, C: Context, const SPANS: bool, const WORD_IDS: bool>(
        &mut self,
        text: &'a str,
        given: Option<u32>,
        segments: impl IntoIterator<Item = (usize, Option<bool>)>,
        sink: &mut TokenSink<'a, C, SPANS, WORD_IDS>,
    ) -> Result<()>
    where
        TokenSink<'a, C, SPANS, WORD_IDS>: Sink<T, INLINE>,
    {
        check_length(text)?;
        sink.text(text, given);
        let Self { tokenizer, fast, options, allowed, chunks, forms, caches } = self;
        let matching = tokenizer.added.matching(text, &options.specials, allowed)?;
        // Several added tokens may take the same white space; too much of it is an error before the generic path runs
        // out of memory.
        let (mut start, mut taken) = (0, 0);
        for (end, trusted) in segments {
            let matching = trusted.map_or(matching, |trusted| matching.with_trust(trusted));
            let entries = matching.entries();
            let cache = &mut caches[entries.index()];
            let base = Span::new(start, end).start;
            let part = &text[start..end];
            // `form` is the text in which a token was found, `base` the first byte of that text.
            let mut each = |form: &str, base: u32, found| match found {
                // The token before has taken all of it.
                FormPart::Known(TextPart::Token(_, span)) if span.start == span.end => Ok(()),
                FormPart::Unknown(span) => sink.generic(text, span.shifted(base), matching),
                FormPart::Known(TextPart::Token(id, span)) => {
                    taken += span.range().len();
                    sink.added(id, span.shifted(base), &form[span.range()]);
                    Ok(check_bytes(taken)?)
                }
                FormPart::Known(TextPart::Text(span)) => {
                    let is_first = span.start == 0;
                    let span = span.shifted(base);
                    let span = fast.kept(&text[span.range()]).shifted(span.start);
                    let begins = fast.begins(span.start, is_first);
                    if sink.needs_whole(&text[span.range()]) {
                        return sink.generic(text, span, matching);
                    }
                    sink.plain_text(span, begins, entries);
                    fast.encode(
                        (&text[span.range()], begins),
                        (options.path == EncodingPath::Fast).then_some(&mut *cache),
                        PartModel { model: tokenizer.model(), entries },
                        chunks,
                        sink,
                    )
                }
            };
            let known = tokenizer.forms.as_ref().filter(|_| matching.searches_normalized());
            matching.raw(part, base, |found| match (found, known) {
                (TextPart::Text(span), None) => {
                    let whole = TextPart::Text(Span::new(0, span.range().len()));
                    each(&part[span.range()], base + span.start, FormPart::Known(whole))
                }
                (TextPart::Text(span), Some(known)) => {
                    let (plain, base) = (&part[span.range()], base + span.start);
                    let is_separate = |at| fast.is_safe_split_point(plain.as_bytes(), at);
                    let given = (plain, base as usize);
                    known.parts(matching, tokenizer.splitter(), given, forms, is_separate, |form, found| {
                        each(form, base, found)
                    })
                }
                (token, _) => each(part, base, FormPart::Known(token)),
            })?;
            start = end;
        }
        Ok(())
    }
}
