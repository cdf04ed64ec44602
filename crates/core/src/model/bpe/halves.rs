//! The pairs of entries whose texts follow one another in another entry.

use std::cell::OnceCell;
use std::iter::Peekable;
use std::vec::IntoIter;

use crate::strings::Automaton;
use crate::vocab::Vocab;

/// The number of bytes of an entry from which on its pairs are found by an automaton: to look up each of its beginnings and
/// ends takes the square of its length.
const LONG: usize = if cfg!(test) { 4 } else { 512 };

/// Finds the pairs of a vocabulary; the text of a right half is that of its entry without a prefix.
pub(super) struct Halves<'a> {
    vocab: &'a Vocab,
    prefix: &'a str,
    /// Built for the first long entry.
    entries: OnceCell<Entries>,
}

/// The entries of a vocabulary without a prefix, and their ids.
struct Entries {
    automaton: Automaton,
    ids: Vec<u32>,
    /// The right halves, if they are not the left ones.
    right: Option<Box<Self>>,
}

impl<'a> Halves<'a> {
    pub(super) fn new(vocab: &'a Vocab, prefix: &'a str) -> Self {
        Self { vocab, prefix, entries: OnceCell::new() }
    }

    /// Returns all pairs of entries whose merge makes a token, the shortest left half first.
    pub(super) fn of(&self, token: &str) -> impl Iterator<Item = (u32, u32)> {
        let is_long = token.len() >= LONG;
        let looked_up = (!is_long).then(|| self.by_lookup(token));
        let found = is_long.then(|| self.by_automaton(token));
        looked_up.into_iter().flatten().chain(found.into_iter().flatten())
    }

    fn by_lookup(&self, token: &str) -> impl Iterator<Item = (u32, u32)> {
        token.char_indices().skip(1).filter_map(move |(at, _)| {
            let (left, right) = token.split_at(at);
            let with_prefix = || self.vocab.id(&[self.prefix, right].concat());
            Some((self.vocab.id(left)?, if self.prefix.is_empty() { self.vocab.id(right) } else { with_prefix() }?))
        })
    }

    fn by_automaton(&self, token: &str) -> Vec<(u32, u32)> {
        let entries = self.entries.get_or_init(|| {
            let right = || Box::new(Entries::new(self.vocab, self.prefix, None));
            Entries::new(self.vocab, "", (!self.prefix.is_empty()).then(right))
        });
        let mut ends = entries.right.as_deref().unwrap_or(entries).ends(token);
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        // Both lists begin with the longest beginning, and the shortest end.
        for (length, left) in entries.beginnings(token) {
            while ends.next_if(|&(at, _)| at > length).is_some() {}
            pairs.extend(ends.next_if(|&(at, _)| at == length).map(|(_, right)| (left, right)));
        }
        pairs.reverse();
        pairs
    }
}

impl Entries {
    fn new(vocab: &Vocab, prefix: &str, right: Option<Box<Self>>) -> Self {
        let (texts, ids): (Vec<&str>, Vec<u32>) =
            vocab.iter().filter_map(|(text, id)| Some((text.strip_prefix(prefix)?, id))).unzip();
        let automaton = Automaton::new(&texts, "the entries").expect("a vocabulary is short enough");
        Self { automaton, ids, right }
    }

    /// Returns the lengths and the ids of the entries with which a token begins, the longest first.
    fn beginnings(&self, token: &str) -> impl Iterator<Item = (usize, u32)> {
        let mut longest = None;
        self.automaton.each_start(token.as_bytes(), |at, found| {
            longest = (at == 0).then_some(found);
            true
        });
        let all = longest.into_iter().flat_map(|longest| self.automaton.prefixes(longest));
        all.map(|number| (self.automaton.length(number), self.ids[number as usize]))
    }

    /// Returns the places of the entries with which a token ends, and their ids, the shortest first.
    fn ends(&self, token: &str) -> Peekable<IntoIter<(usize, u32)>> {
        let mut ends = Vec::new();
        self.automaton.each_start(token.as_bytes(), |at, longest| {
            if at + self.automaton.length(longest) == token.len() {
                ends.push((at, self.ids[longest as usize]));
            }
            true
        });
        ends.into_iter().peekable()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::bpe::encode::tests::Random;
    use crate::model::bpe::infer_merges::tests::random_vocab;

    #[test]
    fn pairs_of_the_automaton_are_those_that_are_looked_up() {
        let (mut random, mut found) = (Random(5), 0);
        for trial in 0..500 {
            let vocab = random_vocab(&mut random);
            for prefix in ["", "a", "é"] {
                let halves = Halves::new(&vocab, prefix);
                for (token, _) in vocab.iter() {
                    let wanted: Vec<_> = halves.by_lookup(token).collect();
                    assert_eq!(halves.by_automaton(token), wanted, "{trial} {prefix:?} {token:?}");
                    found += wanted.len();
                }
            }
        }
        assert!(found > 1000, "{found}");
    }
}
