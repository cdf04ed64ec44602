//! Id tags: the number of scores that were added up for an id, in its highest bits, until the text ends.
//!
//! A piece has one score, its own. But an unknown token stands for as many scores as it has characters, and of the bytes of an unknown
//! character only the first stands for one. The highest bits of an id have room to say so, as long as ids leave them free.

use crate::vocab::Vocab;

/// Ids below leave the highest bits free.
const FREE: u32 = 1 << 20;
/// The most unknown characters that an id can stand for.
const MOST: usize = 2047;
/// Stands for no score.
const NOTHING: u32 = 2048;

/// Returns whether the ids of a vocabulary leave room for tags.
pub(super) fn fit(vocab: &Vocab) -> bool {
    vocab.id_limit() <= FREE
}

/// Returns an id that stands for this number of unknown characters; `None` if these are too many.
pub(super) fn unknown(id: u32, characters: usize) -> Option<u32> {
    let scores = u32::try_from(characters).ok().filter(|_| characters <= MOST)?;
    Some(id + scores * FREE)
}

/// Returns an id that stands for no score.
pub(super) fn nothing(id: u32) -> u32 {
    id + NOTHING * FREE
}

/// The number of scores that an id with a tag stands for, of unknown characters all.
pub(super) fn scores(id: u32) -> u32 {
    (id / FREE) & (NOTHING - 1)
}

/// Whether an id has a tag.
pub(super) fn is_tagged(id: u32) -> bool {
    id >= FREE
}

/// Returns the number of scores that the tags of some ids stand for, and whether there are any tags.
#[inline]
pub(super) fn sum(ids: &[u32]) -> (usize, bool) {
    let (sum, all) = ids.iter().fold((0, 0), |(sum, all), &id| (sum + scores(id), all | id));
    (sum as usize, is_tagged(all))
}

/// Returns an id without its tag.
pub(super) fn untagged(id: u32) -> u32 {
    id % FREE
}

/// Removes the tags from ids.
pub(super) fn remove(ids: &mut [u32]) {
    ids.iter_mut().for_each(|id| *id = untagged(*id));
}
