//! jieba's dictionary and model, in the format that `tools/jieba_tables.py` writes and documents.

use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use super::lexicon::Frequency;
use super::logarithm::ln;
use crate::numbers::leb128;

/// The number of states: a character begins a word, ends one, is in the middle of one, or is one.
pub(super) const STATES: usize = 4;
/// The log-probability of what the model has never observed.
const NEVER: f64 = -3.14e100;

const HAN: Range<u32> = 0x4E00..0x9FD6;
/// The codes below are characters; Han characters have higher codes.
const OTHERS: u32 = 0x400;
const CODES: usize = (OTHERS + HAN.end - HAN.start) as usize;
const LAST_SIBLING: u16 = 1 << 15;

/// The invariant of the tables, which are part of the program.
const AS_WRITTEN: &str = "the tables are as they were written";

static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::read(include_bytes!("tables.bin")));

/// The dictionary as a trie in breadth-first order, so that siblings are adjacent; and the model.
pub(super) struct Tables {
    /// The sum of all frequencies.
    pub(super) total: u64,
    /// The distinct frequencies; the first is 0, for no word.
    frequencies: Vec<Frequency>,
    /// The code of each node, in a separate array, so that a search reads few cache lines.
    labels: Vec<u16>,
    nodes: Vec<Node>,
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
struct Node {
    /// Its first child; the children end before those of the next node.
    children: u32,
    /// The index of its frequency.
    frequency: u16,
}

impl Tables {
    /// Returns the tables, which are read on first use.
    pub(super) fn get() -> &'static Self {
        &TABLES
    }

    fn read(mut bytes: &[u8]) -> Self {
        let bytes = &mut bytes;
        let total = number(bytes);
        let frequencies = std::iter::once(0).chain((0..number(bytes)).map(|_| number(bytes)));
        let frequencies = frequencies.map(|frequency| (frequency, ln(frequency))).collect();
        let nodes = number(bytes);
        let labels = (0..nodes).map(|_| u16::from_le_bytes(take(bytes)));
        let labels: Vec<u16> = std::iter::once(LAST_SIBLING).chain(labels).collect();
        let mut nodes = Vec::with_capacity(labels.len() + 1);
        let mut next = 1;
        for _ in 0..labels.len() {
            let kind = number(bytes);
            nodes.push(Node { children: narrow(next), frequency: narrow(kind / 2) });
            if kind % 2 == 1 {
                next += 1 + labels[next..].iter().take_while(|&&label| label & LAST_SIBLING == 0).count();
            }
        }
        nodes.push(Node { children: narrow(next), frequency: 0 });
        let labels: Vec<u16> = labels.into_iter().map(|label| label & !LAST_SIBLING).collect();
        let mut first = vec![0; CODES];
        for child in nodes[0].children..nodes[1].children {
            first[usize::from(labels[child as usize])] = child;
        }
        let start = std::array::from_fn(|_| float(bytes));
        let steps = std::array::from_fn(|_| std::array::from_fn(|_| float(bytes)));
        let emissions = emissions(bytes);
        Self { total, frequencies, labels, nodes, first, start, steps, emissions }
    }

    /// Returns the index of the node of a character.
    pub(super) fn first(&self, c: char) -> Option<u32> {
        let node = self.first[usize::from(code(c)?)];
        (node != 0).then_some(node)
    }

    /// Returns the index of the child of `node` by the character.
    pub(super) fn child(&self, node: u32, c: char) -> Option<u32> {
        let code = code(c)?;
        let (from, to) = (self.nodes[node as usize].children, self.nodes[node as usize + 1].children);
        let siblings = &self.labels[from as usize..to as usize];
        let place = siblings.binary_search(&code).ok()?;
        Some(from + narrow::<u32>(place))
    }

    /// Returns the frequency of the word that ends at the node; 0 if none does.
    pub(super) fn frequency(&self, node: u32) -> Frequency {
        self.frequencies[usize::from(self.nodes[node as usize].frequency)]
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

fn emissions(bytes: &mut &[u8]) -> Vec<[f64; STATES]> {
    let occurring = (0..number(bytes)).map(|_| float(bytes));
    let occurring: Vec<f64> = std::iter::once(NEVER).chain(occurring).collect();
    HAN.map(|_| std::array::from_fn(|_| occurring[narrow::<usize>(number(bytes))])).collect()
}

/// Converts a number, which the tables limit to the range of `T`.
fn narrow<T>(number: impl TryInto<T>) -> T {
    number.try_into().ok().expect(AS_WRITTEN)
}

/// Removes a number in LEB128 from the start of the tables.
fn number(bytes: &mut &[u8]) -> u64 {
    leb128::read(bytes).ok().flatten().expect(AS_WRITTEN)
}

/// Removes a float from the start of the tables.
fn float(bytes: &mut &[u8]) -> f64 {
    f64::from_le_bytes(take(bytes))
}

fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (taken, rest) = bytes.split_first_chunk().expect(AS_WRITTEN);
    *bytes = rest;
    *taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_read_to_their_end() {
        let tables = Tables::get();
        let words = tables.nodes.iter().filter(|node| node.frequency != 0).count();
        assert_eq!((tables.total, words, tables.labels.len()), (60_101_967, 349_045, 498_114));
        assert_eq!(tables.nodes.last().map(|node| node.children), Some(498_114));
        assert_eq!(tables.emissions.len(), 20_950);
    }

    #[test]
    fn words_are_found() {
        let tables = Tables::get();
        let node = tables.first('北').and_then(|node| tables.child(node, '京')).unwrap();
        assert_eq!(tables.frequency(node).0, 34_488);
        assert_eq!(tables.child(node, '\u{20000}'), None);
    }
}
