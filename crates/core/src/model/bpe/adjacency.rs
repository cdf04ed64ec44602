//! Where a text may be cut so that no merge is lost: between bytes that no entry holds side by side.
//!
//! Merging never reaches over such a place, so what lies on its two sides is encoded by itself.

use std::collections::HashSet;

use super::{Bpe, Merges, NO_RANK, Settings};
use crate::model::adjacency::{ByteAdjacency, neighbours};
use crate::text::bytes::byte_entry;

impl Bpe {
    /// Returns which bytes of a text may become part of one token, where spaces are written as `space`; `None` if a text cannot
    /// be cut.
    ///
    /// No character may merge with what stands behind it but by an entry that holds both, so all must have something to
    /// become, and that must stay as it is.
    pub(crate) fn byte_adjacency(&self, space: char) -> Option<ByteAdjacency> {
        let Settings { continuing_subword_prefix, end_of_word_suffix, ignore_merges, byte_fallback, .. } =
            self.settings();
        let has_affix = !continuing_subword_prefix.is_empty() || !end_of_word_suffix.is_empty();
        if has_affix || *ignore_merges || !byte_fallback || !self.bytes_stay_apart() {
            return None;
        }
        let entries = self.vocab().iter().filter(|&(_, id)| self.may_be_made(id));
        let pairs = entries.flat_map(|(text, _)| neighbours(text.chars().filter(|&c| c != ' ')));
        Some(ByteAdjacency::new(pairs, space))
    }

    /// Whether a merge may make an entry.
    fn may_be_made(&self, id: u32) -> bool {
        match self.merges() {
            Merges::Implied(ranks) => ranks.get(id as usize).is_some_and(|&rank| rank != NO_RANK),
            Merges::Listed(_) => true,
        }
    }

    /// Whether every byte has an entry to fall back to, and none of these merges.
    ///
    /// [`super::Tables`] know the same of all that is unknown, but are not made before a word is encoded.
    fn bytes_stay_apart(&self) -> bool {
        let fallbacks: Option<HashSet<u32>> = (0..=255).map(|byte| self.vocab().id(&byte_entry(byte))).collect();
        let Some(fallbacks) = fallbacks else { return false };
        match self.merges() {
            Merges::Implied(_) => !self.vocab().iter().any(|(text, id)| self.may_be_made(id) && text.contains("<0x")),
            Merges::Listed(list) => {
                !list.iter().any(|(left, right)| fallbacks.contains(left) || fallbacks.contains(right))
            }
        }
    }
}
