//! Finds the seed pieces, by a suffix array (U11 to U13 of `spec/unigram.md`).
//!
//! Sorted suffixes with a common prefix are adjacent, and strings that occur at the same positions form an edge of the
//! suffix tree. A traversal of the sorted suffixes visits each edge once. The weight of an edge's strings is a
//! difference of two running sums; whether one character precedes all of their occurrences follows from the last suffix
//! where that character changed.
//!
//! `libsais` sorts the suffixes, in linear time for every text and size of the alphabet. It is C, as Oniguruma is, so
//! wheels need no other compiler. One pass over the sorted suffixes needs no tree in memory.

use std::cmp::Reverse;

use libsais::SuffixArrayConstruction;

use super::UnigramTrainerConfig;
use super::allowed::{Rules, Shape};
use super::segments::{Corpus, Symbol};
use crate::error::Result;
use crate::learn::{ProgressCallback, Stage, report};

/// The number of suffixes processed between two calls of the progress callback.
const CHUNK: usize = 1 << 16;

/// A seed piece.
pub(super) struct Seed {
    weight: u64,
    /// The position of an occurrence in the text.
    place: u32,
    pub(super) length: u32,
}

impl Seed {
    pub(super) fn value(&self) -> u128 {
        value(self.weight, self.length)
    }

    pub(super) fn text<'c>(&self, corpus: &'c Corpus) -> &'c [Symbol] {
        &corpus.text[self.place as usize..][..self.length as usize]
    }
}

fn value(weight: u64, length: u32) -> u128 {
    u128::from(weight) * u128::from(length)
}

/// A string that may become a seed.
struct Candidate {
    weight: u64,
    /// The rank of the first suffix that begins with it.
    rank: u32,
    length: u32,
}

/// Returns the strings of the largest values, in the order of their bytes.
pub(super) fn seeds(
    corpus: &Corpus,
    config: &UnigramTrainerConfig,
    callback: ProgressCallback<'_>,
) -> Result<Vec<Seed>> {
    report(callback, Stage::Seeding, 0, 0)?;
    let suffixes = suffixes(corpus);
    report(callback, Stage::Seeding, 0, suffixes.len())?;
    let permuted_lcp = permuted_lcp(corpus, &suffixes, config.max_piece_length);
    let mut walk = Walk::new(corpus, config, &suffixes, permuted_lcp);
    for rank in 0..suffixes.len() {
        if rank % CHUNK == 0 {
            report(callback, Stage::Seeding, rank, suffixes.len())?;
        }
        walk.step(rank);
    }
    let found = largest(walk.found, config.seed_size);
    let seed = |Candidate { weight, rank, length }| Seed { weight, place: suffixes[rank as usize], length };
    Ok(found.into_iter().map(seed).collect())
}

/// Returns the `most` candidates of the largest values; of equal ones, those that come first.
fn largest(mut found: Vec<Candidate>, most: usize) -> Vec<Candidate> {
    if most > 0 && found.len() > most {
        let order = |found: &Candidate| (Reverse(value(found.weight, found.length)), found.rank, found.length);
        found.select_nth_unstable_by_key(most - 1, order);
    }
    found.truncate(most);
    found.shrink_to_fit();
    found.sort_unstable_by_key(|found| (found.rank, found.length));
    found
}

/// Returns the positions of the suffixes of all segments, in the order of the suffixes.
fn suffixes(corpus: &Corpus) -> Vec<u32> {
    let signed = |symbol: Symbol| i32::try_from(symbol).expect("symbols are fewer than 2^31");
    let mut text: Vec<i32> = corpus.text.iter().copied().map(signed).collect();
    let construction = SuffixArrayConstruction::for_text_mut(&mut text).in_owned_buffer32().single_threaded();
    let sorted = construction.run().expect("the text is shorter than 2^31").into_vec();
    // The empty suffixes are last: the end of a segment is greater than all characters.
    let suffixes = sorted.len() - corpus.len();
    sorted.into_iter().take(suffixes).map(i32::unsigned_abs).collect()
}

/// Returns the permuted LCP array, with lengths up to `limit`.
///
/// It stores for each position the length of the common prefix with the preceding suffix in sorted order.
///
/// Source: Kärkkäinen, Manzini and Puglisi 2009, *Permuted longest-common-prefix array*. The length is at least that of
/// the position before, less one, so all are computed in linear time.
fn permuted_lcp(corpus: &Corpus, suffixes: &[u32], limit: usize) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let text = &corpus.text;
    let mut permuted_lcp = vec![NONE; text.len()];
    for pair in suffixes.windows(2) {
        permuted_lcp[pair[1] as usize] = pair[0];
    }
    let mut length: usize = 0;
    for place in 0..text.len() {
        let before = permuted_lcp[place] as usize;
        length = length.saturating_sub(1);
        if permuted_lcp[place] == NONE {
            length = 0;
        } else {
            let is_alike = |at: usize| text[place + at] == text[before + at] && text[place + at] != corpus.end();
            while length < limit && is_alike(length) {
                length += 1;
            }
        }
        permuted_lcp[place] = u32::try_from(length).expect("the text is shorter than 2^31");
    }
    permuted_lcp
}

