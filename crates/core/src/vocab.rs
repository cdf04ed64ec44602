//! A vocabulary: tokens and their ids, a bijection.

use std::collections::HashMap;

use crate::error::{Error, Result, shorten};

/// Ids may leave gaps, but not so many that a small file asks for a large table.
const MAX_GAPS: usize = 1 << 20;

/// Tokens and their ids, in both directions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vocab {
    ids: HashMap<String, u32>,
    tokens: Vec<Option<String>>,
    /// How many tokens are to come, so that a large id can come early.
    expected: usize,
}

impl Vocab {
    /// The vocabulary of `tokens`, whose ids are their places.
    pub fn from_tokens(tokens: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut vocab = Self::default();
        for token in tokens {
            vocab.insert_next(token)?;
        }
        Ok(vocab)
    }

    /// An empty vocabulary that is about to be filled with `expected` tokens.
    #[must_use]
    pub fn expecting(expected: usize) -> Self {
        Self { expected, ..Self::default() }
    }

    /// Adds `token` with the id after the last one, and returns that id.
    pub fn insert_next(&mut self, token: String) -> Result<u32> {
        let id = u32::try_from(self.tokens.len())
            .map_err(|_| Error::Vocabulary("the vocabulary has more than 2^32 tokens".to_owned()))?;
        self.insert(token, id)?;
        Ok(id)
    }

    /// Adds `token` with `id`; both must be new.
    pub fn insert(&mut self, token: String, id: u32) -> Result<()> {
        let place = id as usize;
        if place > self.ids.len().max(self.expected).saturating_mul(2) + MAX_GAPS {
            return Err(Error::Vocabulary(format!(
                "token {:?} has the id {id}, far beyond the number of tokens",
                shorten(&token)
            )));
        }
        if let Some(first) = self.ids.get(&token) {
            return Err(Error::Vocabulary(format!(
                "token {:?} occurs twice, with the ids {first} and {id}; a vocabulary holds each token once",
                shorten(&token)
            )));
        }
        if self.tokens.len() <= place {
            self.tokens.resize(place + 1, None);
        }
        if let Some(other) = &self.tokens[place] {
            return Err(Error::Vocabulary(format!(
                "the tokens {:?} and {:?} share the id {id}",
                shorten(other),
                shorten(&token)
            )));
        }
        self.tokens[place] = Some(token.clone());
        self.ids.insert(token, id);
        Ok(())
    }

    /// The id of `token`.
    #[must_use]
    pub fn id(&self, token: &str) -> Option<u32> {
        self.ids.get(token).copied()
    }

    /// The token with `id`.
    #[must_use]
    pub fn token(&self, id: u32) -> Option<&str> {
        self.tokens.get(id as usize)?.as_deref()
    }

    /// The token with `id`, or an error that says how far ids go.
    pub fn expect_token(&self, id: u32) -> Result<&str> {
        self.token(id).ok_or(Error::Id { id, last: self.id_limit().saturating_sub(1) })
    }

    /// Tokens in order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        (0u32..).zip(&self.tokens).filter_map(|(id, token)| Some((token.as_deref()?, id)))
    }

    /// How many tokens there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// One past the largest id.
    #[must_use]
    pub fn id_limit(&self) -> u32 {
        u32::try_from(self.tokens.len()).unwrap_or(u32::MAX)
    }

    /// The smallest id that no token has although a larger one is taken.
    #[must_use]
    pub fn first_gap(&self) -> Option<u32> {
        self.tokens.iter().position(Option::is_none).and_then(|at| u32::try_from(at).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bijection_or_an_error() {
        let mut vocab = Vocab::from_tokens(["a", "b"].map(str::to_owned)).unwrap();
        assert_eq!((vocab.id("b"), vocab.token(0)), (Some(1), Some("a")));
        assert!(vocab.insert("a".to_owned(), 7).is_err());
        assert!(vocab.insert("c".to_owned(), 1).is_err());
        assert!(vocab.insert("c".to_owned(), u32::MAX).is_err());
        vocab.insert("c".to_owned(), 3).unwrap();
        assert_eq!((vocab.len(), vocab.id_limit(), vocab.first_gap()), (3, 4, Some(2)));
    }
}
