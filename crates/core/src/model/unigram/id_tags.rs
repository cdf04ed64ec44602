//! Id tags: the number of scores of an id, stored in its highest bits until the text ends.
//!
//! A piece has one score. But an unknown token has a score for each of its characters, and of the byte tokens of an
//! unknown character only the first has one. The highest bits of an id store this number, if no id of the vocabulary
//! uses them.

use crate::vocab::Vocab;

/// The upper limit of ids that leave the highest bits free.
const FREE: u32 = 1 << 20;
/// The largest number of unknown characters in a tag.
const MOST: usize = 2047;
/// The tag of an id without a score.
const NOTHING: u32 = 2048;

/// Returns whether the ids of a vocabulary leave the highest bits free for tags.
pub(super) fn fit(vocab: &Vocab) -> bool {
    vocab.id_limit() <= FREE
}

/// Returns an id with the tag of this number of unknown characters; `None` if they are too many.
pub(super) fn unknown(id: u32, characters: usize) -> Option<u32> {
    let scores = u32::try_from(characters).ok().filter(|_| characters <= MOST)?;
    Some(id + scores * FREE)
}

/// Returns an id with the tag of no score.
pub(super) fn nothing(id: u32) -> u32 {
    id + NOTHING * FREE
}

/// Returns the number of scores of an id with a tag, all of unknown characters.
pub(super) fn scores(id: u32) -> u32 {
    (id / FREE) & (NOTHING - 1)
}

/// Returns whether an id has a tag.
pub(super) fn is_tagged(id: u32) -> bool {
    id >= FREE
}

/// Returns the sum of [`scores`] over ids, and whether any id has a tag. Ids without a tag add 0.
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
