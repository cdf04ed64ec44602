//! The tables of a model over the entries that ordinary text may become.
//!
//! A call that does not match special tokens may meet them as text, and without a pre-tokenizer that separates
//! punctuation, `[SEP]` is also a word of the vocabulary. So such calls use tables without the special tokens, which
//! the first of them builds.

use std::collections::HashSet;
use std::sync::Arc;

use crate::vocab::AllowedEntries;

/// A model's special tokens, and one value of `T` for each choice of [`AllowedEntries`].
///
/// The values are filled on first use, by cells in `T` such as `OnceLock`. Clones share both values. Models that differ
/// only in their special tokens share the value for [`AllowedEntries::All`].
#[derive(Debug)]
pub(crate) struct TablesByEntries<T> {
    specials: Arc<HashSet<u32>>,
    ordinary: Arc<T>,
    all: Arc<T>,
}

impl<T: Default> TablesByEntries<T> {
    /// Returns the tables of a model with these special tokens.
    pub(crate) fn with_specials(&self, specials: HashSet<u32>) -> Self {
        if specials == *self.specials {
            return self.clone();
        }
        Self { specials: Arc::new(specials), ordinary: Arc::default(), all: Arc::clone(&self.all) }
    }

    /// Returns empty tables of a model with the same special tokens.
    pub(crate) fn emptied(&self) -> Self {
        Self { specials: Arc::clone(&self.specials), ..Self::default() }
    }

    /// Returns the value for a choice of entries; it is the same for both without special tokens.
    pub(crate) fn of(&self, entries: AllowedEntries) -> &T {
        if entries == AllowedEntries::All || self.specials.is_empty() { &self.all } else { &self.ordinary }
    }

    /// Returns whether a choice of entries contains the entry `id`.
    pub(crate) fn allows(&self, entries: AllowedEntries, id: u32) -> bool {
        entries == AllowedEntries::All || !self.specials.contains(&id)
    }
}

impl<T: Default> Default for TablesByEntries<T> {
    fn default() -> Self {
        Self { specials: Arc::default(), ordinary: Arc::default(), all: Arc::default() }
    }
}

impl<T> Clone for TablesByEntries<T> {
    fn clone(&self) -> Self {
        let Self { specials, ordinary, all } = self;
        Self { specials: Arc::clone(specials), ordinary: Arc::clone(ordinary), all: Arc::clone(all) }
    }
}
