//! Tokens to text as they come: what is new and can change no more.
//!
//! A decoder is a row of stages here. What passes between them are parts, as in [`super::Decoder::decode_chain`], but a part may
//! come in pieces: [`super::Decoder::Fuse`] makes one part of all, and nobody wants to wait for its end. Each stage holds
//! back what a later token could change, and no more:
//!
//! | stage | what it waits for |
//! |---|---|
//! | byte level | the end of a token; of a character in UTF-8 |
//! | byte fallback | the end of the run of byte tokens, unless it is broken already: one broken byte changes all of them |
//! | suffixes of BPE | the next token, behind a suffix |
//! | a string to replace | the end of what may become that string |
//! | a regular expression | the end of the part |
//! | stripping | what comes behind characters that may be the last ones |
//! | pieces of `SentencePiece` | the end of a token; of a character in UTF-8 |
//! | repetitions (CTC) | where a part differs from the one before it |
//!
//! Parts are single tokens unless they were fused, so most of this is settled within a step. Costs are linear in the
//! tokens and in what becomes of them, over all steps.

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
use sentencepiece::Pieces;

/// What bytes that tokens stand for come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Text: what is no UTF-8 becomes U+FFFD, as in [`super::Decoder::decode`].
    Text,
    /// The bytes themselves.
    Bytes,
}

/// Text that grows with its tokens: what the steps give, and then the end, is in a row what [`super::Decoder::decode`] gives.
#[derive(Debug, Clone)]
pub struct DecodeStream {
    /// The stages before the first token.
    fresh: Vec<Kind>,
    stages: Vec<Kind>,
}

impl DecodeStream {
    /// A stream without any tokens yet. No decoder joins them with spaces.
    #[must_use]
    pub fn new(decoder: Option<&Decoder>, form: Form) -> Self {
        let mut fresh = Vec::new();
        match decoder {
            Some(decoder) => drop(add_stages(decoder, form, false, &mut fresh)),
            None => fresh.push(Kind::Spaces(Spaces::new(None))),
        }
        Self { stages: fresh.clone(), fresh }
    }

    /// What `tokens` add that can change no more; UTF-8, in the form of text.
    ///
    /// After an error the stream is as it was before its first token.
    pub fn step<'a>(&mut self, tokens: impl IntoIterator<Item = &'a str>) -> Result<Vec<u8>> {
        let mut flow = Flow::default();
        for token in tokens {
            flow.push(token.as_bytes())?;
            flow.end();
        }
        let new = self.run(flow, false);
        if new.is_err() {
            self.reset();
        }
        new
    }

    /// What is left when there are no more tokens; the stream is then as it was before its first token.
    pub fn finish(&mut self) -> Result<Vec<u8>> {
        let rest = self.run(Flow::default(), true);
        self.reset();
        rest
    }

    fn reset(&mut self) {
        self.stages.clone_from(&self.fresh);
    }

    fn run(&mut self, mut flow: Flow, is_last: bool) -> Result<Vec<u8>> {
        let mut out = Flow::default();
        for kind in &mut self.stages {
            let stage = kind.stage();
            flow.pass(stage, &mut out)?;
            if is_last {
                stage.finish(&mut out)?;
            }
            std::mem::swap(&mut flow, &mut out);
            out.clear();
        }
        Ok(flow.bytes)
    }
}

/// What passes from one stage to the next in a step: bytes, and where in them parts end. What is behind the last end is the
/// beginning of a part.
#[derive(Debug, Default)]
struct Flow {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Flow {
    fn push(&mut self, bytes: &[u8]) -> Result<()> {
        // A stage can double what it gets, and a file can name many.
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

    fn pass(&self, stage: &mut dyn Stage, out: &mut Self) -> Result<()> {
        let mut start = 0;
        for &end in &self.ends {
            pass_piece(&self.bytes[start..end], stage, out)?;
            stage.end(out)?;
            start = end;
        }
        pass_piece(&self.bytes[start..], stage, out)
    }
}

fn pass_piece(piece: &[u8], stage: &mut dyn Stage, out: &mut Flow) -> Result<()> {
    if piece.is_empty() { Ok(()) } else { stage.piece(piece, out) }
}

/// One step on the way from tokens to text.
trait Stage {
    /// More of the current part, or the first piece of a new one; never empty.
    fn piece(&mut self, piece: &[u8], out: &mut Flow) -> Result<()>;

