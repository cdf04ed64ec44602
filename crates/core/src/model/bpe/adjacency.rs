//! Computes the safe split points of a text: between bytes that are adjacent in no entry.
//!
//! No merge spans such a position, so the parts on its two sides can be encoded separately.

use std::collections::HashSet;

use super::{Bpe, BpeSettings, Merges};
use crate::model::adjacency::{ByteAdjacency, CharacterAdjacency, FIRST_UNSPACED, UnspacedAdjacency, neighbours};
use crate::text::bytes::byte_entry;
use crate::vocab::AllowedEntries;

impl Bpe {
    /// Returns the adjacency of the bytes, and of unspaced characters, of a text that is one word; `None` if a token may
    /// span any two characters.
    ///
    /// Spaces are written as `space`, and `symbols` stay whole. The result requires that only entries that contain two
    /// adjacent characters join them. So a character without an entry must become fallback entries that never merge.
    pub(crate) fn text_adjacency(&self, space: char, symbols: &[String]) -> Option<(ByteAdjacency, UnspacedAdjacency)> {
        let BpeSettings { continuing_subword_prefix, end_of_word_suffix, ignore_merges, byte_fallback, .. } =
            self.settings();
        let has_affix = !continuing_subword_prefix.is_empty() || !end_of_word_suffix.is_empty();
        if has_affix || *ignore_merges || !byte_fallback || !self.bytes_never_merge() {
            return None;
        }
        let entries = || self.vocab().iter().filter(|&(_, id)| self.may_be_produced(id)).map(|(text, _)| text);
        let symbols: Vec<String> =
            symbols.iter().map(|symbol| symbol.replace(' ', space.encode_utf8(&mut [0; 4]))).collect();
        let texts = || entries().chain(symbols.iter().map(String::as_str));
        let pairs = || texts().flat_map(|text| neighbours(text.chars().filter(|&c| c != ' ')));
        let unspaced = || pairs().filter(|&(_, right)| right >= FIRST_UNSPACED);
        let unspaced = UnspacedAdjacency { characters: CharacterAdjacency::new(unspaced), known: None };
        Some((ByteAdjacency::new(pairs(), space), unspaced))
    }

    /// Returns whether every byte has a fallback entry that text may become, none of which merges.
    ///
    /// [`super::Tables`] have the equivalent for all unknown characters, but are not built before the first word is
    /// encoded.
    fn bytes_never_merge(&self) -> bool {
        let fallback =
            |byte| self.vocab().id(&byte_entry(byte)).filter(|&id| self.tables.allows(AllowedEntries::Ordinary, id));
        let fallbacks: Option<HashSet<u32>> = (0..=255).map(fallback).collect();
        let Some(fallbacks) = fallbacks else { return false };
        match self.merges() {
            Merges::Implied(_) => {
                !self.vocab().iter().any(|(text, id)| self.may_be_produced(id) && text.contains("<0x"))
            }
            Merges::Listed(list) => {
                !list.iter().any(|(left, right)| fallbacks.contains(left) || fallbacks.contains(right))
            }
        }
    }
}
