//! Derivations: the entries that merging can produce, and the merge that produces each.

use super::alphabet::{Alphabet, NONE};
use super::backtracking::{Derivation, Derivations};
use super::merging::BpeScratch;
use super::pairs::MergeTable;
use super::{Settings, SuffixStyle};
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
    /// Returns the bytes of an entry; `None` if one of its characters represents none.
    fn of(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Self::Text => Some(text.as_bytes().to_vec()),
            Self::Bytes => text.chars().map(char_to_byte).collect(),
        }
    }
}

/// Returns the derivations of all `allowed` entries that merging produces; `None` if backtracking does not support the model.
///
/// Unsupported are a prefix, a separate suffix, a suffix with `ignore_merges`, and an entry with several derivations.
pub(super) fn derivations(
    vocab: &Vocab,
    settings: &Settings,
    alphabet: &Alphabet,
    pairs: &MergeTable,
    form: InputForm,
    allowed: impl Fn(u32) -> bool,
    is_whole_word: impl Fn(u32) -> bool,
) -> Option<Derivations> {
    let Settings { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, ignore_merges, .. } = settings;
    let (marked, separate) = (!suffix.is_empty(), settings.suffix_style == SuffixStyle::Separate);
    if !prefix.is_empty() || (marked && (*ignore_merges || separate)) {
        return None;
    }
    let mut scratch = BpeScratch::default();
    let mut all = Derivations::default();
    for (text, id) in vocab.iter().filter(|&(_, id)| allowed(id)) {
        let ending = text.strip_suffix(suffix.as_str()).filter(|rest| !suffix.is_empty() && !rest.is_empty());
        let plain = last_merge(text, false, id, alphabet, pairs, &mut scratch);
        let last = ending.and_then(|rest| last_merge(rest, true, id, alphabet, pairs, &mut scratch));
        let (rest, merge, end) = match (plain, last) {
            (Some(merge), None) => (text, merge, None),
            (None, Some(merge)) => (ending.unwrap_or(text), merge, Some(END)),
            (None, None) => {
                if *ignore_merges && is_whole_word(id) {
                    all.whole_words.extend(form.of(text).map(|bytes| (bytes, id)));
                }
                continue;
            }
            // The entry has two derivations.
            (Some(_), Some(_)) => return None,
        };
        let Some(mut bytes) = form.of(rest).filter(|bytes| !bytes.contains(&END)) else { continue };
        bytes.extend(end);
        all.merged.push(Derivation { id, bytes, merge });
    }
    Some(all)
}

/// Returns the merge that produces an entry; `None` if its characters do not merge to it.
///
/// The result is `Some(None)` for a single character.
fn last_merge(
    text: &str,
    ends: bool,
    id: u32,
    alphabet: &Alphabet,
    pairs: &MergeTable,
    scratch: &mut BpeScratch,
) -> Option<Option<(u32, (u32, u32))>> {
    scratch.clear();
    let mut left = text.len();
    for c in text.chars() {
        left -= c.len_utf8();
        let symbol = alphabet.ids_at(false, ends && left == 0).id(c);
        if symbol == NONE {
            return None;
        }
        scratch.push(symbol, 0);
    }
    scratch.merge(pairs);
    match &scratch.parts[..] {
        [only] if only.id == id => Some(scratch.last()),
        _ => None,
    }
}
