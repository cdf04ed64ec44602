//! The pieces that begin at a position of a word, with their scores.

use super::letters::{Letter, NO_PIECE, PieceTrie};
use crate::lattice::UNKNOWN;

/// The pieces that a word may become.
pub(super) struct Pieces<'a, F> {
    pub(super) letters: &'a PieceTrie,
    /// The scores, by id.
    pub(super) scores: &'a [F],
    /// The score of an unknown character, if the model allows any.
    pub(super) unknown: Option<F>,
    /// The largest absolute value of all these scores.
    pub(super) largest: f64,
}

impl<F: Copy> Pieces<'_, F> {
    /// Calls `each` with each piece that is a prefix of a word.
    ///
    /// The arguments are its number of letters, its id and its score.
    #[inline]
    pub(super) fn each(&self, word: &[Letter], mut each: impl FnMut(usize, u32, F)) {
        let piece = self.letters.each(word, |length, id| each(length, id, self.scores[id as usize]));
        if piece != NO_PIECE {
            each(1, piece, self.scores[piece as usize]);
        } else if let Some(unknown) = self.unknown {
            each(1, UNKNOWN, unknown);
        }
    }
}
