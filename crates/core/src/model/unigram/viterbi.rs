//! Viterbi's algorithm: finds the most probable path through the pieces of a word.
//!
//! Positions are visited from left to right. Each stores the piece that reaches it with the best sum; of equal sums,
//! the first, which is that of the longest piece. The cost is linear in the pieces that occur at all positions. Sums are
//! stored for the letters of a window, which moves along the word; of the letters before it, only the best pieces are
//! stored, in 8 bytes per byte of the word.
//!
//! Source: Viterbi 1967, *Error bounds for convolutional codes*.

use super::letters::Letter;
use super::rounding_margin::TwoBest;
use super::tables::Tables;
use crate::lattice::{Edge, UNKNOWN, add_scores};
use crate::memory::{MAX_KEPT_CAPACITY, lengthen};
use crate::model::long_pieces::LongStarts;
use crate::numbers::floats::to_single;
use crate::stop::Work;

/// The number of bytes that are read at once, at least.
const BLOCK: usize = 2048;
/// The largest number of bytes of a word whose rounding margin is computed; that of a longer one is hardly ever enough.
const LONGEST_WITH_MARGIN: usize = 2048;

/// The limit below which SentencePiece resets its 32-bit sums to 0, to keep precision.
///
/// It also resets sums above the limit's absolute value.
pub(super) const RESET_BELOW: f64 = -100_000.0;

/// A piece of a path: one of its ends, and its id; in one integer, which is stored and loaded at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Link(u64);

impl Link {
    /// The link of a position that no path reaches.
    pub(super) const NOWHERE: Self = Self(u64::MAX);

    #[inline]
    pub(super) fn new(to: u32, id: u32) -> Self {
        Self(u64::from(to) << 32 | u64::from(id))
    }

    #[inline]
    pub(super) fn to(self) -> usize {
        (self.0 >> 32) as usize
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
    pub(super) fn id(self) -> u32 {
        self.0 as u32
    }
}

/// The best path of a word.
///
/// During a search, each byte at which a letter begins has the link to the start of the best piece that ends there. Then
/// the pieces of the path are stored one after the other at the end, with their ends.
#[derive(Debug, Default)]
pub(super) struct Path {
    links: Vec<Link>,
    /// The index of the path's first piece, and of the link after the last one.
    first: usize,
    end: usize,
}

impl Path {
    /// Removes all pieces, for a word of `size` bytes.
    pub(super) fn clear(&mut self, size: usize) {
        (self.first, self.end) = (size + 1, size + 1);
        lengthen(&mut self.links, self.end, Link::default());
    }

    /// Adds a piece before the others, by its end.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "no word is longer than 2^32 bytes")]
    pub(super) fn prepend(&mut self, end: usize, id: u32) {
        self.first -= 1;
        self.links[self.first] = Link::new(end as u32, id);
    }

    /// Follows the links from the last piece, which ends at byte `end`, to the start of the word.
    fn follow(&mut self, mut end: usize, mut last: Link) {
        let mut work = Work::default();
        while end > 0 {
            work.add(1);
            // This link is before those of the path, because no piece is empty.
            let before = self.links[last.to()];
            self.prepend(end, last.id());
            (end, last) = (last.to(), before);
        }
    }

    /// Frees the memory of the pieces if it is large. Their number stays known, but they cannot be read again.
    pub(super) fn trim(&mut self) {
        if self.links.capacity() > MAX_KEPT_CAPACITY {
            self.links = Vec::new();
        }
    }

    /// Returns the number of pieces.
    fn len(&self) -> usize {
        self.end - self.first
    }

    /// Returns the pieces in order.
    pub(super) fn edges(&self) -> impl Iterator<Item = Edge> {
        let mut start = 0;
        self.links[self.first..self.end].iter().map(move |link| {
            let end = link.to();
            Edge { start: std::mem::replace(&mut start, end), end, id: link.id() }
        })
    }
}

/// The best sum at a letter of the word, and its last piece.
#[derive(Debug, Clone, Copy)]
struct Place {
    score: f64,
    last: Link,
}

/// The working memory of the search, and the running score between words.
#[derive(Debug, Default)]
pub struct ViterbiScratch {
    /// The running score before the next word, in 32 bits; reset after it.
    pub(super) before: f64,
    /// The running score after the last word.
    pub(super) after: f64,
    /// The letters of the window, with their best sums.
    letters: Vec<Letter>,
    places: Vec<Place>,
    margins: Vec<TwoBest>,
    long: LongStarts,
    pub(super) path: Path,
}

impl ViterbiScratch {
    /// Returns the largest capacity of a buffer.
    pub(crate) fn capacity(&self) -> usize {
        self.path.links.capacity().max(self.letters.capacity())
    }

