//! The fast path: encodes a text by chunks whose tokens are cached.
//!
//! ```text
//! text ─ masks ─ chunks ─ keys ─ cache ─ tokens
//!                                  └─ a new chunk: the model, or the generic path
//! ```
//!
//! A [`Chunker`] cuts a text into chunks that can be encoded by themselves. There is one for each kind of pipeline,
//! recognized by the properties of its stages: [`CharacterChunker`], [`PreTokenChunker`], [`DivisionChunker`],
//! [`AdjacencyChunker`] and [`MetaspaceChunker`]. The tokens equal those of the generic path, which is the oracle. Counting shares the stages up
//! to the chunks: see [`ChunkCounts`].

mod cache;
mod chunker;
mod contiguous;
mod counts;
mod keys;
mod list;
mod masks;
mod normal_form;
mod parts;
mod programs;
mod text;
mod unchanged;

use crate::error::Error;
use crate::model::Model;
use crate::normalize::Strip;
use crate::splitter::WordSplitter;
use crate::text::span::Span;
pub(crate) use cache::Cache;
use chunker::Chunker;
pub(crate) use chunker::{Capabilities, ModelInput, PrefixedTexts};
pub(crate) use counts::{ChunkCounts, Documents, WordTable};
use keys::{Fold, HashedKey, KeyList};
use list::{ChunkList, ChunkRanges};
pub(crate) use normal_form::{FormBuffers, FormPart, KnownForms, finds_any};
use parts::PartList;
pub(crate) use parts::PartModel;
use programs::adjacency::AdjacencyChunker;
use programs::characters::CharacterChunker;
use programs::divisions::DivisionChunker;
use programs::spaces::MetaspaceChunker;
use programs::words::PreTokenChunker;
use unchanged::Unchanged;

/// The fast path of one tokenizer.
#[derive(Debug)]
pub(crate) struct FastPath {
    strategy: Strategy,
    capabilities: Capabilities,
    /// The strip with which the normalizer begins, and the splitter without it, if it strips the start of a text.
    leading_strip: Option<(Strip, WordSplitter)>,
}

/// The chunk strategy of a pipeline.
#[derive(Debug)]
enum Strategy {
    /// Cuts at white space and between kinds of characters, for stages that read one character at a time.
    Characters(CharacterChunker),
    /// Cuts into the matches of a known split pattern, possibly with digits and ideographs separated first.
    PreTokens(PreTokenChunker),
    /// Cuts into the pieces of other patterns in a row.
    Divisions(DivisionChunker),
    /// Cuts where no entry of the model spans the cut, for BPE models that encode a text as one word.
    Adjacency(AdjacencyChunker),
    /// Cuts before white space, for pipelines that write spaces as metaspaces.
    Metaspace(Box<MetaspaceChunker>),
}

/// Evaluates an expression with the chunker of a strategy.
macro_rules! with_chunker {
    ($strategy:expr, |$chunker:ident| $result:expr) => {
        match $strategy {
            Strategy::Characters($chunker) => $result,
            Strategy::PreTokens($chunker) => $result,
            Strategy::Divisions($chunker) => $result,
            Strategy::Adjacency($chunker) => $result,
            Strategy::Metaspace($chunker) => {
                let $chunker = &**$chunker;
                $result
            }
        }
    };
}
use with_chunker;

/// A text has an error; of several errors, the generic path returns the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failed;

impl From<Error> for Failed {
    fn from(_: Error) -> Self {
        Self
    }
}

type Result<T> = std::result::Result<T, Failed>;

/// The buffers of the chunks that are looked up together.
#[derive(Debug, Default)]
pub(crate) struct ChunkBuffers {
    list: ChunkList,
    parts: PartList,
    keys: KeyList,
}

impl ChunkBuffers {
    /// Frees the buffers that a long chunk may have enlarged.
    pub(crate) fn trim(&mut self) {
        self.parts = PartList::default();
    }

    /// Returns the largest capacity of a buffer that grows.
    pub(crate) fn capacity(&self) -> usize {
        self.parts.capacity()
    }
}

