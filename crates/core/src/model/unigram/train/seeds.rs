//! Finds the seed pieces, by sorted suffixes (U11 to U13 of `spec/unigram.md`).
//!
//! Sorted suffixes with a common prefix are adjacent, and strings that occur at the same positions form an edge of the
//! suffix tree. A traversal of the sorted suffixes visits each edge once, and needs no tree in memory. The weight of an
//! edge's strings is a difference of two running sums; whether one character precedes all of their occurrences follows from
//! the last suffix where that character changed. No edge of two characters joins suffixes with different first characters,
//! so each group of suffixes is traversed on its own.

use std::cmp::Reverse;
use std::sync::{Mutex, PoisonError};

use super::UnigramTrainerConfig;
use super::allowed::{Rules, Shape};
use super::segments::{Corpus, Symbol};
use super::suffixes::{Sorter, Suffixes};
use crate::error::Result;
use crate::learn::{ProgressCallback, Stage, TaskQueue, Threads, report};
use crate::memory::{Growable, filled, prefetch_at};

/// The number of suffixes between the one that is read and one that is prefetched.
const AHEAD: usize = 8;

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
    threads: Threads<'_>,
    callback: ProgressCallback<'_>,
) -> Result<Vec<Seed>> {
    let Suffixes { mut places, starts } = Suffixes::new(corpus, || report(callback, Stage::Seeding, 0, 0))?;
    let segments = segments_of_places(corpus);
    let (found, total) = (Mutex::new(Vec::new()), places.len());
    let groups = largest_first(&mut places, &starts);
    let sizes: Vec<usize> = groups.iter().map(Group::len).collect();
    let mut progress = |begun: usize| report(callback, Stage::Seeding, sizes[..begun].iter().sum(), total);
    let groups: Vec<Mutex<Group<'_>>> = groups.into_iter().map(Mutex::new).collect();
    threads.run_tasks(groups.len(), &mut progress, &|queue| {
        let mut sorter = Sorter::new(corpus, config.max_piece_length);
        while let Some(group) = queue.next_task() {
            let mut group = groups[group].lock().expect("no thread panicked");
            sorter.sort(group.places, queue);
            let mut walk = Walk::new(corpus, config, &segments, group.places, &sorter.common);
            walk.run(group.first, queue);
            // A thread that finds no memory here ends the training when the others are done.
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.make_room(walk.found.len());
            found.append(&mut walk.found);
            if found.len() / 2 > config.seed_size {
                keep_largest(&mut found, config.seed_size);
            }
        }
    })?;
    drop(groups);
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    keep_largest(&mut found, config.seed_size);
    found.shrink_to_fit();
    found.sort_unstable_by_key(|found| (found.rank, found.length));
    let seed = |Candidate { weight, rank, length }| Seed { weight, place: places[rank as usize], length };
    Ok(found.into_iter().map(seed).collect())
}

/// The suffixes with one first character.
struct Group<'a> {
    places: &'a mut [u32],
    /// The rank of the first of them.
    first: usize,
}

impl Group<'_> {
    fn len(&self) -> usize {
        self.places.len()
    }
}

/// Divides suffixes into groups; the largest are first, so that no thread begins one when the others are done.
fn largest_first<'a>(mut places: &'a mut [u32], starts: &[usize]) -> Vec<Group<'a>> {
    let mut groups = Vec::with_capacity(starts.len());
    for bounds in starts.windows(2).filter(|bounds| bounds[0] < bounds[1]) {
        let (group, rest) = places.split_at_mut(bounds[1] - bounds[0]);
        groups.push(Group { places: group, first: bounds[0] });
        places = rest;
    }
    groups.sort_by_key(|group| Reverse(group.len()));
    groups
}

/// Returns the segment of each position of the text.
fn segments_of_places(corpus: &Corpus) -> Vec<u32> {
    let mut segments = filled(0, corpus.text.len());
    for (number, segment) in (0..).zip(0..corpus.len()) {
        segments[corpus.range(segment)].fill(number);
    }
    segments
}

/// Keeps the `most` candidates of the largest values; of equal ones, those that come first.
fn keep_largest(found: &mut Vec<Candidate>, most: usize) {
    if most > 0 && found.len() > most {
        let order = |found: &Candidate| (Reverse(value(found.weight, found.length)), found.rank, found.length);
        found.select_nth_unstable_by_key(most - 1, order);
    }
    found.truncate(most);
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
    /// The segment of each position.
    segments: &'a [u32],
    /// The sorted suffixes, and the length of each one's common prefix with the one before.
    suffixes: &'a [u32],
    common: &'a [u32],
    /// The largest number of characters of a candidate.
    longest: usize,
    /// The smallest weight of a candidate.
    least: u64,
    /// The open nodes, from the shallowest to the deepest.
    open: Vec<Open>,
    /// The weight of all suffixes so far.
    weight: u64,
    /// The last suffix whose preceding character differs from that of the preceding suffix.
    changed: usize,
    found: Vec<Candidate>,
    /// The characters of nodes that were read since the last question whether to continue.
    work: usize,
}

impl<'a> Walk<'a> {
    fn new(
        corpus: &'a Corpus,
        config: &'a UnigramTrainerConfig,
        segments: &'a [u32],
        suffixes: &'a [u32],
        common: &'a [u32],
    ) -> Self {
        Self {
            corpus,
            rules: Rules::new(config, corpus),
            segments,
            suffixes,
            common,
            longest: config.max_piece_length,
            least: config.min_frequency.max(2),
            open: Vec::new(),
            weight: 0,
            changed: 0,
            found: Vec::new(),
            work: 0,
        }
    }

    /// Traverses the suffixes, of which `first` is the rank of the first; stops early if the training ends.
    fn run(&mut self, first: usize, queue: &mut TaskQueue<'_>) {
        for number in 0..self.suffixes.len() {
            if !queue.continues_after(1 + std::mem::take(&mut self.work)) {
                return;
            }
            self.prefetch(number);
            self.step(number);
        }
        let first = to_u32(first);
        self.found.iter_mut().for_each(|candidate| candidate.rank += first);
    }

    /// Prefetches what later steps read, which is at random places.
    fn prefetch(&self, number: usize) {
        if let Some(&place) = self.suffixes.get(number + 2 * AHEAD) {
            prefetch_at(self.segments, place as usize);
            prefetch_at(&self.corpus.text, (place as usize).saturating_sub(1));
        }
        if let Some(&place) = self.suffixes.get(number + AHEAD) {
            self.corpus.prefetch(self.segments[place as usize] as usize);
        }
    }

    fn step(&mut self, number: usize) {
        let place = self.suffixes[number] as usize;
        if number > 0 && self.character_before(number) != self.character_before(number - 1) {
            self.changed = number;
        }
        let segment = self.segments[place] as usize;
        let rest = self.corpus.range(segment).end - place;
        self.open_to(Open { depth: rest.min(self.longest), first: number, before: self.weight });
        self.weight += self.corpus.counts[segment];
        self.close_to(self.common.get(number + 1).map_or(0, |&common| common as usize));
    }

    fn character_before(&self, number: usize) -> Option<Symbol> {
        let place = (self.suffixes[number] as usize).checked_sub(1)?;
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
        self.work += node.depth;
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
        if let Some(length) = length {
            self.found.make_room(1);
            self.found.push(Candidate { weight, rank: to_u32(first), length: to_u32(length) });
        }
    }
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).expect("the text is shorter than 2^32")
}
