//! Derivations: the entries that merging can produce, and the merge that produces each.
//!
//! `last_merges` finds that merge, by the test of the backtracking encoder. Where a part may have a later merge, the text
//! of the entry is merged instead.

use super::alphabet::{Alphabet, NONE, single};
use super::backtracking::{Derivation, Derivations};
use super::last_merges::{LastMerge, LastMerges};
use super::merging::BpeScratch;
use super::pairs::MergeTable;
use super::{Bpe, BpeSettings, SuffixStyle, Tables};
use crate::text::bytes::char_to_byte;
use crate::vocab::Vocab;

/// The byte that stands for the end-of-word suffix; it never occurs in UTF-8.
pub(super) const END: u8 = 0xFF;

/// The form in which the backtracking encoder reads a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InputForm {
    /// The UTF-8 bytes of the word.
    Text,
    /// The bytes that its characters represent.
    Bytes,
}

impl InputForm {
    /// Fills `bytes` with those of a text; returns false if one of its characters represents none.
    pub(super) fn read(self, text: &str, bytes: &mut Vec<u8>) -> bool {
        bytes.clear();
        match self {
            Self::Text => bytes.extend_from_slice(text.as_bytes()),
            Self::Bytes => bytes.extend(text.chars().map_while(char_to_byte).filter(|&byte| byte != END)),
        }
        self == Self::Text || bytes.len() == text.chars().count()
    }

    /// Returns the end of `bytes` bytes in a text that begin at byte `start` of it.
    pub(super) fn end(self, text: &str, start: usize, bytes: usize) -> usize {
        match self {
            Self::Text => start + bytes,
            Self::Bytes => start + text[start..].chars().take(bytes).map(char::len_utf8).sum::<usize>(),
        }
    }

    /// Returns the bytes of an entry; `None` if one of its characters represents none.
    fn of(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Self::Text => Some(text.as_bytes().to_vec()),
            Self::Bytes => text.chars().map(char_to_byte).collect(),
        }
    }
}

impl Bpe {
    /// Returns the derivations of all entries of the tables that merging produces; `None` if backtracking does not support
    /// the model.
    ///
    /// Unsupported are a prefix, a separate suffix, a suffix with `ignore_merges`, and an entry with several derivations.
    pub(super) fn derivations(&self, tables: &Tables, form: InputForm) -> Option<Derivations> {
        let (vocab, Tables { entries, alphabet, pairs, .. }) = (self.vocab(), tables);
        let BpeSettings { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, ignore_merges, .. } =
            self.settings();
        let (marked, separate) = (!suffix.is_empty(), self.settings().suffix_style == SuffixStyle::Separate);
        let allowed = |id| self.tables.allows(*entries, id);
        if !prefix.is_empty() || (marked && (*ignore_merges || separate)) {
            return None;
        }
        let mut scratch = BpeScratch::default();
        let mut all = Derivations::default();
        let last_merges = (!marked).then(|| last_merges(vocab, alphabet, pairs, allowed));
        for (text, id) in vocab.iter().filter(|&(_, id)| allowed(id)) {
            let ending = text.strip_suffix(suffix.as_str()).filter(|rest| !suffix.is_empty() && !rest.is_empty());
            let plain = match last_merges.as_ref().map_or(LastMerge::Unknown, |known| known.get(id)) {
                LastMerge::Unknown => last_merge(symbols(text, false, alphabet), id, pairs, &mut scratch),
                known => known,
            };
            let last = ending
                .map_or(LastMerge::None, |rest| last_merge(symbols(rest, true, alphabet), id, pairs, &mut scratch));
            let (rest, made, end) = match (plain, last) {
                (made, LastMerge::None) if made != LastMerge::None => (text, made, None),
                (LastMerge::None, made) if made != LastMerge::None => (ending.unwrap_or(text), made, Some(END)),
                (LastMerge::None, _) => {
                    if *ignore_merges && self.is_whole_word(id) {
                        all.whole_words.extend(form.of(text).map(|bytes| (bytes, id)));
                    }
                    continue;
                }
                // The entry has two derivations.
                _ => return None,
            };
            let Some(mut bytes) = form.of(rest).filter(|bytes| !bytes.contains(&END)) else { continue };
            bytes.extend(end);
            let merge = if let LastMerge::Merge(rank, pair) = made { Some((rank, pair)) } else { None };
            all.merged.push(Derivation { id, bytes, merge });
        }
        Some(all)
    }
}

