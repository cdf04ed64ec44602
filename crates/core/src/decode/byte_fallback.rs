//! The decoder of byte tokens such as `<0x61>`.

use memchr::memmem;

use super::StreamOutput;
use super::stage::{DecodeStage, DecodedParts};
use crate::error::Result;

/// How a byte token begins.
const START: &[u8] = b"<0x";
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// The stage of tokens such as `<0x61>`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ByteFallbackStage {
    output: StreamOutput,
    /// The part so far, while it may be a byte token.
    token: Vec<u8>,
    is_text: bool,
    run: Run,
}

/// A run of byte tokens.
#[derive(Debug, Clone, Default, PartialEq)]
enum Run {
    #[default]
    None,
    /// A valid run: its bytes, of which `characters` are in complete characters.
    Valid { bytes: Vec<u8>, characters: usize },
    /// An invalid run: each byte becomes U+FFFD.
    Invalid,
    /// A run whose bytes are emitted directly, as one part.
    Emitted,
}

impl ByteFallbackStage {
    pub(super) fn new(output: StreamOutput) -> Self {
        Self { output, token: Vec::new(), is_text: false, run: Run::None }
    }

    /// Returns whether the start of a part may still become a byte token.
    fn may_be_byte(token: &[u8]) -> bool {
        token.len() <= b"<0x61>".len() && token.iter().zip(START).all(|(byte, wanted)| byte == wanted)
    }

    /// Emits the part as text, after the end of the run before it.
    fn text(&mut self, out: &mut DecodedParts) -> Result<()> {
        self.end_run(out)?;
        out.push(&std::mem::take(&mut self.token))
    }

    /// Adds a byte to the run.
    fn byte(&mut self, byte: u8, out: &mut DecodedParts) -> Result<()> {
        if self.output == StreamOutput::Bytes {
            self.run = Run::Emitted;
            return out.push(&[byte]);
        }
        match &mut self.run {
            Run::Invalid => replacements(1, out),
            Run::Valid { bytes, characters } => {
                bytes.push(byte);
                match std::str::from_utf8(&bytes[*characters..]) {
                    Ok(_) => *characters = bytes.len(),
                    Err(error) if error.error_len().is_none() => {}
                    Err(_) => {
                        let broken = bytes.len();
                        self.run = Run::Invalid;
                        return replacements(broken, out);
                    }
                }
                Ok(())
            }
            Run::None | Run::Emitted => {
                self.run = Run::Valid { bytes: Vec::new(), characters: 0 };
                self.byte(byte, out)
            }
        }
    }

    /// Ends the run and emits its remaining bytes.
    fn end_run(&mut self, out: &mut DecodedParts) -> Result<()> {
        match std::mem::take(&mut self.run) {
            Run::None | Run::Invalid => Ok(()),
            Run::Valid { bytes, characters } if characters < bytes.len() => replacements(bytes.len(), out),
            Run::Valid { bytes, .. } => {
                out.push(&bytes)?;
                out.end();
                Ok(())
            }
            Run::Emitted => {
                out.end();
                Ok(())
            }
        }
    }
}

/// Emits a part U+FFFD for each of `count` bytes.
fn replacements(count: usize, out: &mut DecodedParts) -> Result<()> {
    for _ in 0..count {
        out.push(REPLACEMENT)?;
        out.end();
    }
    Ok(())
}

impl DecodeStage for ByteFallbackStage {
    fn receive(&mut self, fragment: &[u8], out: &mut DecodedParts) -> Result<()> {
        self.token.extend_from_slice(fragment);
        if self.is_text || !Self::may_be_byte(&self.token) {
            self.is_text = true;
            self.text(out)?;
        }
        Ok(())
    }

    #[inline]
    fn keeps(&self, bytes: &[u8]) -> bool {
        matches!(self.run, Run::None) && memmem::find(bytes, START).is_none()
    }

    #[inline]
    fn part(&mut self, part: &[u8], out: &mut DecodedParts) -> Result<()> {
        if Self::may_be_byte(part) && !part.is_empty() {
            self.receive(part, out)?;
            return self.end(out);
        }
        self.end_run(out)?;
        out.push(part)?;
        out.end();
        Ok(())
    }

    fn end(&mut self, out: &mut DecodedParts) -> Result<()> {
        let byte = std::str::from_utf8(&self.token).ok().filter(|_| !self.is_text).and_then(byte_of);
        self.is_text = false;
        if let Some(byte) = byte {
            self.token.clear();
            return self.byte(byte, out);
        }
        self.text(out)?;
        out.end();
        Ok(())
    }

    fn finish(&mut self, out: &mut DecodedParts) -> Result<()> {
        self.end_run(out)
    }
}

/// Returns the byte of a byte token. As in the reference library, a plus sign counts as a leading zero.
pub(crate) fn byte_of(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>')?;
    if digits.len() == 2 { u8::from_str_radix(digits, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_tokens() {
        assert_eq!(byte_of("<0xe4>"), Some(0xe4));
        assert_eq!(byte_of("<0xFf>"), Some(0xff));
        assert_eq!(byte_of("<0x+5>"), Some(5));
        for token in ["<0x5>", "<0x-5>", "<0x055>", "<0xé>", "<0x5 >", "<0X55>", "<0x>", "<0x55", ""] {
            assert_eq!(byte_of(token), None, "{token}");
        }
    }
}
