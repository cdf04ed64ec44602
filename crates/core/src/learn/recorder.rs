//! Records a training by merging: at each step the best candidates, and the merges in the most frequent words.
//!
//! A training without a recorder does none of this. A recorded one selects the best candidates once more before each
//! merge, in the engine's own queue; the vocabulary and the history are equal. Words are found by the rarer symbol of the
//! merged pair. Memory: 64 bytes for each recorded candidate, and 32 for each character of a recorded word, however often
//! it changes: each gap between two characters is closed by one merge or by none.

use std::cmp::Reverse;

use super::table::TrainingWords;
use crate::error::Result;
use crate::merge::segments::{NONE, to_u32};
use crate::merge::symbols::Symbols;
use crate::merge::{BestPair, MergeEngine, Tick};

/// A candidate for a merge, with the counts before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The index of the left symbol's name.
    pub left: u32,
    /// The index of the right symbol's name.
    pub right: u32,
    /// The score of the pair.
    pub score: f64,
    /// One more than the number of candidates with a greater score.
    pub rank: usize,
    /// The number of adjacent occurrences of the pair.
    pub occurrences: u64,
    /// The number of merges that a pass from left to right makes; lower only if both symbols are equal.
    pub merges: u64,
    /// The number of occurrences of the left symbol.
    pub left_count: u64,
    /// The number of occurrences of the right symbol.
    pub right_count: u64,
}

/// A step of a training: the table before it.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeTraceStep {
    /// The index of the merged symbol's name.
    pub token: u32,
    /// The number of candidates with exactly the best score.
    pub ties: u64,
    /// The number of symbols in all words.
    pub total: u64,
    /// The number of pairs that are frequent enough, candidates or not.
    pub pairs: usize,
    /// The best candidates in order; the first is merged.
    pub candidates: Vec<Candidate>,
}

/// The segmentations of a word during a training.
#[derive(Clone, Debug, PartialEq)]
pub struct WordSteps {
    /// The word.
    pub word: String,
    /// Its count.
    pub count: u64,
    /// Its initial symbols: indices of names, `None` where a character is dropped.
    pub symbols: Vec<Option<u32>>,
    /// The number of the merge, from 1, that closes the gap after each symbol but the last; `None` if none does.
    pub merged_at: Vec<Option<usize>>,
}

/// The record of a training.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MergeTrace {
    /// The names of all symbols.
    pub names: Vec<String>,
    /// The number of occurrences of each initial symbol, which have the first names.
    pub initial_counts: Vec<u64>,
    /// The steps in order.
    pub steps: Vec<MergeTraceStep>,
    /// The best candidates after the last merge.
    pub remaining: Vec<Candidate>,
    /// The entries that longest match never emitted and that were removed, with the number of merges before it.
    pub pruned: Vec<(usize, Vec<u32>)>,
    /// The most frequent words to learn from, in order of first occurrence.
    pub words: Vec<WordSteps>,
    /// The number of the other words.
    pub other_words: usize,
}

/// Records a training by merging.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use piecework_core::learn::MergeRecorder;
/// use piecework_core::model::bpe::train::{BpeTrainerConfig, train};
///
/// let words = [("low", 5), ("lower", 2)];
/// let mut recorder = MergeRecorder::new(2, 10);
/// train(&words, &BpeTrainerConfig::default(), Some(&mut recorder), &mut |_| ControlFlow::Continue(()))?;
/// let trace = recorder.into_trace();
/// let first = &trace.steps[0];
/// assert_eq!((trace.names[first.token as usize].as_str(), first.ties, first.candidates.len()), ("lo", 2, 2));
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug)]
pub struct MergeRecorder {
    top: usize,
    max_words: usize,
    trace: MergeTrace,
    /// The current symbols of each recorded word with the indices of their first characters.
    current: Vec<Vec<(u32, u32)>>,
    /// For each symbol the recorded words that contain it, or did.
    containing: Vec<Vec<u32>>,
}

impl MergeRecorder {
    /// Returns a recorder of the `top` best candidates of each step (at least the merged one) and of `max_words` words.
    #[must_use]
    pub fn new(top: usize, max_words: usize) -> Self {
        Self { top: top.max(1), max_words, trace: MergeTrace::default(), current: Vec::new(), containing: Vec::new() }
    }

    /// Returns the record.
    #[must_use]
    pub fn into_trace(self) -> MergeTrace {
        self.trace
    }

    /// Records the initial counts, and the initial segmentations of the most frequent words.
    pub(super) fn begin(&mut self, symbols: &Symbols, table: &TrainingWords<'_>, segment: impl Fn(&str) -> Vec<u32>) {
        self.trace.initial_counts = (0..symbols.len()).map(|id| symbols.count(to_u32(id))).collect();
        let mut order: Vec<usize> = (0..table.words.len()).collect();
        order.sort_by_key(|&place| Reverse(table.words.get(place).1));
        order.truncate(self.max_words);
        order.sort_unstable();
        self.trace.other_words = table.words.len() - order.len();
        for (word, count) in order.into_iter().map(|place| table.words.get(place)) {
            let symbols = segment(word);
            let place = to_u32(self.current.len());
            symbols.iter().filter(|&&symbol| symbol != NONE).for_each(|&symbol| self.add_containing(symbol, place));
            self.trace.words.push(WordSteps {
                word: word.to_owned(),
                count,
                symbols: symbols.iter().map(|&symbol| (symbol != NONE).then_some(symbol)).collect(),
                merged_at: vec![None; symbols.len().saturating_sub(1)],
            });
            self.current.push(symbols.into_iter().zip(0..).collect());
        }
    }