    /// Finds the best path, by sums that continue the running score; `None` if no path leads to the end.
    pub(super) fn search(&mut self, tables: &Tables, word: &str) -> Option<()> {
        self.search_in_blocks(tables, word, BLOCK)
    }

    /// Finds the best path; reads at least `block` bytes at once.
    fn search_in_blocks(&mut self, tables: &Tables, word: &str, block: usize) -> Option<()> {
        self.path.clear(word.len());
        self.letters.clear();
        self.places.clear();
        self.places.push(Place { score: std::mem::take(&mut self.before), last: Link::new(0, UNKNOWN) });
        let longest = tables.letters.longest;
        self.long.clear();
        if let Some(pieces) = &tables.letters.long {
            pieces.starts(word, &mut self.long);
        }
        let visit = if tables.rounds_to_f32 { Self::visit::<true> } else { Self::visit::<false> };
        let (mut read, block) = (0, block.max(longest));
        let mut work = Work::default();
        loop {
            work.add(block);
            read = tables.letters.read(word, read, block, &mut self.letters);
            let is_complete = read == word.len();
            // No piece that begins at one of the visited letters extends beyond those that were read.
            let visited = self.letters.len().saturating_sub(if is_complete { 1 } else { longest });
            visit(self, visited, tables);
            if is_complete {
                break;
            }
            self.letters.drain(..visited);
            self.places.drain(..visited);
        }
        let (&Place { score, last }, end) = (self.places.last()?, self.letters.last()?);
        (last != Link::NOWHERE).then(|| self.path.follow(end.at as usize, last))?;
        self.after = score;
        Some(())
    }

    /// Computes the best sums at the letters that pieces lead to from the first `visited` letters of the window.
    fn visit<const ROUNDS: bool>(&mut self, visited: usize, tables: &Tables) {
        let Self { letters, places, path, long, .. } = self;
        places.resize(letters.len(), Place { score: 0.0, last: Link::NOWHERE });
        let links = &mut path.links[..];
        // The last letter that a piece leads to.
        let mut reached = places.iter().rposition(|place| place.last != Link::NOWHERE).unwrap_or_default();
        for start in 0..visited {
            let longest = long.pop_if(|(place, _)| *place == letters[start].at).map(|(_, longest)| longest);
            let (Place { score: mut here, last }, at) = (places[start], letters[start].at);
            if last == Link::NOWHERE {
                continue;
            }
            links[at as usize] = last;
            if ROUNDS && here.abs() > -RESET_BELOW {
                places[start..=reached].iter_mut().for_each(|place| place.score = to_single(place.score - here));
                here = 0.0;
            }
            let mut add = |length: usize, id, score| {
                let (place, sum) = (&mut places[start + length], add_scores(here, score, ROUNDS));
                reached = reached.max(start + length);
                if place.last == Link::NOWHERE || sum > place.score {
                    *place = Place { score: sum, last: Link::new(at, id) };
                }
            };
            tables.each(&letters[start..], &mut add);
            if let (Some(longest), Some(pieces)) = (longest, &tables.letters.long) {
                pieces.prefixes(longest).for_each(|(length, id)| add(length, id, tables.scores[id as usize]));
            }
        }
    }

    /// Finds the best path, and returns its valid-below exponent; `None` if no path leads to the end.
    ///
    /// Also `None` for long words, and for those with long pieces. See [`Tables::search_with_margin`].
    pub(super) fn search_cacheable(&mut self, tables: &Tables, word: &str) -> Option<u8> {
        if word.len() > LONGEST_WITH_MARGIN || tables.letters.long.as_ref().is_some_and(|long| long.may_be_in(word)) {
            return None;
        }
        self.letters.clear();
        tables.letters.read(word, 0, word.len(), &mut self.letters);
        tables.search_with_margin(&self.letters, &mut self.margins, &mut self.path)
    }

