//! How often chunks occur, for counting: a chunk is split into words once, and then only counted.
//!
//! A chunk's words are in the table from the first time on; what is counted here is how often it was met again, and that
//! is *flushed*, added to the counts of its words, when the chunk has to leave and at the end. The room for
//! chunks is bounded, whatever the text holds.
//!
//! Two short chunks share a line. A third one pushes out the one met less often since the last one came.

use hashbrown::HashTable;

use super::cache::LONG;
use super::chunker::Chunker;
use super::keys::{HashedKey, Key};
use super::masks;
use super::text::line_end;
use super::{Chunks, FastPath, Strategy, with_chunker};
use crate::error::Result;
use crate::hash::hash_one;

/// What the chunks of a text are counted into: a table of words.
pub(crate) trait WordTable {
    /// Adds each word of a chunk once, and appends their places in the table to `places`; the first word has the
    /// number `first` in its document.
    fn on_miss(&mut self, chunk: &str, document: u64, first: u64, places: &mut Vec<usize>) -> Result<()>;

    /// Adds `count` occurrences of the word at a place.
    fn flush(&mut self, place: usize, count: u64) -> Result<()>;
}

/// What the documents of a text are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Documents {
    /// The text is the document of this number.
    One(u64),
    /// Each line of the text is a document; the first has this number.
    Lines(u64),
}

/// What is known of a chunk.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    /// How often it was met again since it was last flushed.
    again: u64,
    /// How many words it holds.
    words: u32,
    /// The place of its only word in the table, or of the first of several in the list of places.
    place: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    key: Key,
    known: Known,
}

/// Two entries, the younger first.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket([Entry; 2]);

/// A chunk too long for a key.
#[derive(Debug, Clone, Copy)]
struct Long {
    start: usize,
    length: usize,
    known: Known,
}

/// What a worker counts with.
#[derive(Debug, Default)]
pub(crate) struct ChunkCounts {
    chunks: Chunks,
    chunks_seen: Seen,
}

/// The chunks that it met.
#[derive(Debug, Default)]
struct Seen {
    lines: Vec<Bucket>,
    /// How many entries were put into the lines since they last grew.
    filled: usize,
    long: HashTable<Long>,
    bytes: Vec<u8>,
    /// The places of the words of chunks that hold several.
    places: Vec<usize>,
}

/// Tests see every limit reached.
const SMALL: bool = cfg!(debug_assertions);
/// The fewest and the most lines, 64 bytes each.
const FEWEST: usize = if SMALL { 1 } else { 1 << 6 };
const MOST: usize = if SMALL { 1 << 4 } else { 1 << 15 };
/// The most long chunks, their bytes, and the most places.
const MOST_LONG: usize = if SMALL { 1 << 3 } else { 1 << 16 };
const MOST_BYTES: usize = if SMALL { 1 << 8 } else { 1 << 21 };
const MOST_PLACES: usize = if SMALL { 1 << 4 } else { 1 << 16 };

impl FastPath {
    /// Counts the words of `text` into `table`, but for what `tally` holds back.
    pub(crate) fn count(
        &self,
        text: &str,
        documents: Documents,
        tally: &mut ChunkCounts,
        table: &mut impl WordTable,
    ) -> Result<()> {
        with_chunker!(&self.strategy, |chunker| count(chunker, text, documents, tally, table))
    }
}

/// Counts the words of a text, cut by one chunker.
fn count(
    chunker: &impl Chunker,
    text: &str,
    documents: Documents,
    ChunkCounts { chunks: Chunks { list, keys }, chunks_seen: seen }: &mut ChunkCounts,
    table: &mut impl WordTable,
) -> Result<()> {
    let (bytes, fold) = (text.as_bytes(), chunker.fold());
    let mut position = Position::new(bytes, documents);
    let lines = matches!(documents, Documents::Lines(_));
    chunker.cut(text, 0, lines, list, |chunks| {
        for (key, (start, end)) in keys.iter_mut().zip(chunks.clone()) {
            *key = HashedKey::new(bytes, start, end, fold);
            seen.prefetch(*key);
        }
        for (&key, (start, end)) in keys.iter().zip(chunks) {
            if start >= position.end {
                position.advance(bytes, start);
            }
            let known = if key.key == Key::NONE { seen.long(&bytes[start..end]) } else { seen.short(key) };
            position.word += match known {
                Some(known) => {
                    known.again += 1;
                    u64::from(known.words)
                }
                None => seen.on_miss(key, &text[start..end], position, table)?,
            };
        }
        Ok(())
    })
}

/// A place in a text of documents.
#[derive(Debug, Clone, Copy)]
struct Position {
    document: u64,
    /// How many words the document holds up to here.
    word: u64,
    /// Where the document ends.
    end: usize,
}

impl Position {
    fn new(text: &[u8], documents: Documents) -> Self {
        match documents {
            Documents::One(document) => Self { document, word: 0, end: text.len() },
            Documents::Lines(document) => Self { document, word: 0, end: line_end(text, 0) },
        }
    }

    /// Goes to the document that holds a byte.
    #[cold]
    fn advance(&mut self, text: &[u8], at: usize) {
        while at >= self.end {
            self.document += 1;
            self.end = line_end(text, self.end);
        }
        self.word = 0;
    }
}

