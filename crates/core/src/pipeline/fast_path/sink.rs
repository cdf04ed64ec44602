//! The sink of a call: collects the tokens of its texts, as ids alone or with offsets.

use super::Result;
use super::chunk::ChunkEncoder;
use crate::added::AddedTokenSearch;
use crate::encoding::Encoding;
use crate::fast::{Failed, Sink};
use crate::memory::{Growable, lengthen};
use crate::model::{Context, Token};
use crate::pipeline::scratch::GenericBuffers;
use crate::text::span::Span;
use crate::vocab::AllowedEntries;

/// The number of ids that fill half a cache line of 64 bytes, with the key.
pub(in crate::pipeline) const INLINE_IDS: usize = 3;
/// The number of tokens with offsets that fill a cache line, with the key.
pub(in crate::pipeline) const INLINE_TOKENS: usize = 5;

/// The number of tokens that are written for a chunk that has no more.
const FEW: usize = 2;

/// The least number of tokens by which columns are lengthened.
const SOME: usize = 32;

/// A token of a chunk: its id, its bytes in the chunk, and the number of its word in the chunk.
type ChunkToken = (u32, Span, u32);

/// A cached token: its id, its bytes in the chunk, and the number of its word in the chunk.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::pipeline) struct CachedToken {
    id: u32,
    start: u8,
    end: u8,
    word: u8,
}

/// Collects the tokens of texts in the columns of an encoding: ids, with `SPANS` also spans and names, with `WORD_IDS` also
/// the indices of words.
pub(super) struct TokenSink<'a, const SPANS: bool, const WORD_IDS: bool> {
    encoder: ChunkEncoder<'a>,
    cached: &'a mut Vec<CachedToken>,
    /// Its columns are longer than the number of tokens: for each chunk a fixed number is written, however many it has.
    encoding: &'a mut Encoding,
    /// The number of tokens.
    written: usize,
    /// The whole text, and the first byte of the current plain-text range.
    text: &'a str,
    base: u32,
    /// The text of the range.
    range: &'a str,
    /// The number of the pre-split word, if the call passes words.
    given: Option<u32>,
    /// The number of the next word, or of the current one if it is open.
    word: u32,
    /// Whether the next chunks belong to the same word.
    is_open: bool,
    /// The number of tokens, the word, whether it is open, and the context at the last announcement.
    announced: (usize, u32, bool, Context<'a>),
    /// The offsets of the tokens from here on are shifted left by a number of characters: see [`Self::lost`].
    shifted: (usize, usize),
}

impl<'a, const SPANS: bool, const WORD_IDS: bool> TokenSink<'a, SPANS, WORD_IDS> {
    /// Returns a sink that appends to the columns of `encoding`.
    pub(super) fn new(encoder: ChunkEncoder<'a>, cached: &'a mut Vec<CachedToken>, encoding: &'a mut Encoding) -> Self {
        Self {
            announced: (0, 0, false, encoder.context.clone()),
            encoder,
            cached,
            written: encoding.len(),
            encoding,
            text: "",
            base: 0,
            range: "",
            given: None,
            word: 0,
            is_open: false,
            shifted: (0, 0),
        }
    }

    /// Begins a text; `given` is its index if it is a pre-split word.
    pub(super) fn text(&mut self, text: &'a str, given: Option<u32>) {
        (self.text, self.given) = (text, given);
    }

    /// Begins a plain-text range of the text; the model may produce only `entries` from it.
    ///
    /// `begins` says whether it gets what is put before texts.
    pub(super) fn plain_text(&mut self, span: Span, begins: bool, entries: AllowedEntries) {
        self.end();
        (self.base, self.range) = (span.start, &self.text[span.range()]);
        (self.encoder.begins, self.encoder.entries) = (begins, entries);
        self.encoder.context.begin(self.written, entries);
    }

