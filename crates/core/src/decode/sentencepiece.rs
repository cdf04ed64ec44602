//! The decoder of `SentencePiece` models, equal to that of the library.

use std::borrow::Cow;

use super::Parts;
use super::byte_fallback::byte_of;
use crate::normalize::SPACE;

/// A decoder of `SentencePiece` pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentencePieceDecoder {
    /// Whether the model adds a space before the text: the first piece loses its leading space.
    pub add_dummy_prefix: bool,
    /// Whether the model removes spaces: pieces lose a leading space as long as the text is empty.
    pub remove_extra_whitespaces: bool,
    /// Whether pieces such as `<0x61>` are bytes; a byte outside a valid character becomes U+FFFD.
    pub byte_fallback: bool,
    /// The piece for unknown text.
    pub unk_token: String,
    /// The text that it is decoded to.
    pub unk_surface: String,
}

impl SentencePieceDecoder {
    /// The default text for unknown pieces.
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

    /// Returns the bytes of a piece in a text, as its first one or a later one; `None` if they depend on more.
    pub(super) fn bytes_in_text(&self, piece: &str, is_first: bool) -> Option<Vec<u8>> {
        let byte = byte_of(piece).filter(|_| self.byte_fallback);
        let surface = match byte {
            Some(byte) => return Some(vec![byte]),
            None if *piece == *self.unk_token => self.unk_surface.clone(),
            None => piece.replace(SPACE, " "),
        };
        if surface.is_empty() {
            return None; // the text still begins after it
        }
        let strips = is_first && (self.add_dummy_prefix || self.remove_extra_whitespaces);
        let rest = piece.strip_prefix(SPACE).filter(|_| strips && *piece != *self.unk_token);
        Some(rest.map_or(surface, |rest| rest.replace(SPACE, " ")).into_bytes())
    }

    /// Returns the bytes of a piece that is not at the start of a text.
    pub(super) fn token_bytes(&self, piece: &str) -> Vec<u8> {
        match byte_of(piece).filter(|_| self.byte_fallback) {
            Some(byte) => vec![byte],
            None => piece.replace(SPACE, " ").into_bytes(),
        }
    }
}

/// Appends bytes as text, with U+FFFD for each invalid byte.
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
    fn the_first_space_is_removed() {
        assert_eq!(decoded(false, &["▁a", "▁b"]), "a b");
        assert_eq!(decoded(false, &["▁", "▁b"]), " b");
        assert_eq!(decoded(true, &["▁", "▁b"]), "b");
        assert_eq!(decoded(false, &["<0x61>", "▁b"]), "a b");
        assert_eq!(decoded(false, &["<unk>", "▁b"]), " ⁇  b");
    }

    #[test]
    fn the_first_space_may_come_from_the_unknown_piece() {
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
    fn each_invalid_byte_is_replaced() {
        assert_eq!(decoded(false, &["<0xE4>", "<0xBD>", "<0x61>", "<0xC3>", "<0xA9>"]), "\u{fffd}\u{fffd}aé");
    }
}
