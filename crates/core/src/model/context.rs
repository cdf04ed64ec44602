//! Context: the state between words of a text, for models that encode a text as one word.
//!
//! If a text is cut into words ([`SpaceAdjacency`](super::adjacency::SpaceAdjacency)), the tokens of a word may still
//! depend on a state that is carried from word to word. A [`Context`] keeps it. In Unigram models it is the running
//! score in 32 bits, whose rounding decides between nearly equal segmentations.
//!
//! The *exponent* of a context bounds its state: the absolute value of the score is less than two to this power. Each
//! cached word has a *valid-below exponent*, and its tokens are used only if the context's exponent is lower.

use super::{ModelScratch, Token};
use crate::error::Result;
use crate::vocab::Entries;

/// The valid-below exponent of tokens that do not depend on the text before.
pub(crate) const VALID_ALWAYS: u8 = u8::MAX;
/// The exponent of a context at which no cached tokens are used, not even those with [`VALID_ALWAYS`].
pub(crate) const NOTHING_VALID: u8 = u8::MAX;

/// The state that is carried from word to word of a text.
///
/// Until the text ends, an id may have a tag: data for the state in its highest bits. Callers are generic over the
/// context, so that the loop over chunks has no dynamic call.
pub(crate) trait Context: Clone {
    /// Begins a text whose first id has the index `ids`, and which may become these entries.
    fn begin(&mut self, ids: usize, entries: Entries);

    /// Ends the text: removes the tags from its ids.
    fn end(&mut self, ids: &mut [u32]);

    /// Records the tags of ids that were appended, from the cache or newly encoded.
    fn record(&mut self, ids: &[u32]);

    /// Returns the context's exponent for about `bytes` more bytes, given all `ids` so far.
    fn announce(&mut self, ids: &[u32], bytes: usize) -> u8;

    /// Returns whether the exponent that was announced was exceeded: tokens from the cache may be wrong.
    fn is_exceeded(&mut self, ids: &[u32]) -> bool;

    /// Announces that no cached tokens hold.
    fn distrust(&mut self);

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
