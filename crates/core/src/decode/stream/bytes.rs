//! Stages for tokens that represent bytes.

use super::{PartBuffer, Stage, StreamOutput};
use crate::decode::byte_fallback::byte_of;
use crate::decode::byte_level::extend_bytes;
use crate::error::Result;

const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// The stage of byte-level decoding.
#[derive(Debug, Clone)]
pub(super) struct ByteLevel {
    form: StreamOutput,
    /// The token so far; if one of its characters represents no byte, all of it is text.
    token: Vec<u8>,
    /// The bytes of an incomplete character.
    incomplete: Vec<u8>,
}

impl ByteLevel {
    pub(super) fn new(form: StreamOutput) -> Self {
        Self { form, token: Vec::new(), incomplete: Vec::new() }
    }

    /// Emits complete UTF-8, and U+FFFD for invalid bytes as `String::from_utf8_lossy` does.
    fn text(&mut self, out: &mut PartBuffer) -> Result<()> {
        let mut rest = &*self.incomplete;
        while let Err(error) = std::str::from_utf8(rest) {
            let (text, broken) = rest.split_at(error.valid_up_to());
            out.push(text)?;
            rest = broken;
            let Some(length) = error.error_len() else { break };
            out.push(REPLACEMENT)?;
            rest = &broken[length..];
        }
        if std::str::from_utf8(rest).is_ok() {
            out.push(rest)?;
            rest = &[];
        }
        let done = self.incomplete.len() - rest.len();
        self.incomplete.drain(..done);
        Ok(())
    }
}

impl Stage for ByteLevel {
    fn receive(&mut self, fragment: &[u8], _out: &mut PartBuffer) -> Result<()> {
        self.token.extend_from_slice(fragment);
        Ok(())
    }

    fn end(&mut self, out: &mut PartBuffer) -> Result<()> {
        extend_bytes(&mut self.incomplete, &String::from_utf8_lossy(&self.token));
        self.token.clear();
        match self.form {
            StreamOutput::Text => self.text(out),
            StreamOutput::Bytes => out.push(&std::mem::take(&mut self.incomplete)),
        }
    }

    fn finish(&mut self, out: &mut PartBuffer) -> Result<()> {
        if !self.incomplete.is_empty() {
            out.push(REPLACEMENT)?;
        }
        out.end();
        Ok(())
    }
}

/// The stage of tokens such as `<0x61>`.
#[derive(Debug, Clone)]
pub(super) struct ByteFallback {
    form: StreamOutput,
    /// The part so far, while it may be a byte token.
    token: Vec<u8>,
    is_text: bool,
    run: Run,
}

/// A run of byte tokens.
#[derive(Debug, Clone, Default)]
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

impl ByteFallback {
    pub(super) fn new(form: StreamOutput) -> Self {
        Self { form, token: Vec::new(), is_text: false, run: Run::None }
    }

    /// Returns whether the start of a part may still become a byte token.
    fn may_be_byte(token: &[u8]) -> bool {
        token.len() <= b"<0x61>".len() && token.iter().zip(b"<0x").all(|(byte, wanted)| byte == wanted)
    }

    /// Emits the part as text, after the end of the run before it.
    fn text(&mut self, out: &mut PartBuffer) -> Result<()> {
        self.end_run(out)?;
        out.push(&std::mem::take(&mut self.token))
    }

    /// Adds a byte to the run.
    fn byte(&mut self, byte: u8, out: &mut PartBuffer) -> Result<()> {
        if self.form == StreamOutput::Bytes {
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
    fn end_run(&mut self, out: &mut PartBuffer) -> Result<()> {
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
fn replacements(count: usize, out: &mut PartBuffer) -> Result<()> {
    for _ in 0..count {
        out.push(REPLACEMENT)?;
        out.end();
    }
    Ok(())
}

impl Stage for ByteFallback {
    fn receive(&mut self, fragment: &[u8], out: &mut PartBuffer) -> Result<()> {
        self.token.extend_from_slice(fragment);
        if self.is_text || !Self::may_be_byte(&self.token) {
            self.is_text = true;
            self.text(out)?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut PartBuffer) -> Result<()> {
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

    fn finish(&mut self, out: &mut PartBuffer) -> Result<()> {
        self.end_run(out)
    }
}