    /// Appends an added token at `span`, whose text is `text`.
    pub(super) fn added(&mut self, id: u32, span: Span, text: &str) {
        self.end();
        if SPANS {
            self.name(id, 0, text);
        }
        self.push(id, span, self.word);
        self.word += 1;
    }

    /// Returns whether the offsets of a range may be shifted in a way that its chunks do not show.
    pub(super) fn needs_whole(&self, range: &str) -> bool {
        SPANS && self.encoder.fast.may_shift_offsets(range) && !self.encoder.tokenizer.splitter().rewrites_first()
    }

    /// Appends the tokens of a range of a text without tokens of the original text, encoded on the generic path.
    pub(super) fn generic(&mut self, text: &str, span: Span, search: AddedTokenSearch<'_>) -> Result<()> {
        self.end();
        let mut generic = std::mem::take(self.encoder.generic);
        let (tokenizer, first) = (self.encoder.tokenizer, self.word);
        let split = tokenizer.splitter().split_normalized(text, span, search, SPANS, &mut generic.words);
        let found = split.and_then(|()| {
            tokenizer.each_word_token(&mut generic, |token| {
                if SPANS && let Some(name) = tokenizer.other_name(token) {
                    self.encoding.renamed.push((self.written, name.to_owned()));
                }
                self.push(token.id, if SPANS { token.original() } else { Span::default() }, first + token.number);
            })
        });
        self.word += u32::try_from(generic.words.as_slice().len()).unwrap_or(u32::MAX);
        *self.encoder.generic = generic;
        Ok(found?)
    }

    /// Ends the current plain-text range.
    fn end(&mut self) {
        self.word += u32::from(std::mem::take(&mut self.is_open));
        self.encoder.context.end(&mut self.encoding.ids[..self.written]);
        if let (from, by @ 1..) = std::mem::take(&mut self.shifted) {
            let ends = self.range.char_indices().map(|(at, _)| at).chain([self.range.len()]);
            let characters: Vec<u32> = ends.map(|at| self.base + Span::new(at, at).start).collect();
            let left = |at: u32| characters[characters.partition_point(|&start| start < at).saturating_sub(by)];
            for span in &mut self.encoding.spans[from..self.written] {
                *span = Span { start: left(span.start), end: left(span.end) };
            }
        }
    }

    /// Ends the last plain-text range.
    pub(super) fn finish(mut self) {
        self.end();
        self.truncate(self.written);
    }

    /// Removes the tokens from a number on.
    fn truncate(&mut self, tokens: usize) {
        let Encoding { ids, spans, word_ids, renamed, .. } = &mut *self.encoding;
        ids.truncate(tokens);
        spans.truncate(tokens);
        word_ids.truncate(tokens);
        renamed.retain(|(place, _)| *place < tokens);
        self.written = tokens;
    }

    #[inline]
    fn push(&mut self, id: u32, span: Span, word: u32) {
        self.reserve(1);
        let (at, Encoding { ids, spans, word_ids, .. }) = (self.written, &mut *self.encoding);
        ids[at] = id;
        if SPANS {
            spans[at] = span;
        }
        if WORD_IDS {
            word_ids[at] = self.given.unwrap_or(word);
        }
        self.written += 1;
    }

    /// Makes the columns long enough for a number of tokens.
    #[inline]
    fn reserve(&mut self, more: usize) {
        if self.encoding.ids.len() < self.written + more {
            self.lengthen(more.max(SOME));
        }
    }

    /// Lengthens the columns for a number of tokens.
    #[inline(never)]
    fn lengthen(&mut self, more: usize) {
        let (tokens, Encoding { ids, spans, word_ids, .. }) = (self.written + more, &mut *self.encoding);
        lengthen(ids, tokens, 0);
        if SPANS {
            lengthen(spans, tokens, Span::default());
        }
        if WORD_IDS {
            lengthen(word_ids, tokens, 0);
        }
    }

