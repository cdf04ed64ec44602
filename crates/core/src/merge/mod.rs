//! Learning by merging, whatever the model: words as symbols, of which the best adjacent pair
//! becomes a new symbol, again and again.
//!
//! * [`segments`]: the words, one flat array.
//! * [`symbols`]: names, widths, lengths and counts of symbols.
//! * [`pairs`]: counts and positions of pairs.
//! * [`walk`] and [`neighbours`]: one merge, and what it changes.
//! * [`score`]: what a criterion is.
//! * [`groups`]: equal scores and the tie rules.
//! * [`queue`]: the best pair, and [`heap`], what it waits in.
//!
//! Exact: [`Engine::best`] gives what a recount of everything would give. The cost of a merge is
//! that of its occurrences and of the pairs it touches, not that of the table.

mod build;
mod groups;
mod heap;
mod neighbours;
mod pairs;
mod queue;
pub(crate) mod score;
pub(crate) mod segments;
pub(crate) mod symbols;
mod walk;

use std::collections::BinaryHeap;

pub use groups::Ties;
pub(crate) use queue::Best;

use crate::error::Result;
use groups::Table;
use pairs::Pairs;
use queue::Queue;
use score::Score;
use segments::Segments;
use symbols::Symbols;
use walk::{Job, Walk};

/// Fixed, so that runs are alike; no result depends on it.
pub(crate) type Hash = foldhash::fast::FixedState;

/// Called every few thousand steps; an error ends the work.
pub(crate) type Tick<'a> = &'a mut dyn FnMut() -> Result<()>;

/// What the engine is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    /// What makes a pair good.
    pub(crate) score: &'static dyn Score,
    /// Which of equals is taken.
    pub(crate) ties: Ties,
    /// Pairs that occur less often are no candidates; at least 1.
    pub(crate) min_frequency: u64,
    /// Nothing of more characters is made.
    pub(crate) max_length: u32,
    /// Whether [`Engine::most_frequent`] will be asked for.
    pub(crate) track_frequency: bool,
}

/// The words and their pairs, between two merges.
pub(crate) struct Engine {
    settings: Settings,
    segments: Segments,
    symbols: Symbols,
    pairs: Pairs,
    queue: Queue,
    frequencies: Option<BinaryHeap<(u64, u32)>>,
    walk: Walk,
}

impl Engine {
    /// Finds all pairs. The symbols' counts are those of the segments; no name in `taken` is made.
    pub(crate) fn new(
        settings: Settings,
        segments: Segments,
        symbols: Symbols,
        taken: Vec<String>,
        tick: Tick<'_>,
    ) -> Result<Self> {
        let pairs = build::pairs(&segments, &symbols, settings.score.counts_merges(), settings.min_frequency, tick)?;
        let mut engine = Self {
            settings,
            segments,
            symbols,
            pairs,
            queue: Queue::new(settings.score, settings.ties, settings.max_length, taken),
            frequencies: settings.track_frequency.then(BinaryHeap::new),
            walk: Walk::default(),
        };
        for id in 0..engine.symbols.len() {
            engine.queue.add_symbol(engine.symbols.count(segments::number(id)));
        }
        for id in engine.pairs.ids() {
            engine.enter(id);
        }
        Ok(engine)
    }

    /// The symbols so far.
    pub(crate) fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The left and the right symbol of a pair.
    pub(crate) fn sides(&self, pair: u32) -> (u32, u32) {
        let pair = self.pairs.get(pair);
        (pair.left, pair.right)
    }

    /// The best candidate by score and tie rule.
    pub(crate) fn best(&mut self, tick: Tick<'_>) -> Result<Option<Best>> {
        let mut table = Table { pairs: &mut self.pairs, symbols: &self.symbols, segments: &self.segments };
        self.queue.select(&mut table, tick)
    }

