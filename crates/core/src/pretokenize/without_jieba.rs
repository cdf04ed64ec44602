//! Replaces the segmenter in builds without the feature `jieba`, and so without its tables.

use crate::error::{Error, Message, Result};
use crate::pretokenize::UserWord;
use crate::text::span::Span;

/// A segmenter that this build lacks: it has no values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Jieba {}

impl Jieba {
    /// Returns the error that the core is built without the feature `jieba`.
    pub fn require() -> Result<()> {
        Err(Error::Config(
            Message::new("the pre-tokenizer Jieba is not part of this build")
                .hint("build piecework-core with the cargo feature \"jieba\""),
        ))
    }

    /// Returns the error of [`Jieba::require`].
    pub fn new(_hmm: bool, _user_words: Vec<UserWord>) -> Result<Self> {
        Err(Self::require().expect_err("this build has no Jieba"))
    }

    /// Returns whether the hidden Markov model joins single characters.
    #[must_use]
    pub fn hmm(&self) -> bool {
        match *self {}
    }

    /// Returns the user's words in the order given.
    #[must_use]
    pub fn user_words(&self) -> &[UserWord] {
        match *self {}
    }

    /// Calls `each` with the words of `text` from left to right.
    pub fn split(&self, _text: &str, _each: impl FnMut(Span)) {
        match *self {}
    }
}
