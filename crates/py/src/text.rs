//! Texts in and out: what calls take for a text, and the first stages by themselves.

use piecework_core::format::{read_decoder, read_splitter, write_decoder};
use piecework_core::span::Span;
use piecework_core::words::Words;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyString;

use crate::errors::{surrogate, to_py, utf8};

/// The texts of an iterable of `str`, readable without the GIL.
pub(crate) fn texts(iterable: &Bound<'_, PyAny>) -> PyResult<Vec<PyBackedStr>> {
    if iterable.is_instance_of::<PyString>() {
        return Err(pyo3::exceptions::PyTypeError::new_err("expected an iterable of str, found one str"));
    }
    let mut texts = Vec::with_capacity(iterable.len().unwrap_or(0));
    for (place, text) in iterable.try_iter()?.enumerate() {
        texts.push(backed(&text?, place)?);
    }
    Ok(texts)
}

fn backed(text: &Bound<'_, PyAny>, place: usize) -> PyResult<PyBackedStr> {
    let Ok(text) = text.cast::<PyString>() else {
        let message = format!("text {place}: expected str, found {}", text.get_type().name()?);
        return Err(pyo3::exceptions::PyTypeError::new_err(message));
    };
    PyBackedStr::try_from(text.clone()).map_err(|error| surrogate(text.py(), &error))
}

/// Byte spans of `text` as spans of characters, which is what Python counts.
pub(crate) fn char_spans(text: &str, spans: &[Span]) -> Vec<(u32, u32)> {
    if text.is_ascii() {
        return spans.iter().map(|span| (span.start, span.end)).collect();
    }
    let mut characters = vec![0; text.len() + 1];
    for (number, (at, c)) in (0_u32..).zip(text.char_indices()) {
        characters[at] = number;
        characters[at + c.len_utf8()] = number + 1;
    }
    spans.iter().map(|span| (characters[span.start as usize], characters[span.end as usize])).collect()
}

/// The text as the normalizer of `splitter` (JSON) leaves it.
#[pyfunction]
pub(crate) fn normalize(py: Python<'_>, splitter: &str, text: &Bound<'_, PyString>) -> PyResult<String> {
    let splitter = read_splitter(splitter).map_err(|error| to_py(py, &error))?;
    let mut words = Words::default();
    splitter.split(utf8(text)?, false, &mut words);
    Ok(words.normalized.text().to_owned())
}

/// The words that `splitter` (JSON) makes of the text, with their character spans.
#[pyfunction]
pub(crate) fn pre_tokenize(
    py: Python<'_>,
    splitter: &str,
    text: &Bound<'_, PyString>,
) -> PyResult<Vec<(String, (u32, u32))>> {
    let splitter = read_splitter(splitter).map_err(|error| to_py(py, &error))?;
    let text = utf8(text)?;
    let mut words = Words::default();
    splitter.split(text, true, &mut words);
    let spans: Vec<Span> = words.spans.iter().map(|&span| words.normalized.original(span)).collect();
    Ok(words.iter().map(str::to_owned).zip(char_spans(text, &spans)).collect())
}

/// The text that `decoder` (JSON) makes of tokens.
#[pyfunction]
pub(crate) fn decode_tokens(py: Python<'_>, decoder: &str, tokens: &Bound<'_, PyAny>) -> PyResult<String> {
    let tokens = texts(tokens)?;
    py.detach(|| read_decoder(decoder)?.decode(tokens.iter().map(|token| &**token))).map_err(|error| to_py(py, &error))
}

/// A decoder (JSON) as files have it: checked, with every member, the forms of earlier versions brought up to date.
#[pyfunction]
pub(crate) fn canonical_decoder(py: Python<'_>, decoder: &str) -> PyResult<String> {
    read_decoder(decoder).map(|decoder| write_decoder(&decoder)).map_err(|error| to_py(py, &error))
}

/// The likely name of the character set of `data`, which begins a file and is all of it if `whole`.
#[pyfunction]
pub(crate) fn detect_encoding(data: &[u8], whole: bool) -> &'static str {
    piecework_core::charset::detect(data, whole)
}
