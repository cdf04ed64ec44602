//! Detects texts that a normalizer does not change, without normalizing them (a stricter form of Unicode's NFC quick check).

use crate::splitter::WordSplitter;
use crate::text::unicode::class;

/// The texts that the normalizer of a splitter does not change.
#[derive(Debug, Clone)]
pub(super) enum Unchanged {
    /// Every text: there is no normalizer.
    All,
    /// Texts of inert characters alone: the normalizer is NFC.
    Inert(Box<InertDetector>),
}

impl Unchanged {
    /// Returns the texts that the normalizer of a splitter is known not to change; `None` if it may change every text.
    pub(super) fn of(splitter: &WordSplitter) -> Option<Self> {
        let Some(locality) = splitter.locality() else { return Some(Self::All) };
        locality.keeps_inert_nfc.then(|| Self::Inert(Box::new(InertDetector::new())))
    }

    /// Returns whether these are all texts.
    pub(super) fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }

    /// Returns whether the normalizer does not change a text; O(n) in bytes if there is one.
    pub(super) fn contains(&self, text: &str) -> bool {
        match self {
            Self::All => true,
            Self::Inert(inert) => inert.is_inert(text),
        }
    }

    /// Returns whether the normalizer does not change a character, whatever characters are beside it.
    pub(super) fn contains_char(&self, c: char) -> bool {
        self.is_all() || class(c).is_inert_nfc()
    }
}

/// Detects texts of inert characters alone, which NFC does not change (see [`crate::text::unicode::Class`]).
#[derive(Debug, Clone)]
pub(super) struct InertDetector {
    /// For each byte, whether it is a continuation byte, or the lead byte of inert characters only.
    bytes: [bool; 256],
}

impl InertDetector {
    pub(super) fn new() -> Self {
        Self { bytes: std::array::from_fn(|byte| begins_inert(u8::try_from(byte).unwrap_or(0))) }
    }

    /// Returns whether all characters are inert; O(n) in bytes.
    pub(super) fn is_inert(&self, text: &str) -> bool {
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
                if !class(c).is_inert_nfc() {
                    return false;
                }
                at += c.len_utf8();
            }
        }
        true
    }
}

/// Returns whether all characters that begin with a byte are inert; true for continuation bytes.
fn begins_inert(byte: u8) -> bool {
    let first = u32::from(byte);
    let mut characters = match byte {
        0..=0xBF => return true,
        0xC2..=0xDF => (first & 0x1F) << 6..((first & 0x1F) + 1) << 6,
        0xE1..=0xEF => (first & 0xF) << 12..((first & 0xF) + 1) << 12,
        _ => return false,
    }
    .filter_map(char::from_u32);
    characters.all(|c| class(c).is_inert_nfc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_classified() {
        let inert = InertDetector::new();
        for c in '\0'..=char::MAX {
            let is_inert = class(c).is_inert_nfc();
            for text in [format!("{c}"), format!("abcdefgh中{c}"), format!("{c}文abcdefgh")] {
                assert_eq!(inert.is_inert(&text), is_inert, "{text:?}");
            }
        }
    }
}
