//! Texts on the fast road: ids alone, or tokens with their places.

use std::str::Chars;

use super::Tokenizer;
use super::encode::{Input, Options, Road};
use super::tokens::Scratch;
use crate::added::{Allowed, Part};
use crate::encoding::Encoding;
use crate::error::{Error, Result};
use crate::fast::{Cache, Chunks, Fast, Plain, Sink};
use crate::model::unigram::margin::{ALWAYS, NOTHING, power_above};
use crate::model::unigram::{FAR, Precision, Unigram};
use crate::model::{ModelScratch, Token};
use crate::span::{Span, check_bytes, check_length};
use crate::words::Words;

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
        let model = model.merging.capacity().max(model.paths.capacity());
        [words.capacity(), tokens.capacity(), model, word.capacity(), self.new.0.capacity()]
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
        let FastScratch { chunks, general, found, ids: caches, .. } = scratch;
        let before = ids.len();
        let coder = Coder { tokenizer: self, fast, specials: true, general };
        let sums = self.model().as_unigram().filter(|model| model.settings().precision == Precision::Float32);
        let mut sink = Ids { coder, sums: sums.map(Sums::new), found: &mut found.0, filled: 0, ids };
        let mut call = Call { tokenizer: self, fast, options, allowed, chunks, caches };
        let done = call.encode(input, &mut sink).is_ok() && sink.came_as_far_as_told();
        sink.flush();
        if !done {
            ids.truncate(before);
        }
        done
    }

    /// The tokens of a text, of which it is number `text`; `None` where it has to take the general road, as for ids.
    pub(super) fn fast_tokens(
        &self,
        input: Input<'_>,
        text: u32,
        options: &Options,
        scratch: &mut Scratch,
    ) -> Option<Encoding> {
        let fast = self.fast(options).filter(|fast| fast.tells_places())?;
        let (allowed, scratch) = scratch.of(self);
        let FastScratch { chunks, general, new, pieces: caches, .. } = scratch;
        let coder = Coder { tokenizer: self, fast, specials: true, general };
        let mut encoding = Encoding::default();
        encoding.reserve(input.len().min(MOST_RESERVED) / 3 + 4);
        let mut sink = Pieces { coder, new, base: 0, given: None, word: 0, is_open: false, encoding: &mut encoding };
        let mut call = Call { tokenizer: self, fast, options, allowed, chunks, caches };
        call.encode(input, &mut sink).ok()?;
        // What such a token is called, the normalized text says.
        if self.model().names_unknown() && self.model().unk_id().is_some_and(|id| encoding.ids.contains(&id)) {
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
                    check_bytes(taken)
                }
                Part::Text(span) => {
                    sink.stretch(base + span.start, specials);
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

impl Coder<'_> {
    /// Calls `each` with the tokens of a chunk: their ids, bytes in the chunk if `aligned`, and the numbers of their words;
    /// gives how many words there are.
    fn encode(&mut self, start: usize, chunk: &str, aligned: bool, mut each: impl FnMut(ChunkToken)) -> Result<u32> {
        let General { words, tokens, model: scratch, word } = &mut *self.general;
        let model = self.tokenizer.model();
        tokens.clear();
        match self.fast.word(chunk, start == 0, word) {
            Some(Plain::Word(word)) => {
                model.encode_word(word, 0, self.specials, scratch, tokens)?;
                tokens.iter().for_each(|token| each((token.id, token.span, 0)));
                return Ok(1);
            }
            Some(Plain::Bytes(word)) if model.encode_bytes(word, self.specials, scratch, tokens)? => {
                let span = |token: &Token| if aligned { token.span.of_characters(word) } else { token.span };
                tokens.iter().for_each(|token| each((token.id, span(token), 0)));
                return Ok(1);
            }
            // What a mark before the text covers, the general road knows.
            Some(Plain::Marked(word)) if !aligned || start > 0 => {
                model.encode_word(word, 0, self.specials, scratch, tokens)?;
                let mut spans = Unmarked::new(chunk);
                tokens.iter().for_each(|token| each((token.id, spans.of(token.span), 0)));
                return Ok(1);
            }
            _ => {}
        }
        self.tokenizer.splitter().split(chunk, aligned, words)?;
        let mut count = 0;
        for word in words.as_slice() {
            tokens.clear();
            model.encode_word(words.text_of(word), word.span.start, self.specials, scratch, tokens)?;
            for token in tokens.iter() {
                each((token.id, if aligned { words.original(token.span) } else { token.span }, count));
            }
            count += 1;
        }
        Ok(count)
    }
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
    /// Some of the newest ids, not yet with the others: so a few are written at once, however many there are.
    found: &'a mut [u32; FOUND],
    filled: usize,
    ids: &'a mut Vec<u32>,
    sums: Option<Sums<'a>>,
}

/// The scores that were added up since the text began, in 32 bits as SentencePiece does: see [`crate::model::unigram::margin`].
struct Sums<'a> {
    model: &'a Unigram,
    largest: f64,
    specials: bool,
    /// The sum of the scores of all ids before this one.
    summed: usize,
    sum: f32,
    /// How many scores these were.
    steps: usize,
    /// How many there may be before the limits of chunks are looked at again.
    told: usize,
}

impl<'a> Sums<'a> {
    fn new(model: &'a Unigram) -> Self {
        Self { model, largest: 0.0, specials: true, summed: 0, sum: 0.0, steps: 0, told: 0 }
    }

    /// A text begins behind so many ids.
    fn begin(&mut self, ids: usize, specials: bool) {
        let largest = f64::from(self.model.largest(specials));
        *self = Self { model: self.model, largest, specials, summed: ids, sum: 0.0, steps: 0, told: 0 };
    }

