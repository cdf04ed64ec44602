//! Counting the words of texts and of files.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use piecework_core::Error;
use piecework_core::counts::{
    self, BlockStart, Counter, DistinctWords, FirstOccurrence, Lines, MAX_MERGED, MergedWords, Run, SortedWords, Spill,
    TextSplitter, reduce, too_many_bytes_so_far,
};
use piecework_core::format::{read_counts, read_text_splitter, write_counts, write_text_splitter};
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyString};

use crate::arguments::string;
use crate::arrow::ArrowTexts;
use crate::blocks::{FileBlockError, FileBlocks, last_line_end, open, report};
use crate::counts_files::{Summary, merged_files, until_interrupted, write_bucket_files, write_file};
use crate::errors::{from_io, from_storage, in_file, in_settings, to_py, utf8};
use crate::functions;
use crate::input::texts;
use crate::temporary::WorkFolder;
use crate::threads::{self, TaskNumbers, detach};
use crate::utf8::checked;

/// The number of bytes that a thread reads at a time.
const BLOCK: usize = 1 << 20;
/// The number of texts that a thread takes at a time.
const TEXTS: usize = 64;
/// The memory of a thread besides its table: the cache of chunks, a block, and what a block adds to a full table.
const THREAD_BYTES: usize = 8 << 20;
/// The limit of a table if nothing is left for it.
const MIN_TABLE_BYTES: usize = 1 << 16;
/// The smallest number of runs of one thread that are merged into one.
const MIN_RUNS: usize = 8;

/// A table of word counts.
#[derive(PartialEq, Eq)]
#[pyclass(frozen, module = "piecework._core", eq)]
pub(crate) struct WordCounts {
    pub(crate) inner: counts::WordCounts,
}

#[pymethods]
impl WordCounts {
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let read = detach(py, || read_counts(data))?;
        read.map(|inner| Self { inner }).map_err(to_py)
    }

    #[staticmethod]
    fn from_mapping(mapping: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut inner = counts::WordCounts::new(None);
        for (document, (word, count)) in (0..).zip(mapping.iter()) {
            let first = FirstOccurrence { document, word: 0 };
            let word = word.cast::<PyString>()?;
            inner.add(utf8(word)?, count.extract()?, first).map_err(to_py)?;
        }
        Ok(Self { inner: inner.without_index() })
    }

    fn merged(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let merged = detach(py, || {
            let mut sum = self.inner.clone();
            sum.merge(&other.inner).map(|()| sum.without_index())
        })?;
        merged.map(|inner| Self { inner }).map_err(to_py)
    }

    /// Returns the sum of the tables of files, unless it takes more memory; the files are read at once, a word at a time.
    #[staticmethod]
    fn from_files(
        py: Python<'_>,
        paths: Vec<PathBuf>,
        work_dir: Option<PathBuf>,
        max_memory: Option<usize>,
    ) -> PyResult<Self> {
        let files = paths.into_iter().map(|path| (path, 0)).collect();
        let (splitter, words) = merged_files(py, files, work_dir)?;
        Ok(Self { inner: table_within(py, max_memory, splitter, words)? })
    }

    /// Writes the table to an existing file.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<Summary> {
        write_file(py, self.inner.sorted(), self.inner.splitter(), &path)
    }

    fn to_text(&self, py: Python<'_>) -> PyResult<String> {
        detach(py, || write_counts(&self.inner))?.map_err(to_py)
    }

    /// Returns the table with another splitter (JSON), or with none.
    fn with_splitter(&self, splitter: Option<&str>, functions: Vec<Py<PyAny>>) -> PyResult<Self> {
        let functions = functions::functions(functions);
        let splitter = splitter.map(|splitter| read_text_splitter(splitter, &functions)).transpose();
        let splitter = splitter.map_err(to_py)?;
        Ok(Self { inner: self.inner.clone().with_splitter(splitter) })
    }

    fn splitter(&self) -> Option<String> {
        self.inner.splitter().map(write_text_splitter)
    }

    fn fingerprint(&self, py: Python<'_>) -> String {
        py.detach(|| self.inner.fingerprint())
    }

    fn get(&self, word: &Bound<'_, PyAny>) -> PyResult<Option<(u64, (u64, u64))>> {
        let (py, word) = (word.py(), string("word", word)?);
        let found = detach(py, || self.inner.get(word))?;
        Ok(found.map(|(count, first)| (count, (first.document, first.word))))
    }

    fn by_first_occurrence(&self) -> Vec<(&str, u64)> {
        self.inner.by_first_occurrence()
    }

    fn foreign_to(
        &self,
        py: Python<'_>,
        splitter: &str,
        functions: Vec<Py<PyAny>>,
        limit: usize,
    ) -> PyResult<Vec<String>> {
        let splitter = functions::splitter(splitter, functions)?;
        let foreign = detach(py, || self.inner.foreign_to(&splitter, limit))?.map_err(to_py)?;
        Ok(foreign.into_iter().map(str::to_owned).collect())
    }

    #[getter]
    fn total(&self) -> u64 {
        self.inner.total()
    }

    fn __len__(&self) -> usize {
        self.inner.len()
    }
}

