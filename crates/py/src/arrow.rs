//! Text columns of other libraries, read without a copy (Arrow PyCapsule interface).
//!
//! The numbers of an array are checked, each alone and against each other, before memory is read with them. Only what
//! cannot be checked is trusted: that its buffers are as large as its numbers require.

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use piecework_core::Error;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::errors::{in_arrow, in_text};
use crate::utf8::checked;

/// Texts in one or several Arrow arrays.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct ArrowTexts {
    arrays: Vec<Texts>,
    /// The index of the first text of each array, and the number of all texts.
    starts: Vec<usize>,
}

/// An array of texts without nulls.
struct Texts {
    array: FFI_ArrowArray,
    layout: Layout,
    /// The array's `length` and `offset`, checked.
    length: usize,
    offset: usize,
}

/// The layout of the texts of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// 32-bit offsets into one buffer.
    Small,
    /// 64-bit offsets into one buffer.
    Large,
    /// Views into several buffers.
    View,
}

impl Layout {
    /// Returns the layout of an array of strings, or of binary values.
    fn of(schema: &FFI_ArrowSchema) -> Result<Self, String> {
        if schema.release.is_none() || schema.format.is_null() {
            return Err("the schema was given away before".to_owned());
        }
        // SAFETY: by the interface this is a NUL-terminated string that lives as long as the schema.
        #[expect(unsafe_code, reason = "the interface is one of C")]
        let format = unsafe { CStr::from_ptr(schema.format) };
        match format.to_bytes() {
            _ if !schema.dictionary.is_null() => Err("expected texts, found a dictionary of them; cast it".to_owned()),
            b"u" | b"z" => Ok(Self::Small),
            b"U" | b"Z" => Ok(Self::Large),
            b"vu" | b"vz" => Ok(Self::View),
            b"+s" => Err("expected a column of texts, found a table or struct; pass one of its columns".to_owned()),
            b"n" => Err("expected texts, found nulls alone".to_owned()),
            other => Err(format!(
                "expected a column of texts, found one of the Arrow format {:?}",
                String::from_utf8_lossy(other)
            )),
        }
    }
}

impl Texts {
    /// Returns the texts of an array; `first` is the index of its first text, for messages.
    fn new(array: FFI_ArrowArray, layout: Layout, first: usize) -> Result<Self, String> {
        let number = |name: &str, value: i64| {
            usize::try_from(value).map_err(|_| format!("the array's {name} is {value}; expected a number from 0 on"))
        };
        let (length, offset) = (number("length", array.length)?, number("offset", array.offset)?);
        // Views are the widest layout; their size must be addressable.
        if length
            .checked_add(offset)
            .and_then(|end| end.checked_add(1)?.checked_mul(16))
            .is_none_or(|bytes| bytes > isize::MAX as usize)
        {
            return Err(format!("the array's length {length} and offset {offset} are more than memory can hold"));
        }
        let buffers = number("number of buffers", array.n_buffers)?;
        if buffers < 3 || (layout != Layout::View && buffers > 3) || array.buffers.is_null() || array.release.is_none()
        {
            return Err(format!("the array has {buffers} buffers; expected those of an array of texts"));
        }
        let texts = Self { array, layout, length, offset };
        texts.check_nulls(first)?;
        if length > 0 && texts.buffer(1).is_null() {
            return Err("the array lacks its buffer of offsets or views".to_owned());
        }
        match (0..length).find(|&place| texts.get(place).is_none()) {
            Some(place) => Err(format!("text {}: the array's offsets do not go with its buffers", first + place)),
            None => Ok(texts),
        }
    }

    fn check_nulls(&self, first: usize) -> Result<(), String> {
        let validity = self.buffer(0);
        if self.array.null_count == 0 || validity.is_null() {
            return Ok(());
        }
        let is_null = |place: &usize| {
            let bit = self.offset + place;
            // SAFETY: a validity buffer that is not null has a bit for each item.
            #[expect(unsafe_code, reason = "the interface is one of C")]
            let byte = unsafe { validity.add(bit / 8).read() };
            byte >> (bit % 8) & 1 == 0
        };
        match (0..self.length).find(is_null) {
            None => Ok(()),
            Some(place) => Err(format!(
                "text {} is null; drop the nulls, or fill them, with fill_null(\"\") for example",
                first + place
            )),
        }
    }

