//! Texts on the fast road: ids alone, or tokens with their places.

use std::str::Chars;

use super::Tokenizer;
use super::encode::{Input, Options, Road};
use super::sums::Sums;
use super::tokens::Scratch;
use crate::added::{Allowed, Part};
use crate::encoding::Encoding;
use crate::fast::{Cache, Chunks, Fallback, Fast, ModelInput, Sink};
use crate::model::unigram::margin::ALWAYS;
use crate::model::unigram::marks;
use crate::model::{Model, ModelScratch, Token};
use crate::span::{Span, check_bytes, check_length};
use crate::words::Words;

type Result<T> = std::result::Result<T, Fallback>;

/// What a worker keeps between texts on the fast road.
#[derive(Debug, Default)]
pub(super) struct FastScratch {
    chunks: Chunks,
    general: General,
    found: Found,
    new: (Vec<ChunkToken>, Vec<Piece>),
    /// What it met where special tokens may not be made of text, and where they may: ids alone, and with their places.
    ids: [Cache<u32, FEW_IDS>; 2],
    pieces: [Cache<Piece, FEW_PIECES>; 2],
}

impl FastScratch {
    /// Gives back the memory that a long chunk made it grow to.
    pub(super) fn trim(&mut self) {
        (self.general, self.new) = Default::default();
    }

    /// The most that any part but the caches has room for.
    pub(super) fn capacity(&self) -> usize {
        let General { words, tokens, model, word } = &self.general;
        [words.capacity(), tokens.capacity(), model.capacity(), word.capacity(), self.new.0.capacity()]
            .into_iter()
            .fold(0, usize::max)
    }
}

/// As many fill a line of the machine's cache with their key, or two.
const FEW_IDS: usize = 3;
const FEW_PIECES: usize = 5;

/// Tokens are few bytes long on average, so room is made for as many at once; for those of longer texts as they come.
const MOST_RESERVED: usize = 1 << 20;

/// What is kept of a token: its id, its bytes in the chunk, and the number of its word in the chunk.
#[derive(Debug, Clone, Copy, Default)]
struct Piece {
    id: u32,
    start: u8,
    end: u8,
    word: u8,
}

/// The working memory of the general road for single chunks.
#[derive(Debug, Default)]
struct General {
    words: Words,
    tokens: Vec<Token>,
    model: ModelScratch,
    word: String,
}

/// Ids on their way to the others.
#[derive(Debug)]
struct Found(Box<[u32; FOUND]>);

const FOUND: usize = 512;

impl Default for Found {
    fn default() -> Self {
        Self(Box::new([0; FOUND]))
    }
}

/// What takes the tokens of texts.
trait TextSink<T, const FEW: usize>: Sink<T, FEW> {
    /// A text begins; it may be a word that was given.
    fn text(&mut self, given: Option<u32>);

    /// Chunks follow of what begins at byte `base` of the text; special tokens may be made of them, or may not.
    fn stretch(&mut self, base: u32, specials: bool);

    /// Takes an added token, which stands at `span` and reads `text`.
    fn added(&mut self, id: u32, span: Span, text: &str);
}

/// What a call has in common for its texts.
struct Call<'a, T, const FEW: usize> {
    tokenizer: &'a Tokenizer,
    fast: &'a Fast,
    options: &'a Options,
    allowed: &'a mut Allowed,
    chunks: &'a mut Chunks,
    caches: &'a mut [Cache<T, FEW>; 2],
}

impl Tokenizer {
    /// The fast road, where the call may take it.
    fn fast(&self, options: &Options) -> Option<&Fast> {
        // What is sought in the normalized text may reach over chunks.
        let may = options.road != Road::General && !self.added.seeks_normalized() && self.chance(options).is_none();
        self.fast.as_ref().ok().filter(|_| may)
    }