/// A counter on several threads, each with its own table until the end.
#[pyclass(module = "piecework._core")]
pub(crate) struct WordCounter {
    shards: Vec<Counter>,
    splitter: TextSplitter,
    documents: u64,
    /// The folder for the words that exceed the limit of memory, if there is one.
    work: Option<Arc<WorkFolder>>,
    /// The limit of the table's size, and what estimates that, if the table must be within the limit of memory, too.
    table: Option<(usize, Arc<Mutex<DistinctWords>>)>,
}

#[pymethods]
impl WordCounter {
    /// `memory` has the limit in bytes, which the threads share; the folder for the words that exceed it; and whether the whole
    /// table must be within the limit, too, so that counting ends as soon as it is not.
    #[new]
    fn new(
        splitter: &str,
        functions: Vec<Py<PyAny>>,
        threads: Option<threads::ThreadCount>,
        first_document: u64,
        memory: Option<(usize, Option<PathBuf>, bool)>,
    ) -> PyResult<Self> {
        let splitter = read_text_splitter(splitter, &functions::functions(functions)).map_err(in_settings)?;
        let threads = threads::number(threads);
        let Some((max_memory, work_dir, limits_table)) = memory else {
            let shards = (0..threads).map(|_| Counter::new(splitter.clone())).collect();
            return Ok(Self { shards, splitter, documents: first_document, work: None, table: None });
        };
        let work = WorkFolder::new(work_dir).map_err(|error| from_storage(&error))?;
        let table = limits_table.then(|| (max_memory, Arc::default()));
        let distinct = table.as_ref().map(|(_, distinct)| Arc::clone(distinct));
        let shards = limited_counters(&splitter, threads, max_memory, &work, distinct);
        Ok(Self { shards, splitter, documents: first_document, work: Some(work), table })
    }

    /// Counts the texts of a list, each as one document.
    fn add_texts(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let texts = texts("texts", "text", batch)?;
        let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
        self.add_documents(py, texts.len(), |place| Ok(texts[place]))
    }

    /// Counts the texts of a column, each as one document.
    fn add_column(&mut self, py: Python<'_>, column: &ArrowTexts) -> PyResult<()> {
        self.add_documents(py, column.len(), |place| checked(column.get(place)))
    }

