//! Computes where a text may be cut without changing the best path: between characters that no piece holds adjacently.

use super::{Precision, Unigram, id_tags};
use crate::model::adjacency::{CharacterAdjacency, FIRST_UNSPACED, SpaceAdjacency, UnspacedAdjacency, neighbours};

/// The smallest number of known characters of unspaced scripts with which texts are cut there.
///
/// With fewer, most characters are unknown, and cuts are rare. Tests use small models.
const FEWEST_KNOWN: usize = if cfg!(debug_assertions) { 2 } else { 128 };

impl Unigram {
    /// Returns the positions where a text may be cut: before spaces, and in unspaced scripts.
    ///
    /// Spaces are written as `space`, and the user's `symbols` stay whole. `None` if the words' encodings depend on
    /// each other by more than the running score.
    pub(crate) fn space_adjacency(&self, space: char, symbols: &[String]) -> Option<SpaceAdjacency> {
        let pairs = || self.vocab().iter().flat_map(|(text, _)| neighbours(text.chars()));
        let carries_score = self.settings().precision == Precision::Float32 && id_tags::fit(self.vocab());
        if !carries_score
            || !self.is_piece(space.encode_utf8(&mut [0; 4]))
            || pairs().any(|(left, right)| left != space && right == space)
        {
            return None;
        }
        let is_known = self.known().filter(|&c| c >= FIRST_UNSPACED).count() >= FEWEST_KNOWN;
        Some(SpaceAdjacency { unspaced: is_known.then(|| self.unspaced_adjacency(symbols)) })
    }

    fn unspaced_adjacency(&self, symbols: &[String]) -> UnspacedAdjacency {
        let texts = || self.vocab().iter().map(|(text, _)| text).chain(symbols.iter().map(String::as_str));
        let pairs = || texts().flat_map(|text| neighbours(text.chars())).filter(|&(_, right)| right >= FIRST_UNSPACED);
        UnspacedAdjacency { characters: CharacterAdjacency::new(pairs), known: self.known().collect() }
    }

    /// Returns the characters that are pieces, so that they are never unknown.
    fn known(&self) -> impl Iterator<Item = char> + '_ {
        let is_single = |text: &str| text.chars().nth(1).is_none();
        let texts = self.vocab().iter().map(|(text, _)| text);
        texts.filter(move |text| is_single(text) && self.is_piece(text)).flat_map(str::chars)
    }
}
