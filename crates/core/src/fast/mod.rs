//! The fast path: text to tokens by chunks that were seen before.
//!
//! ```text
//! text ─ masks ─ chunks ─ keys ─ cache ─ tokens
//!                                  └─ a new chunk: the model, or the generic path
//! ```
//!
//! A [`Chunker`] cuts a text into chunks that can be encoded by themselves. There is one for each kind of pipeline, recognized by what
//! its stages promise: [`CharacterChunker`], [`PreTokenChunker`], [`AdjacencyChunker`] and [`MetaspaceChunker`]. The tokens are those of
//! the generic path, which stays the oracle. Counting goes the same way as far as the chunks: see [`ChunkCounts`].

mod adjacency;
mod cache;
mod characters;
mod chunk_counts;
mod chunker;
mod contiguous;
mod keys;
mod list;
mod masks;
mod metaspace;
mod pretokens;
mod stability;
mod text;
mod unspaced;

use crate::error::Error;
use crate::model::Model;
use crate::model::context::ContextExceeded;
use crate::splitter::WordSplitter;
use adjacency::AdjacencyChunker;
pub(crate) use cache::Cache;
use characters::CharacterChunker;
pub(crate) use chunk_counts::{ChunkCounts, Documents, WordTable};
use chunker::Chunker;
pub(crate) use chunker::{Capabilities, ModelInput};
use keys::{Fold, HashedKey};
use list::{CAPACITY, ChunkList, ChunkRanges};
use metaspace::MetaspaceChunker;
use pretokens::PreTokenChunker;

/// The fast path of one tokenizer.
#[derive(Debug)]
pub(crate) struct FastPath {
    strategy: Strategy,
    capabilities: Capabilities,
}

/// How texts are cut.
#[derive(Debug)]
enum Strategy {
    /// Between white space and the like, for stages that look at one character at a time.
    Characters(CharacterChunker),
    /// Into the matches of a known split pattern.
    PreTokens(PreTokenChunker),
    /// Where no entry of the model reaches over, for BPE models of SentencePiece.
    Adjacency(AdjacencyChunker),
    /// Before white space, for pipelines that write spaces as metaspaces.
    Metaspace(Box<MetaspaceChunker>),
}

