//! Training.

use std::ops::ControlFlow;

use piecework_core::Result;
use piecework_core::format::read_trainer;
use piecework_core::learn::{ExtensionConfig, Progress, ProgressCallback, Stage, Threads};
use piecework_core::model::wordpiece::train::Criterion;
use piecework_core::training::{self, Execution, Recorders, too_little_memory};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::counts::WordCounts;
use crate::errors::{in_settings, to_py};
use crate::functions;
use crate::memory::{self, Limit};
use crate::threads::{self, SignalTimer, detach};
use crate::tokenizer::Tokenizer;
use crate::tuples::{merge_row, tuple_struct};

tuple_struct! {
    /// The settings that decide the result of a training.
    TrainingSettings {
        /// Normalizer and pre-tokenizer as JSON, which refers to functions by index.
        splitter: String,
        functions: Vec<Py<PyAny>>,
        /// The trainer as JSON.
        trainer: String,
    }
}

/// Trains on `counts` with at most this number of threads and bytes of memory, those of the table included.
///
/// Calls `progress` with a stage, and its done and total work.
#[pyfunction]
pub(crate) fn train(
    counts: &Bound<'_, WordCounts>,
    settings: TrainingSettings,
    threads: Option<threads::ThreadCount>,
    progress: Option<Py<PyAny>>,
    max_memory: Option<usize>,
) -> PyResult<Tokenizer> {
    run(counts, settings, threads, progress, (max_memory, None))
}

/// Trains with an optional limit of memory and optional recorders.
pub(crate) fn run(
    counts: &Bound<'_, WordCounts>,
    settings: TrainingSettings,
    threads: Option<threads::ThreadCount>,
    progress: Option<Py<PyAny>>,
    (max_memory, recorders): (Option<usize>, Option<&mut Recorders>),
) -> PyResult<Tokenizer> {
    let TrainingSettings { splitter, functions, trainer } = settings;
    let splitter = functions::splitter(&splitter, functions)?;
    let trainer = read_trainer(&trainer).map_err(to_py)?;
    let (py, counts) = (counts.py(), &counts.get().inner);
    let limit = max_memory.map(|bytes| Limit::new(bytes, counts.size()));
    let beside = threads::beside(threads::number(threads) - 1, limit.as_ref());
    let trained = reporting(py, progress.as_ref(), limit.as_ref(), |callback| {
        let execution = Execution { threads: Threads::new(&beside), callback };
        training::train(counts, &splitter, &trainer, recorders, execution)
    });
    trained.map(Tokenizer::new)
}

/// The entries that an extension learned, their scores, and the merges.
type LearnedRow<'py> = (Vec<String>, Vec<f64>, Bound<'py, PyAny>);

/// Learns entries for a tokenizer, and calls `progress` as `train` does.
///
/// The settings are the criterion, the number of entries, the smallest frequency and the longest length.
#[pyfunction]
pub(crate) fn extend<'py>(
    tokenizer: &Bound<'py, Tokenizer>,
    counts: &Bound<'py, WordCounts>,
    settings: (&str, usize, u64, Option<usize>),
    threads: Option<threads::ThreadCount>,
    progress: Option<Py<PyAny>>,
    max_memory: Option<usize>,
) -> PyResult<LearnedRow<'py>> {
    let (criterion, new_tokens, min_frequency, max_token_length) = settings;
    let criterion = Criterion::from_name(criterion).ok_or_else(|| PyValueError::new_err("the criterion is unknown"))?;
    let config = ExtensionConfig { new_tokens, min_frequency, max_token_length };
    let (py, tokenizer, counts) = (tokenizer.py(), &*tokenizer.get().inner, &counts.get().inner);
    let limit = max_memory.map(|bytes| Limit::new(bytes, counts.size()));
    let beside = threads::beside(threads::number(threads) - 1, limit.as_ref());
    let learned = reporting(py, progress.as_ref(), limit.as_ref(), |callback| {
        let execution = Execution { threads: Threads::new(&beside), callback };
        training::extend(tokenizer, counts, criterion, &config, execution)
    })?;
    let history = learned.history.iter().map(merge_row).collect::<Vec<_>>().into_bound_py_any(py)?;
    Ok((learned.tokens, learned.scores, history))
}

/// Returns the number of occurrences of each token of a tokenizer in counted words, by id.
#[pyfunction]
pub(crate) fn count_tokens(
    py: Python<'_>,
    tokenizer: &Bound<'_, Tokenizer>,
    counts: &Bound<'_, WordCounts>,
    threads: Option<threads::ThreadCount>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<u64>> {
    let (tokenizer, counts) = (&*tokenizer.get().inner, &counts.get().inner);
    let beside = threads::beside(threads::number(threads) - 1, None);
    reporting(py, progress.as_ref(), None, |callback| {
        training::count_tokens(tokenizer, counts, Execution { threads: Threads::new(&beside), callback })
    })
}

/// Runs work without the GIL, and reports its progress; handles Ctrl-C, and the limit of memory.
fn reporting<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    limit: Option<&Limit>,
    work: impl FnOnce(ProgressCallback<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    let mut signal = Ok(());
    let mut timer = SignalTimer::new();
    // A long word is stopped within a stage, where no progress is reported.
    let done = detach(py, || {
        memory::counted(limit, || {
            work(&mut |now| {
                if limit.is_some_and(|limit| limit.wanted().is_some()) {
                    return ControlFlow::Break(());
                }
                if !timer.is_due() {
                    return ControlFlow::Continue(());
                }
                signal = Python::attach(|py| report_progress(py, progress, now));
                if signal.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
        })
    });
    signal?;
    if let Some(wanted) = limit.and_then(Limit::wanted) {
        return Err(to_py(too_little_memory(wanted)));
    }
    done?.map_err(to_py)
}

fn report_progress(py: Python<'_>, progress: Option<&Py<PyAny>>, now: Progress) -> PyResult<()> {
    py.check_signals()?;
    if let Some(progress) = progress {
        progress.call1(py, (stage(now.stage), now.done, now.total))?;
    }
    Ok(())
}

fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Reading => "reading words",
        Stage::Pairing => "finding pairs",
        Stage::Merging => "merging",
        Stage::Seeding => "finding pieces",
        Stage::Learning => "learning",
        Stage::Counting => "counting tokens",
    }
}

/// Refuses invalid settings of a trainer (JSON).
#[pyfunction]
pub(crate) fn check_trainer(trainer: &str) -> PyResult<()> {
    read_trainer(trainer).map(|_| ()).map_err(in_settings)
}
