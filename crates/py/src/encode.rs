//! Encoding many texts on several threads.
//!
//! Workers share the tokenizer, which nobody writes after its tables are built, and own their scratches. They take
//! tasks by one atomic counter, so nothing shared is written for each text.

use std::ops::Range;

use piecework_core::Error;
use piecework_core::encoding::Direction;
use piecework_core::memory::Growable;
use piecework_core::pipeline::{Options, Scratch, SplitPart, TextCutter};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

use crate::batch::Batch;
use crate::call::{Call, Failure};
use crate::encoded::{Encoded, in_order};
use crate::errors::{in_text, to_py};
use crate::input::InputRows;
use crate::threads::{self, MIN_DETACHED_BYTES, TaskNumbers, detach, task_bytes};

/// A task for a thread.
enum Task<'a> {
    Rows(Range<usize>),
    /// A part of a long row.
    Part(usize, SplitPart<'a>),
}

/// The rows of a call, and the safe split points of long ones.
struct Job<'a> {
    call: &'a Call<'a>,
    rows: &'a InputRows<'a>,
    cuts: Option<TextCutter<'a>>,
}

/// Encodes the rows on at most the requested number of threads.
pub(crate) fn encode_batch(
    py: Python<'_>,
    call: &Call<'_>,
    rows: &InputRows<'_>,
    requested: Option<threads::ThreadCount>,
) -> PyResult<Batch> {
    let threads = threads::number(requested);
    let unpadded = Options { padding: None, ..call.options.clone() };
    let encoded = encode_rows(py, &Call { options: &unpadded, ..*call }, rows, threads)?;
    let Some(padding) = &call.options.padding else { return Ok(encoded.into_batch(None)) };
    // The length may depend on the longest row, so rows are padded after all are encoded.
    let longest = encoded.lengths.iter().copied().max().unwrap_or(0);
    let target = padding.target(longest).map_err(to_py)?;
    let lengths = encoded.lengths.iter().map(|&length| u32::try_from(length).unwrap_or(u32::MAX)).collect();
    let rows = encoded.lengths.len();
    let padded = detach(py, || encoded.padded(padding, target))?.map_err(|_| {
        PyMemoryError::new_err(format!("there is no memory for {rows} texts padded to {target} tokens each"))
    })?;
    Ok(padded.into_batch(Some((lengths, padding.direction == Direction::Left))))
}

fn encode_rows(py: Python<'_>, call: &Call<'_>, rows: &InputRows<'_>, threads: usize) -> PyResult<Encoded> {
    let bytes = rows.total_bytes();
    if bytes < MIN_DETACHED_BYTES {
        let encode = || {
            let (job, all) = (Job { call, rows, cuts: None }, Task::Rows(0..rows.len()));
            let mut encoded = Encoded::new(call.columns);
            job.encode(&all, &mut call.pool.scratch(), &mut encoded).map(|()| encoded)
        };
        return detach(py, encode)?.map_err(in_text);
    }
    let cuts = if call.columns { None } else { call.tokenizer.cuts(call.options) };
    let job = Job { call, rows, cuts };
    let tasks = detach(py, || job.tasks(task_bytes(bytes, threads)))?;
    job.encode_all(py, &tasks, Encoded::for_threads(threads.min(tasks.len()), bytes, call.columns))
}

impl<'a> Job<'a> {
    /// Divides the rows into tasks of about `size` bytes, and splits much longer rows at safe points.
    fn tasks(&self, size: usize) -> Vec<Task<'a>> {
        let Self { rows, cuts, .. } = self;
        let mut tasks = Vec::new();
        let (mut start, mut bytes) = (0, 0);
        for row in 0..rows.len() {
            let length = rows.bytes(row);
            if length > 2 * size
                && let Some(cuts) = cuts
                && let Some(text) = rows.text(row)
            {
                tasks.extend((start < row).then_some(Task::Rows(start..row)));
                tasks.extend(cuts.parts(text, size).into_iter().map(|part| Task::Part(row, part)));
                (start, bytes) = (row + 1, 0);
                continue;
            }
            bytes += length;
            if bytes >= size {
                tasks.push(Task::Rows(start..row + 1));
                (start, bytes) = (row + 1, 0);
            }
        }
        tasks.extend((start < rows.len()).then_some(Task::Rows(start..rows.len())));
        tasks
    }

    /// Runs the tasks; the error is that of the first text that has one.
    fn encode_all(&self, py: Python<'_>, tasks: &[Task<'_>], empty: Vec<Encoded>) -> PyResult<Encoded> {
        let tickets = TaskNumbers::new(tasks.len());
        let start = || {
            let (mut scratch, tickets) = (self.call.pool.scratch(), &tickets);
            move |encoded: &mut Encoded| {
                let Some(ticket) = tickets.next() else { return Ok(None) };
                self.encode(&tasks[ticket], &mut scratch, encoded).map(|()| Some(ticket))
            }
        };
        let (encoded, failures) = in_order(py, empty, start, threads::no_progress)?;
        failures.into_iter().min_by_key(|&(text, _)| text).map_or(Ok(encoded), |failure| Err(in_text(failure)))
    }

    /// Encodes a task and appends the result to `encoded`.
    fn encode(&self, task: &Task<'_>, scratch: &mut Scratch, encoded: &mut Encoded) -> Result<(), Failure> {
        match task {
            Task::Rows(range) => {
                encoded.lengths.reserve(range.len());
                range.clone().try_for_each(|row| self.row(row, scratch, encoded).map_err(|error| (row, error)))
            }
            Task::Part(row, part) => self.part(*row, *part, scratch, encoded).map_err(|error| (*row, error)),
        }
    }

    fn row(&self, row: usize, scratch: &mut Scratch, encoded: &mut Encoded) -> Result<(), Error> {
        let Encoded { ids, lengths, columns, .. } = encoded;
        let Call { tokenizer, options, .. } = self.call;
        let before = ids.len();
        let options = tokenizer.options_of_input(options, row as u64);
        self.rows.with_inputs(row, |text, pair| match columns {
            None => tokenizer.encode_ids(text, pair, &options, scratch, ids),
            Some(columns) => {
                let encoding = tokenizer.encode(text, pair, &options, scratch)?;
                ids.make_room(encoding.len());
                ids.extend_from_slice(&encoding.ids);
                columns.push(&encoding, &self.rows.maps(row));
                Ok(())
            }
        })?;
        lengths.push(ids.len() - before);
        Ok(())
    }

    fn part(&self, row: usize, part: SplitPart<'_>, scratch: &mut Scratch, encoded: &mut Encoded) -> Result<(), Error> {
        let before = encoded.ids.len();
        let done = self.cuts.map_or(Ok(()), |cuts| cuts.encode(part, scratch, &mut encoded.ids));
        if let Err(error) = done {
            // Encoding the whole text finds the first error and its position.
            return self.row(row, scratch, &mut Encoded::default()).and(Err(error));
        }
        encoded.push_part(encoded.ids.len() - before, part.is_first);
        Ok(())
    }
}
