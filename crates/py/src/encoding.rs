//! One encoded text, in columns that become Python lists when they are asked for.

use std::sync::Arc;

use piecework_core::pipeline::{self, NONE};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::errors::to_py;

/// The tokens of one text or pair.
#[pyclass(frozen, module = "piecework._core", eq)]
pub(crate) struct Encoding {
    encoding: pipeline::Encoding,
    offsets: Vec<(u32, u32)>,
    tokenizer: Arc<pipeline::Tokenizer>,
}

impl PartialEq for Encoding {
    fn eq(&self, other: &Self) -> bool {
        self.encoding == other.encoding && self.offsets == other.offsets
    }
}

impl Encoding {
    pub(crate) fn new(
        encoding: pipeline::Encoding,
        offsets: Vec<(u32, u32)>,
        tokenizer: Arc<pipeline::Tokenizer>,
    ) -> Self {
        Self { encoding, offsets, tokenizer }
    }
}

/// The column with `NONE` as Python's.
fn optional(column: &[u32]) -> Vec<Option<u32>> {
    column.iter().map(|&value| (value != NONE).then_some(value)).collect()
}

#[pymethods]
impl Encoding {
    #[getter]
    fn ids(&self) -> Vec<u32> {
        self.encoding.ids.clone()
    }

    #[getter]
    fn tokens(&self, py: Python<'_>) -> PyResult<Vec<&str>> {
        let vocab = self.tokenizer.vocab();
        self.encoding.ids.iter().map(|&id| vocab.expect_token(id).map_err(|error| to_py(py, &error))).collect()
    }

    #[getter]
    fn offsets(&self) -> Vec<(u32, u32)> {
        self.offsets.clone()
    }

    #[getter]
    fn byte_offsets(&self) -> Vec<(u32, u32)> {
        self.encoding.spans.iter().map(|span| (span.start, span.end)).collect()
    }

    #[getter]
    fn word_ids(&self) -> Vec<Option<u32>> {
        optional(&self.encoding.word_ids)
    }

    #[getter]
    fn sequence_ids(&self) -> Vec<Option<u32>> {
        optional(&self.encoding.sequence_ids)
    }

    #[getter]
    fn type_ids(&self) -> Vec<u32> {
        self.encoding.type_ids.clone()
    }

    #[getter]
    fn attention_mask(&self) -> Vec<u32> {
        vec![1; self.encoding.ids.len()]
    }

    #[getter]
    fn special_tokens_mask(&self) -> Vec<u32> {
        self.encoding.sequence_ids.iter().map(|&sequence| u32::from(sequence == NONE)).collect()
    }

    fn __len__(&self) -> usize {
        self.encoding.ids.len()
    }

    /// Encodings are sequences of ids.
    fn __getitem__(&self, place: isize) -> PyResult<u32> {
        let length = self.encoding.ids.len();
        let place = if place < 0 { length.checked_add_signed(place) } else { usize::try_from(place).ok() };
        let id = place.and_then(|place| self.encoding.ids.get(place));
        id.copied().ok_or_else(|| PyIndexError::new_err(format!("an encoding of {length} tokens has no such place")))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        const SHOWN: usize = 12;
        let tokens = self.tokens(py)?;
        let shown = tokens.iter().take(SHOWN).map(|token| format!("{token:?}")).collect::<Vec<_>>().join(", ");
        let more = if tokens.len() > SHOWN { ", …" } else { "" };
        Ok(format!("Encoding({} tokens: [{shown}{more}])", tokens.len()))
    }
}
