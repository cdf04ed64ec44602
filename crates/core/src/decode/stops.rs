//! A search for stop strings in a text that arrives in fragments.

use std::collections::VecDeque;

use crate::stop::Work;

/// Strings at which a text stops, as an Aho-Corasick automaton: each byte costs amortized constant time.
///
/// The state after a text is the node of the longest end of the text that begins a string. Of the strings, the one that
/// ends first is found, and of those that end together the longest.
#[derive(Debug, Default)]
pub(crate) struct StopStrings {
    strings: Vec<Vec<u8>>,
    nodes: Vec<Node>,
}

/// A beginning of a string.
#[derive(Debug, Default)]
struct Node {
    children: Vec<(u8, u32)>,
    /// The node of its longest end that begins a string, too.
    failure: u32,
    /// A string that begins so, and the number of its bytes in the beginning.
    string: u32,
    length: u32,
    /// The longest string with which it ends.
    found: Option<u32>,
}

/// The result of a search in a fragment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// No string; the state after the fragment.
    Nothing(u32),
    /// A string, by its index, and the end of it in the fragment.
    Stop(usize, usize),
}

impl StopStrings {
    /// Returns the search for these strings, none of which is empty; their total length is below 2³².
    pub(crate) fn new(strings: &[String]) -> Self {
        let strings: Vec<Vec<u8>> = strings.iter().map(|string| string.as_bytes().to_vec()).collect();
        let mut search = Self { strings, nodes: vec![Node::default()] };
        for index in 0..search.strings.len() {
            search.insert(index);
        }
        search.link();
        search
    }

    fn insert(&mut self, index: usize) {
        let mut node = 0;
        for (length, byte) in (1..).zip(self.strings[index].clone()) {
            node = match self.child(node, byte) {
                Some(child) => child,
                None => {
                    let child = number(self.nodes.len());
                    self.nodes[node as usize].children.push((byte, child));
                    self.nodes.push(Node { string: number(index), length, ..Node::default() });
                    child
                }
            };
        }
        self.nodes[node as usize].found.get_or_insert(number(index));
    }

    /// Sets the failures, of short beginnings first.
    fn link(&mut self) {
        let mut queue = VecDeque::from([0]);
        while let Some(node) = queue.pop_front() {
            for (byte, child) in self.nodes[node as usize].children.clone() {
                let failure = if node == 0 { 0 } else { self.next(self.nodes[node as usize].failure, byte) };
                let found = self.nodes[child as usize].found.or(self.nodes[failure as usize].found);
                (self.nodes[child as usize].failure, self.nodes[child as usize].found) = (failure, found);
                queue.push_back(child);
            }
        }
    }

    fn child(&self, node: u32, byte: u8) -> Option<u32> {
        let children = &self.nodes[node as usize].children;
        children.iter().find(|&&(own, _)| own == byte).map(|&(_, child)| child)
    }

    /// Returns the state after another byte.
    fn next(&self, mut node: u32, byte: u8) -> u32 {
        loop {
            if let Some(child) = self.child(node, byte) {
                return child;
            }
            if node == 0 {
                return 0;
            }
            node = self.nodes[node as usize].failure;
        }
    }

    /// Returns whether there is no string.
    pub(crate) fn is_empty(&self) -> bool {
        self.strings.is_empty()
    }

    /// Searches a fragment of a text, after the state `node`, 0 before a text.
    pub(crate) fn search(&self, mut node: u32, fragment: &[u8]) -> Found {
        let mut work = Work::default();
        for (at, &byte) in fragment.iter().enumerate() {
            work.add(1);
            node = self.next(node, byte);
            if let Some(index) = self.nodes[node as usize].found {
                return Found::Stop(index as usize, at + 1);
            }
        }
        Found::Nothing(node)
    }

    /// Returns the end of the text that begins a string, in a state.
    pub(crate) fn held(&self, node: u32) -> &[u8] {
        match self.nodes.get(node as usize) {
            Some(node) if node.length > 0 => &self.strings[node.string as usize][..node.length as usize],
            _ => &[],
        }
    }

    /// Returns the number of bytes of a string.
    pub(crate) fn length(&self, index: usize) -> usize {
        self.strings[index].len()
    }
}

/// Returns a number that is below 2³² since the length of all strings is.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the index of the stop and its end, by trying all ends.
    fn first(strings: &[String], text: &[u8]) -> Option<(usize, usize)> {
        (1..=text.len()).find_map(|end| {
            let ending = strings.iter().enumerate().filter(|(_, string)| text[..end].ends_with(string.as_bytes()));
            let (index, _) = ending.min_by_key(|(index, string)| (usize::MAX - string.len(), *index))?;
            Some((index, end))
        })
    }

    #[test]
    fn finds_the_string_that_ends_first() {
        let mut state = 7_u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % limit
        };
        for _ in 0..20_000 {
            let mut string =
                |longest: usize| -> String { (0..=below(longest)).map(|_| ['a', 'b', 'é'][below(3)]).collect() };
            let strings: Vec<String> = (0..3).map(|_| string(5)).collect();
            let text = string(20);
            let search = StopStrings::new(&strings);
            let (mut node, mut found, mut done) = (0, None, 0);
            for byte in text.as_bytes() {
                match search.search(node, &[*byte]) {
                    Found::Nothing(next) => node = next,
                    Found::Stop(index, _) => {
                        found = Some((index, done + 1));
                        break;
                    }
                }
                done += 1;
                let held = search.held(node);
                assert!(text.as_bytes()[..done].ends_with(held));
                let begins = |from: usize| {
                    strings.iter().any(|string| string.as_bytes().starts_with(&text.as_bytes()[from..done]))
                };
                assert_eq!(
                    done - held.len(),
                    (0..=done).find(|&from| begins(from)).unwrap(),
                    "no more is held back than may begin a stop"
                );
            }
            let wanted = first(&strings, text.as_bytes());
            assert_eq!(found, wanted, "{strings:?} in {text:?}");
            let whole = match search.search(0, text.as_bytes()) {
                Found::Stop(index, end) => Some((index, end)),
                Found::Nothing(_) => None,
            };
            assert_eq!(whole, wanted);
        }
    }
}
