//! Adjacency: which neighbours in a text a model may join in one token.
//!
//! A model that sees a text as one word still never looks across most places: between two characters that no entry holds side by
//! side. There the text may be cut, and its parts be encoded by themselves. A model says so by [`Model::byte_adjacency`] or
//! [`Model::space_adjacency`](super::Model::space_adjacency), from the pairs of neighbours in its entries.
//!
//! [`Model::byte_adjacency`]: super::Model::byte_adjacency

/// Where the scripts begin of which some do without spaces: Thai and what follows.
pub(crate) const FIRST_UNSPACED: char = '\u{E00}';

/// Which neighbours in a text may become part of one token.
pub(crate) trait Adjacency<Unit> {
    /// Returns whether a token may reach from one unit of a text to the next; where none may, the text may be cut.
    fn joins(&self, left: Unit, right: Unit) -> bool;
}

/// The adjacency of bytes, all bytes beyond ASCII counted as one; exact for ASCII.
#[derive(Debug, Clone)]
pub(crate) struct ByteAdjacency {
    /// A bit for each second byte.
    joined: Box<[[u64; 4]; 256]>,
}

/// Stands for all characters beyond ASCII, and for their bytes.
const BEYOND_ASCII: usize = 128;

impl ByteAdjacency {
    /// Builds the table of the pairs of characters that entries hold side by side; spaces of the text are written as `space`.
    pub(super) fn new(pairs: impl Iterator<Item = (char, char)>, space: char) -> Self {
        let mut joined = [[false; BEYOND_ASCII + 1]; BEYOND_ASCII + 1];
        // A character beyond ASCII has several bytes.
        joined[BEYOND_ASCII][BEYOND_ASCII] = true;
        let classes = |c: char| -> [usize; 2] {
            let class = BEYOND_ASCII.min(c as usize);
            // What stands for a space may also stand in the text itself.
            [class, if c == space { usize::from(b' ') } else { class }]
        };
        // Iterated from within, as the pairs come from nested iterators.
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

/// The adjacency of characters, by their hashes: it may also report pairs that no entry holds.
#[derive(Debug, Clone)]
pub(crate) struct CharacterAdjacency {
    /// A bit for each pair.
    joined: Box<[u64]>,
}

impl CharacterAdjacency {
    /// Builds the table of the pairs of characters that entries hold side by side, which are iterated twice.
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

/// The adjacency of a model that never joins a space, or what is written for it, to what stands before.
#[derive(Debug)]
pub(crate) struct SpaceAdjacency {
    /// Where a text may also be cut without a space, if that is anywhere.
    pub(crate) unspaced: Option<UnspacedAdjacency>,
}

/// Where a text may be cut before a character of an unspaced script.
#[derive(Debug)]
pub(crate) struct UnspacedAdjacency {
    /// The pairs whose second character is [`FIRST_UNSPACED`] or beyond.
    pub(crate) characters: CharacterAdjacency,
    /// The characters that are entries. Two characters that are not may both be unknown, and one token then.
    pub(crate) known: Vec<char>,
}

/// Returns the characters that stand side by side.
pub(super) fn neighbours<I: Iterator<Item = char> + Clone>(characters: I) -> impl Iterator<Item = (char, char)> {
    characters.clone().zip(characters.skip(1))
}
