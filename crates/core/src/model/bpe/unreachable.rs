//! Finds the entries that no text becomes, because no merges lead to them.
//!
//! The merges within the characters of a token do not depend on their context, as long as nothing merges across its
//! ends. So an entry that occurs in some word is also the encoding of its own characters, at some position of a word.
//!
//! What an entry is merged from: a file may list every pair that concatenates to it, as that of Llama 3 does. Pruning
//! keeps only the pairs of its own encoding (`Bpe::last_pairs`), since nothing else makes it.

use std::collections::{HashMap, HashSet};

use super::alphabet::{Alphabet, NONE};
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
        let (tables, mut scratch) = (self.tables(AllowedEntries::All), BpeScratch::default());
        let from_unknown = self.entries_of_unknown(&tables.alphabet);
        let mut is_reached = |token: &str, id: u32| {
            from_unknown.contains(&id)
                || self.initial_symbols(token, &tables.alphabet).any(|ids| merge_to(ids, id, tables, &mut scratch))
        };
        let mut is_token = |token: &str, id: u32| !self.settings().unused.contains(&id) && is_reached(token, id);
        self.vocab().iter().filter(|&(token, id)| !is_token(token, id)).map(|(_, id)| id).collect()
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
        let (tables, mut scratch, mut text) = (self.tables(AllowedEntries::All), BpeScratch::default(), String::new());
        let from_unknown = self.entries_of_unknown(&tables.alphabet);
        let merges = self.merge_list();
        let last_position: HashMap<_, _> = merges.iter().enumerate().map(|(at, &pair)| (pair, at)).collect();
        let prefix = &self.settings().continuing_subword_prefix;
        let mut is_applied = |pair: (u32, u32)| {
            if from_unknown.contains(&pair.0) || from_unknown.contains(&pair.1) {
                return true;
            }
            let Some(id) = merged(self.vocab(), pair, prefix, &mut text) else { return true };
            let token = self.vocab().token(id).unwrap_or_default();
            self.initial_symbols(token, &tables.alphabet).any(|ids| {
                merge_to(ids, id, tables, &mut scratch) && scratch.last().is_some_and(|(_, last)| last == pair)
            })
        };
        let is_unused = |&(at, pair): &(usize, (u32, u32))| last_position[&pair] != at || !is_applied(pair);
        merges.iter().copied().enumerate().filter(is_unused).map(|(_, pair)| pair).collect()
    }

    /// Returns the last two parts of an entry's own encoding before the final merge.
    pub(super) fn last_pair(&self, id: u32, scratch: &mut BpeScratch) -> Option<(u32, u32)> {
        let (tables, token) = (self.tables(AllowedEntries::All), self.vocab().token(id)?);
        let is_made = self.initial_symbols(token, &tables.alphabet).any(|ids| merge_to(ids, id, tables, scratch));
        scratch.last().map(|(_, pair)| pair).filter(|_| is_made)
    }

    /// Returns the pairs that merging makes entries of, with the entry: left, right, merged.
    ///
    /// An entry has the last pair of its own encoding, in each form in which that is a single entry, and in texts without
    /// special tokens, too. Entries that merges make of unknown characters have all their pairs.
    #[must_use]
    pub fn last_pairs(&self) -> Vec<(u32, u32, u32)> {
        let (mut scratch, mut pairs) = (BpeScratch::default(), Vec::new());
        for entries in [AllowedEntries::All, AllowedEntries::Ordinary] {
            let tables = self.tables(entries);
            for (token, id) in self.vocab().iter().filter(|&(_, id)| self.tables.allows(entries, id)) {
                for ids in self.initial_symbols(token, &tables.alphabet) {
                    let last = merge_to(ids, id, tables, &mut scratch).then(|| scratch.last()).flatten();
                    pairs.extend(last.map(|(_, (left, right))| (left, right, id)));
                }
            }
            if !pairs.iter().any(|&(left, right, _)| [left, right].iter().any(|&id| !self.is_ordinary(id))) {
                break;
            }
        }
        let from_unknown = self.entries_of_unknown(&self.tables(AllowedEntries::All).alphabet);
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
    fn entries_of_unknown(&self, alphabet: &Alphabet) -> HashSet<u32> {
        let mut ids: HashSet<u32> = self.unk_id().into_iter().chain(alphabet.fallbacks()).collect();
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

    /// Returns the initial symbols of a token's text as a whole word and as a word's beginning, middle and end.
    fn initial_symbols<'a>(&'a self, token: &'a str, alphabet: &'a Alphabet) -> impl Iterator<Item = Vec<u32>> + 'a {
        let prefix = &self.settings().continuing_subword_prefix;
        let (attached, separate) = (self.settings().attached_suffix(), self.settings().separate_suffix());
        [(true, false), (true, true), (false, false), (false, true)].into_iter().filter_map(move |(first, last)| {
            let text = if first { token } else { token.strip_prefix(prefix)? };
            let (text, end) = match &separate {
                Some(suffix) if last => (text.strip_suffix(suffix.strip_prefix(prefix)?)?, Some(alphabet.suffix()?)),
                _ if last => (text.strip_suffix(attached)?, None),
                _ => (text, None),
            };
            let ends = |at: usize, c: char| last && at + c.len_utf8() == text.len();
            let symbol = |(at, c): (usize, char)| alphabet.ids_at(first && at == 0, ends(at, c)).id(c);
            let ids: Vec<u32> = text.char_indices().map(symbol).chain(end).collect();
            ids.iter().all(|&id| id != NONE).then_some(ids)
        })
    }
}

/// Returns whether initial symbols merge to one entry.
fn merge_to(ids: Vec<u32>, id: u32, tables: &Tables, scratch: &mut BpeScratch) -> bool {
    scratch.fill(ids.into_iter());
    scratch.merge(&tables.pairs);
    matches!(&scratch.parts[..], [part] if part.id == id)
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
