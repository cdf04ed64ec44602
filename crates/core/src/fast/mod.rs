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
mod chunker;
mod classes;
mod cutter;
mod inert;
mod keys;
mod kinds;
mod list;
mod masks;
mod pieces;
mod seams;
mod spaced;
mod starts;
mod stretch;
mod tally;
mod text;

use crate::error::Error;
use crate::model::Model;
use crate::words::WordSplitter;
pub(crate) use cache::Cache;
use chunker::Chunker;
pub(crate) use chunker::{Capabilities, ModelInput};
use cutter::Characters;
use keys::{Fold, Hashed};
use list::{List, ROOM, Ranges};
use pieces::Pieces;
use seams::Seams;
use spaced::Spaced;
pub(crate) use tally::{Documents, Table, Tally};

/// The fast path of one tokenizer.
#[derive(Debug)]
pub(crate) struct Fast {
    strategy: Strategy,
    capabilities: Capabilities,
}

/// How texts are cut.
#[derive(Debug)]
enum Strategy {
    /// Between white space and the like, for stages that look at one character at a time.
    Characters(Characters),
    /// Into the matches of a known split pattern.
    Pieces(Pieces),
    /// Where no entry of the model reaches over, for BPE models of SentencePiece.
    Seams(Seams),
    /// Before white space, for pipelines that write spaces as marks.
    Spaced(Box<Spaced>),
}

/// Evaluates an expression with the chunker of a strategy: the one place that knows them all.
macro_rules! with_chunker {
    ($strategy:expr, |$chunker:ident| $result:expr) => {
        match $strategy {
            Strategy::Characters($chunker) => $result,
            Strategy::Pieces($chunker) => $result,
            Strategy::Seams($chunker) => $result,
            Strategy::Spaced($chunker) => {
                let $chunker = &**$chunker;
                $result
            }
        }
    };
}
use with_chunker;

/// Why the fast path gave a text up; the generic path encodes it, or reports what is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fallback {
    /// The text that begins the input gets a mark that this one does not get.
    NotFirst,
    /// Offsets may depend on how the text begins.
    OffsetsDrift,
    /// More scores were added up than expected, so that cached tokens may be others.
    ScoresExceeded,
    /// Something is wrong with the text; of several errors, the generic path reports the first.
    Failed,
}

impl From<Error> for Fallback {
    fn from(_: Error) -> Self {
        Self::Failed
    }
}

