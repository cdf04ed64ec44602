//! What the formats of BPE share: the parts of a byte-level tokenizer, and what a file of merges cannot hold.

use std::collections::HashSet;

use super::lines;
use crate::decode::Decoder;
use crate::error::{Error, Result, shorten};
use crate::model::Model;
use crate::model::bpe::{Bpe, Merges, NO_RANK, Settings, SuffixStyle};
use crate::pipeline::{Parts, Tokenizer};
use crate::postprocess::PostProcessor;
use crate::settings::ByteLevel;
use crate::splitter::WordSplitter;
use crate::vocab::Vocab;

/// The settings of byte-level components as GPT-2 has them, with its pattern or without.
pub(super) fn byte_level(use_regex: bool) -> ByteLevel {
    ByteLevel { add_prefix_space: false, trim_offsets: true, use_regex }
}

/// The parts of a tokenizer whose model works on bytes, but for those that say how text is split.
pub(super) fn byte_level_parts(model: Model) -> Parts {
    let offsets = ByteLevel { trim_offsets: false, ..byte_level(true) };
    Parts {
        splitter: WordSplitter::default(),
        model,
        added: Vec::new(),
        post_processor: Some(PostProcessor::ByteLevel(offsets)),
        decoder: Some(Decoder::ByteLevel(byte_level(true))),
        truncation: None,
        padding: None,
        training: None,
    }
}

/// The ids of the model's tokens that are not added ones.
pub(super) fn entries(tokenizer: &Tokenizer, model: &Bpe) -> HashSet<u32> {
    let added: HashSet<u32> = tokenizer.added().tokens().iter().map(|token| token.id).collect();
    model.vocab().iter().map(|(_, id)| id).filter(|id| !added.contains(id)).collect()
}

/// A merge of a file: two symbols with a space between.
pub(super) fn merge_of(number: usize, line: &str) -> Result<(&str, &str)> {
    line.split_once(' ')
        .filter(|(left, right)| !left.is_empty() && !right.is_empty() && !right.contains(' '))
        .ok_or_else(|| {
            let found = shorten(line);
            lines::error(number, format!("expected a merge, two symbols with a space between; found {found:?}"))
        })
}

/// The id of a symbol that the merge in line `number` names.
pub(super) fn named(vocab: &Vocab, number: usize, symbol: &str) -> Result<u32> {
    vocab.id(symbol).ok_or_else(|| {
        lines::error(number, format!("the merge names {:?}, which is not in the vocabulary", shorten(symbol)))
    })
}

/// The rank of each id: as it is, or by the first merge that makes it.
pub(super) fn order_of(model: &Bpe) -> Vec<u32> {
    let merges = match model.merges() {
        Merges::Implied(ranks) => return ranks.clone(),
        Merges::Listed(merges) => merges,
    };
    let mut ranks = vec![NO_RANK; model.vocab().id_limit() as usize];
    for (rank, &pair) in (0..).zip(merges) {
        if let Some(rank_of) = model.made(pair).map(|id| &mut ranks[id as usize]).filter(|known| **known == NO_RANK) {
            *rank_of = rank;
        }
    }
    ranks
}

/// Whether a model merges as one would in which any two neighbours merge that make a token with a rank.
///
/// Of each token only one pair ever makes it (see [`Bpe::recovered`]): it has to be in the list, and the list in order.
pub(super) fn is_implied(model: &Bpe, ranks: &[u32]) -> Result<bool> {
    let merges = match model.merges() {
        Merges::Implied(own) => return Ok(in_one_order(own, ranks)),
        Merges::Listed(merges) => merges,
    };
    let made = merges.iter().map(|&pair| model.made(pair).map_or(NO_RANK, |id| ranks[id as usize]));
    let listed: HashSet<(u32, u32)> = merges.iter().copied().collect();
    let implied = Bpe::implied(model.vocab().clone(), ranks.to_vec(), Settings::default())?;
    Ok(made.is_sorted() && implied.recovered().iter().all(|pair| listed.contains(pair)))
}

