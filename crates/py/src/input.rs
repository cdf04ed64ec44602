//! The input types of calls: a `str` or UTF-8, its words, or segments.

use std::ops::Range;

use piecework_core::Error;
use piecework_core::pipeline::Input;
use piecework_core::text::span::{Span, check_length};
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError};
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString, PyTuple};

use crate::arguments::{is_list, items, wrong_type, wrong_type_with};
use crate::arrow::ArrowTexts;
use crate::char_map::{CharMaps, CharacterOffsets};
use crate::errors::{surrogate, surrogate_at, to_py};
use crate::threads::{MIN_DETACHED_BYTES, task_bytes};
use crate::utf8::checked;

/// A text in Python's memory, readable without the GIL.
#[derive(PartialEq)]
pub(crate) enum PythonText {
    Str(PyBackedStr),
    /// Bytes that should be UTF-8; checked on each read.
    Bytes(PyBackedBytes),
}

/// A text in one of the forms that a call accepts.
#[derive(PartialEq)]
pub(crate) enum InputText {
    /// A text.
    Text(PythonText),
    /// A text as a list of words.
    Words(Vec<PyBackedStr>),
    /// A text in segments: the end of each, and whether it is trusted.
    Segments(String, Vec<(usize, bool)>),
    /// A text with its trusted ranges.
    Trusted(String, Vec<Span>),
}

/// A text or a pair.
#[derive(PartialEq)]
pub(crate) struct InputRow {
    text: InputText,
    pair: Option<InputText>,
}

impl PythonText {
    /// Takes a `str` or `bytes`, or copies mutable bytes.
    pub(crate) fn new(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if value.is_instance_of::<PyString>() {
            return backed_str(name, value).map(Self::Str);
        }
        if let Ok(bytes) = value.cast::<PyBytes>() {
            return Ok(Self::Bytes(bytes.clone().into()));
        }
        if let Ok(bytes) = value.cast::<PyByteArray>() {
            return Ok(Self::Bytes(bytes.clone().into()));
        }
        if value.is_instance_of::<PyMemoryView>() {
            return Ok(Self::Bytes(value.call_method0("tobytes")?.cast_into::<PyBytes>()?.into()));
        }
        let hint = "pass several texts to encode_batch, and words with is_pretokenized=True";
        Err(wrong_type_with(name, "a str or UTF-8 in bytes", value, is_list(value).then_some(hint)))
    }

    pub(crate) fn get(&self) -> Result<&str, Error> {
        match self {
            Self::Str(text) => Ok(text),
            Self::Bytes(bytes) => checked(bytes),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Str(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}

impl InputText {
    /// Takes a text, or a list of `str` if `is_pretokenized`.
    fn new(name: &str, value: &Bound<'_, PyAny>, is_pretokenized: bool) -> PyResult<Self> {
        const WORDS: &str = "a list of str, since is_pretokenized is True";
        if !is_pretokenized {
            return PythonText::new(name, value).map(Self::Text);
        }
        Ok(Self::Words(items(name, WORDS, value)?.map(|word| backed_str(name, &word?)).collect::<PyResult<_>>()?))
    }

    /// Takes pairs of a text and whether it is trusted.
    pub(crate) fn segments(segments: &Bound<'_, PyAny>) -> PyResult<Self> {
        const SEGMENTS: &str = "an iterable of pairs (text, trusted) of a str and a bool";
        let (mut text, mut ends) = (String::new(), Vec::new());
        for segment in segments.try_iter().map_err(|_| wrong_type("segments", SEGMENTS, segments))? {
            let segment = segment?;
            let (part, trusted): (Bound<'_, PyAny>, bool) =
                segment.extract().map_err(|_| wrong_type("segments", SEGMENTS, &segment))?;
            text.push_str(&backed_str("segments", &part)?);
            ends.push((text.len(), trusted));
        }
        Ok(Self::Segments(text, ends))
    }

    /// Takes the parts of one text, each with whether it is trusted; unlike a segment, a part may end within a word.
    pub(crate) fn joined(parts: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Self::Segments(text, ends) = Self::segments(parts)? else {
            return Ok(Self::Trusted(String::new(), Vec::new()));
        };
        check_length(&text).map_err(to_py)?;
        let (mut start, mut ranges) = (0, Vec::<Span>::new());
        for (end, trusted) in ends {
            match ranges.last_mut().filter(|last| last.range().end == start) {
                _ if !trusted || start == end => {}
                Some(last) => *last = Span::new(last.range().start, end),
                None => ranges.push(Span::new(start, end)),
            }
            start = end;
        }
        Ok(Self::Trusted(text, ranges))
    }

    /// Returns the words of a text that is a list of words.
    fn words(&self) -> Vec<&str> {
        match self {
            Self::Words(words) => words.iter().map(|word| &**word).collect(),
            Self::Text(_) | Self::Segments(..) | Self::Trusted(..) => Vec::new(),
        }
    }

    fn input<'a>(&'a self, words: &'a [&'a str]) -> Result<Input<'a>, Error> {
        Ok(match self {
            Self::Text(text) => Input::Text(text.get()?),
            Self::Words(_) => Input::Words(words),
            Self::Segments(text, ends) => Input::Segments(text, ends),
            Self::Trusted(text, ranges) => Input::Trusted(text, ranges),
        })
    }

    fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Words(words) => words.iter().map(|word| word.len()).sum(),
            Self::Segments(text, _) | Self::Trusted(text, _) => text.len(),
        }
    }

    fn maps(&self) -> Vec<CharacterOffsets> {
        match self {
            Self::Text(text) => text.get().map(CharacterOffsets::new).into_iter().collect(),
            Self::Words(words) => words.iter().map(|word| CharacterOffsets::new(word)).collect(),
            Self::Segments(text, _) | Self::Trusted(text, _) => vec![CharacterOffsets::new(text)],
        }
    }
}

