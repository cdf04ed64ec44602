//! Incremental decoding of ids.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piecework_core::Result;
use piecework_core::decode::{self, StreamOutput};
use piecework_core::pipeline::{self, DecodeOptions};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::arguments::Ids;
use crate::errors::to_py;

/// A stream that decodes ids incrementally.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct DecodeStream {
    tokenizer: Arc<pipeline::Tokenizer>,
    options: DecodeOptions,
    form: StreamOutput,
    state: Mutex<decode::DecodeStream>,
}

impl DecodeStream {
    pub(crate) fn new(tokenizer: &Arc<pipeline::Tokenizer>, options: DecodeOptions, form: StreamOutput) -> Self {
        let state = Mutex::new(tokenizer.decode_stream(form));
        Self { tokenizer: Arc::clone(tokenizer), options, form, state }
    }

    fn state(&self) -> MutexGuard<'_, decode::DecodeStream> {
        // A panic leaves a valid state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn to_output<'py>(&self, py: Python<'py>, new: Result<Vec<u8>>) -> PyResult<Bound<'py, PyAny>> {
        let new = new.map_err(to_py)?;
        Ok(match self.form {
            StreamOutput::Text => PyString::new(py, &String::from_utf8_lossy(&new)).into_any(),
            StreamOutput::Bytes => PyBytes::new(py, &new).into_any(),
        })
    }
}

#[pymethods]
impl DecodeStream {
    /// Decodes more ids and returns the text that can no longer change.
    fn step<'py>(&self, py: Python<'py>, ids: Ids) -> PyResult<Bound<'py, PyAny>> {
        let step = || self.tokenizer.decode_step(&mut self.state(), &ids.0, self.options);
        let new = py.detach(step);
        self.to_output(py, new)
    }

    /// Returns the rest of the text after the last id.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rest = py.detach(|| self.state().finish());
        self.to_output(py, rest)
    }

    fn __copy__(&self) -> Self {
        let state = Mutex::new(self.state().clone());
        Self { tokenizer: Arc::clone(&self.tokenizer), state, ..*self }
    }
}
