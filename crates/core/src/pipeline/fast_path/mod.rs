//! Encodes texts on the fast path: to ids alone, or to tokens with offsets.
//!
//! A call cuts its texts at added tokens, passes the plain-text ranges between them to the fast path, and collects the
//! tokens of chunks in a sink. A new chunk is encoded by the model, or on the generic path.
//!
//! Columns equal those of the generic path, names and word indices included. Only an error sends a whole text there,
//! which decides which of several errors is reported.

mod chunk;
mod sink;

use self::chunk::ChunkEncoder;
use self::sink::TokenSink;
pub(super) use self::sink::{CachedToken, INLINE_IDS, INLINE_TOKENS};
use super::Tokenizer;
use super::options::{EncodingPath, Input, Options};
use super::scratch::Scratch;
use crate::added::{AllowedFinders, SegmentTrust, TextPart};
use crate::encoding::Encoding;
use crate::fast::{
    AddedTokenSplitter, Cache, ChunkBuffers, CutPlan, Failed, NormalizedTokenBuffers, NormalizedTokenPart, Sink,
};
use crate::text::span::{Span, check_bytes, check_length};
use crate::vocab::AllowedEntries;

type Result<T> = std::result::Result<T, Failed>;

/// The shared state of a call, for all of its texts.
struct Call<'a, T, const INLINE: usize> {
    tokenizer: &'a Tokenizer,
    fast: &'a CutPlan,
    options: &'a Options,
    allowed: &'a mut AllowedFinders,
    chunks: &'a mut ChunkBuffers,
    forms: &'a mut NormalizedTokenBuffers,
    caches: &'a mut [Cache<T, INLINE>; AllowedEntries::COUNT],
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
        scratch.belong_to(self);
        let Scratch { allowed, chunks, forms, generic, columns, cached, id_caches: caches, .. } = scratch;
        let before = ids.len();
        let encoder = ChunkEncoder::new(self, fast, None, generic);
        std::mem::swap(ids, &mut columns.ids);
        let mut sink = TokenSink::<false, false>::new(encoder, cached, columns);
        let mut call = Call { tokenizer: self, fast, options, allowed, chunks, forms, caches };
        let is_done = input.each_text(|given, text, segments| call.text(text, given, segments, &mut sink)).is_ok();
        sink.finish();
        std::mem::swap(ids, &mut columns.ids);
        if !is_done {
            ids.truncate(before);
        }
        is_done
    }

    /// Returns the encoding of the text with index `text` (0 or 1); `None` if it needs the generic path.
    pub(super) fn fast_tokens(
        &self,
        input: Input<'_>,
        text: u32,
        options: &Options,
        scratch: &mut Scratch,
    ) -> Option<Encoding> {
        let mut columns = std::mem::take(&mut scratch.columns);
        let is_done = self.fast_spans::<true>(input, options, scratch, &mut columns);
        let encoding = is_done.then(|| columns.take_text(text));
        columns.clear_spans();
        scratch.columns = columns;
        encoding
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
        scratch.belong_to(self);
        let Scratch { allowed, chunks, forms, generic, cached, token_caches: caches, .. } = scratch;
        let unknown = self.traits().unk_id.filter(|_| WORD_IDS && self.names_unknown());
        let encoder = ChunkEncoder::new(self, fast, unknown, generic);
        let mut sink = TokenSink::<true, WORD_IDS>::new(encoder, cached, encoding);
        let mut call = Call { tokenizer: self, fast, options, allowed, chunks, forms, caches };
        let is_done = input.each_text(|given, text, segments| call.text(text, given, segments, &mut sink)).is_ok();
        sink.finish();
        is_done
    }
}

impl<T: Copy + Default, const INLINE: usize> Call<'_, T, INLINE> {
    /// Encodes a text in segments, or a pre-split word.
    fn text<'a, const SPANS: bool, const WORD_IDS: bool>(
        &mut self,
        text: &'a str,
        given: Option<u32>,
        segments: &[(usize, SegmentTrust<'_>)],
        sink: &mut TokenSink<'a, SPANS, WORD_IDS>,
    ) -> Result<()>
    where
        TokenSink<'a, SPANS, WORD_IDS>: Sink<T, INLINE>,
    {
        check_length(text)?;
        sink.text(text, given);
        let Self { tokenizer, fast, options, allowed, chunks, forms, caches } = self;
        let matching = tokenizer.added.matching(text, &options.specials, allowed)?;
        // Several added tokens may take the same white space; too much of it is an error before the generic path runs
        // out of memory.
        let (mut start, mut taken) = (0, 0);
        for &(end, trust) in segments {
            let matching = matching.of_segment(trust);
            let entries = matching.entries();
            let cache = &mut caches[entries.index()];
            let base = Span::new(start, end).start;
            let part = &text[start..end];
            // `form` is the text in which a token was found, `base` the first byte of that text.
            let each = |form: &str, base: u32, found| match found {
                // The token before has taken all of it.
                NormalizedTokenPart::Known(TextPart::Token(_, span)) if span.start == span.end => Ok(()),
                NormalizedTokenPart::Unknown(span) => sink.generic(text, span.shifted(base), matching),
                NormalizedTokenPart::Known(TextPart::Token(id, span)) => {
                    taken += span.range().len();
                    sink.added(id, span.shifted(base), &form[span.range()]);
                    Ok(check_bytes(taken)?)
                }
                NormalizedTokenPart::Known(TextPart::Text(span)) => {
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
                        (tokenizer.model(), entries),
                        chunks,
                        sink,
                    )
                }
            };
            let (known, splitter) = (tokenizer.forms.as_ref(), tokenizer.splitter());
            let is_separate = |plain: &str, at| fast.is_safe_split_point(plain.as_bytes(), at);
            AddedTokenSplitter { known, splitter, buffers: forms }.split(matching, (part, base), is_separate, each)?;
            start = end;
        }
        Ok(())
    }
}
