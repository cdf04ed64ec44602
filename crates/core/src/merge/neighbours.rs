//! What a walk over a pair's occurrences finds on its left or on its right.
//!
//! One look at the table of pairs for a distinct neighbour, not for an occurrence: neighbours are
//! gathered in slots by symbol first.

use super::Tick;
use super::pairs::Pairs;
use super::segments::number;
use crate::error::Result;

/// A symbol that stood beside the merged pair.
#[derive(Clone, Copy)]
pub(crate) struct Neighbour {
    pub(crate) symbol: u32,
    /// The weight of the occurrences beside it.
    pub(crate) weight: u64,
    len: u32,
    pair: u32,
}

/// The neighbours on one side, in order of first sight.
#[derive(Default)]
pub(crate) struct Neighbours {
    /// For each symbol the place in `found` after the one it has, or 0.
    slots: Vec<u32>,
    found: Vec<Neighbour>,
    /// Each occurrence: its neighbour's place in `found`, and the new pair's position.
    log: Vec<(u32, u32)>,
}

/// Too rare to keep.
const NO_PAIR: u32 = u32::MAX;

impl Neighbours {
    /// Forgets all neighbours, and makes room for symbols below `symbols`.
    pub(crate) fn clear(&mut self, symbols: usize) {
        for neighbour in &self.found {
            self.slots[neighbour.symbol as usize] = 0;
        }
        self.slots.resize(symbols, 0);
        self.found.clear();
        self.log.clear();
    }

    /// Notes an occurrence beside `symbol`; the new pair starts at `at`.
    pub(crate) fn note(&mut self, symbol: u32, weight: u64, at: u32) {
        let slot = &mut self.slots[symbol as usize];
        if *slot == 0 {
            self.found.push(Neighbour { symbol, weight: 0, len: 0, pair: NO_PAIR });
            *slot = number(self.found.len());
        }
        let place = *slot - 1;
        let neighbour = &mut self.found[place as usize];
        neighbour.weight += weight;
        neighbour.len += 1;
        self.log.push((place, at));
    }

    /// The neighbours found.
    pub(crate) fn found(&self) -> &[Neighbour] {
        &self.found
    }

    /// Makes a pair of each neighbour that weighs at least `least`, by its names for left and right.
    pub(crate) fn make_pairs(
        &mut self,
        least: u64,
        names: impl Fn(u32) -> (u32, u32),
        pairs: &mut Pairs,
        made: &mut Vec<u32>,
        tick: Tick<'_>,
    ) -> Result<()> {
        const CHUNK: usize = 1 << 18;
        for neighbour in &mut self.found {
            if neighbour.weight >= least {
                let (left, right) = names(neighbour.symbol);
                neighbour.pair = pairs.add(left, right, neighbour.weight, neighbour.len);
                neighbour.len = 0;
                made.push(neighbour.pair);
            }
        }
        for chunk in self.log.chunks(CHUNK) {
            tick()?;
            for &(place, at) in chunk {
                let neighbour = &mut self.found[place as usize];
                if neighbour.pair != NO_PAIR {
                    pairs.place(neighbour.pair, neighbour.len, at);
                    neighbour.len += 1;
                }
            }
        }
        Ok(())
    }
}
