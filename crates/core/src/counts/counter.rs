//! Counts the words of documents: texts, or the lines of blocks of bytes.
//!
//! If the splitter has a fast path, each distinct chunk of text is normalized and split once, and later only counted.
//! The result is equal to that of the generic path, including first occurrences.

use std::sync::PoisonError;

use super::runs::{MAX_MERGED, Run, Spill, push_run, reduce};
use super::sorted::MergedWords;
use super::token_finder::TokenFinder;
use super::{FirstOccurrence, TextSplitter, WordCounts};
use crate::added::TextPart;
use crate::error::{Error, Result};
use crate::fast::{ChunkBuffers, ChunkCounts, CutPlan, Documents, WordTable};
use crate::pretokenize::words::Words;
use crate::text::span::{check_bytes, check_length};

/// A counter of the words of documents.
///
/// ```
/// use piecework_core::counts::Counter;
/// use piecework_core::splitter::WordSplitter;
///
/// let mut counter = Counter::new(WordSplitter::bert()?);
/// counter.add_text(0, "low lower low")?;
/// assert_eq!(counter.finish()?.by_first_occurrence(), [("low", 2), ("lower", 1)]);
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Counter {
    counts: WordCounts,
    words: Words,
    fast: Option<FastCounter>,
    /// One past the number of the last document, if documents come in order.
    next: u64,
    spill: Option<Spill>,
    /// The levels of runs written so far.
    runs: Vec<Vec<Run>>,
}

/// The fast path of a counter.
#[derive(Debug)]
struct FastCounter {
    plan: CutPlan,
    seen: ChunkCounts,
    chunks: ChunkBuffers,
    /// The search for added tokens, if there are any.
    finder: Option<TokenFinder>,
    /// The parts of a text between added tokens.
    parts: Vec<TextPart>,
}

/// The options for reading lines as documents.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lines {
    /// Whether invalid UTF-8 is replaced with U+FFFD; otherwise it is an error.
    pub replace: bool,
    /// Whether a line includes its line end.
    pub keep_ends: bool,
}

/// The position of a block of lines.
#[derive(Debug, Clone, Copy)]
pub struct BlockStart {
    /// The number of its first document, over all files.
    pub document: u64,
    /// The number of lines before it in its file.
    pub line: u64,
    /// The number of bytes before it in its file.
    pub byte: u64,
}

impl Counter {
    /// Returns an empty counter of the words that `splitter` produces.
    #[must_use]
    pub fn new(splitter: impl Into<TextSplitter>) -> Self {
        let splitter = splitter.into();
        let fast = |plan| FastCounter {
            plan,
            seen: ChunkCounts::default(),
            chunks: ChunkBuffers::default(),
            finder: TokenFinder::of(&splitter),
            parts: Vec::new(),
        };
        let fast = CutPlan::of_words(splitter.words()).ok().map(fast);
        Self { fast, ..Self::generic(splitter) }
    }

    /// Returns an empty counter that uses the generic path, for comparison with the fast path.
    #[must_use]
    pub fn generic(splitter: impl Into<TextSplitter>) -> Self {
        let counts = WordCounts::new(Some(splitter.into()));
        Self { counts, words: Words::default(), fast: None, next: 0, spill: None, runs: Vec::new() }
    }

    /// Returns the counter with a limit of memory, over which it writes its words as sorted runs.
    ///
    /// The limit is checked after each text or block, so a long text may exceed it.
    #[must_use]
    pub fn with_spill(self, spill: Spill) -> Self {
        Self { spill: Some(spill), ..self }
    }

    /// Adds the words of one document. Documents in ascending order are counted faster.
    pub fn add_text(&mut self, document: u64, text: &str) -> Result<()> {
        check_length(text)?;
        self.add(text, Documents::Part(document, 0), document.saturating_add(1))
    }

    /// Adds the lines of `block` as documents; it ends at a line end or at the end of the file.
    pub fn add_lines(&mut self, block: &[u8], at: BlockStart, lines: Lines) -> Result<()> {
        match simdutf8::compat::from_utf8(block) {
            // A line can only be too long if the block is.
            Ok(text) if check_bytes(block.len()).is_ok() && self.can_count_block(text, lines) => {
                self.add(text, Documents::Lines(at.document), at.after(block).document)
            }
            Err(error) if !lines.replace => Err(at.utf8_error(block, error.valid_up_to())),
            _ => {
                let texts = block.split_inclusive(|&byte| byte == b'\n').map(String::from_utf8_lossy);
                (at.document..).zip(texts).try_for_each(|(document, line)| {
                    self.add_text(document, if lines.keep_ends { &line } else { strip_line_end(&line) })
                })
            }
        }
    }

