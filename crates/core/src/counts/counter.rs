//! Counting documents: texts, and the lines of blocks of bytes.
//!
//! Where the splitter has a fast path, a chunk of text is normalized and split once, and then only counted. The table is
//! the one that the generic path makes, first sights included.

use super::{FirstSight, WordCounts};
use crate::error::{Error, Result};
use crate::fast::{ChunkCounts, Documents, FastPath, WordTable};
use crate::pretokenize::words::Words;
use crate::splitter::WordSplitter;
use crate::text::span::{check_bytes, check_length};

/// Counts the words of documents.
#[derive(Debug)]
pub struct Counter {
    counts: WordCounts,
    words: Words,
    fast: Option<(FastPath, ChunkCounts)>,
    /// Behind the last document, where documents come in order.
    next: u64,
}

/// What lines are to the documents that they are.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lines {
    /// Whether bytes that are not UTF-8 become U+FFFD; else they are an error.
    pub replace: bool,
    /// Whether the end of a line belongs to it.
    pub keep_ends: bool,
}

/// Where a block of lines stands.
#[derive(Debug, Clone, Copy)]
pub struct BlockStart {
    /// The number of its first document, over all files.
    pub document: u64,
    /// The lines of its file before it.
    pub line: u64,
    /// The bytes of its file before it.
    pub byte: u64,
}

impl Counter {
    /// Counts words as `splitter` makes them.
    #[must_use]
    pub fn new(splitter: WordSplitter) -> Self {
        let fast = FastPath::new(&splitter).ok().map(|fast| (fast, ChunkCounts::default()));
        Self { fast, ..Self::general(splitter) }
    }

    /// The same on the generic path, which every splitter can take: what the fast one is held against.
    #[must_use]
    pub fn general(splitter: WordSplitter) -> Self {
        Self { counts: WordCounts::new(Some(splitter)), words: Words::default(), fast: None, next: 0 }
    }

    /// Adds the words of one document. Documents of ascending numbers are counted faster than others.
    pub fn add_text(&mut self, document: u64, text: &str) -> Result<()> {
        check_length(text)?;
        self.add(text, Documents::One(document), document.saturating_add(1))
    }

    /// Adds the lines of `block`, each a document; the block ends at a line's end or the file's.
    pub fn add_lines(&mut self, block: &[u8], at: BlockStart, lines: Lines) -> Result<()> {
        match simdutf8::compat::from_utf8(block) {
            // A line may be too long only where the block is.
            Ok(text) if self.takes_blocks(lines) && check_bytes(block.len()).is_ok() => {
                self.add(text, Documents::Lines(at.document), at.after(block).document)
            }
            Err(error) if !lines.replace => Err(at.broken(block, error.valid_up_to())),
            _ => {
                let texts = block.split_inclusive(|&byte| byte == b'\n').map(String::from_utf8_lossy);
                (at.document..).zip(texts).try_for_each(|(document, line)| {
                    self.add_text(document, if lines.keep_ends { &line } else { strip_line_end(&line) })
                })
            }
        }
    }

    /// Whether a block of lines may be counted as it stands.
    fn takes_blocks(&self, lines: Lines) -> bool {
        self.fast.as_ref().is_some_and(|(fast, _)| fast.counts_lines(lines.keep_ends))
    }

    /// The table.
    pub fn finish(mut self) -> Result<WordCounts> {
        self.settle()?;
        Ok(self.counts)
    }

    /// Adds the documents of a text; `next` is the number behind the last.
    fn add(&mut self, text: &str, documents: Documents, next: u64) -> Result<()> {
        let (Documents::One(first) | Documents::Lines(first)) = documents;
        if first < self.next {
            // A chunk that was met in a later document was not yet seen first.
            self.settle()?;
        }
        self.next = next;
        match &mut self.fast {
            Some((fast, chunks)) => {
                fast.count(text, documents, chunks, &mut Sink { counts: &mut self.counts, words: &mut self.words })
            }
            None => self.counts.add_text(first, text, &mut self.words),
        }
    }

    fn settle(&mut self) -> Result<()> {
        match &mut self.fast {
            Some((_, chunks)) => chunks.flush(&mut Sink { counts: &mut self.counts, words: &mut self.words }),
            None => Ok(()),
        }
    }
}

/// Takes the words of chunks.
struct Sink<'a> {
    counts: &'a mut WordCounts,
    words: &'a mut Words,
}

