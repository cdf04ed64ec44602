//! Counts the occurrences of chunks: a chunk is split into words once, and then only counted.
//!
//! The words of a chunk are added to the table at its first occurrence. Later occurrences are counted here, and
//! *flushed* (added to the counts of its words) when the chunk is evicted, at the end, and before a document that is
//! out of order. A document's words are numbered by the number of words in each chunk. So the table, first occurrences
//! included, equals that of the generic path. The number of chunks is bounded: a thread needs about 10 MB for them.
//!
//! Of the two short chunks in a bucket, a third one evicts the one with fewer occurrences since the last insertion.

use hashbrown::HashTable;

use super::buckets::{Bucket, Entry};
use super::cache::MAX_CACHED;
use super::keys::{ChunkKey, HashedKey};
use super::text::line_end;
use super::{ChunkBuffers, CutPlan};
use crate::error::Result;
use crate::hash::hash_one;

/// A table of word counts that receives the words of chunks.
pub(crate) trait WordTable {
    /// Adds one occurrence of each word of a new chunk, and appends their indices in the table to `places`.
    ///
    /// The first word has the number `first` in its document.
    fn on_miss(&mut self, chunk: &str, document: u64, first: u64, places: &mut Vec<usize>) -> Result<()>;

    /// Adds `count` occurrences of the word at a position of the table.
    fn flush(&mut self, place: usize, count: u64) -> Result<()>;
}

/// The division of a text into documents.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Documents {
    /// The text is a part of the document of this number, and begins with its word of this number.
    Part(u64, u64),
    /// Each line of the text is a document; the first has this number.
    Lines(u64),
}

/// The count and the words of a chunk.
#[derive(Debug, Clone, Copy, Default)]
struct ChunkRecord {
    /// The number of occurrences since the last flush.
    pending: u64,
    /// The number of its words.
    words: u32,
    /// The position of its only word in the table, or of the first of several in the list of positions.
    place: u32,
}

/// A chunk that is too long for a key.
#[derive(Debug, Clone, Copy)]
struct Long {
    start: usize,
    length: usize,
    known: ChunkRecord,
}

/// The chunks that a worker counted before.
#[derive(Debug, Default)]
pub(crate) struct ChunkCounts {
    buckets: Vec<Bucket<ChunkRecord>>,
    /// The number of entries inserted into the buckets since they last grew.
    filled: usize,
    long: HashTable<Long>,
    bytes: Vec<u8>,
    /// The positions of the words of chunks that have several.
    places: Vec<usize>,
}

/// Limits are small in debug builds, so that tests reach all of them.
const SMALL: bool = cfg!(debug_assertions);
/// The smallest and the largest number of buckets, 64 bytes each.
const MIN_BUCKETS: usize = if SMALL { 1 } else { 1 << 6 };
const MAX_BUCKETS: usize = if SMALL { 1 << 4 } else { 1 << 15 };
/// The largest number of long chunks, of their bytes, and of positions.
const MAX_LONG: usize = if SMALL { 1 << 3 } else { 1 << 16 };
const MAX_BYTES: usize = if SMALL { 1 << 8 } else { 1 << 21 };
const MAX_PLACES: usize = if SMALL { 1 << 4 } else { 1 << 16 };

impl CutPlan {
    /// Counts the words of `text`; the chunks that were seen keep the counts that are not yet flushed to `table`.
    ///
    /// Returns the number of the word after the last one in its document.
    pub(crate) fn count(
        &self,
        text: &str,
        documents: Documents,
        (seen, ChunkBuffers { list, keys, .. }): (&mut ChunkCounts, &mut ChunkBuffers),
        table: &mut impl WordTable,
    ) -> Result<u64> {
        let (bytes, kernel) = (text.as_bytes(), self.kernel);
        let mut position = Position::new(bytes, documents);
        let lines = matches!(documents, Documents::Lines(_));
        self.cut(text, 0, lines, list, |chunks| {
            kernel.call(
                #[inline(always)]
                || {
                    keys.fill(
                        bytes,
                        chunks,
                        self.fold,
                        #[inline(always)]
                        |hash, is_short| {
                            if is_short {
                                Bucket::prefetch(&seen.buckets, hash);
                            }
                        },
                    );
                },
            );
            for (&key, (start, end)) in keys.as_slice().iter().zip(chunks.iter()) {
                if start >= position.end {
                    position.advance(bytes, start);
                }
                let is_long = key.key == ChunkKey::NONE;
                let known =
                    if is_long { seen.long(&bytes[start..end]) } else { Bucket::get_mut(&mut seen.buckets, key) };
                position.word += match known {
                    Some(known) => {
                        known.pending += 1;
                        u64::from(known.words)
                    }
                    None => seen.on_miss(key, &text[start..end], position, table)?,
                };
            }
            Ok(())
        })?;
        Ok(position.word)
    }
}