/// An open LCP interval (a node of the suffix tree): a range of sorted suffixes with a common prefix.
#[derive(Clone, Copy)]
struct Open {
    depth: usize,
    /// The first of them, and the weight of all suffixes before it.
    first: usize,
    before: u64,
}

struct Walk<'a> {
    corpus: &'a Corpus,
    rules: Rules<'a>,
    suffixes: &'a [u32],
    permuted_lcp: Vec<u32>,
    /// The segment of each position.
    segments: Vec<u32>,
    /// The largest number of characters of a candidate.
    longest: usize,
    /// The smallest weight of a candidate.
    least: u64,
    /// The open nodes, from the shallowest to the deepest.
    open: Vec<Open>,
    /// The weight of all suffixes so far.
    weight: u64,
    /// The rank of the last suffix whose preceding character differs from that of the preceding suffix.
    changed: usize,
    found: Vec<Candidate>,
}

impl<'a> Walk<'a> {
    fn new(corpus: &'a Corpus, config: &'a UnigramTrainerConfig, suffixes: &'a [u32], permuted_lcp: Vec<u32>) -> Self {
        let mut segments = vec![0; corpus.text.len()];
        for (number, segment) in (0..).zip(0..corpus.len()) {
            segments[corpus.range(segment)].fill(number);
        }
        Self {
            corpus,
            rules: Rules::new(config, corpus),
            suffixes,
            permuted_lcp,
            segments,
            longest: config.max_piece_length,
            least: config.min_frequency.max(2),
            open: Vec::new(),
            weight: 0,
            changed: 0,
            found: Vec::new(),
        }
    }

    fn step(&mut self, rank: usize) {
        let place = self.suffixes[rank] as usize;
        if rank > 0 && self.character_before(rank) != self.character_before(rank - 1) {
            self.changed = rank;
        }
        let segment = self.segments[place] as usize;
        let rest = self.corpus.range(segment).end - place;
        self.open_to(Open { depth: rest.min(self.longest), first: rank, before: self.weight });
        self.weight += self.corpus.counts[segment];
        self.close_to(self.suffixes.get(rank + 1).map_or(0, |&next| self.permuted_lcp[next as usize] as usize));
    }

    fn character_before(&self, rank: usize) -> Option<Symbol> {
        let place = (self.suffixes[rank] as usize).checked_sub(1)?;
        Some(self.corpus.text[place]).filter(|&symbol| symbol != self.corpus.end())
    }

    fn depth(&self) -> usize {
        self.open.last().map_or(0, |open| open.depth)
    }

    fn open_to(&mut self, open: Open) {
        if open.depth > self.depth() {
            self.open.push(open);
        }
    }

    /// Closes all nodes that are deeper.
    fn close_to(&mut self, depth: usize) {
        while let Some(node) = self.open.pop_if(|open| open.depth > depth) {
            let above = depth.max(self.depth());
            self.edge(&node, above);
            self.open_to(Open { depth: above, ..node });
        }
    }

    /// Finds candidates among the prefixes of a node that are longer than `above`: all occur at the same positions.
    fn edge(&mut self, node: &Open, above: usize) {
        let weight = self.weight - node.before;
        if weight < self.least || node.depth < 2 {
            return;
        }
        let place = self.suffixes[node.first] as usize;
        let before = if self.changed <= node.first { self.character_before(node.first) } else { None };
        let mut shape = Shape::EMPTY;
        let mut with_before = before.map(|symbol| self.rules.longer(shape, symbol));
        let mut candidate = None;
        for length in 1..=node.depth {
            let text = &self.corpus.text[..place + length];
            shape = self.rules.longer(shape, text[place + length - 1]);
            with_before = with_before.map(|shape| self.rules.longer(shape, text[place + length - 1]));
            if shape.is_barred() {
                break;
            }
            if length < 2 || length <= above {
                continue;
            }
            if self.rules.allow(&shape, &text[place..]) {
                let within = with_before.is_some_and(|shape| self.rules.allow(&shape, &text[place - 1..]));
                candidate = (!within).then_some(length);
            } else {
                self.take(candidate.take(), node.first, weight);
            }
        }
        self.take(candidate, node.first, weight);
    }

    fn take(&mut self, length: Option<usize>, first: usize, weight: u64) {
        let fits = |number: usize| u32::try_from(number).expect("the text is shorter than 2^31");
        self.found.extend(length.map(|length| Candidate { weight, rank: fits(first), length: fits(length) }));
    }
}
