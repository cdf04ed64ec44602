//! Cuts words at the tokens that encoding matches before the model sees a text, so that nothing is learned across them
//! (P70 of `spec/pipeline.md`).

use std::collections::HashMap;
use std::ops::Range;

use hashbrown::hash_map::Entry;

use super::CountedWords;
use super::alphabet::overflow;
use crate::error::Result;
use crate::hash::FixedHasher;
use crate::memory::Growable;
use crate::strings::Finder;
use crate::text::bytes::{byte_to_char, char_to_byte};
use crate::text::unicode::stands_alone;

/// Where a token is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occurrences {
    /// Anywhere in a word.
    Inside,
    /// Where no word character is beside it.
    Alone,
    /// As a whole word, in a table that was cut at the token.
    Whole,
}

/// A token at which words are cut.
#[derive(Debug, Clone)]
pub(crate) struct CutToken {
    /// The text of the token in a word.
    pub(crate) spelling: String,
    /// The words that an occurrence becomes.
    pub(crate) words: Vec<String>,
    /// Where it is found.
    pub(crate) occurrences: Occurrences,
}

impl CutToken {
    /// Returns a special token, whose occurrences are left out.
    pub(crate) fn special(content: &str) -> Self {
        Self { spelling: content.into(), words: Vec::new(), occurrences: Occurrences::Inside }
    }

    /// Returns a user-defined symbol, whose occurrences are words of their own.
    pub(crate) fn symbol(content: &str) -> Self {
        Self { words: vec![content.to_owned()], ..Self::special(content) }
    }

    /// Returns the token as the characters of bytes spell it.
    pub(crate) fn in_bytes(self) -> Self {
        Self { spelling: self.spelling.bytes().map(byte_to_char).collect(), ..self }
    }
}

/// Returns the words cut at tokens, leftmost and of those the longest, in the order of their first occurrence.
///
/// Equal parts are one word. Words without any token are returned as they are.
pub(crate) fn cut_words<'w>(words: &'w CountedWords<'w>, tokens: &'w [CutToken]) -> Result<CountedWords<'w>> {
    if tokens.is_empty() {
        return Ok(words.borrowed());
    }
    let cutter = Cutter::new(tokens)?;
    if !words.iter().any(|(word, _)| cutter.finds(word)) {
        return Ok(words.borrowed());
    }
    let mut parts = Parts::default();
    for (word, count) in words.iter() {
        cutter.cut(word, |part| parts.add(part, count))?;
    }
    Ok(parts.words.into())
}

/// Parts of words with their counts.
#[derive(Default)]
struct Parts<'w> {
    words: Vec<(&'w str, u64)>,
    places: hashbrown::HashMap<&'w str, usize, FixedHasher>,
}

impl<'w> Parts<'w> {
    fn add(&mut self, part: &'w str, count: u64) -> Result<()> {
        self.places.make_room(1);
        match self.places.entry(part) {
            Entry::Occupied(place) => {
                let (_, sum) = &mut self.words[*place.get()];
                *sum = sum.checked_add(count).ok_or_else(overflow)?;
            }
            Entry::Vacant(place) => {
                place.insert(self.words.len());
                self.words.make_room(1);
                self.words.push((part, count));
            }
        }
        Ok(())
    }
}

/// Finds tokens in words.
struct Cutter<'t> {
    finder: Finder,
    /// The tokens that it finds.
    inside: Vec<&'t CutToken>,
    /// The others, by their texts.
    whole: HashMap<&'t str, &'t CutToken>,
}

impl<'t> Cutter<'t> {
    fn new(tokens: &'t [CutToken]) -> Result<Self> {
        let (whole, inside): (Vec<_>, Vec<_>) = tokens
            .iter()
            .filter(|token| !token.spelling.is_empty())
            .partition(|token| token.occurrences == Occurrences::Whole);
        let spellings: Vec<&str> = inside.iter().map(|token| token.spelling.as_str()).collect();
        let finder = Finder::new(&spellings, "the added tokens")?;
        let whole = whole.into_iter().map(|token| (&*token.spelling, token)).collect();
        Ok(Self { finder, inside, whole })
    }

    /// Returns whether a word has a token, perhaps one that is rejected.
    fn finds(&self, word: &str) -> bool {
        self.whole.contains_key(word) || self.finder.is_in(word.as_bytes())
    }

