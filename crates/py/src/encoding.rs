//! A single encoding, whose columns become Python lists on access.

use std::sync::Arc;

use piecework_core::encoding::{self, Direction, NONE, NamedToken};
use pyo3::Borrowed;
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PySlice, PyType};

use crate::aligned::{AlignedEncoding, Names};
use crate::arguments::{display_value, flag, items, position, string, wrong_type};
use crate::encoding_state::EncodingState;
use crate::errors::{invalid_setting, to_py};
use crate::lists::list;
use crate::threads::{detach, stoppable};

/// The tokens of one text or pair.
#[derive(PartialEq)]
#[pyclass(frozen, subclass, module = "piecework._core", eq)]
pub(crate) struct Encoding {
    pub(crate) inner: Arc<AlignedEncoding>,
}

impl Encoding {
    pub(crate) fn new(inner: AlignedEncoding) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// Returns the names of the tokens, unless there is no memory for them.
    fn names(&self) -> PyResult<Vec<&str>> {
        stoppable(|| self.inner.tokens())
    }

    fn columns(&self) -> &encoding::Encoding {
        &self.inner.encoding
    }

    /// Returns the result of a change to the encoding.
    fn changed(
        &self,
        change: impl Fn(encoding::Encoding) -> piecework_core::Result<encoding::Encoding>,
    ) -> PyResult<Self> {
        let only = |encodings: Vec<_>| encodings.into_iter().next().map_or_else(|| Ok(Default::default()), &change);
        stoppable(|| AlignedEncoding::changed(&[&*self.inner], only))?.map(Self::new).map_err(to_py)
    }
}

/// The side that an argument names `"left"` or `"right"`.
struct Side(Direction);

impl FromPyObject<'_, '_> for Side {
    type Error = PyErr;

    fn extract(direction: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match string("direction", &direction)? {
            "left" => Ok(Self(Direction::Left)),
            "right" => Ok(Self(Direction::Right)),
            other => Err(invalid_setting("direction", "\"left\" or \"right\"", format_args!("{other:?}"))),
        }
    }
}

/// Returns the index of a text; the default is 0.
fn sequence(index: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    index.map_or(Ok(0), |index| position("sequence_index", index))
}

/// Returns an id or a type id; the default is 0.
fn number(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<u32> {
    let Some(value) = value else { return Ok(0) };
    u32::try_from(position(name, value)?)
        .map_err(|_| invalid_setting(name, "an integer below 2**32", display_value(value)))
}

/// Returns an index as the columns count it; larger ones become the largest, which no token has.
fn column(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(NONE).min(NONE - 1)
}

/// Returns a column of few runs of equal values as a list, which Python repeats faster than values are converted.
fn runs<'py>(py: Python<'py>, column: &[u32]) -> PyResult<Bound<'py, PyAny>> {
    const FEW: usize = 4;
    let starts = column.windows(2).filter(|pair| pair[0] != pair[1]).take(FEW).count();
    if column.is_empty() || starts == FEW {
        return list(py, column).map(Bound::into_any);
    }
    let mut parts = column.chunk_by(|left, right| left == right).map(|run| {
        let one = PyList::new(py, &run[..1])?;
        one.as_sequence().repeat(run.len())
    });
    let first = parts.next().unwrap_or_else(|| Ok(PyList::empty(py).into_sequence()))?;
    let all = parts.try_fold(first, |all, part| all.concat(&part?))?;
    Ok(all.into_any())
}

/// Returns spans as a list of tuples.
///
/// Most spans are near the start of their text. The integers of these are created once for all lists: creating and freeing
/// them would take half of the time.
fn pairs<'py>(py: Python<'py>, spans: impl ExactSizeIterator<Item = (u32, u32)>) -> PyResult<Bound<'py, PyList>> {
    const KEPT: u32 = 1 << 12;
    static INTEGERS: PyOnceLock<Vec<Py<PyInt>>> = PyOnceLock::new();
    let kept = INTEGERS.get_or_init(py, || (0..KEPT).map(|value| PyInt::new(py, value).unbind()).collect());
    let integer = |value: u32| match kept.get(value as usize) {
        Some(integer) => integer.bind(py).clone(),
        None => PyInt::new(py, value),
    };
    list(py, spans.map(|(start, end)| (integer(start), integer(end))))
}

