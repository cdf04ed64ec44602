//! Finds the entries that no text becomes, because no merges lead to them.
//!
//! The merges within the characters of a token do not depend on their context, as long as nothing merges across its
//! ends. So an entry that occurs in some word is also the encoding of its own characters, at some position of a word.
//!
//! What an entry is merged from: a file may list every pair that concatenates to it, as that of Llama 3 does. Pruning
//! keeps only the pairs of its own encoding (`Bpe::last_pairs`), since nothing else makes it.

use std::collections::{HashMap, HashSet};

use super::alphabet::{Alphabet, NONE};
use super::backtracking::Entry;
use super::last_merges::by_merging;
use super::merging::BpeScratch;
use super::{Bpe, Tables, merged};
use crate::vocab::AllowedEntries;

impl Bpe {
    /// Returns the ids of all entries that no text can become, in order; special tokens are treated like all others.
    ///
    /// With `ignore_merges` there are none, as every entry may be a word. The cost is that of encoding all entries.
    #[must_use]
    pub fn unreachable(&self) -> Vec<u32> {
        if self.settings().ignore_merges {
            return Vec::new();
        }
        let from_unknown = self.entries_of_unknown();
        let made: HashSet<u32> = self.own_merges(AllowedEntries::All).into_iter().map(|(id, _)| id).collect();
        let is_reached = |id: &u32| from_unknown.contains(id) || made.contains(id);
        let is_token = |id: &u32| !self.settings().unused.contains(id) && is_reached(id);
        self.vocab().iter().map(|(_, id)| id).filter(|id| !is_token(id)).collect()
    }

    /// Returns the merges that no word applies, in order; see [`merge_list`](Self::merge_list).
    ///
    /// A merge that is applied anywhere in a word is also the last merge of its own two parts, at some position of a word.
    /// Of a repeated pair, all but the last are unused. Merges of the unknown token and of byte-fallback entries count as
    /// used, since these have no characters of their own. The cost is that of encoding all entries.
    ///
    /// ```
    /// use piecework_core::model::bpe::{Bpe, BpeSettings};
    /// use piecework_core::vocab::Vocab;
    ///
    /// let vocab = Vocab::from_tokens(["a", "b", "c", "ab", "bc", "abc"].map(String::from))?;
    /// let model = Bpe::listed(vocab, vec![(0, 1), (1, 2), (0, 4), (3, 2)], BpeSettings::default())?;
    /// assert_eq!(model.unused_merges(), [(0, 4)]);
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    #[must_use]
    pub fn unused_merges(&self) -> Vec<(u32, u32)> {
        let from_unknown = self.entries_of_unknown();
        let own = self.own_merges(AllowedEntries::All);
        let applied: HashSet<(u32, u32)> = own.into_iter().map(|(_, entry)| entry.parts()).collect();
        let merges = self.merge_list();
        let last_position: HashMap<_, _> = merges.iter().enumerate().map(|(at, &pair)| (pair, at)).collect();
        let of_unknown = |pair: (u32, u32)| from_unknown.contains(&pair.0) || from_unknown.contains(&pair.1);
        let is_applied = |pair| applied.contains(&pair) || of_unknown(pair);
        let is_unused = |&(at, pair): &(usize, (u32, u32))| last_position[&pair] != at || !is_applied(pair);
        merges.iter().copied().enumerate().filter(is_unused).map(|(_, pair)| pair).collect()
    }

    /// Returns the last two parts of an entry's own encoding before the final merge.
    pub(super) fn last_pair(&self, id: u32, scratch: &mut BpeScratch) -> Option<(u32, u32)> {
        let made = self.merges_of_own_text(id, self.tables(AllowedEntries::All), scratch).next()?;
        (made != Entry::CHARACTER).then(|| made.parts())
    }