    /// How many merges a pass would make of a pair.
    pub(crate) fn merges(&self, pair: u32) -> u64 {
        let found = self.pairs.get(pair);
        if found.left != found.right || self.settings.score.counts_merges() {
            return found.count;
        }
        let width = self.symbols.width(found.left);
        let (mut free, mut sum) = (0, 0);
        for &at in self.pairs.positions(pair) {
            if at >= free && self.segments.holds(at, found.left, width, found.right) {
                sum += self.segments.weight(at);
                free = at + 2 * width;
            }
        }
        sum
    }

    /// The count of the most frequent pair, candidate or not, as far as it is at least `min_frequency`.
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

    /// Merges a pair wherever it occurs; gives the new symbol.
    pub(crate) fn merge(&mut self, pair: u32, tick: Tick<'_>) -> Result<u32> {
        let (left, right) = self.sides(pair);
        let known = self.symbols.len();
        let new = self.symbols.add_merged(left, right);
        let job = Job { left, right, new, runs: self.settings.score.counts_merges() };
        self.walk.run(job, self.pairs.positions(pair), &self.symbols, &mut self.segments, tick)?;
        self.symbols.note_merge(left, right, new, self.walk.merged);
        self.drop_pair(pair);
        self.lower_counts(job);
        for symbol in [left, right] {
            self.queue.symbol_fell(symbol, self.symbols.count(symbol), &mut self.pairs);
        }
        if self.symbols.len() > known {
            self.queue.add_symbol(self.symbols.count(new));
        }
        let name = self.symbols.name(new).to_owned();
        self.queue.bar(name, &self.symbols, &mut self.pairs);
        self.queue.refresh(&self.symbols, &mut self.pairs);
        self.add_pairs(job, tick)?;
        self.pairs.tidy(tick)?;
        Ok(new)
    }

    /// Takes from the pairs around the merged one what the merge took from them.
    fn lower_counts(&mut self, job: Job) {
        let walk = std::mem::take(&mut self.walk);
        for found in walk.before.found() {
            let run = job.runs && found.symbol == job.left;
            let lost = if run { walk.lost_left } else { found.weight };
            self.lower(found.symbol, job.left, lost);
        }
        for found in walk.after.found() {
            let run = job.runs && found.symbol == job.right;
            let lost = if run { walk.lost_right } else { found.weight };
            self.lower(job.right, found.symbol, lost);
        }
        self.lower(job.right, job.left, walk.touching);
        self.walk = walk;
    }

    /// Lowers the count of a pair, if it is one that is kept.
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
            self.drop_pair(id);
        } else {
            self.queue.touch(id, &mut self.pairs);
        }
    }

    /// A pair's count only falls, so one that is too rare never comes back.
    fn drop_pair(&mut self, id: u32) {
        self.queue.remove(id, &mut self.pairs);
        self.pairs.remove(id);
    }

    /// Adds the pairs that the new symbol makes with its neighbours.
    fn add_pairs(&mut self, job: Job, tick: Tick<'_>) -> Result<()> {
        let (least, new) = (self.settings.min_frequency, job.new);
        let mut made = Vec::new();
        let Walk { before, after, .. } = &mut self.walk;
        before.make_pairs(least, |symbol| (symbol, new), &mut self.pairs, &mut made, tick)?;
        after.make_pairs(least, |symbol| (new, symbol), &mut self.pairs, &mut made, tick)?;
        let twice = if job.runs { self.walk.chain_merges } else { self.walk.touching };
        if twice >= least {
            let id = self.pairs.add(new, new, twice, segments::number(self.walk.chain.len()));
            for (nth, &at) in self.walk.chain.iter().enumerate() {
                self.pairs.place(id, segments::number(nth), at);
            }
            made.push(id);
        }
        for id in made {
            self.enter(id);
        }
        Ok(())
    }

    fn enter(&mut self, id: u32) {
        self.queue.add(id, &self.symbols, &mut self.pairs);
        if let Some(heap) = &mut self.frequencies {
            heap.push((self.pairs.get(id).count, id));
        }
    }
}
