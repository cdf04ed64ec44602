//! Incremental decoding: emits the text of tokens as soon as later tokens cannot change it.
//!
//! A part may arrive in fragments: [`super::Decoder::Fuse`] makes a single part of all tokens, which is only complete
//! at the end. Each stage delays the output that a later token could change, and no more:
//!
//! | stage | delays output until |
//! |---|---|
//! | byte level | the end of a token, and of a UTF-8 character |
//! | byte fallback | the end of a run of byte tokens, unless the run is invalid already: one invalid byte changes all
//! of them |
//! | suffixes of BPE | the next token, after a suffix |
//! | string replacement | the end of a possible match |
//! | a regular expression | the end of the part |
//! | stripping | the text after characters that may be stripped |
//! | pieces of `SentencePiece` | the end of a token, and of a UTF-8 character |
//! | repetitions (CTC) | the first difference from the part before |
//!
//! Parts are single tokens unless they are fused, so most delays end within a step. The total cost is linear in the
//! length of the tokens and of the parts made from them. Nothing is decoded twice.

use super::Decoder;
use super::stage::Stages;
use crate::error::Result;

/// The output for tokens that represent bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StreamOutput {
    /// Text: invalid UTF-8 becomes U+FFFD.
    #[default]
    Text,
    /// The bytes themselves.
    Bytes,
}

/// An incremental decoder; the concatenation of its output equals that of [`Decoder::decode`].
///
/// ```
/// use piecework_core::decode::{DecodeStream, StreamOutput};
///
/// let mut stream = DecodeStream::new(None, StreamOutput::Text);
/// assert_eq!(stream.step(["low"])?, b"low");
/// assert_eq!(stream.step(["er"])?, b" er");
/// assert_eq!(stream.finish()?, b"");
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DecodeStream {
    /// The stages before the first token.
    initial_stages: Stages,
    stages: Stages,
}

impl DecodeStream {
    /// Returns a stream without tokens. Without a decoder, tokens are joined with spaces.
    #[must_use]
    pub fn new(decoder: Option<&Decoder>, output: StreamOutput) -> Self {
        let initial_stages = Decoder::stages(decoder, output);
        Self { stages: initial_stages.clone(), initial_stages }
    }

    /// Returns the final bytes that `tokens` add; they are UTF-8 if the output is text.
    ///
    /// After an error the stream is reset to its initial state.
    pub fn step<'a>(&mut self, tokens: impl IntoIterator<Item = &'a str>) -> Result<Vec<u8>> {
        self.stages.run(&tokens.into_iter().collect::<Vec<_>>(), false).inspect_err(|_| self.reset())
    }

    /// Returns the remaining bytes at the end of the tokens, and resets the stream to its initial state.
    pub fn finish(&mut self) -> Result<Vec<u8>> {
        let rest = self.stages.run(&[], true);
        self.reset();
        rest
    }

    /// Resets all stages.
    fn reset(&mut self) {
        self.stages.clone_from(&self.initial_stages);
    }
}
