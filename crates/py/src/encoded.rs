//! Concatenated encodings, collected in the order of the texts while threads encode.
//!
//! Each task keeps its result. At the end the threads copy all of them to the columns of the batch (`copies`), so that
//! they are also the first to write that memory. A single thread appends to one buffer, which becomes the result.

use std::collections::TryReserveError;
use std::sync::atomic::{AtomicBool, Ordering};

use piecework_core::encoding::pad::Padding;
use piecework_core::stop::check;
use pyo3::prelude::*;

use crate::batch::Batch;
use crate::columns::{Columns, PaddedRows};
use crate::copies::Copies;
use crate::memory::room_for;
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

    /// Returns an empty result for each thread; that of a single thread has memory for the ids of `bytes` bytes.
    pub(crate) fn for_threads(threads: usize, bytes: usize, columns: bool) -> Vec<Self> {
        let mut results: Vec<_> = std::iter::repeat_with(|| Self::new(columns)).take(threads).collect();
        if let [only] = results.as_mut_slice() {
            // Memory that is not written costs nothing, but a vector that grows is copied.
            let _ = only.ids.try_reserve((bytes / BYTES_PER_TOKEN).min(MAX_RESERVED));
        }
        results
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

    /// Returns an empty result whose capacity is the number of ids and rows of this one.
    fn next(&self) -> Self {
        Self {
            ids: Vec::with_capacity(self.ids.len()),
            lengths: Vec::with_capacity(self.lengths.len()),
            ..Self::new(self.columns.is_some())
        }
    }

    /// Returns the concatenation, which `threads` threads write to its place.
    fn concatenated(py: Python<'_>, mut parts: Vec<Self>, threads: usize) -> PyResult<Self> {
        let mut all = Self::new(parts.first().is_some_and(|part| part.columns.is_some()));
        let mut columns = Vec::new();
        for part in &mut parts {
            let mut lengths = part.lengths.as_slice();
            if part.continues
                && let (Some(last), Some((more, rest))) = (all.lengths.last_mut(), lengths.split_first())
            {
                *last += more;
                lengths = rest;
            }
            room_for::<usize>(lengths.len())?;
            all.lengths.extend_from_slice(lengths);
            all.lines += part.lines;
            all.characters += part.characters;
            columns.extend(part.columns.take());
        }
        let mut copies = Copies::default();
        copies.add(&mut all.ids, parts.into_iter().map(|part| part.ids).collect())?;
        if let Some(all) = &mut all.columns {
            all.concatenate(columns, &mut copies)?;
        }
        copies.run(py, threads)?;
        Ok(all)
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

/// Fewer bytes than a token has on average, in most texts.
const BYTES_PER_TOKEN: usize = 3;
/// The largest number of ids for which memory is reserved.
const MAX_RESERVED: usize = 1 << 26;

/// Runs tasks on a thread for each empty result, and returns the results in order, with the failures.
///
/// Each thread gets a function from `start`, which takes a task, appends its result and returns its number; numbers are
/// given out in order, from 0. After a failure no task is started, so exactly the results before the first failure are
/// complete. A single task thread also runs beside the calling thread, which handles Ctrl-C.
pub(crate) fn in_order<F: Send, N: FnMut(&mut Encoded) -> Result<Option<usize>, F>>(
    py: Python<'_>,
    empty: Vec<Encoded>,
    start: impl Fn() -> N + Sync,
    tick: impl FnMut(Python<'_>) -> PyResult<()> + Send,
) -> PyResult<(Encoded, Vec<F>)> {
    let threads = empty.len();
    let failed = AtomicBool::new(false);
    let work = |mut encoded: Encoded, stop: &AtomicBool| {
        let (mut next, mut done) = (start(), Vec::new());
        while !stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
            check();
            match next(&mut encoded) {
                Ok(None) => break,
                // The results of a single thread are in order, and stay in one buffer.
                Ok(Some(_)) if threads == 1 => {}
                Ok(Some(number)) => {
                    let empty = encoded.next();
                    done.push((number, std::mem::replace(&mut encoded, empty)));
                }
                Err(failure) => {
                    failed.store(true, Ordering::Relaxed);
                    return (done, encoded, Some(failure));
                }
            }
        }
        (done, encoded, None)
    };
    let (mut done, mut failures) = (Vec::new(), Vec::new());
    for (parts, last, failure) in threads::run(py, empty, work, tick)? {
        failures.extend(failure);
        if threads == 1 {
            return Ok((last, failures));
        }
        done.extend(parts);
    }
    done.sort_unstable_by_key(|&(number, _)| number);
    let complete = (0..).zip(&done).take_while(|&(number, &(found, _))| number == found).count();
    let parts = done.into_iter().take(complete).map(|(_, encoded)| encoded).collect();
    Ok((Encoded::concatenated(py, parts, threads)?, failures))
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
