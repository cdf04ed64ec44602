//! The entries that merging makes, and the merge that makes each.

use super::alphabet::{Alphabet, NONE};
use super::forward::{Made, Spelled};
use super::merging::Merging;
use super::pairs::Pairs;
use super::{Settings, SuffixStyle};
use crate::text::bytes::char_to_byte;
use crate::vocab::Vocab;

/// Ends a word where a suffix would: no text has this byte.
pub(super) const END: u8 = 0xFF;

/// What the bytes of a word are to the encoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Its text.
    Text,
    /// The bytes that its characters stand for.
    Bytes,
}

impl Spelling {
    /// The bytes of an entry; `None` if one of its characters stands for none.
    fn of(self, text: &str) -> Option<Vec<u8>> {
        match self {
            Self::Text => Some(text.as_bytes().to_vec()),
            Self::Bytes => text.chars().map(char_to_byte).collect(),
        }
    }
}

/// All entries that merging makes of some word; `None` if that does not tell how each is made.
pub(super) fn made(
    vocab: &Vocab,
    settings: &Settings,
    alphabet: &Alphabet,
    pairs: &Pairs,
    spelling: Spelling,
) -> Option<Spelled> {
    let Settings { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, ignore_merges, .. } = settings;
    let (marked, separate) = (!suffix.is_empty(), settings.suffix_style == SuffixStyle::Separate);
    if !prefix.is_empty() || (marked && (*ignore_merges || separate)) {
        return None;
    }
    let mut merging = Merging::default();
    let mut all = Spelled::default();
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
            // The entry can be made in two ways.
            (Some(_), Some(_)) => return None,
        };
        let Some(mut bytes) = spelling.of(rest).filter(|bytes| !bytes.contains(&END)) else { continue };
        bytes.extend(end);
        all.made.push(Made { id, bytes, merge });
    }
    Some(all)
}

/// The merge that makes an entry of its characters, `Some(None)` if it is one; `None` if they do not become it.
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
