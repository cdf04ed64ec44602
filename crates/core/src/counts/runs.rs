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
use std::sync::Arc;

use super::sorted::{CountedWord, Interruptible, Merge, OwnedWord, SortedWords};
use crate::error::{Error, Result};

/// The size of the buffer of a run, in bytes.
const BUFFER: usize = 1 << 16;
/// The number of runs or files that are merged at once; systems limit the number of open files.
pub const MAX_MERGED: usize = 128;

/// A place for temporary data, such as a temporary file.
pub trait RunStorage: Read + Write + Seek + Send + Sync {}

impl<T: Read + Write + Seek + Send + Sync> RunStorage for T {}

/// Creates the temporary storage of runs. It is released when it is dropped.
pub trait RunStore: Send + Sync + fmt::Debug {
    /// Returns empty storage, to be written once and then read.
    fn create(&self) -> io::Result<Box<dyn RunStorage>>;
}

/// A sorted run in its storage.
pub struct Run(Box<dyn RunStorage>);

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Run")
    }
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
        Ok(Self(storage))
    }

    /// Returns the words of the run.
    #[must_use]
    pub fn read(self) -> RunReader {
        RunReader { input: BufReader::with_capacity(BUFFER, self.0), current: OwnedWord::default() }
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
        let merged = Interruptible::new(merge(runs)?, is_stopped);
        runs = rest;
        runs.push(Run::write(store, merged)?);
    }
    Ok(runs)
}

/// Returns the merge of runs.
pub fn merge(runs: Vec<Run>) -> Result<Merge<RunReader>> {
    Merge::new(runs.into_iter().map(Run::read).collect())
}

/// The runs of one counter, in levels: a full level is merged into one run of the next.
///
/// So few storages are open at once, and each word is written once a level.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    levels: Vec<Vec<Run>>,
}

impl Runs {
    pub(crate) fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// Adds a run; `limit` runs of a level are merged.
    pub(crate) fn push(&mut self, mut run: Run, limit: usize, store: &dyn RunStore) -> Result<()> {
        for level in &mut self.levels {
            level.push(run);
            if level.len() < limit {
                return Ok(());
            }
            run = Run::write(store, merge(std::mem::take(level))?)?;
        }
        self.levels.push(vec![run]);
        Ok(())
    }

    pub(crate) fn into_vec(self) -> Vec<Run> {
        self.levels.into_iter().flatten().collect()
    }
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
}

/// The words of a run.
pub struct RunReader {
    input: BufReader<Box<dyn RunStorage>>,
    current: OwnedWord,
}

impl fmt::Debug for RunReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunReader").field("current", &self.current).finish_non_exhaustive()
    }
}

impl SortedWords for RunReader {
    fn advance(&mut self) -> Result<bool> {
        read_record(&mut self.input, &mut self.current).map_err(Error::storage)
    }

    fn current(&self) -> CountedWord<'_> {
        self.current.view()
    }
}

fn write_record(out: &mut impl Write, CountedWord { word, count, first }: CountedWord<'_>) -> io::Result<()> {
    write_number(out, word.len() as u64)?;
    out.write_all(word.as_bytes())?;
    write_number(out, count)?;
    write_number(out, first.document)?;
    write_number(out, first.word)
}

/// Reads the next record; returns whether there is one.
fn read_record(input: &mut impl BufRead, to: &mut OwnedWord) -> io::Result<bool> {
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

/// Returns the error for a run that does not hold what was written.
fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a temporary file of the counting was changed")
}

/// Writes a number as LEB128.
fn write_number(out: &mut impl Write, mut number: u64) -> io::Result<()> {
    let mut bytes = [0; 10];
    let mut length = 0;
    loop {
        let more = number >= 0x80;
        bytes[length] = (number & 0x7f) as u8 | u8::from(more) << 7;
        length += 1;
        number >>= 7;
        if !more {
            return out.write_all(&bytes[..length]);
        }
    }
}

/// Reads a number that `write_number` wrote.
fn read_number(input: &mut impl Read) -> io::Result<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        input.read_exact(&mut byte)?;
        number |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            return Ok(number);
        }
    }
    Err(damaged())
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
        assert_eq!(WordCounts::from_sorted(None, run.read()).unwrap().by_word(), table.by_word());
    }

    #[test]
    fn any_order_of_merging_gives_the_sum() {
        let mut sum = WordCounts::default();
        (0..40).for_each(|number| sum.merge(&table(number)).unwrap());
        for limit in [2, 3, 39, 100] {
            let (mut runs, mut list) = (Runs::default(), Vec::new());
            for number in 0..40 {
                runs.push(Run::write(&InMemory, table(number).sorted()).unwrap(), limit, &InMemory).unwrap();
                list.push(Run::write(&InMemory, table(number).sorted()).unwrap());
            }
            for runs in [runs.into_vec(), list] {
                let runs = reduce(runs, limit, &InMemory, &|| false).unwrap();
                assert!(runs.len() <= limit);
                assert_eq!(WordCounts::from_sorted(None, merge(runs).unwrap()).unwrap().by_word(), sum.by_word());
            }
        }
    }

    #[test]
    fn a_damaged_run_is_an_error() {
        let mut storage = Run::write(&InMemory, table(6).sorted()).unwrap().0;
        let mut bytes = Vec::new();
        storage.read_to_end(&mut bytes).unwrap();
        let read = |bytes: &[u8]| WordCounts::from_sorted(None, Run(Box::new(Cursor::new(bytes.to_vec()))).read());
        let whole = read(&bytes).unwrap();
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).map_or(true, |part| part.len() < whole.len()), "cut at {end}");
        }
        assert!(read(&[0xff; 40]).is_err());
    }
}
