//! Training.

use std::ops::ControlFlow;

use piecework_core::format::{read_splitter, read_trainer};
use piecework_core::Error;
use piecework_core::learn::{Progress, Stage, Threads};
use piecework_core::model::Trainer;
use piecework_core::model::unigram;
use piecework_core::training;
use pyo3::prelude::*;

use crate::counts::WordCounts;
use crate::errors::{in_parts, to_py};
use crate::functions::functions;
use crate::threads::{self, Watch};
use crate::tokenizer::Tokenizer;

/// Trains on `counts`; `progress` is called with what is done and what there is to do.
#[pyfunction]
pub(crate) fn train(
    py: Python<'_>,
    counts: &Bound<'_, WordCounts>,
    splitter: &str,
    functions: Vec<Py<PyAny>>,
    trainer: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Tokenizer> {
    let splitter = read_splitter(splitter, &self::functions(functions)).map_err(|error| in_parts(py, &error))?;
    let trainer = read_trainer(trainer).map_err(|error| to_py(py, &error))?;
    let counts = &counts.get().inner;
    let mut signal = Ok(());
    let mut watch = Watch::new();
    let trained = py.detach(|| {
        training::train(counts, &splitter, &trainer, &mut |now| {
            if !watch.is_due() {
                return ControlFlow::Continue(());
            }
            signal = Python::attach(|py| look(py, progress.as_ref(), now));
            if signal.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    });
    signal?;
    trained.map(Tokenizer::new).map_err(|error| to_py(py, &error))
}

fn look(py: Python<'_>, progress: Option<&Py<PyAny>>, now: Progress) -> PyResult<()> {
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

/// What a training of Unigram gives: the entries with their scores, and of each round the pieces before it, the
/// log-likelihood, and what it removed.
type Unigram = (Vec<(String, f64)>, Vec<(usize, Option<f64>, Vec<String>)>);

/// Trains Unigram on `counts`.
#[pyfunction]
pub(crate) fn train_unigram(
    py: Python<'_>,
    counts: &Bound<'_, WordCounts>,
    trainer: &str,
    threads: Option<i64>,
) -> PyResult<Unigram> {
    let Trainer::Unigram(config) = read_trainer(trainer).map_err(|error| to_py(py, &error))? else {
        return Err(to_py(py, &Error::Config("expected a UnigramTrainer".to_owned())));
    };
    let threads = threads::number(py, threads)?;
    let counts = &counts.get().inner;
    let mut signal = Ok(());
    let mut watch = Watch::new();
    let beside = |work: &(dyn Fn() + Sync), here: &mut dyn FnMut()| threads::beside(threads - 1, work, here);
    let trained = py.detach(|| {
        unigram::train::train(&counts.by_first_sight(), &config, Threads::new(&beside), &mut |now| {
            if !watch.is_due() {
                return ControlFlow::Continue(());
            }
            signal = Python::attach(|py| look(py, None, now));
            if signal.is_err() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    });
    signal?;
    let trained = trained.map_err(|error| to_py(py, &error))?;
    let rounds = trained.history.into_iter().map(|round| (round.pieces, round.log_likelihood, round.removed));
    Ok((trained.entries, rounds.collect()))
}

/// Refuses settings (JSON) that no trainer can have.
#[pyfunction]
pub(crate) fn check_trainer(py: Python<'_>, trainer: &str) -> PyResult<()> {
    read_trainer(trainer).map(|_| ()).map_err(|error| to_py(py, &error))
}
