//! The decoder of byte-level BPE, whose characters represent bytes.

use super::StreamOutput;
use super::stage::{DecodeStage, DecodedParts};
use crate::error::Result;
use crate::text::bytes::char_to_byte;

const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// The stage that makes one part of the bytes of all tokens. A token with any other character is kept unchanged.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ByteLevelStage {
    output: StreamOutput,
    /// The fragments of a token; if one of its characters represents no byte, all of it is text.
    token: Vec<u8>,
    /// The bytes of an incomplete character at the end of the last step.
    incomplete: Vec<u8>,
}

impl ByteLevelStage {
    pub(super) fn new(output: StreamOutput) -> Self {
        Self { output, token: Vec::new(), incomplete: Vec::new() }
    }
}

/// Returns the number of bytes before an incomplete character at the end.
pub(super) fn whole_characters(bytes: &[u8]) -> usize {
    let is_incomplete = |at: &usize| {
        std::str::from_utf8(&bytes[*at..]).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    };
    (bytes.len().saturating_sub(3)..bytes.len()).find(is_incomplete).unwrap_or(bytes.len())
}

impl DecodeStage for ByteLevelStage {
    fn receive(&mut self, fragment: &[u8], _out: &mut DecodedParts) -> Result<()> {
        self.token.extend_from_slice(fragment);
        Ok(())
    }

    fn end(&mut self, out: &mut DecodedParts) -> Result<()> {
        let token = std::mem::take(&mut self.token);
        self.part(&token, out)
    }

    #[inline]
    fn part(&mut self, part: &[u8], out: &mut DecodedParts) -> Result<()> {
        out.bytes.append(&mut self.incomplete);
        extend_bytes(&mut out.bytes, part);
        Ok(())
    }

    fn flush(&mut self, out: &mut DecodedParts) -> Result<()> {
        out.bytes.append(&mut self.incomplete);
        if self.output == StreamOutput::Text && std::str::from_utf8(&out.bytes).is_err() {
            let bytes = std::mem::take(&mut out.bytes);
            let (whole, incomplete) = bytes.split_at(whole_characters(&bytes));
            self.incomplete = incomplete.to_vec();
            out.push(String::from_utf8_lossy(whole).as_bytes())?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut DecodedParts) -> Result<()> {
        if !self.incomplete.is_empty() {
            out.push(REPLACEMENT)?;
        }
        out.end();
        Ok(())
    }
}

/// Appends the bytes of a token.
#[inline]
fn extend_bytes(bytes: &mut Vec<u8>, token: &[u8]) {
    let start = bytes.len();
    let mut rest = token;
    while let Some((&first, after)) = rest.split_first() {
        // All characters that represent bytes have one byte or two.
        let (code, after) = match after.split_first() {
            _ if first < 0x80 => (u32::from(first), after),
            Some((&second, after)) if (0xC2..0xE0).contains(&first) && second & 0xC0 == 0x80 => {
                (u32::from(first & 0x1F) << 6 | u32::from(second & 0x3F), after)
            }
            _ => (u32::MAX, after),
        };
        let Some(byte) = char::from_u32(code).and_then(char_to_byte) else {
            bytes.truncate(start);
            bytes.extend_from_slice(String::from_utf8_lossy(token).as_bytes());
            return;
        };
        bytes.push(byte);
        rest = after;
    }
}