impl WordTable for Sink<'_> {
    fn on_miss(&mut self, chunk: &str, document: u64, first: u64, places: &mut Vec<usize>) -> Result<()> {
        self.counts.splitter.get_or_insert_default().split(chunk, false, self.words)?;
        for (word, text) in (first..).zip(self.words.iter()) {
            places.push(self.counts.add_at(text, 1, FirstSight { document, word })?);
        }
        Ok(())
    }

    fn flush(&mut self, place: usize, count: u64) -> Result<()> {
        self.counts.raise(place, count)
    }
}

impl BlockStart {
    /// Where the next block stands.
    #[must_use]
    pub fn after(self, block: &[u8]) -> Self {
        let lines = lines(block);
        Self { document: self.document + lines, line: self.line + lines, byte: self.byte + block.len() as u64 }
    }

    /// Tells where a byte of the block stands that is not UTF-8.
    fn broken(self, block: &[u8], at: usize) -> Error {
        Error::Utf8 { line: self.line + ends(&block[..at]) + 1, byte: self.byte + at as u64, value: block[at] }
    }
}

/// How many lines a block holds, with what stands behind the last line end.
fn lines(block: &[u8]) -> u64 {
    ends(block) + u64::from(block.last().is_some_and(|&byte| byte != b'\n'))
}

/// How many lines end in a block.
fn ends(block: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', block).count() as u64
}

/// A line without its end.
#[must_use]
pub fn strip_line_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pretokenize::PreTokenizer;
    use crate::settings::ByteLevel;

    /// On the fast path, and on the general one.
    fn counters() -> [Counter; 2] {
        let splitter = WordSplitter::new(None, Some(PreTokenizer::WhitespaceSplit)).unwrap();
        [Counter::new(splitter.clone()), Counter::general(splitter)]
    }

    const START: BlockStart = BlockStart { document: 5, line: 5, byte: 50 };

    #[test]
    fn lines_are_documents() {
        for mut counter in counters() {
            counter.add_lines(b"a b\r\n\nc b a\nd", START, Lines::default()).unwrap();
            let counts = counter.finish().unwrap();
            let found =
                counts.by_word().into_iter().map(|(word, count, first)| (word, count, first.document, first.word));
            assert_eq!(found.collect::<Vec<_>>(), [("a", 2, 5, 0), ("b", 2, 5, 1), ("c", 1, 7, 0), ("d", 1, 8, 0)]);
        }
    }

    #[test]
    fn lines_may_keep_their_ends() {
        for (keep_ends, words) in [(false, ["a", "b", "\u{120}"]), (true, ["a\u{10d}\u{10a}", "b\u{10a}", "\u{120}"])] {
            let bytes =
                PreTokenizer::ByteLevel(ByteLevel { use_regex: false, add_prefix_space: false, trim_offsets: true });
            let mut counter = Counter::new(WordSplitter::new(None, Some(bytes)).unwrap());
            counter.add_lines(b"a\r\nb\n ", START, Lines { keep_ends, ..Lines::default() }).unwrap();
            let counts = counter.finish().unwrap();
            assert_eq!(counts.by_first_occurrence().into_iter().map(|(word, _)| word).collect::<Vec<_>>(), words);
        }
    }

    #[test]
    fn broken_bytes_are_found_or_replaced() {
        for mut counter in counters() {
            let error = counter.add_lines(b"a\nb\xffc\n\xff", START, Lines::default()).unwrap_err();
            assert_eq!(error, Error::Utf8 { line: 7, byte: 53, value: 0xff });
            let error = counter.add_lines("é".as_bytes().split_at(1).0, START, Lines::default()).unwrap_err();
            assert_eq!(error, Error::Utf8 { line: 6, byte: 50, value: 0xc3 });
        }
        for mut counter in counters() {
            counter.add_lines(b"a\nx\xff\nx", START, Lines { replace: true, ..Lines::default() }).unwrap();
            let counts = counter.finish().unwrap();
            assert_eq!(counts.get("x\u{fffd}"), Some((1, FirstSight { document: 6, word: 0 })));
            assert_eq!(counts.get("x"), Some((1, FirstSight { document: 7, word: 0 })));
        }
    }

    #[test]
    fn documents_may_come_in_any_order() {
        for mut counter in counters() {
            for (document, text) in [(7, "b a"), (3, "c a b"), (3, "b"), (4, "a")] {
                counter.add_text(document, text).unwrap();
            }
            let counts = counter.finish().unwrap();
            assert_eq!(counts.get("a"), Some((3, FirstSight { document: 3, word: 1 })));
            assert_eq!(counts.get("b"), Some((3, FirstSight { document: 3, word: 0 })));
        }
    }
}
