//! Pieces of a `SentencePiece` model: what stands at the start of the text loses its space, and bytes wait for the end of their
//! character.

use super::{Flow, Form, Stage};
use crate::decode::SentencePieceDecoder;
use crate::decode::byte_fallback::byte_of;
use crate::error::Result;
use crate::normalize::SPACE;

/// See [`SentencePieceDecoder`].
#[derive(Debug, Clone)]
pub(super) struct Pieces {
    decoder: SentencePieceDecoder,
    form: Form,
    /// The part so far.
    part: Vec<u8>,
    /// Bytes that are no character yet.
    bytes: Vec<u8>,
    at_start: bool,
    /// Whether there is no text yet.
    is_empty: bool,
}

impl Pieces {
    pub(super) fn new(decoder: &SentencePieceDecoder, form: Form) -> Self {
        let at_start = decoder.add_dummy_prefix || decoder.remove_extra_whitespaces;
        Self { decoder: decoder.clone(), form, part: Vec::new(), bytes: Vec::new(), at_start, is_empty: true }
    }

    fn push(&mut self, text: &str, out: &mut Flow) -> Result<()> {
        self.is_empty &= text.is_empty();
        out.push(text.as_bytes())
    }

    fn push_byte(&mut self, byte: u8, out: &mut Flow) -> Result<()> {
        if self.form == Form::Bytes {
            self.is_empty = false;
            return out.push(&[byte]);
        }
        self.bytes.push(byte);
        let whole = whole_characters(&self.bytes);
        self.push_bytes(whole, out)
    }

    /// Gives the text of the first bytes: each that is part of no character is a U+FFFD.
    fn push_bytes(&mut self, count: usize, out: &mut Flow) -> Result<()> {
        let bytes: Vec<u8> = self.bytes.drain(..count).collect();
        for chunk in bytes.utf8_chunks() {
            self.push(chunk.valid(), out)?;
            for _ in chunk.invalid() {
                self.push("\u{fffd}", out)?;
            }
        }
        Ok(())
    }

    fn push_part(&mut self, part: &str, out: &mut Flow) -> Result<()> {
        if let Some(byte) = byte_of(part).filter(|_| self.decoder.byte_fallback) {
            return self.push_byte(byte, out);
        }
        self.push_bytes(self.bytes.len(), out)?;
        self.at_start &= self.is_empty;
        if part == self.decoder.unk_token {
            return self.push(&self.decoder.unk_surface.clone(), out);
        }
        let stripped = part.strip_prefix(SPACE).filter(|_| self.at_start);
        self.push(&stripped.unwrap_or(part).replace(SPACE, " "), out)?;
        self.at_start &= stripped.is_none() || self.decoder.remove_extra_whitespaces;
        Ok(())
    }
}

/// How many of the bytes more bytes can change no more: all but the beginning of a character at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    let mut whole = 0;
    for chunk in bytes.utf8_chunks() {
        whole += chunk.valid().len();
        let is_last = whole + chunk.invalid().len() == bytes.len();
        if is_last && std::str::from_utf8(&bytes[whole..]).is_err_and(|error| error.error_len().is_none()) {
            return whole;
        }
        whole += chunk.invalid().len();
    }
    whole
}

impl Stage for Pieces {
    fn piece(&mut self, piece: &[u8], _: &mut Flow) -> Result<()> {
        self.part.extend_from_slice(piece);
        Ok(())
    }

    fn end(&mut self, out: &mut Flow) -> Result<()> {
        let part = std::mem::take(&mut self.part);
        self.push_part(&String::from_utf8_lossy(&part), out)
    }

    fn finish(&mut self, out: &mut Flow) -> Result<()> {
        self.push_bytes(self.bytes.len(), out)?;
        // All pieces are one part.
        out.end();
        Ok(())
    }
}
