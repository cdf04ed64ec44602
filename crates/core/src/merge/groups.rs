//! Groups pairs with equal scores, and finds the first of a group by the tie rule.
//!
//! Hot pairs with the same counts have the same score, so they share an entry of the queue, and the tie rule orders
//! them within it. In small corpora most steps have ties; in large ones rare pairs tie by the thousand.

use hashbrown::HashMap;

use super::pairs::{NO_GROUP, Pairs};
use super::score::{PairCounts, Signature};
use super::segments::{Segments, to_u32};
use super::symbols::Symbols;
use crate::hash::FixedHasher;
use crate::heap::{sift_down, sift_up};
use crate::memory::Growable;

/// The tie rule: which of several best pairs is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ties {
    /// Compares the left symbols as written, then the right ones, by UTF-8 bytes.
    #[default]
    Lex,
    /// Takes the pair whose earliest live occurrence comes first.
    First,
    /// Compares the ids of the left symbols, then those of the right ones.
    Hf,
    /// Compares the merged symbols: the shorter one in characters is first, then the smaller one in UTF-8 bytes.
    SentencePiece,
}

/// The tables that the tie rules read.
pub(crate) struct TieContext<'a> {
    pub(crate) pairs: &'a mut Pairs,
    pub(crate) symbols: &'a Symbols,
    pub(crate) segments: &'a Segments,
}

/// An entry of a group's heap; it is stale when its version differs from its pair's.
#[derive(Clone, Copy)]
struct GroupEntry {
    /// The rule's first sort key; rules that compare names have further keys.
    rank: u64,
    left: u32,
    right: u32,
    pair: u32,
    version: u32,
}

/// A set of pairs with one signature, in a heap that may hold stale entries.
pub(crate) struct Group {
    signature: Signature,
    /// The counts of any of its pairs.
    pub(crate) counts: PairCounts,
    /// The number of pairs that are not stale.
    pub(crate) live: u64,
    heap: Vec<GroupEntry>,
}

/// All groups, by index and by signature.
pub(crate) struct Groups {
    ties: Ties,
    groups: Vec<Group>,
    free: Vec<u32>,
    index: HashMap<Signature, u32, FixedHasher>,
}

impl Groups {
    /// Returns an empty set of groups.
    pub(crate) fn new(ties: Ties) -> Self {
        let index = HashMap::with_hasher(FixedHasher::default());
        Self { ties, groups: Vec::new(), free: Vec::new(), index }
    }

    /// Returns a group by its index.
    pub(crate) fn get(&self, group: u32) -> &Group {
        &self.groups[group as usize]
    }

    /// Inserts a pair into the group of its signature; returns the group, and whether it is new.
    pub(crate) fn insert(
        &mut self,
        id: u32,
        counts: PairCounts,
        signature: Signature,
        context: &mut TieContext<'_>,
    ) -> (u32, bool) {
        let found = self.index.get(&signature).copied();
        let at = found.unwrap_or_else(|| self.create(signature, counts));
        let rank = self.rank(id, context);
        let pair = context.pairs.get_mut(id);
        pair.group = at;
        pair.version += 1;
        let entry = GroupEntry { rank, left: pair.left, right: pair.right, pair: id, version: pair.version };
        let group = &mut self.groups[at as usize];
        group.live += 1;
        group.heap.make_room(1);
        group.heap.push(entry);
        sift_up(&mut group.heap, |one, other| precedes(self.ties, context.symbols, one, other));
        (at, found.is_none())
    }

    /// Creates a group and returns its index.
    fn create(&mut self, signature: Signature, counts: PairCounts) -> u32 {
        let group = Group { signature, counts, live: 0, heap: Vec::new() };
        let at = if let Some(at) = self.free.pop() {
            self.groups[at as usize] = group;
            at
        } else {
            self.groups.make_room(1);
            self.groups.push(group);
            to_u32(self.groups.len() - 1)
        };
        self.index.make_room(1);
        self.index.insert(signature, at);
        at
    }

    /// Removes a pair from its group; the caller increments its version.
    pub(crate) fn remove(&mut self, id: u32, pairs: &mut Pairs) {
        let pair = pairs.get_mut(id);
        self.groups[pair.group as usize].live -= 1;
        pair.group = NO_GROUP;
    }

