//! Infers merges from ranks.
//!
//! With ranks, any two adjacent entries merge if their concatenation has a rank. The merges within the bytes of an
//! entry do not depend on their context until something merges across its ends, and then the entry is not produced. So
//! only the last pair of an entry's own encoding ever produces it, and the merge table needs only that pair.
//!
//! The entries are encoded in the order of their ranks. Merges of lower ranks are sufficient for that: as long as one
//! of them applies, no merge of a higher rank does. If this encoding does not end with two parts, or if several entries
//! have the same rank, all pairs that produce the entry are kept. Cost: that of encoding every entry once.

use super::NO_RANK;
use super::merging::BpeScratch;
use super::pairs::{Merge, MergeTable};
use crate::vocab::Vocab;

/// Returns the merges inferred from ranks, in their order.
pub(super) fn merges(vocab: &Vocab, ranks: &[u32]) -> Vec<Merge> {
    infer(vocab, ranks).1
}

/// Returns the table of the merges inferred from ranks that produce allowed entries.
pub(super) fn pairs(vocab: &Vocab, ranks: &[u32], allowed: impl Fn(u32) -> bool) -> MergeTable {
    let ranks: Vec<u32> = (0..).zip(ranks).map(|(id, &rank)| if allowed(id) { rank } else { NO_RANK }).collect();
    infer(vocab, &ranks).0
}

fn infer(vocab: &Vocab, ranks: &[u32]) -> (MergeTable, Vec<Merge>) {
    let mut ranked: Vec<(u32, u32)> =
        (0..).zip(ranks).filter(|&(_, &rank)| rank != NO_RANK).map(|(id, &rank)| (rank, id)).collect();
    ranked.sort_unstable();
    let mut pairs = MergeTable::with_capacity(ranked.len());
    let mut all = Vec::with_capacity(ranked.len());
    let (mut scratch, mut ids) = (BpeScratch::default(), Vec::new());
    for equal in ranked.chunk_by(|one, other| one.0 == other.0) {
        let known = all.len();
        for &(rank, id) in equal {
            let token = vocab.token(id).unwrap_or_default();
            if characters(vocab, token, &mut ids) && equal.len() == 1 {
                scratch.fill(ids.iter().copied());
                scratch.merge(&pairs);
                if let Some(pair) = scratch.only_pair() {
                    all.push(Merge { pair, rank, id });
                    continue;
                }
            }
            all.extend(splits(vocab, token).map(|pair| Merge { pair, rank, id }));
        }
        all[known..].iter().for_each(|&merge| pairs.insert(merge));
    }
    (pairs, all)
}

/// Fills `ids` with the entries of a token's characters; returns false unless all exist, and are two or more.
fn characters(vocab: &Vocab, token: &str, ids: &mut Vec<u32>) -> bool {
    ids.clear();
    let mut buffer = [0; 4];
    ids.extend(token.chars().map_while(|c| vocab.id(c.encode_utf8(&mut buffer))));
    ids.len() > 1 && ids.len() == token.chars().count()
}

/// Returns all pairs of entries whose concatenation is a token.
fn splits<'a>(vocab: &'a Vocab, token: &'a str) -> impl Iterator<Item = (u32, u32)> + 'a {
    let borders = token.char_indices().map(|(at, _)| at).skip(1);
    borders.filter_map(|at| Some((vocab.id(&token[..at])?, vocab.id(&token[at..])?)))
}
