//! Texts on the fast path: ids alone, or tokens with their places.
//!
//! A call cuts its texts at added tokens, hands what lies between to the fast path, and takes the tokens of chunks in a sink:
//! one for ids alone, one for columns. A new chunk is encoded by the model, or on the generic path.

mod chunk;
mod columns;
mod ids;

use self::chunk::{ChunkToken, Coder, GenericBuffers};
use self::columns::{CachedToken, Columns, INLINE_TOKENS};
use self::ids::{Found, INLINE_IDS, Ids};
use super::Tokenizer;
use super::encode::{Input, Options, Road};
use super::tokens::Scratch;
use crate::added::{AllowedTokens, TextPart};
use crate::encoding::Encoding;
use crate::fast::{Cache, Chunks, Fallback, FastPath, Sink};
use crate::model::context::Context;
use crate::text::span::{Span, check_bytes, check_length};

type Result<T> = std::result::Result<T, Fallback>;

/// What a worker keeps between texts on the fast path.
#[derive(Debug, Default)]
pub(super) struct FastScratch {
    chunks: Chunks,
    generic: GenericBuffers,
    found: Found,
    new: (Vec<ChunkToken>, Vec<CachedToken>),
    /// What it met where special tokens may not be made of text, and where they may: ids alone, and with their places.
    ids: [Cache<u32, INLINE_IDS>; 2],
    pieces: [Cache<CachedToken, INLINE_TOKENS>; 2],
}

impl FastScratch {
    /// Gives back the memory that a long chunk made it grow to.
    pub(super) fn trim(&mut self) {
        (self.generic, self.new) = Default::default();
    }

    /// The most that any part but the caches has room for.
    pub(super) fn capacity(&self) -> usize {
        self.generic.capacity().max(self.new.0.capacity())
    }
}

/// Tokens are few bytes long on average, so room is made for as many at once; for those of longer texts as they come.
const MOST_RESERVED: usize = 1 << 20;

/// What takes the tokens of texts.
trait TextSink<T, const INLINE: usize>: Sink<T, INLINE> {
    /// A text begins; it may be a word that was given.
    fn text(&mut self, given: Option<u32>);

    /// Begins the chunks of a plain-text range at byte `base` of the text; the model may make special tokens of them if `specials`.
    fn plain_text(&mut self, base: u32, specials: bool);

    /// Takes an added token, which stands at `span` and reads `text`.
    fn added(&mut self, id: u32, span: Span, text: &str);
}

/// What a call has in common for its texts.
struct Call<'a, T, const INLINE: usize> {
    tokenizer: &'a Tokenizer,
    fast: &'a FastPath,
    options: &'a Options,
    allowed: &'a mut AllowedTokens,
    chunks: &'a mut Chunks,
    caches: &'a mut [Cache<T, INLINE>; 2],
}

impl Tokenizer {
    /// Returns the fast path, if the call may take it.
    fn fast(&self, options: &Options) -> Option<&FastPath> {
        // A token that is found in the normalized text may span several chunks.
        let may = options.road != Road::General && !self.added.searches_normalized() && self.chance(options).is_none();
        self.fast.as_ref().ok().filter(|_| may)
    }

    /// Appends the ids of a text's tokens; returns false where the text has to take the generic path.
    ///
    /// It has to also where something is wrong with it: of several errors, the generic path reports the first.
    pub(super) fn fast_ids(
        &self,
        input: Input<'_>,
        options: &Options,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
    ) -> bool {
        let Some(fast) = self.fast(options) else { return false };
        let (allowed, scratch) = scratch.of(self);
        let FastScratch { chunks, generic, found, new: (new, _), ids: caches, .. } = scratch;
        let before = ids.len();
        let coder = Coder { tokenizer: self, fast, specials: true, generic };
        let mut sink = Ids::new(coder, new, self.context(fast), found, ids);
        let mut call = Call { tokenizer: self, fast, options, allowed, chunks, caches };
        let is_done = call.encode(input, &mut sink).is_ok() & sink.finish();
        if !is_done {
            ids.truncate(before);
        }
        is_done
    }

    /// Returns what goes on from chunk to chunk of a text, if anything does.
    fn context(&self, fast: &FastPath) -> Option<impl Context + '_> {
        self.model().context().filter(|_| fast.capabilities().has_context)
    }

    /// Returns the tokens of a text, which has the number `text`; `None` where it has to take the generic path, as for ids.
    pub(super) fn fast_tokens(
        &self,
        input: Input<'_>,
        text: u32,
        options: &Options,
        scratch: &mut Scratch,
    ) -> Option<Encoding> {
        let fast = self.fast(options)?;
        let (allowed, scratch) = scratch.of(self);
        let FastScratch { chunks, generic, new, pieces: caches, .. } = scratch;
        let coder = Coder { tokenizer: self, fast, specials: true, generic };
        let mut encoding = Encoding::default();
        encoding.reserve(input.len().min(MOST_RESERVED) / 3 + 4);
        let mut sink = Columns::new(coder, new, self.context(fast), &mut encoding);
        let mut call = Call { tokenizer: self, fast, options, allowed, chunks, caches };
        call.encode(input, &mut sink).ok().filter(|()| sink.finish())?;
        // What such a token is called, the normalized text says.
        if self.names_unknown() && self.model().unk_id().is_some_and(|id| encoding.ids.contains(&id)) {
            return None;
        }
        encoding.fill(text);
        Some(encoding)
    }
}

impl<T: Copy + Default, const INLINE: usize> Call<'_, T, INLINE> {
    fn encode(&mut self, input: Input<'_>, sink: &mut impl TextSink<T, INLINE>) -> Result<()> {
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

    /// A text in segments, or the word that was given; a segment's own say about special tokens goes before the call's.
    fn text(
        &mut self,
        text: &str,
        given: Option<u32>,
        segments: impl IntoIterator<Item = (usize, Option<bool>)>,
        sink: &mut impl TextSink<T, INLINE>,
    ) -> Result<()> {
        check_length(text)?;
        sink.text(given);
        let Self { tokenizer, fast, options, allowed, chunks, caches } = self;
        let matching = tokenizer.added.matching(text, &options.specials, allowed)?;
        // Several added tokens may take the same white space, which is refused before the generic path would have no room
        // for it.
        let (mut start, mut taken) = (0, 0);
        for (end, trusted) in segments {
            let matching = trusted.map_or(matching, |trusted| matching.with_trust(trusted));
            let specials = matching.allows_specials();
            let cache = &mut caches[usize::from(specials)];
            let base = Span::new(start, end).start;
            let part = &text[start..end];
            matching.raw(part, base, |found| match found {
                // The token before has taken all of it.
                TextPart::Token(_, span) if span.start == span.end => Ok(()),
                TextPart::Token(id, span) => {
                    taken += span.range().len();
                    sink.added(id, span.shifted(base), &part[span.range()]);
                    Ok(check_bytes(taken)?)
                }
                TextPart::Text(span) => {
                    sink.plain_text(base + span.start, specials);
                    if fast.capabilities().prefixes_first && (given.is_some() || base + span.start > 0) {
                        return Err(Fallback::NotFirst);
                    }
                    fast.encode(&part[span.range()], (options.road == Road::Fast).then_some(&mut *cache), chunks, sink)
                }
            })?;
            start = end;
        }
        Ok(())
    }
}
