//! A batch of encodings: one flat array of ids and the rows' offsets, shared with NumPy and Arrow without a copy.

use std::sync::Arc;

use arrow_array::{Array, LargeListArray, UInt32Array};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field};
use numpy::ndarray::ArrayView1;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::ffi::{to_array_pycapsules, to_schema_pycapsule};

/// Ids of many texts.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct Batch {
    ids: ScalarBuffer<u32>,
    row_offsets: ScalarBuffer<i64>,
}

impl Batch {
    pub(crate) fn new(ids: Vec<u32>, row_offsets: Vec<i64>) -> Self {
        Self { ids: ids.into(), row_offsets: row_offsets.into() }
    }

    fn field() -> Arc<Field> {
        Arc::new(Field::new("ids", DataType::LargeList(Self::item()), false))
    }

    fn item() -> Arc<Field> {
        Arc::new(Field::new("item", DataType::UInt32, false))
    }
}

/// A read-only array over `values`, which belong to `batch`.
fn view<'py, T: Element>(batch: &Bound<'py, Batch>, values: &[T]) -> Bound<'py, PyArray1<T>> {
    // SAFETY: the memory belongs to the batch, which the array keeps alive as its base; it is never written or
    // moved, since the class is frozen and its buffers are immutable.
    #[expect(unsafe_code, reason = "a view of memory that Rust owns is how NumPy gets it without a copy")]
    let array = unsafe { PyArray1::borrow_from_array(&ArrayView1::from(values), batch.clone().into_any()) };
    array.readwrite().make_nonwriteable();
    array
}

#[pymethods]
impl Batch {
    #[getter]
    fn ids<'py>(this: Bound<'py, Self>) -> Bound<'py, PyArray1<u32>> {
        view(&this, &this.get().ids)
    }

    #[getter]
    fn row_offsets<'py>(this: Bound<'py, Self>) -> Bound<'py, PyArray1<i64>> {
        view(&this, &this.get().row_offsets)
    }

    fn __len__(&self) -> usize {
        self.row_offsets.len() - 1
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "offsets into memory")]
    fn to_list(&self) -> Vec<Vec<u32>> {
        self.row_offsets.windows(2).map(|row| self.ids[row[0] as usize..row[1] as usize].to_vec()).collect()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, Self::field().as_ref())?)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let values = Arc::new(UInt32Array::new(self.ids.clone(), None));
        let offsets = OffsetBuffer::new(self.row_offsets.clone());
        let list = LargeListArray::new(Self::item(), offsets, values, None);
        Ok(to_array_pycapsules(py, Self::field(), &list as &dyn Array, requested_schema)?)
    }
}
