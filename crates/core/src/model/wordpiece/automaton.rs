//! The vocabulary as a trie with failure links: longest match in time linear in the word.
//!
//! `LinMaxMatch` (Song et al. 2021, "Fast `WordPiece` Tokenization"), extended so that it covers every policy
//! for unknown characters. Two tries share one array of nodes: one for tokens at the start of a word, one
//! for those that continue it. When no transition leads on from a node, the greedy tokens of the text it
//! stands for (its *pops*) are final, and its *link* is the node for the text they leave over:
//!
//! * a node that is a token pops that token and links to the continuing root;
//! * any other node pops what its parent pops, then follows links until one has a transition with the
//!   node's own character; at a root without one, the character itself is popped as unmatched.
//!
//! The last clause is ours. With it there is always a link, and whether unmatched characters make the whole
//! word unknown is left to the caller.
//!
//! **Size.** Pops of a node repeat those of others, and written out they can take space quadratic in a
//! token's length. They are kept as ropes: a node holds at most one join for each link it followed, and
//! links shorten the text, so nodes and ropes together are linear in the vocabulary's characters.
//! **Time.** Every step consumes a character or pops tokens, every pop emits, so a word costs O(characters),
//! times the logarithm of a node's fan-out.

use crate::span::Span;

/// A node of the trie.
type Node = u32;
/// A rope of pops.
type Rope = u32;

const NONE: u32 = u32::MAX;
const START: Node = 0;
const CONTINUING: Node = 1;
/// Below this fan-out a scan beats a binary search.
const SCAN: usize = 8;

/// What a matched stretch of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// A token, with its length in the text.
    Token { id: u32, bytes: u32 },
    /// A character that no token covers.
    Unmatched { bytes: u32 },
}

#[derive(Debug, Clone, Copy)]
enum Pop {
    Piece(Piece),
    Join(Rope, Rope),
}

/// Both tries, children of a node in one run sorted by label.
#[derive(Debug)]
pub(super) struct Automaton {
    labels: Vec<char>,
    first_child: Vec<Node>,
    links: Vec<Node>,
    pops: Vec<Rope>,
    ropes: Vec<Pop>,
    /// The roots' children by ASCII label.
    ascii: [[Node; 128]; 2],
}

impl Automaton {
    pub(super) fn new<'a>(tokens: impl Iterator<Item = (&'a str, u32)>, prefix: &str) -> Self {
        let mut automaton = Self {
            labels: vec!['\0'; 2],
            first_child: Vec::new(),
            links: Vec::new(),
            pops: Vec::new(),
            ropes: Vec::new(),
            ascii: [[NONE; 128]; 2],
        };
        Builder::new(&Keys::new(tokens, prefix), &mut automaton).build();
        automaton
    }

    /// Feeds every piece of the word to `emit`, which may end the walk by returning false.
    pub(super) fn walk(&self, word: &str, stack: &mut Vec<u32>, mut emit: impl FnMut(Piece) -> bool) {
        let mut node = START;
        for c in word.chars() {
            loop {
                if let Some(child) = self.child(node, c) {
                    node = child;
                    break;
                }
                if node <= CONTINUING {
                    node = CONTINUING;
                    if !emit(unmatched(c)) {
                        return;
                    }
                    break;
                }
                if !self.unroll(self.pops[node as usize], stack, &mut emit) {
                    return;
                }
                node = self.links[node as usize];
            }
        }
        while node > CONTINUING {
            if !self.unroll(self.pops[node as usize], stack, &mut emit) {
                return;
            }
            node = self.links[node as usize];
        }
    }

    fn child(&self, node: Node, c: char) -> Option<Node> {
        if node <= CONTINUING && c.is_ascii() {
            let child = self.ascii[node as usize][c as usize];
            return (child != NONE).then_some(child);
        }
        self.search_child(node, c)
    }

    fn search_child(&self, node: Node, c: char) -> Option<Node> {
        let first = self.first_child[node as usize];
        let labels = &self.labels[first as usize..self.first_child[node as usize + 1] as usize];
        let place = if labels.len() <= SCAN {
            labels.iter().position(|&label| label == c)
        } else {
            labels.binary_search(&c).ok()
        }?;
        Some(first + index(place))
    }

    /// Emits the pieces of a rope from left to right.
    fn unroll(&self, rope: Rope, stack: &mut Vec<Rope>, emit: &mut impl FnMut(Piece) -> bool) -> bool {
        stack.clear();
        stack.push(rope);
        while let Some(rope) = stack.pop() {
            match self.ropes[rope as usize] {
                Pop::Join(left, right) => stack.extend([right, left]),
                Pop::Piece(piece) => {
                    if !emit(piece) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn index_roots(&mut self) {
        for root in [START, CONTINUING] {
            for code in 0..128_u8 {
                let child = self.search_child(root, char::from(code));
                self.ascii[root as usize][usize::from(code)] = child.unwrap_or(NONE);
            }
        }
    }

    /// Pops and link of a node whose shallower nodes are done.
    fn pops_of(&mut self, node: Node, parent: Node, token: Option<Piece>) -> (Rope, Node) {
        let label = self.labels[node as usize];
        match token {
            Some(piece) => (self.rope(Pop::Piece(piece)), CONTINUING),
            None if parent <= CONTINUING => (self.rope(Pop::Piece(unmatched(label))), CONTINUING),
            None => self.follow(parent, label),
        }
    }

    fn follow(&mut self, parent: Node, label: char) -> (Rope, Node) {
        let mut rope = self.pops[parent as usize];
        let mut node = self.links[parent as usize];
        loop {
            if let Some(child) = self.child(node, label) {
                return (rope, child);
            }
            if node == CONTINUING {
                let last = self.rope(Pop::Piece(unmatched(label)));
                return (self.rope(Pop::Join(rope, last)), CONTINUING);
            }
            rope = self.rope(Pop::Join(rope, self.pops[node as usize]));
            node = self.links[node as usize];
        }
    }

    fn rope(&mut self, pop: Pop) -> Rope {
        self.ropes.push(pop);
        index(self.ropes.len() - 1)
    }
}

fn unmatched(c: char) -> Piece {
    Piece::Unmatched { bytes: index(c.len_utf8()) }
}

/// Vocabularies are read into memory as text, so their nodes are far from 2^32.
fn index(place: usize) -> u32 {
    u32::try_from(place).expect("a vocabulary of fewer than 2^32 characters")
}

/// A text to match, by where it stands in [`Keys`], and its id.
#[derive(Debug, Clone, Copy)]
struct Key {
    span: Span,
    id: u32,
}

/// The texts to match, in the order of the trie: at the start of a word, then after it.
///
/// They are copied in that order, since the trie is built level by level, and each level reads all of them.
struct Keys {
    text: String,
    start: Vec<Key>,
    continuing: Vec<Key>,
}

impl Keys {
    fn new<'a>(tokens: impl Iterator<Item = (&'a str, u32)>, prefix: &str) -> Self {
        let tokens = tokens.filter(|(token, _)| !token.is_empty());
        // The first bytes stand in front, so that most comparisons need not look further.
        let mut sorted: Vec<(u64, &str, u32)> = tokens.map(|(token, id)| (first_bytes(token), token, id)).collect();
        sorted.sort_unstable();
        let mut keys = Self {
            text: String::with_capacity(sorted.iter().map(|(_, token, _)| token.len()).sum()),
            start: Vec::with_capacity(sorted.len()),
            continuing: Vec::new(),
        };
        for (_, token, id) in sorted {
            let at = keys.text.len();
            keys.text.push_str(token);
            keys.start.push(Key { span: Span::new(at, keys.text.len()), id });
            // What follows the prefix is in order, too; without prefix that is everything.
            if token.starts_with(prefix) && token.len() > prefix.len() {
                keys.continuing.push(Key { span: Span::new(at + prefix.len(), keys.text.len()), id });
            }
        }
        keys
    }
}

/// The first eight bytes as a number that sorts as they do.
fn first_bytes(text: &str) -> u64 {
    let mut first = [0; 8];
    let length = text.len().min(8);
    first[..length].copy_from_slice(&text.as_bytes()[..length]);
    u64::from_be_bytes(first)
}

/// The keys below a node: a run of a sorted list whose members all share their first `depth` bytes.
#[derive(Debug, Clone, Copy)]
struct Run<'a> {
    keys: &'a [Key],
    depth: u32,
    parent: Node,
}

