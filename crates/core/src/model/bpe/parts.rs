//! The parts of long words of scripts without spaces, for byte-level models.
//!
//! No merge spans two adjacent characters that are adjacent in no entry, so a word may be cut between them and its parts
//! encoded separately (B26 in `spec/bpe.md`). A clause of Chinese text, which is one word and nearly always new, then
//! consists of parts that occurred before. Only characters of three bytes from U+3000 to U+9FFF are considered.
//!
//! Entries are bytes, so an entry may begin or end inside a character. Two characters are joined if an entry contains
//! both, or the last bytes of one and the first bytes of the other.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashSet;

use super::derivations::InputForm;
use super::{Bpe, Tables};
use crate::hash::FixedHasher;
use crate::model::adjacency::CharacterAdjacency;
use crate::text::bytes::char_to_byte;
use crate::vocab::AllowedEntries;

/// The characters that parts may begin and end with.
const FIRST: u32 = 0x3000;
const END: u32 = 0xA000;
/// The lead bytes of these characters, each of which has three bytes.
const LEADS: std::ops::RangeInclusive<u8> = 0xE3..=0xE9;
const LENGTH: usize = 3;

/// The positions at which the words of one byte-level model may be cut.
#[derive(Debug)]
pub(crate) struct WordParts {
    /// The pairs of characters that are adjacent in an entry.
    pairs: CharacterAdjacency,
    /// For each character, the fragments before a cut that it ends with (the lower half), and those whose entries
    /// continue with its first bytes (the upper half). A bit stands for several fragments.
    fragments: Box<[u64]>,
    /// The entries that merging never produces, each of which encodes the word that equals it, but no part; without
    /// those that no part can equal.
    whole_words: HashSet<Vec<u8>, FixedHasher>,
    /// A bit for each of their numbers of bytes; the highest one for all larger numbers.
    whole_lengths: u64,
}

/// The number of bits for fragments.
const FRAGMENT_BITS: usize = 32;

impl Bpe {
    /// Returns where words may be cut; `None` if the model is not byte-level, or has settings that depend on the word.
    pub(crate) fn word_parts(&self, entries: AllowedEntries) -> Option<&WordParts> {
        let tables = self.tables(entries);
        tables.parts.get_or_init(|| self.make_word_parts(tables)).as_ref()
    }

    fn make_word_parts(&self, tables: &Tables) -> Option<WordParts> {
        let settings = self.settings();
        let has_affix = !settings.continuing_subword_prefix.is_empty() || !settings.end_of_word_suffix.is_empty();
        if has_affix || !settings.unused.is_empty() || !tables.alphabet.has_all_bytes() {
            return None;
        }
        let whole_words = match self.backtracking(tables, InputForm::Bytes) {
            Some(backtracking) => backtracking.whole_words().map(<[u8]>::to_vec).collect(),
            None if settings.ignore_merges => return None,
            None => Vec::new(),
        };
        let bytes = |text: &str| text.chars().map(char_to_byte).collect::<Option<Vec<u8>>>();
        Some(WordParts::new(self.vocab().iter().filter_map(|(text, _)| bytes(text)), whole_words))
    }
}

impl WordParts {
    fn new(entries: impl Iterator<Item = Vec<u8>>, whole_words: Vec<Vec<u8>>) -> Self {
        let (mut pairs, mut fragments) = (BTreeSet::new(), BTreeMap::<Vec<u8>, BTreeSet<Vec<u8>>>::new());
        for entry in entries {
            for at in 1..entry.len() {
                let Some((left, right)) = around(&entry, at) else { continue };
                match (character(left), character(right)) {
                    (Some(one), Some(other)) => _ = pairs.insert((one, other)),
                    _ => _ = fragments.entry(left.to_vec()).or_default().insert(right.to_vec()),
                }
            }
        }
        let mut flags = vec![0; (END - FIRST) as usize];
        for (number, (left, rights)) in fragments.iter().enumerate() {
            let bit = number % FRAGMENT_BITS;
            characters_of(left, false, |c| flags[c] |= 1 << bit);
            for right in rights {
                characters_of(right, true, |c| flags[c] |= 1 << (bit + FRAGMENT_BITS));
            }
        }
        let whole_words: HashSet<_, _> = whole_words.into_iter().filter(|word| may_be_part(word)).collect();
        let whole_lengths = whole_words.iter().fold(0, |lengths, word| lengths | length_bit(word));
        let pairs = CharacterAdjacency::new(|| pairs.iter().copied());
        Self { pairs, fragments: flags.into(), whole_words, whole_lengths }
    }

