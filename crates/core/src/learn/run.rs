//! One training: what is entered, when to stop, what is remembered.

use std::collections::HashSet;

use super::alphabet::prepare;
use super::plan::Plan;
use super::table::Table;
use super::{Merge, Stage, Watch, tell};
use crate::error::Result;
use crate::merge::score::Counts;
use crate::merge::{Best, Engine};

/// A merge as it is remembered until names are made of it.
struct Step {
    left: u32,
    right: u32,
    token: u32,
    score: f64,
    counts: Counts,
    ties: u64,
}

/// A training between two merges.
pub(crate) struct Run<'a> {
    plan: Plan<'a>,
    engine: Engine,
    /// The entries that were asked for by name.
    named: HashSet<&'a str>,
    /// The alphabet without what is such an entry.
    alphabet: Vec<String>,
    /// The symbols that are learned entries, in order.
    pub(crate) learned: Vec<u32>,
    steps: Vec<Step>,
}

impl<'a> Run<'a> {
    /// Checks the settings against the words, and finds all pairs.
    pub(crate) fn new(table: &Table<'_>, plan: Plan<'a>, watch: Watch<'_>) -> Result<Self> {
        let named = plan.named()?;
        let prepared = prepare(table, &plan, watch)?;
        // A merge may make a user-defined symbol, once.
        let taken = plan.barred().iter().chain(&prepared.names).cloned().collect();
        let mut alphabet = prepared.names;
        alphabet.retain(|name| !named.contains(name.as_str()));
        plan.check_size(alphabet.len())?;
        let mut tick = || tell(watch, Stage::Pairing, 0, 0);
        let engine = Engine::new(plan.engine(), prepared.segments, prepared.symbols, taken, &mut tick)?;
        Ok(Self { plan, engine, named, alphabet, learned: Vec::new(), steps: Vec::new() })
    }

    fn size(&self) -> usize {
        self.named.len() + self.alphabet.len() + self.learned.len()
    }

    /// How many entries there are in the end, if a stop rule says so; else 0.
    fn goal(&self) -> usize {
        let before = self.named.len() + self.alphabet.len();
        let merges = self.plan.max_merges.map_or(usize::MAX, |most| most.saturating_add(before));
        match self.plan.vocab_size.min(merges) {
            usize::MAX => 0,
            goal => goal,
        }
    }

    /// Merges until a stop rule holds, or `pays` says that the best merge does not.
    pub(crate) fn merge_on(&mut self, watch: Watch<'_>, pays: &dyn Fn(&Engine, &Best) -> bool) -> Result<()> {
        while !self.is_complete() {
            let (size, goal) = (self.size(), self.goal());
            let mut tick = || tell(watch, Stage::Merging, size, goal);
            tick()?;
            let Some(best) = self.engine.best(&mut tick)? else {
                break;
            };
            if !pays(&self.engine, &best) {
                break;
            }
            let (left, right) = self.engine.sides(best.pair);
            let score = self.plan.score.float(&best.counts);
            let token = self.engine.merge(best.pair, &mut tick)?;
            if !self.named.contains(self.engine.symbols().name(token)) {
                self.learned.push(token);
            }
            self.steps.push(Step { left, right, token, score, counts: best.counts, ties: best.ties });
        }
        Ok(())
    }

    /// Whether a stop rule holds that does not ask for the best pair.
    fn is_complete(&mut self) -> bool {
        let frequency = self.plan.stop_at_pair_frequency;
        self.size() >= self.plan.vocab_size
            || self.plan.max_merges.is_some_and(|most| self.steps.len() >= most)
            || frequency.is_some_and(|least| self.engine.most_frequent() <= least)
    }

    /// The id of the first learned entry.
    pub(crate) fn first_learned(&self) -> usize {
        let later = if self.plan.special_tokens_first { 0 } else { self.plan.special_tokens.len() };
        self.named.len() - later + self.alphabet.len()
    }

    /// The entries as they stand, in the order of their ids.
    pub(crate) fn entries(&self) -> Vec<String> {
        let specials = self.plan.special_tokens.iter().cloned();
        let learned = self.learned.iter().map(|&id| self.engine.symbols().name(id).to_owned());
        let symbols = self.plan.user_defined_symbols.iter().cloned();
        let rest = symbols.chain(self.alphabet.iter().cloned()).chain(learned);
        if self.plan.special_tokens_first { specials.chain(rest).collect() } else { rest.chain(specials).collect() }
    }

    /// How often an entry stands in the words as they are merged by now.
    pub(crate) fn occurrences(&self, entry: &str) -> u64 {
        let symbols = self.engine.symbols();
        symbols.find(entry).map_or(0, |id| symbols.count(id))
    }

    /// All merges ever made, with names.
    pub(crate) fn history(&self) -> Vec<Merge> {
        let name = |id| self.engine.symbols().name(id).to_owned();
        let merge = |step: &Step| Merge {
            left: name(step.left),
            right: name(step.right),
            token: name(step.token),
            score: step.score,
            pair_count: step.counts.pair,
            left_count: step.counts.left,
            right_count: step.counts.right,
            ties: step.ties,
        };
        self.steps.iter().map(merge).collect()
    }
}
