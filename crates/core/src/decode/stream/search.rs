//! A string looked for in a text that comes in pieces.

use memchr::memchr;

use crate::error::Result;

/// What the text is made of: the string, and what is between.
pub(super) enum Found<'a> {
    /// Text that is no part of a match.
    Other(&'a [u8]),
    /// The string.
    Match,
}

/// Finds what [`str::replace`] would replace (Knuth, Morris and Pratt): matches from left to right that do not overlap,
/// and an empty string before each character and at the end.
///
/// What is held back is the longest end of the text that begins the string, so a number says what it is.
#[derive(Debug, Clone)]
pub(super) struct Search {
    string: Vec<u8>,
    /// How much of the string's first n bytes is both their beginning and their end, without being all of them.
    borders: Vec<usize>,
    matched: usize,
}

impl Search {
    pub(super) fn new(string: &str) -> Self {
        let string = string.as_bytes().to_vec();
        let mut borders = vec![0; string.len() + 1];
        for end in 1..string.len() {
            let mut border = borders[end];
            while border > 0 && string[border] != string[end] {
                border = borders[border];
            }
            borders[end + 1] = border + usize::from(string[border] == string[end]);
        }
        Self { string, borders, matched: 0 }
    }

    /// Whether there is nothing to look for, which is found everywhere.
    pub(super) fn is_empty(&self) -> bool {
        self.string.is_empty()
    }

    pub(super) fn piece(&mut self, piece: &[u8], mut each: impl FnMut(Found<'_>) -> Result<()>) -> Result<()> {
        let Some(&first) = self.string.first() else { return everywhere(piece, each) };
        let mut rest = piece;
        loop {
            if self.matched == 0 {
                let at = memchr(first, rest).unwrap_or(rest.len());
                let (before, from) = rest.split_at(at);
                each(Found::Other(before))?;
                rest = from;
            }
            let Some((&byte, behind)) = rest.split_first() else { return Ok(()) };
            self.next(byte, &mut each)?;
            rest = behind;
        }
    }

    fn next(&mut self, byte: u8, each: &mut impl FnMut(Found<'_>) -> Result<()>) -> Result<()> {
        while self.matched > 0 && self.string[self.matched] != byte {
            let border = self.borders[self.matched];
            each(Found::Other(&self.string[..self.matched - border]))?;
            self.matched = border;
        }
        if self.string[self.matched] != byte {
            return each(Found::Other(&[byte]));
        }
        self.matched += 1;
        if self.matched == self.string.len() {
            self.matched = 0;
            return each(Found::Match);
        }
        Ok(())
    }

    /// The text is over; the next one begins.
    pub(super) fn end(&mut self, mut each: impl FnMut(Found<'_>) -> Result<()>) -> Result<()> {
        if self.is_empty() {
            return each(Found::Match);
        }
        each(Found::Other(&self.string[..std::mem::take(&mut self.matched)]))
    }
}

fn everywhere(piece: &[u8], mut each: impl FnMut(Found<'_>) -> Result<()>) -> Result<()> {
    for byte in piece {
        let begins_character = byte & 0xC0 != 0x80;
        if begins_character {
            each(Found::Match)?;
        }
        each(Found::Other(&[*byte]))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with each match in brackets, and how much was held back after each piece.
    fn found(string: &str, pieces: &[&str]) -> (String, Vec<usize>) {
        let (mut search, mut text, mut held) = (Search::new(string), Vec::new(), Vec::new());
        let collect = |text: &mut Vec<u8>, found: Found<'_>| {
            text.extend_from_slice(match found {
                Found::Other(other) => other,
                Found::Match => b"[]",
            });
            Ok(())
        };
        for piece in pieces {
            search.piece(piece.as_bytes(), |found| collect(&mut text, found)).unwrap();
            held.push(search.matched);
        }
        search.end(|found| collect(&mut text, found)).unwrap();
        (String::from_utf8(text).unwrap(), held)
    }

    #[test]
    fn finds_what_replace_replaces() {
        for string in ["", "a", "aa", "aab", "abab", "éa", "中"] {
            for text in ["", "a", "aaaab", "abababab", "aéaéa", "中a中", "ab"] {
                let whole = text.replace(string, "[]");
                assert_eq!(found(string, &[text]).0, whole, "{string:?} in {text:?}");
                let characters: Vec<String> = text.chars().map(String::from).collect();
                let pieces: Vec<&str> = characters.iter().map(String::as_str).collect();
                assert_eq!(found(string, &pieces).0, whole, "{string:?} in {text:?}, in pieces");
            }
        }
    }

    #[test]
    fn holds_back_no_more_than_it_must() {
        assert_eq!(found("abac", &["xab", "a", "b", "x"]), ("xabaxb".replace("axb", "abx"), vec![2, 3, 2, 0]));
        assert_eq!(found("</w>", &["a", "<", "/w", ">b"]), ("a[]b".to_owned(), vec![0, 1, 3, 0]));
    }
}
