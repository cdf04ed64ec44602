//! Replaces spaces by the metaspace, which begins words, as in SentencePiece.

use super::boundary::Boundary;
use super::{Behavior, characters};
use crate::error::Result;
use crate::pretokenize::words::Words;
use crate::settings::{METASPACE, Metaspace, PrependScheme};

/// Returns the boundary of the settings.
pub(super) fn boundary(settings: Metaspace) -> Boundary {
    match settings {
        Metaspace { replacement: METASPACE, prepend_scheme: prepend, split: true } => {
            Boundary::Metaspaces { prepend, drops_spaces: false, splits_words: false }
        }
        Metaspace { replacement: METASPACE, prepend_scheme: prepend, split: false } => Boundary::Whole { prepend },
        _ => Boundary::Text,
    }
}

/// Replaces spaces by the metaspace, and splits `words` before it.
pub(super) fn pre_tokenize(settings: Metaspace, words: &mut Words) -> Result<()> {
    let mark = settings.replacement;
    words.replace_char(' ', mark);
    match settings.prepend_scheme {
        PrependScheme::Never => {}
        PrependScheme::First => words.prepend_first(mark),
        PrependScheme::Always => words.prepend(mark, |_, _| true),
    }
    if settings.split {
        words.split(|text, each| {
            characters::split(text, |c| c == mark, Behavior::MergedWithNext, each);
            Ok(())
        })?;
    }
    Ok(())
}