/// Returns the column with `None` for `NONE`.
fn optional<'py>(py: Python<'py>, column: &[u32]) -> PyResult<Bound<'py, PyList>> {
    list(py, column.iter().map(|&value| (value != NONE).then_some(value)))
}

#[pymethods]
impl Encoding {
    #[new]
    fn restored(py: Python<'_>, state: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(other) = state.cast::<Self>() {
            return Ok(Self { inner: Arc::clone(&other.get().inner) });
        }
        let state: Option<EncodingState> = state.extract().ok();
        let inner = stoppable(|| {
            let state = state?;
            let part = |part: &Py<PyAny>| Some(Arc::clone(&part.bind(py).cast::<Self>().ok()?.get().inner));
            let overflowing = state.overflowing.iter().map(part).collect::<Option<_>>()?;
            state.restored(py, overflowing)
        })?;
        inner.map(Self::new).ok_or_else(|| {
            PyValueError::new_err("state: expected what an encoding was pickled as; Tokenizer.encode makes encodings")
        })
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, (EncodingState,))> {
        let (py, inner) = (this.py(), &this.get().inner);
        let state = stoppable(|| {
            let parts = inner.overflowing().map_err(to_py)?.iter();
            let parts = parts.map(|part| Ok(Bound::new(py, Self { inner: Arc::clone(part) })?.into_any().unbind()));
            EncodingState::of(py, inner, parts.collect::<PyResult<_>>()?)
        })??;
        Ok((this.get_type(), (state,)))
    }

    /// Returns the token ids.
    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, &self.columns().ids)
    }

    /// Returns the tokens as in the vocabulary; an added token that includes white space as in the text.
    #[getter]
    fn tokens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, self.names()?)
    }

    /// Returns the start and end of each token in characters of the original text; (0, 0) for added tokens.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        pairs(py, self.inner.offsets.iter().copied())
    }

    /// Returns the start and end of each token in bytes of the original text as UTF-8.
    #[getter]
    fn byte_offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        pairs(py, self.columns().spans.iter().map(|span| (span.start, span.end)))
    }

    /// Returns the index in its text of each token's word; None for added tokens.
    #[getter]
    fn word_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        optional(py, &self.columns().word_ids)
    }

    /// Returns the text of each token, 0 or 1; None for added tokens.
    #[getter]
    fn sequence_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        optional(py, &self.columns().sequence_ids())
    }

    /// Returns the type ids: 0 for the first text, 1 for the second, or those of the template.
    #[getter]
    fn type_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        runs(py, &self.columns().type_ids)
    }

    /// Returns 0 for padding and 1 for other tokens.
    #[getter]
    fn attention_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        runs(py, &self.columns().attention_mask)
    }

    /// Returns 1 for each token that post-processor or padding added, else 0.
    #[getter]
    fn special_tokens_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        runs(py, &self.columns().special_tokens_mask)
    }

    /// Returns the tokens removed by truncation, in parts that share `stride` tokens with the previous part.
    #[getter]
    fn overflowing(&self, py: Python<'_>) -> PyResult<Overflowing> {
        Overflowing::new(py, &self.inner)
    }

    /// Returns the number of texts: 1, or 2 for a pair.
    #[getter]
    fn n_sequences(&self) -> usize {
        self.columns().n_sequences()
    }

    /// Returns the token that covers a character.
    #[pyo3(signature = (char_pos, sequence_index=None), text_signature = "($self, char_pos, sequence_index=0)")]
    fn char_to_token(
        &self,
        char_pos: &Bound<'_, PyAny>,
        sequence_index: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<usize>> {
        let (character, sequence) = (position("char_pos", char_pos)?, sequence(sequence_index)?);
        Ok(self.inner.char_to_token(column(character), sequence))
    }

    /// Returns the index of the word that contains a character; for the arguments see `char_to_token`.
    #[pyo3(signature = (char_pos, sequence_index=None), text_signature = "($self, char_pos, sequence_index=0)")]
    fn char_to_word(
        &self,
        char_pos: &Bound<'_, PyAny>,
        sequence_index: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<u32>> {
        Ok(self.char_to_token(char_pos, sequence_index)?.and_then(|token| self.inner.token_to_word(token)))
    }

    /// Returns the start and end of a token in characters of its text; None for added tokens.
    fn token_to_chars(&self, token_index: &Bound<'_, PyAny>) -> PyResult<Option<(u32, u32)>> {
        let token = position("token_index", token_index)?;
        Ok(self.columns().token_to_sequence(token).and_then(|_| self.inner.offsets.get(token).copied()))
    }

    /// Returns the index of a token's word in its text; None for added tokens.
    fn token_to_word(&self, token_index: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        Ok(self.inner.token_to_word(position("token_index", token_index)?))
    }

    /// Returns the text of a token, 0 or 1; None for added tokens.
    fn token_to_sequence(&self, token_index: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        Ok(self.columns().token_to_sequence(position("token_index", token_index)?))
    }

    /// Returns the tokens of a word, as the first index and the one after the last.
    #[pyo3(signature = (word_index, sequence_index=None), text_signature = "($self, word_index, sequence_index=0)")]
    fn word_to_tokens(
        &self,
        word_index: &Bound<'_, PyAny>,
        sequence_index: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<(usize, usize)>> {
        let (word, sequence) = (position("word_index", word_index)?, sequence(sequence_index)?);
        Ok(self.inner.word_to_tokens(column(word), sequence).map(|range| (range.start, range.end)))
    }

    /// Returns the start and end of a word in characters of its text; for the arguments see `word_to_tokens`.
    #[pyo3(signature = (word_index, sequence_index=None), text_signature = "($self, word_index, sequence_index=0)")]
    fn word_to_chars(
        &self,
        word_index: &Bound<'_, PyAny>,
        sequence_index: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<(u32, u32)>> {
        let tokens = self.word_to_tokens(word_index, sequence_index)?;
        Ok(tokens.map(|(start, end)| (self.inner.offsets[start].0, self.inner.offsets[end - 1].1)))
    }

    /// Returns an encoding of the first (or last) `max_length` tokens, with the others in overflowing parts.
    #[pyo3(
        signature = (max_length, stride=None, direction=Side(Direction::Right)),
        text_signature = "($self, max_length, stride=0, direction='right')",
    )]
    fn truncate(
        &self,
        max_length: &Bound<'_, PyAny>,
        stride: Option<&Bound<'_, PyAny>>,
        direction: Side,
    ) -> PyResult<Self> {
        let stride = stride.map_or(Ok(0), |stride| position("stride", stride))?;
        let max_length = position("max_length", max_length)?;
        self.changed(|encoding| encoding.truncated(max_length, stride, direction.0))
    }

    /// Returns the encoding and its overflowing parts, padded to `length` tokens.
    #[pyo3(
        signature = (length, *, direction=Side(Direction::Right), pad_id=None, pad_type_id=None, pad_token=None),
        text_signature = "($self, length, *, direction='right', pad_id=0, pad_type_id=0, pad_token='[PAD]')",
    )]
    fn pad(
        &self,
        length: &Bound<'_, PyAny>,
        direction: Side,
        pad_id: Option<&Bound<'_, PyAny>>,
        pad_type_id: Option<&Bound<'_, PyAny>>,
        pad_token: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (length, pad_type_id) = (position("length", length)?, number("pad_type_id", pad_type_id)?);
        let pad_token = pad_token.map_or(Ok("[PAD]"), |token| string("pad_token", token))?;
        let token = NamedToken::new(pad_token, number("pad_id", pad_id)?);
        self.changed(|encoding| encoding.padded(length, &token, pad_type_id, direction.0))
    }

    /// Returns the concatenation of encodings.
    #[staticmethod]
    #[pyo3(
        signature = (encodings, growing_offsets=None),
        text_signature = "(encodings, growing_offsets=True)",
    )]
    fn merge(encodings: &Bound<'_, PyAny>, growing_offsets: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        const EXPECTED: &str = "a list of encodings";
        let growing_offsets = growing_offsets.map_or(Ok(true), |value| flag("growing_offsets", value))?;
        let encodings: Vec<Py<Self>> = items("encodings", EXPECTED, encodings)?
            .map(|each| each?.extract().map_err(|_| wrong_type("encodings", EXPECTED, encodings)))
            .collect::<PyResult<_>>()?;
        let inner: Vec<_> = encodings.iter().map(|encoding| &*encoding.get().inner).collect();
        let merged = |encodings: Vec<_>| {
            encoding::Encoding::check_merged(&encodings)?;
            Ok(encoding::Encoding::merged(encodings, growing_offsets))
        };
        stoppable(|| AlignedEncoding::changed(&inner, merged))?.map(Self::new).map_err(to_py)
    }

    /// Returns the encoding with all tokens assigned to the text with the index `sequence_id`.
    fn with_sequence_id(&self, sequence_id: &Bound<'_, PyAny>) -> PyResult<Self> {
        let sequence_id = position("sequence_id", sequence_id)?;
        self.changed(|encoding| Ok(encoding.with_sequence(sequence_id)))
    }

    /// Returns the columns as JSON values.
    fn to_dict<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        const COLUMNS: [&str; 7] =
            ["ids", "tokens", "offsets", "word_ids", "type_ids", "special_tokens_mask", "attention_mask"];
        let columns = PyDict::new(slf.py());
        for name in COLUMNS {
            columns.set_item(name, slf.getattr(name)?)?;
        }
        Ok(columns)
    }

    fn __len__(&self) -> usize {
        self.columns().len()
    }

    /// Iterates over the ids.
    fn __iter__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        Ok(slf.getattr("ids")?.try_iter()?.into_any().unbind())
    }

    /// Returns an id; an encoding is a sequence of ids.
    fn __getitem__(&self, place: &Bound<'_, PyAny>) -> PyResult<u32> {
        let length = self.columns().len();
        let place = match place.extract::<isize>() {
            Ok(place) if place < 0 => length.checked_add_signed(place),
            Ok(place) => usize::try_from(place).ok(),
            Err(error) if error.is_instance_of::<PyOverflowError>(place.py()) => None,
            Err(_) => return Err(wrong_type("place", "an integer", place)),
        };
        let id = place.and_then(|place| self.columns().ids.get(place));
        id.copied().ok_or_else(|| PyIndexError::new_err(format!("an encoding of {length} tokens has no such place")))
    }

    /// Returns the first tokens as HTML.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        const SHOWN: usize = 500;
        let AlignedEncoding { encoding, offsets, names, .. } = &*self.inner;
        let tokens = self.names()?;
        let rows = tokens.iter().take(SHOWN).enumerate().map(|(place, token)| {
            let decoded = match names {
                Names::Of(tokenizer) => {
                    let id = encoding.ids[place];
                    let is_own = tokenizer.token(id) == Some(token);
                    if is_own { tokenizer.token_bytes(id).ok() } else { tokenizer.text_bytes(token).ok() }
                }
                Names::Listed(_) => None,
            };
            let bytes = decoded.unwrap_or_else(|| token.as_bytes().to_vec());
            let is_added = encoding.special_tokens_mask[place] != 0;
            (PyBytes::new(py, &bytes), encoding.ids[place], offsets[place], is_added)
        });
        let rows: Vec<_> = rows.collect();
        let html = py.import("piecework._show")?.getattr("encoding_html")?.call1((rows, tokens.len()))?;
        html.extract()
    }

    fn __repr__(&self) -> PyResult<String> {
        const SHOWN: usize = 12;
        let tokens = self.names()?;
        let shown = tokens.iter().take(SHOWN).map(|token| format!("{token:?}")).collect::<Vec<_>>().join(", ");
        let more = if tokens.len() > SHOWN { ", …" } else { "" };
        let noun = if tokens.len() == 1 { "token" } else { "tokens" };
        Ok(format!("Encoding({} {noun}: [{shown}{more}])", tokens.len()))
    }
}

