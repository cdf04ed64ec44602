//! The look-up tables for encoding words.

use super::letters::PieceTrie;
use super::{Precision, UnigramSettings};
use crate::model::UNKNOWN_PENALTY;
use crate::text::bytes::byte_entry;
use crate::vocab::Vocab;

/// The score of a user-defined piece per unit after the first: bytes in `viterbi`, characters in `lattice`.
const USER_DEFINED_BONUS: f64 = 0.1;

/// The pieces that text may become, and the tokens of unknown characters.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) letters: PieceTrie,
    pub(super) scores: Scores,
    /// The largest absolute score, in 32 bits; 0 with [`Precision::Float64`], which needs no rounding margin.
    pub(super) largest: f32,
    /// The entries `<0x00>` to `<0xFF>`, if the model falls back to bytes.
    pub(super) bytes: [Option<u32>; 256],
}

/// The scores of all entries, by id, and of an unknown character.
#[derive(Debug)]
pub(super) enum Scores {
    Float32(Box<[f32]>, f32),
    Float64(Box<[f64]>, f64),
}

impl Tables {
    /// Returns the tables of a vocabulary; text may become the `allowed` entries alone.
    pub(super) fn new(
        vocab: &Vocab,
        scores: &[f64],
        settings: &UnigramSettings,
        allowed: impl Fn(u32) -> bool,
    ) -> Self {
        let UnigramSettings { precision, byte_fallback, reserved, .. } = settings;
        let pieces = vocab.iter().filter(|(_, id)| allowed(*id) && !reserved.contains(id));
        let byte = |byte| vocab.id(&byte_entry(byte)).filter(|&id| *byte_fallback && allowed(id));
        let scores = match precision {
            Precision::Float64 => Scores::double(vocab, scores),
            Precision::Float32 => Scores::single(vocab, scores, settings),
        };
        Self {
            letters: PieceTrie::new(&pieces.collect::<Vec<_>>()),
            largest: scores.largest(),
            scores,
            bytes: std::array::from_fn(|code| byte(u8::try_from(code).unwrap_or_default())),
        }
    }

    /// Returns the entries of the bytes of a text, if all of them have one.
    pub(super) fn fallbacks(&self, text: &str) -> Option<impl Iterator<Item = u32>> {
        let ids = || text.bytes().map(|byte| self.bytes[usize::from(byte)]);
        ids().all(|id| id.is_some()).then(|| ids().flatten())
    }
}

impl Scores {
    /// Returns the score of an unknown character.
    pub(super) fn unknown(&self) -> f64 {
        match self {
            Self::Float32(_, unknown) => f64::from(*unknown),
            Self::Float64(_, unknown) => *unknown,
        }
    }

    fn largest(&self) -> f32 {
        let Self::Float32(scores, unknown) = self else { return 0.0 };
        scores.iter().fold(unknown.abs(), |largest, score| largest.max(score.abs()))
    }

    fn double(vocab: &Vocab, scores: &[f64]) -> Self {
        let lowest = vocab.iter().map(|(_, id)| scores[id as usize]).fold(f64::INFINITY, f64::min);
        Self::Float64(scores.into(), or_zero(lowest) - UNKNOWN_PENALTY)
    }

    #[expect(clippy::cast_possible_truncation, reason = "SentencePiece has floats of 32 bits")]
    fn single(vocab: &Vocab, scores: &[f64], UnigramSettings { user_defined, reserved, .. }: &UnigramSettings) -> Self {
        let mut singles: Box<[f32]> = scores.iter().map(|&score| score as f32).collect();
        let ordinary = vocab.iter().filter(|(_, id)| !reserved.contains(id) && !user_defined.contains(id));
        let lowest = ordinary.map(|(_, id)| singles[id as usize]).fold(f32::MAX, f32::min);
        for (text, id) in vocab.iter().filter(|(_, id)| user_defined.contains(id)) {
            singles[id as usize] = user_defined_score(text.len());
        }
        let unknown = (f64::from(lowest) - UNKNOWN_PENALTY) as f32;
        Self::Float32(singles, unknown)
    }
}

/// Returns the score of a user-defined piece of `size` bytes (in `viterbi`) or characters (in `lattice`).
#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "as in SentencePiece")]
pub(super) fn user_defined_score(size: usize) -> f32 {
    (USER_DEFINED_BONUS * (size as f64 - 1.0)) as f32
}

fn or_zero(score: f64) -> f64 {
    if score.is_finite() { score } else { 0.0 }
}
