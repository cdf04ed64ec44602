//! Between which characters a text may be cut, since no entry holds both side by side.
//!
//! Merging never reaches over such a place, so what lies on its two sides is encoded by itself.

use std::collections::HashSet;

use super::{Bpe, Merges, NO_RANK, Settings};
use crate::text::bytes::byte_entry;

/// Which bytes an entry may hold side by side: a bit for each second byte. All bytes beyond ASCII count as one.
pub(crate) type Joins = Box<[[u64; 4]; 256]>;

/// Stands for all characters beyond ASCII, and for their bytes.
const BEYOND: usize = 128;

impl Bpe {
    /// Which bytes of a text may become part of one token, where spaces are written as `space`; `None` if a text cannot be cut.
    ///
    /// No character may merge with what stands behind it but by an entry that holds both, so all must have something to
    /// become, and that must stay as it is.
    pub(crate) fn joins(&self, space: char) -> Option<Joins> {
        let Settings { continuing_subword_prefix, end_of_word_suffix, ignore_merges, byte_fallback, .. } =
            self.settings();
        let has_affix = !continuing_subword_prefix.is_empty() || !end_of_word_suffix.is_empty();
        if has_affix || *ignore_merges || !byte_fallback || !self.bytes_stay_apart() {
            return None;
        }
        let mut joined = [[false; BEYOND + 1]; BEYOND + 1];
        // A character beyond ASCII has several bytes.
        joined[BEYOND][BEYOND] = true;
        let classes = |c: char| -> [usize; 2] {
            let class = BEYOND.min(c as usize);
            // The mark of a space may also stand in the text itself.
            [class, if c == space { usize::from(b' ') } else { class }]
        };
        for (text, _) in self.vocab().iter().filter(|&(_, id)| self.may_be_made(id)) {
            let characters = || text.chars().filter(|&c| c != ' ').map(classes);
            for (ones, others) in characters().zip(characters().skip(1)) {
                ones.iter().for_each(|&one| others.iter().for_each(|&other| joined[one][other] = true));
            }
        }
        let of_bytes = |one: usize, other: usize| joined[one.min(BEYOND)][other.min(BEYOND)];
        let bits = |one, word| (0..64).fold(0, |bits, bit| bits | u64::from(of_bytes(one, 64 * word + bit)) << bit);
        Some(Box::new(std::array::from_fn(|one| std::array::from_fn(|word| bits(one, word)))))
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
