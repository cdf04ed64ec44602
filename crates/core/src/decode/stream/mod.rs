//! Incremental decoding: emits the text of tokens as soon as later tokens cannot change it.
//!
//! A decoder is a sequence of stages. They pass on parts as [`super::Decoder::decode_chain`] does, but a part may
//! arrive in fragments: [`super::Decoder::Fuse`] makes a single part of all tokens, which is only complete at the end.
//! Each stage delays the output that a later token could change, and no more:
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
//! length of the tokens and of the parts made from them.

mod bytes;
mod literal;
mod parts;
mod search;
mod sentencepiece;

use super::cleanup::CLEANUP;
use super::{Decoder, StripDecoder};
use crate::error::Result;
use crate::settings::PrependScheme;
use crate::text::span::check_bytes;
use bytes::{ByteFallback, ByteLevel};
use literal::{Literal, Suffix};
use parts::{Fuse, NonEmpty, Regex, Repetitions, Spaces, Strip};
use sentencepiece::PieceDecoder;

/// The output for tokens that represent bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamOutput {
    /// Text: invalid UTF-8 becomes U+FFFD, as in [`super::Decoder::decode`].
    Text,
    /// The bytes themselves.
    Bytes,
}

/// An incremental decoder; the concatenation of its output equals that of [`super::Decoder::decode`].
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
    initial_stages: Vec<StageKind>,
    stages: Vec<StageKind>,
}

impl DecodeStream {
    /// Returns a stream without tokens. Without a decoder, tokens are joined with spaces.
    #[must_use]
    pub fn new(decoder: Option<&Decoder>, form: StreamOutput) -> Self {
        let mut initial_stages = Vec::new();
        match decoder {
            Some(decoder) => drop(add_stages(decoder, form, false, &mut initial_stages)),
            None => initial_stages.push(StageKind::Spaces(Spaces::new(None))),
        }
        Self { stages: initial_stages.clone(), initial_stages }
    }

    /// Returns the final bytes that `tokens` add; they are UTF-8 if the form is text.
    ///
    /// After an error the stream is reset to its initial state.
    pub fn step<'a>(&mut self, tokens: impl IntoIterator<Item = &'a str>) -> Result<Vec<u8>> {
        let mut buffer = PartBuffer::default();
        for token in tokens {
            buffer.push(token.as_bytes())?;
            buffer.end();
        }
        let new = self.run(buffer, false);
        if new.is_err() {
            self.reset();
        }
        new
    }

    /// Returns the remaining bytes at the end of the tokens, and resets the stream to its initial state.
    pub fn finish(&mut self) -> Result<Vec<u8>> {
        let rest = self.run(PartBuffer::default(), true);
        self.reset();
        rest
    }

    /// Resets all stages.
    fn reset(&mut self) {
        self.stages.clone_from(&self.initial_stages);
    }

    /// Passes the parts of a step through all stages.
    fn run(&mut self, mut buffer: PartBuffer, is_last: bool) -> Result<Vec<u8>> {
        let mut out = PartBuffer::default();
        for kind in &mut self.stages {
            let stage = kind.stage();
            buffer.pass(stage, &mut out)?;
            if is_last {
                stage.finish(&mut out)?;
            }
            std::mem::swap(&mut buffer, &mut out);
            out.clear();
        }
        Ok(buffer.bytes)
    }
}

