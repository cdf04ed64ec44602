//! Merges all occurrences of a pair in one pass from left to right, and counts the changes.

use super::Tick;
use super::neighbours::Neighbours;
use super::pairs::Blocks;
use super::segments::{NONE, Segments, block_of};
use super::symbols::Symbols;
use crate::error::Result;

/// A pass, which merges the pair of `left` and `right` to `new`, and its result.
#[derive(Default)]
pub(crate) struct MergePass {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) new: u32,
    /// Whether pairs (x, x) count merges, so that the lengths of runs matter.
    pub(crate) runs: bool,
    /// The weight of the merges made.
    pub(crate) merged: u64,
    /// The symbols before merged occurrences. Before an occurrence that follows another, that is the new symbol; its
    /// weight is then that of the merges that a pass would make, if pairs (x, x) count these.
    pub(crate) before: Neighbours,
    pub(crate) after: Neighbours,
    /// The weight of the positions where two merged occurrences are adjacent.
    pub(crate) touching: u64,
    /// The weight of the merges that runs of the left and of the right symbol lost at their ends.
    pub(crate) lost_left: u64,
    pub(crate) lost_right: u64,
}

impl MergePass {
    /// Sets the pair and the new symbol, and resets the result for a table of this number of symbols.
    pub(crate) fn start(&mut self, (left, right): (u32, u32), new: u32, symbols: usize) {
        (self.left, self.right, self.new) = (left, right, new);
        self.before.clear(symbols);
        self.after.clear(symbols);
        (self.merged, self.touching) = (0, 0);
        (self.lost_left, self.lost_right) = (0, 0);
    }

    /// Merges the occurrences of the pair in these blocks.
    pub(crate) fn run(
        &mut self,
        blocks: Blocks<'_>,
        symbols: &Symbols,
        segments: &mut Segments,
        tick: Tick<'_>,
    ) -> Result<()> {
        const CHUNK: usize = 1 << 13;
        const AHEAD: usize = 8;
        let width = symbols.width(self.left);
        let mut links = 0_u32;
        let mut next = blocks.clone().skip(AHEAD);
        for (number, block) in blocks.enumerate() {
            if number % CHUNK == 0 {
                tick()?;
            }
            if let Some(next) = next.next() {
                segments.prefetch(next);
            }
            let mut found = segments.starts_in(block, self.left);
            while let Some((at, weight)) = segments.next_pair(&mut found, self.left, width, self.right) {
                links = self.merge(at, weight, links, symbols, segments);
            }
        }
        Ok(())
    }

    /// Merges one occurrence. `links` is the number of merged occurrences in a row directly before it.
    fn merge(&mut self, at: u32, weight: u64, links: u32, symbols: &Symbols, segments: &mut Segments) -> u32 {
        let middle = at + symbols.width(self.left);
        let end = middle + symbols.width(self.right);
        let (before, after) = (segments.ending_before(at), segments.starting(end));
        self.merged += weight;
        let links = if before == self.new { links + 1 } else { 0 };
        if links > 0 {
            self.touching += weight;
        }
        if before != NONE {
            let counts = !self.runs || links == 0 || links % 2 == 1;
            let weight = if counts { weight } else { 0 };
            self.before.add(before, (before, self.new), weight, block_of(at - symbols.width(before)));
        }
        // An occurrence that follows directly is about to be merged: the pair between the two is counted there, so that
        // no transient pair arises.
        let follows = after == self.left && segments.starting(end + symbols.width(after)) == self.right;
        if after != NONE && !follows {
            self.after.add(after, (self.new, after), weight, block_of(at));
        }
        if self.runs && self.left != self.right {
            if before == self.left && run_before(at, before, symbols, segments) % 2 == 1 {
                self.lost_left += weight;
            }
            if after == self.right && run_from(end, after, symbols, segments) % 2 == 1 {
                self.lost_right += weight;
            }
        }
        segments.join(at, middle, end, self.new);
        links
    }
}

/// Returns the number of equal symbols in a row that end before a slot.
fn run_before(mut at: u32, symbol: u32, symbols: &Symbols, segments: &Segments) -> u32 {
    let mut run = 0;
    while segments.ending_before(at) == symbol {
        at -= symbols.width(symbol);
        run += 1;
    }
    run
}

/// Returns the number of equal symbols in a row that start at a slot.
fn run_from(mut at: u32, symbol: u32, symbols: &Symbols, segments: &Segments) -> u32 {
    let mut run = 0;
    while segments.starting(at) == symbol {
        at += symbols.width(symbol);
        run += 1;
    }
    run
}