    /// Records the best candidates before a merge.
    pub(super) fn before_merge(&mut self, engine: &mut MergeEngine, best: &BestPair, tick: Tick<'_>) -> Result<()> {
        let candidates = self.candidates(engine, tick)?;
        let merged = engine.symbols_of(best.pair);
        debug_assert!(candidates.first().is_some_and(|first| (first.left, first.right) == merged));
        let (total, pairs) = (engine.symbols().total(), engine.pairs());
        self.trace.steps.push(MergeTraceStep { token: 0, ties: best.ties, total, pairs, candidates });
        Ok(())
    }

    /// Records the new symbol, and the changed words.
    pub(super) fn after_merge(&mut self, left: u32, right: u32, token: u32) {
        if let Some(step) = self.trace.steps.last_mut() {
            step.token = token;
        }
        let step = self.trace.steps.len();
        let number = |symbol: u32| self.containing.get(symbol as usize).map_or(0, Vec::len);
        let rarer = if number(left) < number(right) { left } else { right };
        let words = self.containing.get_mut(rarer as usize).map(std::mem::take).unwrap_or_default();
        for &place in &words {
            let merged_at = &mut self.trace.words[place as usize].merged_at;
            let close = |gap: u32| merged_at[gap as usize] = Some(step);
            if merge(&mut self.current[place as usize], left, right, token, close) {
                self.add_containing(token, place);
            }
        }
        if !words.is_empty() {
            self.containing[rarer as usize] = words;
        }
    }

    /// Adds a word to those that contain a symbol, once in a row.
    fn add_containing(&mut self, symbol: u32, place: u32) {
        if self.containing.len() <= symbol as usize {
            self.containing.resize(symbol as usize + 1, Vec::new());
        }
        let words = &mut self.containing[symbol as usize];
        if words.last() != Some(&place) {
            words.push(place);
        }
    }

    /// Records the end of a run, after which another may follow.
    pub(super) fn end(&mut self, engine: &mut MergeEngine, tick: Tick<'_>) -> Result<()> {
        self.trace.remaining = self.candidates(engine, tick)?;
        let symbols = engine.symbols();
        self.trace.names = (0..symbols.len()).map(|id| symbols.name(to_u32(id)).to_owned()).collect();
        Ok(())
    }

    /// Records entries that were removed after the merges so far.
    pub(super) fn pruned(&mut self, symbols: Vec<u32>) {
        if !symbols.is_empty() {
            self.trace.pruned.push((self.trace.steps.len(), symbols));
        }
    }

    /// Returns the best candidates.
    fn candidates(&self, engine: &mut MergeEngine, tick: Tick<'_>) -> Result<Vec<Candidate>> {
        let ranked = engine.top(self.top, tick)?;
        Ok(ranked.iter().map(|found| candidate(engine, found)).collect())
    }
}

/// Returns a candidate with its score and all its counts.
fn candidate(engine: &MergeEngine, found: &BestPair) -> Candidate {
    let (left, right) = engine.symbols_of(found.pair);
    Candidate {
        left,
        right,
        score: engine.score(&found.counts),
        rank: found.rank,
        occurrences: engine.occurrences(found.pair),
        merges: engine.merge_count(found.pair),
        left_count: found.counts.left,
        right_count: found.counts.right,
    }
}

/// Merges all occurrences of a pair from left to right, and calls `close` with each gap; returns whether there was one.
fn merge(symbols: &mut Vec<(u32, u32)>, left: u32, right: u32, token: u32, mut close: impl FnMut(u32)) -> bool {
    let (mut from, mut kept) = (0, 0);
    while from < symbols.len() {
        let (symbol, start) = symbols[from];
        let next = symbols.get(from + 1).filter(|next| (symbol, next.0) == (left, right));
        let token = next.map_or(symbol, |next| {
            close(next.1 - 1);
            token
        });
        from += if next.is_some() { 2 } else { 1 };
        symbols[kept] = (token, start);
        kept += 1;
    }
    let is_changed = kept < symbols.len();
    symbols.truncate(kept);
    is_changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merges_from_left_to_right_without_overlap() {
        let mut symbols: Vec<(u32, u32)> = [1, 1, 1, 2, NONE, 1, 2].into_iter().zip(0..).collect();
        let mut gaps = Vec::new();
        assert!(merge(&mut symbols, 1, 1, 3, |gap| gaps.push(gap)));
        assert_eq!(symbols, [(3, 0), (1, 2), (2, 3), (NONE, 4), (1, 5), (2, 6)]);
        assert!(merge(&mut symbols, 1, 2, 4, |gap| gaps.push(gap)));
        assert_eq!(symbols, [(3, 0), (4, 2), (NONE, 4), (4, 5)]);
        assert!(!merge(&mut symbols, 1, 2, 4, |gap| gaps.push(gap)));
        assert_eq!(gaps, [0, 2, 5]);
    }
}