/// Makes the nodes in breadth-first order; those with the same parent stand together, sorted by label. Pops and link
/// of a node only hang on shallower ones, so they are set on the way.
struct Builder<'a, 'o> {
    text: &'a str,
    level: Vec<Run<'a>>,
    out: &'o mut Automaton,
}

impl<'a, 'o> Builder<'a, 'o> {
    fn new(keys: &'a Keys, out: &'o mut Automaton) -> Self {
        let root = |keys| Run { keys, depth: 0, parent: START };
        Self { text: &keys.text, level: vec![root(&keys.start), root(&keys.continuing)], out }
    }

    fn build(mut self) {
        let mut node = 0;
        while !self.level.is_empty() {
            let mut next = Vec::with_capacity(self.level.len());
            for run in std::mem::take(&mut self.level) {
                self.add(node, run, &mut next);
                node += 1;
            }
            if node == 2 {
                self.out.first_child.push(index(self.out.labels.len()));
                self.out.index_roots();
                self.out.first_child.pop();
            }
            self.level = next;
        }
        self.out.first_child.push(index(self.out.labels.len()));
    }

    fn add(&mut self, node: Node, Run { mut keys, depth, parent }: Run<'a>, next: &mut Vec<Run<'a>>) {
        let mut token = None;
        if let Some(&Key { span, id }) = keys.first()
            && span.end - span.start == depth
        {
            token = Some(Piece::Token { id, bytes: depth });
            keys = &keys[1..];
        }
        let (rope, link) = if node <= CONTINUING { (NONE, CONTINUING) } else { self.out.pops_of(node, parent, token) };
        self.out.pops.push(rope);
        self.out.links.push(link);
        self.out.first_child.push(index(self.out.labels.len()));
        while let Some(key) = keys.first() {
            let label = self.rest(key, depth).chars().next().expect("longer than the depth");
            let is_below = |other: &Key| self.rest(other, depth).starts_with(label);
            let size = if keys.len() == 1 { 1 } else { keys.partition_point(is_below) };
            self.out.labels.push(label);
            next.push(Run { keys: &keys[..size], depth: depth + index(label.len_utf8()), parent: node });
            keys = &keys[size..];
        }
    }

    fn rest(&self, key: &Key, depth: u32) -> &'a str {
        &self.text[(key.span.start + depth) as usize..key.span.end as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(tokens: &[&str], prefix: &str, word: &str) -> Vec<String> {
        let automaton = Automaton::new(tokens.iter().copied().zip(0..), prefix);
        let mut found = Vec::new();
        automaton.walk(word, &mut Vec::new(), |piece| {
            found.push(match piece {
                Piece::Token { id, .. } => tokens[id as usize].to_owned(),
                Piece::Unmatched { .. } => "?".to_owned(),
            });
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
    fn unmatched_characters_do_not_end_the_walk() {
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
        automaton.walk(word, &mut Vec::new(), |_| {
            count += 1;
            true
        });
        assert_eq!(count, word.len());
    }
}