    /// Appends the ids of a text's tokens; false where it has to take the general road.
    ///
    /// It has to also where something is wrong with it: of several errors, the general road says which one is told.
    pub(super) fn fast_ids(
        &self,
        input: Input<'_>,
        options: &Options,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
    ) -> bool {
        let Some(fast) = self.fast(options) else { return false };
        let (allowed, scratch) = scratch.of(self);
        let FastScratch { chunks, general, found, new: (new, _), ids: caches, .. } = scratch;
        let before = ids.len();
        let coder = Coder { tokenizer: self, fast, specials: true, general };
        let mut sink = Ids { coder, new, sums: self.sums(fast), is_lost: false, found: &mut found.0, filled: 0, ids };
        let mut call = Call { tokenizer: self, fast, options, allowed, chunks, caches };
        let is_done = call.encode(input, &mut sink).is_ok() & sink.finish();
        if !is_done {
            ids.truncate(before);
        }
        is_done
    }

    /// What adds up the scores of a text, where they go on from word to word.
    fn sums(&self, fast: &Fast) -> Option<Sums<'_>> {
        self.model().as_unigram().filter(|_| fast.capabilities().adds_scores).map(Sums::new)
    }

    /// The tokens of a text, of which it is number `text`; `None` where it has to take the general road, as for ids.
    pub(super) fn fast_tokens(
        &self,
        input: Input<'_>,
        text: u32,
        options: &Options,
        scratch: &mut Scratch,
    ) -> Option<Encoding> {
        let fast = self.fast(options)?;
        let (allowed, scratch) = scratch.of(self);
        let FastScratch { chunks, general, new, pieces: caches, .. } = scratch;
        let coder = Coder { tokenizer: self, fast, specials: true, general };
        let mut encoding = Encoding::default();
        encoding.reserve(input.len().min(MOST_RESERVED) / 3 + 4);
        let (base, given, word, is_open, sums, is_lost) = (0, None, 0, false, self.sums(fast), false);
        let mut sink = Pieces { coder, new, base, given, word, is_open, encoding: &mut encoding, sums, is_lost };
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

impl<T: Copy + Default, const FEW: usize> Call<'_, T, FEW> {
    fn encode(&mut self, input: Input<'_>, sink: &mut impl TextSink<T, FEW>) -> Result<()> {
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
        sink: &mut impl TextSink<T, FEW>,
    ) -> Result<()> {
        check_length(text)?;
        sink.text(given);
        let Self { tokenizer, fast, options, allowed, chunks, caches } = self;
        let matching = tokenizer.added.matching(text, &options.specials, allowed)?;
        // Several added tokens may take the same white space, which is refused before the general road would have no room
        // for it.
        let (mut start, mut taken) = (0, 0);
        for (end, trusted) in segments {
            let matching = trusted.map_or(matching, |trusted| matching.trusting(trusted));
            let specials = matching.may_match();
            let cache = &mut caches[usize::from(specials)];
            let base = Span::new(start, end).start;
            let part = &text[start..end];
            matching.raw(part, base, |found| match found {
                // The token before has taken all of it.
                Part::Token(_, span) if span.start == span.end => Ok(()),
                Part::Token(id, span) => {
                    taken += span.range().len();
                    sink.added(id, span.shifted(base), &part[span.range()]);
                    Ok(check_bytes(taken)?)
                }
                Part::Text(span) => {
                    sink.stretch(base + span.start, specials);
                    if fast.capabilities().marks_first && (given.is_some() || base + span.start > 0) {
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

/// Encodes single chunks on the general road.
struct Coder<'a> {
    tokenizer: &'a Tokenizer,
    fast: &'a Fast,
    /// Whether special tokens may be made of them.
    specials: bool,
    general: &'a mut General,
}

/// The bytes of a mark.
const MARK: u32 = 3;

/// What became of a chunk.
struct Made {
    /// How many words there are.
    words: u32,
    /// See [`Cache::reach`].
    limit: u8,
}

impl Coder<'_> {
    /// Fills `out` with the tokens of a chunk, their bytes in the chunk if `aligned`.
    ///
    /// Where scores are added up along a text, `sums` has them and the ids so far; then ids have marks.
    fn encode(
        &mut self,
        start: usize,
        chunk: &str,
        aligned: bool,
        mut sums: Option<(&mut Sums<'_>, &[u32])>,
        out: &mut Vec<ChunkToken>,
    ) -> Result<Made> {
        let (model, specials) = (self.tokenizer.model(), self.specials);
        let General { words, tokens, model: scratch, word } = &mut *self.general;
        out.clear();
        tokens.clear();
        if aligned && start == 0 && self.fast.may_drift(chunk) {
            return Err(Fallback::OffsetsDrift);
        }
        match self.fast.model_input(chunk, start == 0, aligned, word) {
            Some(ModelInput::Word(word)) => {
                model.encode_word(word, 0, specials, scratch, tokens)?;
                out.extend(tokens.iter().map(|token| (token.id, token.span, 0)));
                return Ok(Made { words: 1, limit: ALWAYS });
            }
            Some(ModelInput::Bytes(word)) if model.encode_bytes(word, specials, scratch, tokens)? => {
                let span = |token: &Token| if aligned { token.span.of_characters(word) } else { token.span };
                out.extend(tokens.iter().map(|token| (token.id, span(token), 0)));
                return Ok(Made { words: 1, limit: ALWAYS });
            }
            // What a mark before the text covers, the general road knows.
            Some(ModelInput::Marked(word)) if !aligned || start > 0 => {
                model.encode_word(word, 0, specials, scratch, tokens)?;
                let mut spans = Unmarked::new(chunk);
                out.extend(tokens.iter().map(|token| (token.id, spans.of(token.span), 0)));
                return Ok(Made { words: 1, limit: ALWAYS });
            }
            Some(ModelInput::Spaced(word, more)) => {
                let limit = encode_word(model, word, 0, specials, scratch, &mut sums, tokens)?;
                let span = |Span { start, end }| Span { start: start.saturating_sub(more), end: end - more };
                out.extend(tokens.iter().map(|token| (token.id, span(token.span), 0)));
                return Ok(Made { words: 1, limit });
            }
            _ => {}
        }
        let later = if start > 0 { self.fast.splitter(chunk) } else { None };
        let (splitter, has_mark) = later.unwrap_or_else(|| (self.tokenizer.splitter(), false));
        splitter.split(chunk, aligned, words)?;
        let mut made = Made { words: 0, limit: ALWAYS };
        for word in words.as_slice() {
            tokens.clear();
            let text = words.text_of(word);
            let limit = encode_word(model, text, word.span.start, specials, scratch, &mut sums, tokens)?;
            let span = |Span { start, end }| match start {
                _ if !aligned => Span { start, end },
                // The mark is that of the first space.
                0 if has_mark && end == MARK => Span { start: 0, end: 1 },
                0 if has_mark => Span { start: 0, ..words.original(Span { start, end }) },
                _ => words.original(Span { start, end }),
            };
            out.extend(tokens.iter().map(|token| (token.id, span(token.span), made.words)));
            made = Made { words: made.words + 1, limit: made.limit.min(limit) };
        }
        Ok(made)
    }
}

/// Appends the tokens of a word; gives the limit up to which it becomes these, whatever comes before. See [`Cache::reach`].
fn encode_word(
    model: &Model,
    word: &str,
    at: u32,
    specials: bool,
    scratch: &mut ModelScratch,
    sums: &mut Option<(&mut Sums<'_>, &[u32])>,
    tokens: &mut Vec<Token>,
) -> Result<u8> {
    let Some((sums, ids)) = sums else {
        model.encode_word(word, at, specials, scratch, tokens)?;
        return Ok(ALWAYS);
    };
    let paths = &mut scratch.paths;
    if let Some(limit) = sums.model().encode_surely(word, at, specials, sums.sure(), paths, tokens)? {
        return Ok(limit);
    }
    paths.before = sums.add_up(ids);
    sums.model().encode_word(word, at, specials, paths, tokens)?;
    sums.set(paths.after, paths.steps(), ids.len() + tokens.len());
    Ok(0)
}

/// From the bytes of a chunk whose spaces are written as marks to those of the chunk; spans come in order.
struct Unmarked<'a> {
    starts: Cursor<'a>,
    ends: Cursor<'a>,
}

/// The same place in both.
#[derive(Clone)]
struct Cursor<'a> {
    rest: Chars<'a>,
    written: usize,
    at: usize,
}

impl<'a> Unmarked<'a> {
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
            self.written += if c == ' ' { '▁'.len_utf8() } else { c.len_utf8() };
        }
        self.at
    }
}

/// Takes ids alone.
struct Ids<'a> {
    coder: Coder<'a>,
    /// The tokens of a new chunk.
    new: &'a mut Vec<ChunkToken>,
    /// Some of the newest ids, not yet with the others: so a few are written at once, however many there are.
    found: &'a mut [u32; FOUND],
    filled: usize,
    ids: &'a mut Vec<u32>,
    sums: Option<Sums<'a>>,
    /// Whether something was taken that may be wrong.
    is_lost: bool,
}

impl Ids<'_> {
    fn flush(&mut self) {
        let found = &self.found[..self.filled];
        self.ids.extend_from_slice(found);
        if let Some(sums) = &mut self.sums {
            sums.note(found);
        }
        self.filled = 0;
    }

    /// No more chunks come of what began last.
    fn end(&mut self) {
        self.flush();
        if let Some(sums) = &mut self.sums {
            self.is_lost |= sums.end(self.ids).is_err();
        }
    }

    /// All texts have ended; gives whether their ids are right.
    fn finish(mut self) -> bool {
        self.end();
        !self.is_lost
    }
}

impl Sink<u32, FEW_IDS> for Ids<'_> {
    #[inline]
    fn few(&mut self, _: usize, tokens: &[u32; FEW_IDS], count: usize) {
        if self.filled > FOUND - FEW_IDS {
            self.flush();
        }
        self.found[self.filled..self.filled + FEW_IDS].copy_from_slice(tokens);
        self.filled += count;
    }

    fn many(&mut self, _: usize, tokens: &[u32]) {
        self.flush();
        self.ids.extend_from_slice(tokens);
        if let Some(sums) = &mut self.sums {
            sums.note(tokens);
        }
    }

    fn encode(&mut self, start: usize, chunk: &str) -> Result<Option<(&[u32], u8)>> {
        self.flush();
        let Self { coder, ids, sums, new, .. } = self;
        let limit = coder.encode(start, chunk, false, sums.as_mut().map(|sums| (sums, &ids[..])), new)?.limit;
        let before = ids.len();
        ids.extend(new.iter().map(|(id, ..)| id));
        if let Some(sums) = sums {
            sums.note(&ids[before..]);
        }
        Ok(Some((&self.ids[before..], limit)))
    }

    fn reach(&mut self, bytes: usize) -> Result<u8> {
        if self.sums.is_none() {
            return Ok(0);
        }
        self.flush();
        self.sums.as_mut().map_or(Ok(0), |sums| sums.reach(self.ids, bytes))
    }
}

