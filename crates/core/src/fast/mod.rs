//! The fast path: encodes a text by chunks whose tokens are cached.
//!
//! ```text
//! text ─ masks ─ chunks ─ keys ─ cache ─ tokens
//!                                  └─ a new chunk: the model, or the generic path
//! ```
//!
//! A [`CutPlan`] says what the stages of a tokenizer allow; the driver lists the chunks of a text by the program of the
//! plan. There is no algorithm for normalization, words or pieces here: only the cuts must be correct (P51 to P63 of
//! `spec/pipeline.md`). The tokens equal those of the generic path, which is the oracle: tests and fuzz targets compare
//! the two, and an option of a call selects the path. Counting shares the stages up to the chunks: see [`ChunkCounts`].

mod buckets;
mod cache;
mod counts;
mod driver;
mod keys;
mod list;
mod masks;
mod normalized_tokens;
mod parts;
mod plan;
mod programs;
mod text;
mod unchanged;

use crate::error::Error;
use crate::model::{Model, VALID_ALWAYS};
use crate::vocab::AllowedEntries;
use buckets::Bucket;
pub(crate) use cache::Cache;
pub(crate) use counts::{ChunkCounts, Documents, WordTable};
use keys::{HashedKey, KeyFold, KeyList};
use list::{ChunkList, ChunkRanges};
pub(crate) use normalized_tokens::{
    AddedTokenSplitter, NormalizedTokenBuffers, NormalizedTokenPart, NormalizedTokenSearch, finds_any,
};
use parts::{ChunkParts, PartList};
pub(crate) use plan::{CutPlan, ModelInput};
use unchanged::UnchangedCharacters;

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
    keys: KeyList,
    parts: PartList,
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
    /// Returns all tokens so far; `None` if a chunk must not be passed in parts, since the sink counts words.
    fn tokens(&self) -> Option<&[T]>;

    /// Receives the tokens of up to `most` chunks: the first byte of each, its tokens, and how many of them are valid.
    fn push_inline<'t>(&mut self, most: usize, chunks: impl Iterator<Item = (usize, &'t [T; INLINE], usize)>)
    where
        T: 't;

    /// Receives all tokens of a chunk that begins at byte `start` of the text.
    fn push_slice(&mut self, start: usize, tokens: &[T]);

    /// Encodes a chunk that is not cached, and receives its tokens.
    ///
    /// Returns the tokens to cache and their valid-below exponent (see [`Context`](crate::model::Context)), or
    /// `None` if the tokens must not be cached.
    fn encode(&mut self, start: usize, chunk: &str) -> Result<Option<(&[T], u8)>>;

    /// Returns the exponent of the model's context that holds for `bytes` more bytes; 0 without a context.
    ///
    /// See [`Context::announce`](crate::model::Context::announce).
    fn announce(&mut self, bytes: usize) -> u8;

    /// Removes the tokens since the last announcement if its exponent was exceeded, so that cached ones may be wrong.
    ///
    /// Returns whether it did. The same chunks are then encoded without the cache.
    fn take_back(&mut self) -> bool;
}

impl CutPlan {
    /// Encodes a text that contains no added tokens and is stripped, and passes its tokens to `sink`.
    ///
    /// `begins` says whether the text gets what is put before texts; otherwise it continues another. The model comes with the
    /// entries that it may produce.
    pub(crate) fn encode<T: Copy + Default, const INLINE: usize, S: Sink<T, INLINE>>(
        &self,
        (text, begins): (&str, bool),
        mut cache: Option<&mut Cache<T, INLINE>>,
        model: (&Model, AllowedEntries),
        ChunkBuffers { list, keys, parts }: &mut ChunkBuffers,
        sink: &mut S,
    ) -> Result<()> {
        let (bytes, kernel) = (text.as_bytes(), self.kernel);
        let fill = |keys: &mut KeyList, chunks: ChunkRanges<'_>, cache: &Cache<T, INLINE>| {
            kernel.call(
                #[inline(always)]
                || fill(keys, bytes, chunks, self.fold, cache),
            );
        };
        let mut parts = self.may_cut_words.then_some(ChunkParts { text, model, kernel, list: parts });
        let mut look_up = |keys: &KeyList, chunks: ChunkRanges<'_>, cache: &mut Cache<T, INLINE>, sink: &mut S| {
            kernel.call(
                #[inline(always)]
                || look_up(text, chunks, keys.as_slice(), (cache, parts.as_mut()), sink),
            )
        };
        let first = self.first(text, begins);
        if first > 0 {
            // The beginning of the text is encoded unlike other chunks, so it is not cached.
            sink.announce(first);
            sink.encode(0, &text[..first])?;
            if sink.take_back() {
                sink.encode(0, &text[..first])?;
            }
        }
        self.cut(text, first, false, list, |chunks| {
            let exponent = sink.announce(chunks.bytes());
            if let Some(cache) = &mut cache
                && cache.should_look_up()
            {
                cache.exponent = exponent;
                fill(keys, chunks, cache);
                look_up(keys, chunks, cache, sink)?;
            } else {
                self.encode_all(text, chunks, sink)?;
            }
            if sink.take_back() { self.encode_all(text, chunks, sink) } else { Ok(()) }
        })
    }

    /// Encodes all chunks without the cache, one by one or together.
    fn encode_all<T, const INLINE: usize>(
        &self,
        text: &str,
        chunks: ChunkRanges<'_>,
        sink: &mut impl Sink<T, INLINE>,
    ) -> Result<()> {
        let (Some((start, _)), Some((_, end))) = (chunks.iter().next(), chunks.iter().last()) else { return Ok(()) };
        if self.encodes_singly(&text.as_bytes()[start..end]) {
            return chunks.iter().try_for_each(|(start, end)| sink.encode(start, &text[start..end]).map(|_| ()));
        }
        sink.encode(start, &text[start..end]).map(|_| ())
    }
}

