//! Incremental decoding of ids.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use piecework_core::decode::StreamOutput;
use piecework_core::pipeline::{self, IdStream, StepPositions, Stop, StreamSettings};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyDict, PyIterator, PyString, PyType};

use crate::arguments::{Ids, wrong_type};
use crate::errors::{id_error, to_py, utf8};
use crate::threads::detach;

/// The number of ids from which on a step releases the GIL.
const MIN_DETACHED_IDS: usize = 64;

/// Decodes token ids to text or bytes incrementally, up to a stop; created by :meth:`Tokenizer.decode_stream`.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct DecodeStream {
    tokenizer: Arc<pipeline::Tokenizer>,
    settings: Arc<Settings>,
    state: Mutex<IdStream>,
}

/// The settings of a stream, which its copies share.
pub(crate) struct Settings {
    inner: StreamSettings,
    /// The stops as the caller gave them.
    stops: Vec<Py<PyAny>>,
}

impl DecodeStream {
    pub(crate) fn new(
        py: Python<'_>,
        tokenizer: &Arc<pipeline::Tokenizer>,
        mut settings: StreamSettings,
        stops: &[Py<PyAny>],
        after: &[u32],
    ) -> PyResult<Self> {
        let given = stops.iter().map(|stop| as_stop(stop.bind(py))).collect::<PyResult<Vec<_>>>()?;
        settings.stops = tokenizer.stops(&given, settings.decoding.skip_special_tokens).map_err(to_py)?;
        let start = || {
            let mut state = tokenizer.id_stream(&settings);
            tokenizer.decode_before(&mut state, &settings, after).map(|()| state)
        };
        let state = detach(py, start)?.map_err(to_py)?;
        let stops = stops.iter().map(|stop| stop.clone_ref(py)).collect();
        let settings = Arc::new(Settings { inner: settings, stops });
        Ok(Self { tokenizer: Arc::clone(tokenizer), settings, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, IdStream> {
        // A panic leaves a valid state.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn to_output<'py>(&self, py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        match self.settings.inner.output {
            StreamOutput::Text => Ok(PyString::new(py, &String::from_utf8_lossy(bytes)).into_any()),
            StreamOutput::Bytes => Ok(PyBytes::new(py, bytes).into_any()),
        }
    }

    fn step_ids<'py>(&self, py: Python<'py>, ids: &[u32]) -> PyResult<Bound<'py, PyAny>> {
        let mut new = Vec::new();
        let mut step = |state: &mut IdStream| self.tokenizer.decode_step(state, &self.settings.inner, ids, &mut new);
        let positions = if ids.len() < MIN_DETACHED_IDS {
            step(&mut self.state())
        } else {
            // A step that is stopped leaves the stream as it was before.
            detach(py, || {
                let mut state = self.state();
                let mut next = state.clone();
                let positions = step(&mut next);
                *state = next;
                positions
            })?
        };
        self.to_step(py, &new, positions.map_err(to_py)?.as_ref())
    }

    /// Returns what a step returns: new text or bytes, with the positions if there are any.
    fn to_step<'py>(
        &self,
        py: Python<'py>,
        new: &[u8],
        positions: Option<&StepPositions>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let text = self.to_output(py, new)?;
        match positions {
            Some(positions) => details(py, text, positions),
            None => Ok(text),
        }
    }
}

/// An iterator over the text of a stream.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct StreamPieces {
    stream: Py<DecodeStream>,
    /// The ids; `None` after the last text.
    ids: Mutex<Option<Py<PyIterator>>>,
}

