//! Finds the best pair exactly without evaluating all pairs.
//!
//! A pair is *cold* or *hot*. For a cold pair only an upper bound is known: its score with the counts of its symbols
//! lowered to their floors, 7/8 of their counts when the floor was set. A hot pair's score is known exactly, and the
//! pair is in a group with all hot pairs of the same score. One heap holds the bounds of cold pairs and of groups.
//!
//! *Selection* pops every entry that could exceed or equal the best exact score so far, allowing for the rounding error
//! of that score's float: a cold pair becomes hot, a group is evaluated. All remaining entries are strictly below the
//! best, so the result is exact, and so is the number of ties. Several groups may have the best score; all their pairs
//! compete under the tie rule.
//!
//! *Maintenance* keeps the bounds valid. When the count of a pair changes, or that of a symbol of a hot pair, the pair
//! is *touched*: it becomes cold, with a new bound. When a symbol falls below its floor, the floor is lowered and all
//! its pairs are touched. A cold pair whose bound only falls keeps its old key, which is corrected when it is popped.
//! The total only falls, and no score rises with that.
//!
//! All criteria use this queue. `frequency` needs no counts of symbols: its bound is its score, padded for rounding.

use hashbrown::HashSet;

use super::Tick;
use super::groups::{Groups, TieContext, Ties};
use super::heap::{Heap, HeapEntry};
use super::pairs::{NO_GROUP, Pairs};
use super::score::{PairCounts, PairScore};
use super::symbols::Symbols;
use crate::error::Result;
use crate::hash::FixedHasher;
use crate::memory::Growable;

/// The bit that distinguishes the id of a group from that of a pair in the heap.
const GROUP_BIT: u32 = 1 << 31;

/// The floor and the pairs of a symbol.
struct SymbolState {
    floor: u64,
    /// All pairs of the symbol, and others that reuse the ids of removed ones.
    pairs: Vec<u32>,
    /// The hot pairs among them, and others that were hot.
    hot: Vec<u32>,
}

/// The candidates, in the order of their bounds.
pub(crate) struct Queue {
    pub(super) score: &'static dyn PairScore,
    heap: Heap,
    pub(super) groups: Groups,
    symbols: Vec<SymbolState>,
    touched: Vec<u32>,
    /// The number of entries popped so far, which decides when to tick.
    pops: u32,
    excluded_names: HashSet<String, FixedHasher>,
    /// The name of the pair that is evaluated.
    name: String,
    max_length: u32,
}

impl Queue {
    /// Returns an empty queue. No candidate is longer than `max_length` or has a name in `excluded_names`.
    pub(crate) fn new(score: &'static dyn PairScore, ties: Ties, max_length: u32, excluded_names: Vec<String>) -> Self {
        Self {
            score,
            heap: Heap::new(),
            groups: Groups::new(ties),
            symbols: Vec::new(),
            touched: Vec::new(),
            pops: 0,
            excluded_names: excluded_names.into_iter().collect(),
            name: String::new(),
            max_length,
        }
    }

    /// Excludes all pairs whose merge has this name, including hot ones.
    pub(crate) fn exclude_name(&mut self, name: String, symbols: &Symbols, pairs: &mut Pairs) {
        for (left, right) in symbols.splits(&name) {
            if let Some(id) = pairs.find(left, right) {
                self.touch(id, pairs);
            }
        }
        self.excluded_names.insert(name);
    }

    /// Adds a symbol with its count.
    pub(crate) fn add_symbol(&mut self, count: u64) {
        self.symbols.push(SymbolState { floor: floor(count), pairs: Vec::new(), hot: Vec::new() });
    }

    /// Adds a pair.
    pub(crate) fn add(&mut self, id: u32, symbols: &Symbols, pairs: &mut Pairs) {
        let (left, right) = (pairs.get(id).left, pairs.get(id).right);
        if symbols.merged_length(left, right) > self.max_length {
            pairs.get_mut(id).is_candidate = false;
            return;
        }
        if self.score.needs_symbols() {
            for symbol in [left, right] {
                let pairs = &mut self.symbols[symbol as usize].pairs;
                pairs.make_room(1);
                pairs.push(id);
            }
        }
        let bound = self.bound(id, symbols, pairs);
        self.push_cold(id, bound, pairs);
    }

    /// Removes a pair from its group before the pair itself is removed.
    pub(crate) fn remove(&mut self, id: u32, pairs: &mut Pairs) {
        if pairs.get(id).group != NO_GROUP {
            self.groups.remove(id, pairs);
        }
    }

    /// Marks a pair whose score changed.
    pub(crate) fn touch(&mut self, id: u32, pairs: &mut Pairs) {
        let pair = pairs.get_mut(id);
        if pair.is_candidate && !pair.touched {
            pair.touched = true;
            self.touched.push(id);
        }
    }