    /// Returns the text at index `place`, which is below the length; `None` if its offsets exceed the buffers.
    fn get(&self, place: usize) -> Option<&[u8]> {
        let place = self.offset + place;
        let (buffer, start, length, end) = match self.layout {
            Layout::Small => {
                let at = |place| usize::try_from(self.read::<i32>(1, place)).ok();
                (2, at(place)?, at(place + 1)?.checked_sub(at(place)?)?, at(self.offset + self.length)?)
            }
            Layout::Large => {
                let at = |place| usize::try_from(self.read::<i64>(1, place)).ok();
                (2, at(place)?, at(place + 1)?.checked_sub(at(place)?)?, at(self.offset + self.length)?)
            }
            Layout::View => return self.view(place),
        };
        self.slice(buffer, start, length, end)
    }

    /// Returns the text of a view. A view has a length, then the text, or its first four bytes, buffer and start.
    fn view(&self, place: usize) -> Option<&[u8]> {
        const SHORT: usize = 12;
        let part = |part| usize::try_from(self.read::<i32>(1, 4 * place + part)).ok();
        let length = part(0)?;
        if length <= SHORT {
            return self.slice(1, 16 * place + 4, length, 16 * (self.offset + self.length));
        }
        let buffers = usize::try_from(self.array.n_buffers).ok()?;
        let buffer = 2 + part(2)?;
        if buffer >= buffers - 1 || self.buffer(buffers - 1).is_null() {
            return None;
        }
        let end = usize::try_from(self.read::<i64>(buffers - 1, buffer - 2)).ok()?;
        self.slice(buffer, part(3)?, length, end)
    }

    /// Returns `length` bytes from `start` of a buffer of `end` bytes.
    fn slice(&self, buffer: usize, start: usize, length: usize, end: usize) -> Option<&[u8]> {
        if start.checked_add(length)? > end || end > isize::MAX as usize {
            return None;
        }
        if length == 0 {
            return Some(&[]);
        }
        let memory = self.buffer(buffer);
        // SAFETY: the bytes are within the buffer, which by the interface lives as long as the array and never changes.
        #[expect(unsafe_code, reason = "the interface is one of C")]
        let slice = (!memory.is_null()).then(|| unsafe { std::slice::from_raw_parts(memory.add(start), length) });
        slice
    }

    /// Returns item `place` of a buffer, which must exist and be long enough.
    fn read<T: Copy>(&self, buffer: usize, place: usize) -> T {
        // SAFETY: callers read below the array's length plus offset, which were found to be addressable. Buffers need
        // not be aligned.
        #[expect(unsafe_code, reason = "the interface is one of C")]
        unsafe {
            self.buffer(buffer).cast::<T>().add(place).read_unaligned()
        }
    }

    /// Returns the address of buffer `number`, which is below the number of buffers.
    fn buffer(&self, number: usize) -> *const u8 {
        // SAFETY: the array has this number of pointers.
        #[expect(unsafe_code, reason = "the interface is one of C")]
        unsafe {
            self.array.buffers.add(number).read().cast()
        }
    }
}

impl ArrowTexts {
    fn import(
        arrays: impl IntoIterator<Item = Result<FFI_ArrowArray, String>>,
        layout: Layout,
    ) -> Result<Self, String> {
        let mut texts = Self { arrays: Vec::new(), starts: vec![0] };
        for array in arrays {
            let first = texts.len();
            let array = Texts::new(array?, layout, first)?;
            texts.starts.push(first + array.length);
            texts.arrays.push(array);
        }
        Ok(texts)
    }

    /// Returns the number of texts.
    pub(crate) fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Returns a text as bytes, which may be invalid UTF-8.
    pub(crate) fn get(&self, place: usize) -> &[u8] {
        let array = self.starts.partition_point(|&start| start <= place).saturating_sub(1);
        let texts = self.arrays.get(array);
        texts.and_then(|texts| texts.get(place - self.starts[array])).unwrap_or_default()
    }
}

#[pymethods]
impl ArrowTexts {
    #[new]
    fn new(column: &Bound<'_, PyAny>) -> PyResult<Self> {
        let texts = if column.hasattr("__arrow_c_stream__")? {
            let mut stream = Stream::new(&column.call_method0("__arrow_c_stream__")?)?;
            stream.layout().and_then(|layout| Self::import(stream, layout))
        } else {
            let (schema, array) = array(&column.call_method0("__arrow_c_array__")?)?;
            Layout::of(&schema).and_then(|layout| Self::import([Ok(array)], layout))
        };
        texts.map_err(in_arrow)
    }

