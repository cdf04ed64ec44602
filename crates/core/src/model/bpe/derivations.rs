//! Derivations: the entries that merging can produce, and the merge that produces each.
//!
//! The backtracking encoder is made of them.

use hashbrown::HashMap;

use super::alphabet::Alphabet;
use super::backtracking::{BacktrackingEncoder, Entry, UNORDERED};
use super::merging::BpeScratch;
use super::pairs::MergeTable;
use super::{Bpe, BpeSettings, SuffixStyle, Tables, last_merges};
use crate::memory::{Growable, filled};
use crate::text::bytes::char_to_byte;
use crate::text::single_character;
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
        bytes.make_room(text.len());
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
    /// Returns the backtracking encoder of all entries of the tables that merging produces; `None` if backtracking does not
    /// support the model.
    ///
    /// Unsupported are a prefix, a separate suffix, a suffix with `ignore_merges`, and an entry with several derivations.
    pub(super) fn make_encoder(&self, tables: &Tables, form: InputForm) -> Option<BacktrackingEncoder> {
        let (vocab, Tables { entries, alphabet, pairs, .. }) = (self.vocab(), tables);
        let BpeSettings { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, ignore_merges, .. } =
            self.settings();
        let (marked, separate) = (!suffix.is_empty(), self.settings().suffix_style == SuffixStyle::Separate);
        let allowed = |id| self.tables.allows(*entries, id);
        if !prefix.is_empty() || (marked && (*ignore_merges || separate)) {
            return None;
        }
        let mut scratch = BpeScratch::default();
        let mut found = match marked {
            true => filled(Entry::ABSENT, vocab.id_limit() as usize),
            false => last_merges(vocab, alphabet, pairs, allowed),
        };
        let (mut texts, mut whole_words) = (Vec::new(), HashMap::default());
        for (text, id) in vocab.iter().filter(|&(_, id)| allowed(id)) {
            let ending = text.strip_suffix(suffix.as_str()).filter(|rest| !suffix.is_empty() && !rest.is_empty());
            let mut merge =
                |text, ends| last_merges::by_merging(symbols(text, ends, alphabet), id, pairs, &mut scratch);
            let known = std::mem::replace(&mut found[id as usize], Entry::ABSENT);
            let plain = if marked || known == Entry::UNRESOLVED { merge(text, false) } else { known };
            let last = ending.map_or(Entry::ABSENT, |rest| merge(rest, true));
            let (rest, made, end) = match (plain.is_absent(), last.is_absent()) {
                (false, true) => (text, plain, None),
                (true, false) => (ending.unwrap_or(text), last, Some(END)),
                (true, true) => {
                    if *ignore_merges && self.is_whole_word(id) {
                        whole_words.extend(form.of(text).map(|bytes| (bytes, id)));
                    }
                    continue;
                }
                // The entry has two derivations.
                (false, false) => return None,
            };
            let Some(mut bytes) = form.of(rest).filter(|bytes| !bytes.contains(&END)) else { continue };
            if made.order() == UNORDERED {
                // The rank is too large.
                return None;
            }
            bytes.extend(end);
            found[id as usize] = made.with_length(bytes.len());
            texts.push((bytes, id));
        }
        BacktrackingEncoder::new(found, texts, whole_words)
    }
}

/// Returns the last merges of all allowed entries, which have no suffix.
fn last_merges(vocab: &Vocab, alphabet: &Alphabet, pairs: &MergeTable, allowed: impl Fn(u32) -> bool) -> Vec<Entry> {
    let characters = vocab.iter().filter(|&(text, id)| {
        allowed(id) && single_character(text).is_some_and(|c| alphabet.id(c, false, false) == id)
    });
    let mut last = last_merges::of_characters(characters.map(|(_, id)| id), vocab.id_limit() as usize);
    last_merges::add_all(&mut last, pairs, |id| vocab.token(id).unwrap_or_default().len());
    last
}

/// Returns the initial symbols of a text, which ends a word if `ends` is set.
fn symbols(text: &str, ends: bool, alphabet: &Alphabet) -> impl Iterator<Item = u32> {
    let is_last = move |at: usize, c: char| ends && at + c.len_utf8() == text.len();
    text.char_indices().map(move |(at, c)| alphabet.id(c, false, is_last(at, c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::bpe::encode::tests::Random;
    use crate::model::bpe::halves::Halves;
    use crate::model::bpe::infer_merges::tests::random_vocab;

    #[test]
    fn last_merges_are_those_of_merging() {
        let (mut random, mut known, mut unknown) = (Random(7), 0, 0);
        for trial in 0..2000 {
            let vocab = random_vocab(&mut random);
            let halves = Halves::new(&vocab, "");
            let mut list: Vec<(u32, u32)> = vocab.iter().flat_map(|(text, _)| halves.of(text)).collect();
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
                let symbols = symbols(text, false, &alphabet);
                let merged = last_merges::by_merging(symbols, id, &pairs, &mut BpeScratch::default());
                if last[id as usize] == Entry::UNRESOLVED {
                    unknown += 1;
                    continue;
                }
                assert_eq!(last[id as usize], merged, "{text} of {list:?}");
                known += 1;
            }
        }
        assert!(known > 10_000 && unknown > 500, "{known} {unknown}");
    }
}
