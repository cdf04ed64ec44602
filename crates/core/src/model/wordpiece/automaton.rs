//! Longest match in time linear in the word: the vocabulary as a trie with failure links.
//!
//! The algorithm is `LinMaxMatch` (Song et al. 2021, "Fast `WordPiece` Tokenization"), extended to every policy for
//! unknown characters. Two tries share one array of nodes: one for tokens at the start of a word, one for those that
//! continue it. If a node has no transition for the next character, the greedy tokens of the node's text (its *pops*)
//! are final, and its *link* is the node for the rest of that text:
//!
//! * a node that is a token pops that token and links to the continuing root;
//! * any other node pops what its parent pops, then follows links until one has a transition with the node's own
//!   character; at a root without one, the character itself is popped as unmatched.
//!
//! The last clause is ours. With it there is always a link, and the caller decides whether unmatched characters make
//! the whole word unknown; the search ends early if they do. Without it a search ends where there is no link, which
//! fits only the policy of BERT. A token that begins with the prefix is in both tries; with an empty prefix they are
//! equal.
//!
//! **Labels.** The nodes are a double array over bytes: the children of a node lie within 256 slots, so that no
//! vocabulary spreads them out. But a step takes all bytes of a character, and a node has pops and a link only at its
//! end.
//!
//! **Size.** Pops of a node repeat those of others; explicit lists can take space quadratic in the length of a token.
//! They are stored as ropes: a node has at most one join for each link it followed, and links shorten the text, so
//! nodes and ropes together are linear in the vocabulary's characters.
//! **Time.** Every step consumes a character or pops tokens, and every pop emits, so a word costs O(characters).

use crate::lattice::UNKNOWN;
use crate::memory::{Growable, lengthen, with_room};
use crate::model::long_pieces::{LongMatches, LongPieces, MOST_STEPS, is_long};
use crate::numbers::random::Dropout;
use crate::stop::{self, Work};
use crate::strings::free_slots::FreeSlots;
use crate::text::span::Span;

/// The index of a node.
type Node = u32;
/// The index of a rope of pops.
type Rope = u32;

const NONE: u32 = u32::MAX;
const START: Node = 0;
const CONTINUING: Node = 1;

/// A node of a rope: a popped piece, or two ropes.
#[derive(Debug, Clone, Copy)]
enum Pop {
    /// A token, or a character that no token covers, which is [`UNKNOWN`], with its length in the text in bytes.
    Piece(u32, u32),
    Join(Rope, Rope),
}

/// A node in the double array.
#[derive(Debug, Clone, Copy)]
struct TrieSlot {
    /// The base: its sum with a byte is the index of the child.
    base: u32,
    /// The parent; [`NONE`] in an empty slot.
    parent: Node,
    // Defined only where a character ends:
    link: Node,
    pops: Rope,
}

impl TrieSlot {
    const EMPTY: Self = Self { base: 0, parent: NONE, link: CONTINUING, pops: NONE };
}

/// Both tries in one double array.
///
/// A child's index is its parent's base plus its byte, and its slot stores the parent. The trie is over bytes, so that
/// no vocabulary scatters the array widely, but a step consumes a whole character.
#[derive(Debug)]
pub(super) struct Automaton {
    slots: Vec<TrieSlot>,
    ropes: Vec<Pop>,
    /// The tokens inside words that are too long for walks from each character.
    long: Option<LongPieces>,
}