    fn __len__(&self) -> usize {
        self.len()
    }

    /// Returns the texts that are not UTF-8: the index, the first invalid byte and its value.
    fn invalid_utf8(&self, py: Python<'_>) -> Vec<(usize, usize, u8)> {
        let invalid = |place| match checked(self.get(place)) {
            Err(Error::Bytes { byte, value }) => Some((place, byte, value)),
            _ => None,
        };
        py.detach(|| (0..self.len()).filter_map(invalid).collect())
    }

    fn __getitem__(&self, place: usize) -> PyResult<&str> {
        if place >= self.len() {
            return Err(PyIndexError::new_err(format!("{} texts have no place {place}", self.len())));
        }
        checked(self.get(place)).map_err(|error| in_text((place, error)))
    }
}

/// Returns the schema and the array in a result of `__arrow_c_array__`.
fn array(both: &Bound<'_, PyAny>) -> PyResult<(FFI_ArrowSchema, FFI_ArrowArray)> {
    let both = both.cast::<PyTuple>()?;
    let (schema, array) = (both.get_item(0)?, both.get_item(1)?);
    let (schema, array) = (schema.cast::<PyCapsule>()?, array.cast::<PyCapsule>()?);
    let schema = schema.pointer_checked(Some(c"arrow_schema"))?;
    let array = array.pointer_checked(Some(c"arrow_array"))?;
    // SAFETY: by the interface, capsules of these names contain these structs; they are moved out, and the remaining
    // ones are marked as released.
    #[expect(unsafe_code, reason = "the interface is one of C")]
    unsafe {
        Ok((FFI_ArrowSchema::from_raw(schema.as_ptr().cast()), FFI_ArrowArray::from_raw(array.as_ptr().cast())))
    }
}

/// A stream of arrays.
struct Stream(FFI_ArrowArrayStream);

impl Stream {
    fn new(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(c"arrow_array_stream"))?;
        // SAFETY: by the interface, a capsule of this name contains this struct; it is moved out.
        #[expect(unsafe_code, reason = "the interface is one of C")]
        unsafe {
            Ok(Self(FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast())))
        }
    }

    fn layout(&mut self) -> Result<Layout, String> {
        let mut schema = FFI_ArrowSchema::empty();
        let stream = &raw mut self.0;
        let call = self.0.get_schema.filter(|_| self.0.release.is_some());
        // SAFETY: a stream that was not released has this function, which fills in a schema or returns an error code.
        #[expect(unsafe_code, reason = "the interface is one of C")]
        let failed = call.map(|call| unsafe { call(stream, &raw mut schema) });
        self.done(failed)?;
        Layout::of(&schema)
    }

    /// Turns the result code of a call into an error; `None` means that the stream was released.
    fn done(&mut self, failed: Option<i32>) -> Result<(), String> {
        let code = match failed {
            Some(0) => return Ok(()),
            Some(code) => code,
            None => return Err("the stream was read before, and can be read once".to_owned()),
        };
        let stream = &raw mut self.0;
        // SAFETY: a stream that failed has a message, which is a string or null.
        #[expect(unsafe_code, reason = "the interface is one of C")]
        let why = self.0.get_last_error.and_then(|ask| unsafe {
            let why = ask(stream);
            (!why.is_null()).then(|| CStr::from_ptr(why).to_string_lossy().into_owned())
        });
        Err(format!("the stream failed with error {code}: {}", why.unwrap_or_default()))
    }
}

impl Iterator for Stream {
    type Item = Result<FFI_ArrowArray, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut array = FFI_ArrowArray::empty();
        let stream = &raw mut self.0;
        // SAFETY: a stream that was not released has this function, which fills in an array or returns an error code.
        #[expect(unsafe_code, reason = "the interface is one of C")]
        let failed = self.0.get_next.map(|call| unsafe { call(stream, &raw mut array) });
        match self.done(failed) {
            Ok(()) if array.release.is_none() => None,
            Ok(()) => Some(Ok(array)),
            Err(error) => Some(Err(error)),
        }
    }
}