/// Receives the tokens of chunks, one chunk after the other.
pub(crate) trait Sink<T, const INLINE: usize> {
    /// Whether a chunk may be passed in parts, as if each were a chunk: the sink does not count words.
    const TAKES_PARTS: bool;

    /// Receives the tokens of chunks: the first byte of each, its tokens, and how many of them are valid.
    fn push_inline<'t>(&mut self, chunks: impl Iterator<Item = (usize, &'t [T; INLINE], usize)>)
    where
        T: 't;

    /// Receives all tokens of a chunk that begins at byte `start` of the text.
    fn push_slice(&mut self, start: usize, tokens: &[T]);

    /// Encodes a chunk that is not cached, and receives its tokens.
    ///
    /// Returns the tokens to cache and their valid-below exponent (see [`Context`](crate::model::context::Context)), or
    /// `None` if the tokens must not be cached.
    fn encode(&mut self, start: usize, chunk: &str) -> Result<Option<(&[T], u8)>>;

    /// Returns the exponent of the model's context that holds for `bytes` more bytes; 0 without a context.
    ///
    /// See [`Context::announce`](crate::model::context::Context::announce).
    fn announce(&mut self, bytes: usize) -> u8;

    /// Removes the tokens since the last announcement if its exponent was exceeded, so that cached ones may be wrong.
    ///
    /// Returns whether it did. The same chunks are then encoded without the cache.
    fn take_back(&mut self) -> bool;
}

impl FastPath {
    fn by(strategy: Strategy) -> Self {
        let capabilities = with_chunker!(&strategy, |chunker| chunker.capabilities());
        Self { strategy, capabilities, leading_strip: None }
    }

