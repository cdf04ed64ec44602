//! Sorts the suffixes of all segments, as far as pieces reach (U11 to U13 of `spec/unigram.md`).
//!
//! Suffixes are grouped by their first character. Groups are independent, so several threads sort them. Within a group each
//! suffix has a key of 96 bits with its next characters, and suffixes with equal keys are sorted by the characters after
//! these: a multikey quicksort (Bentley and Sedgewick 1997), many characters at a time. A group of very many suffixes is
//! first divided by one more character.
//!
//! Suffixes that agree as far as pieces reach, or up to the end of their segments, are equal, and stay in the order of the
//! text. The cost is that of sorting numbers, once for every few characters of the longest piece.

use std::ops::Range;

use super::segments::Corpus;
use crate::error::Result;
use crate::learn::TaskQueue;
use crate::memory::{Growable, filled, lengthen, prefetch_at};

/// The number of characters or suffixes that are read between two questions whether to continue.
const CHUNK: usize = 1 << 16;
/// The number of suffixes from which on a group is divided before it is sorted.
const LARGE: usize = if cfg!(debug_assertions) { 1 << 4 } else { 1 << 18 };
/// The number of suffixes between the one that is read and the one that is prefetched.
const AHEAD: usize = 16;
/// The bits of a key; those below are the position of the suffix.
const KEY_BITS: u32 = u128::BITS - u32::BITS;

/// The suffixes of all segments, grouped by their first character.
pub(super) struct Suffixes {
    /// The positions of the suffixes in the text.
    pub(super) places: Vec<u32>,
    /// The first suffix of each character of the alphabet, and the number of all.
    pub(super) starts: Vec<usize>,
}

impl Suffixes {
    /// Finds the suffixes, in the order of the text within each group.
    pub(super) fn new(corpus: &Corpus, mut report: impl FnMut() -> Result<()>) -> Result<Self> {
        let mut starts = vec![0; corpus.alphabet.len() + 2];
        for chunk in corpus.text.chunks(CHUNK) {
            report()?;
            chunk.iter().for_each(|&symbol| starts[symbol as usize + 1] += 1);
        }
        starts.truncate(corpus.alphabet.len() + 1);
        for symbol in 1..starts.len() {
            starts[symbol] += starts[symbol - 1];
        }
        let mut next = starts.clone();
        let mut places = filled(0, starts[corpus.alphabet.len()]);
        let mut place = 0;
        for chunk in corpus.text.chunks(CHUNK) {
            report()?;
            for &symbol in chunk {
                if symbol != corpus.end() {
                    places[next[symbol as usize]] = place;
                    next[symbol as usize] += 1;
                }
                place += 1;
            }
        }
        Ok(Self { places, starts })
    }
}

/// The working memory of a thread that sorts groups.
pub(super) struct Sorter<'a> {
    corpus: &'a Corpus,
    /// The number of characters by which suffixes are sorted.
    limit: usize,
    /// The bits of a character in a key, and the number of characters of a key.
    bits: u32,
    in_key: usize,
    keys: Vec<u128>,
    /// The ranges of suffixes that are yet to be sorted, and the number of characters that those of a range share.
    unsorted: Vec<(Range<usize>, usize)>,
    /// The suffixes of a range before it is divided.
    before: Vec<u32>,
    /// For each suffix the length of its common prefix with the suffix before, up to the limit.
    pub(super) common: Vec<u32>,
}

impl<'a> Sorter<'a> {
    /// Returns a sorter by the first `limit` characters.
    pub(super) fn new(corpus: &'a Corpus, limit: usize) -> Self {
        let bits = (u32::BITS - corpus.end().leading_zeros()).max(1);
        let in_key = (KEY_BITS / bits) as usize;
        let (keys, unsorted, before, common) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { corpus, limit, bits, in_key, keys, unsorted, before, common }
    }

