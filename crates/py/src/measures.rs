//! Sums over texts, for the metrics of a tokenizer.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use numpy::PyArray1;
use piecework_core::Error;
use piecework_core::pipeline::{Measures, Meter};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::call::{Call, Failure};
use crate::errors::in_text;
use crate::input::InputRows;
use crate::options::Options;
use crate::threads::{self, MIN_DETACHED_BYTES, TaskNumbers, ThreadCount};
use crate::tokenizer::Tokenizer;

/// Sums over texts.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct TextMeasures {
    sums: Mutex<Measures>,
}

/// The sums, which Python gets as a dictionary.
#[derive(IntoPyObject)]
struct Figures<'py> {
    texts: u64,
    bytes: u64,
    characters: u64,
    words: u64,
    whole_words: u64,
    changed_texts: u64,
    words_by_tokens: Bound<'py, PyArray1<u64>>,
    tokens_by_bytes: Bound<'py, PyArray1<u64>>,
    texts_by_tokens: Bound<'py, PyArray1<u64>>,
    ids: Bound<'py, PyArray1<u32>>,
    counts: Bound<'py, PyArray1<u64>>,
}

/// The sums of some rows, and which of them are changed by encoding and decoding.
#[derive(Default)]
struct Measured {
    sums: Measures,
    changed: Vec<usize>,
}

#[pymethods]
impl TextMeasures {
    #[new]
    fn new() -> Self {
        Self { sums: Mutex::default() }
    }

    /// Adds texts; returns the indices of the first `most` that encoding and decoding changes.
    fn add(
        &self,
        tokenizer: &Tokenizer,
        texts: &Bound<'_, PyAny>,
        options: &Options,
        most: usize,
        threads: Option<ThreadCount>,
    ) -> PyResult<Vec<usize>> {
        let rows = InputRows::new(texts, false)?;
        let measured = measure(texts.py(), tokenizer.call(options, false), &rows, most, threads::number(threads))?;
        self.with_sums(|sums| sums.merge(&measured.sums))?;
        Ok(measured.changed)
    }

    /// Returns the sums.
    fn figures<'py>(&self, py: Python<'py>) -> PyResult<Figures<'py>> {
        self.with_sums(|sums| {
            let (ids, counts): (Vec<_>, Vec<_>) = sums.token_counts().unzip();
            Figures {
                texts: sums.texts,
                bytes: sums.bytes,
                characters: sums.characters,
                words: sums.words,
                whole_words: sums.whole_words,
                changed_texts: sums.changed_texts,
                words_by_tokens: PyArray1::from_slice(py, &sums.words_by_tokens),
                tokens_by_bytes: PyArray1::from_slice(py, &sums.tokens_by_bytes),
                texts_by_tokens: PyArray1::from_slice(py, &sums.texts_by_tokens),
                ids: PyArray1::from_vec(py, ids),
                counts: PyArray1::from_vec(py, counts),
            }
        })
    }
}

impl TextMeasures {
    fn with_sums<T>(&self, use_sums: impl FnOnce(&mut Measures) -> T) -> PyResult<T> {
        let mut sums = self.sums.lock().map_err(|_| PyRuntimeError::new_err("an earlier call failed"))?;
        Ok(use_sums(&mut sums))
    }
}

/// Measures rows on at most `threads` threads.
fn measure(py: Python<'_>, call: Call<'_>, rows: &InputRows<'_>, most: usize, threads: usize) -> PyResult<Measured> {
    let threads = if rows.total_bytes() < MIN_DETACHED_BYTES { 1 } else { threads };
    let tasks = rows.tasks(threads);
    let tickets = TaskNumbers::new(tasks.len());
    let work = |(), stop: &AtomicBool| {
        let mut scratch = call.pool.scratch();
        let mut meter = Meter::new(call.tokenizer, call.options);
        let mut changed = Vec::new();
        while !stop.load(Ordering::Relaxed)
            && let Some(ticket) = tickets.next()
        {
            for row in tasks[ticket].clone() {
                let added = match rows.text(row) {
                    Some(text) => meter.add(text, &mut scratch),
                    None => rows.with_inputs(row, |_, _| Err(no_text())), // with the error of invalid UTF-8
                };
                match added {
                    Ok(true) => {}
                    Ok(false) if changed.len() < most => changed.push(row),
                    Ok(false) => {}
                    Err(error) => return Err((row, error)),
                }
            }
        }
        Ok(Measured { sums: meter.measures, changed })
    };
    let results: Vec<Result<Measured, Failure>> =
        threads::run(py, vec![(); threads.min(tasks.len())], work, threads::no_progress)?;
    joined(results, most).map_err(in_text)
}

/// Returns the error for a pair of texts.
fn no_text() -> Error {
    Error::Config("expected one text, found a pair".into())
}

/// Returns the sum of the results, or the failure of the first row that has one.
fn joined(results: Vec<Result<Measured, Failure>>, most: usize) -> Result<Measured, Failure> {
    let (mut all, mut failures) = (Measured::default(), Vec::new());
    for result in results {
        match result {
            Ok(measured) => {
                all.sums.merge(&measured.sums);
                all.changed.extend(measured.changed);
            }
            Err(failure) => failures.push(failure),
        }
    }
    all.changed.sort_unstable();
    all.changed.truncate(most);
    failures.into_iter().min_by_key(|&(row, _)| row).map_or(Ok(all), Err)
}
