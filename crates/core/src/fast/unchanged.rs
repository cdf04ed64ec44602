//! Divides texts into regions that a normalizer does not change, and others, without normalizing them.
//!
//! It serves the Unicode normalization forms: a stricter form of Unicode's quick checks.

use super::text::line_end;
use crate::splitter::WordSplitter;
use crate::text::unicode::{Class, class};

/// The characters that the normalizer of a splitter does not change, whatever characters are beside them.
#[derive(Debug, Clone)]
pub(crate) enum Unchanged {
    /// All: there is no normalizer.
    All,
    /// Those that are inert (see [`crate::text::unicode::Class`]).
    Inert(Box<InertDetector>),
}

impl Unchanged {
    /// Returns the unchanged characters of a splitter; `None` if they are not known.
    pub(crate) fn of(splitter: &WordSplitter) -> Option<Self> {
        let Some(locality) = splitter.locality() else { return Some(Self::All) };
        Some(Self::Inert(Box::new(InertDetector::new(locality.active?))))
    }

    /// Returns whether these are all characters.
    pub(super) fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }

    /// Returns whether a text consists of such characters; O(n) in bytes if there is a normalizer.
    pub(crate) fn contains(&self, text: &str) -> bool {
        self.first_other(text).is_none()
    }

    /// Returns whether this is such a character.
    pub(super) fn contains_char(&self, c: char) -> bool {
        match self {
            Self::All => true,
            Self::Inert(inert) => inert.contains(c),
        }
    }

    /// Returns the first byte of the first character that may change.
    fn first_other(&self, text: &str) -> Option<usize> {
        match self {
            Self::All => None,
            Self::Inert(inert) => inert.first_active(text),
        }
    }
}

/// Finds the characters of a text that are not inert.
#[derive(Debug, Clone)]
pub(crate) struct InertDetector {
    active: Class,
    /// For each byte, whether it is a continuation byte, or the lead byte of inert characters only.
    bytes: [bool; 256],
}

impl InertDetector {
    fn new(active: Class) -> Self {
        let begins_inert = |byte| begins_inert(u8::try_from(byte).unwrap_or(0), active);
        Self { active, bytes: std::array::from_fn(begins_inert) }
    }

    fn contains(&self, c: char) -> bool {
        c.is_ascii() || !class(c).intersects(self.active)
    }

    /// Returns the first byte of the first character that is not inert; O(n) in bytes.
    fn first_active(&self, text: &str) -> Option<usize> {
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
                if !self.contains(c) {
                    return Some(at);
                }
                at += c.len_utf8();
            }
        }
        None
    }
}

/// Returns whether all characters that begin with a byte are inert; true for continuation bytes.
fn begins_inert(byte: u8, active: Class) -> bool {
    let first = u32::from(byte);
    let mut characters = match byte {
        0..=0xBF => return true,
        0xC2..=0xDF => (first & 0x1F) << 6..((first & 0x1F) + 1) << 6,
        0xE1..=0xEF => (first & 0xF) << 12..((first & 0xF) + 1) << 12,
        _ => return false,
    }
    .filter_map(char::from_u32);
    characters.all(|c| !class(c).intersects(active))
}

/// A region of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    /// Cut into pieces up to this byte.
    Pieces(usize),
    /// One chunk up to this byte.
    Whole(usize),
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

    /// Returns the region that contains byte `at`, which is at most the end of the region before.
    ///
    /// Regions that are not lines meet at safe split points, for which `is_safe` holds. It must not hold at byte 0, nor
    /// after a character that may change.
    #[inline(always)]
    pub(super) fn at(
        &mut self,
        text: &str,
        at: usize,
        unchanged: &Unchanged,
        is_safe: impl Fn(usize) -> bool,
    ) -> Region {
        if at >= self.pieces {
            self.advance(text, at, unchanged, is_safe);
        }
        if at < self.pieces { Region::Pieces(self.pieces) } else { Region::Whole(self.whole) }
    }

    #[inline(never)]
    fn advance(&mut self, text: &str, at: usize, unchanged: &Unchanged, is_safe: impl Fn(usize) -> bool) {
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
        for active in [Class::ACTIVE_NFC, Class::ACTIVE_NFKC] {
            let inert = Unchanged::Inert(Box::new(InertDetector::new(active)));
            for c in '\0'..=char::MAX {
                let is_inert = !class(c).intersects(active);
                assert_eq!(inert.contains_char(c), is_inert, "{c:?}");
                for text in [format!("{c}"), format!("abcdefgh中{c}"), format!("{c}文abcdefgh")] {
                    assert_eq!(inert.contains(&text), is_inert, "{text:?}");
                }
            }
        }
    }

    #[test]
    fn regions_around_characters_that_may_change() {
        let unchanged = Unchanged::Inert(Box::new(InertDetector::new(Class::ACTIVE_NFKC)));
        for (text, wanted) in [
            ("a b c", vec![Region::Pieces(5)]),
            ("a b\u{bd} c d", vec![Region::Pieces(1), Region::Whole(7), Region::Pieces(9)]),
            ("\u{bd}a b\u{bd}", vec![Region::Whole(3), Region::Whole(7)]),
            ("a \u{bd}", vec![Region::Pieces(1), Region::Whole(4)]),
        ] {
            let is_safe = |at: usize| text.as_bytes()[at] == b' ' && text.as_bytes()[at - 1].is_ascii_alphabetic();
            let (mut regions, mut at, mut found) = (Regions::new(false), 0, Vec::new());
            while at < text.len() {
                found.push(regions.at(text, at, &unchanged, is_safe));
                let (Region::Pieces(end) | Region::Whole(end)) = found[found.len() - 1];
                at = end;
            }
            assert_eq!(found, wanted, "{text:?}");
        }
    }
}
