//! Infers merges from ranks.
//!
//! With ranks, any two adjacent entries merge if their concatenation has a rank. The merges within the bytes of an
//! entry do not depend on their context until something merges across its ends, and then the entry is not produced. So
//! only the last pair of an entry's own encoding ever produces it, and the merge table needs only that pair.
//!
//! If the parts of each entry have lower ranks than the entry, and none is long, its last pair is found by [`last_merges`],
//! among the pairs at all its borders. Otherwise the entries are encoded in the order of their ranks. Merges of lower ranks
//! are sufficient for that: as long as one of them applies, no merge of a higher rank does. If this encoding does not end
//! with two parts, or if several entries have the same rank, all pairs that produce the entry are kept. The cost is linear
//! in the length of the entries, up to a factor of [`MAX_TESTED`], or that of encoding every entry once.

use super::NO_RANK;
use super::backtracking::Entry;
use super::halves::Halves;
use super::last_merges;
use super::merging::BpeScratch;
use super::pairs::{MergeTable, PairMerge};
use crate::text::single_character;
use crate::vocab::Vocab;

/// Returns the merges inferred from ranks, in their order.
pub(super) fn merges(vocab: &Vocab, ranks: &[u32]) -> Vec<PairMerge> {
    infer(vocab, ranks).1
}

/// Returns the table of the merges inferred from ranks that produce allowed entries.
pub(super) fn pairs(vocab: &Vocab, ranks: &[u32], allowed: impl Fn(u32) -> bool) -> MergeTable {
    let ranks: Vec<u32> = (0..).zip(ranks).map(|(id, &rank)| if allowed(id) { rank } else { NO_RANK }).collect();
    infer(vocab, &ranks).0
}

fn infer(vocab: &Vocab, ranks: &[u32]) -> (MergeTable, Vec<PairMerge>) {
    let mut ranked: Vec<(u32, u32)> =
        (0..).zip(ranks).filter(|&(_, &rank)| rank != NO_RANK).map(|(id, &rank)| (rank, id)).collect();
    ranked.sort_unstable();
    by_last_merges(vocab, &ranked).unwrap_or_else(|| by_merging(vocab, &ranked))
}

/// The largest number of bytes of an entry whose borders are all tested, each of which costs its length.
const MAX_TESTED: usize = 512;

/// Infers the merges of entries in the order of their lengths.
///
/// The result is `None` if that needs a merge that is not known yet, if entries have equal ranks, or if one is long.
fn by_last_merges(vocab: &Vocab, ranked: &[(u32, u32)]) -> Option<(MergeTable, Vec<PairMerge>)> {
    if ranked.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let token = |id| vocab.token(id).unwrap_or_default();
    if ranked.iter().any(|&(_, id)| token(id).len() > MAX_TESTED) {
        return None;
    }
    let mut by_length = ranked.to_vec();
    by_length.sort_by_cached_key(|&(_, id)| token(id).len());
    let characters = vocab.iter().filter(|(text, _)| single_character(text).is_some());
    let mut last = last_merges::of_characters(characters.map(|(_, id)| id), vocab.id_limit() as usize);
    let (mut pairs, mut all) = (MergeTable::with_capacity(ranked.len()), Vec::with_capacity(ranked.len()));
    let halves = Halves::new(vocab, "");
    for (rank, id) in by_length {
        let known = all.len();
        let merges = || halves.of(token(id)).map(|pair| PairMerge { pair, rank, id });
        if last[id as usize].is_absent() {
            match last_merges::find(&last, merges(), &pairs) {
                Entry::UNRESOLVED => return None,
                Entry::ABSENT => all.extend(merges()),
                found => {
                    all.push(PairMerge { pair: found.parts(), rank, id });
                    last[id as usize] = found;
                }
            }
        }
        all[known..].iter().for_each(|&merge| pairs.insert(merge));
    }
    all.sort_by_key(|merge| merge.rank);
    Some((pairs, all))
}

/// Infers the merges of entries by merging their texts in the order of their ranks.
fn by_merging(vocab: &Vocab, ranked: &[(u32, u32)]) -> (MergeTable, Vec<PairMerge>) {
    let mut pairs = MergeTable::with_capacity(ranked.len());
    let mut all = Vec::with_capacity(ranked.len());
    let (mut scratch, mut ids, halves) = (BpeScratch::default(), Vec::new(), Halves::new(vocab, ""));
    for equal in ranked.chunk_by(|one, other| one.0 == other.0) {
        let known = all.len();
        for &(rank, id) in equal {
            let token = vocab.token(id).unwrap_or_default();
            if characters(vocab, token, &mut ids) && equal.len() == 1 {
                scratch.fill(ids.iter().copied());
                scratch.merge(&pairs);
                if let Some(pair) = scratch.only_pair() {
                    all.push(PairMerge { pair, rank, id });
                    continue;
                }
            }
            all.extend(halves.of(token).map(|pair| PairMerge { pair, rank, id }));
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

#[cfg(test)]
pub(super) mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::bpe::encode::tests::Random;

    /// Returns a vocabulary of two or three characters and random entries, which may contain another one.
    pub(in super::super) fn random_vocab(random: &mut Random) -> Vocab {
        let characters = ["a", "b", "c", "é"].map(String::from);
        let mut tokens: BTreeSet<String> = characters[..2 + random.below(2)].iter().cloned().collect();
        for _ in 0..random.below(24) {
            let text = (0..2 + random.below(5)).map(|_| &*characters[random.below(3)]).collect();
            tokens.insert(text);
        }
        Vocab::from_tokens(tokens).unwrap()
    }

    #[test]
    fn merges_are_those_found_by_merging() {
        let (mut random, mut found) = (Random(7), 0);
        for trial in 0..3000 {
            let vocab = random_vocab(&mut random);
            let mut ids: Vec<u32> = (0..vocab.id_limit()).collect();
            if trial % 2 == 0 {
                ids.sort_by_key(|&id| vocab.token(id).unwrap().len());
            }
            for at in (1..ids.len()).rev() {
                if random.below(12) == 0 {
                    ids.swap(at, random.below(at + 1));
                }
            }
            let ranked: Vec<(u32, u32)> = (0..).zip(ids).collect();
            let Some((pairs, merges)) = by_last_merges(&vocab, &ranked) else { continue };
            let (wanted_pairs, wanted) = by_merging(&vocab, &ranked);
            assert_eq!(merges, wanted, "{ranked:?} {:?}", vocab.iter().collect::<Vec<_>>());
            let sorted = |pairs: &MergeTable| {
                let mut all: Vec<PairMerge> = pairs.iter().collect();
                all.sort_by_key(|merge| merge.pair);
                all
            };
            assert_eq!(sorted(&pairs), sorted(&wanted_pairs));
            found += merges.len();
        }
        assert!(found > 5000, "{found}");
    }
}
