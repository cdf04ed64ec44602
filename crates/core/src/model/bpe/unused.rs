//! Entries that are no tokens: each is split again into the two that it was merged from, and what cannot be split is unknown.

use std::collections::HashMap;

use super::alphabet::Alphabet;
use super::merging::{Merging, Part};
use super::{Bpe, Merges, Settings};
use crate::error::{Error, Result, shorten};

/// What unused entries become: entries from left to right.
pub(super) type Splits = HashMap<u32, Vec<u32>>;

impl Bpe {
    /// What the unused entries become that merges make.
    pub(crate) fn splits(&self) -> &Splits {
        self.shared.splits.get_or_init(|| if self.settings().unused.is_empty() { Splits::new() } else { self.split() })
    }

    fn split(&self) -> Splits {
        let length = |id: u32| self.vocab().token(id).map_or(0, str::len);
        // An empty entry is no half: what it makes would never end.
        let mut halves: Vec<(u32, (u32, u32))> = self.halves().into_iter().collect();
        halves.retain(|(_, (left, right))| length(*left) > 0 && length(*right) > 0);
        // Shorter ones go first, so that what the halves become is known.
        halves.sort_unstable_by_key(|&(id, _)| (length(id), id));
        let mut splits = Splits::new();
        for (id, (left, right)) in halves {
            let of = |half: u32| splits.get(&half).cloned().unwrap_or_else(|| vec![half]);
            let parts = [of(left), of(right)].concat();
            splits.insert(id, parts);
        }
        splits
    }

    /// The two that each unused entry is merged from: by the first merge of a list, or the one that ranks come to.
    fn halves(&self) -> HashMap<u32, (u32, u32)> {
        let unused = &self.settings().unused;
        let mut halves = HashMap::new();
        match self.merges() {
            Merges::Listed(list) => {
                for &pair in list {
                    if let Some(id) = self.made(pair).filter(|id| unused.contains(id)) {
                        halves.entry(id).or_insert(pair);
                    }
                }
            }
            Merges::Implied(_) => {
                let mut merging = Merging::default();
                halves.extend(unused.iter().filter_map(|&id| Some((id, self.last_pair(id, &mut merging)?))));
            }
        }
        halves
    }

    /// Splits the unused ones among the parts of a word; their bytes go to what they become, in order.
    pub(super) fn split_unused(&self, word: &str, alphabet: &Alphabet, merging: &mut Merging) -> Result<()> {
        if self.settings().unused.is_empty() {
            return Ok(());
        }
        for part in std::mem::take(&mut merging.parts) {
            let whole = [part.id];
            let ids = self.splits().get(&part.id).map_or(&whole[..], Vec::as_slice);
            let mut rest = part.bytes as usize;
            for (behind, &id) in (0..ids.len()).rev().zip(ids) {
                let length = self.vocab().token(id).map_or(0, str::len);
                let bytes = if behind == 0 { rest } else { length.min(rest) };
                self.push_used(id, bytes, word, alphabet, merging)?;
                rest -= bytes;
            }
        }
        Ok(())
    }

    /// Adds an entry; one that is unused and cannot be split is unknown.
    fn push_used(&self, id: u32, bytes: usize, word: &str, alphabet: &Alphabet, merging: &mut Merging) -> Result<()> {
        let Settings { unused, byte_fallback, fuse_unk, unk_token, .. } = self.settings();
        let is_unused = unused.contains(&id);
        if is_unused
            && *byte_fallback
            && let Some(ids) = self.vocab().token(id).and_then(|token| alphabet.fallback(token))
        {
            ids.for_each(|id| merging.push(id, 1));
            return Ok(());
        }
        if is_unused && unk_token.is_none() {
            return Ok(());
        }
        let unknown = || self.unk_id().ok_or_else(|| Error::NoUnknownToken { word: shorten(word) });
        let id = if is_unused { unknown()? } else { id };
        match merging.parts.last_mut().filter(|last| *fuse_unk && last.id == id && Some(id) == self.unk_id()) {
            Some(last) => *last = Part::new(id, last.bytes as usize + bytes),
            None => merging.push(id, bytes),
        }
        Ok(())
    }
}
