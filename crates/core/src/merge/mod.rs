//! Merge learning for any model: words are sequences of symbols, and the best adjacent pair repeatedly becomes a new
//! symbol.
//!
//! * [`segments`]: the words, one flat array.
//! * [`symbols`]: names, widths, lengths and counts of symbols.
//! * [`pairs`]: counts of pairs, and the blocks where they occur.
//! * [`pass`] and [`neighbours`]: one merge, and the changes it causes.
//! * [`score`]: the trait of criteria.
//! * [`groups`]: equal scores and the tie rules.
//! * [`queue`]: candidates by the bounds of their scores; [`heap`]: its priority queue; [`select`]: the best candidates.
//!
//! The engine is exact: [`MergeEngine::best`] returns the pair that a full recount would give. A merge costs time linear in
//! its occurrences and in the pairs next to them, not in the size of the table.

mod build;
mod groups;
mod heap;
mod neighbours;
mod pairs;
mod pass;
mod queue;
pub(crate) mod score;
pub(crate) mod segments;
mod select;
pub(crate) mod symbols;

use std::collections::BinaryHeap;

pub use groups::Ties;
pub(crate) use select::BestPair;

use crate::error::Result;
use groups::TieContext;
use pairs::Pairs;
use pass::MergePass;
use queue::Queue;
use score::PairScore;
use segments::Segments;
use symbols::Symbols;

/// A callback called every few thousand steps; an error ends the work.
pub(crate) type Tick<'a> = &'a mut dyn FnMut() -> Result<()>;

/// The settings of the engine.
#[derive(Clone, Copy)]
pub(crate) struct EngineSettings {
    /// The criterion that scores pairs.
    pub(crate) score: &'static dyn PairScore,
    /// The rule that chooses among pairs of equal score.
    pub(crate) ties: Ties,
    /// The count below which a pair is no candidate; at least 1.
    pub(crate) min_frequency: u64,
    /// The maximum length of a merged symbol, in characters.
    pub(crate) max_length: u32,
    /// Whether [`MergeEngine::most_frequent`] will be called.
    pub(crate) track_frequency: bool,
}

/// The words and their pairs, between two merges.
pub(crate) struct MergeEngine {
    settings: EngineSettings,
    segments: Segments,
    symbols: Symbols,
    pairs: Pairs,
    queue: Queue,
    frequencies: Option<BinaryHeap<(u64, u32)>>,
    pass: MergePass,
}

impl MergeEngine {
    /// Collects all pairs. The symbols' counts must match the segments; no merge makes a name in `excluded_names`.
    pub(crate) fn new(
        settings: EngineSettings,
        mut segments: Segments,
        symbols: Symbols,
        excluded_names: Vec<String>,
        tick: Tick<'_>,
    ) -> Result<Self> {
        segments.fill_block();
        let pairs = build::pairs(&segments, &symbols, settings.score.counts_merges(), settings.min_frequency, tick)?;
        let mut engine = Self {
            settings,
            segments,
            symbols,
            pairs,
            queue: Queue::new(settings.score, settings.ties, settings.max_length, excluded_names),
            frequencies: settings.track_frequency.then(BinaryHeap::new),
            pass: MergePass { runs: settings.score.counts_merges(), ..MergePass::default() },
        };
        for id in 0..engine.symbols.len() {
            engine.queue.add_symbol(engine.symbols.count(segments::to_u32(id)));
        }
        for id in engine.pairs.ids() {
            engine.enqueue(id);
        }
        Ok(engine)
    }

    /// Returns the symbols so far.
    pub(crate) fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// Returns the left and the right symbol of a pair.
    pub(crate) fn symbols_of(&self, pair: u32) -> (u32, u32) {
        let pair = self.pairs.get(pair);
        (pair.left, pair.right)
    }

    /// Returns the best candidate by score and tie rule.
    pub(crate) fn best(&mut self, tick: Tick<'_>) -> Result<Option<BestPair>> {
        Ok(self.top(1, tick)?.pop())
    }

    /// Returns the best candidates, at most `limit`, by score and tie rule.
    pub(crate) fn top(&mut self, limit: usize, tick: Tick<'_>) -> Result<Vec<BestPair>> {
        let mut context = TieContext { pairs: &mut self.pairs, symbols: &self.symbols, segments: &self.segments };
        self.queue.select(limit, &mut context, tick)
    }

    /// Returns the score of a pair with these counts, as the history records it.
    pub(crate) fn score(&self, counts: &score::PairCounts) -> f64 {
        self.settings.score.float(counts)
    }

    /// Returns the number of pairs that are frequent enough, candidates or not.
    pub(crate) fn pairs(&self) -> usize {
        self.pairs.len()
    }