    /// What was added up, with so many ids more that are pieces.
    fn steps(&self, ids: usize) -> usize {
        self.steps + ids - self.summed
    }

    /// See [`Sink::reach`].
    fn reach(&mut self, ids: &[u32], bytes: usize) -> u8 {
        // A byte seldom becomes more than one piece, and a word has a mark.
        self.told = self.steps(ids.len()) + 2 * bytes + 2;
        let mut bound = self.bound();
        if bound >= -FAR {
            self.add_up(ids);
            bound = self.bound();
        }
        // Where it begins to count from 0 again, nothing is taken from the cache.
        if bound >= -FAR { NOTHING } else { power_above(bound) }
    }

    /// What the sum is surely below, its sign apart, when there are as many scores as told.
    #[expect(clippy::cast_precision_loss, reason = "a bound, with some to spare")]
    fn bound(&self) -> f64 {
        f64::from(self.sum.abs()) + (self.told - self.steps) as f64 * self.largest * 1.01
    }

    /// Adds up the scores of all ids, which since the last time are pieces.
    fn add_up(&mut self, ids: &[u32]) {
        self.sum = self.model.add_up(self.sum, &ids[self.summed..], self.specials);
        (self.steps, self.summed) = (self.steps(ids.len()), ids.len());
    }
}

impl Ids<'_> {
    /// Whether there are no more scores than the last reach was for.
    fn came_as_far_as_told(&self) -> bool {
        let ids = self.ids.len() + self.filled;
        self.sums.as_ref().is_none_or(|sums| sums.told == 0 || sums.steps(ids) <= sums.told)
    }

    fn flush(&mut self) {
        self.ids.extend_from_slice(&self.found[..self.filled]);
        self.filled = 0;
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
    }

    fn encode(&mut self, start: usize, chunk: &str) -> Result<Option<(&[u32], u8)>> {
        self.flush();
        let before = self.ids.len();
        if let Some(sums) = &mut self.sums {
            let paths = &mut self.coder.general.model.paths;
            sums.add_up(self.ids);
            (paths.before, paths.after, paths.steps) = (sums.sum, sums.sum, 0);
            (paths.is_limited, paths.limit) = (true, ALWAYS);
        }
        self.coder.encode(start, chunk, false, |(id, ..)| self.ids.push(id))?;
        let Some(sums) = &mut self.sums else { return Ok(Some((&self.ids[before..], ALWAYS))) };
        let paths = &self.coder.general.model.paths;
        (sums.sum, sums.summed) = (paths.after, self.ids.len());
        sums.steps += paths.steps;
        Ok(Some((&self.ids[before..], paths.limit)))
    }

    fn reach(&mut self, bytes: usize) -> Result<u8> {
        if !self.came_as_far_as_told() {
            // The general road will do.
            return Err(Error::Overflow("a text became more pieces than it has bytes".to_owned()));
        }
        if self.sums.is_some() {
            self.flush();
        }
        Ok(self.sums.as_mut().map_or(0, |sums| sums.reach(self.ids, bytes)))
    }
}

impl TextSink<u32, FEW_IDS> for Ids<'_> {
    fn text(&mut self, _: Option<u32>) {}

    fn stretch(&mut self, _: u32, specials: bool) {
        self.coder.specials = specials;
        let ids = self.ids.len() + self.filled;
        if let Some(sums) = &mut self.sums {
            sums.begin(ids, specials);
        }
    }

    fn added(&mut self, id: u32, _: Span, _: &str) {
        self.flush();
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
}

impl Pieces<'_> {
    /// Takes the tokens of a chunk that begins at byte `start` of the chunks' text.
    #[inline]
    fn take(&mut self, start: usize, tokens: impl Iterator<Item = ChunkToken>) {
        let at = self.base + Span::new(start, start).start;
        let mut words = 0;
        for (id, span, word) in tokens {
            if self.coder.tokenizer.shadows {
                let name = self.coder.tokenizer.model().vocab().token(id);
                name.into_iter().for_each(|name| self.name(id, name));
            }
            self.push(id, span.shifted(at), self.word + word);
            words = word + 1;
        }
        if self.coder.fast.is_one_word() {
            self.is_open = true;
        } else {
            self.word += words;
        }
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

    fn reach(&mut self, _: usize) -> Result<u8> {
        Ok(0)
    }

    fn encode(&mut self, start: usize, chunk: &str) -> Result<Option<(&[Piece], u8)>> {
        let (mut tokens, mut pieces) = std::mem::take(self.new);
        tokens.clear();
        pieces.clear();
        let encoded = self.coder.encode(start, chunk, true, |token| tokens.push(token));
        let first = self.word;
        self.take(start, tokens.iter().copied());
        pieces.extend(tokens.iter().map_while(|token| Piece::new(*token)));
        let fit = pieces.len() == tokens.len();
        *self.new = (tokens, pieces);
        // A word may have no tokens. What is kept of a chunk tells of no such words at its end.
        let taken = self.word;
        let words = encoded?;
        self.word = if self.is_open { first } else { first + words };
        Ok((fit && self.word == taken).then_some((self.new.1.as_slice(), ALWAYS)))
    }
}

impl TextSink<Piece, FEW_PIECES> for Pieces<'_> {
    fn text(&mut self, given: Option<u32>) {
        self.given = given;
    }

    fn stretch(&mut self, base: u32, specials: bool) {
        self.close();
        (self.base, self.coder.specials) = (base, specials);
    }

    fn added(&mut self, id: u32, span: Span, text: &str) {
        self.close();
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
