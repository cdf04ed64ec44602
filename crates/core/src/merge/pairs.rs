//! The live pairs: their counts, and the blocks of slots where they occur.
//!
//! A new symbol occurs nowhere before its merge, so all occurrences of a pair are found at once, from left to right,
//! and are only removed afterwards. The blocks of a pair are therefore a fixed ascending list; a look at the block shows
//! which of its occurrences are still live. Lists store differences as LEB128, mostly one byte each. All are in one array,
//! which is compacted when half of it belongs to removed pairs.

use hashbrown::HashTable;

use super::Tick;
use super::segments::{Segments, to_u32};
use crate::error::Result;
use crate::hash::hash_one;
use crate::memory::{Growable, lengthen, make_table_room, with_room};
use crate::numbers::leb128;

/// A live pair of adjacent symbols.
#[derive(Clone)]
pub(crate) struct Pair {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) count: u64,
    /// The bytes of its list of blocks.
    start: usize,
    len: usize,
    /// The block from which the first difference counts.
    base: u32,
    /// Its current bound in the queue (see [`super::queue`]).
    pub(crate) key: f64,
    pub(crate) version: u32,
    pub(crate) group: u32,
    pub(crate) is_candidate: bool,
    pub(crate) touched: bool,
}

impl Pair {
    fn hash(&self) -> u64 {
        hash(self.left, self.right)
    }
}

/// A pair whose occurrences are counted before it is added.
pub(crate) struct NewPair {
    pub(crate) left: u32,
    pub(crate) right: u32,
    pub(crate) count: u64,
    /// The length of its list in bytes; after it is added, the place of its next block in the lists.
    len: usize,
    /// The last block that is counted, or written.
    last: u32,
    /// Its id, after it is added; `None` if it is too rare.
    pub(crate) id: Option<u32>,
}

impl NewPair {
    /// Returns a pair without occurrences.
    pub(crate) fn new(left: u32, right: u32) -> Self {
        Self { left, right, count: 0, len: 0, last: BEFORE, id: None }
    }

    /// Counts an occurrence, which is not before the last one; returns whether it is the first in its block.
    pub(crate) fn add(&mut self, weight: u64, block: u32) -> bool {
        self.count += weight;
        let is_new = block != self.last;
        if is_new {
            self.len += leb128::length(block.wrapping_sub(self.last).into());
            self.last = block;
        }
        is_new
    }
}

/// The block before the first one, from which differences count.
const BEFORE: u32 = u32::MAX;

/// The blocks of a pair, ascending.
#[derive(Clone)]
pub(crate) struct Blocks<'a> {
    bytes: &'a [u8],
    last: u32,
}

impl Iterator for Blocks<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let (mut difference, mut shift) = (0, 0);
        loop {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            difference |= u32::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                self.last = self.last.wrapping_add(difference);
                return Some(self.last);
            }
        }
    }
}

/// All live pairs. Ids of removed pairs are reused, versions never.
pub(crate) struct Pairs {
    pairs: Vec<Pair>,
    free: Vec<u32>,
    /// The ids of the live pairs, by their symbols.
    index: HashTable<u32>,
    blocks: Vec<u8>,
    in_use: usize,
}

/// The group of a pair that is in no group.
pub(crate) const NO_GROUP: u32 = u32::MAX;

impl Pairs {
    /// Returns an empty set of pairs.
    pub(crate) fn new() -> Self {
        Self { pairs: Vec::new(), free: Vec::new(), index: HashTable::new(), blocks: Vec::new(), in_use: 0 }
    }

    /// Adds a pair with a list of `len` bytes, which [`Self::add_block`] writes.
    fn add(&mut self, left: u32, right: u32, count: u64, len: usize) -> u32 {
        let mut pair = Pair {
            left,
            right,
            count,
            start: self.blocks.len(),
            len,
            base: BEFORE,
            key: f64::NEG_INFINITY,
            version: 0,
            group: NO_GROUP,
            is_candidate: true,
            touched: false,
        };
        lengthen(&mut self.blocks, pair.start + len, 0);
        self.in_use += len;
        let id = if let Some(id) = self.free.pop() {
            pair.version = self.pairs[id as usize].version;
            self.pairs[id as usize] = pair;
            id
        } else {
            self.pairs.make_room(1);
            self.pairs.push(pair);
            to_u32(self.pairs.len() - 1)
        };
        let hash_of = |&id: &u32| self.pairs[id as usize].hash();
        make_table_room(&mut self.index, 1, hash_of);
        self.index.insert_unique(hash(left, right), id, hash_of);
        id
    }

