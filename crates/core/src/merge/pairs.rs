//! The live pairs: their counts, and where they occur.
//!
//! A new symbol is fresh, so all occurrences of a pair arise at once, from left to right, and from
//! then on only die. A pair's positions are therefore a fixed ascending list whose dead entries
//! are told by a look at the segments. All lists lie in one array, which is rewritten when half of
//! it belongs to pairs that are gone.

use hashbrown::HashMap;

use super::segments::{Segments, number};
use super::{Hash, Tick};
use crate::error::Result;

/// A live pair of adjacent symbols.
#[derive(Clone)]
pub(crate) struct Pair {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) count: u64,
    start: usize,
    len: u32,
    /// How many positions at the front of the list are known to be dead.
    dead: u32,
    /// Its place in the queue; see there.
    pub(crate) key: f64,
    pub(crate) version: u32,
    pub(crate) group: u32,
    pub(crate) open: bool,
    pub(crate) touched: bool,
}

/// All live pairs. Numbers of pairs that died are given again, versions never.
pub(crate) struct Pairs {
    pairs: Vec<Pair>,
    free: Vec<u32>,
    index: HashMap<u64, u32, Hash>,
    positions: Vec<u32>,
    in_use: usize,
}

/// In no group.
pub(crate) const COLD: u32 = u32::MAX;

impl Pairs {
    /// No pairs yet.
    pub(crate) fn new() -> Self {
        Self {
            pairs: Vec::new(),
            free: Vec::new(),
            index: HashMap::with_hasher(Hash::default()),
            positions: Vec::new(),
            in_use: 0,
        }
    }

    /// Adds a pair that has room for so many positions, to be filled at once with `place`.
    pub(crate) fn add(&mut self, left: u32, right: u32, count: u64, len: u32) -> u32 {
        let mut pair = Pair {
            left,
            right,
            count,
            start: self.positions.len(),
            len,
            dead: 0,
            key: f64::NEG_INFINITY,
            version: 0,
            group: COLD,
            open: true,
            touched: false,
        };
        self.positions.resize(pair.start + len as usize, 0);
        self.in_use += len as usize;
        let id = if let Some(id) = self.free.pop() {
            pair.version = self.pairs[id as usize].version;
            self.pairs[id as usize] = pair;
            id
        } else {
            self.pairs.push(pair);
            number(self.pairs.len() - 1)
        };
        self.index.insert(key(left, right), id);
        id
    }

    /// Sets the `nth` position of a pair.
    pub(crate) fn place(&mut self, id: u32, nth: u32, at: u32) {
        let start = self.pairs[id as usize].start;
        self.positions[start + nth as usize] = at;
    }

    /// Forgets a pair; what holds its version no longer holds it.
    pub(crate) fn remove(&mut self, id: u32) {
        let pair = &mut self.pairs[id as usize];
        self.index.remove(&key(pair.left, pair.right));
        self.in_use -= pair.len as usize;
        pair.count = 0;
        pair.version += 1;
        pair.group = COLD;
        self.free.push(id);
    }

    /// The pair of these symbols, if it lives.
    pub(crate) fn find(&self, left: u32, right: u32) -> Option<u32> {
        self.index.get(&key(left, right)).copied()
    }

    pub(crate) fn get(&self, id: u32) -> &Pair {
        &self.pairs[id as usize]
    }

    pub(crate) fn get_mut(&mut self, id: u32) -> &mut Pair {
        &mut self.pairs[id as usize]
    }

    /// How many pairs live.
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    /// The numbers of all pairs, among them those that died.
    pub(crate) fn ids(&self) -> impl Iterator<Item = u32> + use<> {
        0..number(self.pairs.len())
    }

    /// All positions where the pair ever was, ascending, but for some that are known to be dead.
    pub(crate) fn positions(&self, id: u32) -> &[u32] {
        let pair = self.get(id);
        &self.positions[pair.start + pair.dead as usize..][..(pair.len - pair.dead) as usize]
    }

    /// The first position where the pair still is.
    pub(crate) fn earliest(&mut self, id: u32, width: u32, segments: &Segments) -> u32 {
        let pair = &self.pairs[id as usize];
        let list = &self.positions[pair.start..][..pair.len as usize];
        let mut dead = pair.dead;
        while !segments.holds(list[dead as usize], pair.left, width, pair.right) {
            dead += 1;
        }
        let at = list[dead as usize];
        self.pairs[id as usize].dead = dead;
        at
    }

    /// Gives back the room of dead lists, where that is worth the work.
    pub(crate) fn tidy(&mut self, tick: Tick<'_>) -> Result<()> {
        // Small tables are tidied too where assertions are on, so that tests see it happen.
        const SMALL: usize = if cfg!(debug_assertions) { 1 << 3 } else { 1 << 22 };
        const CHUNK: usize = 1 << 14;
        if self.positions.len() < SMALL + 2 * self.in_use {
            return Ok(());
        }
        let mut kept = Vec::with_capacity(self.in_use + self.in_use / 4);
        for (number, pair) in self.pairs.iter_mut().enumerate() {
            if number % CHUNK == 0 {
                tick()?;
            }
            if pair.count > 0 {
                let list = pair.start + pair.dead as usize..pair.start + pair.len as usize;
                pair.start = kept.len();
                pair.len -= pair.dead;
                pair.dead = 0;
                kept.extend_from_slice(&self.positions[list]);
            }
        }
        self.in_use = kept.len();
        self.positions = kept;
        Ok(())
    }
}

fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}