    /// Frees a group without live pairs.
    pub(crate) fn remove_group(&mut self, at: u32) {
        let group = &mut self.groups[at as usize];
        self.index.remove(&group.signature);
        group.heap = Vec::new();
        self.free.push(at);
    }

    /// Returns the group's first pair by the tie rule, and drops stale entries before it.
    fn first(&mut self, at: u32, context: &mut TieContext<'_>) -> GroupEntry {
        loop {
            let entry = self.groups[at as usize].heap[0];
            let is_stale = context.pairs.get(entry.pair).version != entry.version;
            let rank = if is_stale { 0 } else { self.rank(entry.pair, context) };
            if !is_stale && rank == entry.rank {
                return entry;
            }
            let heap = &mut self.groups[at as usize].heap;
            if is_stale {
                heap.swap_remove(0);
            } else {
                heap[0].rank = rank;
            }
            sift_down(heap, 0, |one, other| precedes(self.ties, context.symbols, one, other));
        }
    }

    /// Returns the first pairs of several groups, at most `most`, in the order of the tie rule.
    pub(crate) fn first_pairs(&mut self, groups: &[u32], most: usize, context: &mut TieContext<'_>) -> Vec<u32> {
        let mut left: Vec<(u32, u64)> = groups.iter().map(|&at| (at, self.get(at).live)).collect();
        let (mut taken, mut found) = (Vec::new(), Vec::new());
        while found.len() < most {
            let mut best: Option<(usize, GroupEntry)> = None;
            for (place, &(at, _)) in left.iter().enumerate().filter(|(_, group)| group.1 > 0) {
                let entry = self.first(at, context);
                if best.is_none_or(|(_, best)| precedes(self.ties, context.symbols, &entry, &best)) {
                    best = Some((place, entry));
                }
            }
            let Some((place, entry)) = best else {
                break;
            };
            found.push(entry.pair);
            if found.len() == most {
                break;
            }
            // Taken out of its heap, so that the pair after it is found.
            let (at, live) = &mut left[place];
            *live -= 1;
            taken.push((*at, entry));
            let heap = &mut self.groups[*at as usize].heap;
            heap.swap_remove(0);
            sift_down(heap, 0, |one, other| precedes(self.ties, context.symbols, one, other));
        }
        for (at, entry) in taken {
            let heap = &mut self.groups[at as usize].heap;
            heap.push(entry);
            sift_up(heap, |one, other| precedes(self.ties, context.symbols, one, other));
        }
        found
    }

    /// Returns the rule's first sort key of a pair. Under `First` it only grows while the pair is live.
    fn rank(&self, id: u32, context: &mut TieContext<'_>) -> u64 {
        let (left, right) = (context.pairs.get(id).left, context.pairs.get(id).right);
        match self.ties {
            Ties::Lex => leading_bytes(context.symbols.name(left)),
            Ties::SentencePiece => u64::from(context.symbols.merged_length(left, right)),
            Ties::First => u64::from(context.pairs.earliest(id, context.symbols.width(left), context.segments)),
            Ties::Hf => u64::from(left) << 32 | u64::from(right),
        }
    }
}

/// Returns the first eight bytes as an integer with the same order.
fn leading_bytes(name: &str) -> u64 {
    let mut word = [0; 8];
    let len = name.len().min(8);
    word[..len].copy_from_slice(&name.as_bytes()[..len]);
    u64::from_be_bytes(word)
}

/// Returns whether one entry precedes the other by the tie rule.
fn precedes(ties: Ties, symbols: &Symbols, one: &GroupEntry, other: &GroupEntry) -> bool {
    let ranks = one.rank.cmp(&other.rank);
    let lefts = || symbols.compare(one.left, other.left);
    let rights = || symbols.compare(one.right, other.right);
    match ties {
        Ties::First | Ties::Hf => ranks,
        Ties::Lex => ranks.then_with(lefts).then_with(rights),
        Ties::SentencePiece => {
            let merged = |pair: &GroupEntry| symbols.merged_bytes(pair.left, pair.right);
            ranks.then_with(|| merged(one).cmp(merged(other))).then_with(lefts)
        }
    }
    .is_lt()
}
