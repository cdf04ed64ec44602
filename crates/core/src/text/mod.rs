//! Text: byte spans, characters that represent bytes, Unicode properties, patterns and known split patterns.

pub(crate) mod bytes;
pub mod grammar;
pub mod pattern;
pub(crate) mod runs;
pub mod span;
pub mod unicode;
