//! The pre-tokenization of byte-level models: the pattern of GPT-2, then bytes as printable characters.

use super::boundary::Boundary;
use crate::error::Result;
use crate::normalize::{Normalized, write_bytes};
use crate::pretokenize::words::Words;
use crate::settings::ByteLevel;
use crate::text::grammar::Grammar;
use crate::text::span::Span;

/// The pattern that it splits by.
pub(super) const GRAMMAR: Grammar = Grammar::GPT2;

/// Returns the boundary; [`Boundary::Text`] if a space is put before a text that stays whole.
pub(super) fn boundary(ByteLevel { add_prefix_space, use_regex, .. }: ByteLevel) -> Boundary {
    match (add_prefix_space, use_regex) {
        (true, false) => Boundary::Text,
        (prefix_space, true) => Boundary::Matches { grammar: GRAMMAR, writes_bytes: true, prefix_space },
        (false, false) => Boundary::Bytes,
    }
}

/// Splits `words`, and writes their bytes as characters.
pub(super) fn pre_tokenize(settings: ByteLevel, words: &mut Words) -> Result<()> {
    if settings.add_prefix_space {
        words.prepend(' ', |_, _| true);
    }
    if settings.use_regex {
        words.split(|text, each| {
            GRAMMAR.find_matches(text, |range| each(Span::new(range.start, range.end)));
            Ok(())
        })?;
    }
    words.rewrite(|from, word, to| Normalized::rewritten(to, from, word.span, word.origin, write_bytes));
    Ok(())
}
