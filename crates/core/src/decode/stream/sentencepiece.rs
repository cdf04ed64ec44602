//! The stage of `SentencePiece` decoding: removes the space at the start, and delays incomplete characters.

use super::{PartBuffer, Stage, StreamOutput};
use crate::decode::SentencePieceDecoder;
use crate::decode::byte_fallback::byte_of;
use crate::error::Result;
use crate::normalize::SPACE;

/// The stage of [`SentencePieceDecoder`].
#[derive(Debug, Clone)]
pub(super) struct PieceDecoder {
    decoder: SentencePieceDecoder,
    form: StreamOutput,
    /// The part so far.
    part: Vec<u8>,
    /// The bytes that form no complete character yet.
    bytes: Vec<u8>,
    at_start: bool,
    /// Whether the text is still empty.
    is_empty: bool,
}

impl PieceDecoder {
    pub(super) fn new(decoder: &SentencePieceDecoder, form: StreamOutput) -> Self {
        let at_start = decoder.add_dummy_prefix || decoder.remove_extra_whitespaces;
        Self { decoder: decoder.clone(), form, part: Vec::new(), bytes: Vec::new(), at_start, is_empty: true }
    }

    fn push(&mut self, text: &str, out: &mut PartBuffer) -> Result<()> {
        self.is_empty &= text.is_empty();
        out.push(text.as_bytes())
    }

    /// Adds a byte, and emits the complete characters.
    fn push_byte(&mut self, byte: u8, out: &mut PartBuffer) -> Result<()> {
        if self.form == StreamOutput::Bytes {
            self.is_empty = false;
            return out.push(&[byte]);
        }
        self.bytes.push(byte);
        let whole = whole_characters(&self.bytes);
        self.push_bytes(whole, out)
    }

    /// Emits the text of the first `count` bytes, with U+FFFD for each invalid byte.
    fn push_bytes(&mut self, count: usize, out: &mut PartBuffer) -> Result<()> {
        let bytes: Vec<u8> = self.bytes.drain(..count).collect();
        for chunk in bytes.utf8_chunks() {
            self.push(chunk.valid(), out)?;
            for _ in chunk.invalid() {
                self.push("\u{fffd}", out)?;
            }
        }
        Ok(())
    }

    /// Emits the text of a part.
    fn push_part(&mut self, part: &str, out: &mut PartBuffer) -> Result<()> {
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

/// Returns the number of bytes that later bytes cannot change: all except an incomplete character at the end.
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

impl Stage for PieceDecoder {
    fn receive(&mut self, fragment: &[u8], _: &mut PartBuffer) -> Result<()> {
        self.part.extend_from_slice(fragment);
        Ok(())
    }

    fn end(&mut self, out: &mut PartBuffer) -> Result<()> {
        let part = std::mem::take(&mut self.part);
        self.push_part(&String::from_utf8_lossy(&part), out)
    }

    fn finish(&mut self, out: &mut PartBuffer) -> Result<()> {
        self.push_bytes(self.bytes.len(), out)?;
        // All pieces are one part.
        out.end();
        Ok(())
    }
}
