//! From ranks to merges.
//!
//! Where any two neighbours merge whose concatenation is an entry, what happens within the bytes of an entry does not
//! depend on what stands around it, until something merges across its borders, after which it never arises. So of an entry
//! only the last pair of its own encoding ever makes it, and the table needs no more than that one. That encoding is known
//! when only lower ranks are: as long as one of these merges, no higher rank does. Where they leave off with more than two
//! parts, or ranks are equal, all pairs that make the entry are kept.

use super::NO_RANK;
use super::merging::Merging;
use super::pairs::{Merge, Pairs};
use crate::vocab::Vocab;

/// The merges that ranks come to, in their order.
pub(super) fn merges(vocab: &Vocab, ranks: &[u32]) -> Vec<Merge> {
    recover(vocab, ranks).1
}

/// The merges that ranks come to as a table, as far as their results are allowed.
pub(super) fn pairs(vocab: &Vocab, ranks: &[u32], allowed: impl Fn(u32) -> bool) -> Pairs {
    let ranks: Vec<u32> = (0..).zip(ranks).map(|(id, &rank)| if allowed(id) { rank } else { NO_RANK }).collect();
    recover(vocab, &ranks).0
}

fn recover(vocab: &Vocab, ranks: &[u32]) -> (Pairs, Vec<Merge>) {
    let mut ranked: Vec<(u32, u32)> =
        (0..).zip(ranks).filter(|&(_, &rank)| rank != NO_RANK).map(|(id, &rank)| (rank, id)).collect();
    ranked.sort_unstable();
    let mut pairs = Pairs::with_room(ranked.len());
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

/// The entries of the characters of a token; false unless all have one, and there are at least two.
fn characters(vocab: &Vocab, token: &str, ids: &mut Vec<u32>) -> bool {
    ids.clear();
    let mut buffer = [0; 4];
    ids.extend(token.chars().map_while(|c| vocab.id(c.encode_utf8(&mut buffer))));
    ids.len() > 1 && ids.len() == token.chars().count()
}

/// All pairs of entries that make a token.
fn splits<'a>(vocab: &'a Vocab, token: &'a str) -> impl Iterator<Item = (u32, u32)> + 'a {
    let borders = token.char_indices().map(|(at, _)| at).skip(1);
    borders.filter_map(|at| Some((vocab.id(&token[..at])?, vocab.id(&token[at..])?)))
}