/// Fills the list of keys with those of chunks, and prefetches their entries.
#[inline(always)]
fn fill<T: Copy + Default, const INLINE: usize>(
    keys: &mut KeyList,
    text: &[u8],
    chunks: ChunkRanges<'_>,
    fold: KeyFold,
    cache: &Cache<T, INLINE>,
) {
    let primary = cache.first_tier();
    keys.fill(
        text,
        chunks,
        fold,
        #[inline(always)]
        |hash, is_short| if is_short { Bucket::prefetch(primary, hash) } else { cache.prefetch_long(hash) },
    );
}

/// Looks up the chunks of a list by their keys.
///
/// All keys are computed and prefetched before the first entry is read, so that memory accesses overlap.
#[inline(always)]
fn look_up<T: Copy + Default, const INLINE: usize>(
    text: &str,
    chunks: ChunkRanges<'_>,
    keys: &[HashedKey],
    (cache, mut parts): (&mut Cache<T, INLINE>, Option<&mut ChunkParts<'_>>),
    sink: &mut impl Sink<T, INLINE>,
) -> Result<()> {
    let exponent = cache.exponent;
    if cache.is_scattered() {
        let primary = cache.first_tier();
        for &key in keys {
            if Bucket::get(primary, key).and_then(|tokens| tokens.at(exponent)).is_none() {
                cache.prefetch_alternate(key);
            }
        }
    }
    let (mut next, mut elsewhere, mut new) = (0, 0, 0);
    loop {
        let primary = cache.first_tier();
        sink.push_inline(
            keys.len(),
            keys[next..].iter().map_while(|&key| {
                let (tokens, count) = Bucket::get(primary, key)?.at(exponent)?;
                next += 1;
                Some((chunks.start(next - 1), tokens, count))
            }),
        );
        let Some(&missed) = keys.get(next) else { break };
        let (start, end) = (chunks.start(next), chunks.end(next));
        next += 1;
        elsewhere += 1;
        new += usize::from(look_elsewhere((cache, parts.as_deref_mut()), missed, start, &text[start..end], sink)?);
    }
    cache.record_hits(keys.len() - elsewhere, elsewhere, new);
    Ok(())
}

/// Looks up a chunk that is not in its primary bucket, or encodes it, and passes its tokens to `sink`.
///
/// Returns whether the chunk was not cached.
#[inline(never)]
fn look_elsewhere<T: Copy + Default, const INLINE: usize>(
    (cache, parts): (&mut Cache<T, INLINE>, Option<&mut ChunkParts<'_>>),
    key: HashedKey,
    start: usize,
    chunk: &str,
    sink: &mut impl Sink<T, INLINE>,
) -> Result<bool> {
    if let Some((tokens, count)) = cache.alternate(key) {
        sink.push_inline(1, std::iter::once((start, tokens, count)));
        return Ok(false);
    }
    if let Some(tokens) = cache.long(key, chunk) {
        sink.push_slice(start, tokens);
        return Ok(false);
    }
    if let Some(parts) = parts
        && let Some(before) = sink.tokens().map(<[T]>::len)
        && parts.find(start, chunk)
    {
        parts.encode(cache, sink)?;
        let tokens = sink.tokens().unwrap_or_default();
        cache.insert(key, chunk, &tokens[before..], VALID_ALWAYS);
        // Nearly all parts are cached.
        return Ok(false);
    }
    if let Some((tokens, valid_below)) = sink.encode(start, chunk)? {
        cache.insert(key, chunk, tokens, valid_below);
    }
    Ok(true)
}
