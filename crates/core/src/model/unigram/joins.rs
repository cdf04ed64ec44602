//! Between which characters a text may be cut, since no path through it goes over the border between them.

use super::{Precision, Unigram};

/// Where the scripts begin of which some do without spaces: Thai and what follows.
pub(crate) const UNSPACED: char = '\u{E00}';

/// A model that knows fewer characters of these scripts finds most of them unknown, and nowhere to cut. (Those of tests are small.)
const FEWEST_KNOWN: usize = if cfg!(debug_assertions) { 2 } else { 128 };

/// Which characters the pieces of a model, or the user's symbols, hold side by side, if the second is of an unspaced script.
#[derive(Debug, Clone)]
pub(crate) struct Joins {
    /// A bit for each pair, by its hash.
    pairs: Box<[u64]>,
}

impl Unigram {
    /// Where a text may be cut before a character of an unspaced script, if symbols stay whole; `None` if that is hardly anywhere.
    pub(crate) fn joins(&self, symbols: &[String]) -> Option<Joins> {
        let texts = || self.vocab().iter().map(|(text, _)| text);
        if self.known().filter(|&c| c >= UNSPACED).count() < FEWEST_KNOWN {
            return None;
        }
        let all = || texts().chain(symbols.iter().map(String::as_str));
        let pairs = || all().flat_map(pairs).filter(|&(_, other)| other >= UNSPACED);
        let size = (pairs().count() / 4).next_power_of_two();
        let mut joins = Joins { pairs: vec![0; size].into() };
        pairs().for_each(|(one, other)| joins.insert(one, other));
        Some(joins)
    }

    /// The characters that are pieces, so that they are never unknown.
    pub(crate) fn known(&self) -> impl Iterator<Item = char> + '_ {
        let is_single = |text: &str| text.chars().nth(1).is_none();
        let texts = self.vocab().iter().map(|(text, _)| text);
        texts.filter(move |text| is_single(text) && self.is_piece(text)).flat_map(str::chars)
    }

    /// Whether words, each with the mark at its front, are encoded as by themselves, but for the sum of the scores before them.
    pub(crate) fn parts_before(&self, mark: char) -> bool {
        self.settings().precision == Precision::Float32
            && self.is_piece(mark.encode_utf8(&mut [0; 4]))
            && !self.vocab().iter().flat_map(|(text, _)| pairs(text)).any(|(one, other)| one != mark && other == mark)
    }
}

impl Joins {
    /// Whether a path may go over the border between two characters. (If both may be unknown, they may be one token, too.)
    #[inline]
    pub(crate) fn join(&self, one: char, other: char) -> bool {
        let (word, bit) = self.place(one, other);
        self.pairs[word] & bit != 0
    }

    fn insert(&mut self, one: char, other: char) {
        let (word, bit) = self.place(one, other);
        self.pairs[word] |= bit;
    }

    #[inline]
    fn place(&self, one: char, other: char) -> (usize, u64) {
        let hash = (u64::from(one) << 32 | u64::from(other)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((hash >> 38) as usize & (self.pairs.len() - 1), 1 << (hash >> 58))
    }
}

/// The characters that stand side by side in a text.
fn pairs(text: &str) -> impl Iterator<Item = (char, char)> + '_ {
    text.chars().zip(text.chars().skip(1))
}
