//! Stages of decoding: each receives the parts of the one before, and passes on its own.

use super::bpe::SuffixStage;
use super::byte_fallback::ByteFallbackStage;
use super::byte_level::ByteLevelStage;
use super::cleanup::CleanupStage;
use super::ctc::{NonEmptyStage, RepetitionsStage};
use super::fuse::FuseStage;
use super::literal::LiteralStage;
use super::replace::PatternStage;
use super::sentencepiece::PieceStage;
use super::strip::StripStage;
use super::wordpiece::SpacesStage;
use super::{Decoder, StreamOutput};
use crate::error::Result;
use crate::memory::Growable;
use crate::stop;
use crate::text::span::{check_bytes, check_growth};

/// Parts that one stage passes to the next: their bytes, and their ends. The bytes after the last end are an incomplete
/// part.
#[derive(Debug, Default)]
pub(super) struct DecodedParts {
    pub(super) bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The number of bytes of all tokens that they may be made of; `None` if it is not known.
    original: Option<usize>,
}

impl DecodedParts {
    /// Appends bytes to the current part.
    #[inline]
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<()> {
        self.check(bytes.len())?;
        stop::check_growth(self.bytes.len(), self.bytes.len() + bytes.len());
        self.bytes.make_room(bytes.len());
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Returns an error if `more` bytes are too many: a stage can double its input, and a file can contain many.
    #[inline]
    pub(super) fn check(&self, more: usize) -> Result<()> {
        let length = self.bytes.len().saturating_add(more);
        self.original.map_or_else(|| check_bytes(length), |original| check_growth(original, length))
    }

    /// Ends the part.
    #[inline]
    pub(super) fn end(&mut self) {
        stop::check_growth(self.ends.len(), self.ends.len() + 1);
        self.ends.make_room(1);
        self.ends.push(self.bytes.len());
    }

    /// Joins all parts to one that is incomplete.
    pub(super) fn join(&mut self) {
        self.ends.clear();
    }

    /// Removes all parts, and reserves memory.
    fn reset(&mut self, bytes: usize, parts: usize) {
        self.bytes.clear();
        self.ends.clear();
        self.bytes.make_room(bytes);
        self.ends.make_room(parts);
    }

    fn are_whole(&self) -> bool {
        self.ends.last().copied().unwrap_or_default() == self.bytes.len()
    }
}

/// A stage: it emits what no later part can change, as soon as it can.
pub(super) trait DecodeStage {
    /// Receives a fragment of the current part, which is not empty.
    fn receive(&mut self, fragment: &[u8], out: &mut DecodedParts) -> Result<()>;

    /// Ends the current part, which is empty if there was no fragment.
    fn end(&mut self, out: &mut DecodedParts) -> Result<()>;

    /// Receives a whole part: equal to one fragment and its end.
    #[inline]
    fn part(&mut self, part: &[u8], out: &mut DecodedParts) -> Result<()> {
        if !part.is_empty() {
            self.receive(part, out)?;
        }
        self.end(out)
    }

    /// Returns whether it emits whole parts with these bytes unchanged, and nothing later on, if no other parts come.
    fn keeps(&self, _bytes: &[u8]) -> bool {
        false
    }

    /// Makes of whole parts what the stage emits for them, in place; returns false, without effect, if it cannot.
    fn pass_on(&mut self, parts: &mut DecodedParts) -> bool {
        self.keeps(&parts.bytes)
    }

    /// Returns whether it keeps each of these whole parts.
    fn keeps_all(&self, tokens: &[&str]) -> bool {
        self.keeps(&[]) && tokens.iter().all(|token| self.keeps(token.as_bytes()))
    }

    /// Receives whole parts.
    fn tokens(&mut self, tokens: &[&str], out: &mut DecodedParts) -> Result<()> {
        tokens.iter().try_for_each(|token| self.part(token.as_bytes(), out))?;
        self.flush(out)
    }

    /// Receives parts, the first of which is the rest of a part if one `is_open`, and states whether one is open then.
    fn parts(&mut self, parts: &DecodedParts, is_open: &mut bool, out: &mut DecodedParts) -> Result<()> {
        let mut start = 0;
        for &end in &parts.ends {
            let part = &parts.bytes[start..end];
            start = end;
            if !std::mem::take(is_open) {
                self.part(part, out)?;
                continue;
            }
            if !part.is_empty() {
                self.receive(part, out)?;
            }
            self.end(out)?;
        }
        let rest = &parts.bytes[start..];
        if !rest.is_empty() {
            *is_open = true;
            self.receive(rest, out)?;
        }
        self.flush(out)
    }

