//! Adjacency: the pairs of adjacent characters in a text that a model may merge into one token.
//!
//! A model that encodes a text as one word still never spans most positions: those between two characters that no entry
//! holds adjacently. A text may be cut there, and its parts be encoded separately. A model provides its adjacency by
//! [`Model::byte_adjacency`] or [`Model::space_adjacency`](super::Model::space_adjacency), computed from the adjacent
//! pairs in its entries.
//!
//! [`Model::byte_adjacency`]: super::Model::byte_adjacency

/// The first character of the unspaced scripts' range: Thai and all later scripts.
pub(crate) const FIRST_UNSPACED: char = '\u{E00}';

/// The pairs of adjacent units of a text that may become part of one token.
pub(crate) trait Adjacency<Unit> {
    /// Returns whether a token may span two adjacent units of a text; otherwise the text may be cut there.
    fn joins(&self, left: Unit, right: Unit) -> bool;
}

/// The adjacency of bytes, with one class for all bytes beyond ASCII; exact for ASCII.
#[derive(Debug, Clone)]
pub(crate) struct ByteAdjacency {
    /// A bit for each second byte.
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

/// The adjacency of characters, by a Bloom filter with one hash: it may also report pairs that no entry holds.
#[derive(Debug, Clone)]
pub(crate) struct CharacterAdjacency {
    /// A bit for each pair.
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

/// The adjacency of a model that never merges a space, or its replacement, with the character before it.
#[derive(Debug)]
pub(crate) struct SpaceAdjacency {
    /// The positions without a space where a text may also be cut, if there are any.
    pub(crate) unspaced: Option<UnspacedAdjacency>,
}

/// The positions before characters of unspaced scripts where a text may be cut.
#[derive(Debug)]
pub(crate) struct UnspacedAdjacency {
    /// The pairs whose second character is [`FIRST_UNSPACED`] or later.
    pub(crate) characters: CharacterAdjacency,
    /// The characters that are entries. Two others may both be unknown, and one token together.
    pub(crate) known: Vec<char>,
}

/// Returns the pairs of adjacent characters.
pub(super) fn neighbours<I: Iterator<Item = char> + Clone>(characters: I) -> impl Iterator<Item = (char, char)> {
    characters.clone().zip(characters.skip(1))
}
