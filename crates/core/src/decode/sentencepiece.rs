//! Pieces of a `SentencePiece` model back to text, as that library does it.

use std::borrow::Cow;

use super::byte_fallback::byte_of;
use super::{Form, Parts};
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

/// How far pieces have become text.
#[derive(Debug, Clone)]
pub(super) struct Progress {
    /// Whether the next piece may lose the space that it begins with.
    at_start: bool,
    is_empty: bool,
    /// Bytes that may begin a character.
    begun: Vec<u8>,
}

impl SentencePieceDecoder {
    pub(super) fn decode_chain<'a>(&self, parts: Parts<'a>) -> Parts<'a> {
        let (mut progress, mut text) = (self.start(), Vec::new());
        for part in parts {
            self.push(&part, &mut progress, Form::Text, &mut text);
        }
        progress.finish(&mut text);
        vec![Cow::Owned(String::from_utf8(text).expect("characters alone are given as text"))]
    }

    /// The bytes that a piece stands for, wherever it is.
    pub(super) fn piece_bytes(&self, piece: String) -> Vec<u8> {
        match self.byte_of(&piece) {
            Some(byte) => vec![byte],
            None if piece == self.unk_token => self.unk_surface.clone().into_bytes(),
            None => piece.replace(SPACE, " ").into_bytes(),
        }
    }

    fn byte_of(&self, piece: &str) -> Option<u8> {
        if self.byte_fallback { byte_of(piece) } else { None }
    }

    pub(super) fn start(&self) -> Progress {
        let at_start = self.add_dummy_prefix || self.remove_extra_whitespaces;
        Progress { at_start, is_empty: true, begun: Vec::new() }
    }

    /// Appends to `out` what `piece` adds that can change no more.
    pub(super) fn push(&self, piece: &str, progress: &mut Progress, form: Form, out: &mut Vec<u8>) {
        if let Some(byte) = self.byte_of(piece) {
            return progress.push_byte(byte, form, out);
        }
        progress.finish(out);
        progress.at_start &= progress.is_empty;
        let before = out.len();
        if piece == self.unk_token {
            out.extend_from_slice(self.unk_surface.as_bytes());
        } else {
            let stripped = piece.strip_prefix(SPACE).filter(|_| progress.at_start);
            out.extend_from_slice(stripped.unwrap_or(piece).replace(SPACE, " ").as_bytes());
            progress.at_start &= stripped.is_none() || self.remove_extra_whitespaces;
        }
        progress.is_empty &= out.len() == before;
    }
}

impl Progress {
    fn push_byte(&mut self, byte: u8, form: Form, out: &mut Vec<u8>) {
        self.is_empty = false;
        if form == Form::Bytes {
            return out.push(byte);
        }
        self.begun.push(byte);
        while let Err(error) = std::str::from_utf8(&self.begun) {
            let Some(broken) = error.error_len() else { return };
            self.give(error.valid_up_to() + broken, out);
        }
        self.finish(out);
    }

    /// Gives what is left.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        self.give(self.begun.len(), out);
    }

    /// Gives the first bytes: characters, and U+FFFD for each byte that is no part of one.
    fn give(&mut self, count: usize, out: &mut Vec<u8>) {
        for chunk in self.begun[..count].utf8_chunks() {
            out.extend_from_slice(chunk.valid().as_bytes());
            chunk.invalid().iter().for_each(|_| out.extend_from_slice("\u{fffd}".as_bytes()));
        }
        self.begun.drain(..count);
    }
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
    fn each_broken_byte_is_replaced() {
        assert_eq!(decoded(false, &["<0xE4>", "<0xBD>", "<0x61>", "<0xC3>", "<0xA9>"]), "\u{fffd}\u{fffd}aé");
        assert_eq!(decoded(false, &["<0xE4>", "<0xBD>", "<0xC3>", "<0xA9>"]), "\u{fffd}\u{fffd}é");
        assert_eq!(decoded(false, &["<0xC3>", "a", "<0xE4>"]), "\u{fffd}a\u{fffd}");
    }
}
