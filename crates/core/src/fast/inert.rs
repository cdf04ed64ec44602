//! Detects texts that are in NFC already, without normalizing them (a stricter form of Unicode's NFC quick check).

use crate::text::unicode::class;

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
