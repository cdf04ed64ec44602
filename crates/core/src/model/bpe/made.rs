//! Distinguishes entries that merging makes from those that are in the vocabulary only for their ids.

use std::collections::{HashMap, HashSet};

use super::halves::Halves;
use super::{Bpe, BpeSettings, Merges, NO_RANK};
use crate::error::Result;
use crate::model::FoundEntry;

impl Bpe {
    /// Returns where a text that no merge makes is found if it becomes an entry.
    pub(crate) fn finds_entry(&self, text: &str) -> FoundEntry {
        let BpeSettings { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, .. } = self.settings();
        let inner = text.strip_prefix(prefix.as_str()).unwrap_or(text);
        // A first symbol of a word is a character, with a prefix or suffix.
        let is_character = |text: &str| text.chars().nth(1).is_none();
        let is_symbol = [text, inner]
            .iter()
            .any(|text| is_character(text) || text.strip_suffix(suffix.as_str()).is_some_and(is_character));
        let is_byte = self.settings().byte_fallback && text.starts_with("<0x");
        if is_symbol || is_byte || text == suffix || self.settings().unk_token.as_deref() == Some(text) {
            return FoundEntry::Always;
        }
        if self.settings().ignore_merges { FoundEntry::WholeWord } else { FoundEntry::Never }
    }

    /// Returns the model with symbols that have the next ids as entries, if its merges are by ranks.
    pub(crate) fn with_symbols(&self, symbols: &[(u32, &str, Option<bool>)]) -> Result<Self> {
        if !matches!(self.merges(), Merges::Implied(_)) {
            return Ok(self.clone());
        }
        let mut next = self.vocab().id_limit();
        let new = symbols.iter().filter(|&&(id, ..)| {
            let is_next = id == next;
            next += u32::from(is_next);
            is_next
        });
        self.with_entries(new.map(|&(id, text, _)| (text, id)))
    }

    /// Returns the model with more entries, which no merge makes.
    pub(crate) fn with_entries<'a>(&self, entries: impl Iterator<Item = (&'a str, u32)>) -> Result<Self> {
        let mut vocab = self.vocab().clone();
        for (text, id) in entries {
            vocab.insert(text, id)?;
        }
        match self.merges() {
            Merges::Listed(merges) => Self::listed(vocab, merges.clone(), self.settings().clone()),
            Merges::Implied(ranks) => {
                let mut ranks = ranks.clone();
                ranks.resize(vocab.id_limit() as usize, NO_RANK);
                Self::implied(vocab, ranks, self.settings().clone())
            }
        }
    }

    /// Returns those of some entries that a word can become by merging: single characters, and results of merges.
    ///
    /// Other entries may be in the vocabulary only for their ids, such as added tokens. The cost is linear in the length of
    /// the entries and the number of merges.
    pub(crate) fn made(&self, ids: &[u32]) -> HashSet<u32> {
        let mut made: HashSet<u32> = ids.iter().copied().filter(|id| self.is_character(*id)).collect();
        match self.merges() {
            Merges::Implied(_) => made.extend(ids.iter().filter(|id| self.may_be_produced(**id))),
            Merges::Listed(merges) => {
                let prefix = &self.settings().continuing_subword_prefix;
                let token = |id| self.vocab().token(id).unwrap_or_default();
                let halves = Halves::new(self.vocab(), prefix);
                let halves = |&id: &u32| halves.of(token(id)).map(move |pair| (pair, id));
                let halves: HashMap<_, _> = ids.iter().flat_map(halves).collect();
                if !halves.is_empty() {
                    made.extend(merges.iter().filter_map(|pair| halves.get(pair)));
                }
            }
        }
        made
    }

    /// Returns whether an entry may be the result of a merge: with ranks, it needs one.
    pub(super) fn may_be_produced(&self, id: u32) -> bool {
        match self.merges() {
            Merges::Implied(ranks) => ranks.get(id as usize).is_some_and(|&rank| rank != NO_RANK),
            Merges::Listed(_) => true,
        }
    }

    /// Returns whether an entry is a single character, but for the marks of its position in the word.
    fn is_character(&self, id: u32) -> bool {
        let BpeSettings { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, .. } = self.settings();
        let text = self.vocab().token(id).unwrap_or_default();
        let text = text.strip_prefix(prefix).unwrap_or(text);
        text.strip_suffix(suffix).unwrap_or(text).chars().nth(1).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::Vocab;

    fn vocab(tokens: &[&str]) -> Vocab {
        Vocab::from_tokens(tokens.iter().map(|&token| token.to_owned())).unwrap()
    }

    fn made(model: &Bpe) -> Vec<u32> {
        let ids: Vec<u32> = (0..model.vocab().id_limit()).collect();
        let mut made: Vec<u32> = model.made(&ids).into_iter().collect();
        made.sort_unstable();
        made
    }

    #[test]
    fn characters_results_of_merges_and_ranks() {
        let tokens = ["é", "b", "éb", "bé", "ébb"];
        let settings = BpeSettings { ignore_merges: true, ..BpeSettings::default() };
        let listed = Bpe::listed(vocab(&tokens), vec![(0, 1), (2, 1)], settings.clone()).unwrap();
        assert_eq!(made(&listed), [0, 1, 2, 4]);
        let implied = Bpe::implied(vocab(&tokens), vec![0, 1, 2, NO_RANK, 3], settings).unwrap();
        assert_eq!(made(&implied), [0, 1, 2, 4]);
    }

    #[test]
    fn marks_of_the_position_in_a_word() {
        let tokens = ["é", "##é", "##é$", "éé", "éé$", "##é##é"];
        let settings = BpeSettings {
            continuing_subword_prefix: "##".to_owned(),
            end_of_word_suffix: "$".to_owned(),
            ..BpeSettings::default()
        };
        let model = Bpe::listed(vocab(&tokens), vec![(0, 1), (0, 2)], settings).unwrap();
        assert_eq!(made(&model), [0, 1, 2, 3, 4]);
    }
}
