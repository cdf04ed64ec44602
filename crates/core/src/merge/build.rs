//! Collects the pairs of a table in which nothing is merged yet. The cost is linear in the number of slots.

use super::Tick;
use super::pairs::{NewPair, Pairs};
use super::segments::{Segments, block_of, to_u32};
use super::symbols::Symbols;
use crate::error::Result;
use crate::memory::{Growable, filled};

/// Counts the pairs, then lists the blocks of those that occur at least `least` times.
pub(crate) fn pairs(segments: &Segments, symbols: &Symbols, runs: bool, least: u64, tick: Tick<'_>) -> Result<Pairs> {
    let mut found = NewPairs::new(symbols.len());
    // `run` is the number of equal pairs in a row; the last of them is at `last`.
    let (mut run, mut last) = (0_u32, 0);
    segments.for_each_pair(tick, |at, left, right, weight| {
        run = if left != right {
            0
        } else if last + 1 == at {
            run + 1
        } else {
            1
        };
        last = at;
        let counts = !runs || left != right || run % 2 == 1;
        found.get(left, right).add(if counts { weight } else { 0 }, block_of(at));
    })?;
    let mut pairs = Pairs::new();
    pairs.add_frequent(found.pairs.iter_mut(), least);
    segments.for_each_pair(tick, |at, left, right, _| pairs.add_block(found.get(left, right), block_of(at)))?;
    Ok(pairs)
}

/// The pairs by their symbols: in a square table for a small alphabet, a hash table for a large one.
struct NewPairs {
    pairs: Vec<NewPair>,
    side: usize,
    square: Vec<u32>,
    table: hashbrown::HashMap<(u32, u32), u32, crate::hash::FixedHasher>,
}

impl NewPairs {
    /// Returns an empty table for pairs of this number of symbols.
    fn new(symbols: usize) -> Self {
        const SMALL: usize = 1 << 10;
        let side = if symbols <= SMALL { symbols } else { 0 };
        let table = hashbrown::HashMap::with_hasher(crate::hash::FixedHasher::default());
        Self { pairs: Vec::new(), side, square: filled(u32::MAX, side * side), table }
    }

    /// Returns a pair, which it creates at the first call.
    fn get(&mut self, left: u32, right: u32) -> &mut NewPair {
        let place = if self.side > 0 {
            &mut self.square[left as usize * self.side + right as usize]
        } else {
            self.table.make_room(1);
            self.table.entry((left, right)).or_insert(u32::MAX)
        };
        if *place == u32::MAX {
            *place = to_u32(self.pairs.len());
            self.pairs.make_room(1);
            self.pairs.push(NewPair::new(left, right));
        }
        &mut self.pairs[*place as usize]
    }
}
