//! The vocabulary: a bijection of tokens and ids.

use std::collections::HashSet;

use hashbrown::HashTable;

use crate::error::{Error, Result, shorten};
use crate::hash::hash_one;
use crate::memory::{Growable, make_table_room};
use crate::text::span::Span;

/// Which entries a model may produce from ordinary text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AllowedEntries {
    /// All but special tokens, so that text cannot forge one.
    Ordinary,
    /// All, special tokens too.
    All,
    /// All but the added tokens that untrusted text must not spell, special ones included.
    Untrusted,
}

/// The entries of a model that text must not become, by id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReservedEntries {
    /// The special tokens, which [`AllowedEntries::Ordinary`] excludes.
    pub special: HashSet<u32>,
    /// The added tokens that [`AllowedEntries::Untrusted`] excludes, special ones included.
    pub untrusted: HashSet<u32>,
}

impl ReservedEntries {
    /// Returns whether a choice of entries contains the entry `id`.
    pub(crate) fn allows(&self, entries: AllowedEntries, id: u32) -> bool {
        match entries {
            AllowedEntries::All => true,
            AllowedEntries::Ordinary => !self.special.contains(&id),
            AllowedEntries::Untrusted => !self.untrusted.contains(&id),
        }
    }

    /// Returns those of the entries for which `is_kept` is true.
    pub(crate) fn filtered(&self, is_kept: impl Fn(&HashSet<u32>) -> HashSet<u32>) -> Self {
        let untrusted = if self.untrusted == self.special { None } else { Some(is_kept(&self.untrusted)) };
        let special = is_kept(&self.special);
        Self { untrusted: untrusted.unwrap_or_else(|| special.clone()), special }
    }
}

impl From<HashSet<u32>> for ReservedEntries {
    fn from(special: HashSet<u32>) -> Self {
        Self { untrusted: special.clone(), special }
    }
}

impl AllowedEntries {
    /// The number of variants, for arrays by [`Self::index`].
    pub(crate) const COUNT: usize = 3;

    /// Returns the variant's position in an array.
    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

/// The maximum number of unused ids, which keeps a small file from requesting a large table.
const MAX_GAPS: usize = 1 << 20;

/// The largest number of bytes of all tokens together; tries number their nodes in 32 bits.
const MAX_BYTES: usize = 1 << 30;

/// The span of an id without token; no token is that long.
const GAP: Span = Span { start: u32::MAX, end: u32::MAX };

/// A bijection of tokens and ids.
///
/// All tokens are stored in one string, so a vocabulary needs three allocations and is fast to build.
///
/// ```
/// use piecework_core::vocab::Vocab;
///
/// let vocab = Vocab::from_tokens(["[UNK]", "low", "##er"].map(String::from))?;
/// assert_eq!((vocab.id("low"), vocab.token(2)), (Some(1), Some("##er")));
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Vocab {
    text: String,
    /// The span of each token in the text, by id.
    spans: Vec<Span>,
    ids: HashTable<u32>,
    /// The expected number of tokens, which allows large ids before the small ones.
    expected: usize,
}

impl PartialEq for Vocab {
    fn eq(&self, other: &Self) -> bool {
        self.spans.len() == other.spans.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Vocab {}

impl Vocab {
    /// Returns the vocabulary of `tokens`, whose ids are their indices.
    pub fn from_tokens(tokens: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut vocab = Self::default();
        for token in tokens {
            vocab.insert_next(&token)?;
        }
        Ok(vocab)
    }

    /// Returns an empty vocabulary for `expected` tokens.
    #[must_use]
    pub fn expecting(expected: usize) -> Self {
        let ids = HashTable::with_capacity(expected.min(MAX_GAPS));
        Self { expected, ids, ..Self::default() }
    }

    /// Adds `token` with the id after the last one, and returns that id.
    pub fn insert_next(&mut self, token: &str) -> Result<u32> {
        let id = u32::try_from(self.spans.len())
            .map_err(|_| Error::Vocabulary("the vocabulary has more than 2^32 tokens".into()))?;
        self.insert(token, id)?;
        Ok(id)
    }

    /// Adds `token` with `id`; both must be new.
    pub fn insert(&mut self, token: &str, id: u32) -> Result<()> {
        let place = id as usize;
        if place > self.ids.len().max(self.expected).saturating_mul(2) + MAX_GAPS {
            return Err(Error::Vocabulary(
                format!("token {:?} has the id {id}, far beyond the number of tokens", shorten(token)).into(),
            ));
        }
        if self.text.len() + token.len() > MAX_BYTES {
            return Err(Error::Vocabulary("the tokens of the vocabulary are longer than 1 GiB together".into()));
        }
        if let Some(other) = self.token(id) {
            return Err(Error::Vocabulary(
                format!("the tokens {:?} and {:?} share the id {id}", shorten(other), shorten(token)).into(),
            ));
        }
        let Self { text, spans, ids, .. } = self;
        text.make_room(token.len());
        spans.make_room((place + 1).saturating_sub(spans.len()));
        let text_of = |id: u32| &text[spans[id as usize].range()];
        make_table_room(ids, 1, |&id| hash_one(text_of(id)));
        match ids.entry(hash_one(token), |&other| text_of(other) == token, |&other| hash_one(text_of(other))) {
            hashbrown::hash_table::Entry::Occupied(first) => {
                let first = first.get();
                return Err(Error::Vocabulary(
                    format!(
                        "token {:?} occurs twice, with the ids {first} and {id}; a vocabulary holds each token once",
                        shorten(token)
                    )
                    .into(),
                ));
            }
            hashbrown::hash_table::Entry::Vacant(slot) => slot.insert(id),
        };
        if spans.len() <= place {
            spans.resize(place + 1, GAP);
        }
        spans[place] = Span::new(text.len(), text.len() + token.len());
        text.push_str(token);
        Ok(())
    }

    /// Returns the id of `token`.
    #[must_use]
    pub fn id(&self, token: &str) -> Option<u32> {
        self.ids.find(hash_one(token), |&id| self.token(id) == Some(token)).copied()
    }

    /// Returns the token with `id`.
    #[must_use]
    pub fn token(&self, id: u32) -> Option<&str> {
        self.spans.get(id as usize).filter(|&&span| span != GAP).map(|span| &self.text[span.range()])
    }

    /// Returns the tokens and ids in order of ids.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> {
        (0u32..).zip(&self.spans).filter(|(_, span)| **span != GAP).map(|(id, span)| (&self.text[span.range()], id))
    }

    /// Returns the number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns one past the largest id.
    #[must_use]
    pub fn id_limit(&self) -> u32 {
        u32::try_from(self.spans.len()).unwrap_or(u32::MAX)
    }

    /// Returns the smallest unused id below the largest id.
    #[must_use]
    pub fn first_gap(&self) -> Option<u32> {
        self.spans.iter().position(|&span| span == GAP).and_then(|at| u32::try_from(at).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bijection_or_an_error() {
        let mut vocab = Vocab::from_tokens(["a", "b"].map(str::to_owned)).unwrap();
        assert_eq!((vocab.id("b"), vocab.token(0)), (Some(1), Some("a")));
        assert!(vocab.insert("a", 7).is_err());
        assert!(vocab.insert("c", 1).is_err());
        assert!(vocab.insert("c", u32::MAX).is_err());
        vocab.insert("c", 3).unwrap();
        assert_eq!((vocab.len(), vocab.id_limit(), vocab.first_gap()), (3, 4, Some(2)));
    }
}