    /// Adds the pairs that occur at least `least` times; [`Self::add_block`] writes their lists.
    pub(crate) fn add_frequent<'a>(&mut self, found: impl Iterator<Item = &'a mut NewPair>, least: u64) {
        for pair in found.filter(|pair| pair.count >= least) {
            pair.id = Some(self.add(pair.left, pair.right, pair.count, pair.len));
            (pair.len, pair.last) = (self.blocks.len() - pair.len, BEFORE);
        }
    }

    /// Adds a block to the list of a new pair, unless it is the last one there, or the pair is too rare.
    pub(crate) fn add_block(&mut self, pair: &mut NewPair, block: u32) {
        if pair.id.is_none() || block == pair.last {
            return;
        }
        let difference = block.wrapping_sub(pair.last);
        pair.last = block;
        if let Some(byte) = u8::try_from(difference).ok().filter(|&byte| byte < 0x80) {
            self.blocks[pair.len] = byte;
        } else {
            let mut list = &mut self.blocks[pair.len..];
            leb128::write(&mut list, difference.into()).expect("the list has its length");
        }
        pair.len += leb128::length(difference.into());
    }

    /// Removes a pair and invalidates all references with its version.
    pub(crate) fn remove(&mut self, id: u32) {
        let pair = &mut self.pairs[id as usize];
        if let Ok(entry) = self.index.find_entry(pair.hash(), |&other| other == id) {
            entry.remove();
        }
        self.in_use -= pair.len;
        pair.count = 0;
        pair.version += 1;
        pair.group = NO_GROUP;
        self.free.make_room(1);
        self.free.push(id);
    }

    /// Returns the live pair of these symbols.
    pub(crate) fn find(&self, left: u32, right: u32) -> Option<u32> {
        let is_same = |&id: &u32| {
            let pair = self.get(id);
            (pair.left, pair.right) == (left, right)
        };
        self.index.find(hash(left, right), is_same).copied()
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

    /// Returns the blocks where the pair occurred first, without some where it is known to occur no more.
    pub(crate) fn blocks(&self, id: u32) -> Blocks<'_> {
        let pair = self.get(id);
        Blocks { bytes: &self.blocks[pair.start..][..pair.len], last: pair.base }
    }

    /// Iterates over the positions where the pair occurs, ascending, with their weights; `width` is that of its left symbol.
    pub(crate) fn occurrences<'a>(
        &'a self,
        id: u32,
        width: u32,
        segments: &'a Segments,
    ) -> impl Iterator<Item = (u32, u64)> + use<'a> {
        let (left, right) = (self.get(id).left, self.get(id).right);
        self.blocks(id).flat_map(move |block| {
            let mut found = segments.starts_in(block, left);
            std::iter::from_fn(move || segments.next_pair(&mut found, left, width, right))
        })
    }

    /// Returns the first position where the pair still occurs.
    pub(crate) fn earliest(&mut self, id: u32, width: u32, segments: &Segments) -> u32 {
        let pair = self.get(id);
        let (left, right) = (pair.left, pair.right);
        let mut blocks = self.blocks(id);
        loop {
            let before = blocks.clone();
            let block = blocks.next().expect("a live pair occurs in a block of its list");
            let found = segments.next_pair(&mut segments.starts_in(block, left), left, width, right);
            if let Some((at, _)) = found {
                let (len, base) = (before.bytes.len(), before.last);
                let pair = self.get_mut(id);
                let passed = pair.len - len;
                (pair.start, pair.len, pair.base) = (pair.start + passed, len, base);
                self.in_use -= passed;
                return at;
            }
        }
    }

    /// Compacts the lists when at least half of them are of removed pairs.
    pub(crate) fn compact(&mut self, tick: Tick<'_>) -> Result<()> {
        // Small tables are compacted too where assertions are on, so that tests cover it.
        const SMALL: usize = if cfg!(debug_assertions) { 1 << 3 } else { 1 << 22 };
        const CHUNK: usize = 1 << 14;
        if self.blocks.len() < SMALL + 2 * self.in_use {
            return Ok(());
        }
        let mut kept: Vec<u8> = with_room(self.in_use + self.in_use / 4);
        for (number, pair) in self.pairs.iter_mut().enumerate() {
            if number % CHUNK == 0 {
                tick()?;
            }
            if pair.count > 0 {
                let list = pair.start..pair.start + pair.len;
                pair.start = kept.len();
                kept.extend_from_slice(&self.blocks[list]);
            }
        }
        self.in_use = kept.len();
        self.blocks = kept;
        Ok(())
    }
}

/// Returns the hash of a pair of symbols.
fn hash(left: u32, right: u32) -> u64 {
    hash_one(&(u64::from(left) << 32 | u64::from(right)))
}
