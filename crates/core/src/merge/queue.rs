//! Finds the best pair without looking at all of them, and without approximation.
//!
//! A pair is *cold* or *hot*. Of a cold pair only an upper bound is known: its score with the
//! counts of its symbols lowered to their floors, an eighth below what they were when the floor
//! was set. A hot pair's score is known exactly, and the pair lies in a group with all hot pairs
//! of the same score. One heap holds the bounds of cold pairs and of groups.
//!
//! *Selection* takes from the heap whatever could beat or equal the best exact score so far, even
//! if the float of that score is too high by its error: a cold pair becomes hot, a group is
//! evaluated. What remains lies strictly below the best, so the result is exact, and so is the
//! number of ties. Several groups may have the best score; all their pairs compete under the tie rule.
//!
//! *Upkeep* is what makes the bounds hold. When a pair's count changes, or that of a symbol of a
//! hot pair, the pair is *touched*: it turns cold, with a new bound. When a symbol falls below its
//! floor, the floor is lowered and all its pairs are touched. A cold pair whose bound only sinks
//! keeps its old key, which is found out where it comes to the top. The total only falls, and no
//! score rises with that.

use std::cmp::Ordering;

use hashbrown::HashSet;

use super::groups::{Groups, Table, Ties};
use super::heap::{Entry, Heap};
use super::pairs::{COLD, Pairs};
use super::score::{Counts, Score, Value};
use super::symbols::Symbols;
use super::{Hash, Tick};
use crate::error::Result;

/// The pair to merge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Best {
    /// Its number.
    pub(crate) pair: u32,
    /// Its counts.
    pub(crate) counts: Counts,
    /// How many candidates have exactly this score.
    pub(crate) ties: u64,
}

/// The bit that tells a group from a pair, where an entry of the heap names either.
const GROUP: u32 = 1 << 31;

/// What the queue knows of a symbol.
struct Watched {
    floor: u64,
    /// All pairs of the symbol, and others that took the place of dead ones.
    pairs: Vec<u32>,
    /// The hot ones among them, and others that were.
    hot: Vec<u32>,
}

/// The candidates, by what they could be worth.
pub(crate) struct Queue {
    score: &'static dyn Score,
    heap: Heap,
    groups: Groups,
    symbols: Vec<Watched>,
    touched: Vec<u32>,
    taken: HashSet<String, Hash>,
    max_length: u32,
}

impl Queue {
    /// An empty queue. No candidate is longer than `max_length` or written like one of `taken`.
    pub(crate) fn new(score: &'static dyn Score, ties: Ties, max_length: u32, taken: Vec<String>) -> Self {
        Self {
            score,
            heap: Heap::new(),
            groups: Groups::new(ties),
            symbols: Vec::new(),
            touched: Vec::new(),
            taken: taken.into_iter().collect(),
            max_length,
        }
    }

    /// Bars all pairs whose merge would be written so, among them hot ones.
    pub(crate) fn bar(&mut self, name: String, symbols: &Symbols, pairs: &mut Pairs) {
        for (left, right) in symbols.splits(&name) {
            if let Some(id) = pairs.find(left, right) {
                self.touch(id, pairs);
            }
        }
        self.taken.insert(name);
    }

    /// Learns of a new symbol, whose count is known.
    pub(crate) fn add_symbol(&mut self, count: u64) {
        self.symbols.push(Watched { floor: floor(count), pairs: Vec::new(), hot: Vec::new() });
    }

    /// Learns of a new pair.
    pub(crate) fn add(&mut self, id: u32, symbols: &Symbols, pairs: &mut Pairs) {
        let (left, right) = (pairs.get(id).left, pairs.get(id).right);
        if symbols.length_joined(left, right) > self.max_length {
            pairs.get_mut(id).open = false;
            return;
        }
        if self.score.needs_symbols() {
            self.symbols[left as usize].pairs.push(id);
            self.symbols[right as usize].pairs.push(id);
        }
        let bound = self.bound(id, symbols, pairs);
        self.push_cold(id, bound, pairs);
    }

    /// Forgets a pair that is about to be removed.
    pub(crate) fn remove(&mut self, id: u32, pairs: &mut Pairs) {
        if pairs.get(id).group != COLD {
            self.groups.leave(id, pairs);
        }
    }

    /// Notes that a pair's score changed.
    pub(crate) fn touch(&mut self, id: u32, pairs: &mut Pairs) {
        let pair = pairs.get_mut(id);
        if pair.open && !pair.touched {
            pair.touched = true;
            self.touched.push(id);
        }
    }

    /// Notes that a symbol's count fell to `count`.
    pub(crate) fn symbol_fell(&mut self, symbol: u32, count: u64, pairs: &mut Pairs) {
        if !self.score.needs_symbols() {
            return;
        }
        let of = |id: u32, pairs: &Pairs| {
            let pair = pairs.get(id);
            pair.count > 0 && (pair.left == symbol || pair.right == symbol)
        };
        for id in std::mem::take(&mut self.symbols[symbol as usize].hot) {
            if of(id, pairs) && pairs.get(id).group != COLD {
                self.touch(id, pairs);
            }
        }
        if count < self.symbols[symbol as usize].floor {
            let mut all = std::mem::take(&mut self.symbols[symbol as usize].pairs);
            all.retain(|&id| of(id, pairs));
            for &id in &all {
                self.touch(id, pairs);
            }
            self.symbols[symbol as usize].pairs = all;
            self.symbols[symbol as usize].floor = floor(count);
        }
    }