    /// Ends a step: emits what the stage keeps only to emit it in larger units.
    fn flush(&mut self, _out: &mut DecodedParts) -> Result<()> {
        Ok(())
    }

    /// Ends the input.
    fn finish(&mut self, _out: &mut DecodedParts) -> Result<()> {
        Ok(())
    }
}

/// A stage of any kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum AnyStage {
    ByteFallback(ByteFallbackStage),
    ByteLevel(ByteLevelStage),
    Cleanup(CleanupStage),
    Fuse(FuseStage),
    Literal(LiteralStage),
    NonEmpty(NonEmptyStage),
    Pieces(PieceStage),
    Pattern(PatternStage),
    Repetitions(RepetitionsStage),
    Spaces(SpacesStage),
    Strip(StripStage),
    Suffix(SuffixStage),
}

/// Stages in order, with their state after the parts so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stages {
    stages: Vec<OpenStage>,
    /// The number of bytes of all tokens so far.
    received: usize,
}

impl PartialEq for Stages {
    /// Compares what the stages emit from now on.
    fn eq(&self, other: &Self) -> bool {
        self.stages == other.stages
    }
}

/// The memory of a run of stages.
#[derive(Debug, Default)]
pub(super) struct StageBuffers {
    parts: DecodedParts,
    out: DecodedParts,
}

/// A stage, and whether it has received fragments of a part that is not complete.
#[derive(Debug, Clone, PartialEq)]
struct OpenStage {
    kind: AnyStage,
    is_open: bool,
}

impl Stages {
    /// Returns the stages of a decoder before the first token; without one, tokens are joined with spaces.
    pub(crate) fn of(decoder: Option<&Decoder>, output: StreamOutput) -> Self {
        Decoder::stages(decoder, output)
    }

    pub(super) fn push(&mut self, kind: AnyStage) {
        self.stages.push(OpenStage { kind, is_open: false });
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &AnyStage> {
        self.stages.iter().map(|stage| &stage.kind)
    }

    /// Returns the bytes that some tokens become, all of them if they are the last.
    pub(crate) fn run(&mut self, tokens: &[&str], is_last: bool) -> Result<Vec<u8>> {
        let mut buffers = StageBuffers::default();
        self.run_in(&mut buffers, tokens, is_last)?;
        Ok(buffers.parts.bytes)
    }

    /// Returns the bytes that some tokens become, in one of the buffers.
    pub(super) fn run_in<'a>(
        &mut self,
        StageBuffers { parts, out }: &'a mut StageBuffers,
        tokens: &[&str],
        is_last: bool,
    ) -> Result<&'a [u8]> {
        let length = tokens.iter().map(|token| token.len()).sum();
        check_bytes(length)?;
        self.received = self.received.saturating_add(length);
        (parts.original, out.original) = (Some(self.received), Some(self.received));
        parts.reset(length, tokens.len());
        let is_first = |stage: &mut OpenStage| !stage.kind.stage().keeps_all(tokens);
        let first = self.stages.iter_mut().position(is_first).unwrap_or(self.stages.len());
        let mut stages = self.stages[first..].iter_mut();
        match stages.next() {
            Some(first) => {
                let first = first.kind.stage();
                first.tokens(tokens, parts)?;
                if is_last {
                    first.finish(parts)?;
                }
            }
            None => tokens.iter().try_for_each(|token| parts.push(token.as_bytes()))?,
        }
        for stage in stages {
            stage.run(parts, is_last, out)?;
        }
        Ok(&parts.bytes)
    }
}

impl OpenStage {
    /// Replaces parts by those that it makes of them; `out` is memory.
    fn run(&mut self, parts: &mut DecodedParts, is_last: bool, out: &mut DecodedParts) -> Result<()> {
        let stage = self.kind.stage();
        if self.is_open || !parts.are_whole() || !stage.pass_on(parts) {
            out.reset(parts.bytes.len(), parts.ends.len());
            stage.parts(parts, &mut self.is_open, out)?;
            std::mem::swap(parts, out);
        }
        if is_last { stage.finish(parts) } else { Ok(()) }
    }
}

impl AnyStage {
    fn stage(&mut self) -> &mut dyn DecodeStage {
        match self {
            Self::ByteFallback(stage) => stage,
            Self::ByteLevel(stage) => stage,
            Self::Cleanup(stage) => stage,
            Self::Fuse(stage) => stage,
            Self::Literal(stage) => stage,
            Self::NonEmpty(stage) => stage,
            Self::Pieces(stage) => stage,
            Self::Pattern(stage) => stage,
            Self::Repetitions(stage) => stage,
            Self::Spaces(stage) => stage,
            Self::Strip(stage) => stage,
            Self::Suffix(stage) => stage,
        }
    }
}