    /// Sorts suffixes that share their first character; stops early if the training ends.
    pub(super) fn sort(&mut self, places: &mut [u32], queue: &mut TaskQueue<'_>) {
        self.common.clear();
        lengthen(&mut self.common, places.len(), 0);
        self.unsorted.clear();
        self.unsorted.push((0..places.len(), 1));
        while let Some((range, shared)) = self.unsorted.pop() {
            if !queue.continues_after(range.len()) {
                return;
            }
            let part = &mut places[range.clone()];
            if shared >= self.limit {
                self.common[range].iter_mut().skip(1).for_each(|common| *common = to_u32(self.limit));
            } else if part.len() < LARGE {
                self.sort_by_keys(part, range.start, shared);
            } else {
                self.divide(part, range.start, shared, queue);
            }
        }
    }

    /// Sorts suffixes by the characters after those that they share; `first` is the index of the first suffix.
    fn sort_by_keys(&mut self, places: &mut [u32], first: usize, shared: usize) {
        let length = self.in_key.min(self.limit - shared);
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        keys.make_room(places.len());
        let ahead = places.iter().skip(AHEAD).map(Some).chain(std::iter::repeat(None));
        keys.extend(places.iter().zip(ahead).map(|(&place, ahead)| {
            if let Some(&ahead) = ahead {
                prefetch_at(&self.corpus.text, ahead as usize + shared);
            }
            self.key(place as usize + shared, length) << u32::BITS | u128::from(place)
        }));
        keys.sort_unstable();
        places.iter_mut().zip(&keys).for_each(|(place, &key)| *place = to_place(key));
        let mut start = 0;
        for next in 1..=keys.len() {
            let difference = keys.get(next).map(|key| (key ^ keys[next - 1]) >> u32::BITS);
            if difference == Some(0) {
                continue;
            }
            if next - start > 1 {
                self.sort_equal(places[start], first + start..first + next, shared, length);
            }
            if let Some(difference) = difference {
                let equal = (difference.leading_zeros() - u32::BITS) / self.bits;
                self.common[first + next] = to_u32(shared + equal as usize);
            }
            start = next;
        }
        self.keys = keys;
    }

    /// Handles suffixes whose next `length` characters are equal, or all of them up to the end of the segment.
    fn sort_equal(&mut self, place: u32, range: Range<usize>, shared: usize, length: usize) {
        let next = &self.corpus.text[place as usize + shared..];
        match next.iter().take(length).position(|&symbol| symbol == self.corpus.end()) {
            Some(rest) => self.common[range.start + 1..range.end].fill(to_u32(shared + rest)),
            None => self.unsorted.push((range, shared + length)),
        }
    }

    /// Returns the characters from a position on, at most `length`, the first in the highest bits; none after the end of the
    /// segment.
    fn key(&self, place: usize, length: usize) -> u128 {
        let (mut key, mut shift) = (0, KEY_BITS);
        for &symbol in self.corpus.text[place..].iter().take(length) {
            shift -= self.bits;
            key |= u128::from(symbol) << shift;
            if symbol == self.corpus.end() {
                break;
            }
        }
        key
    }

    /// Divides many suffixes by the character after those that all of them share.
    fn divide(&mut self, places: &mut [u32], first: usize, shared: usize, queue: &mut TaskQueue<'_>) {
        let (text, end) = (&self.corpus.text, self.corpus.end());
        let shared = shared + self.shared_by_all(places, shared, queue);
        if shared >= self.limit {
            self.unsorted.push((first..first + places.len(), shared));
            return;
        }
        self.before.clear();
        self.before.make_room(places.len());
        self.before.extend_from_slice(places);
        let symbol_of = |place: u32| text[place as usize + shared] as usize;
        let mut starts = vec![0; end as usize + 2];
        for chunk in self.before.chunks(CHUNK) {
            if !queue.continues_after(chunk.len()) {
                return;
            }
            chunk.iter().for_each(|&place| starts[symbol_of(place) + 1] += 1);
        }
        for symbol in 1..starts.len() {
            starts[symbol] += starts[symbol - 1];
        }
        let mut next = starts.clone();
        for chunk in self.before.chunks(CHUNK) {
            if !queue.continues_after(chunk.len()) {
                return;
            }
            for &place in chunk {
                let at = &mut next[symbol_of(place)];
                places[*at] = place;
                *at += 1;
            }
        }
        for (symbol, bounds) in starts.windows(2).enumerate().filter(|(_, bounds)| bounds[0] < bounds[1]) {
            let range = first + bounds[0]..first + bounds[1];
            if bounds[0] > 0 {
                self.common[range.start] = to_u32(shared);
            }
            if symbol == end as usize {
                self.common[range.start + 1..range.end].fill(to_u32(shared));
            } else if range.len() > 1 {
                self.unsorted.push((range, shared + 1));
            }
        }
    }

