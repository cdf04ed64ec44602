//! Answers which characters and pairs of characters words can contain.

use piecework_core::pipeline;
use pyo3::prelude::*;

use crate::errors::to_py;
use crate::threads::detach;
use crate::tokenizer::Tokenizer;

/// The characters and pairs of characters that words can contain.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct WordCharacters {
    inner: pipeline::WordCharacters,
}

#[pymethods]
impl WordCharacters {
    #[new]
    fn new(py: Python<'_>, tokenizer: &Tokenizer) -> PyResult<Self> {
        let inner = detach(py, || pipeline::WordCharacters::new(tokenizer.inner.splitter()))?;
        inner.map(|inner| Self { inner }).map_err(to_py)
    }

    /// Returns whether a word can contain a character.
    fn is_possible(&self, c: char) -> PyResult<bool> {
        self.inner.is_possible(c).map_err(to_py)
    }

    /// Returns whether the normalizer, or a pre-tokenizer after it, can write a character.
    fn is_written(&self, c: char) -> bool {
        self.inner.is_written(c)
    }

    /// Returns whether the pre-tokenizer removes or replaces a character everywhere.
    fn is_removed(&self, c: char) -> PyResult<bool> {
        self.inner.is_removed(c).map_err(to_py)
    }

    /// Returns whether a word always ends between two adjacent characters.
    fn is_separated(&self, left: char, right: char) -> PyResult<bool> {
        self.inner.is_separated(left, right).map_err(to_py)
    }

    /// Returns whether no word has a character before this one, or after it.
    fn is_alone(&self, c: char) -> PyResult<bool> {
        self.inner.is_alone(c).map_err(to_py)
    }

    /// Returns whether no word has a character before this one.
    fn is_always_first(&self, c: char) -> PyResult<bool> {
        self.inner.is_always_first(c).map_err(to_py)
    }
}
