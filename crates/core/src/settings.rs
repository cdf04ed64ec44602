//! Settings that components of several stages share: what one writes, another reads back.

/// The character that SentencePiece writes for a space.
pub(crate) const METASPACE: char = '\u{2581}';
/// [`METASPACE`] as a text.
pub(crate) const METASPACE_TEXT: &str = "\u{2581}";

/// The settings of byte-level components: the pre-tokenizer, the post-processor and the decoder of that name write
/// them alike, and each uses its part of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteLevel {
    /// Begin each word with a space that has none; where offsets are trimmed, that space is not.
    pub add_prefix_space: bool,
    /// Leave spaces out of offsets.
    pub trim_offsets: bool,
    /// Split by the pattern of GPT-2.
    pub use_regex: bool,
}

impl Default for ByteLevel {
    fn default() -> Self {
        Self { add_prefix_space: true, trim_offsets: true, use_regex: true }
    }
}

/// Where the mark for spaces is put before a word that does not begin with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrependScheme {
    /// Nowhere.
    Never,
    /// Before the word that begins the text.
    First,
    /// Before every word.
    Always,
}

/// The settings of the pre-tokenizer and the decoder that have a mark for spaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metaspace {
    /// The mark.
    pub replacement: char,
    /// Where it is put beside.
    pub prepend_scheme: PrependScheme,
    /// Whether words are split before each mark.
    pub split: bool,
}

impl Default for Metaspace {
    fn default() -> Self {
        Self { replacement: METASPACE, prepend_scheme: PrependScheme::Always, split: true }
    }
}
