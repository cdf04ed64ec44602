//! Training.

use std::ops::ControlFlow;

use piecework_core::format::{read_splitter, read_trainer};
use piecework_core::learn::{Progress, Stage, Threads};
use piecework_core::training::{self, Recorders};
use pyo3::prelude::*;

use crate::counts::WordCounts;
use crate::errors::{in_settings, to_py};
use crate::functions::functions;
use crate::threads::{self, SignalTimer};
use crate::tokenizer::Tokenizer;

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
    let splitter = read_splitter(splitter, &self::functions(functions)).map_err(|error| in_settings(py, &error))?;
    let trainer = read_trainer(trainer).map_err(|error| to_py(py, &error))?;
    let counts = &counts.get().inner;
    let mut signal = Ok(());
    let mut timer = SignalTimer::new();
    let beside = |work: &(dyn Fn() + Sync), here: &mut dyn FnMut()| threads::beside(threads - 1, work, here);
    let trained = py.detach(|| {
        training::train_recorded(counts, &splitter, &trainer, recorders, Threads::new(&beside), &mut |now| {
            if !timer.is_due() {
                return ControlFlow::Continue(());
            }
            signal = Python::attach(|py| report_progress(py, progress.as_ref(), now));
            if signal.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    });
    signal?;
    trained.map(Tokenizer::new).map_err(|error| to_py(py, &error))
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
pub(crate) fn check_trainer(py: Python<'_>, trainer: &str) -> PyResult<()> {
    read_trainer(trainer).map(|_| ()).map_err(|error| in_settings(py, &error))
}
