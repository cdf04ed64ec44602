//! The character that stands for a space, back to a space.

use super::{Parts, replaced};

/// When the pre-tokenizer puts the character before a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrependScheme {
    /// Before the first stretch of a text only.
    First,
    /// Never.
    Never,
    /// Before every stretch between special tokens.
    Always,
}

impl PrependScheme {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::First, Self::Never, Self::Always];

    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Never => "never",
            Self::Always => "always",
        }
    }
}

/// Makes spaces of the character that stands for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MetaspaceDecoder {
    /// The character.
    pub replacement: char,
    /// Unless it is never, the first token loses the character wherever it stands in it.
    pub prepend_scheme: PrependScheme,
    /// Belongs to the pre-tokenizer of the same name, and is only kept.
    pub split: bool,
}

impl Default for MetaspaceDecoder {
    fn default() -> Self {
        Self { replacement: '▁', prepend_scheme: PrependScheme::Always, split: true }
    }
}

impl MetaspaceDecoder {
    pub(super) fn decode_chain<'a>(&self, parts: Parts<'a>) -> Parts<'a> {
        let mut buffer = [0; 4];
        let replacement = &*self.replacement.encode_utf8(&mut buffer);
        let prepended = self.prepend_scheme != PrependScheme::Never;
        let by = |place| if place == 0 && prepended { "" } else { " " };
        parts.into_iter().enumerate().map(|(place, part)| replaced(part, replacement, by(place))).collect()
    }
}
