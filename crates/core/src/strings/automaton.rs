//! The strings of a set that begin at each place of a text, in time linear in the text.
//!
//! A trie that is walked from each place takes as many steps as its longest string has symbols, at every place of a text
//! that nearly matches. This is an Aho-Corasick automaton of the reversed strings instead, which reads the text once, from
//! its end to its start: the state at a place leads to the strings that begin there, the longest first.
//!
//! Source: Aho and Corasick 1975, *Efficient string matching*.

use super::trie::{NO_STRING, Trie};
use crate::error::{Error, Result};
use crate::stop::Work;

/// The largest total length of strings in bytes, for which nodes can be numbered.
const MOST_BYTES: usize = 1 << 30;
/// The state at the end of a text.
const ROOT: u32 = 0;

/// An automaton of strings of bytes, which are numbered in the order given.
#[derive(Debug, Clone)]
pub(crate) struct Automaton {
    /// The reversed strings. The string of a node is the longest that begins where the node's text does.
    trie: Trie,
    /// For each node that of the longest proper prefix of its text with which a string ends.
    failures: Vec<u32>,
    /// For each string the next shorter one that is a prefix of it, or [`NO_STRING`].
    shorter: Vec<u32>,
    /// The lengths of the strings in bytes.
    lengths: Vec<u32>,
}

impl Automaton {
    /// Returns the automaton of strings; `what` names them in errors.
    ///
    /// Empty strings, and all but the first of equal ones, are not found.
    pub(crate) fn new<S: AsRef<[u8]>>(strings: &[S], what: &str) -> Result<Self> {
        let total: usize = strings.iter().map(|string| string.as_ref().len()).sum();
        if total > MOST_BYTES {
            let limit = MOST_BYTES >> 30;
            return Err(Error::Config(format!("{what} have {total} bytes together; the limit is {limit} GiB").into()));
        }
        let strings: Vec<&[u8]> = strings.iter().map(AsRef::as_ref).collect();
        let order = reversed_order(&strings);
        // Side by side, since each is read symbol by symbol, together with the others.
        let (mut reversed, mut ends) = (Vec::<u8>::with_capacity(total), vec![0]);
        for &string in &order {
            reversed.extend(strings[string as usize].iter().rev());
            ends.push(reversed.len());
        }
        let symbol =
            |place: usize, depth: usize| reversed[ends[place]..ends[place + 1]].get(depth).copied().map(u32::from);
        let (mut failures, mut shorter, mut work) = (vec![ROOT], vec![NO_STRING; strings.len()], Work::default());
        let mut trie = Trie::in_breadth(order.len(), symbol, |trie, node, symbol, child| {
            work.add(1);
            failures.resize(trie.slots(), ROOT);
            let failure = if node == ROOT { ROOT } else { next(trie, &failures, failures[node as usize], symbol) };
            failures[child as usize] = failure;
            let prefix = trie.string(failure);
            match trie.string(child) {
                NO_STRING => trie.set_string(child, prefix),
                place if prefix != NO_STRING => shorter[order[place as usize] as usize] = order[prefix as usize],
                _ => {}
            }
        });
        trie.rename(|place| order[place as usize]);
        let lengths = strings.iter().map(|string| u32::try_from(string.len()).expect("short enough")).collect();
        Ok(Self { trie, failures, shorter, lengths })
    }

    /// Leaves out prefixes: [`Self::prefixes`] of a string are then those that are kept, and their prefixes that are.
    ///
    /// `keeps` gets the numbers of a string and of one that is a prefix of it. The cost is linear in the length of the strings.
    pub(crate) fn keep_prefixes(&mut self, keeps: impl Fn(u32, u32) -> bool) {
        let kept = |string: u32| self.prefixes(string).skip(1).find(|&prefix| keeps(string, prefix));
        self.shorter = (0..).zip(&self.shorter).map(|(string, _)| kept(string).unwrap_or(NO_STRING)).collect();
    }

