//! Batches of encodings: one array of ids and the rows' offsets, shared with NumPy and Arrow without a copy.
//!
//! Ids take 4 bytes a token and 8 bytes a text. Other columns exist only if the call requested them, so ids alone never
//! pay for offsets.

use std::sync::{Arc, OnceLock};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{LargeListArray, RecordBatch, RecordBatchIterator, UInt32Array};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};
use numpy::ndarray::ArrayView1;
use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCapsule, PyInt, PyList};

use crate::capsules::{self, arrow_error};
use crate::columns::Columns;
use crate::lists::list;

/// The ids of many texts, with the other columns if they were requested.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct Batch {
    ids: ScalarBuffer<u32>,
    row_offsets: ScalarBuffer<i64>,
    columns: Option<Columns>,
    /// The number of tokens of each row before padding, and whether padding is on the left; `None` without padding.
    unpadded: Option<(Vec<u32>, bool)>,
    /// The ids as Python integers, created on first use and shared by all lists of `row`.
    integers: OnceLock<Vec<PyOnceLock<Py<PyInt>>>>,
}

impl Batch {
    pub(crate) fn new(
        ids: Vec<u32>,
        row_offsets: Vec<i64>,
        columns: Option<Columns>,
        unpadded: Option<(Vec<u32>, bool)>,
    ) -> Self {
        Self { ids: ids.into(), row_offsets: row_offsets.into(), columns, unpadded, integers: OnceLock::new() }
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.row_offsets.len() - 1
    }

    /// Returns the ids of a row.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "offsets into memory")]
    pub(crate) fn row_ids(&self, row: usize) -> Option<&[u32]> {
        let (start, end) = (self.row_offsets.get(row)?, self.row_offsets.get(row + 1)?);
        Some(&self.ids[*start as usize..*end as usize])
    }

    /// Returns the converted ids, with `end` after each row if it is given.
    fn with_ends<T>(&self, end: Option<u32>, convert: impl Fn(u32) -> T) -> Vec<T> {
        let ends = end.map_or(0, |_| self.__len__());
        let mut ids = Vec::with_capacity(self.ids.len() + ends);
        if end.is_none() {
            ids.extend(self.ids.iter().map(|&id| convert(id)));
            return ids;
        }
        for row in (0..self.__len__()).filter_map(|row| self.row_ids(row)) {
            ids.extend(row.iter().copied().map(&convert));
            ids.extend(end.map(&convert));
        }
        ids
    }

    /// Returns a place for the integer of each id; no places if there are more ids than tokens.
    fn integers(&self) -> &[PyOnceLock<Py<PyInt>>] {
        self.integers.get_or_init(|| {
            let limit = self.ids.iter().max().map_or(0, |&largest| largest as usize + 1);
            if limit > self.ids.len() {
                Vec::new()
            } else {
                std::iter::repeat_with(PyOnceLock::new).take(limit).collect()
            }
        })
    }

    /// Returns the rows as an Arrow array, which shares the buffers.
    fn lists(&self) -> LargeListArray {
        let values = Arc::new(UInt32Array::new(self.ids.clone(), None));
        LargeListArray::new(Self::item(), OffsetBuffer::new(self.row_offsets.clone()), values, None)
    }

    fn field() -> Arc<Field> {
        Arc::new(Field::new("ids", DataType::LargeList(Self::item()), false))
    }

    fn item() -> Arc<Field> {
        Arc::new(Field::new("item", DataType::UInt32, false))
    }
}

/// Returns a read-only array over `values`, which belong to `batch`.
fn view<'py, T: Element>(batch: &Bound<'py, Batch>, values: &[T]) -> Bound<'py, PyArray1<T>> {
    // SAFETY: the memory belongs to the batch, which the array keeps alive as its base; it is never written or
    // moved, since the class is frozen and its buffers are immutable.
    #[expect(unsafe_code, reason = "a view of memory that Rust owns is how NumPy gets it without a copy")]
    let array = unsafe { PyArray1::borrow_from_array(&ArrayView1::from(values), batch.clone().into_any()) };
    array.readwrite().make_nonwriteable();
    array
}

type Column<'py, T> = Bound<'py, PyArray1<T>>;

/// The columns other than ids as arrays, which Python gets as a dictionary.
#[derive(IntoPyObject)]
struct ColumnViews<'py> {
    offsets: Column<'py, u32>,
    word_ids: Column<'py, i32>,
    type_ids: Column<'py, u32>,
    special_tokens_mask: Column<'py, u8>,
    attention_mask: Column<'py, u8>,
}

