//! Python functions as pre-tokenizers.

use piecework_core::Error;
use piecework_core::error::shorten;
use piecework_core::format::read_splitter;
use piecework_core::pretokenize::Function;
use piecework_core::splitter::WordSplitter;
use piecework_core::text::span::Span;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors::{in_settings, to_core, to_py, utf8};

/// Returns functions that split a `str` into parts, given as `str` or as character spans, as pre-tokenizers of the core.
pub(crate) fn functions(functions: Vec<Py<PyAny>>) -> Vec<Function> {
    let function = |function: Py<PyAny>| Function::new(function.as_ptr().addr(), move |text| parts(&function, text));
    functions.into_iter().map(function).collect()
}

/// Reads a normalizer and a pre-tokenizer (JSON), which refers to functions by index.
pub(crate) fn splitter(json: &str, functions: Vec<Py<PyAny>>) -> PyResult<WordSplitter> {
    read_splitter(json, &self::functions(functions)).map_err(in_settings)
}

/// Returns the parts of a text by a Python function.
fn parts(function: &Py<PyAny>, text: &str) -> piecework_core::Result<Vec<Span>> {
    let called = Python::attach(|py| {
        let parts = function.bind(py).call1((text,))?;
        let offsets = CharOffsets::new(text);
        let mut spans = Vec::new();
        let mut end = 0;
        let parts = parts.try_iter().map_err(|error| {
            if error.is_instance_of::<PyTypeError>(py) {
                return wrong("gave nothing that could be iterated over; it must give parts of the text");
            }
            error
        })?;
        for part in parts {
            let span = offsets.span(&part?, end)?;
            end = span.range().end;
            spans.push(span);
        }
        Ok::<_, PyErr>(spans)
    });
    called.map_err(to_core)
}

/// The byte offsets of a text's characters, and its end.
struct CharOffsets<'a> {
    text: &'a str,
    bytes: Vec<usize>,
}

impl<'a> CharOffsets<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, bytes: text.char_indices().map(|(at, _)| at).chain([text.len()]).collect() }
    }

    /// Returns the byte span of a part; a `str` is searched from byte `from` on.
    fn span(&self, part: &Bound<'_, PyAny>, from: usize) -> PyResult<Span> {
        if let Ok(piece) = part.cast::<PyString>() {
            let piece = utf8(piece)?;
            let at = self.text[from..].find(piece).ok_or_else(|| {
                let piece = shorten(piece);
                wrong(&format!(
                    "gave {piece:?}, which does not occur in the text after the parts before it; give parts of the text \
                     from left to right"
                ))
            })?;
            return Ok(Span::new(from + at, from + at + piece.len()));
        }
        let (start, end): (usize, usize) = part
            .extract()
            .map_err(|_| wrong("must give parts of the text as str, or spans of characters (start, end)"))?;
        match (self.bytes.get(start), self.bytes.get(end)) {
            (Some(&start_byte), Some(&end_byte)) if from <= start_byte && start_byte <= end_byte => {
                Ok(Span::new(start_byte, end_byte))
            }
            _ => Err(wrong(&format!(
                "gave the span ({start}, {end}) of a text of {} characters; spans follow each other within the text",
                self.bytes.len() - 1
            ))),
        }
    }
}

/// Returns the exception for a wrong result of a function.
fn wrong(what: &str) -> PyErr {
    to_py(Error::Config(format!("the pre-tokenizer function {what}").into()))
}
