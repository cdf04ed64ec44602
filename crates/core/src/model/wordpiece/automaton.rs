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
        let trie = Trie::new(&Keys::new(tokens, prefix));
        let mut automaton = Self {
            links: vec![CONTINUING; trie.labels.len()],
            pops: vec![NONE; trie.labels.len()],
            ropes: Vec::new(),
            ascii: [[NONE; 128]; 2],
            labels: trie.labels,
            first_child: trie.first_child,
        };
        automaton.index_roots();
        for (node, parent) in (2..).zip(trie.parents) {
            automaton.set_pops(node, parent, trie.tokens[node as usize]);
        }
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

    /// Sets pops and link of a node whose shallower nodes are done.
    fn set_pops(&mut self, node: Node, parent: Node, token: Option<Piece>) {
        let label = self.labels[node as usize];
        let (rope, link) = match token {
            Some(piece) => (self.rope(Pop::Piece(piece)), CONTINUING),
            None if parent <= CONTINUING => (self.rope(Pop::Piece(unmatched(label))), CONTINUING),
            None => self.follow(parent, label),
        };
        self.pops[node as usize] = rope;
        self.links[node as usize] = link;
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

/// The texts to match, in the order of the trie: at the start of a word, then after it.
struct Keys<'a> {
    start: Vec<(&'a str, u32)>,
    continuing: Vec<(&'a str, u32)>,
}

impl<'a> Keys<'a> {
    fn new(tokens: impl Iterator<Item = (&'a str, u32)>, prefix: &str) -> Self {
        let mut start: Vec<_> = tokens.filter(|(token, _)| !token.is_empty()).collect();
        start.sort_unstable();
        let mut continuing: Vec<_> = start
            .iter()
            .filter_map(|&(token, id)| Some((token.strip_prefix(prefix)?, id)))
            .filter(|(text, _)| !text.is_empty())
            .collect();
        continuing.sort_unstable();
        Self { start, continuing }
    }
}

/// The nodes in breadth-first order; those with the same parent stand together, sorted by label.
struct Trie {
    labels: Vec<char>,
    first_child: Vec<Node>,
    /// Parents of all nodes but the roots.
    parents: Vec<Node>,
    tokens: Vec<Option<Piece>>,
}

impl Trie {
    fn new(keys: &Keys<'_>) -> Self {
        let mut trie =
            Self { labels: vec!['\0'; 2], first_child: Vec::new(), parents: Vec::new(), tokens: vec![None; 2] };
        // The keys below a node are a run of the sorted list; all share its first `depth` bytes.
        let mut runs = vec![(&keys.start[..], 0), (&keys.continuing[..], 0)];
        let mut node = 0;
        while node < runs.len() {
            let (mut run, depth) = runs[node];
            if let Some(&(text, id)) = run.first()
                && text.len() == depth
            {
                if depth > 0 {
                    trie.tokens[node] = Some(Piece::Token { id, bytes: index(depth) });
                }
                run = &run[1..];
            }
            trie.first_child.push(index(runs.len()));
            while let Some(&(text, _)) = run.first() {
                let label = text[depth..].chars().next().expect("longer than the depth");
                let size = run.partition_point(|(other, _)| other[depth..].starts_with(label));
                trie.labels.push(label);
                trie.parents.push(index(node));
                trie.tokens.push(None);
                runs.push((&run[..size], depth + label.len_utf8()));
                run = &run[size..];
            }
            node += 1;
        }
        trie.first_child.push(index(runs.len()));
        trie
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
