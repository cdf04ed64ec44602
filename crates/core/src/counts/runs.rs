//! Sorted runs: tables that a counter wrote to temporary storage, because they reached their limit of memory.
//!
//! A run holds the words of a table in ascending order. Merging runs reads each of them once, in order (external merge
//! sort; Knuth, The Art of Computer Programming, volume 3, 5.4). The caller owns the storage. A record is the word, its
//! count and its first occurrence; lengths and numbers are LEB128.
//!
//! A counter checks its limit after each text and each block. Then it flushes its chunks, writes its table as a run and
//! begins a new one.

use std::fmt;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::sync::{Arc, Mutex};

use super::DistinctWords;
use super::sorted::{CountedWord, Interruptible, MergedWords, SortedWords};
use crate::error::{Error, Result};
use crate::numbers::leb128;

/// The size of the buffer of a run, in bytes.
const BUFFER: usize = 1 << 16;
/// The number of runs or files that are merged at once; systems limit the number of open files.
pub const MAX_MERGED: usize = 128;

/// A place for temporary data, such as a temporary file.
pub trait RunStorage: Read + Write + Seek + Send + Sync + fmt::Debug {}

impl<T: Read + Write + Seek + Send + Sync + fmt::Debug> RunStorage for T {}

/// Creates the temporary storage of runs. It is released when it is dropped.
pub trait RunStore: Send + Sync + fmt::Debug {
    /// Returns empty storage, to be written once and then read.
    fn create(&self) -> io::Result<Box<dyn RunStorage>>;
}

/// A sorted run in its storage, from which its words are read.
#[derive(Debug)]
pub struct Run {
    /// The storage before its first word is read: a run that waits has no buffer.
    unread: Option<Box<dyn RunStorage>>,
    input: Option<BufReader<Box<dyn RunStorage>>>,
    current: CountedWord<String>,
}

impl Run {
    /// Writes the words of a source to new storage.
    pub fn write(store: &dyn RunStore, mut source: impl SortedWords) -> Result<Self> {
        let mut out = BufWriter::with_capacity(BUFFER, store.create().map_err(Error::storage)?);
        while source.advance()? {
            write_record(&mut out, source.current()).map_err(Error::storage)?;
        }
        let mut storage = out.into_inner().map_err(|error| Error::storage(error.into_error()))?;
        storage.rewind().map_err(Error::storage)?;
        Ok(Self::of(storage))
    }

    /// Returns the run in a storage.
    fn of(storage: Box<dyn RunStorage>) -> Self {
        Self { unread: Some(storage), input: None, current: CountedWord::default() }
    }
}

/// Merges runs into fewer until at most `limit` are left.
///
/// `is_stopped` is asked now and then whether to end with [`Error::Interrupted`].
pub fn reduce(
    mut runs: Vec<Run>,
    limit: usize,
    store: &dyn RunStore,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Run>> {
    while runs.len() > limit {
        let rest = runs.split_off(limit.min(runs.len() - limit + 1).max(2));
        let merged = Interruptible::new(MergedWords::new(runs)?, is_stopped);
        runs = rest;
        runs.push(Run::write(store, merged)?);
    }
    Ok(runs)
}

/// Adds a run to the levels of runs; a level with the maximum number of runs is merged into one run of the next.
///
/// So few storages are open at once, and each word is written once a level.
pub(super) fn push_run(levels: &mut Vec<Vec<Run>>, mut run: Run, spill: &Spill) -> Result<()> {
    for level in &mut *levels {
        level.push(run);
        if level.len() < spill.max_runs {
            return Ok(());
        }
        run = Run::write(&*spill.store, MergedWords::new(std::mem::take(level))?)?;
    }
    levels.push(vec![run]);
    Ok(())
}

/// The limit of memory of a counter, and the storage for what exceeds it.
#[derive(Debug, Clone)]
pub struct Spill {
    /// The size in bytes from which on a table is written as a run.
    pub table_bytes: usize,
    /// The number of runs of one size, from which on they are merged; at least 2.
    pub max_runs: usize,
    /// The storage of the runs.
    pub store: Arc<dyn RunStore>,
    /// What estimates the size of the whole table, if that matters.
    pub distinct: Option<Arc<Mutex<DistinctWords>>>,
}

impl SortedWords for Run {
    fn advance(&mut self) -> Result<bool> {
        if let Some(storage) = self.unread.take() {
            self.input = Some(BufReader::with_capacity(BUFFER, storage));
        }
        let Some(input) = &mut self.input else { return Ok(false) };
        read_record(input, &mut self.current).map_err(Error::storage)
    }

    fn current(&self) -> CountedWord<&str> {
        self.current.borrowed()
    }
}

fn write_record(out: &mut impl Write, CountedWord { word, count, first }: CountedWord<&str>) -> io::Result<()> {
    leb128::write(out, word.len() as u64)?;
    out.write_all(word.as_bytes())?;
    leb128::write(out, count)?;
    leb128::write(out, first.document)?;
    leb128::write(out, first.word)
}

/// Reads the next record; returns whether there is one.
fn read_record(input: &mut impl BufRead, to: &mut CountedWord<String>) -> io::Result<bool> {
    if input.fill_buf()?.is_empty() {
        return Ok(false);
    }
    let length = read_number(input)?;
    let mut bytes = std::mem::take(&mut to.word).into_bytes();
    bytes.clear();
    // Not allocated at once: the length in a damaged run can be any number.
    input.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(damaged());
    }
    to.word = String::from_utf8(bytes).map_err(|_| damaged())?;
    to.count = read_number(input)?;
    to.first.document = read_number(input)?;
    to.first.word = read_number(input)?;
    Ok(true)
}