    /// Returns the fast path of a tokenizer, or the reason why there is none.
    pub(crate) fn of(splitter: &WordSplitter, model: &Model) -> std::result::Result<Self, &'static str> {
        let Some((strip, rest)) = splitter.without_leading_strip() else { return Self::of_rest(splitter, model) };
        let fast = Self::of_rest(&rest, model)?;
        Ok(Self { leading_strip: Some((strip, rest)), ..fast })
    }

    /// Returns the fast path of a tokenizer whose normalizer does not begin with a strip, or the reason why there is none.
    fn of_rest(splitter: &WordSplitter, model: &Model) -> std::result::Result<Self, &'static str> {
        if let Some(adjacency) = AdjacencyChunker::of(splitter, model) {
            return Ok(Self::by(Strategy::Adjacency(adjacency)));
        }
        if let Some(pre_tokens) = PreTokenChunker::with_prefix(splitter) {
            return Ok(Self::by(Strategy::PreTokens(pre_tokens)));
        }
        match MetaspaceChunker::of_text(splitter, model) {
            Some(metaspace) => Ok(Self::by(Strategy::Metaspace(Box::new(metaspace)))),
            None => Self::new(splitter),
        }
    }

    /// Returns the fast path of a splitter, or the reason why there is none.
    pub(crate) fn new(splitter: &WordSplitter) -> std::result::Result<Self, &'static str> {
        if let Some(pre_tokens) = PreTokenChunker::of(splitter) {
            return Ok(Self::by(Strategy::PreTokens(pre_tokens)));
        }
        if let Some(divisions) = DivisionChunker::of(splitter) {
            return Ok(Self::by(Strategy::Divisions(divisions)));
        }
        Ok(Self::by(match MetaspaceChunker::of_words(splitter) {
            Some(metaspace) => Strategy::Metaspace(Box::new(metaspace)),
            None => Strategy::Characters(CharacterChunker::of(splitter)?),
        }))
    }

    /// Returns the fast path with the kernel of that name, if it runs on this machine.
    pub(crate) fn with_kernel(self, name: &str) -> Option<Self> {
        let fast = Self::by(match self.strategy {
            Strategy::Characters(characters) => Strategy::Characters(characters.with_kernel(name)?),
            Strategy::PreTokens(pre_tokens) => Strategy::PreTokens(pre_tokens.with_kernel(name)?),
            Strategy::Divisions(divisions) => Strategy::Divisions(divisions.with_kernel(name)?),
            Strategy::Adjacency(adjacency) => Strategy::Adjacency(adjacency.with_kernel(name)?),
            Strategy::Metaspace(metaspace) => Strategy::Metaspace(Box::new(metaspace.with_kernel(name)?)),
        });
        Some(Self { leading_strip: self.leading_strip, ..fast })
    }

    /// Returns the properties that hold for all texts.
    pub(crate) fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// Returns the name of the kernel that classifies the bytes of a text on this machine.
    pub(crate) fn kernel(&self) -> &'static str {
        with_chunker!(&self.strategy, |chunker| chunker.kernel())
    }

    /// Returns whether byte `at`, which is not 0, is a safe split point; see [`Chunker::is_safe_split_point`].
    ///
    /// With a leading strip there is none: white space at the start of the second part would be removed.
    pub(crate) fn is_safe_split_point(&self, text: &[u8], at: usize) -> bool {
        self.leading_strip.is_none() && with_chunker!(&self.strategy, |chunker| chunker.is_safe_split_point(text, at))
    }

    /// Returns whether no token spans byte `at`, which is not 0; see [`Chunker::is_token_boundary`].
    ///
    /// White space before the byte may be stripped, and then more of it after the byte.
    pub(crate) fn is_token_boundary(&self, text: &str, at: usize) -> bool {
        text.is_char_boundary(at)
            && with_chunker!(&self.strategy, |chunker| chunker.is_token_boundary(text, at))
            && (self.leading_strip.is_none() || !text[..at].ends_with(char::is_whitespace))
    }

    /// Returns the span of a plain-text range that a leading strip keeps: the text to encode.
    pub(crate) fn kept(&self, text: &str) -> Span {
        self.leading_strip.as_ref().map_or(Span::new(0, text.len()), |(strip, _)| strip.kept(text))
    }

    /// Returns the splitter of stripped texts; `None` without a leading strip.
    pub(crate) fn splitter_of_stripped(&self) -> Option<&WordSplitter> {
        self.leading_strip.as_ref().map(|(_, splitter)| splitter)
    }

    /// Returns whether the words of a block of lines can be counted in one call; see [`Chunker::can_count_blocks`].
    pub(crate) fn can_count_blocks(&self, keep_ends: bool) -> bool {
        with_chunker!(&self.strategy, |chunker| chunker.can_count_blocks(keep_ends))
    }

    /// Returns whether chunks that differ in the case of ASCII letters share a cache key.
    pub(crate) fn folds_case(&self) -> bool {
        with_chunker!(&self.strategy, |chunker| chunker.fold()) == Fold::Case
    }

    /// Returns whether the first character of a text may shift the offsets of all its tokens.
    pub(crate) fn may_shift_offsets(&self, text: &str) -> bool {
        with_chunker!(&self.strategy, |chunker| chunker.may_shift_offsets(text))
    }

    /// Returns the splitter of chunks that do not begin the text; see [`Chunker::splitter`].
    pub(crate) fn splitter(&self, chunk: &str) -> Option<(&WordSplitter, bool)> {
        with_chunker!(&self.strategy, |chunker| chunker.splitter(chunk))
    }

    /// Returns the model input of a chunk, if it is known without splitting; see [`Chunker::model_input`].
    pub(crate) fn model_input<'a>(
        &self,
        chunk: &'a str,
        begins: bool,
        aligned: bool,
        buffer: &'a mut String,
    ) -> Option<ModelInput<'a>> {
        with_chunker!(&self.strategy, |chunker| chunker.model_input(chunk, begins, aligned, buffer))
    }

    /// Encodes a text that contains no added tokens and is stripped, and passes its tokens to `sink`.
    ///
    /// `begins` says whether the text gets what is put before texts; otherwise it continues another.
    pub(crate) fn encode<T: Copy + Default, const INLINE: usize, S: Sink<T, INLINE>>(
        &self,
        (text, begins): (&str, bool),
        cache: Option<&mut Cache<T, INLINE>>,
        model: PartModel<'_>,
        chunks: &mut ChunkBuffers,
        sink: &mut S,
    ) -> Result<()> {
        let model = Some(model).filter(|_| S::TAKES_PARTS && self.capabilities.may_cut_words);
        with_chunker!(&self.strategy, |chunker| encode(chunker, (text, begins), cache, model, chunks, sink))
    }
}

