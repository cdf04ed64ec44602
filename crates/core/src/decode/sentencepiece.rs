//! Pieces of a `SentencePiece` model back to text, as that library does it.

use std::borrow::Cow;

use super::Parts;
use super::byte_fallback::byte_of;
use crate::normalize::SPACE;

/// How pieces become text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentencePieceDecoder {
    /// The model put a space before the text: the first piece loses the one it begins with.
    pub add_dummy_prefix: bool,
    /// The model removed spaces: all pieces lose one at their beginning until there is text.
    pub remove_extra_whitespaces: bool,
    /// Pieces such as `<0x61>` are bytes; a byte that is no part of a character becomes U+FFFD.
    pub byte_fallback: bool,
    /// The piece of what the model does not know.
    pub unk_token: String,
    /// What stands in the text for it.
    pub unk_surface: String,
}

impl SentencePieceDecoder {
    /// What stands for it where nothing else is said.
    pub(crate) const UNK_SURFACE: &str = " \u{2047} ";

    pub(super) fn decode_chain<'a>(&self, parts: Parts<'a>) -> Parts<'a> {
        let (mut text, mut bytes) = (String::new(), Vec::new());
        let mut at_start = self.add_dummy_prefix || self.remove_extra_whitespaces;
        for part in parts {
            if let Some(byte) = byte_of(&part).filter(|_| self.byte_fallback) {
                bytes.push(byte);
                continue;
            }
            push_bytes(&mut text, &mut bytes);
            at_start &= text.is_empty();
            let stripped = part.strip_prefix(SPACE).filter(|_| at_start);
            if *part == *self.unk_token {
                text.push_str(&self.unk_surface);
            } else {
                text.push_str(&stripped.unwrap_or(&part).replace(SPACE, " "));
            }
            at_start &= stripped.is_none() || self.remove_extra_whitespaces;
        }
        push_bytes(&mut text, &mut bytes);
        vec![Cow::Owned(text)]
    }

    /// The bytes that a piece stands for in the middle of a text.
    pub(super) fn token_bytes(&self, piece: &str) -> Vec<u8> {
        match byte_of(piece).filter(|_| self.byte_fallback) {
            Some(byte) => vec![byte],
            None => piece.replace(SPACE, " ").into_bytes(),
        }
    }
}

fn push_bytes(text: &mut String, bytes: &mut Vec<u8>) {
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    bytes.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(remove_extra_whitespaces: bool, parts: &[&str]) -> String {
        let decoder = SentencePieceDecoder {
            add_dummy_prefix: true,
            remove_extra_whitespaces,
            byte_fallback: true,
            unk_token: "<unk>".to_owned(),
            unk_surface: " ⁇ ".to_owned(),
        };
        decoder.decode_chain(parts.iter().map(|&part| Cow::Borrowed(part)).collect()).concat()
    }

    #[test]
    fn the_first_space_goes() {
        assert_eq!(decoded(false, &["▁a", "▁b"]), "a b");
        assert_eq!(decoded(false, &["▁", "▁b"]), " b");
        assert_eq!(decoded(true, &["▁", "▁b"]), "b");
        assert_eq!(decoded(false, &["<0x61>", "▁b"]), "a b");
        assert_eq!(decoded(false, &["<unk>", "▁b"]), " ⁇  b");
    }

    #[test]
    fn the_first_space_may_be_that_of_the_unknown_piece() {
        let decoder = SentencePieceDecoder {
            add_dummy_prefix: true,
            remove_extra_whitespaces: false,
            byte_fallback: false,
            unk_token: "▁unk".to_owned(),
            unk_surface: String::new(),
        };
        let decoded = |parts: &[&'static str]| {
            decoder.decode_chain(parts.iter().map(|&part| Cow::Borrowed(part)).collect()).concat()
        };
        assert_eq!(decoded(&["▁unk", "▁a"]), " a");
        assert_eq!(decoded(&["▁a", "▁unk", "▁a"]), "a a");
    }

    #[test]
    fn each_broken_byte_is_replaced() {
        assert_eq!(decoded(false, &["<0xE4>", "<0xBD>", "<0x61>", "<0xC3>", "<0xA9>"]), "\u{fffd}\u{fffd}aé");
    }
}