    /// Counts the lines of a UTF-8 file, each as one document; calls `progress` with the bytes read.
    fn add_file(&mut self, path: PathBuf, replace: bool, keep_ends: bool, progress: &Bound<'_, PyAny>) -> PyResult<()> {
        let lines = Lines { replace, keep_ends };
        let start = BlockStart { document: self.documents, line: 0, byte: 0 };
        let blocks = Mutex::new((FileBlocks::new(Box::new(open(&path)?), BLOCK), start));
        // The others end the blocks that they have, which may have an earlier fault.
        let failed = AtomicBool::new(false);
        let work = |shard: &mut Counter, stop: &AtomicBool| {
            let mut block = Vec::new();
            loop {
                if stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed) {
                    return Err(FileBlockError::Core(Error::Interrupted));
                }
                let mut blocks = blocks.lock().map_err(|_| FileBlockError::Core(Error::Interrupted))?;
                let Some(start) = next_lines(&mut blocks, &mut block)? else { return Ok(()) };
                drop(blocks);
                if let Err(error) = shard.add_lines(&block, start, lines) {
                    failed.store(true, Ordering::Relaxed);
                    return Err(FileBlockError::Core(error));
                }
            }
        };
        let (py, progress) = (progress.py(), progress.clone().unbind());
        let table = self.table.as_ref();
        let tick = |py: Python<'_>| {
            check_table(table)?;
            report(py, &progress, blocks.try_lock().map_or(0, |blocks| blocks.1.byte))
        };
        let results = threads::run(py, self.shards.iter_mut().collect(), work, tick)?;
        if let Some(failure) = results.into_iter().filter_map(Result::err).min_by_key(rank) {
            return Err(match failure {
                FileBlockError::Io(error) => from_io(&error, &path),
                FileBlockError::Core(error) => in_file(error, &path),
            });
        }
        self.documents = blocks.into_inner().map_or(self.documents, |(_, start)| start.document);
        Ok(())
    }

    #[getter]
    fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns the sum of all tables, unless its size is limited and exceeds that; the counter is empty afterwards.
    fn finish(&mut self, py: Python<'_>) -> PyResult<WordCounts> {
        let splitter = Some(self.splitter.clone());
        let inner = if let Some(runs) = self.runs(py)? {
            table_within(py, self.table.as_ref().map(|&(most, _)| most), splitter, runs)?
        } else {
            self.sum(py)?.unwrap_or_else(|| counts::WordCounts::new(splitter))
        };
        Ok(WordCounts { inner: inner.without_index() })
    }

    /// Writes the sum of all tables to existing files, a word at a time, each word to the file of its bucket; the counter
    /// is empty afterwards.
    fn write(&mut self, py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<Vec<Summary>> {
        let splitter = self.splitter.clone();
        if let Some(runs) = self.runs(py)? {
            return write_bucket_files(py, runs, Some(&splitter), &paths);
        }
        let tables: Vec<_> = detach(py, || self.tables().collect::<Result<_, _>>())?.map_err(to_py)?;
        let words = detach(py, || MergedWords::new(tables.iter().map(counts::WordCounts::sorted).collect()))?;
        write_bucket_files(py, words.map_err(to_py)?, Some(&splitter), &paths)
    }
}

impl WordCounter {
    /// Takes the tables of the threads.
    fn tables(&mut self) -> impl Iterator<Item = Result<counts::WordCounts, Error>> + use<> {
        std::mem::take(&mut self.shards).into_iter().map(Counter::finish)
    }

    /// Takes the tables of the threads and adds them up, in pairs on several threads; `None` if there are none.
    fn sum(&mut self, py: Python<'_>) -> PyResult<Option<counts::WordCounts>> {
        let mut tables: Vec<_> = detach(py, || self.tables().collect::<Result<_, _>>())?.map_err(to_py)?;
        while tables.len() > 1 {
            let mut pairs = Vec::new();
            let mut rest = tables.into_iter();
            while let Some(one) = rest.next() {
                pairs.push((one, rest.next()));
            }
            let add = |(mut one, other): (counts::WordCounts, Option<counts::WordCounts>), _: &AtomicBool| {
                other.map_or(Ok(()), |other| one.merge(&other)).map(|()| one)
            };
            let sums = threads::run(py, pairs, add, threads::no_progress)?;
            tables = sums.into_iter().collect::<Result<_, _>>().map_err(to_py)?;
        }
        Ok(tables.pop())
    }

