//! Text: byte spans, characters that represent bytes, Unicode properties, patterns and known split patterns.

pub(crate) mod bytes;
pub mod grammar;
mod oniguruma;
pub mod pattern;
mod regular;
pub(crate) mod runs;
pub mod span;
pub mod unicode;

/// Returns the character of a text of one character; `None` for any other text.
pub(crate) fn single_character(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.as_str().is_empty())
}
