//! From text to chunks, a block at a time.
//!
//! The kernel says of what kind the ASCII characters of a block are; the others are looked up one by one, and their bits
//! added. Where a chunk begins or ends is then a matter of shifts: where a byte is of another kind than the one before.

use std::slice::Iter;

use super::cutter::{Cutter, Kind};
use super::cache::Fold;
use super::masks::{BLOCK, Classifier, Masks, SCALAR};
use super::pieces::{Pieces, Place};
use super::seams::Seams;
use super::spaced::Spaced;

/// Blocks whose chunks are listed at a time.
const BLOCKS: usize = 8;
/// Every byte may begin a chunk, and one may be open from before.
pub(super) const ROOM: usize = BLOCKS * BLOCK + 1;
/// So many starts are written at once, and some of them in vain.
const TOGETHER: usize = 8;

/// How a text is cut.
#[derive(Debug, Clone)]
pub(super) enum Way {
    /// In chunks between white space and the like.
    Chunks(Cutter, Classifier<4>),
    /// In the pieces of a grammar.
    Pieces(Pieces),
    /// In stretches that no entry of the model reaches over.
    Seams(Seams),
    /// In words with the white space before them.
    Spaced(Box<Spaced>),
}

/// What lists the stretches of a text, which have nothing between them.
pub(super) trait Stretch {
    /// Where the first stretch of a text ends, if it differs from all others; else 0.
    fn first(&self, text: &str) -> usize;

    /// Lists where stretches begin from byte `at` on, which has one begun before it or is the first; returns up to where.
    fn list(&self, text: &str, at: usize, list: &mut List) -> usize;
}

impl Way {
    pub(super) fn chunks(cutter: Cutter) -> Self {
        let classifier = cutter.classifier();
        Self::Chunks(cutter, classifier)
    }

    /// The same with the kernel of that name, if it runs here.
    pub(super) fn with_kernel(self, name: &str) -> Option<Self> {
        Some(match self {
            Self::Chunks(cutter, classifier) => Self::Chunks(cutter, classifier.with_kernel(name)?),
            Self::Pieces(pieces) => Self::Pieces(pieces.with_kernel(name)?),
            Self::Seams(seams) => (name == SCALAR).then_some(Self::Seams(seams))?,
            Self::Spaced(spaced) => Self::Spaced(Box::new(spaced.with_kernel(name)?)),
        })
    }

    /// What classifies the bytes of a text here.
    pub(super) fn kernel(&self) -> &'static str {
        match self {
            Self::Chunks(_, classifier) => classifier.name(),
            Self::Pieces(pieces) => pieces.kernel(),
            Self::Seams(_) => SCALAR,
            Self::Spaced(spaced) => spaced.kernel(),
        }
    }

    /// What chunks may differ in and become the same.
    #[inline]
    pub(super) fn fold(&self) -> Fold {
        match self {
            Self::Chunks(Cutter { lowercase: true, .. }, _) => Fold::Case,
            Self::Spaced(spaced) => Fold::Space(spaced.spaces()),
            _ => Fold::Nothing,
        }
    }
}

/// A walk over a text.
pub(super) enum Walk<'a> {
    Chunks(ChunkWalk<'a>),
    Pieces(PieceWalk<'a>),
    Seams(StretchWalk<'a, Seams>),
    Spaced(StretchWalk<'a, Spaced>),
}

/// A walk over the chunks of a text.
pub(super) struct ChunkWalk<'a> {
    text: &'a str,
    cutter: &'a Cutter,
    classifier: &'a Classifier<4>,
    /// The next byte.
    at: usize,
    /// The kind of the character before.
    last: Kind,
    list: &'a mut List,
}

/// A walk over the pieces of a text.
pub(super) struct PieceWalk<'a> {
    text: &'a str,
    pieces: &'a Pieces,
    /// Whether no piece reaches beyond the end of a line.
    lines: bool,
    place: Place,
    /// Up to where pieces may reach.
    end: usize,
    list: &'a mut List,
}

/// A walk over the stretches of a text, but for a first one that differs.
pub(super) struct StretchWalk<'a, S> {
    text: &'a str,
    stretches: &'a S,
    at: usize,
    list: &'a mut List,
}

