//! Counting the words of texts and of files.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use piecework_core::Error;
use piecework_core::counts::{self, BlockStart, Counter, FirstOccurrence, Lines};
use piecework_core::format::{read_counts, read_splitter, write_counts, write_splitter};
use piecework_core::splitter::WordSplitter;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyDict, PyString};

use crate::arguments::string;
use crate::blocks::open;
use crate::errors::{from_io, in_file, in_settings, to_py, utf8};
use crate::functions::functions;
use crate::input::texts;
use crate::threads::{self, Tickets};

/// The number of bytes that a thread reads at a time.
const BLOCK: usize = 1 << 20;
/// The number of texts that a thread takes at a time.
const TEXTS: usize = 64;

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
        let read = py.detach(|| read_counts(data));
        read.map(|inner| Self { inner }).map_err(|error| to_py(py, &error))
    }

    #[staticmethod]
    fn from_mapping(mapping: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut inner = counts::WordCounts::new(None);
        for (document, (word, count)) in (0..).zip(mapping.iter()) {
            let first = FirstOccurrence { document, word: 0 };
            let word = word.cast::<PyString>()?;
            inner.add(utf8(word)?, count.extract()?, first).map_err(|error| to_py(mapping.py(), &error))?;
        }
        Ok(Self { inner })
    }

    fn merged(&self, py: Python<'_>, other: &Self) -> PyResult<Self> {
        let merged = py.detach(|| {
            let mut sum = self.inner.clone();
            sum.merge(&other.inner).map(|()| sum)
        });
        merged.map(|inner| Self { inner }).map_err(|error| to_py(py, &error))
    }

    fn to_text(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| write_counts(&self.inner)).map_err(|error| to_py(py, &error))
    }

    /// Returns the table with another splitter (JSON), or with none.
    fn with_splitter(&self, py: Python<'_>, splitter: Option<&str>, functions: Vec<Py<PyAny>>) -> PyResult<Self> {
        let functions = self::functions(functions);
        let splitter = splitter.map(|splitter| read_splitter(splitter, &functions)).transpose();
        let splitter = splitter.map_err(|error| to_py(py, &error))?;
        Ok(Self { inner: self.inner.clone().with_splitter(splitter) })
    }

    fn splitter(&self) -> Option<String> {
        self.inner.splitter().map(write_splitter)
    }

    fn fingerprint(&self, py: Python<'_>) -> String {
        py.detach(|| self.inner.fingerprint())
    }

    fn get(&self, word: &Bound<'_, PyAny>) -> PyResult<Option<(u64, (u64, u64))>> {
        let found = self.inner.get(string("word", word)?);
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
        let splitter = read_splitter(splitter, &self::functions(functions)).map_err(|error| in_settings(py, &error))?;
        let foreign = py.detach(|| self.inner.foreign_to(&splitter, limit)).map_err(|error| to_py(py, &error))?;
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
    splitter: WordSplitter,
    documents: u64,
}

#[pymethods]
impl WordCounter {
    #[new]
    fn new(
        py: Python<'_>,
        splitter: &str,
        functions: Vec<Py<PyAny>>,
        threads: Option<threads::Requested>,
        first_document: u64,
    ) -> PyResult<Self> {
        let splitter = read_splitter(splitter, &self::functions(functions)).map_err(|error| in_settings(py, &error))?;
        let shards = (0..threads::number(threads)).map(|_| Counter::new(splitter.clone())).collect();
        Ok(Self { shards, splitter, documents: first_document })
    }

    /// Counts the texts of a list, each as one document.
    fn add_texts(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let texts = texts("texts", "text", batch)?;
        let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
        let first = self.documents;
        let tickets = Tickets::new(texts.len().div_ceil(TEXTS));
        let work = |shard: &mut Counter, stop: &AtomicBool| {
            while let Some(ticket) = tickets.next() {
                if stop.load(Ordering::Relaxed) {
                    return Err(Error::Interrupted);
                }
                let start = ticket * TEXTS;
                for (document, text) in (first + start as u64..).zip(&texts[start..texts.len().min(start + TEXTS)]) {
                    shard.add_text(document, text)?;
                }
            }
            Ok(())
        };
        let workers = self.shards.iter_mut().take(texts.len().div_ceil(TEXTS)).collect();
        for done in threads::run(py, workers, work, threads::no_progress)? {
            done.map_err(|error| to_py(py, &error))?;
        }
        self.documents += texts.len() as u64;
        Ok(())
    }

