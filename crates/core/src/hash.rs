//! The hash function of all tables.
//!
//! Its seed is fixed for reproducible runs; even so, no result depends on the order of a table.

use std::hash::{BuildHasher, Hash};

/// The hasher of all tables (foldhash, fast variant, fixed seed).
pub(crate) type FixedHasher = foldhash::fast::FixedState;

/// Returns the hash of a value.
#[inline]
pub(crate) fn hash_one<T: Hash + ?Sized>(value: &T) -> u64 {
    FixedHasher::default().hash_one(value)
}