/// Returns the last merges of all allowed entries, which have no suffix.
fn last_merges(vocab: &Vocab, alphabet: &Alphabet, pairs: &MergeTable, allowed: impl Fn(u32) -> bool) -> LastMerges {
    let characters = vocab
        .iter()
        .filter(|&(text, id)| allowed(id) && single(text).is_some_and(|c| alphabet.ids_at(false, false).id(c) == id));
    let mut last = LastMerges::of_characters(characters.map(|(_, id)| id), vocab.id_limit() as usize);
    last.add_all(pairs, |id| vocab.token(id).unwrap_or_default().len());
    last
}

/// Returns the initial symbols of a text, which ends a word if `ends` is set; [`NONE`] for a character without an entry.
fn symbols(text: &str, ends: bool, alphabet: &Alphabet) -> impl Iterator<Item = u32> {
    let is_last = move |at: usize, c: char| ends && at + c.len_utf8() == text.len();
    text.char_indices().map(move |(at, c)| alphabet.ids_at(false, is_last(at, c)).id(c))
}

/// Returns the last merge of an entry, by merging its initial symbols; it is never [`LastMerge::Unknown`].
fn last_merge(symbols: impl Iterator<Item = u32>, id: u32, pairs: &MergeTable, scratch: &mut BpeScratch) -> LastMerge {
    scratch.clear();
    for symbol in symbols {
        if symbol == NONE {
            return LastMerge::None;
        }
        scratch.push(symbol, 0);
    }
    scratch.merge(pairs);
    match &scratch.parts[..] {
        [only] if only.id == id => {
            scratch.last().map_or(LastMerge::Character, |(rank, pair)| LastMerge::Merge(rank, pair))
        }
        _ => LastMerge::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::bpe::encode::tests::Random;
    use crate::model::bpe::infer_merges::splits;
    use crate::model::bpe::infer_merges::tests::random_vocab;

    #[test]
    fn last_merges_are_those_of_merging() {
        let (mut random, mut known, mut unknown) = (Random(7), 0, 0);
        for trial in 0..2000 {
            let vocab = random_vocab(&mut random);
            let mut list: Vec<(u32, u32)> = vocab.iter().flat_map(|(text, _)| splits(&vocab, text)).collect();
            if trial % 2 == 0 {
                list.sort_unstable_by_key(|&pair| (vocab.token(pair.0).unwrap().len(), pair));
            }
            for at in (1..list.len()).rev() {
                if trial % 3 == 0 || random.below(8) == 0 {
                    list.swap(at, random.below(at + 1));
                }
            }
            list.truncate(random.below(list.len() + 1) + list.len() / 2);
            let alphabet = Alphabet::new(&vocab, &BpeSettings::default(), &|_| true);
            let pairs = MergeTable::listed(&vocab, &list, "", |_| true);
            let last = last_merges(&vocab, &alphabet, &pairs, |_| true);
            for (text, id) in vocab.iter() {
                let merged = last_merge(symbols(text, false, &alphabet), id, &pairs, &mut BpeScratch::default());
                if last.get(id) == LastMerge::Unknown {
                    unknown += 1;
                    continue;
                }
                assert_eq!(last.get(id), merged, "{text} of {list:?}");
                known += 1;
            }
        }
        assert!(known > 10_000 && unknown > 500, "{known} {unknown}");
    }
}
