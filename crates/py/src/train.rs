//! Training.

use std::ops::ControlFlow;

use piecework_core::Result;
use piecework_core::format::{read_splitter, read_trainer};
use piecework_core::learn::{ExtensionConfig, Progress, ProgressCallback, Stage, Threads};
use piecework_core::model::wordpiece::train::Criterion;
use piecework_core::training::{self, Recorders};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::counts::WordCounts;
use crate::errors::{in_settings, to_py};
use crate::functions::functions;
use crate::threads::{self, SignalTimer};
use crate::tokenizer::Tokenizer;
use crate::tuples::MergeRow;

/// Trains on `counts` with at most this number of threads. Calls `progress` with a stage, and its done and total work.
#[pyfunction]
pub(crate) fn train(
    py: Python<'_>,
    counts: &Bound<'_, WordCounts>,
    splitter: &str,
    functions: Vec<Py<PyAny>>,
    trainer: &str,
    threads: Option<threads::Requested>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Tokenizer> {
    run(py, counts, splitter, functions, trainer, threads, progress, None)
}

/// Trains with optional recorders.
#[expect(clippy::too_many_arguments, reason = "those of the function in Python, and the recorders")]
pub(crate) fn run(
    py: Python<'_>,
    counts: &Bound<'_, WordCounts>,
    splitter: &str,
    functions: Vec<Py<PyAny>>,
    trainer: &str,
    threads: Option<threads::Requested>,
    progress: Option<Py<PyAny>>,
    recorders: Option<&mut Recorders>,
) -> PyResult<Tokenizer> {
    let threads = threads::number(threads);
    let splitter = read_splitter(splitter, &self::functions(functions)).map_err(in_settings)?;
    let trainer = read_trainer(trainer).map_err(to_py)?;
    let counts = &counts.get().inner;
    let beside = |work: &(dyn Fn() + Sync), here: &mut dyn FnMut()| threads::beside(threads - 1, work, here);
    let trained = reporting(py, progress.as_ref(), |callback| {
        training::train_recorded(counts, &splitter, &trainer, recorders, Threads::new(&beside), callback)
    });
    trained.map(Tokenizer::new)
}

/// The entries that an extension learned, their scores, and the merges.
type LearnedRow<'py> = (Vec<String>, Vec<f64>, Bound<'py, PyAny>);

/// Learns entries for a tokenizer, and calls `progress` as `train` does.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the arguments of the Python call")]
pub(crate) fn extend<'py>(
    py: Python<'py>,
    tokenizer: &Bound<'py, Tokenizer>,
    counts: &Bound<'py, WordCounts>,
    criterion: &str,
    new_tokens: usize,
    min_frequency: u64,
    max_token_length: Option<usize>,
    threads: Option<threads::Requested>,
    progress: Option<Py<PyAny>>,
) -> PyResult<LearnedRow<'py>> {
    let threads = threads::number(threads);
    let criterion = Criterion::from_name(criterion).ok_or_else(|| PyValueError::new_err("the criterion is unknown"))?;
    let config = ExtensionConfig { new_tokens, min_frequency, max_token_length };
    let (tokenizer, counts) = (&*tokenizer.get().inner, &counts.get().inner);
    let beside = |work: &(dyn Fn() + Sync), here: &mut dyn FnMut()| threads::beside(threads - 1, work, here);
    let learned = reporting(py, progress.as_ref(), |callback| {
        training::extend(tokenizer, counts, criterion, &config, Threads::new(&beside), callback)
    })?;
    let history = learned.history.iter().map(MergeRow).collect::<Vec<_>>().into_bound_py_any(py)?;
    Ok((learned.tokens, learned.scores, history))
}

/// Returns the number of occurrences of each token of a tokenizer in counted words, by id.
#[pyfunction]
pub(crate) fn count_tokens(
    py: Python<'_>,
    tokenizer: &Bound<'_, Tokenizer>,
    counts: &Bound<'_, WordCounts>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<u64>> {
    let (tokenizer, counts) = (&*tokenizer.get().inner, &counts.get().inner);
    reporting(py, progress.as_ref(), |callback| training::count_tokens(tokenizer, counts, callback))
}

/// Runs work without the GIL, and reports its progress; handles Ctrl-C.
fn reporting<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(ProgressCallback<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    let mut signal = Ok(());
    let mut timer = SignalTimer::new();
    let done = py.detach(|| {
        work(&mut |now| {
            if !timer.is_due() {
                return ControlFlow::Continue(());
            }
            signal = Python::attach(|py| report_progress(py, progress, now));
            if signal.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    });
    signal?;
    done.map_err(to_py)
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
