//! All pairs of a table that nothing was merged in yet.

use super::Tick;
use super::pairs::Pairs;
use super::segments::{NONE, Segments, number};
use super::symbols::Symbols;
use crate::error::Result;

/// How many slots are read between two ticks.
const CHUNK: u32 = 1 << 18;

/// Counts the pairs, then fills the lists of those that occur at least `least` times.
pub(crate) fn pairs(segments: &Segments, symbols: &Symbols, runs: bool, least: u64, tick: Tick<'_>) -> Result<Pairs> {
    let mut tallies = Tallies::new(symbols.len());
    // How many equal pairs stand in a row; the last of them at `last`.
    let (mut run, mut last) = (0_u32, 0);
    each(segments, tick, |at, left, right| {
        run = if left != right {
            0
        } else if last + 1 == at {
            run + 1
        } else {
            1
        };
        last = at;
        let counts = !runs || left != right || run % 2 == 1;
        tallies.note(left, right, if counts { segments.weight(at) } else { 0 });
    })?;
    let mut pairs = Pairs::new();
    for tally in &mut tallies.found {
        if tally.count >= least {
            tally.pair = Some(pairs.add(tally.left, tally.right, tally.count, tally.len));
            tally.len = 0;
        }
    }
    each(segments, tick, |at, left, right| {
        let tally = tallies.get(left, right);
        if let Some(pair) = tally.pair {
            pairs.place(pair, tally.len, at);
            tally.len += 1;
        }
    })?;
    Ok(pairs)
}

/// Visits all adjacent symbols, in order.
fn each(segments: &Segments, tick: Tick<'_>, mut visit: impl FnMut(u32, u32, u32)) -> Result<()> {
    let mut left = NONE;
    for next in 1..number(segments.len()) {
        if next % CHUNK == 0 {
            tick()?;
        }
        let right = segments.starting(next);
        if left != NONE && right != NONE {
            visit(next - 1, left, right);
        }
        left = right;
    }
    Ok(())
}

struct Tally {
    left: u32,
    right: u32,
    count: u64,
    len: u32,
    pair: Option<u32>,
}

/// Counts of pairs. A small alphabet has a square of slots, a large one a table of hashes.
struct Tallies {
    found: Vec<Tally>,
    side: usize,
    square: Vec<u32>,
    table: hashbrown::HashMap<(u32, u32), u32, super::Hash>,
}

impl Tallies {
    fn new(symbols: usize) -> Self {
        const SMALL: usize = 1 << 10;
        let side = if symbols <= SMALL { symbols } else { 0 };
        let table = hashbrown::HashMap::with_hasher(super::Hash::default());
        Self { found: Vec::new(), side, square: vec![u32::MAX; side * side], table }
    }

    fn get(&mut self, left: u32, right: u32) -> &mut Tally {
        let place = if self.side > 0 {
            &mut self.square[left as usize * self.side + right as usize]
        } else {
            self.table.entry((left, right)).or_insert(u32::MAX)
        };
        if *place == u32::MAX {
            *place = number(self.found.len());
            self.found.push(Tally { left, right, count: 0, len: 0, pair: None });
        }
        &mut self.found[*place as usize]
    }

    fn note(&mut self, left: u32, right: u32, weight: u64) {
        let tally = self.get(left, right);
        tally.count += weight;
        tally.len += 1;
    }
}