/// First bytes and ends of chunks; the last one may lack its end. Pieces end where the next one begins, and need no ends.
#[derive(Debug)]
pub(super) struct List {
    starts: Box<[u32; ROOM + TOGETHER]>,
    ends: Box<[u32; ROOM]>,
    started: usize,
    ended: usize,
}

impl Default for List {
    fn default() -> Self {
        Self { starts: Box::new([0; ROOM + TOGETHER]), ends: Box::new([0; ROOM]), started: 0, ended: 0 }
    }
}

impl<'a> Walk<'a> {
    /// Before the first byte of `text`, which is no longer than 2^32 bytes.
    pub(super) fn new(text: &'a str, way: &'a Way, list: &'a mut List) -> Self {
        (list.started, list.ended) = (0, 0);
        match way {
            Way::Chunks(cutter, classifier) => {
                Self::Chunks(ChunkWalk { text, cutter, classifier, at: 0, last: Kind::Space, list })
            }
            Way::Pieces(pieces) => {
                if !pieces.has_gaps() {
                    list.begin(0);
                }
                Self::Pieces(PieceWalk { text, pieces, lines: false, place: Place::default(), end: 0, list })
            }
            Way::Seams(seams) => Self::Seams(StretchWalk::new(text, seams, list)),
            Way::Spaced(spaced) => Self::Spaced(StretchWalk::new(text, &**spaced, list)),
        }
    }

    /// The same, where each line of the text is a text by itself.
    pub(super) fn of_lines(mut self) -> Self {
        if let Self::Pieces(walk) = &mut self {
            walk.lines = true;
        }
        self
    }

    /// Before any next chunk: where the one ends that begins the text, if that one is not listed.
    pub(super) fn first(&self) -> Option<usize> {
        let list = match self {
            Self::Seams(walk) => &walk.list,
            Self::Spaced(walk) => &walk.list,
            Self::Chunks(_) | Self::Pieces(_) => return None,
        };
        Some(list.open()).filter(|&end| end > 0)
    }

    /// First bytes and ends of the next chunks; `None` when the text is done.
    pub(super) fn next(&mut self) -> Option<Ranges<'_>> {
        match self {
            Self::Chunks(walk) => walk.next().map(List::chunks),
            Self::Pieces(walk) => {
                let gaps = walk.pieces.has_gaps();
                walk.next().map(|list| if gaps { list.chunks() } else { list.pieces() })
            }
            Self::Seams(walk) => walk.next().map(List::pieces),
            Self::Spaced(walk) => walk.next().map(List::pieces),
        }
    }
}

impl<'a, S: Stretch> StretchWalk<'a, S> {
    fn new(text: &'a str, stretches: &'a S, list: &'a mut List) -> Self {
        let first = stretches.first(text);
        list.begin(first);
        Self { text, stretches, at: first, list }
    }

    fn next(&mut self) -> Option<&List> {
        self.list.forget();
        if self.list.open() == self.text.len() {
            return None;
        }
        for _ in 0..BLOCKS {
            self.at = self.stretches.list(self.text, self.at, self.list);
            if self.at == self.text.len() {
                break;
            }
        }
        Some(self.list)
    }
}

impl PieceWalk<'_> {
    fn next(&mut self) -> Option<&List> {
        self.list.forget();
        if self.place.at == self.text.len() {
            return None;
        }
        for _ in 0..BLOCKS {
            if self.place.at == self.text.len() {
                break;
            }
            if self.place.at == 0 && !self.pieces.takes(self.text) {
                self.list.begin(self.text.len());
                self.place.at = self.text.len();
                break;
            }
            if self.place.at == self.end {
                let at = self.place.at;
                self.end = if self.lines { line_end(self.text.as_bytes(), at) } else { self.text.len() };
            }
            self.pieces.list(&self.text[..self.end], &mut self.place, self.list);
        }
        Some(self.list)
    }
}

/// Behind the end of the line that holds the byte at `start`.
pub(super) fn line_end(text: &[u8], start: usize) -> usize {
    memchr::memchr(b'\n', &text[start..]).map_or(text.len(), |length| start + length + 1)
}