impl Automaton {
    /// Builds the automaton in time linear in the tokens' bytes, apart from sorting them.
    pub(super) fn new<'a>(tokens: impl Iterator<Item = (&'a str, u32)>, prefix: &str) -> Self {
        let keys = Keys::new(tokens, prefix);
        // There are at most as many nodes as bytes, so nothing is reallocated; large vocabularies need fewer.
        let capacity = keys.text.len().min(1 << 20);
        let mut automaton = Self { slots: with_room(capacity), ropes: with_room(capacity), long: keys.long() };
        automaton.slots.resize(2, TrieSlot::EMPTY);
        Builder::new(&keys.text, &mut automaton).build(&keys);
        automaton.slots.shrink_to_fit();
        automaton.ropes.shrink_to_fit();
        automaton
    }

    /// Passes every piece of the word to `emit`, which may end the search by returning false.
    ///
    /// A piece is the id of a token, or [`UNKNOWN`] for a character that no token covers, and its length in bytes.
    pub(super) fn walk(&self, word: &str, stack: &mut Vec<u32>, mut emit: impl FnMut(u32, u32) -> bool) {
        let (mut node, mut work) = (START, Work::default());
        let mut rest = word.as_bytes();
        while let Some(&first) = rest.first() {
            work.add(1);
            let (c, after) = rest.split_at(length(first));
            rest = after;
            loop {
                if let Some(child) = self.child(node, c) {
                    node = child;
                    break;
                }
                if node <= CONTINUING {
                    node = CONTINUING;
                    if !emit(UNKNOWN, index(c.len())) {
                        return;
                    }
                    break;
                }
                let TrieSlot { pops, link, .. } = self.slots[node as usize];
                if !self.emit_rope(pops, stack, &mut emit) {
                    return;
                }
                node = link;
            }
        }
        while node > CONTINUING {
            let TrieSlot { pops, link, .. } = self.slots[node as usize];
            if !self.emit_rope(pops, stack, &mut emit) {
                return;
            }
            node = link;
        }
    }

    /// Matches with dropout of tokens, except single characters (W21). The cost is linear in the word and the
    /// tokens that it contains.
    pub(super) fn walk_with_dropout(&self, word: &str, dropout: &mut Dropout, mut emit: impl FnMut(u32, u32) -> bool) {
        let (mut start, mut long) = (0, self.long_matches(word));
        let mut work = Work::default();
        while let Some(first) = word[start..].chars().next() {
            work.add(1);
            let (mut piece, mut end) = (UNKNOWN, first.len_utf8());
            self.each(word, start, &mut long, |bytes, id| {
                if bytes == first.len_utf8() || !dropout.passes() {
                    (piece, end) = (id, bytes);
                }
            });
            if !emit(piece, index(end)) {
                return;
            }
            start += end;
        }
    }

    /// Returns the matches of long tokens inside a word.
    pub(super) fn long_matches(&self, word: &str) -> LongMatches<'_> {
        LongMatches::new(self.long.as_ref(), word)
    }

    /// Calls `each` with each token that a word has at byte `start`, the shortest first: its length in bytes and its id.
    ///
    /// `long` is the result of [`Self::long_matches`].
    pub(super) fn each(&self, word: &str, start: usize, long: &mut LongMatches<'_>, mut each: impl FnMut(usize, u32)) {
        let (mut node, most) = if start == 0 { (START, usize::MAX) } else { (CONTINUING, MOST_STEPS) };
        let (mut rest, mut end) = (&word.as_bytes()[start..], 0);
        for _ in 0..most {
            let Some(&first) = rest.first() else { break };
            let (c, after) = rest.split_at(length(first));
            let Some(child) = self.child(node, c) else { break };
            (node, rest, end) = (child, after, end + c.len());
            let TrieSlot { pops, link, .. } = self.slots[node as usize];
            if link == CONTINUING
                && let Pop::Piece(id, bytes) = self.ropes[pops as usize]
                && bytes as usize == end
                && id != UNKNOWN
            {
                each(end, id);
            }
        }
        if start > 0 {
            long.each(start, each);
        }
    }

    /// Returns the child of a node for the bytes of a character.
    #[inline]
    fn child(&self, mut node: Node, c: &[u8]) -> Option<Node> {
        for &byte in c {
            let place = self.slots[node as usize].base.wrapping_add(u32::from(byte));
            if self.slots.get(place as usize).is_none_or(|slot| slot.parent != node) {
                return None;
            }
            node = place;
        }
        Some(node)
    }

    /// Emits the pieces of a rope from left to right.
    #[inline]
    fn emit_rope(&self, rope: Rope, stack: &mut Vec<Rope>, emit: &mut impl FnMut(u32, u32) -> bool) -> bool {
        match self.ropes[rope as usize] {
            Pop::Piece(id, bytes) => emit(id, bytes),
            Pop::Join(..) => self.emit_joined(rope, stack, emit),
        }
    }

    /// Emits the pieces of a rope of several pieces.
    fn emit_joined(&self, rope: Rope, stack: &mut Vec<Rope>, emit: &mut impl FnMut(u32, u32) -> bool) -> bool {
        stack.clear();
        stack.push(rope);
        while let Some(rope) = stack.pop() {
            match self.ropes[rope as usize] {
                Pop::Join(left, right) => stack.extend([right, left]),
                Pop::Piece(id, bytes) => {
                    if !emit(id, bytes) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Returns the pops and the link of a node, if those of shallower nodes are set.
    fn pops_and_link(&mut self, parent: Node, label: &[u8], token: Option<Pop>) -> (Rope, Node) {
        match token {
            Some(token) => (self.rope(token), CONTINUING),
            None if parent <= CONTINUING => (self.rope(unmatched(label)), CONTINUING),
            None => self.follow_links(parent, label),
        }
    }

    /// Returns the pops and the link of a node that is not a token, by its parent's links.
    fn follow_links(&mut self, parent: Node, label: &[u8]) -> (Rope, Node) {
        let TrieSlot { pops: mut rope, link: mut node, .. } = self.slots[parent as usize];
        loop {
            if let Some(child) = self.child(node, label) {
                return (rope, child);
            }
            if node == CONTINUING {
                let last = self.rope(unmatched(label));
                return (self.rope(Pop::Join(rope, last)), CONTINUING);
            }
            let TrieSlot { pops, link, .. } = self.slots[node as usize];
            rope = self.rope(Pop::Join(rope, pops));
            node = link;
        }
    }

    /// Adds a rope and returns its index.
    fn rope(&mut self, pop: Pop) -> Rope {
        self.ropes.make_room(1);
        self.ropes.push(pop);
        index(self.ropes.len() - 1)
    }
}

fn unmatched(c: &[u8]) -> Pop {
    Pop::Piece(UNKNOWN, index(c.len()))
}

/// Returns the length of a character in bytes, from its first byte.
#[inline]
fn length(first: u8) -> usize {
    match first {
        0..0x80 => 1,
        0x80..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    }
}

/// Converts an index to u32: vocabularies fit into memory as text, so they have far fewer than 2^32 nodes.
fn index(place: usize) -> u32 {
    u32::try_from(place).expect("a vocabulary of fewer than 2^32 characters")
}

/// A text to match: its span in [`Keys`], and its id.
type Key = (Span, u32);

/// The texts to match in trie order, first those at the start of a word, then those that continue it.
///
/// They are copied in this order, since the trie is built level by level, and each level reads all of them.
struct Keys {
    text: String,
    start: Vec<Key>,
    continuing: Vec<Key>,
}

impl Keys {
    fn new<'a>(tokens: impl Iterator<Item = (&'a str, u32)>, prefix: &str) -> Self {
        let tokens = tokens.filter(|(token, _)| !token.is_empty());
        // The first bytes come first in the sort key, so most comparisons are decided by them.
        let mut sorted: Vec<(u64, &str, u32)> = Vec::new();
        for (token, id) in tokens {
            sorted.make_room(1);
            sorted.push((first_bytes(token), token, id));
        }
        sorted.sort_unstable();
        let mut keys = Self { text: String::new(), start: with_room(sorted.len()), continuing: Vec::new() };
        keys.text.make_room(sorted.iter().map(|(_, token, _)| token.len()).sum());
        for (_, token, id) in sorted {
            let at = keys.text.len();
            keys.text.push_str(token);
            keys.start.push((Span::new(at, keys.text.len()), id));
            // The texts without prefix are in order too; with an empty prefix they are all texts.
            if token.starts_with(prefix) && token.len() > prefix.len() {
                keys.continuing.make_room(1);
                keys.continuing.push((Span::new(at + prefix.len(), keys.text.len()), id));
            }
        }
        keys
    }

    /// Returns the long ones of the texts that continue a word.
    fn long(&self) -> Option<LongPieces> {
        let texts = self.continuing.iter().map(|&(span, id)| (&self.text[span.range()], id));
        LongPieces::new(&texts.filter(|(text, _)| is_long(text)).collect::<Vec<_>>())
    }
}

/// Returns the first eight bytes as an integer with the same order.
fn first_bytes(text: &str) -> u64 {
    let mut first = [0; 8];
    let length = text.len().min(8);
    first[..length].copy_from_slice(&text.as_bytes()[..length]);
    u64::from_be_bytes(first)
}

/// The keys below a node: a range of the sorted list whose members share their first `depth` bytes.
#[derive(Debug, Clone, Copy)]
struct KeyRange<'a> {
    keys: &'a [Key],
    depth: u32,
    node: Node,
    /// The node and the depth at the start of the current character.
    above: (Node, u32),
}

