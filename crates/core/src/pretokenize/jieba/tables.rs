//! jieba's dictionary and model, in the format that `tools/jieba_tables.py` writes and documents.

use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use super::logarithm::ln;

/// The number of states: a character begins a word, ends one, is in the middle of one, or is one.
pub(super) const STATES: usize = 4;
/// The log-probability of what the model has never observed.
const NEVER: f64 = -3.14e100;

const HAN: Range<u32> = 0x4E00..0x9FD6;
/// The codes below are characters; Han characters have higher codes.
const OTHERS: u32 = 0x400;
const CODES: usize = (OTHERS + HAN.end - HAN.start) as usize;
const LAST_SIBLING: u16 = 1 << 15;

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::read(include_bytes!("tables.bin")));

/// The dictionary as a trie in breadth-first order, so that siblings are adjacent; and the model.
pub(super) struct Tables {
    /// The sum of all frequencies.
    pub(super) total: u64,
    /// The distinct frequencies; the first is 0, for no word.
    frequencies: Vec<u64>,
    /// The logarithms of the frequencies.
    logarithms: Vec<f64>,
    /// The code of each node, in a separate array, so that a search reads few cache lines.
    labels: Vec<u16>,
    nodes: Vec<Entry>,
    /// For each code, the child of the root, or the root if there is none.
    first: Vec<u32>,
    /// The log-probability of each state for the first character of a run.
    pub(super) start: [f64; STATES],
    /// The log-probabilities of the transitions from the two predecessors of each state.
    pub(super) steps: [[f64; 2]; STATES],
    /// The log-probability that each state emits a Han character.
    emissions: Vec<[f64; STATES]>,
}

/// A node of the trie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node(u32);

/// The data of a node.
struct Entry {
    /// Its first child; the children end before those of the next node.
    children: u32,
    /// The index of its frequency.
    value: u16,
}

impl Tables {
    /// Returns the tables, which are read on first use.
    pub(super) fn get() -> &'static Self {
        &TABLES
    }

    fn read(bytes: &[u8]) -> Self {
        let mut reader = Reader(bytes);
        let total = reader.number();
        let frequencies: Vec<u64> = std::iter::once(0).chain((0..reader.number()).map(|_| reader.number())).collect();
        let logarithms = frequencies.iter().map(|&frequency| ln(frequency)).collect();
        let nodes = reader.number();
        let labels: Vec<u16> = std::iter::once(LAST_SIBLING).chain((0..nodes).map(|_| reader.u16())).collect();
        let mut nodes = Vec::with_capacity(labels.len() + 1);
        let mut next = 1;
        for _ in 0..labels.len() {
            let kind = reader.number();
            nodes.push(Entry { children: narrow(next), value: narrow(kind / 2) });
            if kind % 2 == 1 {
                next += 1 + labels[next..].iter().take_while(|&&label| label & LAST_SIBLING == 0).count();
            }
        }
        nodes.push(Entry { children: narrow(next), value: 0 });
        let labels: Vec<u16> = labels.into_iter().map(|label| label & !LAST_SIBLING).collect();
        let mut first = vec![0; CODES];
        for child in nodes[0].children..nodes[1].children {
            first[usize::from(labels[child as usize])] = child;
        }
        let start = std::array::from_fn(|_| reader.f64());
        let steps = std::array::from_fn(|_| std::array::from_fn(|_| reader.f64()));
        let emissions = emissions(&mut reader);
        Self { total, frequencies, logarithms, labels, nodes, first, start, steps, emissions }
    }

    /// Returns the node of a character.
    pub(super) fn first(&self, c: char) -> Option<Node> {
        let node = self.first[usize::from(code(c)?)];
        (node != 0).then_some(Node(node))
    }

    /// Returns the child of `node` by the character.
    pub(super) fn child(&self, Node(node): Node, c: char) -> Option<Node> {
        let code = code(c)?;
        let (from, to) = (self.nodes[node as usize].children, self.nodes[node as usize + 1].children);
        let siblings = &self.labels[from as usize..to as usize];
        let place = siblings.binary_search(&code).ok()?;
        Some(Node(from + narrow::<u32>(place)))
    }

    /// Returns the frequency of the word that ends at the node; 0 if none does.
    pub(super) fn frequency(&self, Node(node): Node) -> u64 {
        self.frequencies[usize::from(self.nodes[node as usize].value)]
    }

    /// Returns the logarithm of the node's frequency.
    pub(super) fn logarithm(&self, Node(node): Node) -> f64 {
        self.logarithms[usize::from(self.nodes[node as usize].value)]
    }

    /// Returns the log-probability that each state emits a Han character.
    pub(super) fn emission(&self, han: char) -> [f64; STATES] {
        self.emissions[(u32::from(han) - HAN.start) as usize]
    }
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tables").field("total", &self.total).finish_non_exhaustive()
    }
}

/// Returns whether jieba treats a character as a Han character: those of Unicode 8 without the extensions.
pub(super) fn is_han(c: char) -> bool {
    HAN.contains(&u32::from(c))
}

fn code(c: char) -> Option<u16> {
    let number = u32::from(c);
    if HAN.contains(&number) {
        Some(narrow(number - HAN.start + OTHERS))
    } else {
        (number < OTHERS).then(|| narrow(number))
    }
}

fn emissions(reader: &mut Reader<'_>) -> Vec<[f64; STATES]> {
    let occurring: Vec<f64> = (0..reader.number()).map(|_| reader.f64()).collect();
    let occurring: Vec<f64> = std::iter::once(NEVER).chain(occurring).collect();
    let mut emission = || occurring[narrow::<usize>(reader.number())];
    HAN.map(|_| std::array::from_fn(|_| emission())).collect()
}

/// Converts a number, which the tables limit to the range of `T`.
fn narrow<T>(number: impl TryInto<T>) -> T {
    number.try_into().ok().expect("the tables are as they were written")
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> u64 {
        let mut number = 0;
        let mut shift = 0;
        loop {
            let [byte] = self.bytes();
            number |= u64::from(byte & 0x7F) << shift;
            shift += 7;
            if byte < 0x80 {
                return number;
            }
        }
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.bytes())
    }

    fn f64(&mut self) -> f64 {
        f64::from_le_bytes(self.bytes())
    }

    fn bytes<const N: usize>(&mut self) -> [u8; N] {
        let (bytes, rest) = self.0.split_first_chunk().expect("the tables are as they were written");
        self.0 = rest;
        *bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_read_to_their_end() {
        let tables = Tables::get();
        let words = tables.nodes.iter().filter(|node| node.value != 0).count();
        assert_eq!((tables.total, words, tables.labels.len()), (60_101_967, 349_045, 498_114));
        assert_eq!(tables.nodes.last().map(|node| node.children), Some(498_114));
        assert_eq!(tables.emissions.len(), 20_950);
    }

    #[test]
    fn words_are_found() {
        let tables = Tables::get();
        let node = tables.first('北').and_then(|node| tables.child(node, '京')).unwrap();
        assert_eq!(tables.frequency(node), 34_488);
        assert_eq!(tables.child(node, '\u{20000}'), None);
    }
}
