//! Boundaries in unspaced scripts: positions between two characters where a text may be cut without white space.
//!
//! Each character of such a text may begin a chunk, and about half of them do. So each character is classified once,
//! and the computation has no branch on a character.

use crate::model::adjacency::{CharacterAdjacency, FIRST_UNSPACED, UnspacedAdjacency};
use crate::text::unicode::{CharMap, CharSet};

/// Whether a normalizer may change a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Changeability {
    /// The character does not change.
    Unchanged = 0,
    /// The character is white space that becomes plain spaces.
    Separator = 1,
    /// Any other character.
    MayChange = 2,
}

/// Finds where texts may be cut between characters of unspaced scripts.
#[derive(Debug, Clone)]
pub(super) struct UnspacedBoundaryFinder {
    adjacency: CharacterAdjacency,
    /// The flags of each character: a sum of the following constants.
    kinds: CharMap<u8>,
}

/// The character does not change, unless the following one joins it.
const UNCHANGED: u8 = 1;
/// The character may change, and the text before it too.
const MAY_CHANGE: u8 = 2;
/// The character is a piece, so it is never unknown.
const KNOWN: u8 = 4;

impl UnspacedBoundaryFinder {
    /// Builds the boundaries of a model whose normalizer may change the characters in `may_change`; `ascii` says
    /// which of ASCII do.
    pub(super) fn new(
        UnspacedAdjacency { characters: adjacency, known }: UnspacedAdjacency,
        may_change: &CharSet,
        ascii: &[Changeability; 128],
    ) -> Self {
        let others = if known.is_none() { KNOWN } else { 0 };
        let mut kinds = CharMap::new(UNCHANGED | others);
        may_change.iter().for_each(|c| *kinds.get_mut(c) = MAY_CHANGE | others);
        for (byte, kind) in (0_u8..).zip(ascii) {
            *kinds.get_mut(char::from(byte)) = match kind {
                Changeability::Unchanged => UNCHANGED | others,
                Changeability::Separator => others,
                Changeability::MayChange => MAY_CHANGE | others,
            };
        }
        known.into_iter().flatten().for_each(|c| *kinds.get_mut(c) |= KNOWN);
        Self { adjacency, kinds }
    }

    /// Returns whether a boundary lies at a byte of a text.
    pub(super) fn lies_at(&self, text: &str, at: usize) -> bool {
        let (before, after) = text.split_at(at);
        let (Some(one), Some(other)) = (before.chars().next_back(), after.chars().next()) else { return false };
        self.lies_between(self.kind(one), self.kind(other)) && self.stays(text, at + other.len_utf8())
    }

    /// Returns the boundaries before characters that begin at the bits `firsts`, counted from byte `at` of a text.
    ///
    /// Between two of these characters there is nothing but ASCII.
    #[inline]
    pub(super) fn find(&self, text: &str, at: usize, mut firsts: u64) -> u64 {
        if firsts == 0 {
            return 0;
        }
        let mut end = at + firsts.trailing_zeros() as usize;
        let mut before = self.kind(text[..end].chars().next_back().unwrap_or('\n'));
        // The boundaries before the last character, unless the text after it changes it.
        let (mut found, mut open) = (0, 0);
        while firsts != 0 {
            let place = at + firsts.trailing_zeros() as usize;
            let here = self.kind(text[place..].chars().next().unwrap_or_default());
            let mut next = here;
            if end < place {
                [next, before] = [end, place - 1].map(|at| self.kind(char::from(text.as_bytes()[at])));
            }
            found |= open & all(next.1 & MAY_CHANGE == 0);
            open = firsts & firsts.wrapping_neg() & all(self.lies_between(before, here));
            (before, end) = (here, place + here.0.len_utf8());
            firsts &= firsts - 1;
        }
        found | open & all(self.stays(text, end))
    }

    /// Returns a character with its flags.
    #[inline]
    fn kind(&self, c: char) -> (char, u8) {
        (c, self.kinds.get(c))
    }

    /// Returns whether a boundary lies between two characters, if the second one does not change.
    #[inline]
    fn lies_between(&self, (one, kind): (char, u8), (other, other_kind): (char, u8)) -> bool {
        let are_unchanged = kind & other_kind & UNCHANGED != 0;
        let is_known = (kind | other_kind) & KNOWN != 0;
        (other >= FIRST_UNSPACED) & are_unchanged & is_known & !self.adjacency.joins(one, other)
    }

    /// Returns whether the character before a byte is unchanged by the character that begins at the byte.
    fn stays(&self, text: &str, at: usize) -> bool {
        text[at..].chars().next().is_none_or(|next| self.kinds.get(next) & MAY_CHANGE == 0)
    }
}

/// Returns all bits if `holds`, else none.
#[inline]
fn all(holds: bool) -> u64 {
    u64::from(holds).wrapping_neg()
}
