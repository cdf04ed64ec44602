//! A run of merges: the entries of the vocabulary, the stop rules, and the history.

use std::collections::HashSet;

use super::alphabet::{prepare, symbols_of};
use super::plan::Plan;
use super::recorder::MergeRecorder;
use super::segmented::SegmentedTokens;
use super::table::TrainingWords;
use super::{Merge, ProgressCallback, Stage, report};
use crate::error::Result;
use crate::merge::MergeEngine;

/// A training between two merges.
pub(crate) struct MergeRun<'a> {
    plan: Plan<'a>,
    engine: MergeEngine,
    /// The special tokens and user-defined symbols.
    named: HashSet<&'a str>,
    /// The alphabet without special tokens and user-defined symbols.
    alphabet: Vec<String>,
    /// The symbols that are learned entries, in order.
    pub(crate) learned: Vec<u32>,
    /// All merges so far.
    pub(crate) history: Vec<Merge>,
    recorder: Option<&'a mut MergeRecorder>,
}

impl<'a> MergeRun<'a> {
    /// Checks the settings against the words, and collects all pairs.
    pub(crate) fn new(
        table: &TrainingWords<'_>,
        plan: Plan<'a>,
        mut recorder: Option<&'a mut MergeRecorder>,
        callback: ProgressCallback<'_>,
    ) -> Result<Self> {
        let named = plan.named_entries()?;
        let prepared = prepare(table, &plan, callback)?;
        // A merge may make a user-defined symbol, once.
        let taken = plan.forbidden_names().iter().chain(&prepared.names).cloned().collect();
        let mut alphabet = prepared.names;
        alphabet.retain(|name| !named.contains(name.as_str()));
        plan.check_size(alphabet.len())?;
        if let Some(recorder) = recorder.as_deref_mut() {
            recorder.begin(&prepared.symbols, table, |word| symbols_of(word, &prepared.ids, &plan).collect());
        }
        let mut tick = || report(callback, Stage::Pairing, 0, 0);
        let engine = MergeEngine::new(plan.engine(), prepared.segments, prepared.symbols, taken, &mut tick)?;
        Ok(Self { plan, engine, named, alphabet, learned: Vec::new(), history: Vec::new(), recorder })
    }

    /// Continues from words that are already segmented, of which all entries exist.
    ///
    /// The size of the plan is the number of entries to learn. No merge makes a name in `taken`.
    pub(crate) fn extending(
        segmented: SegmentedTokens,
        taken: Vec<String>,
        plan: Plan<'a>,
        callback: ProgressCallback<'_>,
    ) -> Result<Self> {
        let SegmentedTokens { segments, symbols, .. } = segmented;
        let mut tick = || report(callback, Stage::Pairing, 0, 0);
        let engine = MergeEngine::new(plan.engine(), segments, symbols, taken, &mut tick)?;
        let (named, alphabet) = (HashSet::new(), Vec::new());
        Ok(Self { plan, engine, named, alphabet, learned: Vec::new(), history: Vec::new(), recorder: None })
    }

    /// Returns the number of entries so far.
    fn size(&self) -> usize {
        self.named.len() + self.alphabet.len() + self.learned.len()
    }

    /// Returns the final number of entries that the stop rules set, or 0 if none does.
    fn target_size(&self) -> usize {
        let before = self.named.len() + self.alphabet.len();
        let merges = self.plan.max_merges.map_or(usize::MAX, |most| most.saturating_add(before));
        match self.plan.vocab_size.min(merges) {
            usize::MAX => 0,
            target => target,
        }
    }

    /// Merges until a stop rule holds.
    pub(crate) fn merge_until_stop(&mut self, callback: ProgressCallback<'_>) -> Result<()> {
        while !self.is_complete() {
            let (size, target) = (self.size(), self.target_size());
            let mut tick = || report(callback, Stage::Merging, size, target);
            tick()?;
            let Some(best) = self.engine.best(&mut tick)? else {
                break;
            };
            if !(self.plan.is_worthwhile)(&self.engine, &best) {
                break;
            }
            if let Some(recorder) = self.recorder.as_deref_mut() {
                recorder.before_merge(&mut self.engine, &best, &mut tick)?;
            }
            let (left, right) = self.engine.symbols_of(best.pair);
            let score = self.plan.score.float(&best.counts);
            let token = self.engine.merge(best.pair, &mut tick)?;
            if !self.named.contains(self.engine.symbols().name(token)) {
                self.learned.push(token);
            }
            let name = |id| self.engine.symbols().name(id).to_owned();
            self.history.push(Merge {
                left: name(left),
                right: name(right),
                token: name(token),
                score,
                pair_count: best.counts.pair,
                left_count: best.counts.left,
                right_count: best.counts.right,
                ties: best.ties,
            });
            if let Some(recorder) = self.recorder.as_deref_mut() {
                recorder.after_merge(left, right, token);
            }
        }
        let (size, target) = (self.size(), self.target_size());
        if let Some(recorder) = self.recorder.as_deref_mut() {
            recorder.end(&mut self.engine, &mut || report(callback, Stage::Merging, size, target))?;
        }
        Ok(())
    }

    /// Removes the learned entries for which `keep` is false; it is called once for each, in order.
    pub(crate) fn retain_learned(&mut self, mut keep: impl FnMut() -> bool) {
        let removed = self.learned.extract_if(.., |_| !keep()).collect();
        if let Some(recorder) = self.recorder.as_deref_mut() {
            recorder.pruned(removed);
        }
    }

    /// Returns whether a stop rule holds that does not depend on the best pair.
    fn is_complete(&mut self) -> bool {
        let frequency = self.plan.stop_at_pair_frequency;
        self.size() >= self.plan.vocab_size
            || self.plan.max_merges.is_some_and(|most| self.history.len() >= most)
            || frequency.is_some_and(|least| self.engine.most_frequent() <= least)
    }

    /// Returns the id of the first learned entry.
    pub(crate) fn first_learned(&self) -> usize {
        let later = if self.plan.special_tokens_first { 0 } else { self.plan.special_tokens.len() };
        self.named.len() - later + self.alphabet.len()
    }

    /// Returns the current entries in the order of their ids.
    pub(crate) fn entries(&self) -> Vec<String> {
        let specials = self.plan.special_tokens.iter().cloned();
        let learned = self.learned.iter().map(|&id| self.engine.symbols().name(id).to_owned());
        let symbols = self.plan.user_defined_symbols.iter().cloned();
        let rest = symbols.chain(self.alphabet.iter().cloned()).chain(learned);
        if self.plan.special_tokens_first { specials.chain(rest).collect() } else { rest.chain(specials).collect() }
    }

    /// Returns the number of occurrences of an entry in the words as currently merged.
    pub(crate) fn occurrences(&self, entry: &str) -> u64 {
        let symbols = self.engine.symbols();
        symbols.find(entry).map_or(0, |id| symbols.count(id))
    }
}
