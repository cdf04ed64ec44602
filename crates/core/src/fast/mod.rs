//! The fast road: text to ids by chunks that were met before.
//!
//! ```text
//! text ─ masks ─ chunks ─ cache ─ ids
//!                           └─ the general road, once for each chunk
//! ```
//!
//! A pipeline takes it by what it does, not by its name: see [`Cutter`]. What it gives is what the general road gives, which
//! stays the oracle.

mod cache;
mod cutter;
mod masks;
mod walk;

use crate::error::Result;
use crate::words::WordSplitter;
use cache::{Cache, FEW, Key, SHORT};
use cutter::Cutter;
use masks::Classifier;
use walk::{List, ROOM, Walk};

/// The fast road of one tokenizer.
#[derive(Debug)]
pub(crate) struct Fast {
    cutter: Cutter,
    classifier: Classifier,
}

/// What a worker keeps between texts.
#[derive(Debug, Default)]
pub(crate) struct FastScratch {
    list: List,
    found: Found,
    /// The chunks it met where special tokens may not be made of text, and where they may.
    caches: [Cache; 2],
}

/// Room for the keys and ids of the chunks of a list.
#[derive(Debug)]
struct Found {
    keys: Box<[Key; ROOM]>,
    ids: Box<[u32; ROOM * FEW]>,
}

impl Default for Found {
    fn default() -> Self {
        Self { keys: Box::new([Key::NONE; ROOM]), ids: Box::new([0; ROOM * FEW]) }
    }
}

impl Fast {
    /// The fast road for a splitter, or why there is none.
    pub(crate) fn new(splitter: &WordSplitter) -> std::result::Result<Self, &'static str> {
        let cutter = Cutter::new(splitter)?;
        let classifier = Classifier::new(&cutter.ascii);
        Ok(Self { cutter, classifier })
    }

    /// What classifies the bytes of a text here.
    pub(crate) fn kernel(&self) -> &'static str {
        self.classifier.name()
    }

    /// The same with the kernel of that name, if it runs here.
    pub(crate) fn with_kernel(self, name: &str) -> Option<Self> {
        Some(Self { classifier: self.classifier.with_kernel(name)?, ..self })
    }

    /// Appends the ids of a text without added tokens to `ids`; `miss` appends those of a chunk on the general road.
    pub(crate) fn ids(
        &self,
        text: &str,
        cached: Option<bool>,
        scratch: &mut FastScratch,
        ids: &mut Vec<u32>,
        mut miss: impl FnMut(&str, &mut Vec<u32>) -> Result<()>,
    ) -> Result<()> {
        let FastScratch { list, found, caches } = scratch;
        let mut walk = Walk::new(text, &self.cutter, &self.classifier, list);
        while let Some(mut chunks) = walk.next() {
            match cached {
                Some(specials) => {
                    let cache = &mut caches[usize::from(specials)];
                    self.look_up(text, chunks, cache, found, ids, &mut miss)?;
                }
                None => chunks.try_for_each(|(start, end)| miss(&text[start..end], ids))?,
            }
        }
        Ok(())
    }

    /// Appends the ids of chunks, and keeps what is new.
    fn look_up(
        &self,
        text: &str,
        chunks: impl Iterator<Item = (usize, usize)> + Clone,
        cache: &mut Cache,
        Found { keys, ids: found }: &mut Found,
        ids: &mut Vec<u32>,
        miss: &mut impl FnMut(&str, &mut Vec<u32>) -> Result<()>,
    ) -> Result<()> {
        for (key, (start, end)) in keys.iter_mut().zip(chunks.clone()) {
            let short = end - start <= SHORT;
            *key = if short { Key::new(text.as_bytes(), start, end, self.cutter.lowercase) } else { Key::NONE };
            cache.prefetch(*key);
        }
        let mut filled = 0;
        for (key, (start, end)) in keys.iter().zip(chunks) {
            if let Some(entry) = cache.short(*key) {
                let (few, count) = entry.ids();
                found[filled..filled + FEW].copy_from_slice(few);
                filled += count;
            } else {
                ids.extend_from_slice(&found[..filled]);
                filled = 0;
                meet(cache, *key, &text[start..end], ids, miss)?;
            }
        }
        ids.extend_from_slice(&found[..filled]);
        Ok(())
    }
}

/// Appends the ids of a chunk that is not in the first tier.
fn meet(
    cache: &mut Cache,
    key: Key,
    chunk: &str,
    ids: &mut Vec<u32>,
    miss: &mut impl FnMut(&str, &mut Vec<u32>) -> Result<()>,
) -> Result<()> {
    if cache.long(chunk.as_bytes(), ids) {
        return Ok(());
    }
    let before = ids.len();
    miss(chunk, ids)?;
    if key == Key::NONE || !cache.keep_short(key, &ids[before..]) {
        cache.keep_long(chunk.as_bytes(), &ids[before..]);
    }
    Ok(())
}