    /// Appends the tokens of a chunk that begins at byte `start` of the range.
    fn take(
        &mut self,
        start: usize,
        mut tokens: impl DoubleEndedIterator<Item = ChunkToken> + ExactSizeIterator + Clone,
    ) {
        let (before, at) = (self.written, self.base + Span::new(start, start).start);
        self.reserve(tokens.len());
        let (word, given) = (self.word, self.given);
        write::<WORD_IDS>((self.encoding, before), tokens.clone(), at, |number| given.unwrap_or(word + number));
        // One of the tokens may have a name that differs from the one that its id is decoded to.
        let is = |unknown| tokens.clone().any(|(id, ..)| self.encoder.context.untagged(id) == unknown);
        if self.encoder.tokenizer.shadows || self.encoder.unknown.is_some_and(is) {
            for (number, (id, span, _)) in tokens.clone().enumerate() {
                self.rename(self.encoder.context.untagged(id), span.shifted(at), number);
            }
        }
        self.written += tokens.len();
        let words = tokens.next_back().map_or(0, |(.., number)| number + 1);
        if self.encoder.fast.is_one_word {
            // A chunk without words is not a word.
            self.is_open |= words > 0 || !self.encoder.context.has_state();
        } else {
            self.word += words;
        }
        self.record(before);
    }

    /// Names the token with this number of the chunk that is being appended, if it is unknown or shares its id with an added
    /// token.
    #[cold]
    fn rename(&mut self, id: u32, span: Span, number: usize) {
        let tokenizer = self.encoder.tokenizer;
        let is_named = self.encoder.unknown == Some(id) && self.name_unknown(id, span, number);
        if tokenizer.shadows && !is_named {
            tokenizer.model().vocab().token(id).into_iter().for_each(|name| self.name(id, number, name));
        }
    }

    /// Records the tags of the ids from a number on in the context.
    #[inline]
    fn record(&mut self, before: usize) {
        self.encoder.context.record(&self.encoding.ids[before..self.written]);
    }

    /// Names the unknown token of a chunk with this number by the text that it replaces; returns false for a byte.
    fn name_unknown(&mut self, id: u32, span: Span, number: usize) -> bool {
        let ChunkEncoder { tokenizer, entries, ref generic, .. } = self.encoder;
        let changed = generic.names.iter().find(|(place, _)| *place == number).map(|(_, name)| name.clone());
        let name = changed.unwrap_or_else(|| self.text[span.range()].to_owned());
        if tokenizer.model().falls_back(&name, entries) {
            return false;
        }
        self.name(id, number, &name);
        true
    }

    /// Records the text of one of the next tokens, if it differs from the one that its id is decoded to.
    fn name(&mut self, id: u32, number: usize, name: &str) {
        if self.encoder.tokenizer.token(id) != Some(name) {
            self.encoding.renamed.make_room(1);
            self.encoding.renamed.push((self.written + number, name.to_owned()));
        }
    }

    /// Returns the number of characters by which all offsets after the first chunk of a range are shifted left.
    ///
    /// `tokenizers` shifts them if the rules, which read the original text, remove its first characters. It shows in the
    /// offset of a letter.
    fn lost(&self, first: &str) -> Result<usize> {
        const LETTER: char = 'a';
        let rest = &self.range[first.len()..];
        let spaces = rest.len() - rest.trim_start().len();
        let word = rest[spaces..].find(char::is_whitespace).unwrap_or(rest.len() - spaces);
        let text = format!("{first}{}{LETTER}", &rest[..spaces + word]);
        let normalized = self.encoder.tokenizer.splitter().normalize_aligned(&text)?;
        let end = normalized.text().len();
        if !normalized.text().ends_with(LETTER) {
            return Err(Failed);
        }
        let found = normalized.original(Span::new(end - LETTER.len_utf8(), end));
        Ok(text[found.start as usize..].chars().count() - 1)
    }

