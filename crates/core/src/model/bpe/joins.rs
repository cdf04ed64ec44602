//! Between which characters a text may be cut, since no entry holds both side by side.
//!
//! Merging never reaches over such a place, so what lies on its two sides is encoded by itself.

use super::{Bpe, Merges, NO_RANK, Settings};

/// Which bytes an entry may hold side by side: a bit for each second byte. All bytes beyond ASCII count as one.
pub(crate) type Joins = Box<[[u64; 4]; 256]>;

impl Bpe {
    /// Which bytes of a text may become part of one token, where spaces are written as `space`; `None` if a text cannot be cut.
    ///
    /// No character may merge with what stands behind it but by an entry that holds both, so all must have something to
    /// become, and that must stay as it is.
    pub(crate) fn joins(&self, space: char) -> Option<Joins> {
        let Settings { continuing_subword_prefix, end_of_word_suffix, ignore_merges, byte_fallback, .. } =
            self.settings();
        let has_affix = !continuing_subword_prefix.is_empty() || !end_of_word_suffix.is_empty();
        if has_affix || *ignore_merges || !byte_fallback || !self.unknown_stay_apart() {
            return None;
        }
        let mut joins: Joins = Box::new([[0; 4]; 256]);
        // A character has several bytes, and all beyond ASCII are alike.
        let all: Vec<u8> = (128..=255).collect();
        join(&mut joins, &all, &all);
        let bytes = |c: char| match u8::try_from(c) {
            Ok(byte) if byte.is_ascii() => vec![byte],
            _ if c == space => all.iter().copied().chain([b' ']).collect(),
            _ => all.clone(),
        };
        for (text, _) in self.vocab().iter().filter(|&(_, id)| self.may_be_made(id)) {
            let characters = || text.chars().filter(|&c| c != ' ');
            for (one, other) in characters().zip(characters().skip(1)) {
                join(&mut joins, &bytes(one), &bytes(other));
            }
        }
        Some(joins)
    }

    /// Whether a merge may make an entry.
    fn may_be_made(&self, id: u32) -> bool {
        match self.merges() {
            Merges::Implied(ranks) => ranks.get(id as usize).is_some_and(|&rank| rank != NO_RANK),
            Merges::Listed(_) => true,
        }
    }

    /// Whether every byte has an entry to fall back to, and none of these merges.
    fn unknown_stay_apart(&self) -> bool {
        let fallbacks: Option<Vec<u32>> =
            (0..=255).map(|byte: u8| self.vocab().id(&format!("<0x{byte:02X}>"))).collect();
        let Some(fallbacks) = fallbacks else { return false };
        match self.merges() {
            Merges::Implied(_) => !self.vocab().iter().any(|(text, id)| self.may_be_made(id) && text.contains("<0x")),
            Merges::Listed(list) => {
                !list.iter().any(|(left, right)| [left, right].iter().any(|id| fallbacks.contains(id)))
            }
        }
    }
}

fn join(joins: &mut Joins, ones: &[u8], others: &[u8]) {
    for &one in ones {
        for &other in others {
            joins[usize::from(one)][usize::from(other / 64)] |= 1 << (other % 64);
        }
    }
}
