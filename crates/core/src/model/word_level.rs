//! `WordLevel`: encodes a word as one token, or as unknown.

pub mod train;

use std::sync::Arc;

use super::{ModelTraits, Token};
use crate::error::{Error, Message, Result, shorten};
use crate::text::span::Span;
use crate::vocab::{AllowedEntries, ReservedEntries, Vocab};

/// A vocabulary of whole words, immutable once built and cheap to clone.
///
/// ```
/// use piecework_core::model::word_level::WordLevel;
/// use piecework_core::vocab::{AllowedEntries, Vocab};
///
/// let model = WordLevel::new(Vocab::from_tokens(["[UNK]", "low"].map(String::from))?, "[UNK]".to_owned());
/// let mut tokens = Vec::new();
/// for word in ["low", "high"] {
///     model.encode_word(word, AllowedEntries::All, &mut tokens)?;
/// }
/// assert_eq!(tokens.iter().map(|token| token.id).collect::<Vec<_>>(), [1, 0]);
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct WordLevel {
    vocab: Arc<Vocab>,
    unk_token: String,
    unk_id: Option<u32>,
    reserved: Arc<ReservedEntries>,
}

impl WordLevel {
    /// Returns the model over `vocab`; the unknown token may be missing until it is needed.
    #[must_use]
    pub fn new(vocab: Vocab, unk_token: String) -> Self {
        let unk_id = vocab.id(&unk_token);
        Self { vocab: Arc::new(vocab), unk_token, unk_id, reserved: Arc::default() }
    }

    /// Returns the model with these reserved entries.
    #[must_use]
    pub fn with_reserved(&self, reserved: ReservedEntries) -> Self {
        Self { reserved: Arc::new(reserved), ..self.clone() }
    }

    /// Returns the vocabulary.
    #[must_use]
    pub fn vocab(&self) -> &Vocab {
        &self.vocab
    }

    /// Returns the unknown token's text.
    #[must_use]
    pub fn unk_token(&self) -> &str {
        &self.unk_token
    }

    /// Returns what is true of the model, whatever word it encodes.
    pub(super) fn traits(&self) -> ModelTraits {
        ModelTraits {
            kind: "WordLevel",
            unk_token: Some(self.unk_token.clone()),
            unk_id: self.unk_id,
            not_extended: Some(
                Message::new("a WordLevel vocabulary has whole words, which need no training")
                    .hint("add them with `tok.with_added_tokens`, or train a new vocabulary"),
            ),
            ..ModelTraits::default()
        }
    }

    /// Returns the unknown token's id, if the vocabulary has one.
    #[must_use]
    pub fn unk_id(&self) -> Option<u32> {
        self.unk_id
    }

    /// Appends the token of `word`, with spans in it.
    ///
    /// No text produces a token outside `entries`.
    pub fn encode_word(&self, word: &str, entries: AllowedEntries, out: &mut Vec<Token>) -> Result<()> {
        let known = self.vocab.id(word).filter(|&id| self.reserved.allows(entries, id));
        let id = known.or(self.unk_id).ok_or_else(|| Error::NoUnknownToken { word: shorten(word) })?;
        out.push(Token { id, span: Span::new(0, word.len()) });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn known_unknown_and_forbidden() {
        let vocab = Vocab::from_tokens(["[UNK]", "a", "[X]"].map(str::to_owned)).unwrap();
        let model = WordLevel::new(vocab, "[UNK]".to_owned()).with_reserved(HashSet::from([2]).into());
        let mut out = Vec::new();
        for word in ["a", "b", "[X]"] {
            model.encode_word(word, AllowedEntries::Ordinary, &mut out).unwrap();
        }
        assert_eq!(out.iter().map(|token| token.id).collect::<Vec<_>>(), [1, 0, 0]);
    }
}
