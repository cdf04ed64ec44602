//! Tokens that stand for bytes.

use super::{Flow, Form, Stage};
use crate::decode::byte_fallback::byte_of;
use crate::decode::byte_level::extend_bytes;
use crate::error::Result;

const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

/// The characters that stand for bytes, back to bytes.
#[derive(Debug, Clone)]
pub(super) struct ByteLevel {
    form: Form,
    /// The token so far: one character that stands for no byte makes text of all of it.
    token: Vec<u8>,
    /// Bytes that begin a character.
    begun: Vec<u8>,
}

impl ByteLevel {
    pub(super) fn new(form: Form) -> Self {
        Self { form, token: Vec::new(), begun: Vec::new() }
    }

    /// Gives what is UTF-8, and U+FFFD for what never will be, as `String::from_utf8_lossy` does.
    fn text(&mut self, out: &mut Flow) -> Result<()> {
        let mut rest = &*self.begun;
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
        let done = self.begun.len() - rest.len();
        self.begun.drain(..done);
        Ok(())
    }
}

impl Stage for ByteLevel {
    fn piece(&mut self, piece: &[u8], _out: &mut Flow) -> Result<()> {
        self.token.extend_from_slice(piece);
        Ok(())
    }

    fn end(&mut self, out: &mut Flow) -> Result<()> {
        extend_bytes(&mut self.begun, &String::from_utf8_lossy(&self.token));
        self.token.clear();
        match self.form {
            Form::Text => self.text(out),
            Form::Bytes => out.push(&std::mem::take(&mut self.begun)),
        }
    }

    fn finish(&mut self, out: &mut Flow) -> Result<()> {
        if !self.begun.is_empty() {
            out.push(REPLACEMENT)?;
        }
        out.end();
        Ok(())
    }
}

/// Tokens such as `<0x61>`, back to characters.
#[derive(Debug, Clone)]
pub(super) struct ByteFallback {
    form: Form,
    /// The part so far, as long as it may be such a token.
    token: Vec<u8>,
    is_text: bool,
    run: Run,
}

/// A run of such tokens.
#[derive(Debug, Clone, Default)]
enum Run {
    #[default]
    None,
    /// Its bytes, of which the first are characters and the others begin one.
    Whole { bytes: Vec<u8>, characters: usize },
    /// One byte too many or too few: each is U+FFFD.
    Broken,
    /// Bytes are given as they come, as one part.
    Given,
}

impl ByteFallback {
    pub(super) fn new(form: Form) -> Self {
        Self { form, token: Vec::new(), is_text: false, run: Run::None }
    }

    fn may_be_byte(token: &[u8]) -> bool {
        token.len() <= b"<0x61>".len() && token.iter().zip(b"<0x").all(|(byte, wanted)| byte == wanted)
    }

    /// The part is text; the run before it, if there is one, is over.
    fn text(&mut self, out: &mut Flow) -> Result<()> {
        self.end_run(out)?;
        out.push(&std::mem::take(&mut self.token))
    }

    fn byte(&mut self, byte: u8, out: &mut Flow) -> Result<()> {
        if self.form == Form::Bytes {
            self.run = Run::Given;
            return out.push(&[byte]);
        }
        match &mut self.run {
            Run::Broken => replacements(1, out),
            Run::Whole { bytes, characters } => {
                bytes.push(byte);
                match std::str::from_utf8(&bytes[*characters..]) {
                    Ok(_) => *characters = bytes.len(),
                    Err(error) if error.error_len().is_none() => {}
                    Err(_) => {
                        let broken = bytes.len();
                        self.run = Run::Broken;
                        return replacements(broken, out);
                    }
                }
                Ok(())
            }
            Run::None | Run::Given => {
                self.run = Run::Whole { bytes: Vec::new(), characters: 0 };
                self.byte(byte, out)
            }
        }
    }

    fn end_run(&mut self, out: &mut Flow) -> Result<()> {
        match std::mem::take(&mut self.run) {
            Run::None | Run::Broken => Ok(()),
            Run::Whole { bytes, characters } if characters < bytes.len() => replacements(bytes.len(), out),
            Run::Whole { bytes, .. } => {
                out.push(&bytes)?;
                out.end();
                Ok(())
            }
            Run::Given => {
                out.end();
                Ok(())
            }
        }
    }
}

/// A part U+FFFD for each of so many bytes.
fn replacements(count: usize, out: &mut Flow) -> Result<()> {
    for _ in 0..count {
        out.push(REPLACEMENT)?;
        out.end();
    }
    Ok(())
}

impl Stage for ByteFallback {
    fn piece(&mut self, piece: &[u8], out: &mut Flow) -> Result<()> {
        self.token.extend_from_slice(piece);
        if self.is_text || !Self::may_be_byte(&self.token) {
            self.is_text = true;
            self.text(out)?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut Flow) -> Result<()> {
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

    fn finish(&mut self, out: &mut Flow) -> Result<()> {
        self.end_run(out)
    }
}