    /// Calls `each` with each place of a text where strings begin, from the last to the first, and with the longest of them.
    ///
    /// It ends early if `each` returns false.
    pub(crate) fn each_start(&self, text: &[u8], mut each: impl FnMut(usize, u32) -> bool) {
        let (mut state, mut work) = (ROOT, Work::default());
        for (at, &byte) in text.iter().enumerate().rev() {
            work.add(1);
            state = next(&self.trie, &self.failures, state, byte.into());
            let string = self.trie.string(state);
            if string != NO_STRING && !each(at, string) {
                return;
            }
        }
    }

    /// Returns the length of a string in bytes.
    pub(crate) fn length(&self, string: u32) -> usize {
        self.lengths[string as usize] as usize
    }

    /// Returns a string and all others that are prefixes of it, the longest first.
    pub(crate) fn prefixes(&self, longest: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(longest), |&string| {
            Some(self.shorter[string as usize]).filter(|&shorter| shorter != NO_STRING)
        })
    }
}

/// Returns the state after another symbol.
#[inline]
fn next(trie: &Trie, failures: &[u32], mut state: u32, symbol: u32) -> u32 {
    loop {
        if let Some((child, _)) = trie.child(trie.node(state), symbol) {
            return child.number();
        }
        if state == ROOT {
            return ROOT;
        }
        state = failures[state as usize];
    }
}

/// Returns the numbers of different strings in the order of their reversals, without those that are empty.
fn reversed_order(strings: &[&[u8]]) -> Vec<u32> {
    // Most strings differ in their last bytes, which one integer has.
    let key = |string: &[u8]| {
        let last = string.iter().rev().chain([&0; 8]).take(8);
        last.fold(0_u64, |key, &byte| key << 8 | u64::from(byte))
    };
    let mut order: Vec<(u64, u32)> = (0..)
        .zip(strings)
        .filter(|(_, string)| !string.is_empty())
        .map(|(number, string)| (key(string), number))
        .collect();
    let reversed = |number: u32| strings[number as usize].iter().rev();
    order.sort_unstable_by(|&(key, one), &(other_key, other)| {
        key.cmp(&other_key).then_with(|| reversed(one).cmp(reversed(other))).then(one.cmp(&other))
    });
    order.dedup_by(|(_, next), (_, first)| strings[*next as usize] == strings[*first as usize]);
    order.into_iter().map(|(_, number)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns for each place of a text the strings that begin there, the longest first, the first of equal ones.
    fn by_definition(strings: &[String], text: &str) -> Vec<(usize, Vec<u32>)> {
        let at = |at: usize| {
            let mut found: Vec<usize> = (0..strings.len())
                .filter(|&number| text.as_bytes()[at..].starts_with(strings[number].as_bytes()))
                .filter(|&number| strings.iter().position(|other| *other == strings[number]) == Some(number))
                .collect();
            found.sort_by_key(|&number| std::cmp::Reverse(strings[number].len()));
            (at, found.into_iter().map(|number| u32::try_from(number).unwrap()).collect::<Vec<_>>())
        };
        (0..text.len()).rev().map(at).filter(|(_, found)| !found.is_empty()).collect()
    }

    #[test]
    fn all_strings_at_all_places() {
        let mut state = 3_u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % limit
        };
        let mut occurrences = 0;
        for _ in 0..5000 {
            let mut string =
                |longest: usize| -> String { (0..=below(longest)).map(|_| ['a', 'b', 'é'][below(3)]).collect() };
            let strings: Vec<String> = (0..8).map(|number| string(if number < 4 { 3 } else { 12 })).collect();
            let text = format!("{}{}{}", string(20), strings[7], string(5));
            let automaton = Automaton::new(&strings, "").unwrap();
            let mut found = Vec::new();
            automaton.each_start(text.as_bytes(), |at, longest| {
                found.push((at, automaton.prefixes(longest).collect()));
                true
            });
            occurrences += found.len();
            assert_eq!(found, by_definition(&strings, &text), "{strings:?} in {text:?}");
        }
        assert!(occurrences > 20_000, "{occurrences}");
    }

    #[test]
    fn nothing_is_found_without_strings() {
        Automaton::new::<&str>(&[], "").unwrap().each_start(b"text", |_, _| panic!("nothing begins here"));
    }
}