type Result<T> = std::result::Result<T, Fallback>;

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
    fn by(strategy: Strategy) -> Self {
        let capabilities = with_chunker!(&strategy, |chunker| chunker.capabilities());
        Self { strategy, capabilities }
    }

    /// Returns the fast path of a tokenizer, or why there is none.
    pub(crate) fn of(splitter: &WordSplitter, model: &Model) -> std::result::Result<Self, &'static str> {
        if let Some(seams) = Seams::of(splitter, model) {
            return Ok(Self::by(Strategy::Seams(seams)));
        }
        match Spaced::of_text(splitter, model) {
            Some(spaced) => Ok(Self::by(Strategy::Spaced(Box::new(spaced)))),
            None => Self::new(splitter),
        }
    }

    /// Returns the fast path of a splitter, or why there is none.
    pub(crate) fn new(splitter: &WordSplitter) -> std::result::Result<Self, &'static str> {
        if let Some(pieces) = Pieces::of(splitter) {
            return Ok(Self::by(Strategy::Pieces(pieces)));
        }
        Ok(Self::by(match Spaced::of_words(splitter) {
            Some(spaced) => Strategy::Spaced(Box::new(spaced)),
            None => Strategy::Characters(Characters::of(splitter)?),
        }))
    }

    /// Returns the fast path with the kernel of that name, if it runs on this machine.
    pub(crate) fn with_kernel(self, name: &str) -> Option<Self> {
        Some(Self::by(match self.strategy {
            Strategy::Characters(characters) => Strategy::Characters(characters.with_kernel(name)?),
            Strategy::Pieces(pieces) => Strategy::Pieces(pieces.with_kernel(name)?),
            Strategy::Seams(seams) => Strategy::Seams(seams.with_kernel(name)?),
            Strategy::Spaced(spaced) => Strategy::Spaced(Box::new(spaced.with_kernel(name)?)),
        }))
    }

    /// Returns what holds of all texts.
    pub(crate) fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// Returns the name of what classifies the bytes of a text on this machine.
    pub(crate) fn kernel(&self) -> &'static str {
        with_chunker!(&self.strategy, |chunker| chunker.kernel())
    }

    /// Returns whether a text may be cut at a byte, which is not the first.
    pub(crate) fn may_cut(&self, text: &[u8], at: usize) -> bool {
        with_chunker!(&self.strategy, |chunker| chunker.may_cut(text, at))
    }

    /// Returns whether a block of lines may be counted without cutting it at its lines, their ends included or not.
    pub(crate) fn counts_lines(&self, keep_ends: bool) -> bool {
        with_chunker!(&self.strategy, |chunker| chunker.counts_lines(keep_ends))
    }

    /// Returns whether the offsets of all tokens of a text may depend on how it begins.
    pub(crate) fn may_drift(&self, text: &str) -> bool {
        with_chunker!(&self.strategy, |chunker| chunker.may_drift(text))
    }

    /// Returns what splits a chunk that does not begin the text; see [`Chunker::splitter`].
    pub(crate) fn splitter(&self, chunk: &str) -> Option<(&WordSplitter, bool)> {
        with_chunker!(&self.strategy, |chunker| chunker.splitter(chunk))
    }

    /// Returns what the model sees of a chunk, where that is plain; see [`Chunker::model_input`].
    pub(crate) fn model_input<'a>(
        &self,
        chunk: &'a str,
        begins: bool,
        aligned: bool,
        buffer: &'a mut String,
    ) -> Option<ModelInput<'a>> {
        with_chunker!(&self.strategy, |chunker| chunker.model_input(chunk, begins, aligned, buffer))
    }

    /// Gives the tokens of a text without added tokens to `sink`.
    pub(crate) fn encode<T: Copy + Default, const FEW: usize>(
        &self,
        text: &str,
        cache: Option<&mut Cache<T, FEW>>,
        chunks: &mut Chunks,
        sink: &mut impl Sink<T, FEW>,
    ) -> Result<()> {
        with_chunker!(&self.strategy, |chunker| encode(chunker, text, cache, chunks, sink))
    }
}

/// Gives the tokens of a text to `sink`, cut by one chunker.
fn encode<T: Copy + Default, const FEW: usize>(
    chunker: &impl Chunker,
    text: &str,
    mut cache: Option<&mut Cache<T, FEW>>,
    Chunks { list, keys }: &mut Chunks,
    sink: &mut impl Sink<T, FEW>,
) -> Result<()> {
    let (fold, first) = (chunker.fold(), chunker.first(text));
    if first > 0 {
        // What begins the text is no chunk like the others.
        sink.reach(first)?;
        sink.encode(0, &text[..first])?;
    }
    chunker.cut(text, first, false, list, |chunks| {
        let reach = sink.reach(chunks.bytes())?;
        if let Some(cache) = &mut cache
            && cache.pays()
        {
            cache.reach = reach;
            look_up(text, chunks, fold, cache, keys, sink)
        } else {
            encode_all(chunker, text, chunks, sink)
        }
    })
}

/// Encodes all chunks anew, one by one or together.
fn encode_all<T, const FEW: usize>(
    chunker: &impl Chunker,
    text: &str,
    mut chunks: impl Iterator<Item = (usize, usize)> + Clone,
    sink: &mut impl Sink<T, FEW>,
) -> Result<()> {
    let (Some((start, _)), Some((_, end))) = (chunks.clone().next(), chunks.clone().last()) else { return Ok(()) };
    if chunker.encodes_singly(&text.as_bytes()[start..end]) {
        return chunks.try_for_each(|(start, end)| sink.encode(start, &text[start..end]).map(|_| ()));
    }
    sink.encode(start, &text[start..end]).map(|_| ())
}

/// Looks the chunks of a list up: first all keys, then all entries, so that the machine fetches many at once.
#[inline]
fn look_up<T: Copy + Default, const FEW: usize>(
    text: &str,
    chunks: Ranges<'_>,
    fold: Fold,
    cache: &mut Cache<T, FEW>,
    keys: &mut [Hashed; ROOM],
    sink: &mut impl Sink<T, FEW>,
) -> Result<()> {
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
