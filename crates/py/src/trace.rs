//! Training with a record of each step.

use piecework_core::learn::{Candidate, MergeRecorder, MergeTrace, MergeTraceStep, UnigramRecorder};
use piecework_core::learn::{UnigramTraceStep, WordSteps};
use piecework_core::model::wordpiece::train::Criterion;
use piecework_core::training::Recorders;
use pyo3::prelude::*;

use crate::counts::WordCounts;
use crate::threads;
use crate::tokenizer::Tokenizer;
use crate::train::{TrainingSettings, run};

/// A candidate: indices of left and right name, score, rank, occurrences, merges, counts of left and right.
type CandidateRow = (u32, u32, f64, usize, u64, u64, u64, u64);
/// A step: ties, symbols, pairs, candidates.
type StepRow = (u64, u64, usize, Vec<CandidateRow>);
/// A word: its text, its count, its initial symbols, the merge that closes the gap after each.
type WordRow = (String, u64, Vec<Option<u32>>, Vec<Option<usize>>);
/// A record of merges: names, initial counts, steps, remaining candidates, pruned entries, words, number of other words.
type MergesRow = (Vec<String>, Vec<u64>, Vec<StepRow>, Vec<CandidateRow>, Vec<(usize, Vec<u32>)>, Vec<WordRow>, usize);
/// Pieces with a number.
type PieceRows = Vec<(String, f64)>;
/// A step of Unigram: pieces, log-likelihood, number of removed pieces, the first of them, kept and most probable ones.
type UnigramRow = (usize, Option<f64>, usize, PieceRows, PieceRows, PieceRows);

/// Trains as `train`, and records the `top` best candidates or pieces of each step and at most `words` words.
#[pyfunction]
pub(crate) fn train_traced(
    counts: &Bound<'_, WordCounts>,
    settings: TrainingSettings,
    threads: Option<threads::ThreadCount>,
    progress: Option<Py<PyAny>>,
    limits: (usize, Option<usize>),
) -> PyResult<(Tokenizer, MergesRow, Vec<UnigramRow>)> {
    let (top, words) = limits;
    let merges = MergeRecorder::new(top, words.unwrap_or(usize::MAX));
    let mut recorders = Recorders { merges, unigram: UnigramRecorder::new(top) };
    let tokenizer = run(counts, settings, threads, progress, (None, Some(&mut recorders)))?;
    let Recorders { merges, unigram } = recorders;
    Ok((tokenizer, merges_row(merges.into_trace()), unigram.into_steps().into_iter().map(unigram_row).collect()))
}

/// Returns the scores of a pair by all criteria, in the order of their names here: likelihood, pmi, sum, frequency.
///
/// The counts are occurrences and merges of the pair, counts of left and right, and the total of all symbols.
#[pyfunction]
pub(crate) fn pair_scores(counts: (u64, u64, u64, u64, u64), is_same_symbol: bool) -> [f64; 4] {
    let (occurrences, merges, left_count, right_count, total) = counts;
    let right = u32::from(!is_same_symbol);
    let pair = Candidate { left: 0, right, score: 0.0, rank: 1, occurrences, merges, left_count, right_count };
    Criterion::NAMES.map(|(_, criterion)| criterion.score_of(&pair, total))
}

fn merges_row(trace: MergeTrace) -> MergesRow {
    let MergeTrace { names, initial_counts, steps, remaining, pruned, words, other_words } = trace;
    let steps = steps.into_iter().map(step_row).collect();
    let words = words.into_iter().map(word_row).collect();
    (names, initial_counts, steps, candidate_rows(&remaining), pruned, words, other_words)
}

fn step_row(step: MergeTraceStep) -> StepRow {
    (step.ties, step.total, step.pairs, candidate_rows(&step.candidates))
}

fn word_row(word: WordSteps) -> WordRow {
    let WordSteps { word, count, symbols, merged_at } = word;
    (word, count, symbols, merged_at)
}

fn candidate_rows(candidates: &[Candidate]) -> Vec<CandidateRow> {
    let row = |found: &Candidate| {
        let &Candidate { left, right, score, rank, occurrences, merges, left_count, right_count } = found;
        (left, right, score, rank, occurrences, merges, left_count, right_count)
    };
    candidates.iter().map(row).collect()
}

fn unigram_row(step: UnigramTraceStep) -> UnigramRow {
    let UnigramTraceStep { pieces, log_likelihood, removed_number, removed, kept, most_probable } = step;
    (pieces, log_likelihood, removed_number, removed, kept, most_probable)
}