impl InputRow {
    /// Takes a text, and a second one of a pair.
    pub(crate) fn new(
        text: &Bound<'_, PyAny>,
        pair: Option<&Bound<'_, PyAny>>,
        is_pretokenized: bool,
    ) -> PyResult<Self> {
        let pair = pair.map(|pair| InputText::new("pair", pair, is_pretokenized)).transpose()?;
        Ok(Self { text: InputText::new("text", text, is_pretokenized)?, pair })
    }

    /// Returns a row of a single text.
    pub(crate) fn of(text: InputText) -> Self {
        Self { text, pair: None }
    }

    /// Takes a row of a batch: a text, or a tuple of two.
    fn of_batch(row: &Bound<'_, PyAny>, is_pretokenized: bool) -> PyResult<Self> {
        match row.cast::<PyTuple>() {
            Ok(both) if both.len() == 2 && !(is_pretokenized && both.get_item(0)?.is_instance_of::<PyString>()) => {
                Self::new(&both.get_item(0)?, Some(&both.get_item(1)?), is_pretokenized)
            }
            _ => Self::new(row, None, is_pretokenized),
        }
    }

    /// Returns the size of the texts in bytes.
    pub(crate) fn len(&self) -> usize {
        self.text.len() + self.pair.as_ref().map_or(0, InputText::len)
    }

    /// Calls `encode` with the texts as inputs of the core.
    pub(crate) fn with_inputs<T>(
        &self,
        encode: impl FnOnce(Input<'_>, Option<Input<'_>>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let (words, pair_words) = (self.text.words(), self.pair.as_ref().map(InputText::words).unwrap_or_default());
        let pair = self.pair.as_ref().map(|pair| pair.input(&pair_words)).transpose()?;
        encode(self.text.input(&words)?, pair)
    }

    /// Returns the maps from bytes to characters.
    pub(crate) fn maps(&self) -> CharMaps {
        let words = matches!(self.text, InputText::Words(_));
        CharMaps { maps: [self.text.maps(), self.pair.as_ref().map(InputText::maps).unwrap_or_default()], words }
    }
}

/// The rows of a batch.
pub(crate) enum InputRows<'a> {
    /// Rows that are each a `str`, the common case.
    Texts(Vec<PyBackedStr>),
    /// Rows of which some are not a `str`.
    Mixed(Vec<InputRow>),
    Arrow(&'a ArrowTexts),
}

impl<'a> InputRows<'a> {
    /// Takes an iterable of texts in segments.
    pub(crate) fn segments(batch: &Bound<'_, PyAny>) -> PyResult<Self> {
        let rows = items("rows", "an iterable of texts, each an iterable of pairs (text, trusted)", batch)?;
        let row = |(place, row): (usize, PyResult<Bound<'_, PyAny>>)| {
            let segments = row.and_then(|row| InputText::segments(&row));
            segments.map(InputRow::of).map_err(|error| in_row(batch.py(), "text", error, place))
        };
        rows.enumerate().map(row).collect::<PyResult<_>>().map(Self::Mixed)
    }

    /// Takes an Arrow column, or an iterable of rows.
    pub(crate) fn new(batch: &'a Bound<'_, PyAny>, is_pretokenized: bool) -> PyResult<Self> {
        if let Ok(texts) = batch.cast::<ArrowTexts>() {
            return Ok(Self::Arrow(texts.get()));
        }
        let rows = items("texts", "an iterable of texts", batch)?;
        let (mut texts, mut given) = (Vec::with_capacity(batch.len().unwrap_or(0)), Vec::new());
        for (place, row) in rows.enumerate() {
            let mut row = row?;
            if !is_pretokenized && given.is_empty() {
                match row.cast_into::<PyString>() {
                    Ok(text) => {
                        texts.push(to_backed(text).map_err(|error| in_row(batch.py(), "text", error, place))?);
                        continue;
                    }
                    Err(error) => row = error.into_inner(),
                }
                given.extend(texts.drain(..).map(|text| InputRow::of(InputText::Text(PythonText::Str(text)))));
            }
            let row = InputRow::of_batch(&row, is_pretokenized);
            given.push(row.map_err(|error| in_row(batch.py(), "text", error, place))?);
        }
        Ok(if given.is_empty() { Self::Texts(texts) } else { Self::Mixed(given) })
    }