/// A builder of nodes in breadth-first order; pops and link of a node depend only on shallower ones.
struct Builder<'a, 'o> {
    text: &'a str,
    free: FreeSlots,
    /// The bytes of the transitions of a node.
    labels: Vec<u8>,
    out: &'o mut Automaton,
}

impl<'a, 'o> Builder<'a, 'o> {
    fn new(text: &'a str, out: &'o mut Automaton) -> Self {
        Self { text, free: FreeSlots::from(2), labels: Vec::new(), out }
    }

    /// Adds all nodes, level by level.
    fn build(mut self, keys: &'a Keys) {
        let root = |node, keys| KeyRange { keys, depth: 0, node, above: (node, 0) };
        let mut level = vec![root(START, keys.start.as_slice()), root(CONTINUING, &keys.continuing)];
        let mut next = Vec::new();
        while !level.is_empty() {
            for run in level.drain(..) {
                self.add(run, &mut next);
            }
            std::mem::swap(&mut level, &mut next);
        }
    }

    /// Sets the pops and the link of a node, and places its children.
    fn add(&mut self, KeyRange { mut keys, depth, node, mut above }: KeyRange<'a>, next: &mut Vec<KeyRange<'a>>) {
        let Some(&(span, id)) = keys.first() else { return };
        if self.text.is_char_boundary((span.start + depth) as usize) {
            let is_token = span.end - span.start == depth;
            let token = is_token.then_some(Pop::Piece(id, depth));
            if node > CONTINUING {
                let label = &self.rest(span, above.1)[..(depth - above.1) as usize];
                let (pops, link) = self.out.pops_and_link(above.0, label, token);
                let slot = &mut self.out.slots[node as usize];
                (slot.pops, slot.link) = (pops, link);
            }
            above = (node, depth);
            keys = &keys[usize::from(is_token)..];
        }
        let first = next.len();
        self.labels.clear();
        while let Some(&(span, _)) = keys.first() {
            let label = self.rest(span, depth)[0];
            self.labels.push(label);
            let is_below = |&(span, _): &Key| self.rest(span, depth)[0] == label;
            let size = if keys.len() == 1 { 1 } else { keys.partition_point(is_below) };
            next.make_room(1);
            next.push(KeyRange { keys: &keys[..size], depth: depth + 1, node, above });
            keys = &keys[size..];
        }
        stop::check_growth(first, next.len());
        if first < next.len() {
            self.place(node, &mut next[first..]);
        }
    }