    /// See [`Sink::announce`].
    fn announce_bytes(&mut self, bytes: usize) -> u8 {
        let context = &mut self.encoder.context;
        if context.has_state() {
            self.announced = (self.written, self.word, self.is_open, context.clone());
        }
        context.announce(&self.encoding.ids[..self.written], bytes)
    }

    /// See [`Sink::take_back`].
    fn take_back_exceeded(&mut self) -> bool {
        if !self.encoder.context.is_exceeded(&self.encoding.ids[..self.written]) {
            return false;
        }
        let (tokens, word, is_open, context) = self.announced.clone();
        (self.word, self.is_open, self.encoder.context) = (word, is_open, context);
        self.encoder.context.distrust();
        self.truncate(tokens);
        true
    }
}

impl Sink<u32, INLINE_IDS> for TokenSink<'_, false, false> {
    fn tokens(&self) -> Option<&[u32]> {
        Some(&self.encoding.ids[..self.written])
    }

    #[inline(always)]
    fn push_inline<'t>(&mut self, most: usize, chunks: impl Iterator<Item = (usize, &'t [u32; INLINE_IDS], usize)>) {
        self.reserve(most * INLINE_IDS);
        let (before, mut written) = (self.written, self.written);
        let ids = self.encoding.ids.as_mut_slice();
        for (_, tokens, count) in chunks {
            ids[written..written + INLINE_IDS].copy_from_slice(tokens);
            written += count;
        }
        self.written = written;
        self.record(before);
    }

    fn push_slice(&mut self, _: usize, tokens: &[u32]) {
        let before = self.written;
        self.reserve(tokens.len());
        self.encoding.ids[before..][..tokens.len()].copy_from_slice(tokens);
        self.written += tokens.len();
        self.record(before);
    }

    fn encode(&mut self, start: usize, chunk: &str) -> Result<Option<(&[u32], u8)>> {
        let before = self.written;
        let (_, valid_below) = self.encoder.encode(start, chunk, false, &self.encoding.ids[..before])?;
        self.reserve(self.encoder.generic.tokens.len());
        for token in &self.encoder.generic.tokens {
            self.encoding.ids[self.written] = token.id;
            self.written += 1;
        }
        self.record(before);
        Ok(Some((&self.encoding.ids[before..self.written], valid_below)))
    }

    fn announce(&mut self, bytes: usize) -> u8 {
        self.announce_bytes(bytes)
    }

    fn take_back(&mut self) -> bool {
        self.take_back_exceeded()
    }
}