    /// Returns the rows; none for an Arrow column, whose texts belong to another library.
    pub(crate) fn into_rows(self) -> Vec<InputRow> {
        match self {
            Self::Texts(texts) => {
                texts.into_iter().map(|text| InputRow::of(InputText::Text(PythonText::Str(text)))).collect()
            }
            Self::Mixed(rows) => rows,
            Self::Arrow(_) => Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.len(),
            Self::Mixed(rows) => rows.len(),
            Self::Arrow(texts) => texts.len(),
        }
    }

    /// Returns the size of a row's texts in bytes.
    pub(crate) fn bytes(&self, row: usize) -> usize {
        match self {
            Self::Texts(texts) => texts[row].len(),
            Self::Mixed(rows) => rows[row].len(),
            Self::Arrow(texts) => texts.get(row).len(),
        }
    }

    /// Returns the size of all texts in bytes.
    pub(crate) fn total_bytes(&self) -> usize {
        (0..self.len()).map(|row| self.bytes(row)).sum()
    }

    /// Divides the rows into tasks for `threads` threads, of about the same number of bytes.
    pub(crate) fn tasks(&self, threads: usize) -> Vec<Range<usize>> {
        let size = task_bytes(self.total_bytes(), threads);
        let (mut tasks, mut start, mut bytes) = (Vec::new(), 0, 0);
        for row in 0..self.len() {
            bytes += self.bytes(row);
            if bytes >= size || row + 1 == self.len() {
                tasks.push(start..row + 1);
                (start, bytes) = (row + 1, 0);
            }
        }
        tasks
    }

    /// Returns the text of a row that is a single text in valid UTF-8.
    pub(crate) fn text(&self, row: usize) -> Option<&str> {
        match self {
            Self::Texts(texts) => Some(&texts[row]),
            Self::Mixed(rows) => match &rows[row] {
                InputRow { text: InputText::Text(text), pair: None } => text.get().ok(),
                _ => None,
            },
            Self::Arrow(texts) => checked(texts.get(row)).ok(),
        }
    }

    /// Calls `encode` with the texts of a row as inputs of the core.
    pub(crate) fn with_inputs<T>(
        &self,
        row: usize,
        encode: impl FnOnce(Input<'_>, Option<Input<'_>>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match self {
            Self::Texts(texts) => encode(Input::Text(&texts[row]), None),
            Self::Mixed(rows) => rows[row].with_inputs(encode),
            Self::Arrow(texts) => encode(Input::Text(checked(texts.get(row))?), None),
        }
    }

    /// Returns the maps from bytes to characters of a row's texts.
    pub(crate) fn maps(&self, row: usize) -> CharMaps {
        match self {
            Self::Mixed(rows) => rows[row].maps(),
            Self::Texts(_) | Self::Arrow(_) => {
                let map = self.text(row).map(CharacterOffsets::new).into_iter().collect();
                CharMaps { maps: [map, Vec::new()], words: false }
            }
        }
    }
}

/// Returns the text of a `str` that is encoded without releasing the GIL, without taking a reference.
pub(crate) fn short_text<'a>(value: &'a Bound<'_, PyAny>) -> Option<&'a str> {
    let text = value.cast::<PyString>().ok()?.to_str().ok()?;
    (text.len() < MIN_DETACHED_BYTES).then_some(text)
}

/// Takes the texts of an iterable of `str`, readable without the GIL.
///
/// Errors name the iterable `all`, and a text `one` with its index.
pub(crate) fn texts(all: &str, one: &str, iterable: &Bound<'_, PyAny>) -> PyResult<Vec<PyBackedStr>> {
    let each = items(all, "an iterable of str", iterable)?;
    let mut texts = Vec::with_capacity(iterable.len().unwrap_or(0));
    for (place, text) in each.enumerate() {
        texts.push(backed_str(one, &text?).map_err(|error| in_row(iterable.py(), one, error, place))?);
    }
    Ok(texts)
}

/// Adds the index of the row to the errors for wrong types and lone surrogates.
fn in_row(py: Python<'_>, row: &str, error: PyErr, place: usize) -> PyErr {
    let place = format!("{row} {place}: ");
    if error.is_instance_of::<PyUnicodeEncodeError>(py) {
        return surrogate_at(error, place);
    }
    if error.is_instance_of::<PyTypeError>(py) {
        let message = error.value(py).to_string();
        let message = message.strip_prefix(&format!("{row}: ")).unwrap_or(&message);
        return PyTypeError::new_err(format!("{place}{message}"));
    }
    error
}

fn backed_str(name: &str, text: &Bound<'_, PyAny>) -> PyResult<PyBackedStr> {
    to_backed(text.cast::<PyString>().map_err(|_| wrong_type(name, "a str", text))?.clone())
}

fn to_backed(text: Bound<'_, PyString>) -> PyResult<PyBackedStr> {
    PyBackedStr::try_from(text).map_err(surrogate)
}