/// The parts that one stage passes to the next in a step: bytes, and the ends of parts in them. The bytes after the
/// last end are an incomplete part.
#[derive(Debug, Default)]
struct PartBuffer {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl PartBuffer {
    /// Appends bytes to the current part.
    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        // A stage can double its input, and a file can contain many.
        check_bytes(self.bytes.len() + bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Ends the part.
    fn end(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Passes all parts to a stage.
    fn pass(&self, stage: &mut dyn Stage, out: &mut Self) -> Result<()> {
        let mut start = 0;
        for &end in &self.ends {
            pass_fragment(&self.bytes[start..end], stage, out)?;
            stage.end(out)?;
            start = end;
        }
        pass_fragment(&self.bytes[start..], stage, out)
    }
}

fn pass_fragment(fragment: &[u8], stage: &mut dyn Stage, out: &mut PartBuffer) -> Result<()> {
    if fragment.is_empty() { Ok(()) } else { stage.receive(fragment, out) }
}

/// A stage of an incremental decoder.
trait Stage {
    /// Receives a non-empty fragment of the current part.
    fn receive(&mut self, fragment: &[u8], out: &mut PartBuffer) -> Result<()>;

    /// Ends the current part, which is empty if there was no fragment.
    fn end(&mut self, out: &mut PartBuffer) -> Result<()>;

    /// Ends the input.
    fn finish(&mut self, _out: &mut PartBuffer) -> Result<()> {
        Ok(())
    }
}

/// A stage of any kind.
#[derive(Debug, Clone)]
enum StageKind {
    ByteFallback(ByteFallback),
    ByteLevel(ByteLevel),
    Fuse(Fuse),
    Literal(Literal),
    NonEmpty(NonEmpty),
    PieceDecoder(PieceDecoder),
    Regex(Regex),
    Repetitions(Repetitions),
    Spaces(Spaces),
    Strip(Strip),
    Suffix(Suffix),
}

impl StageKind {
    /// Returns the stage.
    fn stage(&mut self) -> &mut dyn Stage {
        match self {
            Self::ByteFallback(stage) => stage,
            Self::ByteLevel(stage) => stage,
            Self::Fuse(stage) => stage,
            Self::Literal(stage) => stage,
            Self::NonEmpty(stage) => stage,
            Self::PieceDecoder(stage) => stage,
            Self::Regex(stage) => stage,
            Self::Repetitions(stage) => stage,
            Self::Spaces(stage) => stage,
            Self::Strip(stage) => stage,
            Self::Suffix(stage) => stage,
        }
    }
}

/// Adds the stages of `decoder`; `is_single` states that they receive at most one part. Returns whether they emit at
/// most one part.
fn add_stages(decoder: &Decoder, form: StreamOutput, is_single: bool, stages: &mut Vec<StageKind>) -> bool {
    match decoder {
        Decoder::WordPiece(decoder) => {
            stages.push(StageKind::Spaces(Spaces::new(Some(&decoder.prefix))));
            if decoder.cleanup {
                add_cleanup(stages);
            }
        }
        Decoder::Bpe(decoder) => stages.push(StageKind::Suffix(Suffix::new(&decoder.suffix, is_single))),
        Decoder::ByteLevel(_) => stages.push(StageKind::ByteLevel(ByteLevel::new(form))),
        Decoder::ByteFallback => stages.push(StageKind::ByteFallback(ByteFallback::new(form))),
        Decoder::Metaspace(settings) => {
            let replacement = settings.replacement.to_string();
            let in_first = if settings.prepend_scheme == PrependScheme::Never { " " } else { "" };
            stages.push(StageKind::Literal(Literal::new(&replacement, " ").with_first(in_first)));
        }
        Decoder::Fuse => stages.push(StageKind::Fuse(Fuse)),
        Decoder::Strip(decoder) => stages.push(StageKind::Strip(Strip::new(decoder))),
        Decoder::Replace(decoder) if decoder.removes_last_space() => {
            stages.push(StageKind::Strip(Strip::new(&StripDecoder { content: ' ', start: 0, stop: 1 })));
        }
        Decoder::Replace(decoder) if decoder.pattern.is_regex() => stages.push(StageKind::Regex(Regex::new(decoder))),
        Decoder::Replace(decoder) => {
            let literal = Literal::new(decoder.pattern.source(), &decoder.content);
            stages.push(StageKind::Literal(literal.without_empty_parts()));
        }
        Decoder::Ctc(decoder) => {
            stages.push(StageKind::Repetitions(Repetitions::default()));
            stages.push(StageKind::Literal(Literal::new(&decoder.pad_token, "")));
            if decoder.cleanup {
                add_cleanup(stages);
                stages.push(StageKind::Literal(Literal::new(&decoder.word_delimiter_token, " ")));
            }
            stages.push(StageKind::NonEmpty(NonEmpty::default()));
        }
        Decoder::SentencePiece(decoder) => stages.push(StageKind::PieceDecoder(PieceDecoder::new(decoder, form))),
        Decoder::Sequence(decoders) => {
            return decoders.iter().fold(is_single, |is_single, decoder| add_stages(decoder, form, is_single, stages));
        }
    }
    is_single || matches!(decoder, Decoder::ByteLevel(_) | Decoder::Fuse | Decoder::SentencePiece(_))
}

/// Adds the eleven replacements of clean-up.
fn add_cleanup(stages: &mut Vec<StageKind>) {
    stages.extend(CLEANUP.iter().map(|(found, by)| StageKind::Literal(Literal::new(found, by))));
}
