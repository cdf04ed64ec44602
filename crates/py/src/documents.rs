//! Documents of text and JSON lines, from blocks of bytes to columns that NumPy and Arrow share.

use arrow_array::{Array, LargeStringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
use numpy::PyArray1;
use piecework_core::documents::{
    DocumentColumns, Fault, FaultKind, JsonFields, LineFormat, LineRange, LineReader, TextColumn,
};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyCapsule;

use crate::capsules;
use crate::errors::to_py;

/// A reader of the documents of consecutive blocks of a file.
#[pyclass(module = "piecework._core")]
pub(crate) struct DocumentReader {
    reader: LineReader,
    format: LineFormat,
}

#[pymethods]
impl DocumentReader {
    /// Creates a reader of JSON lines if it gets the members to read, else of text: the whole file or its lines.
    ///
    /// The span has its first byte, whether its first line began before, and its end.
    #[new]
    #[pyo3(signature = (*, members, whole, keep_line_ends, stop, span))]
    fn new(
        members: Option<(&str, Vec<String>)>,
        whole: bool,
        keep_line_ends: bool,
        stop: bool,
        span: (u64, bool, Option<u64>),
    ) -> PyResult<Self> {
        let format = match members {
            None if whole => LineFormat::WholeFile,
            None => LineFormat::Text { keep_ends: keep_line_ends },
            Some((field, keep)) => LineFormat::Json(JsonFields::new(field, &keep).map_err(to_py)?),
        };
        let (start, skips_first, end) = span;
        let range = LineRange { start, skips_first, end: end.unwrap_or(u64::MAX) };
        let reader = LineReader::new(format.clone(), range);
        Ok(Self { reader: if stop { reader.stop_at_fault() } else { reader }, format })
    }

    /// Returns the documents of the lines that end in a block, or at its end if it is the last one.
    fn read(&mut self, py: Python<'_>, block: PyBackedBytes, last: bool) -> ParsedDocuments {
        let columns = py.detach(|| {
            let mut columns = DocumentColumns::new(&self.format);
            self.reader.read(&block, last, &mut columns);
            columns
        });
        ParsedDocuments::new(columns)
    }

    #[getter]
    fn is_finished(&self) -> bool {
        self.reader.is_finished()
    }

    #[getter]
    fn pending(&self) -> usize {
        self.reader.pending()
    }
}

/// The documents of a block in columns, and the faults among its lines.
#[pyclass(module = "piecework._core")]
pub(crate) struct ParsedDocuments {
    texts: TextArray,
    positions: Vec<i64>,
    lines: Vec<i64>,
    kept: Vec<TextArray>,
    faults: Vec<Fault>,
}

impl ParsedDocuments {
    fn new(columns: DocumentColumns) -> Self {
        Self {
            texts: TextArray::new(columns.texts),
            positions: columns.positions.into_iter().map(u64::cast_signed).collect(),
            lines: columns.lines.into_iter().map(u64::cast_signed).collect(),
            kept: columns.kept.into_iter().map(TextArray::new).collect(),
            faults: columns.faults,
        }
    }
}

#[pymethods]
impl ParsedDocuments {
    #[getter]
    fn texts(&self) -> TextArray {
        self.texts.clone()
    }

    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_slice(py, &self.positions)
    }

    #[getter]
    fn lines<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        PyArray1::from_slice(py, &self.lines)
    }

    #[getter]
    fn kept(&self) -> Vec<TextArray> {
        self.kept.clone()
    }

    #[getter]
    fn faults(&self) -> Vec<LineFault> {
        self.faults.iter().cloned().map(LineFault::new).collect()
    }
}

/// A line that is no document.
#[pyclass(frozen, get_all, module = "piecework._core")]
pub(crate) struct LineFault {
    kind: &'static str,
    line: u64,
    start: u64,
    byte: u64,
    reason: String,
    invalid_byte: Option<u8>,
    field: Option<String>,
}

impl LineFault {
    fn new(fault: Fault) -> Self {
        let Fault { kind, line, start, byte, reason } = fault;
        let name = kind.name();
        let (invalid_byte, field) = match kind {
            FaultKind::InvalidUtf8(value) => (Some(value), None),
            FaultKind::NoText(field) => (None, field),
            _ => (None, None),
        };
        Self { kind: name, line, start, byte, reason, invalid_byte, field }
    }
}

/// A column of texts, which other libraries read without a copy.
#[derive(Clone)]
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct TextArray {
    array: LargeStringArray,
}

impl TextArray {
    fn new(column: TextColumn) -> Self {
        let ends = column.ends.iter().map(|&end| end.cast_signed() as i64);
        let offsets: Vec<i64> = std::iter::once(0).chain(ends).collect();
        let nulls = (!column.validity.is_empty()).then(|| NullBuffer::from(column.validity));
        let (offsets, bytes) = (OffsetBuffer::new(offsets.into()), Buffer::from_vec(column.bytes));
        // SAFETY: the core has checked that each text is UTF-8, and the ends are in order and within the bytes.
        #[expect(unsafe_code, reason = "the checked constructor would check the UTF-8 again")]
        let array = unsafe { LargeStringArray::new_unchecked(offsets, bytes, nulls) };
        Self { array }
    }

    fn field() -> Field {
        Field::new("text", DataType::LargeUtf8, true)
    }
}

#[pymethods]
impl TextArray {
    fn __len__(&self) -> usize {
        self.array.len()
    }

    /// The number of bytes of all texts.
    #[getter]
    fn nbytes(&self) -> usize {
        self.array.value_data().len()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsules::schema(py, &Self::field())
    }

    /// Returns the column as an array; the protocol allows to ignore a requested schema.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        Ok((capsules::schema(py, &Self::field())?, capsules::array(py, &self.array)?))
    }
}