    /// Counts the lines of a UTF-8 file, each as one document; calls `progress` with the bytes read.
    fn add_file(
        &mut self,
        py: Python<'_>,
        path: PathBuf,
        replace: bool,
        keep_ends: bool,
        progress: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let lines = Lines { replace, keep_ends };
        let blocks = Mutex::new(Blocks::new(open(py, &path)?, self.documents));
        let work = |shard: &mut Counter, stop: &AtomicBool| {
            let mut block = Vec::new();
            loop {
                if stop.load(Ordering::Relaxed) {
                    return Err(Failure::Core(Error::Interrupted));
                }
                let next = blocks.lock().map_err(|_| Failure::Core(Error::Interrupted))?.next(&mut block);
                let Some(start) = next.map_err(Failure::Io)? else { return Ok(()) };
                if let Err(error) = shard.add_lines(&block, start, lines) {
                    stop.store(true, Ordering::Relaxed);
                    return Err(Failure::Core(error));
                }
            }
        };
        let progress = progress.clone().unbind();
        let tick = |py: Python<'_>| {
            let read = blocks.try_lock().map_or(0, |blocks| blocks.start.byte);
            if read > 0 { progress.call1(py, (read,)).map(|_| ()) } else { Ok(()) }
        };
        let results = threads::run(py, self.shards.iter_mut().collect(), work, tick)?;
        if let Some(failure) = results.into_iter().filter_map(Result::err).min_by_key(Failure::rank) {
            return Err(match failure {
                Failure::Io(error) => from_io(py, &error, &path),
                Failure::Core(error) => in_file(py, &error, &path),
            });
        }
        self.documents = blocks.into_inner().map_or(self.documents, |blocks| blocks.start.document);
        Ok(())
    }

    #[getter]
    fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns the sum of all tables; the counter is empty afterwards.
    fn finish(&mut self, py: Python<'_>) -> PyResult<WordCounts> {
        let shards = std::mem::take(&mut self.shards);
        let merged = py.detach(|| {
            let mut tables = shards.into_iter().map(Counter::finish);
            let none = || Ok(counts::WordCounts::new(Some(self.splitter.clone())));
            let first = tables.next().unwrap_or_else(none)?;
            tables.try_fold(first, |mut sum, table| {
                sum.merge(&table?)?;
                Ok(sum)
            })
        });
        merged.map(|inner| WordCounts { inner }).map_err(|error| to_py(py, &error))
    }
}

enum Failure {
    Io(std::io::Error),
    Core(Error),
}

impl Failure {
    /// Orders failures: the first invalid byte, then other errors, then interruptions that they caused.
    fn rank(&self) -> u64 {
        match self {
            Self::Core(Error::Interrupted) => u64::MAX,
            Self::Core(Error::Utf8 { byte, .. }) => *byte,
            _ => u64::MAX - 1,
        }
    }
}

/// A file in blocks that end at line ends.
struct Blocks {
    file: File,
    rest: Vec<u8>,
    start: BlockStart,
}

impl Blocks {
    fn new(file: File, document: u64) -> Self {
        Self { file, rest: Vec::new(), start: BlockStart { document, line: 0, byte: 0 } }
    }

    /// Reads the next block into `block` and returns its start; a line longer than a block makes a longer block.
    fn next(&mut self, block: &mut Vec<u8>) -> std::io::Result<Option<BlockStart>> {
        block.clear();
        block.append(&mut self.rest);
        loop {
            let before = block.len();
            let read = (&mut self.file).take(BLOCK as u64).read_to_end(block)?;
            if read == 0 {
                break;
            }
            if let Some(end) = block[before..].iter().rposition(|&byte| byte == b'\n') {
                self.rest.extend_from_slice(&block[before + end + 1..]);
                block.truncate(before + end + 1);
                break;
            }
        }
        if block.is_empty() {
            return Ok(None);
        }
        let start = self.start;
        self.start = start.after(block);
        Ok(Some(start))
    }
}