/// Evaluates an expression with the chunker of a strategy: the one place that knows them all.
macro_rules! with_chunker {
    ($strategy:expr, |$chunker:ident| $result:expr) => {
        match $strategy {
            Strategy::Characters($chunker) => $result,
            Strategy::PreTokens($chunker) => $result,
            Strategy::Adjacency($chunker) => $result,
            Strategy::Metaspace($chunker) => {
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
    /// The text that begins the input gets a metaspace that this one does not get.
    NotFirst,
    /// Offsets may depend on how the text begins.
    OffsetsDrift,
    /// The context of a chunk went further than announced, so that cached tokens may be wrong.
    ContextExceeded,
    /// Something is wrong with the text; of several errors, the generic path reports the first.
    Failed,
}

impl From<Error> for Fallback {
    fn from(_: Error) -> Self {
        Self::Failed
    }
}

impl From<ContextExceeded> for Fallback {
    fn from(_: ContextExceeded) -> Self {
        Self::ContextExceeded
    }
}

type Result<T> = std::result::Result<T, Fallback>;

/// The buffers for the chunks that are looked up together.
#[derive(Debug)]
pub(crate) struct Chunks {
    list: ChunkList,
    keys: Box<[HashedKey; CAPACITY]>,
}

impl Default for Chunks {
    fn default() -> Self {
        Self { list: ChunkList::default(), keys: Box::new([HashedKey::default(); CAPACITY]) }
    }
}

/// Takes the tokens of chunks, one chunk after the other.
pub(crate) trait Sink<T, const INLINE: usize> {
    /// Takes the first `count` of the tokens of a chunk that begins at byte `start` of the text.
    fn few(&mut self, start: usize, tokens: &[T; INLINE], count: usize);

    /// Takes the tokens of such a chunk.
    fn many(&mut self, start: usize, tokens: &[T]);

    /// Encodes a new chunk and takes its tokens; returns what the cache keeps of them, and their valid-below exponent (see
    /// [`Context`](crate::model::context::Context)).
    fn encode(&mut self, start: usize, chunk: &str) -> Result<Option<(&[T], u8)>>;

    /// Returns the exponent of the context for `bytes` more bytes; 0 without a context.
    fn announce(&mut self, bytes: usize) -> Result<u8>;
}

impl FastPath {
    fn by(strategy: Strategy) -> Self {
        let capabilities = with_chunker!(&strategy, |chunker| chunker.capabilities());
        Self { strategy, capabilities }
    }

    /// Returns the fast path of a tokenizer, or why there is none.
    pub(crate) fn of(splitter: &WordSplitter, model: &Model) -> std::result::Result<Self, &'static str> {
        if let Some(adjacency) = AdjacencyChunker::of(splitter, model) {
            return Ok(Self::by(Strategy::Adjacency(adjacency)));
        }
        match MetaspaceChunker::of_text(splitter, model) {
            Some(metaspace) => Ok(Self::by(Strategy::Metaspace(Box::new(metaspace)))),
            None => Self::new(splitter),
        }
    }

    /// Returns the fast path of a splitter, or why there is none.
    pub(crate) fn new(splitter: &WordSplitter) -> std::result::Result<Self, &'static str> {
        if let Some(pre_tokens) = PreTokenChunker::of(splitter) {
            return Ok(Self::by(Strategy::PreTokens(pre_tokens)));
        }
        Ok(Self::by(match MetaspaceChunker::of_words(splitter) {
            Some(metaspace) => Strategy::Metaspace(Box::new(metaspace)),
            None => Strategy::Characters(CharacterChunker::of(splitter)?),
        }))
    }

    /// Returns the fast path with the kernel of that name, if it runs on this machine.
    pub(crate) fn with_kernel(self, name: &str) -> Option<Self> {
        Some(Self::by(match self.strategy {
            Strategy::Characters(characters) => Strategy::Characters(characters.with_kernel(name)?),
            Strategy::PreTokens(pre_tokens) => Strategy::PreTokens(pre_tokens.with_kernel(name)?),
            Strategy::Adjacency(adjacency) => Strategy::Adjacency(adjacency.with_kernel(name)?),
            Strategy::Metaspace(metaspace) => Strategy::Metaspace(Box::new(metaspace.with_kernel(name)?)),
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

    /// Returns what the model sees of a chunk, where that is known; see [`Chunker::model_input`].
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
    pub(crate) fn encode<T: Copy + Default, const INLINE: usize>(
        &self,
        text: &str,
        cache: Option<&mut Cache<T, INLINE>>,
        chunks: &mut Chunks,
        sink: &mut impl Sink<T, INLINE>,
    ) -> Result<()> {
        with_chunker!(&self.strategy, |chunker| encode(chunker, text, cache, chunks, sink))
    }
}

/// Gives the tokens of a text to `sink`, cut by one chunker.
fn encode<T: Copy + Default, const INLINE: usize>(
    chunker: &impl Chunker,
    text: &str,
    mut cache: Option<&mut Cache<T, INLINE>>,
    Chunks { list, keys }: &mut Chunks,
    sink: &mut impl Sink<T, INLINE>,
) -> Result<()> {
    let (fold, first) = (chunker.fold(), chunker.first(text));
    if first > 0 {
        // What begins the text is no chunk like the others.
        sink.announce(first)?;
        sink.encode(0, &text[..first])?;
    }
    chunker.cut(text, first, false, list, |chunks| {
        let exponent = sink.announce(chunks.bytes())?;
        if let Some(cache) = &mut cache
            && cache.pays()
        {
            cache.exponent = exponent;
            look_up(text, chunks, fold, cache, keys, sink)
        } else {
            encode_all(chunker, text, chunks, sink)
        }
    })
}

/// Encodes all chunks anew, one by one or together.
fn encode_all<T, const INLINE: usize>(
    chunker: &impl Chunker,
    text: &str,
    mut chunks: impl Iterator<Item = (usize, usize)> + Clone,
    sink: &mut impl Sink<T, INLINE>,
) -> Result<()> {
    let (Some((start, _)), Some((_, end))) = (chunks.clone().next(), chunks.clone().last()) else { return Ok(()) };
    if chunker.encodes_singly(&text.as_bytes()[start..end]) {
        return chunks.try_for_each(|(start, end)| sink.encode(start, &text[start..end]).map(|_| ()));
    }
    sink.encode(start, &text[start..end]).map(|_| ())
}

/// Looks the chunks of a list up: first all keys, then all entries, so that the machine fetches many at once.
#[inline]
fn look_up<T: Copy + Default, const INLINE: usize>(
    text: &str,
    chunks: ChunkRanges<'_>,
    fold: Fold,
    cache: &mut Cache<T, INLINE>,
    keys: &mut [HashedKey; CAPACITY],
    sink: &mut impl Sink<T, INLINE>,
) -> Result<()> {
    for (key, (start, end)) in keys.iter_mut().zip(chunks.clone()) {
        *key = HashedKey::new(text.as_bytes(), start, end, fold);
        cache.prefetch(*key);
    }
    if cache.is_scattered() {
        let others = keys.iter().zip(chunks.clone()).filter(|(key, _)| cache.primary(**key).is_none());
        others.for_each(|(key, _)| cache.prefetch_rest(*key));
    }
    let (mut primary, mut elsewhere, mut new) = (0, 0, 0);
    for (&key, (start, end)) in keys.iter().zip(chunks) {
        if let Some((tokens, count)) = cache.primary(key) {
            sink.few(start, tokens, count);
            primary += 1;
        } else {
            elsewhere += 1;
            new += usize::from(look_elsewhere(cache, key, start, &text[start..end], sink)?);
        }
    }
    cache.learn(primary, elsewhere, new);
    Ok(())
}

/// Gives the tokens of a chunk that is not in its primary bucket, and keeps them if they are new; returns whether they are.
#[inline(never)]
fn look_elsewhere<T: Copy + Default, const INLINE: usize>(
    cache: &mut Cache<T, INLINE>,
    key: HashedKey,
    start: usize,
    chunk: &str,
    sink: &mut impl Sink<T, INLINE>,
) -> Result<bool> {
    if let Some((tokens, count)) = cache.alternate(key) {
        sink.few(start, tokens, count);
        return Ok(false);
    }
    if let Some(tokens) = cache.long(key, chunk) {
        sink.many(start, tokens);
        return Ok(false);
    }
    if let Some((tokens, valid_below)) = sink.encode(start, chunk)? {
        cache.keep(key, chunk, tokens, valid_below);
    }
    Ok(true)
}