/// The parts that truncation cut off from a text.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct Overflowing {
    whole: Arc<AlignedEncoding>,
    length: usize,
}

impl Overflowing {
    pub(crate) fn new(py: Python<'_>, whole: &Arc<AlignedEncoding>) -> PyResult<Self> {
        let length = detach(py, || whole.part_count())?.map_err(to_py)?;
        Ok(Self { whole: Arc::clone(whole), length })
    }

    /// Makes `isinstance` and `match` take it for a sequence.
    pub(crate) fn register(py: Python<'_>) -> PyResult<()> {
        let sequence = py.import("collections.abc")?.getattr("Sequence")?;
        sequence.call_method1("register", (py.get_type::<Self>(),)).map(drop)
    }

    fn part(&self, number: usize) -> PyResult<Encoding> {
        let inner = stoppable(|| self.whole.part(number))?.map_err(to_py)?;
        Ok(Encoding { inner })
    }

    /// Returns the items of two sequences in a list, or `NotImplemented` if one is neither a list nor made of parts.
    fn joined<'py>(first: &Bound<'py, PyAny>, second: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let is_known = |value: &Bound<'py, PyAny>| value.is_instance_of::<Self>() || value.is_instance_of::<PyList>();
        if !is_known(first) || !is_known(second) {
            return Ok(first.py().NotImplemented().into_bound(first.py()));
        }
        listed(first)?.as_any().add(listed(second)?)
    }

    /// Returns an iterator over the parts at the places of a range of Python.
    fn at<'py>(slf: &Bound<'py, Self>, start: isize, end: isize, step: isize) -> PyResult<Bound<'py, PyAny>> {
        let builtins = slf.py().import("builtins")?;
        let places = builtins.getattr("range")?.call1((start, end, step))?;
        builtins.getattr("map")?.call1((slf.getattr("__getitem__")?, places))
    }
}

