//! Adjacency: the pairs of adjacent characters in a text that a model may merge into one token.
//!
//! Even if a text is one word, no token spans most positions, because no entry contains the two characters as
//! neighbours. Such a position is a safe split point: the parts on its two sides can be encoded separately. A model
//! provides its adjacency by [`Model::byte_adjacency`] or [`Model::space_adjacency`](super::Model::space_adjacency),
//! computed from the adjacent pairs in its entries.
//!
//! [`Model::byte_adjacency`]: super::Model::byte_adjacency

/// The first character of the range that is treated as unspaced scripts: Thai and everything after it.
///
/// Scripts with spaces, such as Hangul, are in it too: the entries decide where a text may be cut, not the script.
pub(crate) const FIRST_UNSPACED: char = '\u{E00}';

/// The pairs of adjacent units of a text that may become part of one token.
pub(crate) trait Adjacency<Unit> {
    /// Returns whether a token may span two adjacent units of a text; otherwise the text may be cut there.
    fn joins(&self, left: Unit, right: Unit) -> bool;
}

/// The adjacency of bytes: exact for ASCII, with one class for all non-ASCII bytes.
#[derive(Debug, Clone)]
pub(crate) struct ByteAdjacency {
    /// One bit per pair of bytes: a row for the left byte, a bit in it for the right byte.
    joined: Box<[[u64; 4]; 256]>,
}

/// The class of all characters beyond ASCII, and of their bytes.
const BEYOND_ASCII: usize = 128;

impl ByteAdjacency {
    /// Builds the table from the adjacent characters of entries; a space of the text is written as `space`.
    pub(super) fn new(pairs: impl Iterator<Item = (char, char)>, space: char) -> Self {
        let mut joined = [[false; BEYOND_ASCII + 1]; BEYOND_ASCII + 1];
        // A character beyond ASCII has several bytes.
        joined[BEYOND_ASCII][BEYOND_ASCII] = true;
        let classes = |c: char| -> [usize; 2] {
            let class = BEYOND_ASCII.min(c as usize);
            // The character that replaces a space may also occur in the text itself.
            [class, if c == space { usize::from(b' ') } else { class }]
        };
        // Internal iteration, which is faster because the pairs come from nested iterators.
        pairs.for_each(|(left, right)| {
            let (left, right) = (classes(left), classes(right));
            left.iter().for_each(|&left| right.iter().for_each(|&right| joined[left][right] = true));
        });
        let of_bytes = |left: usize, right: usize| joined[left.min(BEYOND_ASCII)][right.min(BEYOND_ASCII)];
        let bits = |left, word| (0..64).fold(0, |bits, bit| bits | u64::from(of_bytes(left, 64 * word + bit)) << bit);
        Self { joined: Box::new(std::array::from_fn(|left| std::array::from_fn(|word| bits(left, word)))) }
    }
}

impl Adjacency<u8> for ByteAdjacency {
    #[inline]
    fn joins(&self, left: u8, right: u8) -> bool {
        self.joined[usize::from(left)][usize::from(right / 64)] >> (right % 64) & 1 == 1
    }
}

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
}

impl Adjacency<char> for CharacterAdjacency {
    #[inline]
    fn joins(&self, left: char, right: char) -> bool {
        let (word, bit) = self.place(left, right);
        self.joined[word] & bit != 0
    }
}

/// The safe split points of a model in which no entry contains a space after a non-space.
///
/// A text may be cut where a space, or the character that replaces it, follows a non-space.
#[derive(Debug)]
pub(crate) struct SpaceAdjacency {
    /// The adjacency in unspaced scripts, if texts are also cut there.
    pub(crate) unspaced: Option<UnspacedAdjacency>,
}

/// The adjacency of characters of unspaced scripts, and the characters that are never unknown.
#[derive(Debug)]
pub(crate) struct UnspacedAdjacency {
    /// The pairs whose second character is [`FIRST_UNSPACED`] or later.
    pub(crate) characters: CharacterAdjacency,
    /// The characters that are entries. A text is not cut between two others: both may be unknown, and fused.
    pub(crate) known: Vec<char>,
}

/// Returns the pairs of adjacent characters.
pub(super) fn neighbours<I: Iterator<Item = char> + Clone>(characters: I) -> impl Iterator<Item = (char, char)> {
    characters.clone().zip(characters.skip(1))
}
