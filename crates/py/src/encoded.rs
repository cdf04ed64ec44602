//! Concatenated encodings, collected in the order of the texts while threads encode.

use std::collections::{BTreeMap, TryReserveError};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use piecework_core::encoding::pad::Padding;
use pyo3::prelude::*;

use crate::batch::Batch;
use crate::columns::{Columns, PaddedRows};
use crate::threads;

/// Concatenated encodings.
#[derive(Default)]
pub(crate) struct Encoded {
    pub(crate) ids: Vec<u32>,
    pub(crate) lengths: Vec<usize>,
    pub(crate) columns: Option<Columns>,
    /// Whether the first row continues the last row before it.
    continues: bool,
    /// The number of lines of a file that were encoded, and of characters if errors count them.
    pub(crate) lines: u64,
    pub(crate) characters: usize,
}

impl Encoded {
    pub(crate) fn new(columns: bool) -> Self {
        Self { columns: columns.then(Columns::default), ..Self::default() }
    }

    /// Records that the last `length` ids are a part of a row, the first part or a later one.
    pub(crate) fn push_part(&mut self, length: usize, is_first: bool) {
        match self.lengths.last_mut() {
            Some(last) if !is_first => *last += length,
            _ => {
                self.continues = !is_first;
                self.lengths.push(length);
            }
        }
    }

    /// Moves the other's rows to the end; the other keeps its memory.
    fn append(&mut self, other: &mut Self) {
        self.ids.append(&mut other.ids);
        let mut lengths = other.lengths.drain(..);
        if std::mem::take(&mut other.continues)
            && let (Some(last), Some(more)) = (self.lengths.last_mut(), lengths.as_slice().first())
        {
            *last += more;
            lengths.next();
        }
        self.lengths.extend(lengths);
        if let (Some(columns), Some(others)) = (&mut self.columns, &mut other.columns) {
            columns.append(others);
        }
        self.lines += std::mem::take(&mut other.lines);
        self.characters += std::mem::take(&mut other.characters);
    }

    /// Returns the rows padded to at least `target` tokens, or an error if memory is not sufficient.
    pub(crate) fn padded(self, padding: &Padding, target: usize) -> Result<Self, TryReserveError> {
        let Self { ids, mut lengths, columns, .. } = self;
        let rows = PaddedRows { lengths: &lengths, target, direction: padding.direction };
        let ids = rows.filled(&ids, padding.token.id)?;
        let columns = columns.map(|columns| columns.padded(&rows, padding.type_id)).transpose()?;
        lengths.iter_mut().for_each(|length| *length = target.max(*length));
        Ok(Self { ids, lengths, columns, ..Self::default() })
    }

    pub(crate) fn into_batch(self, unpadded: Option<(Vec<u32>, bool)>) -> Batch {
        let row_offsets = row_offsets(&self.lengths);
        Batch::new(self.ids, row_offsets, self.columns, unpadded)
    }
}

/// Runs tasks on threads and returns the results in order, with the failures.
///
/// Each thread has a state from `start`. `next` takes a task, appends its result and returns its number; numbers are
/// given out in order. After a failure no task is started, so exactly the results before the first failure are
/// complete. A single task thread also runs beside the calling thread, which handles Ctrl-C.
pub(crate) fn in_order<S, F: Send>(
    py: Python<'_>,
    threads: usize,
    columns: bool,
    start: impl Fn() -> S + Sync,
    next: impl Fn(&mut S, &mut Encoded) -> Result<Option<usize>, F> + Sync,
    tick: impl FnMut(Python<'_>) -> PyResult<()> + Send,
) -> PyResult<(Encoded, Vec<F>)> {
    let results = Mutex::new(OrderedResults::new(columns));
    let failed = AtomicBool::new(false);
    let work = |(), stop: &AtomicBool| {
        let (mut state, mut encoded) = (start(), Encoded::new(columns));
        while !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
            match next(&mut state, &mut encoded) {
                Ok(None) => break,
                // The results of a single thread are in order, and stay in its buffer.
                Ok(Some(_)) if threads == 1 => {}
                Ok(Some(number)) => {
                    if let Ok(mut results) = results.lock() {
                        results.take(number, &mut encoded);
                    }
                }
                Err(failure) => {
                    failed.store(true, Ordering::Relaxed);
                    return (encoded, Some(failure));
                }
            }
        }
        (encoded, None)
    };
    let (mut encoded, failures): (Vec<_>, Vec<_>) =
        threads::run(py, vec![(); threads], work, tick)?.into_iter().unzip();
    let alone = encoded.pop().filter(|_| threads == 1);
    let all =
        alone.unwrap_or_else(|| results.into_inner().map_or_else(|_| Encoded::new(columns), |results| results.all));
    Ok((all, failures.into_iter().flatten().collect()))
}

/// A collector that puts the results of tasks in order.
struct OrderedResults {
    all: Encoded,
    /// The number of the next task.
    next: usize,
    /// Results that arrived before their turn.
    early: BTreeMap<usize, Encoded>,
}

impl OrderedResults {
    fn new(columns: bool) -> Self {
        Self { all: Encoded::new(columns), next: 0, early: BTreeMap::new() }
    }

    /// Takes the result of a task and leaves an empty one; in its turn it is copied at once.
    fn take(&mut self, number: usize, piece: &mut Encoded) {
        if number != self.next {
            let empty = Encoded::new(piece.columns.is_some());
            self.early.insert(number, std::mem::replace(piece, empty));
            return;
        }
        self.all.append(piece);
        self.next += 1;
        while let Some(mut early) = self.early.remove(&self.next) {
            self.all.append(&mut early);
            self.next += 1;
        }
    }
}

#[expect(clippy::cast_possible_wrap, reason = "the number of ids in memory")]
fn row_offsets(lengths: &[usize]) -> Vec<i64> {
    let mut offsets = Vec::with_capacity(lengths.len() + 1);
    let mut end = 0;
    offsets.push(0);
    for &length in lengths {
        end += length as i64;
        offsets.push(end);
    }
    offsets
}