impl ChunkWalk<'_> {
    fn next(&mut self) -> Option<&List> {
        self.list.forget();
        if self.at == self.text.len() && self.list.started == 0 {
            return None;
        }
        for _ in 0..BLOCKS {
            if self.at == self.text.len() {
                self.list.close(self.at);
                break;
            }
            self.block();
        }
        Some(self.list)
    }

    #[inline]
    fn block(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        let (mut masks, mut length) = match rest.first_chunk::<BLOCK>() {
            Some(block) => (self.classifier.masks(block), BLOCK),
            None => {
                let mut block = [b' '; BLOCK];
                block[..rest.len()].copy_from_slice(rest);
                (self.classifier.masks(&block), rest.len())
            }
        };
        let mut inside = 0;
        if masks.high != 0 {
            (inside, length) = self.look_up(&mut masks, length);
        }
        self.cut(masks.sets, inside, length);
    }

    /// Adds the characters beyond ASCII to the masks; returns the bytes inside of characters, and how much of the block
    /// is whole characters.
    fn look_up(&self, masks: &mut Masks<4>, length: usize) -> (u64, usize) {
        let mut inside = 0;
        let [space, alone, _, glue] = &mut masks.sets;
        while masks.high != 0 {
            let mut place = masks.high.trailing_zeros() as usize;
            for c in self.text[self.at + place..].chars() {
                if c.is_ascii() {
                    break;
                }
                let end = place + c.len_utf8();
                if end > BLOCK {
                    return (inside, place);
                }
                let bytes = u64::MAX << place & u64::MAX >> (BLOCK - end);
                match self.cutter.kind(c) {
                    Kind::Glue => *glue |= bytes,
                    Kind::Alone => *alone |= bytes,
                    Kind::Space => *space |= bytes,
                    Kind::Word | Kind::Other => {}
                }
                inside |= bytes & bytes << 1;
                masks.high &= !bytes;
                place = end;
                if place == BLOCK {
                    break;
                }
            }
        }
        (inside, length)
    }

    /// Lists where chunks begin and end in the first `length` bytes of a block.
    #[inline]
    fn cut(&mut self, [space, alone, other, glue]: [u64; 4], inside: u64, length: usize) {
        if length == 0 {
            return;
        }
        let shifted = |mask: u64, kind| mask << 1 | u64::from(self.last == kind);
        let after_space = shifted(space, Kind::Space);
        let parted = (other ^ shifted(other, Kind::Other)) & !(glue | shifted(glue, Kind::Glue));
        let cuts = (space ^ after_space) | alone | shifted(alone, Kind::Alone) | parted;
        let cuts = cuts & !inside & u64::MAX >> (BLOCK - length);
        self.list.add(self.at, cuts & !space, cuts & !after_space);
        let last = 1 << (length - 1);
        self.last = match () {
            () if space & last != 0 => Kind::Space,
            () if alone & last != 0 => Kind::Alone,
            () if other & last != 0 => Kind::Other,
            () if glue & last != 0 => Kind::Glue,
            () => Kind::Word,
        };
        self.at += length;
    }
}

impl List {
    /// Lists the bits of a block that begins at byte `at`.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "no text is longer")]
    pub(super) fn add(&mut self, at: usize, mut starts: u64, mut ends: u64) {
        let at = at as u32;
        let (started, ended) = (starts.count_ones() as usize, ends.count_ones() as usize);
        let to = self.starts[self.started..].iter_mut().zip(&mut self.ends[self.ended..]);
        for (start, end) in to.take(started.max(ended)) {
            *start = at + starts.trailing_zeros();
            *end = at + ends.trailing_zeros();
            starts &= starts.wrapping_sub(1);
            ends &= ends.wrapping_sub(1);
        }
        self.started += started;
        self.ended += ended;
    }

    /// Ends the open chunk, if there is one.
    #[expect(clippy::cast_possible_truncation, reason = "no text is longer")]
    pub(super) fn close(&mut self, at: usize) {
        if self.ended < self.started {
            self.ends[self.ended] = at as u32;
            self.ended += 1;
        }
    }