    /// Places the children of a node in free slots.
    fn place(&mut self, parent: Node, children: &mut [KeyRange<'a>]) {
        let base = self.free.base(&self.labels.iter().map(|&label| u32::from(label)), |_| true);
        let slots = &mut self.out.slots;
        slots[parent as usize].base = base;
        for (child, &label) in children.iter_mut().zip(&self.labels) {
            child.node = base.wrapping_add(u32::from(label));
            lengthen(slots, child.node as usize + 1, TrieSlot::EMPTY);
            slots[child.node as usize].parent = parent;
            self.free.take(child.node);
        }
    }

    /// Returns the bytes of a key from `depth` on.
    fn rest(&self, key: Span, depth: u32) -> &'a [u8] {
        &self.text.as_bytes()[(key.start + depth) as usize..key.end as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(tokens: &[&str], prefix: &str, word: &str) -> Vec<String> {
        let automaton = Automaton::new(tokens.iter().copied().zip(0..), prefix);
        let mut found = Vec::new();
        automaton.walk(word, &mut Vec::new(), |id, _| {
            found.push(tokens.get(id as usize).copied().unwrap_or("?").to_owned());
            true
        });
        found
    }

    #[test]
    fn the_example_of_the_paper() {
        let vocab = ["a", "abcdx", "##b", "##c", "##cdy", "##dz"];
        assert_eq!(pieces(&vocab, "##", "abcdz"), ["a", "##b", "##c", "##dz"]);
        assert_eq!(pieces(&vocab, "##", "abcd"), ["a", "##b", "##c", "?"]);
        assert_eq!(pieces(&vocab, "##", "z"), ["?"]);
    }

    #[test]
    fn unmatched_characters_do_not_end_the_search() {
        let vocab = ["x", "##x", "##c", "##luo"];
        assert_eq!(pieces(&vocab, "##", "ğxcluo"), ["?", "##x", "##c", "##luo"]);
    }

    #[test]
    fn a_token_may_begin_with_the_prefix_itself() {
        assert_eq!(pieces(&["##a", "b"], "##", "##ab"), ["##a", "?"]);
        assert_eq!(pieces(&["##a", "b"], "##", "b##a"), ["b", "?", "?", "##a"]);
    }

    #[test]
    fn without_prefix_both_tries_are_the_same() {
        assert_eq!(pieces(&["a", "ab", "b"], "", "abab b"), ["ab", "ab", "?", "b"]);
    }

    #[test]
    fn pops_of_a_long_token_stay_linear() {
        let long = format!("x{}b", "a".repeat(200_000));
        let word = &long[..long.len() - 1];
        let automaton = Automaton::new([("x", 0), ("##a", 1), (long.as_str(), 2)].into_iter(), "##");
        let mut count = 0;
        automaton.walk(word, &mut Vec::new(), |_, _| {
            count += 1;
            true
        });
        assert_eq!(count, word.len());
    }
}
