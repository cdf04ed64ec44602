//! Removal of white space at the ends, and of characters anywhere.

use std::ops::Range;

use super::Normalized;
use super::locality::{ChangedCharacters, CharacterChanges, Locality, WordChanges};
use crate::text::span::Span;
use crate::text::unicode::Class;

/// The ends whose white space is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strip {
    /// Whether to strip the beginning.
    pub left: bool,
    /// Whether to strip the end.
    pub right: bool,
}

fn is_whitespace(c: char) -> bool {
    Class::WHITESPACE.contains(c)
}

impl Strip {
    pub(super) fn locality(self) -> Locality<'static> {
        // What is removed from the front decides how the text begins, and whether it gets a metaspace. The fast path
        // applies it to the text if it is the first step: see [`WordSplitter::without_leading_strip`].
        let words = (!self.left).then(|| WordChanges { strips_end: true, ..WordChanges::default() });
        Locality { words, ..Locality::default() }
    }

    /// Returns the span of a text that is not removed.
    pub(crate) fn kept(self, text: &str) -> Span {
        let rest = if self.left { text.trim_start_matches(is_whitespace) } else { text };
        let kept = if self.right { rest.trim_end_matches(is_whitespace) } else { rest };
        let start = text.len() - rest.len();
        Span::new(start, start + kept.len())
    }

    pub(super) fn normalize(self, text: &mut Normalized, spare: &mut Normalized) {
        let Range { start, end } = self.kept(text.text()).range();
        if end - start == text.text().len() {
            return;
        }
        text.rewrite(spare, |to| {
            let source = to.source();
            if !to.is_whole() {
                source[..start].chars().for_each(|_| to.remove());
                return source[start..end].chars().for_each(|c| to.replace(c));
            }
            to.remove_to(start);
            to.copy_to(end);
        });
    }
}

pub(super) fn locality_of_accents() -> Locality<'static> {
    Locality {
        characters: Some(CharacterChanges::default()),
        words: Some(WordChanges { changed: ChangedCharacters::All, ..WordChanges::default() }),
        ..Locality::default()
    }
}

/// Removes combining marks anywhere in the text.
pub(super) fn strip_accents(text: &mut Normalized, spare: &mut Normalized) {
    filter(text, spare, |c| c.is_ascii() || !Class::COMBINING_MARK.contains(c));
}

/// Removes the characters for which `keep` is false.
pub(super) fn filter(text: &mut Normalized, spare: &mut Normalized, keep: impl Fn(char) -> bool) {
    if text.text().chars().all(&keep) && text.is_whole() {
        return;
    }
    text.rewrite(spare, |to| {
        for c in to.source().chars() {
            if keep(c) { to.replace(c) } else { to.remove() }
        }
    });
}

/// Replaces each character.
pub(super) fn map(text: &mut Normalized, spare: &mut Normalized, become_: impl Fn(char) -> char) {
    if text.text().chars().all(|c| become_(c) == c) && text.is_whole() {
        return;
    }
    text.rewrite(spare, |to| to.source().chars().for_each(|c| to.replace(become_(c))));
}
