//! Pairs whose scores are equal, and which of them is first by the tie rule.

use hashbrown::HashMap;

use super::Hash;
use super::pairs::{COLD, Pairs};
use super::score::{Counts, Signature};
use super::segments::{Segments, number};
use super::symbols::Symbols;

/// Which of several best pairs is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ties {
    /// The left symbol as written, then the right, by UTF-8 bytes.
    #[default]
    Lex,
    /// The pair whose earliest live occurrence comes first.
    First,
    /// The left symbol's id, then the right one's.
    Hf,
    /// What the merge makes: the shorter first, in characters, then by UTF-8 bytes.
    SentencePiece,
}

/// What the tie rules look at.
pub(crate) struct Table<'a> {
    pub(crate) pairs: &'a mut Pairs,
    pub(crate) symbols: &'a Symbols,
    pub(crate) segments: &'a Segments,
}

#[derive(Clone, Copy)]
struct Member {
    /// The rule's first word; rules that compare names have more to say.
    rank: u64,
    left: u32,
    right: u32,
    pair: u32,
    version: u32,
}

/// A set of pairs with one signature; the members lie in a heap, some of them gone.
pub(crate) struct Group {
    signature: Signature,
    /// The counts of any member.
    pub(crate) counts: Counts,
    /// How many members are not gone.
    pub(crate) live: u64,
    heap: Vec<Member>,
}

/// All groups, by number and by signature.
pub(crate) struct Groups {
    ties: Ties,
    groups: Vec<Group>,
    free: Vec<u32>,
    index: HashMap<Signature, u32, Hash>,
}

impl Groups {
    /// No groups yet.
    pub(crate) fn new(ties: Ties) -> Self {
        let index = HashMap::with_hasher(Hash::default());
        Self { ties, groups: Vec::new(), free: Vec::new(), index }
    }

    pub(crate) fn get(&self, group: u32) -> &Group {
        &self.groups[group as usize]
    }

    /// Puts a pair into the group of its signature; gives that group, and whether it is new.
    pub(crate) fn insert(
        &mut self,
        id: u32,
        counts: Counts,
        signature: Signature,
        table: &mut Table<'_>,
    ) -> (u32, bool) {
        let found = self.index.get(&signature).copied();
        let at = found.unwrap_or_else(|| self.open(signature, counts));
        let rank = self.rank(id, table);
        let pair = table.pairs.get_mut(id);
        pair.group = at;
        pair.version += 1;
        let member = Member { rank, left: pair.left, right: pair.right, pair: id, version: pair.version };
        let group = &mut self.groups[at as usize];
        group.live += 1;
        group.heap.push(member);
        rise(&mut group.heap, &|one, other| before(self.ties, table.symbols, one, other));
        (at, found.is_none())
    }

    fn open(&mut self, signature: Signature, counts: Counts) -> u32 {
        let group = Group { signature, counts, live: 0, heap: Vec::new() };
        let at = if let Some(at) = self.free.pop() {
            self.groups[at as usize] = group;
            at
        } else {
            self.groups.push(group);
            number(self.groups.len() - 1)
        };
        self.index.insert(signature, at);
        at
    }

    /// Takes a pair out of its group; the caller renews its version.
    pub(crate) fn leave(&mut self, id: u32, pairs: &mut Pairs) {
        let pair = pairs.get_mut(id);
        self.groups[pair.group as usize].live -= 1;
        pair.group = COLD;
    }

    /// Forgets a group without members.
    pub(crate) fn close(&mut self, at: u32) {
        let group = &mut self.groups[at as usize];
        self.index.remove(&group.signature);
        group.heap = Vec::new();
        self.free.push(at);
    }

    /// The group's first member by the tie rule.
    fn first(&mut self, at: u32, table: &mut Table<'_>) -> Member {
        loop {
            let member = self.groups[at as usize].heap[0];
            let gone = table.pairs.get(member.pair).version != member.version;
            let rank = if gone { 0 } else { self.rank(member.pair, table) };
            if !gone && rank == member.rank {
                return member;
            }
            let heap = &mut self.groups[at as usize].heap;
            if gone {
                heap.swap_remove(0);
            } else {
                heap[0].rank = rank;
            }
            sink(heap, &|one, other| before(self.ties, table.symbols, one, other));
        }
    }

    /// The first pair of several groups.
    pub(crate) fn first_of(&mut self, groups: &[u32], table: &mut Table<'_>) -> Option<u32> {
        let mut best: Option<Member> = None;
        for &at in groups {
            let member = self.first(at, table);
            if best.is_none_or(|best| before(self.ties, table.symbols, &member, &best)) {
                best = Some(member);
            }
        }
        best.map(|member| member.pair)
    }

    /// The word by which the rule ranks a pair. Under `First` it can only grow while the pair lives.
    fn rank(&self, id: u32, table: &mut Table<'_>) -> u64 {
        let (left, right) = (table.pairs.get(id).left, table.pairs.get(id).right);
        match self.ties {
            Ties::Lex => leading_bytes(table.symbols.name(left)),
            Ties::SentencePiece => u64::from(table.symbols.length_joined(left, right)),
            Ties::First => u64::from(table.pairs.earliest(id, table.symbols.width(left), table.segments)),
            Ties::Hf => u64::from(left) << 32 | u64::from(right),
        }
    }
}

/// The first eight bytes as a number that orders as they do.
fn leading_bytes(name: &str) -> u64 {
    let mut word = [0; 8];
    let len = name.len().min(8);
    word[..len].copy_from_slice(&name.as_bytes()[..len]);
    u64::from_be_bytes(word)
}

fn before(ties: Ties, symbols: &Symbols, one: &Member, other: &Member) -> bool {
    let ranks = one.rank.cmp(&other.rank);
    let lefts = || symbols.compare(one.left, other.left);
    let rights = || symbols.compare(one.right, other.right);
    match ties {
        Ties::First | Ties::Hf => ranks,
        Ties::Lex => ranks.then_with(lefts).then_with(rights),
        Ties::SentencePiece => {
            let made = |pair: &Member| symbols.bytes_joined(pair.left, pair.right);
            ranks.then_with(|| made(one).cmp(made(other))).then_with(lefts)
        }
    }
    .is_lt()
}

/// Moves the last element of a heap to its place.
fn rise(heap: &mut [Member], before: &impl Fn(&Member, &Member) -> bool) {
    let mut at = heap.len() - 1;
    while at > 0 && before(&heap[at], &heap[(at - 1) / 2]) {
        heap.swap(at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

/// Moves the first element of a heap to its place.
fn sink(heap: &mut [Member], before: &impl Fn(&Member, &Member) -> bool) {
    let mut at = 0;
    loop {
        let mut child = 2 * at + 1;
        if child >= heap.len() {
            return;
        }
        if child + 1 < heap.len() && before(&heap[child + 1], &heap[child]) {
            child += 1;
        }
        if !before(&heap[child], &heap[at]) {
            return;
        }
        heap.swap(at, child);
        at = child;
    }
}
