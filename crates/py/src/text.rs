//! Normalizers, pre-tokenizers and decoders, called separately.

use piecework_core::format::read_decoder;
use piecework_core::normalize::Precompiled;
use piecework_core::pretokenize::words::{Word, Words};
use piecework_core::splitter::WordSplitter;
use piecework_core::text::span::Span;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arguments::string;
use crate::char_map::CharacterOffsets;
use crate::errors::{in_settings, to_py};
use crate::functions;
use crate::input::texts;
use crate::lists::list;
use crate::threads::{detach, stoppable};

/// A normalizer and a pre-tokenizer without a model.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct TextStages {
    splitter: WordSplitter,
}

#[pymethods]
impl TextStages {
    /// Takes the normalizer and the pre-tokenizer as JSON.
    #[new]
    fn new(splitter: &str, functions: Vec<Py<PyAny>>) -> PyResult<Self> {
        Ok(Self { splitter: stoppable(|| functions::splitter(splitter, functions))?? })
    }

    /// Returns the normalized text.
    fn normalize(&self, text: &Bound<'_, PyAny>) -> PyResult<String> {
        let (py, text) = (text.py(), string("text", text)?);
        detach(py, || self.splitter.normalize(text))?.map_err(to_py)
    }

    /// Returns the normalized text, with the original characters of each of its characters.
    fn normalize_aligned(&self, text: &Bound<'_, PyAny>) -> PyResult<Aligned> {
        let (py, text) = (text.py(), string("text", text)?);
        let normalized = detach(py, || self.splitter.normalize_aligned(text))?.map_err(to_py)?;
        Ok(aligned(normalized.text(), 0, &CharacterOffsets::new(text), |span| normalized.original(span)))
    }

    /// Returns the words of the pre-tokenizer, each with the original characters of its characters.
    fn pre_tokenize_aligned(&self, text: &Bound<'_, PyAny>) -> PyResult<Vec<Aligned>> {
        let (py, text) = (text.py(), string("text", text)?);
        let words = self.words(py, text)?;
        let map = CharacterOffsets::new(text);
        let word =
            |word: &Word| aligned(words.text_of(word), word.span.range().start, &map, |span| words.original(span));
        Ok(words.as_slice().iter().map(word).collect())
    }

    /// Returns the words of the pre-tokenizer, with their character spans.
    fn pre_tokenize<'py>(&self, text: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let (py, text) = (text.py(), string("text", text)?);
        let words = self.words(py, text)?;
        let map = CharacterOffsets::new(text);
        list(py, words.as_slice().iter().map(|word| (words.text_of(word), map.characters(word.origin))))
    }
}

impl TextStages {
    fn words(&self, py: Python<'_>, text: &str) -> PyResult<Words> {
        let split = || {
            let mut words = Words::default();
            self.splitter.split(text, true, &mut words).map(|()| words)
        };
        detach(py, split)?.map_err(to_py)
    }
}

/// A text, and the span of original characters of each of its characters.
type Aligned = (String, Vec<(u32, u32)>);

/// Returns a text that begins at byte `base`, with the origin of each character.
fn aligned(text: &str, base: usize, map: &CharacterOffsets, original: impl Fn(Span) -> Span) -> Aligned {
    let origin = |(at, c): (usize, char)| {
        let start = base + at;
        map.characters(original(Span::new(start, start + c.len_utf8())))
    };
    (text.to_owned(), text.char_indices().map(origin).collect())
}

/// Decodes tokens with a decoder (JSON).
#[pyfunction]
pub(crate) fn decode_tokens(decoder: &str, tokens: &Bound<'_, PyAny>) -> PyResult<String> {
    let tokens = texts("tokens", "token", tokens)?;
    let decoder = read_decoder(decoder).map_err(in_settings)?;
    decoder.decode(tokens.iter().map(|token| &**token)).map_err(to_py)
}

/// Returns the charsmap of a named normalization, or `None` if it changes nothing.
#[pyfunction]
pub(crate) fn charsmap_named(py: Python<'_>, name: &str) -> PyResult<Option<Vec<u8>>> {
    let rules = detach(py, || Precompiled::named(name))?.map_err(to_py)?;
    Ok(rules.map(|rules| rules.charsmap().to_vec()))
}

/// Returns the charsmap of rules that replace strings.
#[pyfunction]
pub(crate) fn charsmap_of(py: Python<'_>, rules: Vec<(String, String)>) -> PyResult<Vec<u8>> {
    let rules = detach(py, || Precompiled::of(rules))?.map_err(to_py)?;
    Ok(rules.charsmap().to_vec())
}