    /// Updates a symbol's count to the lower `count`.
    pub(crate) fn lower_symbol_count(&mut self, symbol: u32, count: u64, pairs: &mut Pairs) {
        if !self.score.needs_symbols() {
            return;
        }
        let of = |id: u32, pairs: &Pairs| {
            let pair = pairs.get(id);
            pair.count > 0 && (pair.left == symbol || pair.right == symbol)
        };
        let mut hot = std::mem::take(&mut self.symbols[symbol as usize].hot);
        for id in hot.drain(..) {
            if of(id, pairs) && pairs.get(id).group != NO_GROUP {
                self.touch(id, pairs);
            }
        }
        self.symbols[symbol as usize].hot = hot;
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

    /// Gives every touched pair a valid bound.
    pub(crate) fn refresh(&mut self, symbols: &Symbols, pairs: &mut Pairs) {
        let mut touched = std::mem::take(&mut self.touched);
        for id in touched.drain(..) {
            let pair = pairs.get_mut(id);
            pair.touched = false;
            if pair.count == 0 {
                continue;
            }
            let (hot, key) = (pair.group != NO_GROUP, pair.key);
            let bound = self.bound(id, symbols, pairs);
            if hot {
                self.groups.remove(id, pairs);
            }
            if hot || bound > key {
                self.push_cold(id, bound, pairs);
            }
        }
        self.touched = touched;
        self.compact(pairs);
    }

    /// Adds a cold pair with a bound.
    fn push_cold(&mut self, id: u32, key: f64, pairs: &mut Pairs) {
        let pair = pairs.get_mut(id);
        pair.version += 1;
        pair.key = key;
        self.heap.push(HeapEntry { key, id, version: pair.version });
    }

    /// Removes stale entries and empty groups when they are the majority.
    fn compact(&mut self, pairs: &Pairs) {
        const SMALL: usize = if cfg!(debug_assertions) { 1 << 3 } else { 1 << 16 };
        if self.heap.len() < SMALL + 3 * pairs.len() {
            return;
        }
        let groups = &mut self.groups;
        self.heap.retain(|entry| {
            if entry.id & GROUP_BIT == 0 {
                return pairs.get(entry.id).version == entry.version;
            }
            let live = groups.get(entry.id & !GROUP_BIT).live > 0;
            if !live {
                groups.remove_group(entry.id & !GROUP_BIT);
            }
            live
        });
    }

    /// Pops the next live group with a bound of at least `least`; cold pairs above it become hot.
    pub(super) fn next_group(
        &mut self,
        least: f64,
        context: &mut TieContext<'_>,
        tick: Tick<'_>,
    ) -> Result<Option<(u32, PairCounts)>> {
        while let Some(top) = self.heap.pop(least) {
            self.pops = self.pops.wrapping_add(1);
            if self.pops.is_multiple_of(1 << 12) {
                tick()?;
            }
            if top.id & GROUP_BIT == 0 {
                if context.pairs.get(top.id).version == top.version {
                    self.evaluate(top, context);
                }
                continue;
            }
            let at = top.id & !GROUP_BIT;
            let group = self.groups.get(at);
            if group.live > 0 {
                return Ok(Some((at, PairCounts { total: context.symbols.total(), ..group.counts })));
            }
            self.groups.remove_group(at);
        }
        Ok(None)
    }

    /// Adds a group with the bound of its score.
    pub(super) fn push_group(&mut self, at: u32, counts: &PairCounts) {
        self.heap.push(HeapEntry { key: self.score.bound(counts), id: at | GROUP_BIT, version: 0 });
    }

    /// Evaluates a popped cold pair, unless its bound is lower by now.
    fn evaluate(&mut self, top: HeapEntry, context: &mut TieContext<'_>) {
        let bound = self.bound(top.id, context.symbols, context.pairs);
        if bound < top.key {
            context.pairs.get_mut(top.id).key = bound;
            self.heap.push(HeapEntry { key: bound, ..top });
            return;
        }
        let pair = context.pairs.get_mut(top.id);
        let (left, right) = (pair.left, pair.right);
        context.symbols.write_merged_name(left, right, &mut self.name);
        if self.excluded_names.contains(&self.name) {
            pair.is_candidate = false;
            pair.version += 1;
            return;
        }
        let exact = counts(top.id, context.symbols, context.pairs);
        let signature = self.score.signature(&exact);
        let (group, new) = self.groups.insert(top.id, exact, signature, context);
        if new {
            self.push_group(group, &exact);
        }
        if self.score.needs_symbols() {
            self.symbols[left as usize].hot.push(top.id);
            self.symbols[right as usize].hot.push(top.id);
        }
    }

    /// Returns an upper bound of the pair's score until the pair is touched.
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

/// Returns the counts of a pair and of its symbols.
pub(super) fn counts(id: u32, symbols: &Symbols, pairs: &Pairs) -> PairCounts {
    let pair = pairs.get(id);
    PairCounts {
        pair: pair.count,
        left: symbols.count(pair.left),
        right: symbols.count(pair.right),
        total: symbols.total(),
        same: pair.left == pair.right,
    }
}

/// Returns the count down to which a symbol's bounds are valid.
fn floor(count: u64) -> u64 {
    count - count / 8
}