    /// Returns whether a word may have parts whose third byte from the end this is.
    #[inline]
    pub(crate) fn may_end_with(lead: u8) -> bool {
        LEADS.contains(&lead)
    }

    /// Fills `ends` with the ends of all parts of a word but the last, in ascending order.
    ///
    /// The word is valid UTF-8. The cost is O(n) for n bytes.
    pub(crate) fn find(&self, word: &[u8], ends: &mut Vec<usize>) {
        ends.clear();
        let (mut at, mut start, mut before) = (0, 0, None);
        while at < word.len() {
            if !LEADS.contains(&word[at]) {
                // A continuation byte here only makes the next character look farther away.
                (at, before) = (at + 1, None);
                continue;
            }
            let here = character(&word[at..at + LENGTH]);
            if let (Some(one), Some(other)) = (before, here)
                && !self.joins(one, other)
                && !self.is_whole_word(&word[start..at])
            {
                ends.push(at);
                start = at;
            }
            (at, before) = (at + LENGTH, here);
        }
        // Of several parts, none may be a whole word, which the last one may be.
        while self.is_whole_word(&word[ends.last().copied().unwrap_or_default()..]) && ends.pop().is_some() {}
    }

    /// Returns whether an entry may span two characters.
    #[inline]
    fn joins(&self, one: char, other: char) -> bool {
        let flags = |c: char| self.fragments[(u32::from(c) - FIRST) as usize];
        flags(one) & flags(other) >> FRAGMENT_BITS != 0 || self.pairs.joins(one, other)
    }

    #[inline]
    fn is_whole_word(&self, part: &[u8]) -> bool {
        self.whole_lengths & length_bit(part) != 0 && self.whole_words.contains(part)
    }
}

/// Returns whether a part may be these bytes: it begins or ends with a character of the range.
fn may_be_part(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|first| LEADS.contains(first))
        || bytes.iter().rev().nth(2).is_some_and(|lead| LEADS.contains(lead))
}

/// Returns the bit of a number of bytes.
#[inline]
fn length_bit(bytes: &[u8]) -> u64 {
    1 << bytes.len().min(63)
}

/// Returns the character of three bytes.
#[inline]
fn character(bytes: &[u8]) -> Option<char> {
    let &[lead, middle, last] = bytes else { return None };
    char::from_u32(u32::from(lead & 0xF) << 12 | u32::from(middle & 0x3F) << 6 | u32::from(last & 0x3F))
}

/// Returns the bytes of an entry around a position: of the character before it, and of the one that begins at it.
///
/// The entry may have the last bytes of the former and the first bytes of the latter alone. `None` if one of them is no
/// character of the range.
fn around(entry: &[u8], at: usize) -> Option<(&[u8], &[u8])> {
    let (before, after) = entry.split_at(at);
    let left = &before[before.len().saturating_sub(LENGTH)..];
    let is_inside = |byte: &u8| byte & 0xC0 == 0x80;
    let is_left = if left.len() == LENGTH { LEADS.contains(&left[0]) } else { left.iter().all(is_inside) };
    (is_left && LEADS.contains(&after[0])).then(|| (left, &after[..after.len().min(LENGTH)]))
}

