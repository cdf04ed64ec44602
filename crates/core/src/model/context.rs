//! Context: the state between words of a text, for models that encode a text as one word.
//!
//! If a text is cut into words ([`SpaceAdjacency`](super::adjacency::SpaceAdjacency)), the tokens of a word may still
//! depend on a state that is carried from word to word, such as a running score. A [`Context`] keeps it. Cached tokens
//! are valid while its *exponent* is small enough: each cached word has a *valid-below exponent*, and is used only if
//! the context's exponent is lower.

use super::{ModelScratch, Token};
use crate::error::Result;
use crate::vocab::Entries;

/// The valid-below exponent of tokens that do not depend on the text before.
pub(crate) const VALID_ALWAYS: u8 = u8::MAX;
/// The exponent of a context in which no cached tokens are valid that depend on it.
pub(crate) const NOTHING_VALID: u8 = u8::MAX;

/// The error that a context exceeded the announced exponent, so that tokens from a cache may be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ContextExceeded;

/// The state that is carried from word to word of a text. Ids may have tags for it until the text ends.
///
/// Callers are generic over it, so that the loop over chunks has no dynamic call.
pub(crate) trait Context {
    /// Begins a text after this number of ids, which may become these entries.
    fn begin(&mut self, ids: usize, entries: Entries);

    /// Ends the text: removes the tags from its ids, and checks the last announced exponent.
    fn end(&mut self, ids: &mut [u32]) -> std::result::Result<(), ContextExceeded>;

    /// Records the tags of more ids.
    fn record(&mut self, ids: &[u32]);

    /// Returns the exponent that holds for about this number of further bytes; `ids` are all ids so far.
    fn announce(&mut self, ids: &[u32], bytes: usize) -> std::result::Result<u8, ContextExceeded>;

    /// Appends the tokens of a word, which starts at byte `at` of the normalized text; returns their valid-below exponent.
    fn encode_word(
        &mut self,
        word: &str,
        at: u32,
        ids: &[u32],
        scratch: &mut ModelScratch,
        out: &mut Vec<Token>,
    ) -> Result<u8>;

    /// Returns an id without its tag.
    fn untagged(&self, id: u32) -> u32;
}
