//! Numbers with equal results on all machines: floats, pseudo-random numbers, and exactly compared logarithms.

pub(crate) mod floats;
pub(crate) mod logarithms;
pub mod random;
