//! Stages of decoding: each receives the parts of the one before, and passes on its own.

use super::bpe::Suffix;
use super::byte_fallback::ByteFallback;
use super::byte_level::ByteLevel;
use super::cleanup::Cleanup;
use super::ctc::{NonEmpty, Repetitions};
use super::fuse::Fuse;
use super::literal::Literal;
use super::replace::Regex;
use super::sentencepiece::Pieces;
use super::strip::Strip;
use super::wordpiece::Spaces;
use crate::error::Result;
use crate::text::span::check_bytes;

/// The usual number of bytes of a token.
const USUAL_LENGTH: usize = 6;

/// Parts that one stage passes to the next: their bytes, and their ends. The bytes after the last end are an incomplete
/// part.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(super) bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Parts {
    /// Returns an empty list with memory for some tokens.
    pub(crate) fn with_capacity(tokens: usize) -> Self {
        Self { bytes: Vec::with_capacity(USUAL_LENGTH * tokens), ends: Vec::with_capacity(tokens) }
    }

    /// Returns whole parts.
    pub(super) fn of<'a>(parts: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut all = Self::default();
        parts.into_iter().try_for_each(|part| all.add(part))?;
        Ok(all)
    }

    /// Appends a whole part.
    #[inline]
    pub(crate) fn add(&mut self, part: &str) -> Result<()> {
        self.push(part.as_bytes())?;
        self.end();
        Ok(())
    }

    /// Appends bytes to the current part.
    #[inline]
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<()> {
        // A stage can double its input, and a file can contain many.
        check_bytes(self.bytes.len() + bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    /// Ends the part.
    #[inline]
    pub(super) fn end(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Joins all parts to one that is incomplete.
    pub(super) fn join(&mut self) {
        self.ends.clear();
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

/// A stage: it emits what no later part can change, as soon as it can.
pub(super) trait Stage {
    /// Receives a fragment of the current part, which is not empty.
    fn receive(&mut self, fragment: &[u8], out: &mut Parts) -> Result<()>;

    /// Ends the current part, which is empty if there was no fragment.
    fn end(&mut self, out: &mut Parts) -> Result<()>;

    /// Receives a whole part: equal to one fragment and its end.
    #[inline]
    fn part(&mut self, part: &[u8], out: &mut Parts) -> Result<()> {
        if !part.is_empty() {
            self.receive(part, out)?;
        }
        self.end(out)
    }

    /// Makes of whole parts what the stage emits for them, in place; returns false, without effect, if it cannot.
    fn pass_on(&mut self, _parts: &mut Parts) -> bool {
        false
    }

    /// Ends a step: emits what the stage keeps only to emit it in larger units.
    fn flush(&mut self, _out: &mut Parts) -> Result<()> {
        Ok(())
    }

    /// Ends the input.
    fn finish(&mut self, _out: &mut Parts) -> Result<()> {
        Ok(())
    }
}

/// A stage of any kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StageKind {
    ByteFallback(ByteFallback),
    ByteLevel(ByteLevel),
    Cleanup(Cleanup),
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

/// Stages in order, with their state after the parts so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Stages(Vec<OpenStage>);

/// A stage, and whether it has received fragments of a part that is not complete.
#[derive(Debug, Clone, PartialEq)]
struct OpenStage {
    kind: StageKind,
    is_open: bool,
}

impl Stages {
    pub(super) fn push(&mut self, kind: StageKind) {
        self.0.push(OpenStage { kind, is_open: false });
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &StageKind> {
        self.0.iter().map(|stage| &stage.kind)
    }

    /// Returns the bytes that some parts become, all of them if they are the last.
    pub(super) fn run(&mut self, mut parts: Parts, is_last: bool) -> Result<Vec<u8>> {
        let mut out = Parts::default();
        for stage in &mut self.0 {
            stage.run(&mut parts, is_last, &mut out)?;
        }
        Ok(parts.bytes)
    }
}

impl OpenStage {
    fn run(&mut self, parts: &mut Parts, is_last: bool, out: &mut Parts) -> Result<()> {
        let open = &mut self.is_open;
        match &mut self.kind {
            StageKind::ByteFallback(stage) => run(stage, open, parts, is_last, out),
            StageKind::ByteLevel(stage) => run(stage, open, parts, is_last, out),
            StageKind::Cleanup(stage) => run(stage, open, parts, is_last, out),
            StageKind::Fuse(stage) => run(stage, open, parts, is_last, out),
            StageKind::Literal(stage) => run(stage, open, parts, is_last, out),
            StageKind::NonEmpty(stage) => run(stage, open, parts, is_last, out),
            StageKind::Pieces(stage) => run(stage, open, parts, is_last, out),
            StageKind::Regex(stage) => run(stage, open, parts, is_last, out),
            StageKind::Repetitions(stage) => run(stage, open, parts, is_last, out),
            StageKind::Spaces(stage) => run(stage, open, parts, is_last, out),
            StageKind::Strip(stage) => run(stage, open, parts, is_last, out),
            StageKind::Suffix(stage) => run(stage, open, parts, is_last, out),
        }
    }
}

/// Replaces parts by those that a stage makes of them; `out` is memory without contents.
fn run(stage: &mut impl Stage, is_open: &mut bool, parts: &mut Parts, is_last: bool, out: &mut Parts) -> Result<()> {
    let are_whole = !*is_open && parts.ends.last().copied().unwrap_or_default() == parts.bytes.len();
    if !(are_whole && stage.pass_on(parts)) {
        out.bytes.reserve(parts.bytes.len());
        out.ends.reserve(parts.ends.len());
        receive(stage, is_open, parts, out)?;
        std::mem::swap(parts, out);
        out.clear();
    }
    if is_last { stage.finish(parts) } else { Ok(()) }
}

/// Passes parts to a stage; the first one is the rest of a part that is open.
fn receive(stage: &mut impl Stage, is_open: &mut bool, parts: &Parts, out: &mut Parts) -> Result<()> {
    let mut start = 0;
    for &end in &parts.ends {
        let part = &parts.bytes[start..end];
        start = end;
        if !std::mem::take(is_open) {
            stage.part(part, out)?;
            continue;
        }
        if !part.is_empty() {
            stage.receive(part, out)?;
        }
        stage.end(out)?;
    }
    let rest = &parts.bytes[start..];
    if !rest.is_empty() {
        *is_open = true;
        stage.receive(rest, out)?;
    }
    stage.flush(out)
}
