//! Divides texts into regions that a normalizer does not change, and others, without normalizing them.
//!
//! It serves the Unicode normalization forms: a stricter form of Unicode's quick checks.
//!
//! Chunks of a region contain no character that the normalizer may change; regions meet at safe split points.

use super::text::{characters_of, line_end};
use crate::splitter::WordSplitter;
use crate::text::unicode::Class;

/// The characters that the normalizer of a splitter does not change, whatever characters are beside them.
///
/// They are unchanged (see [`crate::text::unicode::Class`]).
#[derive(Debug, Clone)]
pub(crate) struct UnchangedCharacters {
    /// The properties of all other characters; none without a normalizer.
    may_change: Class,
    /// For each byte, whether it is a continuation byte, or the lead byte of unchanged characters only.
    bytes: Box<[bool; 256]>,
}

impl UnchangedCharacters {
    /// Returns the unchanged characters of a splitter; `None` if they are not known.
    pub(crate) fn of(splitter: &WordSplitter) -> Option<Self> {
        Some(Self::except(splitter.locality().map_or(Some(Class::NONE), |locality| locality.may_change)?))
    }

    /// Returns all characters.
    pub(super) fn all() -> Self {
        Self::except(Class::NONE)
    }

    fn except(may_change: Class) -> Self {
        let begins_unchanged = |byte| begins_unchanged(u8::try_from(byte).unwrap_or(0), may_change);
        Self { may_change, bytes: Box::new(std::array::from_fn(begins_unchanged)) }
    }

    /// Returns whether these are all characters.
    pub(super) fn is_all(&self) -> bool {
        self.may_change == Class::NONE
    }

    /// Returns whether a text consists of such characters; O(n) in bytes if there is a normalizer.
    pub(crate) fn contains(&self, text: &str) -> bool {
        self.first_other(text).is_none()
    }

    /// Returns whether this is such a character.
    pub(super) fn contains_char(&self, c: char) -> bool {
        c.is_ascii() || self.is_all() || !self.may_change.contains(c)
    }

    /// Returns the first byte of the first character that may change; O(n) in bytes if there is a normalizer.
    fn first_other(&self, text: &str) -> Option<usize> {
        if self.is_all() {
            return None;
        }
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if let Some(eight) = bytes[at..].first_chunk::<8>()
                && eight.is_ascii()
            {
                at += 8;
            } else if self.bytes[usize::from(byte)] {
                at += 1;
            } else {
                let c = text[at..].chars().next().unwrap_or_default();
                if !self.contains_char(c) {
                    return Some(at);
                }
                at += c.len_utf8();
            }
        }
        None
    }
}

/// Returns whether all characters that begin with a byte are unchanged; true for continuation bytes.
fn begins_unchanged(byte: u8, may_change: Class) -> bool {
    if byte & 0xC0 == 0x80 || byte.is_ascii() || may_change == Class::NONE {
        return true;
    }
    let mut characters = characters_of(byte).peekable();
    characters.peek().is_some() && characters.all(|c| !may_change.contains(c))
}

/// The regions of a text, from left to right.
#[derive(Debug, Clone, Copy)]
pub(super) struct Regions {
    /// Whether each line is a region by itself.
    by_lines: bool,
    /// The end of the pieces, and of the whole chunk after them.
    pieces: usize,
    whole: usize,
}

impl Regions {
    /// Returns the state before the first region; `by_lines` if each line is a text by itself.
    pub(super) fn new(by_lines: bool) -> Self {
        Self { by_lines, pieces: 0, whole: 0 }
    }

    /// Returns the end of the region that contains byte `at`, which is at most the end of the region before, and whether it
    /// is cut into pieces; otherwise it is one chunk.
    ///
    /// Regions that are not lines meet at safe split points, for which `is_safe` holds. It must not hold at byte 0, nor
    /// after a character that may change.
    #[inline(always)]
    pub(super) fn at(
        &mut self,
        text: &str,
        at: usize,
        unchanged: &UnchangedCharacters,
        is_safe: impl Fn(usize) -> bool,
    ) -> (usize, bool) {
        if at >= self.pieces {
            self.advance(text, at, unchanged, is_safe);
        }
        if at < self.pieces { (self.pieces, true) } else { (self.whole, false) }
    }

    #[inline(never)]
    fn advance(&mut self, text: &str, at: usize, unchanged: &UnchangedCharacters, is_safe: impl Fn(usize) -> bool) {
        if self.by_lines {
            self.pieces = line_end(text.as_bytes(), at);
        } else if at >= self.whole {
            let changed = unchanged.first_other(&text[at..]).map(|place| at + place);
            self.pieces = changed
                .map_or(text.len(), |changed| (at + 1..=changed).rev().find(|&place| is_safe(place)).unwrap_or(at));
            self.whole = changed.map_or(text.len(), |changed| {
                (changed + 1..text.len()).find(|&place| is_safe(place)).unwrap_or(text.len())
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_classified() {
        for may_change in [Class::MAY_CHANGE_NFC, Class::MAY_CHANGE_NFKC] {
            let unchanged = UnchangedCharacters::except(may_change);
            for c in '\0'..=char::MAX {
                let is_unchanged = !may_change.contains(c);
                assert_eq!(unchanged.contains_char(c), is_unchanged, "{c:?}");
                for text in [format!("{c}"), format!("abcdefgh中{c}"), format!("{c}文abcdefgh")] {
                    assert_eq!(unchanged.contains(&text), is_unchanged, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn regions_around_characters_that_may_change() {
        let unchanged = UnchangedCharacters::except(Class::MAY_CHANGE_NFKC);
        for (text, wanted) in [
            ("a b c", vec![(5, true)]),
            ("a b\u{bd} c d", vec![(1, true), (7, false), (9, true)]),
            ("\u{bd}a b\u{bd}", vec![(3, false), (7, false)]),
            ("a \u{bd}", vec![(1, true), (4, false)]),
        ] {
            let is_safe = |at: usize| text.as_bytes()[at] == b' ' && text.as_bytes()[at - 1].is_ascii_alphabetic();
            let (mut regions, mut at, mut found) = (Regions::new(false), 0, Vec::new());
            while at < text.len() {
                found.push(regions.at(text, at, &unchanged, is_safe));
                at = found[found.len() - 1].0;
            }
            assert_eq!(found, wanted, "{text:?}");
        }
    }
}
