//! Facts about a tokenizer.

use piecework_core::Result;
use piecework_core::model::bpe::Bpe;
use piecework_core::pipeline::Tokenizer;

use crate::tuples::AddedTokenRow;

/// Returns the added tokens with their ids.
pub(crate) fn added_tokens(tokenizer: &Tokenizer) -> Vec<(u32, AddedTokenRow)> {
    tokenizer.added().tokens().iter().map(|token| (token.id, AddedTokenRow::of(token))).collect()
}

/// Returns the tokens that no text is encoded as: no merge makes them, or an added token is matched inside them.
pub(crate) fn unreachable_tokens(tokenizer: &Tokenizer) -> Result<Vec<String>> {
    let ids = tokenizer.unreachable()?.into_iter();
    Ok(ids.filter_map(|id| tokenizer.token(id).map(str::to_owned)).collect())
}

/// Returns the ids of the pairs of a BPE model that no word merges; none for other models.
pub(crate) fn unused_merges(tokenizer: &Tokenizer) -> Vec<(u32, u32)> {
    tokenizer.model().as_bpe().map(Bpe::unused_merges).unwrap_or_default()
}

/// Returns what a BPE model merges its entries from, as ids: left, right and merged; none for other models.
pub(crate) fn last_pairs(tokenizer: &Tokenizer) -> Vec<(u32, u32, u32)> {
    tokenizer.model().as_bpe().map_or_else(Vec::new, Bpe::last_pairs)
}
