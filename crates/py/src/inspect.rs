//! Facts about a tokenizer.

use piecework_core::model::bpe::Bpe;
use piecework_core::pipeline::Tokenizer;

use crate::tuples::AddedTokenRow;

/// Returns the added tokens with their ids.
pub(crate) fn added_tokens(tokenizer: &Tokenizer) -> Vec<(u32, AddedTokenRow)> {
    tokenizer.added().tokens().iter().map(|token| (token.id, AddedTokenRow::of(token))).collect()
}

/// Returns the tokens of a BPE model that no text is encoded as; none for other models.
pub(crate) fn unreachable_tokens(tokenizer: &Tokenizer) -> Vec<String> {
    let Some(model) = tokenizer.model().as_bpe() else { return Vec::new() };
    let is_added = |id: u32| tokenizer.added().token(id).is_some();
    let ids = model.unreachable().into_iter().filter(|&id| !is_added(id));
    ids.filter_map(|id| tokenizer.token(id).map(str::to_owned)).collect()
}

/// Returns the ids of the pairs of a BPE model that no word merges; none for other models.
pub(crate) fn unused_merges(tokenizer: &Tokenizer) -> Vec<(u32, u32)> {
    tokenizer.model().as_bpe().map(Bpe::unused_merges).unwrap_or_default()
}

/// Returns what a BPE model merges its entries from, as ids: left, right and merged; none for other models.
pub(crate) fn last_pairs(tokenizer: &Tokenizer) -> Vec<(u32, u32, u32)> {
    tokenizer.model().as_bpe().map_or_else(Vec::new, Bpe::last_pairs)
}
