//! Numbers with equal results on all machines: floats, pseudo-random numbers, exactly compared logarithms; and LEB128.

pub(crate) mod floats;
pub(crate) mod leb128;
pub(crate) mod logarithms;
pub mod random;
