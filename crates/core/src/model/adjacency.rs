//! Adjacency: the pairs of adjacent characters in a text that a model may merge into one token.
//!
//! Even if a text is one word, no token spans most positions, because no entry contains the two characters as
//! neighbours. Such a position is a safe split point: the parts on its two sides can be encoded separately. A model
//! provides its adjacency by [`Model::text_adjacency`] or [`Model::space_adjacency`](super::Model::space_adjacency),
//! computed from the adjacent pairs in its entries.
//!
//! [`Model::text_adjacency`]: super::Model::text_adjacency

/// The first character of the range that is treated as unspaced scripts: Thai and everything after it.
///
/// Scripts with spaces, such as Hangul, are in it too: the entries decide where a text may be cut, not the script.
pub(crate) const FIRST_UNSPACED: char = '\u{E00}';

/// The adjacency of the bytes of a text in UTF-8.
#[derive(Debug, Clone)]
pub(crate) struct ByteAdjacency {
    /// One bit per pair of bytes: a row for the left byte, a bit in it for the right byte.
    joined: Box<[[u64; 4]; 256]>,
    /// The most frequent of the pairs of bytes that are not joined.
    pub(crate) separate: Box<[SeparateBytes; SEPARATE]>,
}

impl ByteAdjacency {
    /// Builds the table from the adjacent characters of entries; a space of the text is written as `space`.
    pub(super) fn new(pairs: impl Iterator<Item = (char, char)>, space: char) -> Self {
        // Each byte is in one pair at least.
        let (mut joined, mut counts) = (vec![[false; 256]; 256], [[1_u64; 256]; 2]);
        // A character of several bytes is not cut.
        joined[0x80..].iter_mut().for_each(|row| row[0x80..0xC0].fill(true));
        let bytes = |c: char, is_right: bool| -> [u8; 2] {
            let (mut buffer, length) = ([0; 4], c.len_utf8());
            c.encode_utf8(&mut buffer);
            let byte = buffer[if is_right { 0 } else { length - 1 }];
            // The character that replaces a space may also occur in the text itself.
            [byte, if c == space { b' ' } else { byte }]
        };
        // Internal iteration, which is faster because the pairs come from nested iterators.
        pairs.for_each(|(left, right)| {
            let (left, right) = (bytes(left, false), bytes(right, true));
            left.iter()
                .for_each(|&left| right.iter().for_each(|&right| joined[usize::from(left)][usize::from(right)] = true));
            left.iter().for_each(|&left| counts[0][usize::from(left)] += 1);
            right.iter().for_each(|&right| counts[1][usize::from(right)] += 1);
        });
        let bits = |left: usize, word: usize| {
            (0..64).fold(0, |bits, bit| bits | u64::from(joined[left][64 * word + bit]) << bit)
        };
        Self {
            joined: Box::new(std::array::from_fn(|left| std::array::from_fn(|word| bits(left, word)))),
            separate: Box::new(separate(&joined, counts)),
        }
    }

    /// Returns whether a token may span two adjacent bytes of a text; otherwise the text may be cut there.
    #[inline]
    pub(crate) fn joins(&self, left: u8, right: u8) -> bool {
        self.joined[usize::from(left)][usize::from(right / 64)] >> (right % 64) & 1 == 1
    }
}

/// Returns the sets of bytes that cover the most frequent pairs that are not joined, by a greedy search.
///
/// The frequency of a pair is estimated by the product of the logarithms of its bytes' counts as left and as right bytes:
/// punctuation is more frequent in texts than in entries.
fn separate(joined: &[[bool; 256]], counts: [[u64; 256]; 2]) -> [SeparateBytes; SEPARATE] {
    let [left_weights, right_weights] = counts.map(|counts| counts.map(|count| (2 * count).ilog2()));
    let row = |(joined, left): (&[bool; 256], u32)| {
        std::array::from_fn(|right| if joined[right] { 0 } else { left * right_weights[right] })
    };
    let mut gains: Vec<[u32; 256]> = joined.iter().zip(left_weights).map(row).collect();
    let mut bytes: [usize; 256] = std::array::from_fn(|byte| byte);
    bytes.sort_by_key(|&byte| std::cmp::Reverse(left_weights[byte]));
    std::array::from_fn(|_| {
        let mut firsts = bytes;
        firsts.sort_by_cached_key(|&byte| std::cmp::Reverse(gains[byte].iter().sum::<u32>()));
        let found = firsts[..FIRSTS].iter().map(|&first| grow(first, joined, &gains, &bytes));
        let Some((_, best)) = found.max_by_key(|(gain, _)| *gain) else { unreachable!("there are bytes") };
        for (row, _) in gains.iter_mut().zip(best.left).filter(|(_, is_in)| *is_in) {
            row.iter_mut().zip(best.right).filter(|(_, is_in)| *is_in).for_each(|(gain, _)| *gain = 0);
        }
        best
    })
}

