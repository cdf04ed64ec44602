//! Infers merges from ranks.
//!
//! If any two adjacent entries merge whose concatenation is an entry, the merges within the bytes of an entry do not
//! depend on their context, until something merges across its ends, after which the entry never arises. So only the
//! last pair of an entry's own encoding ever produces it, and the table needs only that pair. That encoding needs lower
//! ranks alone: while one of these merges, no higher rank does. If they end with more than two parts, or ranks are
//! equal, all pairs that produce the entry are kept. Cost: that of encoding every entry once.

use super::NO_RANK;
use super::merging::Merging;
use super::pairs::{Merge, Pairs};
use crate::vocab::Vocab;

/// Returns the merges inferred from ranks, in their order.
pub(super) fn merges(vocab: &Vocab, ranks: &[u32]) -> Vec<Merge> {
    infer(vocab, ranks).1
}

/// Returns the table of the merges inferred from ranks, with allowed results alone.
pub(super) fn pairs(vocab: &Vocab, ranks: &[u32], allowed: impl Fn(u32) -> bool) -> Pairs {
    let ranks: Vec<u32> = (0..).zip(ranks).map(|(id, &rank)| if allowed(id) { rank } else { NO_RANK }).collect();
    infer(vocab, &ranks).0
}

fn infer(vocab: &Vocab, ranks: &[u32]) -> (Pairs, Vec<Merge>) {
    let mut ranked: Vec<(u32, u32)> =
        (0..).zip(ranks).filter(|&(_, &rank)| rank != NO_RANK).map(|(id, &rank)| (rank, id)).collect();
    ranked.sort_unstable();
    let mut pairs = Pairs::with_capacity(ranked.len());
    let mut all = Vec::with_capacity(ranked.len());
    let (mut merging, mut ids) = (Merging::default(), Vec::new());
    for equal in ranked.chunk_by(|one, other| one.0 == other.0) {
        let known = all.len();
        for &(rank, id) in equal {
            let token = vocab.token(id).unwrap_or_default();
            if characters(vocab, token, &mut ids) && equal.len() == 1 {
                merging.fill(ids.iter().copied());
                merging.merge(&pairs);
                if let Some(pair) = merging.only_pair() {
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