    /// Returns the number of adjacent occurrences of a pair, also where the criterion counts merges.
    pub(crate) fn occurrences(&self, pair: u32) -> u64 {
        let found = self.pairs.get(pair);
        if found.left != found.right || !self.settings.score.counts_merges() {
            return found.count;
        }
        self.pairs.occurrences(pair, self.symbols.width(found.left), &self.segments).map(|(_, weight)| weight).sum()
    }

    /// Returns the number of merges that a pass would make of a pair.
    pub(crate) fn merge_count(&self, pair: u32) -> u64 {
        let found = self.pairs.get(pair);
        if found.left != found.right || self.settings.score.counts_merges() {
            return found.count;
        }
        let width = self.symbols.width(found.left);
        let (mut free, mut sum) = (0, 0);
        for (at, weight) in self.pairs.occurrences(pair, width, &self.segments) {
            if at >= free {
                sum += weight;
                free = at + 2 * width;
            }
        }
        sum
    }

    /// Returns the count of the most frequent pair, candidate or not, or 0 below `min_frequency`.
    pub(crate) fn most_frequent(&mut self) -> u64 {
        let Some(heap) = &mut self.frequencies else {
            return 0;
        };
        while let Some(mut top) = heap.peek_mut() {
            let count = self.pairs.get(top.1).count;
            if count == top.0 {
                return count;
            }
            if count == 0 {
                std::collections::binary_heap::PeekMut::pop(top);
            } else {
                top.0 = count;
            }
        }
        0
    }

    /// Merges all occurrences of a pair; returns the new symbol.
    pub(crate) fn merge(&mut self, pair: u32, tick: Tick<'_>) -> Result<u32> {
        let (left, right) = self.symbols_of(pair);
        let known = self.symbols.len();
        let new = self.symbols.add_merged(left, right);
        self.pass.start((left, right), new, self.symbols.len());
        self.pass.run(self.pairs.blocks(pair), &self.symbols, &mut self.segments, tick)?;
        self.symbols.apply_merge(left, right, new, self.pass.merged);
        self.remove_pair(pair);
        self.lower_counts();
        for symbol in [left, right] {
            self.queue.lower_symbol_count(symbol, self.symbols.count(symbol), &mut self.pairs);
        }
        if self.symbols.len() > known {
            self.queue.add_symbol(self.symbols.count(new));
        }
        let name = self.symbols.name(new).to_owned();
        self.queue.exclude_name(name, &self.symbols, &mut self.pairs);
        self.queue.refresh(&self.symbols, &mut self.pairs);
        self.add_pairs(tick)?;
        self.pairs.compact(tick)?;
        Ok(new)
    }

    /// Lowers the counts of the pairs next to the merged one.
    fn lower_counts(&mut self) {
        let pass = std::mem::take(&mut self.pass);
        for (symbol, weight) in pass.before.found() {
            let run = pass.runs && symbol == pass.left;
            self.lower(symbol, pass.left, if run { pass.lost_left } else { weight });
        }
        for (symbol, weight) in pass.after.found() {
            let run = pass.runs && symbol == pass.right;
            self.lower(pass.right, symbol, if run { pass.lost_right } else { weight });
        }
        self.lower(pass.right, pass.left, pass.touching);
        self.pass = pass;
    }

    /// Lowers the count of a pair, if the pair is kept.
    fn lower(&mut self, left: u32, right: u32, by: u64) {
        if by == 0 {
            return;
        }
        let Some(id) = self.pairs.find(left, right) else {
            return;
        };
        let pair = self.pairs.get_mut(id);
        pair.count -= by;
        if pair.count < self.settings.min_frequency {
            self.remove_pair(id);
        } else {
            self.queue.touch(id, &mut self.pairs);
        }
    }

    /// Removes a pair. Counts only fall, so a pair that is too rare never becomes a candidate again.
    fn remove_pair(&mut self, id: u32) {
        self.queue.remove(id, &mut self.pairs);
        self.pairs.remove(id);
    }

    /// Adds the pairs of the new symbol with its neighbours.
    fn add_pairs(&mut self, tick: Tick<'_>) -> Result<()> {
        let least = self.settings.min_frequency;
        let mut new_pairs = Vec::new();
        self.pass.before.add_pairs(least, &mut self.pairs, &mut new_pairs, tick)?;
        self.pass.after.add_pairs(least, &mut self.pairs, &mut new_pairs, tick)?;
        for id in new_pairs {
            self.enqueue(id);
        }
        Ok(())
    }

    /// Adds a pair to the queue, and to the frequencies if they are tracked.
    fn enqueue(&mut self, id: u32) {
        self.queue.add(id, &self.symbols, &mut self.pairs);
        if let Some(heap) = &mut self.frequencies {
            heap.push((self.pairs.get(id).count, id));
        }
    }
}