#[pymethods]
impl Batch {
    /// Creates a batch from the ids of its rows, as a pickle contains them.
    #[new]
    fn from_rows(
        ids: PyReadonlyArray1<'_, u32>,
        row_offsets: PyReadonlyArray1<'_, i64>,
        unpadded: Option<(PyReadonlyArray1<'_, u32>, bool)>,
    ) -> PyResult<Self> {
        let (ids, row_offsets) = (ids.as_array().to_vec(), row_offsets.as_array().to_vec());
        let unpadded = unpadded.map(|(lengths, left)| (lengths.as_array().to_vec(), left));
        let rows = row_offsets.len().checked_sub(1).ok_or_else(|| PyValueError::new_err("row_offsets is empty"))?;
        let is_ordered = row_offsets[0] == 0 && row_offsets.is_sorted();
        if !is_ordered || usize::try_from(row_offsets[rows]) != Ok(ids.len()) {
            return Err(PyValueError::new_err("row_offsets do not divide the ids"));
        }
        if unpadded.as_ref().is_some_and(|(lengths, _)| lengths.len() != rows) {
            return Err(PyValueError::new_err("unpadded does not have a length for each row"));
        }
        Ok(Self::new(ids, row_offsets, None, unpadded))
    }

    /// Returns the rows of all batches in order, with their ids alone.
    #[staticmethod]
    fn concatenated(batches: Vec<PyRef<'_, Self>>) -> Self {
        let (mut ids, mut row_offsets, mut start) = (Vec::new(), vec![0], 0);
        for batch in &batches {
            ids.extend_from_slice(&batch.ids);
            row_offsets.extend(batch.row_offsets.iter().skip(1).map(|&end| start + end));
            start = row_offsets.last().copied().unwrap_or(0);
        }
        Self::new(ids, row_offsets, None, None)
    }

    #[getter]
    fn ids<'py>(this: Bound<'py, Self>) -> Bound<'py, PyArray1<u32>> {
        view(&this, &this.get().ids)
    }

    #[getter]
    fn row_offsets<'py>(this: Bound<'py, Self>) -> Bound<'py, PyArray1<i64>> {
        view(&this, &this.get().row_offsets)
    }

    /// Returns the columns other than the ids, if they were requested.
    fn columns<'py>(this: Bound<'py, Self>) -> Option<ColumnViews<'py>> {
        let columns = this.get().columns.as_ref()?;
        Some(ColumnViews {
            offsets: view(&this, columns.offsets.as_flattened()),
            word_ids: view(&this, &columns.word_ids),
            type_ids: view(&this, &columns.type_ids),
            special_tokens_mask: view(&this, &columns.special_tokens_mask),
            attention_mask: view(&this, &columns.attention_mask),
        })
    }

    /// Returns the number of tokens of each row before padding, and whether padding is on the left.
    fn unpadded(&self, py: Python<'_>) -> Option<(Py<PyArray1<u32>>, bool)> {
        let (lengths, left) = self.unpadded.as_ref()?;
        Some((PyArray1::from_slice(py, lengths).unbind(), *left))
    }

    /// Returns the ids as integers of 2 or 4 bytes, with `end` after each row if it is given.
    fn packed<'py>(&self, py: Python<'py>, width: usize, end: Option<u32>) -> PyResult<Bound<'py, PyAny>> {
        if width == size_of::<u32>() {
            return Ok(PyArray1::from_vec(py, self.with_ends(end, |id| id)).into_any());
        }
        let largest = self.ids.iter().copied().chain(end).max();
        if let Some(id) = largest.filter(|&id| u16::try_from(id).is_err()) {
            return Err(PyOverflowError::new_err(format!("the id {id} has more than 16 bits")));
        }
        #[expect(clippy::cast_possible_truncation, reason = "no id is larger than 16 bits")]
        let ids = self.with_ends(end, |id| id as u16);
        Ok(PyArray1::from_vec(py, ids).into_any())
    }

    fn __len__(&self) -> usize {
        self.rows()
    }

    fn to_list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let rows = (0..self.__len__()).filter_map(|row| self.row_ids(row)).map(|ids| list(py, ids));
        list(py, rows.collect::<PyResult<Vec<_>>>()?)
    }

    /// Returns the ids of a row; equal ids of all rows are the same Python object, since creating it is slow.
    fn row<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyList>> {
        let ids = self.row_ids(row).ok_or_else(|| PyIndexError::new_err(format!("there is no row {row}")))?;
        let integers = self.integers();
        if integers.is_empty() {
            return list(py, ids);
        }
        let integer = |id: &u32| integers[*id as usize].get_or_init(py, || PyInt::new(py, *id).unbind()).bind(py);
        list(py, ids.iter().map(integer))
    }

    /// Returns the number of tokens of each row, with padding and without.
    fn lengths(&self) -> Vec<(i64, i64)> {
        let padded = self.row_offsets.windows(2).map(|row| row[1] - row[0]);
        match &self.unpadded {
            None => padded.map(|length| (length, length)).collect(),
            Some((lengths, _)) => padded.zip(lengths.iter().map(|&length| i64::from(length))).collect(),
        }
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsules::schema(py, &Self::field())
    }

    /// Returns the rows as an array of lists; the protocol allows to ignore a requested schema.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        Ok((capsules::schema(py, &Self::field())?, capsules::array(py, &self.lists())?))
    }

    /// Returns the rows as a table with one column, `ids`, in a stream of one batch.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let schema = Arc::new(Schema::new(vec![Self::field()]));
        let table = RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(self.lists())]).map_err(arrow_error)?;
        let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(table)], schema)));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}