    /// Takes the words of the threads as a merge of runs; None if all fit into memory.
    fn runs(&mut self, py: Python<'_>) -> PyResult<Option<impl SortedWords + Send + use<>>> {
        let Some(work) = self.work.as_ref().filter(|_| self.shards.iter().any(Counter::has_runs)) else {
            return Ok(None);
        };
        let last = |shard: Counter, _: &AtomicBool| shard.into_runs();
        let mut runs: Vec<Run> = Vec::new();
        for each in threads::run(py, std::mem::take(&mut self.shards), last, threads::no_progress)? {
            runs.extend(each.map_err(to_py)?);
        }
        let few =
            |stop: &AtomicBool| MergedWords::new(reduce(runs, MAX_MERGED, &**work, &|| stop.load(Ordering::Relaxed))?);
        threads::run_one(py, few)?.map(Some).map_err(to_py)
    }

    /// Counts a number of texts on all threads, each as one document.
    fn add_documents<'a>(
        &mut self,
        py: Python<'_>,
        count: usize,
        text: impl Fn(usize) -> piecework_core::Result<&'a str> + Sync,
    ) -> PyResult<()> {
        let first = self.documents;
        let tickets = TaskNumbers::new(count.div_ceil(TEXTS));
        let work = |shard: &mut Counter, stop: &AtomicBool| {
            while let Some(ticket) = tickets.next() {
                if stop.load(Ordering::Relaxed) {
                    return Err(Error::Interrupted);
                }
                let start = ticket * TEXTS;
                for place in start..count.min(start + TEXTS) {
                    shard.add_text(first + place as u64, text(place)?)?;
                }
            }
            Ok(())
        };
        let workers = self.shards.iter_mut().take(count.div_ceil(TEXTS)).collect();
        for done in threads::run(py, workers, work, threads::no_progress)? {
            done.map_err(to_py)?;
        }
        self.documents += count as u64;
        check_table(self.table.as_ref())
    }
}

/// Returns the table of words that come one at a time, or an error with its size if that is more than `most` bytes.
fn table_within(
    py: Python<'_>,
    most: Option<usize>,
    splitter: Option<TextSplitter>,
    words: impl SortedWords + Send,
) -> PyResult<counts::WordCounts> {
    let most = most.unwrap_or(usize::MAX);
    until_interrupted(py, words, |words| counts::WordCounts::from_sorted_within(most, splitter, words))
}

/// Returns an error if the table of the words so far exceeds its limit in any case.
fn check_table(table: Option<&(usize, Arc<Mutex<DistinctWords>>)>) -> PyResult<()> {
    let Some((most, distinct)) = table else { return Ok(()) };
    // A thread that adds words has it; then the next question has the answer.
    let size = distinct.try_lock().map_or(0, |distinct| distinct.least_size());
    if size > *most { Err(to_py(too_many_bytes_so_far(size))) } else { Ok(()) }
}

/// Returns counters that share `max_memory` bytes; fewer than `threads` if their shares would be too small.
fn limited_counters(
    splitter: &TextSplitter,
    threads: usize,
    max_memory: usize,
    work: &Arc<WorkFolder>,
    distinct: Option<Arc<Mutex<DistinctWords>>>,
) -> Vec<Counter> {
    let threads = threads.min(max_memory / (2 * THREAD_BYTES)).max(1);
    let spill = Spill {
        table_bytes: (max_memory / threads).saturating_sub(THREAD_BYTES).max(MIN_TABLE_BYTES),
        max_runs: (MAX_MERGED / threads).max(MIN_RUNS),
        store: work.clone(),
        distinct,
    };
    (0..threads).map(|_| Counter::new(splitter.clone()).with_spill(spill.clone())).collect()
}

/// Orders failures: the first invalid byte, then other errors, then interruptions that they caused.
fn rank(failure: &FileBlockError) -> u64 {
    match failure {
        FileBlockError::Core(Error::Interrupted) => u64::MAX,
        FileBlockError::Core(Error::Utf8 { byte, .. }) => *byte,
        _ => u64::MAX - 1,
    }
}

/// Reads the next lines into `block` and returns where they start; moves `start` to their end.
fn next_lines(
    (blocks, start): &mut (FileBlocks<'_>, BlockStart),
    block: &mut Vec<u8>,
) -> Result<Option<BlockStart>, FileBlockError> {
    if blocks.next(block, last_line_end)?.is_none() || block.is_empty() {
        return Ok(None);
    }
    let first = *start;
    *start = first.after(block);
    Ok(Some(first))
}
