//! The symbols to the left or to the right of a merged pair's occurrences.
//!
//! The table of pairs is looked up once for each distinct neighbour, not for each occurrence: occurrences are first
//! grouped by neighbour.

use super::Tick;
use super::pairs::Pairs;
use super::segments::to_u32;
use crate::error::Result;

/// A symbol next to the merged pair.
#[derive(Clone, Copy)]
pub(crate) struct Neighbour {
    pub(crate) symbol: u32,
    /// The weight of the occurrences next to it.
    pub(crate) weight: u64,
    len: u32,
    pair: u32,
}

/// The neighbours on one side, in order of first occurrence.
#[derive(Default)]
pub(crate) struct Neighbours {
    /// For each symbol its index in `found` plus 1, or 0.
    slots: Vec<u32>,
    found: Vec<Neighbour>,
    /// Each occurrence: its neighbour's index in `found`, and the new pair's position.
    log: Vec<(u32, u32)>,
}

/// The pair of a neighbour that is too rare to be kept.
const NO_PAIR: u32 = u32::MAX;

impl Neighbours {
    /// Removes all neighbours, and resizes the table for symbols below `symbols`.
    pub(crate) fn clear(&mut self, symbols: usize) {
        for neighbour in &self.found {
            self.slots[neighbour.symbol as usize] = 0;
        }
        self.slots.resize(symbols, 0);
        self.found.clear();
        self.log.clear();
    }

    /// Records an occurrence next to `symbol`; the new pair starts at `at`.
    pub(crate) fn add(&mut self, symbol: u32, weight: u64, at: u32) {
        let slot = &mut self.slots[symbol as usize];
        if *slot == 0 {
            self.found.push(Neighbour { symbol, weight: 0, len: 0, pair: NO_PAIR });
            *slot = to_u32(self.found.len());
        }
        let place = *slot - 1;
        let neighbour = &mut self.found[place as usize];
        neighbour.weight += weight;
        neighbour.len += 1;
        self.log.push((place, at));
    }

    /// Returns the neighbours found.
    pub(crate) fn found(&self) -> &[Neighbour] {
        &self.found
    }

    /// Creates a pair for each neighbour with a weight of at least `least`; `names` gives its left and right symbol.
    pub(crate) fn make_pairs(
        &mut self,
        least: u64,
        names: impl Fn(u32) -> (u32, u32),
        pairs: &mut Pairs,
        new_pairs: &mut Vec<u32>,
        tick: Tick<'_>,
    ) -> Result<()> {
        const CHUNK: usize = 1 << 18;
        for neighbour in &mut self.found {
            if neighbour.weight >= least {
                let (left, right) = names(neighbour.symbol);
                neighbour.pair = pairs.add(left, right, neighbour.weight, neighbour.len);
                neighbour.len = 0;
                new_pairs.push(neighbour.pair);
            }
        }
        for chunk in self.log.chunks(CHUNK) {
            tick()?;
            for &(place, at) in chunk {
                let neighbour = &mut self.found[place as usize];
                if neighbour.pair != NO_PAIR {
                    pairs.set_position(neighbour.pair, neighbour.len, at);
                    neighbour.len += 1;
                }
            }
        }
        Ok(())
    }
}