    /// Returns the number of further characters that all suffixes share, up to the limit or the end of a segment.
    fn shared_by_all(&self, places: &[u32], shared: usize, queue: &mut TaskQueue<'_>) -> usize {
        let (text, end) = (&self.corpus.text, self.corpus.end());
        let model = &text[places[0] as usize + shared..];
        let mut all = model.iter().take(self.limit - shared).take_while(|&&symbol| symbol != end).count();
        for &place in places {
            if all == 0 || !queue.continues_after(all + 1) {
                break;
            }
            let next = &text[place as usize + shared..];
            all = model[..all].iter().zip(next).take_while(|(one, other)| one == other).count();
        }
        all
    }
}

/// Returns the position of the suffix of a key.
#[allow(clippy::cast_possible_truncation, reason = "the lower bits are the position")]
fn to_place(key: u128) -> u32 {
    key as u32
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).expect("the text is shorter than 2^32")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Result;
    use crate::learn::Threads;
    use crate::model::unigram::train::UnigramTrainerConfig;

    fn corpus(words: &[String]) -> Corpus {
        let words: Vec<_> = words.iter().map(|word| (word.as_str(), 1)).collect();
        let config = UnigramTrainerConfig { character_coverage: 1.0, ..UnigramTrainerConfig::default() };
        Corpus::new(&(&words).into(), &[], &config, &mut |_| std::ops::ControlFlow::Continue(())).unwrap()
    }

    /// Sorts all groups; checks their order and common prefixes, and that equal suffixes are in the order of the text.
    fn check(corpus: &Corpus, limit: usize) {
        let visible = |place: u32| {
            let rest = &corpus.text[place as usize..];
            let length = rest.iter().position(|&symbol| symbol == corpus.end()).unwrap().min(limit);
            // The end of a segment is greater than all characters.
            rest[..(length + 1).min(limit)].to_vec()
        };
        let mut suffixes = Suffixes::new(corpus, || Result::Ok(())).unwrap();
        let mut all: Vec<u32> = suffixes.places.clone();
        all.sort_by_key(|&place| (visible(place), place));
        let places = std::sync::Mutex::new(&mut suffixes.places);
        Threads::SINGLE
            .run_tasks(1, &mut |_| Ok(()), &|queue| {
                let mut sorter = Sorter::new(corpus, limit);
                for bounds in suffixes.starts.windows(2) {
                    let places = &mut places.lock().unwrap()[bounds[0]..bounds[1]];
                    sorter.sort(places, queue);
                    for (number, pair) in places.windows(2).enumerate() {
                        let [one, other] = [visible(pair[0]), visible(pair[1])];
                        let equal = one.iter().zip(&other).take_while(|(one, other)| one == other);
                        let common = equal.filter(|&(&symbol, _)| symbol != corpus.end()).count();
                        assert_eq!(sorter.common[number + 1] as usize, common);
                    }
                }
            })
            .unwrap();
        assert_eq!(suffixes.places, all, "by {limit} characters");
    }

    #[test]
    fn suffixes_are_sorted_as_far_as_asked() {
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for letters in [1, 2, 3, 40, 3000] {
            let letter = |number: u64| char::from_u32(0x4e00 + u32::try_from(number).unwrap()).unwrap();
            let mut words: Vec<String> =
                (0..60).map(|_| (0..=random(12)).map(|_| letter(random(letters))).collect()).collect();
            words.push("ab".repeat(40));
            words.push("\u{4e00}".repeat(50));
            words.push("\u{4e00}".repeat(51) + "b");
            let corpus = corpus(&words);
            for limit in [1, 2, 5, 16, 100] {
                check(&corpus, limit);
            }
        }
    }
}
