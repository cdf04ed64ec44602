//! Selects the best candidates in order: the first is merged, the others are for the record of a training.
//!
//! Groups are evaluated until none that is left can reach the score of the last candidate wanted. Pairs that become hot
//! by that stay so, which changes no result. The cost is linear in the candidates wanted and in the pairs whose bounds
//! exceed the limit, not in the number of pairs.

use super::Tick;
use super::groups::TieContext;
use super::queue::{Queue, counts};
use super::score::{PairCounts, ScoreValue};
use crate::error::Result;

/// One of the best pairs to merge, with its rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BestPair {
    /// Its id.
    pub(crate) pair: u32,
    /// Its counts.
    pub(crate) counts: PairCounts,
    /// One more than the number of candidates with a greater score.
    pub(crate) rank: usize,
    /// The number of candidates with exactly this score.
    pub(crate) ties: u64,
}

/// A group among the best ones.
struct RankedGroup {
    value: ScoreValue,
    at: u32,
    /// The number of its pairs when it was found, which others may have joined since.
    live: u64,
}

/// Inserts a group in the order of scores, unless better ones have `limit` pairs.
fn insert(ranking: &mut Vec<RankedGroup>, group: RankedGroup, limit: usize) {
    let place = ranking.partition_point(|other| other.value >= group.value);
    ranking.insert(place, group);
    let mut pairs = 0;
    let last = ranking.iter().position(|group| {
        pairs += group.live;
        pairs >= limit as u64
    });
    if let Some(last) = last {
        // Groups that tie with the last one compete with it under the tie rule.
        let tied = ranking[last + 1..].partition_point(|group| group.value >= ranking[last].value);
        ranking.truncate(last + 1 + tied);
    }
}

/// Returns a bound that every further group of the ranking reaches.
fn least_bound(ranking: &[RankedGroup], limit: usize) -> f64 {
    let pairs: u64 = ranking.iter().map(|group| group.live).sum();
    let last = ranking.last().filter(|_| pairs >= limit as u64);
    last.map_or(f64::NEG_INFINITY, |group| group.value.lower_bound())
}

impl Queue {
    /// Returns the best candidates, at most `limit`, which is not 0, by score and tie rule.
    pub(crate) fn select(
        &mut self,
        limit: usize,
        context: &mut TieContext<'_>,
        tick: Tick<'_>,
    ) -> Result<Vec<BestPair>> {
        let (mut ranking, mut seen) = (Vec::new(), Vec::new());
        while let Some((at, counts)) = self.next_group(least_bound(&ranking, limit), context, tick)? {
            seen.push((at, counts));
            let group = RankedGroup { value: self.score.value(&counts), at, live: self.groups.get(at).live };
            insert(&mut ranking, group, limit);
        }
        seen.iter().for_each(|(at, counts)| self.push_group(*at, counts));
        let mut found: Vec<BestPair> = Vec::new();
        for tied in ranking.chunk_by(|one, other| one.value == other.value) {
            let groups: Vec<u32> = tied.iter().map(|group| group.at).collect();
            let (rank, ties) = (found.len() + 1, groups.iter().map(|&at| self.groups.get(at).live).sum());
            for pair in self.groups.first_pairs(&groups, limit - found.len(), context) {
                found.push(BestPair { pair, counts: counts(pair, context.symbols, context.pairs), rank, ties });
            }
        }
        Ok(found)
    }
}
