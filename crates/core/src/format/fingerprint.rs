//! Fingerprints: the SHA-256 of what decides the ids of a text.
//!
//! The hash is of the canonical JSON of these parts, as [`write_tokenizer_json`](super::write_tokenizer_json) writes
//! them: normalizer, pre-tokenizer, model, added tokens and post-processor. The decoder, truncation, padding and the
//! record of a training are left out, since the ids of a whole text do not depend on them; so are the order of members
//! and the spelling of numbers in the file that was read.

use sha2::{Digest, Sha256};

use super::json::{Json, object};
use super::members::Member;
use super::tokenizer_json::{model_json, refuse_functions, splitter_json, text_splitter_json};
use crate::added::AddedToken;
use crate::counts::{TextSplitter, hexadecimal};
use crate::error::Result;
use crate::pipeline::Tokenizer;

/// Changes when a part gets another canonical JSON, so that old fingerprints differ from new ones.
const VERSION: u64 = 1;

/// Returns the fingerprint of a tokenizer, in hexadecimal digits.
///
/// Tokenizers with equal fingerprints give equal ids. The reverse does not hold: two settings may have the same effect.
/// A Python function as pre-tokenizer is an error.
///
/// ```
/// use piecework_core::format::{fingerprint, format_named};
///
/// let format = format_named("vocab.txt")?;
/// let (one, other) = (format.read(b"[UNK]\nlow\n##er\n")?, format.read(b"[UNK]\nlow\n##es\n")?);
/// assert_eq!(fingerprint(&one)?.len(), 64);
/// assert_ne!(fingerprint(&one)?, fingerprint(&other)?);
/// # Ok::<(), piecework_core::Error>(())
/// ```
pub fn fingerprint(tokenizer: &Tokenizer) -> Result<String> {
    hash_of(tokenizer, |token| token.control)
}

/// Returns the fingerprint of the tokenizer that is read from a `tokenizer.json`, which has no control symbols.
pub(super) fn saved_fingerprint(tokenizer: &Tokenizer) -> Result<String> {
    hash_of(tokenizer, |_| false)
}

fn hash_of(tokenizer: &Tokenizer, is_control: fn(&AddedToken) -> bool) -> Result<String> {
    refuse_functions(tokenizer.splitter(), "a tokenizer")?;
    let mut added: Vec<_> = tokenizer.added().tokens().iter().collect();
    added.sort_unstable_by_key(|token| token.id);
    let with_control = |token: &AddedToken| object([("token", token.json()), ("control", is_control(token).into())]);
    Ok(hash(&object([
        ("fingerprint", VERSION.into()),
        ("splitter", splitter_json(tokenizer.splitter())),
        ("model", model_json(tokenizer.model(), None)?),
        ("token_counts", deciding_counts(tokenizer)),
        ("added_tokens", added.into_iter().map(with_control).collect()),
        ("post_processor", tokenizer.post_processor().map(Member::json).into()),
    ])))
}

/// Returns the fingerprint of what decides the words of a text: normalizer, pre-tokenizer and added tokens.
pub fn splitter_fingerprint(splitter: &TextSplitter) -> Result<String> {
    refuse_functions(splitter.words(), "a splitter")?;
    Ok(hash(&object([("fingerprint", VERSION.into()), ("splitter", text_splitter_json(splitter))])))
}

/// Returns the token counts if they decide segmentations, as the probabilities of a `WordPiece` model without its own.
fn deciding_counts(tokenizer: &Tokenizer) -> Json {
    let training = tokenizer.training().filter(|_| tokenizer.traits().uses_counts);
    training.map(|training| training.token_counts.json()).into()
}

fn hash(json: &Json) -> String {
    hexadecimal(Sha256::new_with_prefix(json.text()))
}
