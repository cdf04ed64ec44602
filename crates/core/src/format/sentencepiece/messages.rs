//! The messages of a `SentencePiece` model that affect encoding (`sentencepiece_model.proto`).

use super::wire::{Field, WireValue, fields};
use crate::decode::SentencePieceDecoder;
use crate::error::{Error, Message, Place, Result, shorten};

pub(super) const PIECES: u64 = 1;
pub(super) const TRAINER_SPEC: u64 = 2;
pub(super) const NORMALIZER_SPEC: u64 = 3;
pub(super) const DENORMALIZER_SPEC: u64 = 5;

/// A model: pieces in the order of their ids, and the settings that affect encoding.
#[derive(Debug, Default)]
pub(super) struct ModelProto<'a> {
    pub(super) pieces: Vec<PieceProto<'a>>,
    pub(super) trainer: TrainerSpec,
    pub(super) normalizer: NormalizerSpec<'a>,
    /// Whether rules change decoded text.
    pub(super) denormalizes: bool,
}

/// A piece: its text, score and kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PieceProto<'a> {
    pub(super) text: &'a str,
    pub(super) score: f32,
    pub(super) kind: PieceKind,
}

/// The kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
}

impl PieceKind {
    const ALL: [(u64, Self); 6] = [
        (1, Self::Normal),
        (2, Self::Unknown),
        (3, Self::Control),
        (4, Self::UserDefined),
        (5, Self::Unused),
        (6, Self::Byte),
    ];

    pub(super) fn number(self) -> u64 {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or(1, |(number, _)| *number)
    }

    /// Returns whether neighbors may merge into a piece of this kind.
    pub(super) fn merges(self) -> bool {
        matches!(self, Self::Normal | Self::Unused)
    }
}

/// The settings of the training that affect encoding.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TrainerSpec {
    pub(super) model_type: u64,
    pub(super) treat_whitespace_as_suffix: bool,
    pub(super) byte_fallback: bool,
    pub(super) unk_surface: String,
}

impl Default for TrainerSpec {
    fn default() -> Self {
        let unk_surface = SentencePieceDecoder::UNK_SURFACE.to_owned();
        Self { model_type: UNIGRAM, treat_whitespace_as_suffix: false, byte_fallback: false, unk_surface }
    }
}

pub(super) const UNIGRAM: u64 = 1;
pub(super) const BPE: u64 = 2;

/// Returns the number of pieces of a model that need not be valid.
pub(crate) fn piece_count(bytes: &[u8]) -> usize {
    fields("ModelProto", bytes).map_while(Result::ok).filter(|field| field.number == PIECES).count()
}

/// Returns the name of a model type.
pub(super) fn model_name(model_type: u64) -> &'static str {
    match model_type {
        UNIGRAM => "Unigram",
        BPE => "BPE",
        3 => "word",
        4 => "character",
        _ => "unknown",
    }
}

/// The settings of normalization.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct NormalizerSpec<'a> {
    pub(super) charsmap: &'a [u8],
    pub(super) add_dummy_prefix: bool,
    pub(super) remove_extra_whitespaces: bool,
    pub(super) escape_whitespaces: bool,
}

impl Default for NormalizerSpec<'_> {
    fn default() -> Self {
        Self { charsmap: &[], add_dummy_prefix: true, remove_extra_whitespaces: true, escape_whitespaces: true }
    }
}

impl<'a> ModelProto<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut model = Self::default();
        for field in fields("ModelProto", bytes) {
            let field = field?;
            match field.number {
                PIECES => model.pieces.push(piece(message(field)?, model.pieces.len())?),
                TRAINER_SPEC => model.trainer.merge(message(field)?)?,
                NORMALIZER_SPEC => model.normalizer.merge(message(field)?)?,
                DENORMALIZER_SPEC => {
                    let mut spec = NormalizerSpec::default();
                    spec.merge(message(field)?)?;
                    model.denormalizes = !spec.charsmap.is_empty();
                }
                _ => {}
            }
        }
        model.leave_nul_to_bytes();
        Ok(model)
    }

    /// With byte fallback, the library treats a piece that is NUL as an unused one.
    fn leave_nul_to_bytes(&mut self) {
        if self.trainer.byte_fallback {
            self.pieces.iter_mut().filter(|piece| piece.text == "\0").for_each(|piece| piece.kind = PieceKind::Unused);
        }
    }
}

fn piece(bytes: &[u8], id: usize) -> Result<PieceProto<'_>> {
    let mut piece = PieceProto { text: "", score: 0.0, kind: PieceKind::Normal };
    for field in fields("pieces", bytes) {
        match field? {
            Field { number: 1, value: WireValue::Bytes(text) } => {
                piece.text = std::str::from_utf8(text)
                    .map_err(|_| wrong("pieces", format!("the piece with the id {id} is not UTF-8")))?;
            }
            Field { number: 2, value: WireValue::Fixed32(score) } => piece.score = f32::from_le_bytes(score),
            Field { number: 3, value: WireValue::Varint(kind) } => {
                let known = PieceKind::ALL.iter().find(|(number, _)| *number == kind);
                let unknown = || {
                    let text = shorten(piece.text);
                    wrong("pieces", format!("the piece {text:?} (id {id}) is of the unknown type {kind}"))
                };
                piece.kind = known.ok_or_else(unknown)?.1;
            }
            _ => {}
        }
    }
    if piece.text.is_empty() {
        return Err(wrong("pieces", format!("the piece with the id {id} is empty")));
    }
    Ok(piece)
}

impl TrainerSpec {
    fn merge(&mut self, bytes: &[u8]) -> Result<()> {
        for field in fields("trainer_spec", bytes) {
            match field? {
                Field { number: 3, value: WireValue::Varint(model_type) } => self.model_type = model_type,
                Field { number: 24, value: WireValue::Varint(flag) } => self.treat_whitespace_as_suffix = flag != 0,
                Field { number: 35, value: WireValue::Varint(flag) } => self.byte_fallback = flag != 0,
                Field { number: 44, value: WireValue::Bytes(surface) } => {
                    self.unk_surface = String::from_utf8_lossy(surface).into_owned();
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl<'a> NormalizerSpec<'a> {
    fn merge(&mut self, bytes: &'a [u8]) -> Result<()> {
        for field in fields("normalizer_spec", bytes) {
            match field? {
                Field { number: 2, value: WireValue::Bytes(charsmap) } => self.charsmap = charsmap,
                Field { number: 3, value: WireValue::Varint(flag) } => self.add_dummy_prefix = flag != 0,
                Field { number: 4, value: WireValue::Varint(flag) } => self.remove_extra_whitespaces = flag != 0,
                Field { number: 5, value: WireValue::Varint(flag) } => self.escape_whitespaces = flag != 0,
                _ => {}
            }
        }
        Ok(())
    }
}

pub(super) fn wrong(place: &'static str, message: impl Into<Message>) -> Error {
    Error::Format { at: Place::Field(place), message: message.into() }
}

fn message(field: Field<'_>) -> Result<&[u8]> {
    match field.value {
        WireValue::Bytes(bytes) => Ok(bytes),
        _ => Err(wrong("ModelProto", format!("field {} is not a message", field.number))),
    }
}
