//! The symbols to the left or to the right of a merged pair's occurrences.
//!
//! The table of pairs is looked up once for each distinct neighbour, not for each occurrence: occurrences are first
//! grouped by neighbour.

use super::Tick;
use super::pairs::{NewPair, Pairs};
use super::segments::to_u32;
use crate::error::Result;
use crate::memory::{Growable, lengthen};

/// The symbols beside the occurrences of a merged pair on one side, in order of first occurrence.
#[derive(Default)]
pub(crate) struct Neighbours {
    /// For each symbol its index in `found` plus 1, or 0.
    slots: Vec<u32>,
    /// The neighbours, each with the pair that it makes with the new symbol.
    found: Vec<(u32, NewPair)>,
    /// The blocks of each new pair: its neighbour's index in `found`, and the block.
    log: Vec<(u32, u32)>,
}

impl Neighbours {
    /// Removes all neighbours, and resizes the table for symbols below `symbols`.
    pub(crate) fn clear(&mut self, symbols: usize) {
        for (symbol, _) in &self.found {
            self.slots[*symbol as usize] = 0;
        }
        lengthen(&mut self.slots, symbols, 0);
        self.found.clear();
        self.log.clear();
    }

    /// Records an occurrence next to `symbol`, whose new pair is of these two symbols and starts in `block`.
    pub(crate) fn add(&mut self, symbol: u32, pair: (u32, u32), weight: u64, block: u32) {
        let slot = &mut self.slots[symbol as usize];
        if *slot == 0 {
            self.found.make_room(1);
            self.found.push((symbol, NewPair::new(pair.0, pair.1)));
            *slot = to_u32(self.found.len());
        }
        let place = *slot - 1;
        if self.found[place as usize].1.add(weight, block) {
            self.log.make_room(1);
            self.log.push((place, block));
        }
    }

    /// Returns the neighbours and their weights.
    pub(crate) fn found(&self) -> impl Iterator<Item = (u32, u64)> {
        self.found.iter().map(|(symbol, pair)| (*symbol, pair.count))
    }

    /// Adds the pairs of all neighbours that occur at least `least` times, and appends their ids to `ids`.
    pub(crate) fn add_pairs(
        &mut self,
        least: u64,
        pairs: &mut Pairs,
        ids: &mut Vec<u32>,
        tick: Tick<'_>,
    ) -> Result<()> {
        const CHUNK: usize = 1 << 18;
        pairs.add_frequent(self.found.iter_mut().map(|(_, pair)| pair), least);
        ids.extend(self.found.iter().filter_map(|(_, pair)| pair.id));
        for chunk in self.log.chunks(CHUNK) {
            tick()?;
            for &(place, block) in chunk {
                pairs.add_block(&mut self.found[place as usize].1, block);
            }
        }
        Ok(())
    }
}
