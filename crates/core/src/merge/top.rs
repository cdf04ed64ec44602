//! The best candidates in order, for the record of a training.
//!
//! The selection is that of the best pair (see [`super::queue`]) with a lower limit: the score of the last candidate
//! wanted. Pairs that it evaluates stay hot, which changes no result. It costs time linear in the candidates wanted and
//! in the pairs whose bounds exceed the limit, not in the number of pairs.

use super::Tick;
use super::groups::TieContext;
use super::queue::{Queue, counts};
use super::score::{PairCounts, ScoreValue};
use crate::error::Result;

/// A candidate among the best ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RankedPair {
    /// Its id.
    pub(crate) pair: u32,
    /// Its counts.
    pub(crate) counts: PairCounts,
    /// One more than the number of candidates with a greater score.
    pub(crate) rank: usize,
}

/// A group of the ranking: its score and the number of its pairs.
struct RankedGroup {
    value: ScoreValue,
    at: u32,
    live: usize,
}

/// The groups with the best scores, the best first.
struct Ranking {
    limit: usize,
    groups: Vec<RankedGroup>,
}

impl Ranking {
    /// Inserts a group, unless better ones have enough pairs.
    fn insert(&mut self, group: RankedGroup) {
        let place = self.groups.partition_point(|other| other.value >= group.value);
        self.groups.insert(place, group);
        let mut pairs = 0;
        let cut = self.groups.iter().position(|group| {
            pairs += group.live;
            pairs >= self.limit
        });
        let Some(last) = cut else {
            return;
        };
        // Groups that tie with the last one compete with it under the tie rule.
        let tied = self.groups[last..].partition_point(|group| group.value >= self.groups[last].value);
        self.groups.truncate(last + tied);
    }

    /// Returns a bound that every further member of the ranking reaches.
    fn least(&self) -> f64 {
        let pairs: usize = self.groups.iter().map(|group| group.live).sum();
        let last = self.groups.last().filter(|_| pairs >= self.limit);
        last.map_or(f64::NEG_INFINITY, |group| group.value.lower_bound())
    }
}

impl Queue {
    /// Returns the best candidates, at most `limit`, by score and tie rule.
    pub(crate) fn select_top(
        &mut self,
        limit: usize,
        context: &mut TieContext<'_>,
        tick: Tick<'_>,
    ) -> Result<Vec<RankedPair>> {
        let (mut ranking, mut seen) = (Ranking { limit, groups: Vec::new() }, Vec::new());
        while let Some((at, counts)) = self.next_group(ranking.least(), context, tick)? {
            seen.push((at, counts));
            let live = usize::try_from(self.groups.get(at).live).unwrap_or(usize::MAX);
            ranking.insert(RankedGroup { value: self.score.value(&counts), at, live });
        }
        self.push_groups(&seen);
        let mut found: Vec<RankedPair> = Vec::new();
        for tied in ranking.groups.chunk_by(|one, other| one.value == other.value) {
            let groups: Vec<u32> = tied.iter().map(|group| group.at).collect();
            let rank = found.len() + 1;
            for pair in self.groups.first_pairs(&groups, limit - found.len(), context) {
                found.push(RankedPair { pair, counts: counts(pair, context.symbols, context.pairs), rank });
            }
        }
        Ok(found)
    }
}