impl<const WORD_IDS: bool> Sink<CachedToken, INLINE_TOKENS> for TokenSink<'_, true, WORD_IDS> {
    fn tokens(&self) -> Option<&[CachedToken]> {
        None
    }

    #[inline(always)]
    fn push_inline<'t>(
        &mut self,
        most: usize,
        chunks: impl Iterator<Item = (usize, &'t [CachedToken; INLINE_TOKENS], usize)>,
    ) {
        self.reserve(most * INLINE_TOKENS);
        let ChunkEncoder { tokenizer, fast, unknown, ref context, .. } = self.encoder;
        let are_all_plain = !tokenizer.shadows && !context.has_state() && self.given.is_none();
        let (mut written, mut word) = (self.written, self.word);
        for (start, tokens, count) in chunks {
            let is_unknown = |unknown| tokens[..count].iter().any(|token| token.id == unknown);
            if !are_all_plain || unknown.is_some_and(is_unknown) {
                (self.written, self.word) = (written, word);
                self.take(start, tokens[..count].iter().map(CachedToken::widened));
                (written, word) = (self.written, self.word);
                continue;
            }
            let (to, at) = ((&mut *self.encoding, written), self.base + Span::new(start, start).start);
            // The number of tokens that are written is constant: the end of a loop that depends on it is mispredicted.
            if count <= FEW {
                write::<WORD_IDS>(to, tokens[..FEW].iter().map(CachedToken::widened), at, |number| word + number);
            } else {
                write::<WORD_IDS>(to, tokens.iter().map(CachedToken::widened), at, |number| word + number);
            }
            written += count;
            if fast.is_one_word {
                self.is_open = true;
            } else {
                word += tokens[..count].last().map_or(0, |token| u32::from(token.word) + 1);
            }
        }
        (self.written, self.word) = (written, word);
    }

    #[inline]
    fn push_slice(&mut self, start: usize, cached: &[CachedToken]) {
        self.take(start, cached.iter().map(CachedToken::widened));
    }

    fn encode(&mut self, start: usize, chunk: &str) -> Result<Option<(&[CachedToken], u8)>> {
        let lost = if start == 0 && self.encoder.fast.may_shift_offsets(chunk) { self.lost(chunk)? } else { 0 };
        let (words, valid_below) = self.encoder.encode(start, chunk, true, &self.encoding.ids[..self.written])?;
        let GenericBuffers { tokens, word_numbers, .. } = &mut *self.encoder.generic;
        let (tokens, word_numbers) = (std::mem::take(tokens), std::mem::take(word_numbers));
        let all = tokens.iter().zip(&word_numbers).map(|(token, &number)| (token.id, token.span, number));
        let first = self.word;
        self.take(start, all.clone());
        // A cached unknown token is named by its text, which may differ in case.
        let folds = self.encoder.unknown.is_some() && self.encoder.fast.folds_case();
        let is_unknown = |token: &Token| Some(self.encoder.context.untagged(token.id)) == self.encoder.unknown;
        let is_named = !self.encoder.generic.names.is_empty() || folds && tokens.iter().any(is_unknown);
        self.encoder.generic.names.clear();
        if lost > 0 {
            self.shifted = (self.written, lost);
        }
        self.cached.clear();
        self.cached.extend(all.map_while(CachedToken::new));
        let fit = self.cached.len() == tokens.len() && !is_named;
        (self.encoder.generic.tokens, self.encoder.generic.word_numbers) = (tokens, word_numbers);
        // A word may have no tokens. The cached tokens do not count such words at the end of a chunk.
        let taken = self.word;
        self.word = if self.is_open { first } else { first + words };
        Ok((fit && self.word == taken).then_some((self.cached.as_slice(), valid_below)))
    }

    fn announce(&mut self, bytes: usize) -> u8 {
        self.announce_bytes(bytes)
    }

    fn take_back(&mut self) -> bool {
        self.take_back_exceeded()
    }
}

/// Writes tokens of a chunk to the columns of an encoding, from a place on.
///
/// `at` is the first byte of the chunk, `word` returns the index of a word of it.
#[inline(always)]
fn write<const WORD_IDS: bool>(
    (Encoding { ids, spans, word_ids, .. }, place): (&mut Encoding, usize),
    tokens: impl ExactSizeIterator<Item = ChunkToken> + Clone,
    at: u32,
    word: impl Fn(u32) -> u32,
) {
    let count = tokens.len();
    ids[place..][..count].iter_mut().zip(tokens.clone()).for_each(|(to, (id, ..))| *to = id);
    spans[place..][..count].iter_mut().zip(tokens.clone()).for_each(|(to, (_, span, _))| *to = span.shifted(at));
    if WORD_IDS {
        word_ids[place..][..count].iter_mut().zip(tokens).for_each(|(to, (.., number))| *to = word(number));
    }
}

impl CachedToken {
    /// Returns the cached form of a token; `None` unless it begins and ends within 255 bytes.
    fn new((id, span, word): ChunkToken) -> Option<Self> {
        let narrow = |number: u32| u8::try_from(number).ok();
        Some(Self { id, start: narrow(span.start)?, end: narrow(span.end)?, word: narrow(word)? })
    }

    /// Returns the token with its numbers in 32 bits.
    #[inline(always)]
    fn widened(&self) -> ChunkToken {
        (self.id, Span { start: self.start.into(), end: self.end.into() }, self.word.into())
    }
}