impl ChunkCounts {
    /// Settles all chunks and forgets them.
    pub(crate) fn flush(&mut self, table: &mut impl WordTable) -> Result<()> {
        self.chunks_seen.flush(table)
    }
}

impl Seen {
    fn flush(&mut self, table: &mut impl WordTable) -> Result<()> {
        for entry in self.lines.iter_mut().flat_map(|line| &mut line.0) {
            std::mem::take(entry).known.flush(&self.places, table)?;
        }
        self.flush_long(table)?;
        self.places.clear();
        Ok(())
    }

    fn flush_long(&mut self, table: &mut impl WordTable) -> Result<()> {
        for mut long in self.long.drain() {
            long.known.flush(&self.places, table)?;
        }
        self.bytes.clear();
        Ok(())
    }

    /// Prefetches the bucket of a short chunk.
    #[inline]
    fn prefetch(&self, key: HashedKey) {
        if let Some(line) = self.lines.get(self.place(key.hash)) {
            masks::prefetch(line);
        }
    }

    #[inline]
    fn short(&mut self, HashedKey { key, hash }: HashedKey) -> Option<&mut Known> {
        let place = self.place(hash);
        let line = &mut self.lines.get_mut(place)?.0;
        // Not a branch, which nobody could predict.
        let entry = &mut line[usize::from(line[1].key == key)];
        (entry.key == key).then_some(&mut entry.known)
    }

    #[inline(never)]
    fn long(&mut self, chunk: &[u8]) -> Option<&mut Known> {
        let bytes = &self.bytes;
        self.long.find_mut(hash_one(chunk), |long| long.bytes(bytes) == chunk).map(|long| &mut long.known)
    }

    /// Takes a chunk apart; gives how many words it holds.
    #[cold]
    fn on_miss(&mut self, key: HashedKey, chunk: &str, at: Position, table: &mut impl WordTable) -> Result<u64> {
        if self.places.len() >= MOST_PLACES {
            self.flush(table)?;
        }
        let first = self.places.len();
        table.on_miss(chunk, at.document, at.word, &mut self.places)?;
        let words = self.places.len() - first;
        let place = if words == 1 { self.places[first] } else { first };
        // What does not fit into an entry is taken apart each time.
        let known = match (u32::try_from(words), u32::try_from(place)) {
            (Ok(words), Ok(place)) if chunk.len() <= LONG => Some(Known { again: 0, words, place }),
            _ => None,
        };
        if words == 1 || known.is_none() {
            self.places.truncate(first);
        }
        if let Some(known) = known {
            self.keep(key.key, chunk.as_bytes(), known, table)?;
        }
        Ok(words as u64)
    }

    fn keep(&mut self, key: Key, chunk: &[u8], known: Known, table: &mut impl WordTable) -> Result<()> {
        if key != Key::NONE {
            if self.lines.is_empty() || (self.filled > self.lines.len() && self.lines.len() < MOST) {
                self.grow(table)?;
            }
            self.filled += 1;
            return self.put(Entry { key, known }, table);
        }
        if self.long.len() >= MOST_LONG || self.bytes.len() + chunk.len() > MOST_BYTES {
            self.flush_long(table)?;
        }
        let long = Long { start: self.bytes.len(), length: chunk.len(), known };
        self.bytes.extend_from_slice(chunk);
        let bytes = &self.bytes;
        self.long.insert_unique(hash_one(chunk), long, |long| hash_one(long.bytes(bytes)));
        Ok(())
    }

    /// Puts an entry into its line, where it pushes out the one met less often.
    fn put(&mut self, entry: Entry, table: &mut impl WordTable) -> Result<()> {
        let place = self.place(entry.key.hash());
        let line = &mut self.lines[place].0;
        let worth = |entry: &Entry| (entry.key != Key::default(), entry.known.again);
        if worth(&line[1]) < worth(&line[0]) {
            line.swap(0, 1);
        }
        // What stays starts anew, so that what was frequent once does not stay for ever.
        for entry in &mut *line {
            entry.known.flush(&self.places, table)?;
        }
        line[0] = entry;
        Ok(())
    }

    fn grow(&mut self, table: &mut impl WordTable) -> Result<()> {
        let size = (self.lines.len() * 4).clamp(FEWEST, MOST);
        let old = std::mem::replace(&mut self.lines, vec![Bucket::default(); size]);
        self.filled = 0;
        for entry in old.iter().flat_map(|line| line.0).filter(|entry| entry.key != Key::default()) {
            self.filled += 1;
            self.put(entry, table)?;
        }
        Ok(())
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the lines are far fewer than 2^32")]
    fn place(&self, hash: u64) -> usize {
        // The number of lines is a power of two.
        hash as usize & self.lines.len().wrapping_sub(1)
    }
}

impl Known {
    fn flush(&mut self, places: &[usize], table: &mut impl WordTable) -> Result<()> {
        let again = std::mem::take(&mut self.again);
        if again == 0 {
            return Ok(());
        }
        let place = self.place as usize;
        match self.words {
            1 => table.flush(place, again),
            words => places[place..][..words as usize].iter().try_for_each(|&place| table.flush(place, again)),
        }
    }
}

impl Long {
    fn bytes<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start..][..self.length]
    }
}