    /// The part is over; it is empty if no piece came.
    fn end(&mut self, out: &mut Flow) -> Result<()>;

    /// No more parts come.
    fn finish(&mut self, _out: &mut Flow) -> Result<()> {
        Ok(())
    }
}

/// The stages that there are.
#[derive(Debug, Clone)]
enum Kind {
    ByteFallback(ByteFallback),
    ByteLevel(ByteLevel),
    Fuse(Fuse),
    Literal(Literal),
    NonEmpty(NonEmpty),
    Pieces(Pieces),
    Regex(Regex),
    Repetitions(Repetitions),
    Spaces(Spaces),
    Strip(Strip),
    Suffix(Suffix),
}

impl Kind {
    fn stage(&mut self) -> &mut dyn Stage {
        match self {
            Self::ByteFallback(stage) => stage,
            Self::ByteLevel(stage) => stage,
            Self::Fuse(stage) => stage,
            Self::Literal(stage) => stage,
            Self::NonEmpty(stage) => stage,
            Self::Pieces(stage) => stage,
            Self::Regex(stage) => stage,
            Self::Repetitions(stage) => stage,
            Self::Spaces(stage) => stage,
            Self::Strip(stage) => stage,
            Self::Suffix(stage) => stage,
        }
    }
}

/// Adds the stages of `decoder`, to which no more than one part comes if `is_single`. Gives whether the same is true of
/// what comes out of them.
fn add_stages(decoder: &Decoder, form: Form, is_single: bool, stages: &mut Vec<Kind>) -> bool {
    match decoder {
        Decoder::WordPiece(decoder) => {
            stages.push(Kind::Spaces(Spaces::new(Some(&decoder.prefix))));
            if decoder.cleanup {
                add_cleanup(stages);
            }
        }
        Decoder::Bpe(decoder) => stages.push(Kind::Suffix(Suffix::new(&decoder.suffix, is_single))),
        Decoder::ByteLevel(_) => stages.push(Kind::ByteLevel(ByteLevel::new(form))),
        Decoder::ByteFallback => stages.push(Kind::ByteFallback(ByteFallback::new(form))),
        Decoder::Metaspace(settings) => {
            let replacement = settings.replacement.to_string();
            let in_first = if settings.prepend_scheme == PrependScheme::Never { " " } else { "" };
            stages.push(Kind::Literal(Literal::new(&replacement, " ").with_first(in_first)));
        }
        Decoder::Fuse => stages.push(Kind::Fuse(Fuse)),
        Decoder::Strip(decoder) => stages.push(Kind::Strip(Strip::new(decoder))),
        Decoder::Replace(decoder) if decoder.removes_last_space() => {
            stages.push(Kind::Strip(Strip::new(&StripDecoder { content: ' ', start: 0, stop: 1 })));
        }
        Decoder::Replace(decoder) if decoder.pattern.is_regex() => stages.push(Kind::Regex(Regex::new(decoder))),
        Decoder::Replace(decoder) => {
            let literal = Literal::new(decoder.pattern.source(), &decoder.content);
            stages.push(Kind::Literal(literal.with_nothing_in_nothing()));
        }
        Decoder::Ctc(decoder) => {
            stages.push(Kind::Repetitions(Repetitions::default()));
            stages.push(Kind::Literal(Literal::new(&decoder.pad_token, "")));
            if decoder.cleanup {
                add_cleanup(stages);
                stages.push(Kind::Literal(Literal::new(&decoder.word_delimiter_token, " ")));
            }
            stages.push(Kind::NonEmpty(NonEmpty::default()));
        }
        Decoder::SentencePiece(decoder) => stages.push(Kind::Pieces(Pieces::new(decoder, form))),
        Decoder::Sequence(decoders) => {
            return decoders.iter().fold(is_single, |is_single, decoder| add_stages(decoder, form, is_single, stages));
        }
    }
    is_single || matches!(decoder, Decoder::ByteLevel(_) | Decoder::Fuse | Decoder::SentencePiece(_))
}

fn add_cleanup(stages: &mut Vec<Kind>) {
    stages.extend(CLEANUP.iter().map(|(found, by)| Kind::Literal(Literal::new(found, by))));
}
