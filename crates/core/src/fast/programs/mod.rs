//! The programs: each says where the chunks of one kind of pipeline begin.

pub(in crate::fast) mod adjacency;
pub(in crate::fast) mod characters;
pub(in crate::fast) mod divisions;
mod runs;
pub(in crate::fast) mod spaces;
mod stability;
mod unspaced;
pub(in crate::fast) mod words;
