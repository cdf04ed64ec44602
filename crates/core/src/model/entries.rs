//! The tables of a model over the entries that ordinary text may become.
//!
//! A call that does not match special tokens may meet them as text, and without a pre-tokenizer that separates
//! punctuation, `[SEP]` is also a word of the vocabulary. So such calls use tables without the special tokens, and calls
//! with untrusted text tables without all added tokens. The first call that needs tables builds them.

use std::sync::Arc;

use crate::vocab::{AllowedEntries, ReservedEntries};

/// A model's reserved entries, and one value of `T` for each choice of [`AllowedEntries`].
///
/// The values are filled on first use, by cells in `T` such as `OnceLock`. Clones share all values. Models that differ
/// only in their reserved entries share the value for [`AllowedEntries::All`].
#[derive(Debug)]
pub(crate) struct TablesByEntries<T> {
    reserved: Arc<ReservedEntries>,
    ordinary: Arc<T>,
    all: Arc<T>,
    untrusted: Arc<T>,
}

impl<T: Default> TablesByEntries<T> {
    /// Returns the tables of a model with these reserved entries.
    pub(crate) fn with_reserved(&self, reserved: ReservedEntries) -> Self {
        if reserved == *self.reserved {
            return self.clone();
        }
        let has_same_specials = reserved.special == self.reserved.special;
        let ordinary = if has_same_specials { Arc::clone(&self.ordinary) } else { Arc::default() };
        let all = Arc::clone(&self.all);
        Self { reserved: Arc::new(reserved), ordinary, all, untrusted: Arc::default() }
    }

    /// Returns empty tables of a model with the same reserved entries.
    pub(crate) fn emptied(&self) -> Self {
        Self { reserved: Arc::clone(&self.reserved), ..Self::default() }
    }

    /// Returns the value for a choice of entries; choices that exclude the same entries have one value.
    pub(crate) fn of(&self, entries: AllowedEntries) -> &T {
        let ReservedEntries { special, untrusted } = &*self.reserved;
        match entries {
            AllowedEntries::Ordinary if !special.is_empty() => &self.ordinary,
            AllowedEntries::Untrusted if untrusted == special && !special.is_empty() => &self.ordinary,
            AllowedEntries::Untrusted if !untrusted.is_empty() => &self.untrusted,
            _ => &self.all,
        }
    }

    /// Returns whether a choice of entries contains the entry `id`.
    pub(crate) fn allows(&self, entries: AllowedEntries, id: u32) -> bool {
        self.reserved.allows(entries, id)
    }
}

impl<T: Default> Default for TablesByEntries<T> {
    fn default() -> Self {
        Self { reserved: Arc::default(), ordinary: Arc::default(), all: Arc::default(), untrusted: Arc::default() }
    }
}

impl<T> Clone for TablesByEntries<T> {
    fn clone(&self) -> Self {
        let Self { reserved, ordinary, all, untrusted } = self;
        Self {
            reserved: Arc::clone(reserved),
            ordinary: Arc::clone(ordinary),
            all: Arc::clone(all),
            untrusted: Arc::clone(untrusted),
        }
    }
}
