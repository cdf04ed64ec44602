//! Decoding many rows of ids.

use numpy::PyArray1;
use piecework_core::Result;
use piecework_core::pipeline::Tokenizer;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arguments::{Ids, items};
use crate::batch::Batch;
use crate::errors::in_text;
use crate::threads::stoppable;

/// The number of rows after which a signal, such as that of Ctrl-C, ends the call.
const ROWS_PER_CHECK: usize = 256;

/// Rows of ids.
enum IdRows<'py> {
    Batch(Bound<'py, Batch>),
    Lists(Vec<Vec<u32>>),
}

impl<'py> IdRows<'py> {
    fn new(rows: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(batch) = rows.cast::<Batch>() {
            return Ok(Self::Batch(batch.clone()));
        }
        let each = items("batch", "rows of token ids", rows)?;
        each.map(|row| Ok(row?.extract::<Ids>()?.0)).collect::<PyResult<_>>().map(Self::Lists)
    }

    fn len(&self) -> usize {
        match self {
            Self::Batch(batch) => batch.get().rows(),
            Self::Lists(rows) => rows.len(),
        }
    }

    fn row(&self, row: usize) -> &[u32] {
        match self {
            Self::Batch(batch) => batch.get().row_ids(row).unwrap_or_default(),
            Self::Lists(rows) => &rows[row],
        }
    }

    /// Returns what `decode` returns for each row; an error has the number of its row.
    fn each<T>(&self, py: Python<'_>, mut decode: impl FnMut(&[u32]) -> Result<T>) -> PyResult<Vec<T>> {
        let each = |row: usize| {
            if row.is_multiple_of(ROWS_PER_CHECK) {
                py.check_signals()?;
            }
            stoppable(|| decode(self.row(row)))?.map_err(|error| in_text((row, error)))
        };
        (0..self.len()).map(each).collect()
    }
}

/// Returns what `decode` returns for each row of ids.
pub(crate) fn decode_batch<'py, T: IntoPyObject<'py>>(
    rows: &Bound<'py, PyAny>,
    decode: impl FnMut(&[u32]) -> Result<T>,
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(rows.py(), IdRows::new(rows)?.each(rows.py(), decode)?)
}

/// The texts of rows, and columns with a number for each id, and the ends of rows in them.
pub(crate) type OffsetColumns<'py> =
    (Vec<String>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

/// Returns the texts of rows of ids, the first character and the first byte of each id, and the ends of rows.
pub(crate) fn decode_offsets_batch<'py>(
    tokenizer: &Tokenizer,
    rows: &Bound<'py, PyAny>,
    skip_special_tokens: bool,
) -> PyResult<OffsetColumns<'py>> {
    let (py, rows) = (rows.py(), IdRows::new(rows)?);
    let (mut starts, mut byte_starts, mut row_offsets) = (Vec::new(), Vec::new(), vec![0]);
    let texts = rows.each(py, |row| {
        let found = tokenizer.decode_offsets(row, skip_special_tokens)?;
        starts.extend(found.starts.into_iter().map(position));
        byte_starts.extend(found.byte_starts.into_iter().map(position));
        row_offsets.push(position(starts.len()));
        Ok(found.text)
    })?;
    let [starts, byte_starts, row_offsets] =
        [starts, byte_starts, row_offsets].map(|column| PyArray1::from_vec(py, column));
    Ok((texts, starts, byte_starts, row_offsets))
}

/// Returns a place in memory as columns have it.
pub(crate) fn position(place: usize) -> i64 {
    i64::try_from(place).unwrap_or(i64::MAX)
}
