//! Many texts at once.

use std::ops::Range;
use std::sync::Arc;

use piecework_core::Error;
use piecework_core::encoding::Direction;
use piecework_core::pipeline::{self, Cuts, Options, Part, Scratch};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

use crate::batch::Batch;
use crate::encoded::{Encoded, in_order};
use crate::errors::{in_text, to_py};
use crate::input::Rows;
use crate::threads::{self, Tickets};
use crate::workers::{Hired, Workers};

/// Fewer bytes than this are encoded before a thread is started.
pub(crate) const FLOOR: usize = 1 << 16;
/// The least and the most bytes of a piece of work that a thread takes at a time.
const PIECE: (usize, usize) = (1 << 14, 1 << 18);
/// So many pieces for each thread, that all are done at about the same time.
const PIECES: usize = 4;

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

/// What a thread takes at a time.
enum Piece<'a> {
    Rows(Range<usize>),
    /// A part of a long row.
    Part(usize, Part<'a>),
}

/// The rows of a call, and where long ones may be cut.
struct Job<'a> {
    call: &'a Call<'a>,
    rows: &'a Rows<'a>,
    cuts: Option<Cuts<'a>>,
}

/// Encodes the rows on as many threads as are worth their while.
pub(crate) fn encode_batch(
    py: Python<'_>,
    call: &Call<'_>,
    rows: &Rows<'_>,
    asked: Option<threads::Asked>,
) -> PyResult<Batch> {
    let threads = threads::number(asked);
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

fn encode_rows(py: Python<'_>, call: &Call<'_>, rows: &Rows<'_>, threads: usize) -> PyResult<Encoded> {
    let bytes: usize = (0..rows.len()).map(|row| rows.bytes(row)).sum();
    let encoded = if bytes < FLOOR {
        py.detach(|| {
            let (job, all) = (Job { call, rows, cuts: None }, Piece::Rows(0..rows.len()));
            let mut encoded = Encoded::new(call.columns);
            job.encode(&all, &mut call.workers.hire(), &mut encoded).map(|()| encoded)
        })
    } else {
        let cuts = if call.columns { None } else { call.tokenizer.cuts(call.options) };
        let job = Job { call, rows, cuts };
        let pieces = py.detach(|| job.pieces((bytes / threads / PIECES).clamp(PIECE.0, PIECE.1)));
        job.encode_all(py, &pieces, threads.min(pieces.len()))?
    };
    encoded.map_err(|(text, error)| in_text(py, &error, text))
}

impl<'a> Job<'a> {
    /// Divides the rows into pieces of about `size` bytes, and those that are much longer, where they may be cut.
    fn pieces(&self, size: usize) -> Vec<Piece<'a>> {
        let Self { rows, cuts, .. } = self;
        let mut pieces = Vec::new();
        let (mut start, mut bytes) = (0, 0);
        for row in 0..rows.len() {
            let length = rows.bytes(row);
            if length > 2 * size
                && let Some(cuts) = cuts
                && let Some(text) = rows.text(row)
            {
                pieces.extend((start < row).then_some(Piece::Rows(start..row)));
                pieces.extend(cuts.parts(text, size).into_iter().map(|part| Piece::Part(row, part)));
                (start, bytes) = (row + 1, 0);
                continue;
            }
            bytes += length;
            if bytes >= size {
                pieces.push(Piece::Rows(start..row + 1));
                (start, bytes) = (row + 1, 0);
            }
        }
        pieces.extend((start < rows.len()).then_some(Piece::Rows(start..rows.len())));
        pieces
    }

    /// Encodes the pieces, or gives the failure of the first text that has one.
    fn encode_all(&self, py: Python<'_>, pieces: &[Piece<'_>], threads: usize) -> PyResult<Result<Encoded, Failure>> {
        let Call { workers, columns, .. } = *self.call;
        let tickets = Tickets::new(pieces.len());
        let next = |scratch: &mut Hired<'_>, encoded: &mut Encoded| {
            let Some(ticket) = tickets.next() else { return Ok(None) };
            self.encode(&pieces[ticket], scratch, encoded).map(|()| Some(ticket))
        };
        let (encoded, failures) = in_order(py, threads, columns, || workers.hire(), next, threads::silent)?;
        Ok(failures.into_iter().min_by_key(|&(text, _)| text).map_or(Ok(encoded), Err))
    }

    /// Encodes a piece of work behind what `encoded` has.
    fn encode(&self, piece: &Piece<'_>, scratch: &mut Scratch, encoded: &mut Encoded) -> Result<(), Failure> {
        match piece {
            Piece::Rows(range) => {
                encoded.lengths.reserve(range.len());
                range.clone().try_for_each(|row| self.row(row, scratch, encoded).map_err(|error| (row, error)))
            }
            Piece::Part(row, part) => self.part(*row, *part, scratch, encoded).map_err(|error| (*row, error)),
        }
    }

    fn row(&self, row: usize, scratch: &mut Scratch, encoded: &mut Encoded) -> Result<(), Error> {
        let Encoded { ids, lengths, columns, .. } = encoded;
        let Call { tokenizer, options, .. } = self.call;
        let before = ids.len();
        let options = tokenizer.numbered(options, row as u64);
        self.rows.with_inputs(row, |text, pair| match columns {
            None => tokenizer.encode_ids(text, pair, &options, scratch, ids),
            Some(columns) => {
                let encoding = tokenizer.encode(text, pair, &options, scratch)?;
                ids.extend_from_slice(&encoding.ids);
                columns.push(&encoding, &self.rows.maps(row));
                Ok(())
            }
        })?;
        lengths.push(ids.len() - before);
        Ok(())
    }

    fn part(&self, row: usize, part: Part<'_>, scratch: &mut Scratch, encoded: &mut Encoded) -> Result<(), Error> {
        let before = encoded.ids.len();
        let done = self.cuts.map_or(Ok(()), |cuts| cuts.encode(part, scratch, &mut encoded.ids));
        if let Err(error) = done {
            // The text as a whole says which of several errors is told, and where in it that is.
            return self.row(row, scratch, &mut Encoded::default()).and(Err(error));
        }
        encoded.push_part(encoded.ids.len() - before, part.is_first);
        Ok(())
    }
}