#[pymethods]
impl StreamPieces {
    fn __iter__(this: Bound<'_, Self>) -> Bound<'_, Self> {
        this
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(ids) = self.ids.lock().unwrap_or_else(PoisonError::into_inner).take() else { return Ok(None) };
        let (stream, ids) = (self.stream.bind(py).get(), ids.into_bound(py));
        while let Some(id) = ids.clone().next() {
            let piece = stream.step(&id?)?;
            let is_stopped = stream.state().met().is_some();
            if !is_stopped {
                *self.ids.lock().unwrap_or_else(PoisonError::into_inner) = Some(ids.clone().unbind());
            }
            if !piece.is_empty()? {
                return Ok(Some(piece));
            }
            if is_stopped {
                return Ok(None);
            }
        }
        *self.ids.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let rest = stream.finish(py)?;
        Ok((!rest.is_empty()?).then_some(rest))
    }
}

const STOPS: &str = "strings and token ids";

/// Returns a stop: a string or an id.
fn as_stop(stop: &Bound<'_, PyAny>) -> PyResult<Stop> {
    if let Ok(text) = stop.cast::<PyString>() {
        return Ok(Stop::Text(utf8(text)?.to_owned()));
    }
    if stop.is_instance_of::<PyBool>() {
        return Err(wrong_type("stop", STOPS, stop));
    }
    stop.extract().map(Stop::Id).map_err(|error: PyErr| {
        let is_integer = error.is_instance_of::<PyOverflowError>(stop.py());
        if is_integer { id_error() } else { wrong_type("stop", STOPS, stop) }
    })
}

/// Returns what a step of a stream with positions returns.
fn details<'py>(py: Python<'py>, text: Bound<'py, PyAny>, positions: &StepPositions) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let StepPositions { bytes, start, byte_start } = positions;
    let class = CLASS.import(py, "piecework.tokenizer._decoded", "StreamStep")?;
    class.call1((text, PyBytes::new(py, bytes), start, byte_start))
}

#[pymethods]
impl DecodeStream {
    /// Returns the new text of one token id or several.
    fn step<'py>(&self, ids: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = ids.py();
        match ids.extract::<u32>() {
            Ok(id) => {
                let plain = self.tokenizer.decode_plain(&mut self.state(), &self.settings.inner, id);
                plain.map_or_else(|| self.step_ids(py, &[id]), |bytes| self.to_output(py, bytes))
            }
            Err(error) if error.is_instance_of::<PyOverflowError>(py) => Err(id_error()),
            Err(_) => self.step_ids(py, &ids.extract::<Ids>()?.0),
        }
    }

    /// Returns the rest of the text, and ends it: the next step begins another one.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut rest = Vec::new();
        let finish = || self.tokenizer.decode_rest(&mut self.state(), &self.settings.inner, &mut rest);
        let positions = py.detach(finish).map_err(to_py)?;
        self.to_step(py, &rest, positions.as_ref())
    }

    /// Returns the stop that was met, as it was passed, or None.
    #[getter]
    fn stopped(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let stop = self.state().met()?.stop;
        self.settings.stops.get(stop).map(|stop| stop.clone_ref(py))
    }

    /// Returns the text after the stop that was met; empty before.
    #[getter]
    fn rest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rest = self.state().met().map(|met| met.rest.clone());
        self.to_output(py, &rest.unwrap_or_default())
    }

    /// Iterates over the text of token ids as they arrive, up to a stop, and over the rest at the end.
    fn pieces(this: Bound<'_, Self>, ids: &Bound<'_, PyAny>) -> PyResult<StreamPieces> {
        let ids = ids.try_iter().map_err(|_| wrong_type("ids", "token ids", ids))?;
        Ok(StreamPieces { stream: this.unbind(), ids: Mutex::new(Some(ids.unbind())) })
    }

    /// Supports `DecodeStream[str]` in annotations.
    #[classmethod]
    fn __class_getitem__<'py>(class: &Bound<'py, PyType>, item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        class.py().import("types")?.getattr("GenericAlias")?.call1((class, item))
    }

    fn __copy__(&self) -> Self {
        let state = Mutex::new(self.state().clone());
        Self { tokenizer: Arc::clone(&self.tokenizer), settings: Arc::clone(&self.settings), state }
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyDict>) -> Self {
        self.__copy__()
    }
}