/// Calls `each` with the index of every character that begins, or ends, with these one to three bytes.
#[expect(clippy::cast_possible_truncation, reason = "at most three bytes")]
fn characters_of(bytes: &[u8], begins: bool, mut each: impl FnMut(usize)) {
    let count = bytes.len() as u32;
    // A lead byte has four bits of the character, the others have six.
    let is_lead = |place: usize| place == 0 && (begins || bytes.len() == LENGTH);
    let bits = bytes
        .iter()
        .enumerate()
        .fold(0, |bits, (place, byte)| bits << 6 | u32::from(byte & if is_lead(place) { 0xF } else { 0x3F }));
    let (first, step, times) = if begins {
        (bits << (6 * (LENGTH as u32 - count)), 1, 1 << (6 * (LENGTH as u32 - count)))
    } else if bytes.len() == LENGTH {
        (bits, 1, 1)
    } else {
        (FIRST | bits, 1 << (6 * count), (END - FIRST) >> (6 * count))
    };
    (0..times).for_each(|number| each((first + number * step - FIRST) as usize));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::bpe::BpeSettings;
    use crate::text::bytes::byte_to_char;
    use crate::vocab::Vocab;

    #[test]
    fn fragments_stand_for_the_characters_that_contain_them() {
        let all = || (FIRST..END).filter_map(char::from_u32).map(|c| (c, c.to_string().into_bytes()));
        for bytes in [&b"\xE4"[..], b"\xE4\xB8", b"\xE4\xB8\xAD", b"\xE9\xBF\xBF", b"\xE3\x80\x80"] {
            let mut found = Vec::new();
            characters_of(bytes, true, |c| found.push(c));
            let wanted = all().filter(|(_, text)| text.starts_with(bytes)).map(|(c, _)| c as usize - FIRST as usize);
            assert_eq!(found, wanted.collect::<Vec<_>>(), "{bytes:?}");
        }
        for bytes in [&b"\xAD"[..], b"\xB8\xAD", b"\xE4\xB8\xAD", b"\x80", b"\x80\x80"] {
            let mut found = Vec::new();
            characters_of(bytes, false, |c| found.push(c));
            let wanted = all().filter(|(_, text)| text.ends_with(bytes)).map(|(c, _)| c as usize - FIRST as usize);
            assert_eq!(found, wanted.collect::<Vec<_>>(), "{bytes:?}");
        }
    }

    fn parts<'w>(entries: &[&[u8]], whole: &[&str], word: &'w str) -> Vec<&'w str> {
        let whole = whole.iter().map(|word| word.as_bytes().to_vec()).collect();
        let mut ends = Vec::new();
        WordParts::new(entries.iter().map(|entry| entry.to_vec()), whole).find(word.as_bytes(), &mut ends);
        let starts = [0].into_iter().chain(ends.iter().copied());
        starts.zip(ends.iter().copied().chain([word.len()])).map(|(start, end)| &word[start..end]).collect()
    }

    #[test]
    fn byte_level_models_have_parts() {
        let bytes = || (0..=255).map(|byte| byte_to_char(byte).to_string());
        let model = |tokens: Vec<String>| {
            Bpe::listed(Vocab::from_tokens(tokens).unwrap(), Vec::new(), BpeSettings::default()).unwrap()
        };
        let mut ends = Vec::new();
        model(bytes().collect()).word_parts(AllowedEntries::All).unwrap().find("中文字".as_bytes(), &mut ends);
        assert_eq!(ends, [3, 6]);
        assert!(model(bytes().skip(1).collect()).word_parts(AllowedEntries::All).is_none(), "a byte may be unknown");
    }

    #[test]
    fn words_are_cut_where_no_entry_joins_two_characters() {
        let joined: [&[u8]; 1] = ["中文".as_bytes()];
        assert_eq!(parts(&joined, &[], "中文中中文文"), ["中文", "中", "中文", "文"]);
        assert_eq!(
            parts(&joined, &[], "文 中a中文字"),
            ["文 中a中文", "字"],
            "only between two characters of the range"
        );
        assert_eq!(parts(&joined, &[], "éé中"), ["éé中"]);
        // The last two bytes of 中 and the first of 字.
        let fragments: [&[u8]; 1] = [b"\xB8\xAD\xE5"];
        assert_eq!(parts(&fragments, &[], "中字文字"), ["中字", "文", "字"]);
        let fragments: [&[u8]; 1] = ["文\u{5B57}".as_bytes().split_last().unwrap().1];
        assert_eq!(parts(&fragments, &[], "文字中字"), ["文字", "中", "字"]);
    }

    #[test]
    fn no_part_is_a_whole_word() {
        let none: [&[u8]; 0] = [];
        assert_eq!(parts(&none, &["中"], "中文字"), ["中文", "字"]);
        assert_eq!(parts(&none, &["字"], "中文字"), ["中", "文字"]);
        assert_eq!(parts(&none, &["文"], "中文"), ["中文"]);
        assert_eq!(parts(&none, &["中", "字", "文字"], "中文字"), ["中文字"]);
    }
}
