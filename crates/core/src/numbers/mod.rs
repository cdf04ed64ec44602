//! Numbers that are equal on every machine: floats, pseudo-random numbers, and logarithms compared exactly.

pub mod chance;
pub(crate) mod floats;
pub(crate) mod logarithms;
