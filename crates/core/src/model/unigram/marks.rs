//! What ids say of the scores that were added up for them, on their way to the text's.
//!
//! A piece has one score, its own. But an unknown token stands for as many scores as it has characters, and of the bytes of an unknown
//! character only the first stands for one. The highest bits of an id have room to say so, as long as ids leave them free.

/// Ids below leave the highest bits free.
pub(crate) const FREE: u32 = 1 << 20;
/// So many unknown characters an id can stand for.
const MOST: usize = 2047;
/// Stands for no score.
const NOTHING: u32 = 2048;

/// An id that stands for so many unknown characters; `None` if these are too many.
pub(super) fn unknown(id: u32, characters: usize) -> Option<u32> {
    let scores = u32::try_from(characters).ok().filter(|_| characters <= MOST)?;
    Some(id + scores * FREE)
}

/// An id that stands for no score.
pub(super) fn nothing(id: u32) -> u32 {
    id + NOTHING * FREE
}

/// How many scores an id with a mark stands for, of unknown characters all.
pub(super) fn scores(id: u32) -> u32 {
    (id / FREE) & (NOTHING - 1)
}

/// Whether an id has a mark.
pub(super) fn is_marked(id: u32) -> bool {
    id >= FREE
}

/// What the marks of some ids stand for, and whether there are any.
#[inline]
pub(crate) fn sum(ids: &[u32]) -> (usize, bool) {
    let (sum, all) = ids.iter().fold((0, 0), |(sum, all), &id| (sum + scores(id), all | id));
    (sum as usize, is_marked(all))
}

/// An id without its mark.
pub(crate) fn unmarked(id: u32) -> u32 {
    id % FREE
}

/// Takes the marks from ids.
pub(crate) fn remove(ids: &mut [u32]) {
    ids.iter_mut().for_each(|id| *id = unmarked(*id));
}