/// Returns the sets of the largest gain that a greedy search finds, beginning with one left byte, and their gain.
///
/// Each pair of bytes has a gain, which is 0 for pairs of other sets; `bytes` are all bytes in the order of the search.
fn grow(first: usize, joined: &[[bool; 256]], gains: &[[u32; 256]], bytes: &[usize; 256]) -> (u32, SeparateBytes) {
    let (mut left, mut right) = ([false; 256], joined[first].map(|joined| !joined));
    let (mut columns, mut gain) = ([0; 256], 0);
    for &byte in [first].iter().chain(bytes) {
        let row = gains[byte].iter().zip(&columns).map(|(gain, column)| gain + column);
        let both = joined[byte].iter().zip(&right).map(|(joined, &right)| right && !joined);
        let larger = row.zip(both).map(|(gain, is_in)| if is_in { gain } else { 0 }).sum();
        if !left[byte] && larger >= gain {
            (left[byte], gain) = (true, larger);
            right.iter_mut().zip(&joined[byte]).for_each(|(right, joined)| *right &= !joined);
            columns.iter_mut().zip(&gains[byte]).for_each(|(column, gain)| *column += gain);
        }
    }
    (gain, SeparateBytes { left, right })
}

/// Two sets of bytes: no token spans a byte of the first set and a byte of the second set after it.
#[derive(Debug, Clone)]
pub(crate) struct SeparateBytes {
    pub(crate) left: [bool; 256],
    pub(crate) right: [bool; 256],
}

/// The number of pairs of sets that stand for all pairs of bytes that no token spans.
pub(crate) const SEPARATE: usize = 4;

/// The number of left bytes with which the search for separate bytes begins.
const FIRSTS: usize = 16;

/// The adjacency of characters, as a Bloom filter with one hash: it may have false positives.
#[derive(Debug, Clone)]
pub(crate) struct CharacterAdjacency {
    /// The bits of the filter.
    joined: Box<[u64]>,
}

impl CharacterAdjacency {
    /// Builds the table from the adjacent characters of entries, which are iterated twice.
    pub(super) fn new<I: Iterator<Item = (char, char)>>(pairs: impl Fn() -> I) -> Self {
        let size = (pairs().count() / 4).next_power_of_two();
        let mut adjacency = Self { joined: vec![0; size].into() };
        pairs().for_each(|(left, right)| {
            let (word, bit) = adjacency.place(left, right);
            adjacency.joined[word] |= bit;
        });
        adjacency
    }

    #[inline]
    fn place(&self, left: char, right: char) -> (usize, u64) {
        let hash = (u64::from(left) << 32 | u64::from(right)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((hash >> 38) as usize & (self.joined.len() - 1), 1 << (hash >> 58))
    }

    /// Returns whether a token may span two adjacent characters of a text; otherwise the text may be cut there.
    #[inline]
    pub(crate) fn joins(&self, left: char, right: char) -> bool {
        let (word, bit) = self.place(left, right);
        self.joined[word] & bit != 0
    }
}

/// The adjacency of characters of unspaced scripts, and the characters that are never unknown.
#[derive(Debug)]
pub(crate) struct UnspacedAdjacency {
    /// The pairs whose second character is [`FIRST_UNSPACED`] or later.
    pub(crate) characters: CharacterAdjacency,
    /// The characters that are entries; `None` if no character is ever unknown.
    ///
    /// A text is not cut between two others: both may be unknown, and fused.
    pub(crate) known: Option<Vec<char>>,
}

/// Returns the pairs of adjacent characters.
pub(super) fn neighbours<I: Iterator<Item = char> + Clone>(characters: I) -> impl Iterator<Item = (char, char)> {
    characters.clone().zip(characters.skip(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether a position between two bytes is in one of the sets.
    fn is_separate(sets: &[SeparateBytes], left: u8, right: u8) -> bool {
        sets.iter().any(|set| set.left[usize::from(left)] && set.right[usize::from(right)])
    }

    #[test]
    fn separate_bytes_are_adjacent_in_no_entry() {
        let entries = ["▁the", "▁▁", "ing", "é", "中文", "1", "▁1", "!\n", "ση"];
        let adjacency = ByteAdjacency::new(entries.iter().flat_map(|entry| neighbours(entry.chars())), '▁');
        let sets = &*adjacency.separate;
        for left in 0..=255 {
            for right in 0..=255 {
                assert!(!is_separate(sets, left, right) || !adjacency.joins(left, right), "{left} {right}");
            }
        }
        for text in ["the", " the", "\u{2581}the", "é", "中文", "  ", " \u{2581}", "!\n", "😀"] {
            let bytes = text.as_bytes();
            assert!(bytes.windows(2).all(|pair| adjacency.joins(pair[0], pair[1])), "{text}");
        }
        assert!([b'e', b'g', b'1', b'n'].into_iter().all(|left| is_separate(sets, left, b' ')));
    }
}
