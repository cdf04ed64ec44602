//! Settings that components of several stages share.

/// The character that SentencePiece writes for a space.
pub(crate) const METASPACE: char = '\u{2581}';
/// [`METASPACE`] as a text.
pub(crate) const METASPACE_TEXT: &str = "\u{2581}";

/// The settings of byte-level components.
///
/// The pre-tokenizer, the post-processor and the decoder of that name store the same settings, and each uses some of
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteLevel {
    /// Whether to add a space before each word that does not begin with one; trimmed offsets exclude only other spaces.
    pub add_prefix_space: bool,
    /// Whether to exclude spaces from offsets.
    pub trim_offsets: bool,
    /// Whether to split by the pattern of GPT-2.
    pub use_regex: bool,
}

impl Default for ByteLevel {
    fn default() -> Self {
        Self { add_prefix_space: true, trim_offsets: true, use_regex: true }
    }
}

/// The words that get a metaspace in front if they do not begin with one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrependScheme {
    /// No word.
    Never,
    /// The word that begins the text.
    First,
    /// Every word.
    Always,
}

/// The settings of the Metaspace pre-tokenizer and decoder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metaspace {
    /// The character that replaces a space.
    pub replacement: char,
    /// The words that get the character in front.
    pub prepend_scheme: PrependScheme,
    /// Whether words are split before each such character.
    pub split: bool,
}

impl Default for Metaspace {
    fn default() -> Self {
        Self { replacement: METASPACE, prepend_scheme: PrependScheme::Always, split: true }
    }
}
