//! Where a text may be cut between two characters of scripts that do without spaces.
//!
//! Most characters of such a text stand at a border that has to be asked about, and it may be cut at about half of them. So
//! what is asked of a character is looked up once, and no question hangs on the answer to another.

use super::stability::Stability;
use crate::model::unigram::joins::{Joins, UNSPACED};
use crate::text::unicode::{CharMap, CharSet};

/// The borders of a tokenizer.
#[derive(Debug, Clone)]
pub(super) struct UnspacedBoundaries {
    joins: Joins,
    /// What each character is: a sum of the following.
    kinds: CharMap<u8>,
}

/// It stays as it is, unless what follows joins it.
const STABLE: u8 = 1;
/// It may change, and what stands before it.
const UNSTABLE: u8 = 2;
/// It is a piece, so it is never unknown.
const KNOWN: u8 = 4;

impl UnspacedBoundaries {
    /// Where pieces join characters, some of which are `known` and some `moving`; ASCII characters are of these kinds.
    pub(super) fn new(
        joins: Joins,
        known: impl Iterator<Item = char>,
        moving: &CharSet,
        ascii: &[Stability; 128],
    ) -> Self {
        let mut kinds = CharMap::new(STABLE);
        moving.iter().for_each(|c| *kinds.get_mut(c) = UNSTABLE);
        for (byte, kind) in (0_u8..).zip(ascii) {
            *kinds.get_mut(char::from(byte)) = match kind {
                Stability::Stable => STABLE,
                Stability::Separator => 0,
                Stability::Unstable => UNSTABLE,
            };
        }
        known.for_each(|c| *kinds.get_mut(c) |= KNOWN);
        Self { joins, kinds }
    }

    /// Whether a text may be cut at a byte.
    pub(super) fn part(&self, text: &str, at: usize) -> bool {
        let (before, behind) = text.split_at(at);
        let (Some(one), Some(other)) = (before.chars().next_back(), behind.chars().next()) else { return false };
        self.lies_between(self.kind(one), self.kind(other)) && self.stays(text, at + other.len_utf8())
    }

    /// Of the characters of a text that begin at some bytes from `at` on, those before which it may be cut. Between two of them
    /// there is nothing but ASCII.
    #[inline]
    pub(super) fn parting(&self, text: &str, at: usize, mut firsts: u64) -> u64 {
        if firsts == 0 {
            return 0;
        }
        let mut end = at + firsts.trailing_zeros() as usize;
        let mut before = self.kind(text[..end].chars().next_back().unwrap_or('\n'));
        // What there is to cut before the last character, unless what follows changes it.
        let (mut parting, mut open) = (0, 0);
        while firsts != 0 {
            let place = at + firsts.trailing_zeros() as usize;
            let here = self.kind(text[place..].chars().next().unwrap_or_default());
            let mut next = here;
            if end < place {
                [next, before] = [end, place - 1].map(|at| self.kind(char::from(text.as_bytes()[at])));
            }
            parting |= open & all(next.1 & UNSTABLE == 0);
            open = firsts & firsts.wrapping_neg() & all(self.lies_between(before, here));
            (before, end) = (here, place + here.0.len_utf8());
            firsts &= firsts - 1;
        }
        parting | open & all(self.stays(text, end))
    }

    #[inline]
    fn kind(&self, c: char) -> (char, u8) {
        (c, self.kinds.get(c))
    }

    /// Whether a border lies between two characters, if the second one stays.
    #[inline]
    fn lies_between(&self, (one, kind): (char, u8), (other, other_kind): (char, u8)) -> bool {
        let are_steady = kind & other_kind & STABLE != 0;
        let is_known = (kind | other_kind) & KNOWN != 0;
        (other >= UNSPACED) & are_steady & is_known & !self.joins.join(one, other)
    }

    /// Whether what ends at a byte of a text is not joined by what follows.
    fn stays(&self, text: &str, at: usize) -> bool {
        text[at..].chars().next().is_none_or(|next| self.kinds.get(next) & UNSTABLE == 0)
    }
}

/// All bits, or none.
#[inline]
fn all(holds: bool) -> u64 {
    u64::from(holds).wrapping_neg()
}