fn read_number(input: &mut impl Read) -> io::Result<u64> {
    leb128::read(input)?.ok_or_else(damaged)
}

/// Returns the error for a run that does not hold what was written.
fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a temporary file of the counting was changed")
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::counts::{FirstOccurrence, WordCounts};

    /// Keeps runs in memory.
    #[derive(Debug)]
    struct InMemory;

    impl RunStore for InMemory {
        fn create(&self) -> io::Result<Box<dyn RunStorage>> {
            Ok(Box::new(Cursor::new(Vec::new())))
        }
    }

    fn table(number: u64) -> WordCounts {
        let mut counts = WordCounts::default();
        for word in 0..number % 7 {
            let first = FirstOccurrence { document: u64::MAX - number, word };
            counts.add(&"é".repeat(usize::try_from(number * word % 90).unwrap()), number << 40 | 1, first).unwrap();
        }
        counts
    }

    #[test]
    fn runs_hold_what_was_written() {
        let table = table(13);
        let run = Run::write(&InMemory, table.sorted()).unwrap();
        assert_eq!(WordCounts::from_sorted(None, run).unwrap().by_word(), table.by_word());
    }

    #[test]
    fn any_order_of_merging_gives_the_sum() {
        let mut sum = WordCounts::default();
        (0..40).for_each(|number| sum.merge(&table(number)).unwrap());
        for limit in [2, 3, 39, 100] {
            let spill = Spill { table_bytes: 0, max_runs: limit, store: Arc::new(InMemory), distinct: None };
            let (mut levels, mut list) = (Vec::new(), Vec::new());
            for number in 0..40 {
                push_run(&mut levels, Run::write(&InMemory, table(number).sorted()).unwrap(), &spill).unwrap();
                list.push(Run::write(&InMemory, table(number).sorted()).unwrap());
            }
            for runs in [levels.into_iter().flatten().collect(), list] {
                let runs = reduce(runs, limit, &InMemory, &|| false).unwrap();
                assert!(runs.len() <= limit);
                assert_eq!(
                    WordCounts::from_sorted(None, MergedWords::new(runs).unwrap()).unwrap().by_word(),
                    sum.by_word()
                );
            }
        }
    }

    #[test]
    fn a_damaged_run_is_an_error() {
        let mut bytes = Vec::new();
        Run::write(&InMemory, table(6).sorted()).unwrap().unread.unwrap().read_to_end(&mut bytes).unwrap();
        let read = |bytes: &[u8]| WordCounts::from_sorted(None, Run::of(Box::new(Cursor::new(bytes.to_vec()))));
        let whole = read(&bytes).unwrap();
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).map_or(true, |part| part.len() < whole.len()), "cut at {end}");
        }
        assert!(read(&[0xff; 40]).is_err());
    }
}
