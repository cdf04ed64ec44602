//! The live pairs: their counts and positions.
//!
//! A new symbol occurs nowhere before its merge, so all occurrences of a pair are found at once, from left to right,
//! and are only removed afterwards. The positions of a pair are therefore a fixed ascending list; a look at the
//! segments shows whether an entry is still live. All lists are in one array, which is compacted when half of it
//! belongs to removed pairs.

use hashbrown::HashMap;

use super::Tick;
use super::segments::{Segments, to_u32};
use crate::error::Result;
use crate::hash::FixedHasher;

/// A live pair of adjacent symbols.
#[derive(Clone)]
pub(crate) struct Pair {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) count: u64,
    start: usize,
    len: u32,
    /// The number of positions at the front of the list that are known to be dead.
    dead: u32,
    /// Its current bound in the queue (see [`super::queue`]).
    pub(crate) key: f64,
    pub(crate) version: u32,
    pub(crate) group: u32,
    pub(crate) is_candidate: bool,
    pub(crate) touched: bool,
}

/// A pair whose occurrences are counted before it is added.
pub(crate) struct NewPair {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) count: u64,
    /// The number of its positions, and after it is added, of those that are set.
    len: u32,
    /// Its id, after it is added; `None` if it is too rare.
    pub(crate) id: Option<u32>,
}

impl NewPair {
    /// Returns a pair without occurrences.
    pub(crate) fn new(left: u32, right: u32) -> Self {
        Self { left, right, count: 0, len: 0, id: None }
    }

    /// Counts a position.
    pub(crate) fn add(&mut self, weight: u64) {
        self.count += weight;
        self.len += 1;
    }
}

/// All live pairs. Ids of removed pairs are reused, versions never.
pub(crate) struct Pairs {
    pairs: Vec<Pair>,
    free: Vec<u32>,
    index: HashMap<u64, u32, FixedHasher>,
    positions: Vec<u32>,
    in_use: usize,
}

/// The group of a pair that is in no group.
pub(crate) const NO_GROUP: u32 = u32::MAX;

impl Pairs {
    /// Returns an empty set of pairs.
    pub(crate) fn new() -> Self {
        Self {
            pairs: Vec::new(),
            free: Vec::new(),
            index: HashMap::with_hasher(FixedHasher::default()),
            positions: Vec::new(),
            in_use: 0,
        }
    }

    /// Adds a pair with `len` positions, which [`Self::set_next_position`] sets.
    fn add(&mut self, left: u32, right: u32, count: u64, len: u32) -> u32 {
        let mut pair = Pair {
            left,
            right,
            count,
            start: self.positions.len(),
            len,
            dead: 0,
            key: f64::NEG_INFINITY,
            version: 0,
            group: NO_GROUP,
            is_candidate: true,
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
            to_u32(self.pairs.len() - 1)
        };
        self.index.insert(key(left, right), id);
        id
    }

    /// Adds the pairs that occur at least `least` times; [`Self::set_next_position`] sets their positions.
    pub(crate) fn add_frequent<'a>(&mut self, found: impl Iterator<Item = &'a mut NewPair>, least: u64) {
        for pair in found.filter(|pair| pair.count >= least) {
            pair.id = Some(self.add(pair.left, pair.right, pair.count, pair.len));
            pair.len = 0;
        }
    }

    /// Sets the next position of a new pair, unless it is too rare.
    pub(crate) fn set_next_position(&mut self, pair: &mut NewPair, at: u32) {
        if let Some(id) = pair.id {
            let start = self.pairs[id as usize].start;
            self.positions[start + pair.len as usize] = at;
            pair.len += 1;
        }
    }

    /// Removes a pair and invalidates all references with its version.
    pub(crate) fn remove(&mut self, id: u32) {
        let pair = &mut self.pairs[id as usize];
        self.index.remove(&key(pair.left, pair.right));
        self.in_use -= pair.len as usize;
        pair.count = 0;
        pair.version += 1;
        pair.group = NO_GROUP;
        self.free.push(id);
    }

    /// Returns the live pair of these symbols.
    pub(crate) fn find(&self, left: u32, right: u32) -> Option<u32> {
        self.index.get(&key(left, right)).copied()
    }

    /// Returns a pair by its id.
    pub(crate) fn get(&self, id: u32) -> &Pair {
        &self.pairs[id as usize]
    }

    /// Returns a pair by its id, for changes.
    pub(crate) fn get_mut(&mut self, id: u32) -> &mut Pair {
        &mut self.pairs[id as usize]
    }

    /// Returns the number of live pairs.
    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    /// Returns the ids of all pairs, including removed ones.
    pub(crate) fn ids(&self) -> impl Iterator<Item = u32> + use<> {
        0..to_u32(self.pairs.len())
    }

    /// Returns the pair's original positions, ascending, without some that are known to be dead.
    pub(crate) fn positions(&self, id: u32) -> &[u32] {
        let pair = self.get(id);
        &self.positions[pair.start + pair.dead as usize..][..(pair.len - pair.dead) as usize]
    }

    /// Returns the first position where the pair still occurs.
    pub(crate) fn earliest(&mut self, id: u32, width: u32, segments: &Segments) -> u32 {
        let pair = &self.pairs[id as usize];
        let list = &self.positions[pair.start..][..pair.len as usize];
        let mut dead = pair.dead;
        while !segments.has_pair_at(list[dead as usize], pair.left, width, pair.right) {
            dead += 1;
        }
        let at = list[dead as usize];
        self.pairs[id as usize].dead = dead;
        at
    }

    /// Compacts the position lists when at least half of them are dead.
    pub(crate) fn compact(&mut self, tick: Tick<'_>) -> Result<()> {
        // Small tables are compacted too where assertions are on, so that tests cover it.
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

/// Returns the key of a pair of symbols in the index.
fn key(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}