    /// Returns the pairs that merging makes entries of, with the entry: left, right, merged.
    ///
    /// An entry has the last pair of its own encoding, in each form in which that is a single entry, and in texts without
    /// special tokens, too. Entries that merges make of unknown characters have all their pairs.
    #[must_use]
    pub fn last_pairs(&self) -> Vec<(u32, u32, u32)> {
        let mut pairs = Vec::new();
        for entries in [AllowedEntries::All, AllowedEntries::Ordinary] {
            let own = self.own_merges(entries).into_iter().filter(|(_, entry)| *entry != Entry::CHARACTER);
            pairs.extend(own.map(|(id, entry)| (entry.parts().0, entry.parts().1, id)));
            if !pairs.iter().any(|&(left, right, _)| [left, right].iter().any(|&id| !self.is_ordinary(id))) {
                break;
            }
        }
        let from_unknown = self.entries_of_unknown();
        let of_unknown = |pair: &(u32, u32)| from_unknown.contains(&pair.0) || from_unknown.contains(&pair.1);
        let merges = if from_unknown.is_empty() { Vec::new() } else { self.merge_list() };
        pairs.extend(
            merges.into_iter().filter(of_unknown).filter_map(|pair| Some((pair.0, pair.1, self.merged_id(pair)?))),
        );
        pairs
    }

    fn is_ordinary(&self, id: u32) -> bool {
        self.tables.allows(AllowedEntries::Ordinary, id)
    }

    /// Returns the unknown token, the byte-fallback entries, and all entries that merges make with any of these.
    fn entries_of_unknown(&self) -> HashSet<u32> {
        let fallbacks = self.tables(AllowedEntries::All).alphabet.fallbacks();
        let mut ids: HashSet<u32> = self.unk_id().into_iter().chain(fallbacks).collect();
        if ids.is_empty() {
            return ids;
        }
        let (merges, mut text) = (self.merge_list(), String::new());
        let mut known = 0;
        while ids.len() > known {
            known = ids.len();
            for &pair in &merges {
                if ids.contains(&pair.0) || ids.contains(&pair.1) {
                    ids.extend(merged(self.vocab(), pair, &self.settings().continuing_subword_prefix, &mut text));
                }
            }
        }
        ids
    }

    /// Returns the last merge of each entry's own text, in each form in which that merges to the entry.
    fn own_merges(&self, entries: AllowedEntries) -> Vec<(u32, Entry)> {
        let (tables, mut scratch, mut found) = (self.tables(entries), BpeScratch::default(), Vec::new());
        for (_, id) in self.vocab().iter().filter(|&(_, id)| self.tables.allows(entries, id)) {
            found.extend(self.merges_of_own_text(id, tables, &mut scratch).map(|entry| (id, entry)));
        }
        found
    }

