//! The merges of a word in their order, for explanations.
//!
//! This is the definition, not the encoder: each step searches all pairs, in quadratic time.

use super::alphabet::NONE;
use super::encode::push;
use super::merging::BpeScratch;
use super::{Bpe, NO_RANK, PairMerge, Tables};
use crate::error::Result;
use crate::model::Token;
use crate::text::span::Span;
use crate::vocab::AllowedEntries;

/// The steps by which a word is merged; spans are bytes of the word.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MergeSteps {
    /// Whether the word is an entry that is taken without merging (`ignore_merges`).
    pub is_whole: bool,
    /// The symbols before the first merge: characters, fallback bytes and unknown tokens.
    pub symbols: Vec<Token>,
    /// The merges in their order.
    pub merges: Vec<MergeStep>,
    /// The symbols after the last merge that are not tokens, and what they are split into.
    pub replacements: Vec<UnusedSplit>,
}

/// One merge of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeStep {
    /// The index of the left symbol.
    pub index: usize,
    /// The merge.
    pub merge: PairMerge,
    /// The merges of the pairs before and after, which this merge prevents.
    pub blocked: Vec<PairMerge>,
}

/// The split of an unused entry (an entry that merges but is no token) after the last merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusedSplit {
    /// The index of the symbol.
    pub index: usize,
    /// The entry.
    pub id: u32,
    /// The entries that replace it.
    pub ids: Vec<u32>,
}

impl Bpe {
    /// Returns the merges of `word` in their order.
    ///
    /// The cost is quadratic in the number of characters.
    pub fn merge_steps(&self, word: &str, entries: AllowedEntries) -> Result<MergeSteps> {
        let mut scratch = BpeScratch::default();
        if let Some(id) = self.whole(word, entries, &scratch) {
            let symbols = vec![Token { id, span: Span::new(0, word.len()) }];
            return Ok(MergeSteps { is_whole: true, symbols, ..MergeSteps::default() });
        }
        let tables = self.tables(entries);
        self.fill(word, &tables.alphabet, &mut scratch)?;
        let mut symbols = Vec::new();
        push(word, &scratch, &mut symbols);
        let mut ids: Vec<u32> = symbols.iter().map(|symbol| symbol.id).collect();
        let merges = merge(&mut ids, tables);
        Ok(MergeSteps { is_whole: false, symbols, merges, replacements: self.replacements(&ids) })
    }

    /// Returns the merges that make an entry from its characters, in their order.
    ///
    /// None for an entry that they do not make; `None` for one that is a single character, with or without prefix and
    /// suffix, and for a text that is no entry.
    #[must_use]
    pub fn merges_of(&self, entry: &str) -> Option<Vec<MergeStep>> {
        let (id, tables) = (self.vocab().id(entry)?, self.tables(AllowedEntries::All));
        // Of all forms, the one in which the entry's prefix and suffix are not characters.
        let mut ids = self.initial_symbols(entry, &tables.alphabet).last()?;
        if ids.len() < 2 {
            return None;
        }
        let merges = if ids.contains(&NONE) { Vec::new() } else { merge(&mut ids, tables) };
        Some(if ids == [id] { merges } else { Vec::new() })
    }

    /// Returns what the unused entries among the symbols are split into.
    fn replacements(&self, ids: &[u32]) -> Vec<UnusedSplit> {
        let unused = ids.iter().enumerate().filter(|(_, id)| self.settings().unused.contains(id));
        let replacement = |(index, &id): (usize, &u32)| {
            let ids = self.splits().get(&id).cloned().unwrap_or_default();
            UnusedSplit { index, id, ids }
        };
        unused.map(replacement).collect()
    }
}

/// Merges the leftmost pair of the lowest rank until none is left.
fn merge(ids: &mut Vec<u32>, tables: &Tables) -> Vec<MergeStep> {
    let merge_at = |ids: &[u32], index: usize| {
        let &[left, right] = ids.get(index..index + 2)? else { return None };
        let (rank, id) = tables.pairs.get(left, right);
        (rank != NO_RANK).then_some(PairMerge { pair: (left, right), id, rank })
    };
    let mut steps = Vec::new();
    loop {
        let candidates = (0..ids.len()).filter_map(|index| Some((index, merge_at(ids, index)?)));
        let Some((index, merge)) = candidates.min_by_key(|(_, merge)| merge.rank) else { return steps };
        let before = index.checked_sub(1).and_then(|before| merge_at(ids, before));
        let blocked = before.into_iter().chain(merge_at(ids, index + 1)).collect();
        ids.splice(index..index + 2, [merge.id]);
        steps.push(MergeStep { index, merge, blocked });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::bpe::BpeSettings;
    use crate::vocab::Vocab;

    fn model(merges: &[(u32, u32)], tokens: &[&str], settings: BpeSettings) -> Bpe {
        let vocab = Vocab::from_tokens(tokens.iter().map(|&token| token.to_owned())).unwrap();
        Bpe::listed(vocab, merges.to_vec(), settings).unwrap()
    }

    #[test]
    fn merges_in_their_order_with_those_they_prevent() {
        // gs comes after ug, which takes its left symbol.
        let bpe = model(&[(1, 2), (0, 4), (2, 3)], &["h", "u", "g", "s", "ug", "hug", "gs"], BpeSettings::default());
        let steps = bpe.merge_steps("hugs", AllowedEntries::All).unwrap();
        let merges: Vec<_> = steps.merges.iter().map(|step| (step.index, step.merge.rank, step.merge.id)).collect();
        assert_eq!(merges, [(1, 0, 4), (0, 1, 5)]);
        assert_eq!(steps.merges[0].blocked, [PairMerge { pair: (2, 3), id: 6, rank: 2 }]);
        assert_eq!(steps.merges[1].blocked, []);
        assert_eq!(steps.symbols.len(), 4);
    }

    #[test]
    fn merges_of_entries() {
        let settings = BpeSettings { end_of_word_suffix: "</w>".to_owned(), ..BpeSettings::default() };
        let bpe = model(&[(0, 1), (3, 2)], &["l", "o", "w</w>", "lo", "low</w>", "</w>", "x"], settings);
        let ranks = |entry| Some(bpe.merges_of(entry)?.iter().map(|step| step.merge.rank).collect::<Vec<_>>());
        assert_eq!(ranks("low</w>"), Some(vec![0, 1]));
        assert_eq!((ranks("w</w>"), ranks("x"), ranks("</w>"), ranks("missing")), (None, None, None, None));
    }
}