    /// Whether a block of lines can be counted without splitting it into lines: none has an added token.
    fn can_count_block(&mut self, block: &str, lines: Lines) -> bool {
        let (Some(fast), Some(splitter)) = (&mut self.fast, &self.counts.splitter) else { return false };
        fast.plan.counts_lines(lines.keep_ends)
            && fast.finder.as_mut().is_none_or(|finder| finder.excludes(splitter, block))
    }

    /// Returns the table of counts, with the words of all runs.
    pub fn finish(mut self) -> Result<WordCounts> {
        let Some(spill) = self.spill.clone().filter(|_| self.has_runs()) else {
            self.flush_chunks()?;
            return Ok(self.counts);
        };
        let splitter = self.counts.splitter.clone();
        let runs = reduce(self.into_runs()?, MAX_MERGED, &*spill.store, &|| false)?;
        WordCounts::from_sorted(splitter, MergedWords::new(runs)?)
    }

    /// Whether the counter has written words as runs.
    #[must_use]
    pub fn has_runs(&self) -> bool {
        !self.runs.is_empty()
    }

    /// Writes the remaining words as a run and returns all runs; there are none without a limit of memory.
    pub fn into_runs(mut self) -> Result<Vec<Run>> {
        self.write_run()?;
        Ok(self.runs.into_iter().flatten().collect())
    }

    /// Writes the words as a run if the table is over its limit.
    fn check_memory(&mut self) -> Result<()> {
        match &self.spill {
            Some(spill) if self.counts.memory() > spill.table_bytes => self.write_run(),
            _ => Ok(()),
        }
    }

    /// Writes the words as a run and empties the table.
    fn write_run(&mut self) -> Result<()> {
        self.flush_chunks()?;
        if let Some(spill) = &self.spill
            && !self.counts.is_empty()
        {
            if let Some(distinct) = &spill.distinct {
                let mut distinct = distinct.lock().unwrap_or_else(PoisonError::into_inner);
                self.counts.words().for_each(|counted| distinct.add(counted.word));
            }
            let run = Run::write(&*spill.store, self.counts.sorted())?;
            self.counts.clear();
            push_run(&mut self.runs, run, spill)?;
        }
        Ok(())
    }

    /// Adds the documents of a text; `next` is one past the last document's number.
    fn add(&mut self, text: &str, documents: Documents, next: u64) -> Result<()> {
        let (Documents::Part(first, _) | Documents::Lines(first)) = documents;
        if first < self.next {
            // A chunk cached for a later document may have its first occurrence here.
            self.flush_chunks()?;
        }
        self.next = next;
        if !self.count_fast(text, documents)? {
            self.counts.add_text(first, text, &mut self.words)?;
        }
        self.check_memory()
    }

    /// Counts a text on the fast path; returns false if it needs the generic path.
    fn count_fast(&mut self, text: &str, documents: Documents) -> Result<bool> {
        let Self { fast: Some(FastCounter { plan, seen, chunks, finder, parts }), counts, words, .. } = self else {
            return Ok(false);
        };
        let (Some(finder), &Documents::Part(document, first)) = (finder, &documents) else {
            plan.count(text, documents, (seen, chunks), &mut TableWriter { plan, counts, words })?;
            return Ok(true);
        };
        let is_cut = counts.splitter.as_ref().is_some_and(|splitter| finder.cut(splitter, text, parts).is_ok());
        // Only the part that begins the text may get a prefix.
        if !is_cut || parts.len() > 1 && !plan.begins_every_text() {
            return Ok(false);
        }
        let mut word = first;
        for part in &*parts {
            match *part {
                TextPart::Text(span) => {
                    let part = Documents::Part(document, word);
                    word = plan.count(
                        &text[span.range()],
                        part,
                        (seen, chunks),
                        &mut TableWriter { plan, counts, words },
                    )?;
                }
                // The token before has taken all of it.
                TextPart::Token(_, span) if span.start == span.end => {}
                TextPart::Token(id, _) => {
                    counts.add_token(id, FirstOccurrence { document, word })?;
                    word += 1;
                }
            }
        }
        Ok(true)
    }

