//! Splits entries that are not tokens into the pair that they were merged from.
//!
//! An entry without a pair is unknown.
//!
//! `SentencePiece` has pieces that merge and are not tokens, and subword-nmt filters by a vocabulary: both undo merges.
//! Here this is one setting of the model, a set of entries, and one step after merging. The split of an entry is known
//! in advance, because only one pair makes it, or the library considers only the first.

use std::collections::HashMap;

use super::alphabet::Alphabet;
use super::merging::{BpeScratch, Part};
use super::{Bpe, BpeSettings, Merges};
use crate::error::{Error, Message, Result, shorten};
use crate::text::bytes::byte_entry;
use crate::vocab::Vocab;

/// Maps an unused entry to the entries that replace it, from left to right.
pub(super) type Splits = HashMap<u32, Vec<u32>>;

/// Returns an error if an unused id is not in the vocabulary, or is needed for unknown characters.
///
/// A prefix and unused ids exclude each other.
pub(super) fn check(vocab: &Vocab, settings: &BpeSettings, unk_id: Option<u32>) -> Result<()> {
    let BpeSettings { unused, byte_fallback, continuing_subword_prefix: prefix, .. } = settings;
    if unused.is_empty() {
        return Ok(());
    }
    if !prefix.is_empty() {
        let message =
            Message::new("unused tokens are split as they are written").hint("pass `continuing_subword_prefix=\"\"`");
        return Err(Error::Config(message));
    }
    if let Some(id) = unused.iter().find(|&&id| vocab.token(id).is_none()) {
        return Err(Error::Vocabulary(
            Message::new(format!("the unused id {id} is not in the vocabulary")).hint("remove it from `unused`"),
        ));
    }
    let bytes = (0..=255).filter(|_| *byte_fallback).filter_map(|byte| vocab.id(&byte_entry(byte)));
    let Some(id) = unk_id.into_iter().chain(bytes).find(|id| unused.contains(id)) else { return Ok(()) };
    let token = shorten(vocab.token(id).unwrap_or_default());
    Err(Error::Config(format!("the token {token:?} stands for what is unknown, so it cannot be unused").into()))
}

impl Bpe {
    /// Returns the replacements of the unused entries that merges produce.
    pub(crate) fn splits(&self) -> &Splits {
        self.splits.get_or_init(|| if self.settings().unused.is_empty() { Splits::new() } else { self.split() })
    }

    fn split(&self) -> Splits {
        let length = |id: u32| self.vocab().token(id).map_or(0, str::len);
        // An empty entry is not a half: splitting its result would never end.
        let mut halves: Vec<(u32, (u32, u32))> = self.halves().into_iter().collect();
        halves.retain(|(_, (left, right))| length(*left) > 0 && length(*right) > 0);
        // Shorter entries go first, so that the replacements of both halves are known.
        halves.sort_unstable_by_key(|&(id, _)| (length(id), id));
        let mut splits = Splits::new();
        for (id, (left, right)) in halves {
            let of = |half: u32| splits.get(&half).cloned().unwrap_or_else(|| vec![half]);
            let parts = [of(left), of(right)].concat();
            splits.insert(id, parts);
        }
        splits
    }

    /// Returns the pair of each unused entry: by the first merge of a list, or the one inferred from ranks.
    fn halves(&self) -> HashMap<u32, (u32, u32)> {
        let unused = &self.settings().unused;
        let mut halves = HashMap::new();
        match self.merges() {
            Merges::Listed(list) => {
                for &pair in list {
                    if let Some(id) = self.merged_id(pair).filter(|id| unused.contains(id)) {
                        halves.entry(id).or_insert(pair);
                    }
                }
            }
            Merges::Implied(_) => {
                let mut scratch = BpeScratch::default();
                halves.extend(unused.iter().filter_map(|&id| Some((id, self.last_pair(id, &mut scratch)?))));
            }
        }
        halves
    }

    /// Splits the unused entries among the parts of a word; their bytes are distributed in order.
    pub(super) fn split_unused(&self, word: &str, alphabet: &Alphabet, scratch: &mut BpeScratch) -> Result<()> {
        if self.settings().unused.is_empty() {
            return Ok(());
        }
        for part in std::mem::take(&mut scratch.parts) {
            let whole = [part.id];
            let ids = self.splits().get(&part.id).map_or(&whole[..], Vec::as_slice);
            let lengths = ids.iter().map(|&id| self.vocab().token(id).map_or(0, str::len));
            for (id, bytes) in distribute(part.bytes as usize, ids.iter().copied().zip(lengths)) {
                self.push_used(id, bytes, word, alphabet, scratch)?;
            }
        }
        Ok(())
    }

    /// Adds an entry; an unused one becomes its fallback bytes or the unknown token, or is dropped.
    fn push_used(
        &self,
        id: u32,
        bytes: usize,
        word: &str,
        alphabet: &Alphabet,
        scratch: &mut BpeScratch,
    ) -> Result<()> {
        let BpeSettings { unused, byte_fallback, fuse_unk, unk_token, .. } = self.settings();
        let is_unused = unused.contains(&id);
        if is_unused
            && *byte_fallback
            && let Some(ids) = self.vocab().token(id).and_then(|token| alphabet.fallback(token))
        {
            distribute(bytes, ids.map(|id| (id, 1))).for_each(|(id, bytes)| scratch.push(id, bytes));
            return Ok(());
        }
        if is_unused && unk_token.is_none() {
            return Ok(());
        }
        let unknown = || self.unk_id().ok_or_else(|| Error::NoUnknownToken { word: shorten(word) });
        let id = if is_unused { unknown()? } else { id };
        match scratch.parts.last_mut().filter(|last| *fuse_unk && last.id == id && Some(id) == self.unk_id()) {
            Some(last) => *last = Part::new(id, last.bytes as usize + bytes),
            None => scratch.push(id, bytes),
        }
        Ok(())
    }
}

/// Distributes the bytes of a part to the entries that replace it, from left to right.
///
/// Each entry gets the length of its text, at most the bytes that are left, and the last one the rest. The lengths may
/// not add up to the part's bytes if it contains unknown text.
fn distribute(bytes: usize, entries: impl Iterator<Item = (u32, usize)>) -> impl Iterator<Item = (u32, usize)> {
    let (mut rest, mut entries) = (bytes, entries.peekable());
    std::iter::from_fn(move || {
        let (id, length) = entries.next()?;
        let given = if entries.peek().is_some() { length.min(rest) } else { rest };
        rest -= given;
        Some((id, given))
    })
}