    /// Returns the last merge of an entry's own text, in each form in which that merges to the entry.
    fn merges_of_own_text<'a>(
        &'a self,
        id: u32,
        tables: &'a Tables,
        scratch: &'a mut BpeScratch,
    ) -> impl Iterator<Item = Entry> + 'a {
        let token = self.vocab().token(id).unwrap_or_default();
        let forms = self.initial_symbols(token, &tables.alphabet);
        let merges = forms.map(move |ids| by_merging(ids.into_iter(), id, &tables.pairs, scratch));
        merges.filter(|entry| !entry.is_absent())
    }

    /// Returns the initial symbols of a token's text as a whole word and as a word's beginning, middle and end, as far as
    /// these differ; [`NONE`] for a character or suffix without an entry.
    pub(super) fn initial_symbols<'a>(
        &'a self,
        token: &'a str,
        alphabet: &'a Alphabet,
    ) -> impl Iterator<Item = Vec<u32>> + 'a {
        let prefix = &self.settings().continuing_subword_prefix;
        let (attached, separate) = (self.settings().attached_suffix(), self.settings().separate_suffix());
        let forms = [(true, false), (true, true), (false, false), (false, true)].into_iter();
        let (no_prefix, no_suffix) = (prefix.is_empty(), self.settings().end_of_word_suffix.is_empty());
        let forms = forms.filter(move |&(first, last)| (first || !no_prefix) && !(last && no_suffix));
        forms.filter_map(move |(first, last)| {
            let text = if first { token } else { token.strip_prefix(prefix)? };
            let (text, end) = match &separate {
                Some(suffix) if last => {
                    (text.strip_suffix(suffix.strip_prefix(prefix)?)?, Some(alphabet.suffix().unwrap_or(NONE)))
                }
                _ if last => (text.strip_suffix(attached)?, None),
                _ => (text, None),
            };
            let ends = |at: usize, c: char| last && at + c.len_utf8() == text.len();
            let symbol = |(at, c): (usize, char)| alphabet.id(c, first && at == 0, ends(at, c));
            Some(text.char_indices().map(symbol).chain(end).collect())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BpeSettings, SuffixStyle};
    use super::*;
    use crate::vocab::Vocab;

    fn unreachable(tokens: &[&str], merges: &[(&str, &str)], settings: BpeSettings) -> Vec<String> {
        let vocab = Vocab::from_tokens(tokens.iter().map(|&token| token.to_owned()).collect::<Vec<_>>()).unwrap();
        let ids = merges.iter().map(|(left, right)| (vocab.id(left).unwrap(), vocab.id(right).unwrap())).collect();
        let model = Bpe::listed(vocab, ids, settings).unwrap();
        model.unreachable().into_iter().map(|id| model.vocab().token(id).unwrap().to_owned()).collect()
    }

    #[test]
    fn entries_without_merges_and_after_others() {
        let tokens = ["a", "b", "c", "ab", "bc", "abc", "cab", "<unk>"];
        let merges = [("a", "b"), ("b", "c"), ("a", "bc")];
        // `b c` merges after `a b`, so `a bc` never does.
        assert_eq!(unreachable(&tokens, &merges, BpeSettings::default()), ["abc", "cab", "<unk>"]);
        let bytes = ["a", "<0xC3>", "<0xA9>", "<0xC3><0xA9>", "<0xC4>"];
        let fallback = |byte_fallback| BpeSettings { byte_fallback, ..BpeSettings::default() };
        let merges_bytes = [("<0xC3>", "<0xA9>")];
        assert!(unreachable(&bytes, &merges_bytes, fallback(true)).is_empty());
        assert_eq!(unreachable(&bytes, &merges_bytes, fallback(false)).len(), 4);
        let unk_token = Some("<unk>".to_owned());
        assert_eq!(unreachable(&tokens, &merges, BpeSettings { unk_token, ..BpeSettings::default() }), ["abc", "cab"]);
        let settings = BpeSettings { ignore_merges: true, ..BpeSettings::default() };
        assert!(unreachable(&tokens, &merges, settings).is_empty());
    }

    fn unused_merges(tokens: &[&str], merges: &[(&str, &str)], settings: BpeSettings) -> Vec<(String, String)> {
        let vocab = Vocab::from_tokens(tokens.iter().map(|&token| token.to_owned()).collect::<Vec<_>>()).unwrap();
        let ids = merges.iter().map(|(left, right)| (vocab.id(left).unwrap(), vocab.id(right).unwrap())).collect();
        let model = Bpe::listed(vocab, ids, settings).unwrap();
        let token = |id| model.vocab().token(id).unwrap().to_owned();
        model.unused_merges().into_iter().map(|(left, right)| (token(left), token(right))).collect()
    }

    #[test]
    fn merges_after_others_and_repeated_ones() {
        let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|&(left, right)| (left.to_owned(), right.to_owned())).collect()
        };
        let tokens = ["a", "b", "c", "ab", "bc", "abc", "aa", "aaa"];
        let merges =
            [("a", "b"), ("b", "c"), ("a", "bc"), ("a", "b"), ("ab", "c"), ("a", "a"), ("a", "aa"), ("aa", "a")];
        // The last `a b` counts, so `b c` merges before it. `a aa` never applies, as the leftmost pair merges first.
        let unused = unused_merges(&tokens, &merges, BpeSettings::default());
        assert_eq!(unused, pairs(&[("a", "b"), ("ab", "c"), ("a", "aa")]));
        // Merges apply within longer words, even if a whole word is an entry.
        let settings = BpeSettings { ignore_merges: true, ..BpeSettings::default() };
        assert_eq!(unused_merges(&tokens, &merges, settings), unused);
        let settings = BpeSettings { unk_token: Some("a".to_owned()), ..BpeSettings::default() };
        assert_eq!(unused_merges(&tokens, &merges, settings), pairs(&[("a", "b")]));
    }

    #[test]
    fn prefix_and_suffix_decide_the_position_of_an_entry() {
        let settings = |suffix_style| BpeSettings {
            continuing_subword_prefix: "##".to_owned(),
            end_of_word_suffix: "$".to_owned(),
            suffix_style,
            ..BpeSettings::default()
        };
        let tokens = ["a", "##b", "##b$", "##$", "ab", "ab$", "##ab"];
        let attached = [("a", "##b"), ("a", "##b$")];
        assert_eq!(unreachable(&tokens, &attached, settings(SuffixStyle::Attached)), ["##ab"]);
        let separate = [("a", "##b"), ("ab", "##$")];
        assert_eq!(unreachable(&tokens, &separate, settings(SuffixStyle::Separate)), ["##b$", "##ab"]);
    }
}