    /// Calls `each` with the parts of a word, and with the words of the tokens between them.
    fn cut(&self, word: &'t str, mut each: impl FnMut(&'t str) -> Result<()>) -> Result<()> {
        if let Some(token) = self.whole.get(word) {
            return token.words.iter().map(String::as_str).try_for_each(each);
        }
        let mut start = 0;
        for found in self.finder.matches(word.as_bytes()) {
            let token = self.inside[found.string];
            // A rejected match consumes its text, as in encoding.
            if token.occurrences == Occurrences::Alone && !is_alone(word, found.range()) {
                continue;
            }
            if start < found.start {
                each(&word[start..found.start])?;
            }
            token.words.iter().map(String::as_str).try_for_each(&mut each)?;
            start = found.end;
        }
        if start < word.len() || word.is_empty() { each(&word[start..]) } else { Ok(()) }
    }
}

/// Returns whether no word character is beside a range of a word, which may be written in the characters of bytes.
fn is_alone(word: &str, Range { start, end }: Range<usize>) -> bool {
    let before = word[..start].char_indices().rev().map(|(place, _)| &word[place..start]);
    let after = word[end..].char_indices().map(|(place, character)| &word[end..end + place + character.len_utf8()]);
    let mut text: String = nearest(before).into_iter().collect();
    let middle = text.len();
    text.extend(nearest(after));
    stands_alone(&text, middle..middle)
}

/// Returns the character that a part spells in bytes, or else the one of the first part; each part has one character more.
fn nearest<'a>(parts: impl Iterator<Item = &'a str>) -> Option<char> {
    let mut parts = parts.take(char::MAX.len_utf8()).peekable();
    let first = parts.peek()?.chars().next();
    parts.find_map(spelled).or(first)
}

/// Returns the only character that a text spells in the characters of bytes.
fn spelled(text: &str) -> Option<char> {
    let bytes: Option<Vec<u8>> = text.chars().map(char_to_byte).collect();
    let read = String::from_utf8(bytes?).ok()?;
    let mut characters = read.chars();
    characters.next().filter(|_| characters.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    fn cut(words: &[(&str, u64)], tokens: &[CutToken]) -> Vec<(String, u64)> {
        let words = words.into();
        cut_words(&words, tokens).unwrap().iter().map(|(word, count)| (word.to_owned(), count)).collect()
    }

    fn counted<const N: usize>(words: [(&str, u64); N]) -> [(String, u64); N] {
        words.map(|(word, count)| (word.to_owned(), count))
    }

    #[test]
    fn words_are_cut_at_tokens() {
        let tokens = [CutToken::symbol("new"), CutToken::special("[S]"), CutToken::symbol("newer")];
        let words = [("a", 1), ("newest", 3), ("[S]est", 2), ("xnewera", 4), ("[S]", 9)];
        assert_eq!(cut(&words, &tokens), counted([("a", 5), ("new", 3), ("est", 5), ("x", 4), ("newer", 4)]));
        assert_eq!(cut(&words[..1], &tokens), counted([("a", 1)]));
    }

    #[test]
    fn tokens_may_be_spelled_in_bytes_stand_alone_or_be_whole_words() {
        assert_eq!(cut(&[("aÃ©b", 1)], &[CutToken::symbol("é").in_bytes()]), counted([("a", 1), ("é", 1), ("b", 1)]));
        let alone = CutToken { occurrences: Occurrences::Alone, ..CutToken::symbol("new") };
        let words = [("newer", 1), ("-new", 2), ("Ġnew", 3), ("Ã©new", 4), ("newÃ©", 5), ("newé", 6), ("newâĢĶ", 7)];
        let parts =
            [("newer", 1), ("-", 2), ("new", 12), ("Ġ", 3), ("Ã©new", 4), ("newÃ©", 5), ("newé", 6), ("âĢĶ", 7)];
        assert_eq!(cut(&words, &[alone]), counted(parts));
        let whole = CutToken { occurrences: Occurrences::Whole, ..CutToken::special("new") };
        assert_eq!(cut(&[("newer", 1), ("new", 2)], &[whole]), counted([("newer", 1)]));
    }

    #[test]
    fn sums_that_overflow_are_errors() {
        let words = [("aXa", u64::MAX), ("b", 1)];
        assert!(matches!(cut_words(&(&words).into(), &[CutToken::special("X")]), Err(Error::Overflow(_))));
    }
}
