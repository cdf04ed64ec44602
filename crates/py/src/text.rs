//! The first stages and the last one by themselves.

use piecework_core::format::{read_decoder, read_splitter, write_decoder};
use piecework_core::words::Words;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors::{in_parts, to_py, utf8};
use crate::functions::functions;
use crate::input::CharMap;

/// The text as the normalizer (JSON) leaves it.
#[pyfunction]
pub(crate) fn normalize(py: Python<'_>, normalizer: &str, text: &Bound<'_, PyString>) -> PyResult<String> {
    let text = utf8(text)?;
    let splitter = read_splitter(&format!("{{\"normalizer\": {normalizer}}}"), &[]);
    splitter.and_then(|splitter| splitter.normalize(text)).map_err(|error| in_parts(py, &error))
}

/// The words that the pre-tokenizer (JSON) makes of the text, with their character spans.
#[pyfunction]
pub(crate) fn pre_tokenize(
    py: Python<'_>,
    pre_tokenizer: &str,
    functions: Vec<Py<PyAny>>,
    text: &Bound<'_, PyString>,
) -> PyResult<Vec<(String, (u32, u32))>> {
    let text = utf8(text)?;
    let functions = self::functions(functions);
    let mut words = Words::default();
    let splitter = read_splitter(&format!("{{\"pre_tokenizer\": {pre_tokenizer}}}"), &functions);
    splitter.and_then(|splitter| splitter.split(text, true, &mut words)).map_err(|error| in_parts(py, &error))?;
    let map = CharMap::new(text);
    let found = words.as_slice().iter();
    Ok(found.map(|word| (words.text_of(word).to_owned(), map.characters(word.origin))).collect())
}

/// The text that the decoder (JSON) makes of the tokens.
#[pyfunction]
pub(crate) fn decode_tokens(py: Python<'_>, decoder: &str, tokens: Vec<Bound<'_, PyString>>) -> PyResult<String> {
    let tokens = tokens.iter().map(utf8).collect::<PyResult<Vec<&str>>>()?;
    let decoder = read_decoder(decoder).map_err(|error| in_parts(py, &error))?;
    decoder.decode(tokens).map_err(|error| to_py(py, &error))
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