/// Encodes a text with one chunker, and passes its tokens to `sink`.
fn encode<T: Copy + Default, const INLINE: usize>(
    chunker: &impl Chunker,
    (text, begins): (&str, bool),
    mut cache: Option<&mut Cache<T, INLINE>>,
    model: Option<PartModel<'_>>,
    ChunkBuffers { list, parts, keys }: &mut ChunkBuffers,
    sink: &mut impl Sink<T, INLINE>,
) -> Result<()> {
    let (fold, first) = (chunker.fold(), chunker.first(text, begins));
    if first > 0 {
        // The beginning of the text is encoded unlike other chunks, so it is not cached.
        sink.announce(first);
        sink.encode(0, &text[..first])?;
        if sink.take_back() {
            sink.encode(0, &text[..first])?;
        }
    }
    chunker.cut(text, first, false, list, |chunks| {
        let exponent = sink.announce(chunks.bytes());
        if let Some(cache) = &mut cache
            && cache.should_look_up()
        {
            cache.exponent = exponent;
            let bytes = text.as_bytes();
            keys.fill(bytes, chunks.clone(), fold, |key| cache.prefetch(key));
            if keys.has_long() && model.is_some_and(|model| parts.fill(bytes, chunks.clone(), model)) {
                return parts.batches().try_for_each(|some| {
                    keys.fill(bytes, some.clone(), fold, |key| cache.prefetch(key));
                    look_up(text, some, keys.as_slice(), cache, sink)
                });
            }
            look_up(text, chunks.clone(), keys.as_slice(), cache, sink)?;
        } else {
            encode_all(chunker, text, chunks.clone(), sink)?;
        }
        if sink.take_back() { encode_all(chunker, text, chunks, sink) } else { Ok(()) }
    })
}

/// Encodes all chunks without the cache, one by one or together.
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

/// Looks up the chunks of a list by their keys.
///
/// All keys are computed and prefetched before the first entry is read, so that memory accesses overlap.
#[inline]
fn look_up<T: Copy + Default, const INLINE: usize>(
    text: &str,
    chunks: ChunkRanges<'_>,
    keys: &[HashedKey],
    cache: &mut Cache<T, INLINE>,
    sink: &mut impl Sink<T, INLINE>,
) -> Result<()> {
    if cache.is_scattered() {
        let primary = cache.first_tier();
        let others = keys.iter().filter(|key| primary.get(**key).is_none());
        others.for_each(|key| cache.prefetch_alternate(*key));
    }
    let (mut elsewhere, mut new) = (0, 0);
    let mut rest = keys.iter().zip(chunks);
    loop {
        let (primary, mut missed) = (cache.first_tier(), None);
        sink.push_inline(rest.by_ref().map_while(|(&key, (start, end))| match primary.get(key) {
            Some((tokens, count)) => Some((start, tokens, count)),
            None => {
                missed = Some((key, start, end));
                None
            }
        }));
        let Some((key, start, end)) = missed else { break };
        elsewhere += 1;
        new += usize::from(look_elsewhere(cache, key, start, &text[start..end], sink)?);
    }
    cache.record_hits(keys.len() - elsewhere, elsewhere, new);
    Ok(())
}

/// Looks up a chunk that is not in its primary bucket, or encodes it, and passes its tokens to `sink`.
///
/// Returns whether the chunk was not cached.
#[inline(never)]
fn look_elsewhere<T: Copy + Default, const INLINE: usize>(
    cache: &mut Cache<T, INLINE>,
    key: HashedKey,
    start: usize,
    chunk: &str,
    sink: &mut impl Sink<T, INLINE>,
) -> Result<bool> {
    if let Some((tokens, count)) = cache.alternate(key) {
        sink.push_inline(std::iter::once((start, tokens, count)));
        return Ok(false);
    }
    if let Some(tokens) = cache.long(key, chunk) {
        sink.push_slice(start, tokens);
        return Ok(false);
    }
    if let Some((tokens, valid_below)) = sink.encode(start, chunk)? {
        cache.insert(key, chunk, tokens, valid_below);
    }
    Ok(true)
}
