//! The fast road: text to tokens by chunks that were met before.
//!
//! ```text
//! text ─ masks ─ chunks ─ cache ─ tokens
//!                           └─ the general road, once for each chunk
//! ```
//!
//! A pipeline takes it by what it does, not by its name: see [`Cutter`] and [`Pieces`]. What it gives is what the general road gives, which
//! stays the oracle. Counting goes the same way as far as the chunks, which [`tally`] counts.

mod apart;
mod borders;
mod cache;
mod classes;
mod cutter;
mod inert;
mod masks;
mod pieces;
mod seams;
mod spaced;
mod starts;
mod tally;
mod walk;

use crate::error::Result;
use crate::model::Model;
use crate::words::WordSplitter;
pub(crate) use cache::Cache;
use cache::Hashed;
use cutter::{Cutter, Kind};
use pieces::Pieces;
use seams::Seams;
use spaced::Spaced;
pub(crate) use tally::{Documents, Table, Tally};
use walk::{List, ROOM, Ranges, Walk, Way};

/// The fast road of one tokenizer.
#[derive(Debug)]
pub(crate) struct Fast {
    way: Way,
}

/// Room for the chunks that are looked up together.
#[derive(Debug)]
pub(crate) struct Chunks {
    list: List,
    keys: Box<[Hashed; ROOM]>,
}

impl Default for Chunks {
    fn default() -> Self {
        Self { list: List::default(), keys: Box::new([Hashed::default(); ROOM]) }
    }
}

/// What takes the tokens of chunks, one chunk after the other.
pub(crate) trait Sink<T, const FEW: usize> {
    /// Takes the first `count` of the tokens of a chunk that begins at byte `start` of the text.
    fn few(&mut self, start: usize, tokens: &[T; FEW], count: usize);

    /// Takes the tokens of such a chunk.
    fn many(&mut self, start: usize, tokens: &[T]);

    /// Encodes a new chunk on the general road, takes its tokens, and gives back what is to be kept of them, and up to which
    /// reach.
    fn encode(&mut self, start: usize, chunk: &str) -> Result<Option<(&[T], u8)>>;

    /// How far the text will have come behind so many more bytes, where that matters to what becomes of chunks.
    fn reach(&mut self, bytes: usize) -> Result<u8>;
}

impl Fast {
    /// The same with the kernel of that name, if it runs here.
    pub(crate) fn with_kernel(self, name: &str) -> Option<Self> {
        Some(Self { way: self.way.with_kernel(name)? })
    }