    /// Lists the first bytes of pieces in a block that begins at byte `at`; each ends the piece before it.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "no text is longer")]
    pub(super) fn add_pieces(&mut self, at: usize, mut starts: u64) {
        let (at, count) = (at as u32, starts.count_ones() as usize);
        for some in self.starts[self.started..].as_chunks_mut::<TOGETHER>().0.iter_mut().take(count.div_ceil(TOGETHER))
        {
            for start in some {
                *start = at + starts.trailing_zeros();
                starts &= starts.wrapping_sub(1);
            }
        }
        self.started += count;
        self.ended += count;
    }

    /// Begins a piece, and ends the one before it.
    #[expect(clippy::cast_possible_truncation, reason = "no text is longer")]
    pub(super) fn begin(&mut self, at: usize) {
        self.starts[self.started] = at as u32;
        self.ended = self.started;
        self.started += 1;
    }

    /// Where the last piece begins.
    pub(super) fn open(&self) -> usize {
        self.starts[self.started - 1] as usize
    }

    /// Lists one chunk.
    #[expect(clippy::cast_possible_truncation, reason = "no text is longer")]
    pub(super) fn push(&mut self, start: usize, end: usize) {
        self.starts[self.started] = start as u32;
        self.ends[self.ended] = end as u32;
        self.started += 1;
        self.ended += 1;
    }

    /// Forgets all chunks but an open one.
    fn forget(&mut self) {
        if self.ended < self.started {
            self.starts[0] = self.starts[self.ended];
        }
        self.started -= self.ended;
        self.ended = 0;
    }

    fn chunks(&self) -> Ranges<'_> {
        Ranges(self.starts.iter(), self.ends[..self.ended].iter())
    }

    /// The same of pieces.
    fn pieces(&self) -> Ranges<'_> {
        Ranges(self.starts.iter(), self.starts[1..=self.ended].iter())
    }
}

/// First bytes, and ends.
#[derive(Clone)]
pub(super) struct Ranges<'a>(Iter<'a, u32>, Iter<'a, u32>);

impl Ranges<'_> {
    /// The bytes from the first to the last.
    pub(super) fn bytes(&self) -> usize {
        let (start, end) = (self.0.as_slice().first(), self.1.as_slice().last());
        start.zip(end).map_or(0, |(start, end)| (end - start) as usize)
    }
}

impl Iterator for Ranges<'_> {
    type Item = (usize, usize);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let end = *self.1.next()?;
        Some((*self.0.next()? as usize, end as usize))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::format::read_splitter;

    /// The chunks of a text, or why it has none.
    fn chunks<'a>(case: &Value, text: &'a str) -> Result<Vec<&'a str>, &'static str> {
        let [normalizer, pre_tokenizer] = ["normalizer", "pre_tokenizer"].map(|name| &case[name]);
        let stages = serde_json::json!({ "normalizer": normalizer, "pre_tokenizer": pre_tokenizer });
        let cutter = Cutter::new(&read_splitter(&stages.to_string(), &[]).unwrap())?;
        let (way, mut list) = (Way::chunks(cutter), List::default());
        let mut walk = Walk::new(text, &way, &mut list);
        let mut chunks = Vec::new();
        while let Some(some) = walk.next() {
            chunks.extend(some.map(|(start, end)| &text[start..end]));
        }
        Ok(chunks)
    }

    #[test]
    fn cases() {
        let cases: Vec<Value> = serde_json::from_str(include_str!("../../../../spec/cases/chunks.json")).unwrap();
        assert!(cases.len() > 20);
        for case in &cases {
            let text = case["text"].as_str().unwrap_or_default();
            let Some(wanted) = case["chunks"].as_array() else {
                assert!(chunks(case, text).is_err(), "{}", case["name"]);
                continue;
            };
            let wanted: Vec<&str> = wanted.iter().map(|chunk| chunk.as_str().unwrap()).collect();
            // Wherever a text begins in a block, its chunks are the same.
            for before in 0..130 {
                let moved = " ".repeat(before) + text;
                assert_eq!(chunks(case, &moved).unwrap(), wanted, "{} behind {before} spaces", case["name"]);
            }
        }
    }
}
