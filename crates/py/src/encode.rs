//! Many texts at once.

use std::collections::TryReserveError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use piecework_core::Error;
use piecework_core::encoding::Direction;
use piecework_core::pad::Padding;
use piecework_core::pipeline::{self, Options, Scratch};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

use crate::batch::{Batch, Columns};
use crate::encoding::Node;
use crate::errors::{in_text, to_py};
use crate::input::Row;
use crate::threads::{self, Tickets};
use crate::workers::Workers;

/// Fewer bytes than this are encoded faster on one thread than on two.
pub(crate) const FLOOR: usize = 1 << 16;
/// The bytes of a piece of work that a thread takes at a time.
const CHUNK: usize = 1 << 18;

/// The number of a text, and what is wrong with it.
type Failure = (usize, Error);

/// What all rows have in common.
pub(crate) struct Call<'a> {
    pub(crate) tokenizer: &'a Arc<pipeline::Tokenizer>,
    pub(crate) workers: &'a Workers,
    pub(crate) options: &'a Options,
    /// Whether all columns are wanted, or ids alone.
    pub(crate) columns: bool,
}

/// Encodings, end to end.
#[derive(Default)]
struct Encoded {
    ids: Vec<u32>,
    lengths: Vec<usize>,
    columns: Option<Columns>,
}

/// Encodes the rows on as many threads as are worth their while.
pub(crate) fn encode_batch(py: Python<'_>, call: &Call<'_>, rows: &[Row], asked: Option<i64>) -> PyResult<Batch> {
    let threads = threads::number(py, asked)?;
    let unpadded = Options { padding: None, ..call.options.clone() };
    let encoded = encode_rows(py, &Call { options: &unpadded, ..*call }, rows, threads)?;
    let Some(padding) = &call.options.padding else { return Ok(encoded.into_batch(None)) };
    // The length may hang on the longest row, so padding comes when all are encoded.
    let longest = encoded.lengths.iter().copied().max().unwrap_or(0);
    let target = padding.target(longest).map_err(|error| to_py(py, &error))?;
    let lengths = encoded.lengths.iter().map(|&length| u32::try_from(length).unwrap_or(u32::MAX)).collect();
    let rows = encoded.lengths.len();
    let padded = py.detach(|| encoded.padded(padding, target)).map_err(|_| {
        PyMemoryError::new_err(format!("there is no memory for {rows} texts padded to {target} tokens each"))
    })?;
    Ok(padded.into_batch(Some((lengths, padding.direction == Direction::Left))))
}

fn encode_rows(py: Python<'_>, call: &Call<'_>, rows: &[Row], threads: usize) -> PyResult<Encoded> {
    let bytes: usize = rows.iter().map(Row::len).sum();
    let done = if bytes < FLOOR {
        vec![py.detach(|| encode_chunk(call, rows, 0))]
    } else {
        encode_chunks(py, call, &chunks(rows, CHUNK.min(bytes / threads + 1)), threads)?
    };
    let joined =
        py.detach(|| done.into_iter().try_fold(Encoded::new(call.columns), |all, part| Ok(all.followed_by(part?))));
    joined.map_err(|(text, error): Failure| in_text(py, &error, text))
}

/// One thread, too, is one beside this, which listens for Ctrl-C.
fn encode_chunks(
    py: Python<'_>,
    call: &Call<'_>,
    chunks: &[(usize, &[Row])],
    threads: usize,
) -> PyResult<Vec<Result<Encoded, Failure>>> {
    let tickets = Tickets::new(chunks.len());
    let work = |(), stop: &AtomicBool| {
        let mut done = Vec::new();
        while let Some(ticket) = tickets.next() {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let (first, rows) = chunks[ticket];
            done.push((ticket, encode_chunk(call, rows, first)));
        }
        done
    };
    let done = threads::run(py, vec![(); threads.min(chunks.len())], work, threads::silent)?;
    let mut done: Vec<_> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|&(ticket, _)| ticket);
    Ok(done.into_iter().map(|(_, encoded)| encoded).collect())
}