    /// The fast road of a tokenizer, or why there is none.
    pub(crate) fn of(splitter: &WordSplitter, model: &Model) -> std::result::Result<Self, &'static str> {
        if let Some(seams) = Seams::of(splitter, model) {
            return Ok(Self { way: Way::Seams(seams) });
        }
        match Spaced::of_text(splitter, model) {
            Some(spaced) => Ok(Self { way: Way::Spaced(Box::new(spaced)) }),
            None => Self::new(splitter),
        }
    }

    /// The fast road for a splitter, or why there is none.
    pub(crate) fn new(splitter: &WordSplitter) -> std::result::Result<Self, &'static str> {
        if let Some(pieces) = Pieces::of(splitter) {
            return Ok(Self { way: Way::Pieces(pieces) });
        }
        let way = match Spaced::of_words(splitter) {
            Some(spaced) => Way::Spaced(Box::new(spaced)),
            None => Way::chunks(Cutter::new(splitter)?),
        };
        Ok(Self { way })
    }

    /// Whether a byte is an ASCII character that divides words, wherever it stands, and is gone.
    pub(crate) fn divides(&self, byte: u8) -> bool {
        let Way::Chunks(cutter, _) = &self.way else { return false };
        cutter.ascii.get(usize::from(byte)) == Some(&Kind::Space)
    }

    /// Whether white space is no part of any token.
    pub(crate) fn drops_spaces(&self) -> bool {
        matches!(self.way, Way::Chunks(..))
    }

    /// Whether a text may be cut at a byte, which is not the first.
    pub(crate) fn may_cut(&self, text: &[u8], at: usize) -> bool {
        match &self.way {
            Way::Chunks(..) => self.divides(text[at]),
            Way::Pieces(pieces) => pieces.may_cut(text, at),
            Way::Spaced(spaced) => !spaced.is_one_word() && spaced.may_cut(text, at),
            // A part would begin with a mark of its own, or with a sum of its own.
            Way::Seams(_) => false,
        }
    }

    /// Whether lines that stand together may be counted as so many texts, with their ends or without.
    pub(crate) fn takes_lines(&self, keep_ends: bool) -> bool {
        match &self.way {
            Way::Chunks(..) => self.divides(b'\n') && self.divides(b'\r'),
            Way::Pieces(pieces) => keep_ends && !pieces.is_normalized(),
            Way::Seams(_) | Way::Spaced(_) => false,
        }
    }

    /// Whether all chunks of a text are one word.
    pub(crate) fn is_one_word(&self) -> bool {
        match &self.way {
            Way::Seams(_) => true,
            Way::Spaced(spaced) => spaced.is_one_word(),
            Way::Chunks(..) | Way::Pieces(_) => false,
        }
    }

    /// Whether the scores of tokens are added up along a text.
    pub(crate) fn adds_up(&self) -> bool {
        matches!(&self.way, Way::Spaced(spaced) if spaced.is_one_word())
    }

    /// Whether a text that begins the input gets a mark which others do not.
    pub(crate) fn minds_the_first(&self) -> bool {
        matches!(&self.way, Way::Spaced(spaced) if spaced.only_first)
    }

    /// Whether the places in all of a text may hang on how it begins.
    pub(crate) fn may_drift(&self, text: &str) -> bool {
        matches!(&self.way, Way::Spaced(spaced) if spaced.may_drift(text))
    }

    /// What splits a chunk that does not begin the text, if that is not what splits a text; and whether a space before it is
    /// written as a mark at its front.
    pub(crate) fn splitter(&self, chunk: &str) -> Option<(&WordSplitter, bool)> {
        let Way::Spaced(spaced) = &self.way else { return None };
        Some((spaced.splitter(chunk)?, spaced.begins_with_space(chunk)))
    }

    /// What classifies the bytes of a text here.
    pub(crate) fn kernel(&self) -> &'static str {
        self.way.kernel()
    }

    /// Gives the tokens of a text without added tokens to `sink`.
    pub(crate) fn encode<T: Copy + Default, const FEW: usize>(
        &self,
        text: &str,
        mut cache: Option<&mut Cache<T, FEW>>,
        Chunks { list, keys }: &mut Chunks,
        sink: &mut impl Sink<T, FEW>,
    ) -> Result<()> {
        let mut walk = Walk::new(text, &self.way, list);
        if let Some(first) = walk.first() {
            // What begins the text is no chunk like the others.
            sink.reach(first)?;
            sink.encode(0, &text[..first])?;
        }
        while let Some(chunks) = walk.next() {
            let reach = sink.reach(chunks.bytes())?;
            if let Some(cache) = &mut cache
                && cache.pays()
            {
                cache.reach = reach;
                self.look_up(text, chunks, cache, keys, sink)?;
            } else {
                self.encode_all(text, chunks, sink)?;
            }
        }
        Ok(())
    }

    /// All chunks anew: those that are plainly words one by one, others together, which saves what each begins with.
    fn encode_all<T, const FEW: usize>(
        &self,
        text: &str,
        mut chunks: impl Iterator<Item = (usize, usize)> + Clone,
        sink: &mut impl Sink<T, FEW>,
    ) -> Result<()> {
        let (Some((start, _)), Some((_, end))) = (chunks.clone().next(), chunks.clone().last()) else { return Ok(()) };
        let alone = match &self.way {
            Way::Chunks(cutter, _) => cutter.whole && text.as_bytes()[start..end].is_ascii(),
            // What stands behind a piece decides where it ends.
            Way::Pieces(_) | Way::Seams(_) | Way::Spaced(_) => true,
        };
        if alone {
            return chunks.try_for_each(|(start, end)| sink.encode(start, &text[start..end]).map(|_| ()));
        }
        sink.encode(start, &text[start..end]).map(|_| ())
    }

    /// First all keys, then all entries: so the machine fetches many at once.
    fn look_up<T: Copy + Default, const FEW: usize>(
        &self,
        text: &str,
        chunks: Ranges<'_>,
        cache: &mut Cache<T, FEW>,
        keys: &mut [Hashed; ROOM],
        sink: &mut impl Sink<T, FEW>,
    ) -> Result<()> {
        let fold = self.way.fold();
        for (key, (start, end)) in keys.iter_mut().zip(chunks.clone()) {
            *key = Hashed::new(text.as_bytes(), start, end, fold);
            cache.prefetch(*key);
        }
        if cache.is_scattered() {
            let elsewhere = keys.iter().zip(chunks.clone()).filter(|(key, _)| cache.near(**key).is_none());
            elsewhere.for_each(|(key, _)| cache.prefetch_rest(*key));
        }
        let (mut near, mut met, mut new) = (0, 0, 0);
        for (&key, (start, end)) in keys.iter().zip(chunks) {
            if let Some((tokens, count)) = cache.near(key) {
                sink.few(start, tokens, count);
                near += 1;
            } else {
                met += 1;
                new += usize::from(meet(cache, key, start, &text[start..end], sink)?);
            }
        }
        cache.learn(near, met, new);
        Ok(())
    }

    /// The word that a chunk is, if that is plain to see: a piece of a grammar, or a chunk of ASCII characters that change in
    /// nothing but case.
    ///
    /// A chunk may begin the text. If it is `aligned`, the places of tokens can be told.
    pub(crate) fn word<'a>(
        &self,
        chunk: &'a str,
        begins: bool,
        aligned: bool,
        room: &'a mut String,
    ) -> Option<Plain<'a>> {
        let Cutter { ascii, whole, lowercase, .. } = match &self.way {
            Way::Chunks(cutter, _) => cutter,
            Way::Spaced(spaced) => {
                let more = spaced.write(chunk, begins, aligned, room)?;
                return Some(Plain::Spaced(room, more));
            }
            Way::Seams(seams) => {
                seams.write(chunk, begins, room);
                return Some(Plain::Marked(room));
            }
            Way::Pieces(pieces) => {
                let plain = if pieces.writes_bytes { Plain::Bytes } else { Plain::Word };
                return pieces.word(chunk, room).map(plain);
            }
        };
        let is_plain = |byte: u8| ascii.get(usize::from(byte)).is_some_and(|&kind| kind != Kind::Glue);
        if !whole || !chunk.bytes().all(is_plain) {
            return None;
        }
        if !lowercase {
            return Some(Plain::Word(chunk));
        }
        room.clear();
        room.push_str(chunk);
        room.make_ascii_lowercase();
        Some(Plain::Word(room))
    }
}

/// A word that a chunk plainly is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Plain<'a> {
    /// As it stands.
    Word(&'a str),
    /// Its bytes, written as characters.
    Bytes(&'a str),
    /// Written with a mark for each space, and maybe one before it.
    Marked(&'a str),
    /// Written with a mark at its front, which is so many bytes longer than what stood there.
    Spaced(&'a str, u32),
}

/// Gives the tokens of a chunk that is not where it is sought first, and keeps them if they are new; tells whether they are.
#[inline(never)]
fn meet<T: Copy + Default, const FEW: usize>(
    cache: &mut Cache<T, FEW>,
    key: Hashed,
    start: usize,
    chunk: &str,
    sink: &mut impl Sink<T, FEW>,
) -> Result<bool> {
    if let Some((tokens, count)) = cache.far(key) {
        sink.few(start, tokens, count);
        return Ok(false);
    }
    if let Some(tokens) = cache.long(key, chunk) {
        sink.many(start, tokens);
        return Ok(false);
    }
    if let Some((tokens, limit)) = sink.encode(start, chunk)? {
        cache.keep(key, chunk, tokens, limit);
    }
    Ok(true)
}