    /// Returns the number of scores that were added for the last word.
    pub(super) fn steps(&self) -> usize {
        self.path.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::unigram::letters::PieceTrie;

    /// Returns the best path by the definition: at each position the best piece that ends there, of equals the longest.
    fn by_definition(word: &str, pieces: &[(&str, u32)], scores: &[f64], unknown: Option<f64>) -> Option<Vec<Edge>> {
        let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        let mut best: Vec<Option<(f64, Vec<Edge>)>> = vec![Some((0.0, Vec::new()))];
        for (number, &end) in ends.iter().enumerate().skip(1) {
            let mut found: Option<(f64, Vec<Edge>)> = None;
            for (before, &start) in ends[..number].iter().enumerate() {
                let Some((sum, path)) = &best[before] else { continue };
                let id = pieces.iter().find(|(piece, _)| *piece == &word[start..end]).map(|&(_, id)| id);
                let unknown = unknown.filter(|_| before + 1 == number).map(|score| (UNKNOWN, score));
                let Some((id, score)) = id.map(|id| (id, scores[id as usize])).or(unknown) else { continue };
                if found.as_ref().is_none_or(|(best, _)| sum + score > *best) {
                    found = Some((sum + score, [&path[..], &[Edge { start, end, id }]].concat()));
                }
            }
            best.push(found);
        }
        best.pop()?.map(|(_, path)| path)
    }

    /// Returns the tables of pieces, whose scores have few digits.
    fn tables(pieces: &[(&str, u32)], scores: &[f64], unknown: Option<f64>, rounds_to_f32: bool) -> Tables {
        let (letters, scores) = (PieceTrie::new(pieces), scores.into());
        Tables { letters, scores, unknown, rounds_to_f32, largest: 0.0, bytes: [None; 256] }
    }

    #[test]
    fn windows_of_any_size_give_the_path_of_the_definition() {
        let mut state = 5_u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(state >> 33).unwrap() % limit
        };
        let (mut paths, mut dead_ends) = (0, 0);
        for trial in 0..3000 {
            let mut text = |longest: usize| -> String {
                (0..=below(longest)).map(|_| ['a', 'b', 'é', '中'][below(4)]).collect()
            };
            let mut texts: Vec<String> = (0..12).map(|number| text(if number < 8 { 3 } else { 12 })).collect();
            let word = [text(40), texts[11].clone(), text(3)].concat();
            texts.sort();
            texts.dedup();
            let pieces: Vec<(&str, u32)> = texts.iter().map(String::as_str).zip(0..).collect();
            // Few different scores, so that paths are equal; or large ones, so that 32-bit sums are reset.
            let unit = if trial % 2 == 0 { -1.0 } else { -30_000.0 };
            let scores: Vec<f64> = texts.iter().map(|_| unit * (1 + below(4)) as f64).collect();
            let unknown = Some(unit * 5.0).filter(|_| trial % 3 > 0);
            let wanted = by_definition(&word, &pieces, &scores, unknown);
            let mut scratch = ViterbiScratch::default();
            for rounds_to_f32 in [false, true] {
                let tables = tables(&pieces, &scores, unknown, rounds_to_f32);
                for block in [1, 2, 3, 7, 20, 1000] {
                    let found = scratch.search_in_blocks(&tables, &word, block);
                    let found = found.map(|()| scratch.path.edges().collect::<Vec<_>>());
                    assert_eq!(found, wanted, "{word:?} {pieces:?} {block}, in 32 bits: {rounds_to_f32}");
                }
            }
            *if wanted.is_some() { &mut paths } else { &mut dead_ends } += 1;
        }
        assert!(paths > 500 && dead_ends > 100, "{paths} {dead_ends}");
    }

    #[test]
    fn a_long_word_needs_eight_bytes_per_byte() {
        let tables = tables(&[("a", 0), ("aa", 1), ("aaa", 2)], &[-1.0, -1.5, -2.5], None, false);
        let (mut scratch, word) = (ViterbiScratch::default(), "a".repeat(1 << 20));
        scratch.search(&tables, &word).unwrap();
        assert_eq!(scratch.steps(), 1 << 19);
        assert!(scratch.letters.capacity().max(scratch.places.capacity()) <= 4 * BLOCK);
        assert!(scratch.path.links.capacity() <= word.len() + word.len() / 8);
    }
}