    /// Writes the pending counts of chunks to the table.
    fn flush_chunks(&mut self) -> Result<()> {
        match &mut self.fast {
            Some(FastCounter { plan, seen, .. }) => {
                seen.flush(&mut TableWriter { plan, counts: &mut self.counts, words: &mut self.words })
            }
            None => Ok(()),
        }
    }
}

/// The table of words that new chunks are added to.
struct TableWriter<'a> {
    plan: &'a CutPlan,
    counts: &'a mut WordCounts,
    words: &'a mut Words,
}

impl WordTable for TableWriter<'_> {
    fn on_miss(&mut self, chunk: &str, document: u64, first: u64, indices: &mut Vec<usize>) -> Result<()> {
        match self.plan.piece_splitter(chunk, false) {
            Some(splitter) => splitter.split(chunk, false, self.words)?,
            None => self.counts.splitter.get_or_insert_default().words().split(chunk, false, self.words)?,
        }
        for (word, text) in (first..).zip(self.words.iter()) {
            indices.push(self.counts.add_nonempty(text, 1, FirstOccurrence { document, word })?);
        }
        Ok(())
    }

    fn flush(&mut self, index: usize, count: u64) -> Result<()> {
        self.counts.increase(index, count)
    }
}

impl BlockStart {
    /// Returns the position of the next block.
    #[must_use]
    pub fn after(self, block: &[u8]) -> Self {
        let lines = lines(block);
        Self { document: self.document + lines, line: self.line + lines, byte: self.byte + block.len() as u64 }
    }

    /// Returns the error for an invalid byte at `at` of the block.
    fn utf8_error(self, block: &[u8], at: usize) -> Error {
        Error::Utf8 { line: self.line + ends(&block[..at]) + 1, byte: self.byte + at as u64, value: block[at] }
    }
}

/// Returns the number of lines in a block, including an unterminated last line.
fn lines(block: &[u8]) -> u64 {
    ends(block) + u64::from(block.last().is_some_and(|&byte| byte != b'\n'))
}

/// Returns the number of line ends in a block.
fn ends(block: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', block).count() as u64
}

/// Returns a line without its line end.
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
    use crate::splitter::WordSplitter;

    /// Returns a counter on the fast path and one on the generic path.
    fn counters() -> [Counter; 2] {
        let splitter = WordSplitter::new(None, Some(PreTokenizer::WhitespaceSplit)).unwrap();
        [Counter::new(splitter.clone()), Counter::generic(splitter)]
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
    fn invalid_bytes_are_reported_or_replaced() {
        for mut counter in counters() {
            let error = counter.add_lines(b"a\nb\xffc\n\xff", START, Lines::default()).unwrap_err();
            assert_eq!(error, Error::Utf8 { line: 7, byte: 53, value: 0xff });
            let error = counter.add_lines("é".as_bytes().split_at(1).0, START, Lines::default()).unwrap_err();
            assert_eq!(error, Error::Utf8 { line: 6, byte: 50, value: 0xc3 });
        }
        for mut counter in counters() {
            counter.add_lines(b"a\nx\xff\nx", START, Lines { replace: true, ..Lines::default() }).unwrap();
            let counts = counter.finish().unwrap();
            assert_eq!(counts.get("x\u{fffd}"), Some((1, FirstOccurrence { document: 6, word: 0 })));
            assert_eq!(counts.get("x"), Some((1, FirstOccurrence { document: 7, word: 0 })));
        }
    }

    #[test]
    fn documents_may_come_in_any_order() {
        for mut counter in counters() {
            for (document, text) in [(7, "b a"), (3, "c a b"), (3, "b"), (4, "a")] {
                counter.add_text(document, text).unwrap();
            }
            let counts = counter.finish().unwrap();
            assert_eq!(counts.get("a"), Some((3, FirstOccurrence { document: 3, word: 1 })));
            assert_eq!(counts.get("b"), Some((3, FirstOccurrence { document: 3, word: 0 })));
        }
    }
}