/// A position in a text: its document, and the number of words of the document before it.
#[derive(Debug, Clone, Copy)]
struct Position {
    document: u64,
    /// The number of words of the document before this position.
    word: u64,
    /// The end of the document in bytes.
    end: usize,
}

impl Position {
    fn new(text: &[u8], documents: Documents) -> Self {
        match documents {
            Documents::Part(document, word) => Self { document, word, end: text.len() },
            Documents::Lines(document) => Self { document, word: 0, end: line_end(text, 0) },
        }
    }

    /// Advances to the document that contains a byte.
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
    /// Flushes the counts of all chunks and removes them.
    pub(crate) fn flush(&mut self, table: &mut impl WordTable) -> Result<()> {
        for mut entry in self.buckets.iter_mut().flat_map(|bucket| std::mem::take(bucket).0) {
            entry.value.flush(&self.places, table)?;
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

    #[inline(never)]
    fn long(&mut self, chunk: &[u8]) -> Option<&mut ChunkRecord> {
        let bytes = &self.bytes;
        self.long.find_mut(hash_one(chunk), |long| long.bytes(bytes) == chunk).map(|long| &mut long.known)
    }

    /// Adds the words of a new chunk to the table; returns the number of words.
    #[cold]
    fn on_miss(&mut self, key: HashedKey, chunk: &str, at: Position, table: &mut impl WordTable) -> Result<u64> {
        if self.places.len() >= MAX_PLACES {
            self.flush(table)?;
        }
        let first = self.places.len();
        table.on_miss(chunk, at.document, at.word, &mut self.places)?;
        let words = self.places.len() - first;
        let place = if words == 1 { self.places[first] } else { first };
        // A chunk that does not fit into an entry is split each time.
        let known = match (u32::try_from(words), u32::try_from(place)) {
            (Ok(words), Ok(place)) if chunk.len() <= MAX_CACHED => Some(ChunkRecord { pending: 0, words, place }),
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

    fn keep(&mut self, key: ChunkKey, chunk: &[u8], known: ChunkRecord, table: &mut impl WordTable) -> Result<()> {
        if key != ChunkKey::NONE {
            let size = self.buckets.len();
            if size == 0 || (self.filled > size && size < MAX_BUCKETS) {
                self.filled = 0;
                for entry in Bucket::grow(&mut self.buckets, MIN_BUCKETS, MAX_BUCKETS) {
                    self.put(entry, table)?;
                }
            }
            return self.put(Entry { key, value: known }, table);
        }
        if self.long.len() >= MAX_LONG || self.bytes.len() + chunk.len() > MAX_BYTES {
            self.flush_long(table)?;
        }
        let long = Long { start: self.bytes.len(), length: chunk.len(), known };
        self.bytes.extend_from_slice(chunk);
        let bytes = &self.bytes;
        self.long.insert_unique(hash_one(chunk), long, |long| hash_one(long.bytes(bytes)));
        Ok(())
    }

    /// Inserts an entry into its bucket, where it evicts the one with fewer occurrences.
    fn put(&mut self, entry: Entry<ChunkRecord>, table: &mut impl WordTable) -> Result<()> {
        let place = Bucket::place(&self.buckets, entry.key.hash());
        let bucket = &mut self.buckets[place].0;
        let worth = |entry: &Entry<ChunkRecord>| (!entry.is_empty(), entry.value.pending);
        if worth(&bucket[1]) < worth(&bucket[0]) {
            bucket.swap(0, 1);
        }
        // The counts of the remaining entries restart, so that chunks that were frequent earlier can be evicted.
        for entry in &mut *bucket {
            entry.value.flush(&self.places, table)?;
        }
        bucket[0] = entry;
        self.filled += 1;
        Ok(())
    }
}

impl ChunkRecord {
    fn flush(&mut self, places: &[usize], table: &mut impl WordTable) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        if pending == 0 {
            return Ok(());
        }
        let place = self.place as usize;
        match self.words {
            1 => table.flush(place, pending),
            words => places[place..][..words as usize].iter().try_for_each(|&place| table.flush(place, pending)),
        }
    }
}

impl Long {
    fn bytes<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start..][..self.length]
    }
}
