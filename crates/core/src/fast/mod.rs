//! The fast road: text to ids by chunks that were met before.
//!
//! ```text
//! text ─ masks ─ chunks ─ cache ─ ids
//!                           └─ the general road, once for each chunk
//! ```
//!
//! A pipeline takes it by what it does, not by its name: see [`Cutter`]. What it gives is what the general road gives, which
//! stays the oracle. Counting goes the same way as far as the chunks, which [`tally`] counts.

mod cache;
mod cutter;
mod masks;
mod tally;

use crate::error::Result;
use crate::words::WordSplitter;
use cache::{Cache, Key, SHORT};
use cutter::{Cutter, Kind};
use masks::{BLOCK, Classifier, Masks};
pub(crate) use tally::{Documents, Table, Tally};

/// The fast road of one tokenizer.
#[derive(Debug)]
pub(crate) struct Fast {
    cutter: Cutter,
    classifier: Classifier,
}

/// What a worker keeps between texts: the chunks it met, where special tokens may be made of text, and where not.
#[derive(Debug, Default)]
pub(crate) struct FastScratch {
    caches: [Cache; 2],
}

impl FastScratch {
    /// The cache for texts of which special tokens may be made, or may not.
    pub(crate) fn cache(&mut self, specials: bool) -> &mut Cache {
        &mut self.caches[usize::from(specials)]
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

    /// Appends the ids of a text without added tokens to `ids`; `miss` appends those of a chunk on the general road.
    pub(crate) fn ids(
        &self,
        text: &str,
        cache: Option<&mut Cache>,
        ids: &mut Vec<u32>,
        mut miss: impl FnMut(&str, &mut Vec<u32>) -> Result<()>,
    ) -> Result<()> {
        let Some(cache) = cache else {
            return self.chunks(text, |start, end| miss(&text[start..end], ids));
        };
        ids.reserve(text.len() / 4);
        self.chunks(text, |start, end| {
            if end - start > SHORT {
                return long(cache, &text[start..end], ids, &mut miss);
            }
            let key = Key::new(text.as_bytes(), start, end);
            match cache.short(key) {
                Some((found, 1)) => {
                    ids.push(found[0]);
                    Ok(())
                }
                Some((found, count)) => {
                    ids.extend_from_slice(&found[..count]);
                    Ok(())
                }
                None => short(cache, key, &text[start..end], ids, &mut miss),
            }
        })
    }

    /// Calls `each` with the first byte and the end of every chunk.
    #[inline]
    fn chunks(&self, text: &str, mut each: impl FnMut(usize, usize) -> Result<()>) -> Result<()> {
        let bytes = text.as_bytes();
        let mut walk = Walk { at: 0, open: 0, last: Kind::Space };
        while walk.at < bytes.len() {
            let rest = &bytes[walk.at..];
            let (masks, length) = match rest.first_chunk::<BLOCK>() {
                Some(block) => (self.classifier.masks(block), BLOCK),
                None => {
                    let mut block = [b' '; BLOCK];
                    block[..rest.len()].copy_from_slice(rest);
                    (self.classifier.masks(&block), rest.len())
                }
            };
            let length = length.min(masks.slow.trailing_zeros() as usize);
            walk.block(masks, length, &mut each)?;
            for c in text[walk.at..].chars() {
                let kind = self.cutter.kind(c);
                if c.is_ascii() && kind != Kind::Glue {
                    break;
                }
                walk.step(kind, c.len_utf8(), &mut each)?;
            }
        }
        if walk.last == Kind::Space { Ok(()) } else { each(walk.open, bytes.len()) }
    }
}

/// Where a walk over a text stands.
struct Walk {
    /// The next byte.
    at: usize,
    /// The first byte of the chunk that is open; only of use where the last kind is not `Space`.
    open: usize,
    /// The kind of the character before.
    last: Kind,
}

impl Walk {
    /// Takes the first `length` bytes of a block.
    #[inline]
    fn block(&mut self, masks: Masks, length: usize, each: &mut impl FnMut(usize, usize) -> Result<()>) -> Result<()> {
        if length == 0 {
            return Ok(());
        }
        let Masks { space, alone, other, .. } = masks;
        let was = |kind| u64::from(self.last == kind);
        // Glue goes with either kind.
        let was_other = if self.last == Kind::Glue { other & 1 } else { was(Kind::Other) };
        let before = space << 1 | was(Kind::Space);
        let cuts = (space ^ before) | alone | (alone << 1 | was(Kind::Alone)) | (other ^ (other << 1 | was_other));
        let kept = u64::MAX >> (BLOCK - length);
        let mut starts = cuts & !space & kept;
        let mut ends = cuts & !before & kept;
        if self.last == Kind::Space && starts != 0 {
            self.open = self.at + starts.trailing_zeros() as usize;
            starts &= starts - 1;
        }
        while ends != 0 {
            each(self.open, self.at + ends.trailing_zeros() as usize)?;
            ends &= ends - 1;
            self.open = self.at + starts.trailing_zeros() as usize;
            starts &= starts.wrapping_sub(1);
        }
        let last = 1 << (length - 1);
        self.last = match () {
            () if space & last != 0 => Kind::Space,
            () if alone & last != 0 => Kind::Alone,
            () if other & last != 0 => Kind::Other,
            () => Kind::Word,
        };
        self.at += length;
        Ok(())
    }

    /// Takes one character.
    #[inline]
    fn step(&mut self, kind: Kind, length: usize, each: &mut impl FnMut(usize, usize) -> Result<()>) -> Result<()> {
        let joined = match (self.last, kind) {
            (Kind::Space, Kind::Space) => true,
            (Kind::Space | Kind::Alone, _) | (_, Kind::Space | Kind::Alone) => false,
            (last, kind) => last == kind || last == Kind::Glue || kind == Kind::Glue,
        };
        if !joined {
            if self.last != Kind::Space {
                each(self.open, self.at)?;
            }
            self.open = self.at;
        }
        self.last = kind;
        self.at += length;
        Ok(())
    }
}

#[cold]
fn short(
    cache: &mut Cache,
    key: Key,
    chunk: &str,
    ids: &mut Vec<u32>,
    miss: &mut impl FnMut(&str, &mut Vec<u32>) -> Result<()>,
) -> Result<()> {
    if let Some(found) = cache.long(chunk.as_bytes()) {
        ids.extend_from_slice(found);
        return Ok(());
    }
    let before = ids.len();
    miss(chunk, ids)?;
    if !cache.keep_short(key, &ids[before..]) {
        cache.keep_long(chunk.as_bytes(), &ids[before..]);
    }
    Ok(())
}

#[cold]
fn long(
    cache: &mut Cache,
    chunk: &str,
    ids: &mut Vec<u32>,
    miss: &mut impl FnMut(&str, &mut Vec<u32>) -> Result<()>,
) -> Result<()> {
    if let Some(found) = cache.long(chunk.as_bytes()) {
        ids.extend_from_slice(found);
        return Ok(());
    }
    let before = ids.len();
    miss(chunk, ids)?;
    cache.keep_long(chunk.as_bytes(), &ids[before..]);
    Ok(())
}
