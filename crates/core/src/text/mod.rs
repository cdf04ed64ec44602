//! Text: byte spans, the characters that stand for bytes, facts about Unicode, patterns and known split patterns.

pub(crate) mod bytes;
pub mod grammar;
pub mod pattern;
pub mod span;
pub mod unicode;
