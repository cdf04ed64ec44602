//! The tokenizer and the options that all texts of a call share.

use std::sync::Arc;

use piecework_core::Error;
use piecework_core::pipeline::{Options, Tokenizer};

use crate::scratch_pool::ScratchPool;

/// The index of a text, and its error.
pub(crate) type Failure = (usize, Error);

/// The tokenizer and the options of a call, equal for all of its texts.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) tokenizer: &'a Arc<Tokenizer>,
    pub(crate) pool: &'a ScratchPool,
    pub(crate) options: &'a Options,
    /// Whether all columns are requested, not only ids.
    pub(crate) columns: bool,
}