/// Splits `rows` into runs of about `size` bytes, each with the number of its first row.
fn chunks(rows: &[Row], size: usize) -> Vec<(usize, &[Row])> {
    let mut chunks = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (at, row) in rows.iter().enumerate() {
        bytes += row.len();
        if bytes >= size {
            chunks.push((start, &rows[start..=at]));
            (start, bytes) = (at + 1, 0);
        }
    }
    chunks.push((start, &rows[start..]));
    chunks
}

/// The encodings of rows, of which the first has the number `first`.
fn encode_chunk(call: &Call<'_>, rows: &[Row], first: usize) -> Result<Encoded, Failure> {
    let mut scratch = call.workers.hire();
    let mut encoded = Encoded::new(call.columns);
    encoded.lengths.reserve(rows.len());
    for (number, row) in (first..).zip(rows) {
        encoded.push(call, row, &mut scratch).map_err(|error| (number, error))?;
    }
    Ok(encoded)
}

impl Encoded {
    fn new(columns: bool) -> Self {
        Self { columns: columns.then(Columns::default), ..Self::default() }
    }

    fn push(&mut self, call: &Call<'_>, row: &Row, scratch: &mut Scratch) -> Result<(), Error> {
        let Self { ids, lengths, columns } = self;
        let before = ids.len();
        let Call { tokenizer, options, .. } = call;
        row.with_inputs(|text, pair| match columns {
            None => tokenizer.encode_ids(text, pair, options, scratch, ids),
            Some(columns) => {
                let encoding = tokenizer.encode(text, pair, options, scratch)?;
                ids.extend_from_slice(&encoding.ids);
                columns.push(&Node::new(encoding, &row.maps(), tokenizer, None));
                Ok(())
            }
        })?;
        lengths.push(ids.len() - before);
        Ok(())
    }

    fn followed_by(mut self, mut other: Self) -> Self {
        if self.lengths.is_empty() {
            return other;
        }
        self.ids.append(&mut other.ids);
        self.lengths.append(&mut other.lengths);
        if let (Some(columns), Some(others)) = (&mut self.columns, other.columns) {
            columns.append(others);
        }
        self
    }

    /// The same rows, of `target` tokens at least; an error if memory has no room for them.
    fn padded(self, padding: &Padding, target: usize) -> Result<Self, TryReserveError> {
        let Self { ids, mut lengths, columns } = self;
        let room = Room { lengths: &lengths, target, direction: padding.direction };
        let ids = room.filled(&ids, padding.token.id)?;
        let columns = columns.map(|columns| columns.padded(&room, padding.type_id)).transpose()?;
        lengths.iter_mut().for_each(|length| *length = target.max(*length));
        Ok(Self { ids, lengths, columns })
    }

    fn into_batch(self, unpadded: Option<(Vec<u32>, bool)>) -> Batch {
        let row_offsets = row_offsets(&self.lengths);
        Batch::new(self.ids, row_offsets, self.columns, unpadded)
    }
}

/// Rows that are to have `target` values at least.
pub(crate) struct Room<'a> {
    lengths: &'a [usize],
    target: usize,
    direction: Direction,
}

impl Room<'_> {
    /// The values of all rows, end to end, with `pad` where a row has none.
    pub(crate) fn filled<T: Copy>(&self, values: &[T], pad: T) -> Result<Vec<T>, TryReserveError> {
        let mut filled = Vec::new();
        filled.try_reserve_exact(self.lengths.iter().map(|&length| length.max(self.target)).sum())?;
        let mut start = 0;
        for &length in self.lengths {
            let row = values[start..start + length].iter().copied();
            let missing = std::iter::repeat_n(pad, self.target.saturating_sub(length));
            match self.direction {
                Direction::Left => filled.extend(missing.chain(row)),
                Direction::Right => filled.extend(row.chain(missing)),
            }
            start += length;
        }
        Ok(filled)
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
