//! Files of word counts, read and written one word at a time.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use piecework_core::Error;
use piecework_core::counts::{
    CountedWord, FirstOccurrence, Interruptible, MAX_MERGED, MergedWords, Run, SortedWords, TextSplitter, reduce,
};
use piecework_core::error::Message;
use piecework_core::format::{CountsReader, CountsSummary, write_buckets, write_sorted_counts};
use pyo3::prelude::*;

use crate::blocks::open;
use crate::errors::{from_io, from_storage, in_file, to_core, to_py};
use crate::temporary::{FileWithPath, WorkFolder};
use crate::threads;
use crate::threads::detach;

/// The number of words, the sum of their counts, and the fingerprint of a table.
pub(crate) type Summary = (u64, u64, String);

/// Words that come one at a time from a file, from several, or from runs.
pub(crate) type Words = Box<dyn SortedWords + Send>;

/// Merges files of word counts into a file that exists.
///
/// `first_documents` has for each file the number of its first document; by default the numbers in the files stay.
#[pyfunction]
pub(crate) fn merge_counts(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    out: PathBuf,
    work_dir: Option<PathBuf>,
    first_documents: Option<Vec<u64>>,
) -> PyResult<Summary> {
    let first_documents = first_documents.unwrap_or_else(|| vec![0; paths.len()]);
    let files = paths.into_iter().zip(first_documents).collect();
    let (splitter, words) = merged_files(py, files, work_dir)?;
    write_file(py, words, splitter.as_ref(), &out)
}

/// Returns the splitter and the words of files, each with the number of its first document.
///
/// More files than can be open at once are first merged into runs.
pub(crate) fn merged_files(
    py: Python<'_>,
    paths: Vec<(PathBuf, u64)>,
    work_dir: Option<PathBuf>,
) -> PyResult<(Option<TextSplitter>, Words)> {
    let mut first: Option<(PathBuf, Option<TextSplitter>)> = None;
    let mut open_all = |paths: &[(PathBuf, u64)]| -> PyResult<MergedWords<FileWords>> {
        let mut files = Vec::with_capacity(paths.len());
        for (path, first_document) in paths {
            let file = FileWords::open(path, *first_document)?;
            let (other, splitter) = first.get_or_insert_with(|| (path.clone(), file.reader.splitter().cloned()));
            if splitter.as_ref() != file.reader.splitter() {
                return Err(to_py(different_splitters(other, path)));
            }
            files.push(file);
        }
        detach(py, || MergedWords::new(files))?.map_err(to_py)
    };
    let words: Words = if paths.len() <= MAX_MERGED {
        Box::new(open_all(&paths)?)
    } else {
        let work = WorkFolder::new(work_dir).map_err(|error| from_storage(&error))?;
        let mut runs = Vec::new();
        for group in paths.chunks(MAX_MERGED) {
            runs.push(until_interrupted(py, open_all(group)?, |words| Run::write(&*work, words))?);
        }
        Box::new(detach(py, || MergedWords::new(reduce(runs, MAX_MERGED, &*work, &|| false)?))?.map_err(to_py)?)
    };
    Ok((first.and_then(|(_, splitter)| splitter), words))
}

/// Writes words to a file that exists.
pub(crate) fn write_file(
    py: Python<'_>,
    words: impl SortedWords + Send,
    splitter: Option<&TextSplitter>,
    path: &Path,
) -> PyResult<Summary> {
    let mut file = existing(path)?;
    until_interrupted(py, words, |words| write_sorted_counts(words, splitter, &mut file)).map(summary)
}

/// Writes words to files that exist, each to the file of its bucket.
pub(crate) fn write_bucket_files(
    py: Python<'_>,
    words: impl SortedWords + Send,
    splitter: Option<&TextSplitter>,
    paths: &[PathBuf],
) -> PyResult<Vec<Summary>> {
    let mut files: Vec<_> = paths.iter().map(|path| existing(path)).collect::<PyResult<_>>()?;
    let write = |words: Interruptible<'_, _>| {
        write_buckets(words, splitter, files.iter_mut().map(|file| file as &mut dyn Write).collect())
    };
    Ok(until_interrupted(py, words, write)?.into_iter().map(summary).collect())
}

/// Opens a file that exists for writing, and empties it.
fn existing(path: &Path) -> PyResult<FileWithPath> {
    let file = OpenOptions::new().write(true).truncate(true).open(path).map_err(|error| from_io(&error, path))?;
    Ok(FileWithPath::new(file, path))
}

fn summary(CountsSummary { words, total, fingerprint }: CountsSummary) -> Summary {
    (words, total, fingerprint)
}

/// Runs `work` on words without the GIL, until Ctrl-C.
pub(crate) fn until_interrupted<S: SortedWords + Send, T: Send>(
    py: Python<'_>,
    words: S,
    work: impl FnOnce(Interruptible<'_, S>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let work = |stop: &AtomicBool| work(Interruptible::new(words, &|| stop.load(Ordering::Relaxed)));
    threads::run_one(py, work)?.map_err(to_py)
}

/// Returns the error for files whose words do not add up.
fn different_splitters(one: &Path, other: &Path) -> Error {
    Error::Counts(
        Message::new(format!(
            "{} and {} were counted with different normalization, pre-tokenization or added tokens and do not add up",
            one.display(),
            other.display()
        ))
        .hint("count both with the same settings"),
    )
}

/// The words of a file, with errors that name it.
struct FileWords {
    reader: CountsReader<BufReader<File>>,
    path: PathBuf,
    /// The number that documents are counted from.
    first_document: u64,
}

impl FileWords {
    fn open(path: &Path, first_document: u64) -> PyResult<Self> {
        let file = BufReader::with_capacity(1 << 16, open(path)?);
        let reader = CountsReader::new(file).map_err(|error| in_file(error, path))?;
        Ok(Self { reader, path: path.into(), first_document })
    }
}

impl SortedWords for FileWords {
    fn advance(&mut self) -> Result<bool, Error> {
        let Self { reader, path, .. } = self;
        reader.advance().map_err(|error| to_core(in_file(error, path)))
    }

    fn current(&self) -> CountedWord<&str> {
        let CountedWord { word, count, first } = self.reader.current();
        // Numbers in files are any; those that a counter makes are far below the limit.
        let document = first.document.saturating_add(self.first_document);
        CountedWord { word, count, first: FirstOccurrence { document, ..first } }
    }
}
