//! The decoder of `SentencePiece` models, equal to that of the library.

use super::byte_fallback::byte_of;
use super::byte_level::whole_characters;
use super::stage::{DecodeStage, DecodedParts};
use super::{Decoder, ReplaceDecoder, StreamOutput, StripDecoder};
use crate::error::Result;
use crate::settings::METASPACE_TEXT;
use crate::text::pattern::Pattern;

/// A decoder of `SentencePiece` pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentencePieceDecoder {
    /// Whether the model adds a space before the text: the first piece loses its leading space.
    pub add_dummy_prefix: bool,
    /// Whether the model removes spaces: pieces lose a leading space as long as the text is empty.
    pub remove_extra_whitespaces: bool,
    /// Whether pieces such as `<0x61>` are bytes; a byte outside a valid character becomes U+FFFD.
    pub byte_fallback: bool,
    /// The piece for unknown text; empty if there is none.
    pub unk_token: String,
    /// The text that it is decoded to.
    pub unk_surface: String,
}

impl SentencePieceDecoder {
    /// The default text for unknown pieces.
    pub(crate) const UNK_SURFACE: &str = " \u{2047} ";

    /// Returns the decoder of `tokenizers` that is nearest; both give equal text for all ids of an encoded text.
    pub(crate) fn nearest(&self) -> Decoder {
        let replace = |pattern: &str, content: &str| {
            Decoder::Replace(ReplaceDecoder { pattern: Pattern::literal(pattern), content: content.to_owned() })
        };
        let unknown = self.unknown().map(|piece| replace(piece, &self.unk_surface));
        let mut steps: Vec<Decoder> = unknown.into_iter().chain([replace(METASPACE_TEXT, " ")]).collect();
        if self.byte_fallback {
            steps.push(Decoder::ByteFallback);
        }
        steps.push(Decoder::Fuse);
        if self.add_dummy_prefix || self.remove_extra_whitespaces {
            steps.push(Decoder::Strip(StripDecoder { content: ' ', start: 1, stop: 0 }));
        }
        Decoder::Sequence(steps)
    }

    /// Returns the piece for unknown text, if there is one.
    fn unknown(&self) -> Option<&str> {
        Some(&*self.unk_token).filter(|piece| !piece.is_empty())
    }
}

/// The stage of [`SentencePieceDecoder`], which makes one part of all pieces.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PieceStage {
    decoder: SentencePieceDecoder,
    output: StreamOutput,
    /// The fragments of a piece.
    piece: Vec<u8>,
    /// The bytes that form no complete character yet.
    bytes: Vec<u8>,
    /// Whether a leading space is removed.
    at_start: bool,
}

impl PieceStage {
    pub(super) fn new(decoder: &SentencePieceDecoder, output: StreamOutput) -> Self {
        let at_start = decoder.add_dummy_prefix || decoder.remove_extra_whitespaces;
        Self { decoder: decoder.clone(), output, piece: Vec::new(), bytes: Vec::new(), at_start }
    }

    /// Returns the stage of a piece by itself, which is neither the first nor unknown.
    pub(super) fn of_one(decoder: &SentencePieceDecoder) -> Self {
        let decoder = SentencePieceDecoder {
            add_dummy_prefix: false,
            remove_extra_whitespaces: false,
            byte_fallback: decoder.byte_fallback,
            unk_token: String::new(),
            unk_surface: String::new(),
        };
        Self::new(&decoder, StreamOutput::Bytes)
    }

    /// Adds a byte, and emits the complete characters.
    fn push_byte(&mut self, byte: u8, out: &mut DecodedParts) -> Result<()> {
        if self.output == StreamOutput::Bytes {
            self.at_start = false;
            return out.push(&[byte]);
        }
        self.bytes.push(byte);
        self.push_bytes(whole_characters(&self.bytes), out)
    }

    /// Emits the text of the first `count` bytes, with U+FFFD for each invalid byte.
    fn push_bytes(&mut self, count: usize, out: &mut DecodedParts) -> Result<()> {
        self.at_start &= count == 0;
        for chunk in self.bytes[..count].utf8_chunks() {
            out.push(chunk.valid().as_bytes())?;
            for _ in chunk.invalid() {
                out.push("\u{fffd}".as_bytes())?;
            }
        }
        self.bytes.drain(..count);
        Ok(())
    }

    /// Emits the text of a piece.
    fn push_piece(&mut self, piece: &str, out: &mut DecodedParts) -> Result<()> {
        if let Some(byte) = byte_of(piece).filter(|_| self.decoder.byte_fallback) {
            return self.push_byte(byte, out);
        }
        self.push_bytes(self.bytes.len(), out)?;
        let start = out.bytes.len();
        let stripped = piece.strip_prefix(METASPACE_TEXT).filter(|_| self.at_start);
        if self.decoder.unknown() == Some(piece) {
            out.push(self.decoder.unk_surface.as_bytes())?;
        } else {
            push_spaced(stripped.unwrap_or(piece), out)?;
        }
        let is_empty = out.bytes.len() == start;
        self.at_start &= is_empty && (stripped.is_none() || self.decoder.remove_extra_whitespaces);
        Ok(())
    }
}

/// Emits a piece with spaces.
#[inline]
fn push_spaced(piece: &str, out: &mut DecodedParts) -> Result<()> {
    let mut sections = piece.split(METASPACE_TEXT);
    out.push(sections.next().unwrap_or_default().as_bytes())?;
    for section in sections {
        out.push(b" ")?;
        out.push(section.as_bytes())?;
    }
    Ok(())
}

impl DecodeStage for PieceStage {
    fn receive(&mut self, fragment: &[u8], _: &mut DecodedParts) -> Result<()> {
        self.piece.extend_from_slice(fragment);
        Ok(())
    }

    fn end(&mut self, out: &mut DecodedParts) -> Result<()> {
        let piece = std::mem::take(&mut self.piece);
        self.part(&piece, out)
    }

    #[inline]
    fn part(&mut self, part: &[u8], out: &mut DecodedParts) -> Result<()> {
        self.push_piece(&String::from_utf8_lossy(part), out)
    }

    fn finish(&mut self, out: &mut DecodedParts) -> Result<()> {
        self.push_bytes(self.bytes.len(), out)?;
        // All pieces are one part.
        out.end();
        Ok(())
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
        Decoder::SentencePiece(decoder).decode(parts.iter().copied()).unwrap()
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
    fn an_empty_unknown_piece_is_none() {
        let decoder = SentencePieceDecoder {
            add_dummy_prefix: true,
            remove_extra_whitespaces: true,
            byte_fallback: false,
            unk_token: String::new(),
            unk_surface: " ⁇ ".to_owned(),
        };
        for decoder in [decoder.nearest(), Decoder::SentencePiece(decoder)] {
            assert_eq!(decoder.decode(["▁a", "", "b"].into_iter()).unwrap(), "ab");
        }
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
        let decoder = Decoder::SentencePiece(decoder);
        let decoded = |parts: &[&'static str]| decoder.decode(parts.iter().copied()).unwrap();
        assert_eq!(decoded(&["▁unk", "▁a"]), " a");
        assert_eq!(decoded(&["▁a", "▁unk", "▁a"]), "a a");
    }

    #[test]
    fn each_invalid_byte_is_replaced() {
        assert_eq!(decoded(false, &["<0xE4>", "<0xBD>", "<0x61>", "<0xC3>", "<0xA9>"]), "\u{fffd}\u{fffd}aé");
    }
}
