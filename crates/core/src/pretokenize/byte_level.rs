//! The pre-tokenization of byte-level models: the pattern of GPT-2, then bytes as printable characters.

use super::gpt2;
use crate::error::Result;
use crate::normalize::{Normalized, write_bytes};
use crate::settings::ByteLevel;
use crate::words::Words;

/// Splits `words`, and writes their bytes as characters.
pub(super) fn pre_tokenize(settings: ByteLevel, words: &mut Words) -> Result<()> {
    if settings.add_prefix_space {
        words.prepend(' ', |_, _| true);
    }
    if settings.use_regex {
        words.split(|text, each| {
            gpt2::split(text, each);
            Ok(())
        })?;
    }
    words.rewrite(|from, word, to| Normalized::rewritten(to, from, word.span, word.origin, write_bytes));
    Ok(())
}
