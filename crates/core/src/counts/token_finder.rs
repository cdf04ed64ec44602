//! Finds the added tokens of texts to count, without normalizing most of the texts.

use super::TextSplitter;
use crate::added::{AllowedFinders, TextPart};
use crate::fast::{
    AddedTokenSplitter, Failed, NormalizedTokenBuffers, NormalizedTokenPart, NormalizedTokenSearch, finds_any,
};

/// The search for the added tokens of a splitter, with its buffers.
#[derive(Debug)]
pub(super) struct TokenFinder {
    known: NormalizedTokenSearch,
    forms: NormalizedTokenBuffers,
    allowed: AllowedFinders,
    /// Whether a token may be in two lines of a text.
    spans_lines: bool,
}

impl TokenFinder {
    /// Returns the search for the tokens of a splitter; `None` if it has none.
    pub(super) fn of(splitter: &TextSplitter) -> Option<Self> {
        let tokens = splitter.added();
        (!tokens.is_empty()).then(|| Self {
            known: NormalizedTokenSearch::of(splitter.words()),
            forms: NormalizedTokenBuffers::default(),
            allowed: AllowedFinders::default(),
            spans_lines: tokens.iter().any(|token| token.content.contains(['\n', '\r'])),
        })
    }

    /// Returns whether no line of a text has a token; false if only normalizing the lines shows it.
    pub(super) fn excludes(&mut self, splitter: &TextSplitter, lines: &str) -> bool {
        let Ok(search) = splitter.search(lines, &mut self.allowed) else { return false };
        !self.spans_lines
            && !finds_any(|each| search.raw(lines, 0, each))
            && (!search.searches_normalized() || self.known.excludes(search, lines, &mut self.forms))
    }

    /// Replaces `parts` with the parts of a text; an error if it has one, or a token at a place that is not known.
    pub(super) fn cut(&mut self, splitter: &TextSplitter, text: &str, parts: &mut Vec<TextPart>) -> Result<(), Failed> {
        parts.clear();
        let Self { known, forms, allowed, .. } = self;
        let search = splitter.search(text, allowed)?;
        AddedTokenSplitter { known: Some(known), splitter: splitter.words(), buffers: forms }.split(
            search,
            (text, 0),
            |_, _| false,
            |_, base, part| {
                parts.push(match part {
                    NormalizedTokenPart::Known(TextPart::Text(span)) => TextPart::Text(span.shifted(base)),
                    NormalizedTokenPart::Known(TextPart::Token(id, span)) => TextPart::Token(id, span.shifted(base)),
                    NormalizedTokenPart::Unknown(_) => return Err(Failed),
                });
                Ok(())
            },
        )
    }
}
