//! Shared parts of the BPE formats: the components of byte-level tokenizers, and what a list of merges cannot hold.

use std::collections::HashSet;

use super::lines;
use crate::decode::Decoder;
use crate::error::{Error, Message, Result, shorten};
use crate::model::Model;
use crate::model::bpe::{Bpe, BpeSettings, Merges, NO_RANK, SuffixStyle};
use crate::pipeline::{Tokenizer, TokenizerParts};
use crate::postprocess::PostProcessor;
use crate::settings::ByteLevel;
use crate::splitter::WordSplitter;
use crate::vocab::Vocab;

/// Returns GPT-2's settings of byte-level components, with its split pattern or without.
pub(super) fn byte_level(use_regex: bool) -> ByteLevel {
    ByteLevel { add_prefix_space: false, trim_offsets: true, use_regex }
}

/// Returns the parts of a byte-level tokenizer, without a splitter.
pub(super) fn byte_level_parts(model: Model) -> TokenizerParts {
    let offsets = ByteLevel { trim_offsets: false, ..byte_level(true) };
    TokenizerParts {
        post_processor: Some(PostProcessor::ByteLevel(offsets)),
        decoder: Some(Decoder::ByteLevel(byte_level(true))),
        ..TokenizerParts::new(WordSplitter::default(), model)
    }
}

/// Returns the ids of the model's tokens that are not added tokens.
pub(super) fn entries(tokenizer: &Tokenizer, model: &Bpe) -> HashSet<u32> {
    let added: HashSet<u32> = tokenizer.added().tokens().iter().map(|token| token.id).collect();
    model.vocab().iter().map(|(_, id)| id).filter(|id| !added.contains(id)).collect()
}

/// Returns the merge of a line: two symbols, separated by a space.
pub(super) fn parse_merge(number: usize, line: &str) -> Result<(&str, &str)> {
    line.split_once(' ')
        .filter(|(left, right)| !left.is_empty() && !right.is_empty() && !right.contains(' '))
        .ok_or_else(|| {
            let found = shorten(line);
            lines::error(number, format!("expected a merge, two symbols with a space between; found {found:?}"))
        })
}

/// Returns the id of a symbol that the merge in line `number` names.
pub(super) fn symbol_id(vocab: &Vocab, number: usize, symbol: &str) -> Result<u32> {
    vocab.id(symbol).ok_or_else(|| {
        lines::error(number, format!("the merge names {:?}, which is not in the vocabulary", shorten(symbol)))
    })
}

/// Returns the rank of each id: its own, or the index of the first merge that makes it.
pub(super) fn merge_ranks(model: &Bpe) -> Vec<u32> {
    let merges = match model.merges() {
        Merges::Implied(ranks) => return ranks.clone(),
        Merges::Listed(merges) => merges,
    };
    let mut ranks = vec![NO_RANK; model.vocab().id_limit() as usize];
    for (rank, &pair) in (0..).zip(merges) {
        if let Some(rank_of) =
            model.merged_id(pair).map(|id| &mut ranks[id as usize]).filter(|known| **known == NO_RANK)
        {
            *rank_of = rank;
        }
    }
    ranks
}

/// Returns whether a model merges as these ranks imply: any two neighbors that make a token with a rank.
///
/// Of each token only one pair ever makes it (see [`Bpe::merge_list`]): it has to be in the list, and the list in order.
pub(super) fn is_implied(model: &Bpe, ranks: &[u32]) -> Result<bool> {
    let merges = match model.merges() {
        Merges::Implied(own) => return Ok(in_one_order(own, ranks)),
        Merges::Listed(merges) => merges,
    };
    let made = merges.iter().map(|&pair| model.merged_id(pair).map_or(NO_RANK, |id| ranks[id as usize]));
    let listed: HashSet<(u32, u32)> = merges.iter().copied().collect();
    let implied = Bpe::implied(model.vocab().clone(), ranks.to_vec(), BpeSettings::default())?;
    Ok(made.is_sorted() && implied.merge_list().iter().all(|pair| listed.contains(pair)))
}

/// Returns whether two lists give ranks to the same ids, in the same order.
fn in_one_order(some: &[u32], others: &[u32]) -> bool {
    let mut both: Vec<(u32, u32)> = some.iter().copied().zip(others.iter().copied()).collect();
    both.sort_unstable();
    let agree = |pair: &[(u32, u32)]| pair[0].0.cmp(&pair[1].0) == pair[0].1.cmp(&pair[1].1);
    both.windows(2).all(agree) && both.iter().all(|(one, other)| (*one == NO_RANK) == (*other == NO_RANK))
}

/// The name of a format to write, for errors about what it cannot hold.
pub(super) struct WriteTarget(pub(super) &'static str);

impl WriteTarget {
    pub(super) fn cannot_hold(&self, what: &str) -> Error {
        Error::Config(Message::new(format!("{} cannot hold {what}", self.0)).hint("save a tokenizer.json"))
    }

    /// Returns the BPE model; other models are refused.
    pub(super) fn bpe<'a>(&self, tokenizer: &'a Tokenizer) -> Result<&'a Bpe> {
        tokenizer.model().as_bpe().ok_or_else(|| self.cannot_hold("a model other than BPE"))
    }

    /// Refuses affixes of tokens.
    pub(super) fn refuse_affixes(&self, model: &Bpe) -> Result<()> {
        let BpeSettings { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, .. } = model.settings();
        if prefix.is_empty() && suffix.is_empty() {
            return Ok(());
        }
        Err(self.cannot_hold(&format!("the marks {prefix:?} and {suffix:?} of tokens in a word")))
    }

    /// Refuses affixes other than the end-of-word suffix `wanted` in one of `styles`.
    pub(super) fn refuse_other_affixes(&self, model: &Bpe, wanted: &str, styles: &[SuffixStyle]) -> Result<()> {
        let BpeSettings { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, suffix_style, .. } =
            model.settings();
        if prefix.is_empty() && suffix == wanted && styles.contains(suffix_style) {
            return Ok(());
        }
        Err(self.cannot_hold(&format!("other marks than {wanted:?} at the ends of words")))
    }

    /// Refuses unused entries.
    pub(super) fn refuse_unused(&self, model: &Bpe) -> Result<()> {
        let Some(&id) = model.settings().unused.first() else { return Ok(()) };
        let token = shorten(model.vocab().token(id).unwrap_or_default());
        Err(self.cannot_hold(&format!("the unused token {token:?} (id {id})")))
    }

    /// Refuses equal ranks, which no list of merges can express.
    pub(super) fn refuse_ties(&self, model: &Bpe) -> Result<()> {
        let Merges::Implied(ranks) = model.merges() else { return Ok(()) };
        let mut seen = HashSet::new();
        if ranks.iter().all(|&rank| rank == NO_RANK || seen.insert(rank)) {
            return Ok(());
        }
        Err(self.cannot_hold("merges of the same rank"))
    }

    /// Refuses a model in which merges cannot make one of `entries`, if the format would encode words with it
    /// differently.
    pub(super) fn refuse_unreachable(&self, model: &Bpe, entries: &HashSet<u32>) -> Result<()> {
        let merging = model.with_settings(BpeSettings { ignore_merges: false, ..model.settings().clone() })?;
        let Some(id) = merging.unreachable().into_iter().find(|id| entries.contains(id)) else { return Ok(()) };
        let how = if model.settings().ignore_merges { "only a whole word is" } else { "nothing is" };
        let entry = shorten(model.vocab().token(id).unwrap_or_default());
        Err(self.cannot_hold(&format!("the token {entry:?}, which {how} encoded as")))
    }
}