    /// Gives every touched pair a bound that holds.
    pub(crate) fn refresh(&mut self, symbols: &Symbols, pairs: &mut Pairs) {
        for id in std::mem::take(&mut self.touched) {
            let pair = pairs.get_mut(id);
            pair.touched = false;
            if pair.count == 0 {
                continue;
            }
            let (hot, key) = (pair.group != COLD, pair.key);
            let bound = self.bound(id, symbols, pairs);
            if hot {
                self.groups.leave(id, pairs);
            }
            if hot || bound > key {
                self.push_cold(id, bound, pairs);
            }
        }
        self.tidy(pairs);
    }

    fn push_cold(&mut self, id: u32, key: f64, pairs: &mut Pairs) {
        let pair = pairs.get_mut(id);
        pair.version += 1;
        pair.key = key;
        self.heap.push(Entry { key, id, version: pair.version });
    }

    /// Drops dead entries and empty groups, once they are the most.
    fn tidy(&mut self, pairs: &Pairs) {
        const SMALL: usize = if cfg!(debug_assertions) { 1 << 3 } else { 1 << 16 };
        if self.heap.len() < SMALL + 3 * pairs.len() {
            return;
        }
        let groups = &mut self.groups;
        self.heap.retain(|entry| {
            if entry.id & GROUP == 0 {
                return pairs.get(entry.id).version == entry.version;
            }
            let live = groups.get(entry.id & !GROUP).live > 0;
            if !live {
                groups.close(entry.id & !GROUP);
            }
            live
        });
    }

    /// The best candidate, if there is one.
    pub(crate) fn select(&mut self, table: &mut Table<'_>, tick: Tick<'_>) -> Result<Option<Best>> {
        let mut best: Option<Value> = None;
        let (mut tied, mut seen) = (Vec::new(), Vec::new());
        let mut steps = 0_u32;
        while let Some(top) = self.heap.pop(best.map_or(f64::NEG_INFINITY, |best| best.lower_bound())) {
            steps += 1;
            if steps.is_multiple_of(1 << 12) {
                tick()?;
            }
            if top.id & GROUP == 0 {
                if table.pairs.get(top.id).version == top.version {
                    self.warm(top, table);
                }
                continue;
            }
            let at = top.id & !GROUP;
            let group = self.groups.get(at);
            if group.live == 0 {
                self.groups.close(at);
                continue;
            }
            let counts = Counts { total: table.symbols.total(), ..group.counts };
            seen.push((at, counts));
            let value = self.score.value(&counts);
            match best.map(|best| value.partial_cmp(&best)) {
                None | Some(Some(Ordering::Greater)) => {
                    best = Some(value);
                    tied.clear();
                    tied.push(at);
                }
                Some(Some(Ordering::Equal)) => tied.push(at),
                Some(_) => {}
            }
        }
        for (at, counts) in seen {
            self.push_group(at, &counts);
        }
        let ties = tied.iter().map(|&at| self.groups.get(at).live).sum();
        let pair = self.groups.first_of(&tied, table);
        Ok(pair.map(|pair| Best { pair, counts: counts(pair, table.symbols, table.pairs), ties }))
    }

    fn push_group(&mut self, at: u32, counts: &Counts) {
        self.heap.push(Entry { key: self.score.bound(counts), id: at | GROUP, version: 0 });
    }

    /// Evaluates a cold pair that came to the top, unless its bound is lower by now.
    fn warm(&mut self, top: Entry, table: &mut Table<'_>) {
        let bound = self.bound(top.id, table.symbols, table.pairs);
        if bound < top.key {
            table.pairs.get_mut(top.id).key = bound;
            self.heap.push(Entry { key: bound, ..top });
            return;
        }
        let pair = table.pairs.get_mut(top.id);
        let (left, right) = (pair.left, pair.right);
        if self.taken.contains(&table.symbols.joined(left, right)) {
            pair.open = false;
            pair.version += 1;
            return;
        }
        let exact = counts(top.id, table.symbols, table.pairs);
        let signature = self.score.signature(&exact);
        let (group, new) = self.groups.insert(top.id, exact, signature, table);
        if new {
            self.push_group(group, &exact);
        }
        if self.score.needs_symbols() {
            self.symbols[left as usize].hot.push(top.id);
            self.symbols[right as usize].hot.push(top.id);
        }
    }

    /// What the pair's score cannot exceed until it is touched.
    fn bound(&self, id: u32, symbols: &Symbols, pairs: &Pairs) -> f64 {
        let mut counts = counts(id, symbols, pairs);
        if self.score.needs_symbols() {
            let pair = pairs.get(id);
            let least = if counts.same && self.score.counts_merges() { 2 * pair.count } else { pair.count };
            counts.left = self.symbols[pair.left as usize].floor.max(least);
            counts.right = self.symbols[pair.right as usize].floor.max(least);
        }
        self.score.bound(&counts)
    }
}

/// The counts around a pair.
fn counts(id: u32, symbols: &Symbols, pairs: &Pairs) -> Counts {
    let pair = pairs.get(id);
    Counts {
        pair: pair.count,
        left: symbols.count(pair.left),
        right: symbols.count(pair.right),
        total: symbols.total(),
        same: pair.left == pair.right,
    }
}

fn floor(count: u64) -> u64 {
    count - count / 8
}
