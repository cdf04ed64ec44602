//! Encoding a single text or pair.

use std::sync::Arc;

use numpy::PyArray1;
use piecework_core::Result;
use piecework_core::pipeline::{Input, TextLimit};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::aligned::{AlignedEncoding, TruncatedInput};
use crate::call::Call;
use crate::char_map::CharMaps;
use crate::encoding::Encoding;
use crate::errors::{to_py, utf8};
use crate::input::{InputRow, PythonText};
use crate::lists::list;
use crate::memory;
use crate::threads::{MIN_DETACHED_BYTES, detach, stoppable};

impl Call<'_> {
    /// Returns the encoding of a row; if it was truncated, the row is kept to compute the overflowing parts.
    pub(crate) fn encoding(self, py: Python<'_>, row: InputRow) -> PyResult<Encoding> {
        memory::reserve()?;
        let Self { tokenizer, pool, options, .. } = self;
        let encode = || {
            let encoding = row.with_inputs(|text, pair| tokenizer.encode(text, pair, options, &mut pool.scratch()))?;
            let is_truncated = encoding.is_truncated;
            Ok((Arc::new(AlignedEncoding::new(encoding, &row.maps(), tokenizer, None)), is_truncated))
        };
        let (mut encoding, is_truncated) = detached(py, row.len(), encode)?;
        if is_truncated && let Some(encoding) = Arc::get_mut(&mut encoding) {
            encoding.set_input(TruncatedInput::new(self, row, options.clone()));
        }
        Ok(Encoding { inner: encoding })
    }

    /// Returns the ids of a row.
    pub(crate) fn ids(self, py: Python<'_>, row: &InputRow) -> PyResult<Vec<u32>> {
        detached(py, row.len(), || row.with_inputs(|text, pair| self.ids_of(text, pair, row.len())))
    }

    /// Returns the ids of a text, which is encoded while the GIL is held.
    pub(crate) fn short_ids(self, text: &str) -> PyResult<Vec<u32>> {
        memory::reserve()?;
        let ids = || self.ids_of(Input::Text(text), None, text.len());
        // Padding may make much of a short text.
        if self.options.padding.is_some() { stoppable(ids)? } else { ids() }.map_err(to_py)
    }

    /// Returns the ids of an input of `bytes` bytes, truncated and padded.
    fn ids_of(self, text: Input<'_>, pair: Option<Input<'_>>, bytes: usize) -> Result<Vec<u32>> {
        let mut ids = Vec::with_capacity(bytes.min(MIN_DETACHED_BYTES) / 2);
        self.tokenizer.encode_ids(text, pair, self.options, &mut self.pool.scratch(), &mut ids)?;
        match &self.options.padding {
            Some(padding) => Ok(padding.padded_ids(&ids)?),
            None => Ok(ids),
        }
    }

    /// Returns the number of tokens of a text.
    pub(crate) fn count(self, py: Python<'_>, text: &PythonText) -> PyResult<usize> {
        detached(py, text.len(), || self.tokenizer.count(text.get()?, self.options, &mut self.pool.scratch()))
    }

    /// Returns the longest prefix or suffix of a text with at most `n` tokens, and whether it is proven to be the longest.
    ///
    /// `None` if more of the text is needed.
    pub(crate) fn truncated<'py>(
        self,
        text: &Bound<'py, PyString>,
        limit: TextLimit,
    ) -> PyResult<Option<(Bound<'py, PyString>, bool)>> {
        let (py, whole) = (text.py(), utf8(text)?);
        let done = detached(py, whole.len(), || {
            self.tokenizer.truncate_text(whole, limit, self.options, &mut self.pool.scratch())
        })?;
        let whole_or = |kept: &str| if kept.len() == whole.len() { text.clone() } else { PyString::new(py, kept) };
        Ok(done.map(|kept| (whole_or(kept.text), kept.is_longest)))
    }

    /// Returns the best segmentations of a text with their scores, best first.
    pub(crate) fn nbest(self, py: Python<'_>, text: &PythonText, n: usize) -> PyResult<Vec<(Encoding, f64)>> {
        let encode = || {
            let text = text.get()?;
            let found = self.tokenizer.encode_nbest(text, n, self.options, &mut self.pool.scratch())?;
            Ok((found, CharMaps::of(text)))
        };
        let (found, maps) = detach(py, encode)?.map_err(to_py)?;
        let aligned = |encoding| Encoding::new(AlignedEncoding::new(encoding, &maps, self.tokenizer, None));
        Ok(found.into_iter().map(|(encoding, score)| (aligned(encoding), score)).collect())
    }
}

/// Runs work on `bytes` bytes, and releases the GIL if the work takes longer than that.
fn detached<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let done = if bytes < MIN_DETACHED_BYTES { stoppable(work) } else { detach(py, work) };
    done?.map_err(to_py)
}

/// Returns ids as an array that owns its memory, or as a list.
pub(crate) fn to_object<'py>(py: Python<'py>, ids: Vec<u32>, as_array: bool) -> PyResult<Bound<'py, PyAny>> {
    if as_array { Ok(PyArray1::from_slice(py, &ids).into_any()) } else { Ok(list(py, ids)?.into_any()) }
}