impl TextSink<u32, FEW_IDS> for Ids<'_> {
    fn text(&mut self, _: Option<u32>) {}

    fn stretch(&mut self, _: u32, specials: bool) {
        self.end();
        self.coder.specials = specials;
        if let Some(sums) = &mut self.sums {
            sums.begin(self.ids.len(), specials);
        }
    }

    fn added(&mut self, id: u32, _: Span, _: &str) {
        self.end();
        self.ids.push(id);
    }
}

/// A token of a chunk: its id, its bytes in the chunk, and the number of its word in the chunk.
type ChunkToken = (u32, Span, u32);

/// Takes tokens with their places.
struct Pieces<'a> {
    coder: Coder<'a>,
    new: &'a mut (Vec<ChunkToken>, Vec<Piece>),
    /// Where the chunks' text begins.
    base: u32,
    /// The number of the word that was given.
    given: Option<u32>,
    /// The number of the next word, or of the one whose chunks come.
    word: u32,
    /// Whether chunks of one word come.
    is_open: bool,
    encoding: &'a mut Encoding,
    sums: Option<Sums<'a>>,
    is_lost: bool,
}

impl Pieces<'_> {
    /// Takes the tokens of a chunk that begins at byte `start` of the chunks' text.
    #[inline]
    fn take(&mut self, start: usize, tokens: impl Iterator<Item = ChunkToken>) {
        let at = self.base + Span::new(start, start).start;
        let (before, mut words) = (self.encoding.len(), 0);
        for (id, span, word) in tokens {
            if self.coder.tokenizer.shadows {
                let name = self.coder.tokenizer.model().vocab().token(self.unmarked(id));
                name.into_iter().for_each(|name| self.name(id, name));
            }
            self.push(id, span.shifted(at), self.word + word);
            words = word + 1;
        }
        if self.coder.fast.capabilities().is_one_word {
            // A chunk that vanishes is no word.
            self.is_open |= words > 0 || self.sums.is_none();
        } else {
            self.word += words;
        }
        if let Some(sums) = &mut self.sums {
            sums.note(&self.encoding.ids[before..]);
        }
    }

    fn unmarked(&self, id: u32) -> u32 {
        if self.sums.is_some() { marks::unmarked(id) } else { id }
    }

    /// No more chunks come of what began last.
    fn end(&mut self) {
        self.close();
        if let Some(sums) = &mut self.sums {
            self.is_lost |= sums.end(&mut self.encoding.ids).is_err();
        }
    }

    /// All texts have ended; gives whether their tokens are right.
    fn finish(mut self) -> bool {
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

impl Sink<Piece, FEW_PIECES> for Pieces<'_> {
    #[inline]
    fn few(&mut self, start: usize, pieces: &[Piece; FEW_PIECES], count: usize) {
        self.many(start, &pieces[..count]);
    }

    #[inline]
    fn many(&mut self, start: usize, pieces: &[Piece]) {
        self.take(start, pieces.iter().map(|piece| piece.token()));
    }

    fn reach(&mut self, bytes: usize) -> Result<u8> {
        self.sums.as_mut().map_or(Ok(0), |sums| sums.reach(&self.encoding.ids, bytes))
    }

    fn encode(&mut self, start: usize, chunk: &str) -> Result<Option<(&[Piece], u8)>> {
        let (mut tokens, mut pieces) = std::mem::take(self.new);
        pieces.clear();
        let sums = self.sums.as_mut().map(|sums| (sums, &self.encoding.ids[..]));
        let encoded = self.coder.encode(start, chunk, true, sums, &mut tokens);
        let first = self.word;
        self.take(start, tokens.iter().copied());
        pieces.extend(tokens.iter().map_while(|token| Piece::new(*token)));
        let fit = pieces.len() == tokens.len();
        *self.new = (tokens, pieces);
        // A word may have no tokens. What is kept of a chunk tells of no such words at its end.
        let taken = self.word;
        let Made { words, limit } = encoded?;
        self.word = if self.is_open { first } else { first + words };
        Ok((fit && self.word == taken).then_some((self.new.1.as_slice(), limit)))
    }
}

impl TextSink<Piece, FEW_PIECES> for Pieces<'_> {
    fn text(&mut self, given: Option<u32>) {
        self.given = given;
    }

    fn stretch(&mut self, base: u32, specials: bool) {
        self.end();
        (self.base, self.coder.specials) = (base, specials);
        if let Some(sums) = &mut self.sums {
            sums.begin(self.encoding.len(), specials);
        }
    }

    fn added(&mut self, id: u32, span: Span, text: &str) {
        self.end();
        self.name(id, text);
        self.push(id, span, self.word);
        self.word += 1;
    }
}

impl Piece {
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
