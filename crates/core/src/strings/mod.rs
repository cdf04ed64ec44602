//! Sets of strings, and where they occur in texts.
//!
//! `finder` finds the leftmost and of those the longest occurrences. `automaton` finds all strings that begin at each place
//! of a text. Both take time linear in the text, and to build in the total length of the strings.

mod automaton;
mod finder;
pub(crate) mod free_slots;
pub(crate) mod trie;

pub(crate) use automaton::Automaton;
pub(crate) use finder::{Finder, Found, Matches};