/// Whether ids that have ranks have them in both, and in the same order.
fn in_one_order(some: &[u32], others: &[u32]) -> bool {
    let mut both: Vec<(u32, u32)> = some.iter().copied().zip(others.iter().copied()).collect();
    both.sort_unstable();
    let agree = |pair: &[(u32, u32)]| pair[0].0.cmp(&pair[1].0) == pair[0].1.cmp(&pair[1].1);
    both.windows(2).all(agree) && both.iter().all(|(one, other)| (*one == NO_RANK) == (*other == NO_RANK))
}

/// A format that is written, and what it cannot hold.
pub(super) struct Held {
    /// Its name, for messages.
    pub(super) format: &'static str,
    /// What to do if it does not suffice.
    pub(super) instead: &'static str,
}

impl Held {
    pub(super) fn refuses(&self, what: &str) -> Error {
        Error::Config(format!("{} cannot hold {what}; {}", self.format, self.instead))
    }

    /// The model, which must be BPE.
    pub(super) fn bpe<'a>(&self, tokenizer: &'a Tokenizer) -> Result<&'a Bpe> {
        tokenizer.model().as_bpe().ok_or_else(|| self.refuses("a model other than BPE"))
    }

    /// Refuses marks at the ends of tokens, and characters that become bytes.
    pub(super) fn refuse_affixes(&self, model: &Bpe) -> Result<()> {
        if model.settings().byte_fallback {
            return Err(self.refuses("byte_fallback"));
        }
        self.refuse_affixes_but_bytes(model)
    }

    /// The same, where characters may become bytes.
    pub(super) fn refuse_affixes_but_bytes(&self, model: &Bpe) -> Result<()> {
        let Settings { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, .. } = model.settings();
        if prefix.is_empty() && suffix.is_empty() {
            return Ok(());
        }
        Err(self.refuses(&format!("the marks {prefix:?} and {suffix:?} of tokens in a word")))
    }

    /// Refuses other marks than a suffix at the ends of words, in one of some styles.
    pub(super) fn refuse_other_marks(&self, model: &Bpe, wanted: &str, styles: &[SuffixStyle]) -> Result<()> {
        let Settings { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, suffix_style, .. } =
            model.settings();
        if prefix.is_empty() && suffix == wanted && styles.contains(suffix_style) {
            return Ok(());
        }
        Err(self.refuses(&format!("other marks than {wanted:?} at the ends of words")))
    }

    /// Refuses entries that are no tokens.
    pub(super) fn refuse_unused(&self, model: &Bpe) -> Result<()> {
        let Some(&id) = model.settings().unused.first() else { return Ok(()) };
        let token = shorten(model.vocab().token(id).unwrap_or_default());
        Err(self.refuses(&format!("the unused token {token:?} (id {id})")))
    }

    /// Refuses ranks of which two are equal: no list of merges says the same.
    pub(super) fn refuse_ties(&self, model: &Bpe) -> Result<()> {
        let Merges::Implied(ranks) = model.merges() else { return Ok(()) };
        let mut seen = HashSet::new();
        if ranks.iter().all(|&rank| rank == NO_RANK || seen.insert(rank)) {
            return Ok(());
        }
        Err(self.refuses("merges of the same rank"))
    }

    /// Refuses a model with `entries` that merges do not make, where words of that kind are otherwise encoded.
    pub(super) fn refuse_unreachable(&self, model: &Bpe, entries: &HashSet<u32>) -> Result<()> {
        let merging = model.with_settings(Settings { ignore_merges: false, ..model.settings().clone() })?;
        let Some(id) = merging.unreachable().into_iter().find(|id| entries.contains(id)) else { return Ok(()) };
        let how = if model.settings().ignore_merges { "only a whole word is" } else { "nothing is" };
        let entry = shorten(model.vocab().token(id).unwrap_or_default());
        Err(self.refuses(&format!("the token {entry:?}, which {how} encoded as")))
    }
}
