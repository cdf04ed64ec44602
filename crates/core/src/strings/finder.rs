//! Occurrences of strings in a text: the leftmost, and of those the longest.
//!
//! A few short strings are found by the crate `aho-corasick`, which searches for their rare bytes first. Its automata are
//! built in more than linear time, and a long string that nearly matches makes it read a text again and again, so that
//! other sets have an [`Automaton`].

use std::ops::Range;

use aho_corasick::{AhoCorasick, Input, MatchKind};

use super::automaton::Automaton;
use crate::error::Result;

/// The largest number of strings, and the largest length of one, for the crate `aho-corasick`.
const MOST_SHORT_STRINGS: usize = 1000;
const LONGEST_SHORT_STRING: usize = 256;

/// A finder of strings, which are numbered in the order given.
#[derive(Debug, Clone)]
pub(crate) struct Finder {
    engine: Engine,
}

#[derive(Debug, Clone)]
enum Engine {
    /// The leftmost-longest automaton of a few short strings.
    Short(AhoCorasick),
    Any(Automaton),
}

/// An occurrence of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    /// The number of the string.
    pub(crate) string: usize,
    /// The byte at which it begins.
    pub(crate) start: usize,
    /// The byte after it.
    pub(crate) end: usize,
}

impl Found {
    /// Returns its bytes in the text.
    pub(crate) fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

impl Finder {
    /// Returns the finder of these strings; `what` names them in errors. Empty strings, and all but the first of equal ones,
    /// are not found.
    pub(crate) fn new<S: AsRef<[u8]>>(strings: &[S], what: &str) -> Result<Self> {
        let lengths = || strings.iter().map(|string| string.as_ref().len());
        if strings.len() <= MOST_SHORT_STRINGS && lengths().all(|length| (1..=LONGEST_SHORT_STRING).contains(&length)) {
            let automaton = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(strings);
            if let Ok(automaton) = automaton {
                return Ok(Self { engine: Engine::Short(automaton) });
            }
        }
        Ok(Self { engine: Engine::Any(Automaton::new(strings, what)?) })
    }

    /// Returns whether any string occurs in a text.
    pub(crate) fn is_in(&self, text: &[u8]) -> bool {
        match &self.engine {
            Engine::Short(automaton) => automaton.is_match(text),
            Engine::Any(automaton) => {
                let mut is_found = false;
                automaton.each_start(text, |_, _| {
                    is_found = true;
                    false
                });
                is_found
            }
        }
    }

    /// Returns the occurrences in a text.
    #[inline]
    pub(crate) fn matches<'a>(&'a self, text: &'a [u8]) -> Matches<'a> {
        self.matches_in(text, 0..text.len())
    }

    /// Returns the occurrences within a range of a text.
    #[inline]
    pub(crate) fn matches_in<'a>(&'a self, text: &'a [u8], range: Range<usize>) -> Matches<'a> {
        match &self.engine {
            Engine::Short(automaton) => {
                Matches { search: Search::Forward { automaton, text, end: range.end }, from: range.start }
            }
            Engine::Any(automaton) => automaton.accepted(text, range, |_| true),
        }
    }
}

impl Automaton {
    /// Returns the occurrences within a range of a text that are accepted: the leftmost of them, and of those the longest.
    ///
    /// The cost of a place is that of the strings that begin there and are not accepted.
    pub(crate) fn accepted(&self, text: &[u8], range: Range<usize>, accepts: impl Fn(Found) -> bool) -> Matches<'_> {
        let mut starts = Vec::new();
        self.each_start(&text[range.clone()], |at, longest| {
            let start = range.start + at;
            let found = |string: u32| Found { string: string as usize, start, end: start + self.length(string) };
            starts.extend(self.prefixes(longest).map(found).find(|&found| accepts(found)));
            true
        });
        Matches { search: Search::Backward(starts), from: range.start }
    }
}

/// The occurrences of strings in a range of a text, which do not overlap.
#[derive(Debug)]
pub(crate) struct Matches<'a> {
    search: Search<'a>,
    /// The end of the last occurrence, or the start of the range.
    from: usize,
}

#[derive(Debug)]
enum Search<'a> {
    Forward {
        automaton: &'a AhoCorasick,
        text: &'a [u8],
        end: usize,
    },
    /// The longest string at each place where one begins, the first place last.
    Backward(Vec<Found>),
}

impl Matches<'_> {
    /// Returns the first occurrence that begins at byte `at` or after it; `at` never decreases.
    #[inline]
    pub(crate) fn first_from(&mut self, at: usize) -> Option<Found> {
        let at = at.max(self.from);
        match &mut self.search {
            Search::Forward { automaton, text, end } => {
                let found = automaton.find(Input::new(*text).range(at.min(*end)..*end))?;
                Some(Found { string: found.pattern().as_usize(), start: found.start(), end: found.end() })
            }
            Search::Backward(starts) => {
                while starts.pop_if(|found| found.start < at).is_some() {}
                starts.last().copied()
            }
        }
    }
}

impl Iterator for Matches<'_> {
    type Item = Found;

    #[inline]
    fn next(&mut self) -> Option<Found> {
        let found = self.first_from(self.from)?;
        self.from = found.end;
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_engines_find_the_same() {
        let mut state = 11_u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % limit
        };
        let mut count = 0;
        for _ in 0..5000 {
            let mut string =
                |longest: usize| -> String { (0..=below(longest)).map(|_| ['a', 'b', 'é'][below(3)]).collect() };
            let strings: Vec<String> = (0..6).map(|number| string(if number < 3 { 3 } else { 9 })).collect();
            let text = format!("{}{}{}", string(30), strings[5], string(5));
            let finders = [
                Finder::new(&strings, "").unwrap(),
                Finder { engine: Engine::Any(Automaton::new(&strings, "").unwrap()) },
            ];
            assert!(matches!(finders[0].engine, Engine::Short(_)));
            let text = text.as_bytes();
            let found = finders.each_ref().map(|finder| finder.matches(text).collect::<Vec<_>>());
            assert_eq!(found[0], found[1], "{strings:?}");
            count += found[0].len();
            assert_eq!(finders.each_ref().map(|finder| finder.is_in(text)), [!found[0].is_empty(); 2]);
            let range = below(text.len() / 2)..text.len() / 2 + below(text.len() / 2);
            let from = below(range.end + 1);
            let found = finders.each_ref().map(|finder| finder.matches_in(text, range.clone()).first_from(from));
            assert_eq!(found[0], found[1], "{strings:?} in {range:?} from {from}");
        }
        assert!(count > 20_000, "{count}");
    }

    #[test]
    fn large_sets_have_an_automaton() {
        let many: Vec<String> = (0..2000).map(|number| format!("<{number}>")).collect();
        for strings in [many, vec!["x".repeat(300)], vec![String::new(), "a".to_owned()]] {
            let finder = Finder::new(&strings, "").unwrap();
            assert!(matches!(finder.engine, Engine::Any(_)));
            let last = strings.len() - 1;
            let text = format!("-{}", strings[last]);
            let found = Found { string: last, start: 1, end: text.len() };
            assert_eq!(finder.matches(text.as_bytes()).collect::<Vec<_>>(), [found]);
        }
    }
}