/// Returns the items of an iterable in a list.
fn listed<'py>(items: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    PyList::new(items.py(), items.try_iter()?.collect::<PyResult<Vec<_>>>()?)
}

#[pymethods]
impl Overflowing {
    fn __len__(&self) -> usize {
        self.length
    }

    /// Returns a part, or those of a slice in a list.
    fn __getitem__<'py>(&self, place: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = place.py();
        if let Ok(slice) = place.cast::<PySlice>() {
            let slice = slice.indices(self.length.cast_signed())?;
            let places = (0..slice.slicelength).map(|number| slice.start + number.cast_signed() * slice.step);
            let parts = places.map(|place| self.part(place.cast_unsigned()));
            return Ok(PyList::new(py, parts.collect::<PyResult<Vec<_>>>()?)?.into_any());
        }
        let from_start: isize = match place.extract::<isize>() {
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => isize::MAX,
            from_start => from_start?,
        };
        let from_end = if from_start < 0 { self.length.cast_signed() } else { 0 };
        let number = usize::try_from(from_start.saturating_add(from_end)).ok().filter(|&number| number < self.length);
        let number = number.ok_or_else(|| {
            PyIndexError::new_err(format!("the index {place} is out of range; there are {} parts", self.length))
        })?;
        Ok(Bound::new(py, self.part(number)?)?.into_any())
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::at(slf, 0, slf.get().length.cast_signed(), 1)
    }

    fn __reversed__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::at(slf, slf.get().length.cast_signed() - 1, -1, -1)
    }

    /// Compares the parts with those of another sequence.
    fn __eq__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let is_sequence = other.is_instance_of::<Self>() || other.is_instance_of::<PyList>();
        if !is_sequence {
            return Ok(py.NotImplemented().into_bound(py));
        }
        let equal = listed(slf)?.eq(listed(other)?)?;
        Ok(equal.into_pyobject(py)?.to_owned().into_any())
    }

    /// Returns the parts and those of another sequence in a list.
    fn __add__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Self::joined(slf.as_any(), other)
    }

    fn __radd__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        Self::joined(other, slf.as_any())
    }

    /// Returns the place of the first part that equals a value; or raises `ValueError`.
    #[pyo3(signature = (value, start=0, stop=isize::MAX))]
    fn index<'py>(
        slf: &Bound<'py, Self>,
        value: &Bound<'py, PyAny>,
        start: isize,
        stop: isize,
    ) -> PyResult<Bound<'py, PyAny>> {
        listed(slf)?.getattr("index")?.call1((value, start, stop))
    }

    /// Returns the number of parts that equal a value.
    fn count<'py>(slf: &Bound<'py, Self>, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        listed(slf)?.getattr("count")?.call1((value,))
    }

    fn __repr__(&self) -> String {
        format!("<{} overflowing parts>", self.length)
    }

    /// Returns what makes an equal list, for pickling.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyList>,))> {
        Ok((slf.py().get_type::<PyList>().into_any(), (listed(slf)?,)))
    }
}
