//! Computes safe split points: positions between two characters that are adjacent in no piece.

use super::{Precision, Unigram, id_tags};
use crate::model::adjacency::{CharacterAdjacency, FIRST_UNSPACED, UnspacedAdjacency, neighbours};
use crate::text::single_character;

/// The minimum number of one-character pieces in unspaced scripts for splitting texts at unspaced-script boundaries.
///
/// With fewer, most characters are unknown, and safe split points are rare. Debug builds need fewer, because tests use
/// small models.
const FEWEST_KNOWN: usize = if cfg!(debug_assertions) { 2 } else { 128 };

impl Unigram {
    /// Returns the adjacency for safe split points before spaces and at unspaced-script boundaries.
    ///
    /// `space` replaces spaces in the text; user-defined `symbols` are not split. `None` if the tokens of a word depend
    /// on the words before it by more than the running score.
    pub(crate) fn space_adjacency(&self, space: char, symbols: &[String]) -> Option<Option<UnspacedAdjacency>> {
        let pairs = || self.vocab().iter().flat_map(|(text, _)| neighbours(text.chars()));
        let carries_score = self.settings().precision == Precision::Float32 && id_tags::fit(self.vocab());
        if !carries_score
            || !self.is_piece(space.encode_utf8(&mut [0; 4]))
            || pairs().any(|(left, right)| left != space && right == space)
        {
            return None;
        }
        let splits_unspaced = self.known().filter(|&c| c >= FIRST_UNSPACED).count() >= FEWEST_KNOWN;
        Some(splits_unspaced.then(|| self.unspaced_adjacency(symbols)))
    }

    fn unspaced_adjacency(&self, symbols: &[String]) -> UnspacedAdjacency {
        let texts = || self.vocab().iter().map(|(text, _)| text).chain(symbols.iter().map(String::as_str));
        let pairs = || texts().flat_map(|text| neighbours(text.chars())).filter(|&(_, right)| right >= FIRST_UNSPACED);
        UnspacedAdjacency { characters: CharacterAdjacency::new(pairs), known: Some(self.known().collect()) }
    }

    /// Returns the characters that are pieces, so that they are never unknown.
    fn known(&self) -> impl Iterator<Item = char> + '_ {
        let texts = self.vocab().iter().map(|(text, _)| text).filter(|text| self.is_piece(text));
        texts.filter_map(single_character)
    }
}
