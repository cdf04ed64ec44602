//! String search in a text that arrives in fragments.

use memchr::{memchr, memchr_iter};

use crate::error::Result;

/// A section of the text: a match, or the text between matches.
pub(super) enum Section<'a> {
    /// Text outside matches.
    Other(&'a [u8]),
    /// A match.
    Match,
}

/// A string that is searched for in texts, by the Knuth-Morris-Pratt algorithm in linear time.
///
/// Its matches are those of [`str::replace`]: they do not overlap, and an empty string matches before each character and
/// at the end. The delayed text is the longest end of the text that is a prefix of the string, so its length, 0 before a
/// text, is the state of a search.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Needle {
    string: Vec<u8>,
    /// The failure function: the length of the longest proper prefix of the first n bytes that is also their suffix.
    failure: Vec<usize>,
}

impl Needle {
    pub(super) fn new(string: &str) -> Self {
        let string = string.as_bytes().to_vec();
        let mut failure = vec![0; string.len() + 1];
        for end in 1..string.len() {
            let mut prefix_length = failure[end];
            while prefix_length > 0 && string[prefix_length] != string[end] {
                prefix_length = failure[prefix_length];
            }
            failure[end + 1] = prefix_length + usize::from(string[prefix_length] == string[end]);
        }
        Self { string, failure }
    }

    /// Returns whether the string is in a text.
    #[inline]
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        let Some((first, rest)) = self.string.split_first() else { return true };
        memchr_iter(*first, text).any(|at| text[at + 1..].starts_with(rest))
    }

    /// Searches the next fragment, and passes its final sections to `each`.
    #[inline]
    pub(super) fn receive(
        &self,
        matched: &mut usize,
        fragment: &[u8],
        mut each: impl FnMut(Section<'_>) -> Result<()>,
    ) -> Result<()> {
        let Some(&first) = self.string.first() else { return everywhere(fragment, each) };
        let mut rest = fragment;
        loop {
            if *matched == 0 {
                let at = memchr(first, rest).unwrap_or(rest.len());
                let (before, from) = rest.split_at(at);
                if !before.is_empty() {
                    each(Section::Other(before))?;
                }
                rest = from;
                if let Some(after) = rest.strip_prefix(&*self.string) {
                    each(Section::Match)?;
                    rest = after;
                    continue;
                }
            }
            let Some((&byte, after)) = rest.split_first() else { return Ok(()) };
            self.next(matched, byte, &mut each)?;
            rest = after;
        }
    }

    /// Searches the next byte.
    fn next(&self, matched: &mut usize, byte: u8, each: &mut impl FnMut(Section<'_>) -> Result<()>) -> Result<()> {
        while *matched > 0 && self.string[*matched] != byte {
            let prefix_length = self.failure[*matched];
            each(Section::Other(&self.string[..*matched - prefix_length]))?;
            *matched = prefix_length;
        }
        if self.string[*matched] != byte {
            return each(Section::Other(&[byte]));
        }
        *matched += 1;
        if *matched == self.string.len() {
            *matched = 0;
            return each(Section::Match);
        }
        Ok(())
    }

    /// Ends the text; the next fragment begins another one.
    #[inline]
    pub(super) fn end(&self, matched: &mut usize, mut each: impl FnMut(Section<'_>) -> Result<()>) -> Result<()> {
        if self.string.is_empty() {
            return each(Section::Match);
        }
        match std::mem::take(matched) {
            0 => Ok(()),
            matched => each(Section::Other(&self.string[..matched])),
        }
    }
}

/// Matches the empty string before each character.
fn everywhere(fragment: &[u8], mut each: impl FnMut(Section<'_>) -> Result<()>) -> Result<()> {
    for byte in fragment {
        let begins_character = byte & 0xC0 != 0x80;
        if begins_character {
            each(Section::Match)?;
        }
        each(Section::Other(&[*byte]))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text with each match in brackets, and the number of delayed bytes after each fragment.
    fn found(string: &str, pieces: &[&str]) -> (String, Vec<usize>) {
        let (needle, mut matched, mut text, mut delayed) = (Needle::new(string), 0, Vec::new(), Vec::new());
        let collect = |text: &mut Vec<u8>, found: Section<'_>| {
            text.extend_from_slice(match found {
                Section::Other(other) => other,
                Section::Match => b"[]",
            });
            Ok(())
        };
        for fragment in pieces {
            needle.receive(&mut matched, fragment.as_bytes(), |found| collect(&mut text, found)).unwrap();
            delayed.push(matched);
        }
        needle.end(&mut matched, |found| collect(&mut text, found)).unwrap();
        (String::from_utf8(text).unwrap(), delayed)
    }

    #[test]
    fn finds_what_replace_replaces() {
        for string in ["", "a", "aa", "aab", "abab", "éa", "中"] {
            for text in ["", "a", "aaaab", "abababab", "aéaéa", "中a中", "ab"] {
                let whole = text.replace(string, "[]");
                assert_eq!(found(string, &[text]).0, whole, "{string:?} in {text:?}");
                assert_eq!(Needle::new(string).is_in(text.as_bytes()), text.contains(string));
                let characters: Vec<String> = text.chars().map(String::from).collect();
                let pieces: Vec<&str> = characters.iter().map(String::as_str).collect();
                assert_eq!(found(string, &pieces).0, whole, "{string:?} in {text:?}, in pieces");
            }
        }
    }

    #[test]
    fn delays_no_more_than_necessary() {
        assert_eq!(found("abac", &["xab", "a", "b", "x"]), ("xabaxb".replace("axb", "abx"), vec![2, 3, 2, 0]));
        assert_eq!(found("</w>", &["a", "<", "/w", ">b"]), ("a[]b".to_owned(), vec![0, 1, 3, 0]));
    }
}
