//! Derivations: the entries that merging can produce, and the merge that produces each.

use super::alphabet::{Alphabet, NONE};
use super::backtracking::{Derivation, Derivations};
use super::merging::Merging;
use super::pairs::Pairs;
use super::{Settings, SuffixStyle};
use crate::text::bytes::char_to_byte;
use crate::vocab::Vocab;

/// The byte that marks the end of a word with a suffix: no UTF-8 text has it.
pub(super) const END: u8 = 0xFF;

/// The encoder's representation of the bytes of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// The UTF-8 bytes of the word.
    Text,
    /// The bytes that its characters represent.
    Bytes,
}

impl Spelling {
    /// Returns the bytes of an entry; `None` if one of its characters represents none.
    fn of(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Self::Text => Some(text.as_bytes().to_vec()),
            Self::Bytes => text.chars().map(char_to_byte).collect(),
        }
    }
}

/// Returns the derivations of all entries that merging produces; `None` if one has several derivations.
pub(super) fn derivations(
    vocab: &Vocab,
    settings: &Settings,
    alphabet: &Alphabet,
    pairs: &Pairs,
    spelling: Spelling,
) -> Option<Derivations> {
    let Settings { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, ignore_merges, .. } = settings;
    let (marked, separate) = (!suffix.is_empty(), settings.suffix_style == SuffixStyle::Separate);
    if !prefix.is_empty() || (marked && (*ignore_merges || separate)) {
        return None;
    }
    let mut merging = Merging::default();
    let mut all = Derivations::default();
    for (text, id) in vocab.iter() {
        let ending = text.strip_suffix(suffix.as_str()).filter(|rest| !suffix.is_empty() && !rest.is_empty());
        let plain = encode(text, false, id, alphabet, pairs, &mut merging);
        let last = ending.and_then(|rest| encode(rest, true, id, alphabet, pairs, &mut merging));
        let (rest, merge, end) = match (plain, last) {
            (Some(merge), None) => (text, merge, None),
            (None, Some(merge)) => (ending.unwrap_or(text), merge, Some(END)),
            (None, None) => {
                if *ignore_merges {
                    all.others.extend(spelling.of(text).map(|bytes| (bytes, id)));
                }
                continue;
            }
            // The entry has two derivations.
            (Some(_), Some(_)) => return None,
        };
        let Some(mut bytes) = spelling.of(rest).filter(|bytes| !bytes.contains(&END)) else { continue };
        bytes.extend(end);
        all.merged.push(Derivation { id, bytes, merge });
    }
    Some(all)
}

/// Returns the merge that produces an entry; `None` if its characters do not merge to it.
///
/// The result is `Some(None)` for a single character.
fn encode(
    text: &str,
    ends: bool,
    id: u32,
    alphabet: &Alphabet,
    pairs: &Pairs,
    merging: &mut Merging,
) -> Option<Option<(u32, (u32, u32))>> {
    merging.clear();
    let mut left = text.len();
    for c in text.chars() {
        left -= c.len_utf8();
        let letter = alphabet.letters(false, ends && left == 0).id(c);
        if letter == NONE {
            return None;
        }
        merging.push(letter, 0);
    }
    merging.merge(pairs);
    match &merging.parts[..] {
        [only] if only.id == id => Some(merging.last()),
        _ => None,
    }
}
