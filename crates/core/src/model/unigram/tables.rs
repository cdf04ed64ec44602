//! The look-up tables for encoding words.

use super::letters::{Letter, NO_PIECE, PieceTrie};
use super::{Precision, Unigram, UnigramSettings};
use crate::lattice::UNKNOWN;
use crate::model::UNKNOWN_PENALTY;
use crate::numbers::floats::to_single;
use crate::text::bytes::byte_entry;
use crate::vocab::Vocab;

/// The score of a user-defined piece per unit after the first: bytes in `viterbi`, characters in `lattice`.
const USER_DEFINED_BONUS: f64 = 0.1;

/// The pieces that text may become, and the tokens of unknown characters.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) letters: PieceTrie,
    /// The scores of all entries, by id.
    pub(super) scores: Box<[f64]>,
    /// The score of an unknown character, if the model allows any.
    pub(super) unknown: Option<f64>,
    /// Whether scores are numbers of 32 bits, and their sums are rounded to 32 bits.
    pub(super) rounds_to_f32: bool,
    /// The largest absolute score.
    pub(super) largest: f64,
    /// The entries `<0x00>` to `<0xFF>`, if the model falls back to bytes.
    pub(super) bytes: [Option<u32>; 256],
}

impl Tables {
    /// Returns the tables of a model; text may become the `allowed` entries alone.
    pub(super) fn new(model: &Unigram, allowed: impl Fn(u32) -> bool) -> Self {
        let (vocab, settings) = (model.vocab(), model.settings());
        let pieces = vocab.iter().filter(|(_, id)| allowed(*id) && !settings.reserved.contains(id));
        let byte = |byte| vocab.id(&byte_entry(byte)).filter(|&id| settings.byte_fallback && allowed(id));
        let rounds_to_f32 = settings.precision == Precision::Float32;
        let (scores, unknown) =
            if rounds_to_f32 { singles(vocab, model.scores(), settings) } else { doubles(vocab, model.scores()) };
        Self {
            letters: PieceTrie::new(&pieces.collect::<Vec<_>>()),
            largest: scores.iter().fold(unknown.abs(), |largest, score| largest.max(score.abs())),
            scores,
            unknown: model.unk_id().map(|_| unknown),
            rounds_to_f32,
            bytes: std::array::from_fn(|code| byte(u8::try_from(code).unwrap_or_default())),
        }
    }

    /// Calls `each` with each piece that is a prefix of a word, without long ones.
    ///
    /// The arguments are its number of letters, its id and its score.
    #[inline]
    pub(super) fn each(&self, word: &[Letter], mut each: impl FnMut(usize, u32, f64)) {
        let piece = self.letters.each(word, |length, id| each(length, id, self.scores[id as usize]));
        if piece != NO_PIECE {
            each(1, piece, self.scores[piece as usize]);
        } else if let Some(unknown) = self.unknown {
            each(1, UNKNOWN, unknown);
        }
    }

    /// Returns the entries of the bytes of a text, if all of them have one.
    pub(super) fn fallbacks(&self, text: &str) -> Option<impl Iterator<Item = u32>> {
        let ids = || text.bytes().map(|byte| self.bytes[usize::from(byte)]);
        ids().all(|id| id.is_some()).then(|| ids().flatten())
    }
}

/// Returns the scores of all entries, and of an unknown character, in 64 bits.
fn doubles(vocab: &Vocab, scores: &[f64]) -> (Box<[f64]>, f64) {
    let lowest = vocab.iter().map(|(_, id)| scores[id as usize]).fold(f64::INFINITY, f64::min);
    (scores.into(), if lowest.is_finite() { lowest } else { 0.0 } - UNKNOWN_PENALTY)
}

/// Returns the scores of all entries, and of an unknown character, in 32 bits.
fn singles(
    vocab: &Vocab,
    scores: &[f64],
    UnigramSettings { user_defined, reserved, .. }: &UnigramSettings,
) -> (Box<[f64]>, f64) {
    let mut singles: Box<[f64]> = scores.iter().copied().map(to_single).collect();
    let ordinary = vocab.iter().filter(|(_, id)| !reserved.contains(id) && !user_defined.contains(id));
    let lowest = ordinary.map(|(_, id)| singles[id as usize]).fold(f32::MAX.into(), f64::min);
    for (text, id) in vocab.iter().filter(|(_, id)| user_defined.contains(id)) {
        singles[id as usize] = user_defined_score(text.len());
    }
    (singles, to_single(lowest - UNKNOWN_PENALTY))
}

/// Returns the score of a user-defined piece of `size` bytes (in `viterbi`) or characters (in `lattice`).
#[expect(clippy::cast_precision_loss, reason = "as in SentencePiece")]
pub(super) fn user_defined_score(size: usize) -> f64 {
    to_single(USER_DEFINED_BONUS * (size as f64 - 1.0))
}
