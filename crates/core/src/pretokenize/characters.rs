//! Splits text by properties of single characters.

use super::Behavior;
use super::split::Parts;
use crate::text::span::Span;
use crate::text::unicode::{Class, class};

/// Splits at white space, and makes every punctuation character a word.
pub(super) fn bert(text: &str, each: &mut dyn FnMut(Span)) {
    let mut start = 0;
    for (at, c) in text.char_indices() {
        let class = class(c);
        let (space, alone) = (class.intersects(Class::WHITESPACE), class.intersects(Class::PUNCTUATION));
        if !(space || alone) {
            continue;
        }
        each(Span::new(start, at));
        start = at + c.len_utf8();
        if !space {
            each(Span::new(at, start));
        }
    }
    each(Span::new(start, text.len()));
}

/// Splits at white space.
pub(super) fn whitespace_split(text: &str, each: &mut dyn FnMut(Span)) {
    split(text, |c| Class::WHITESPACE.contains(c), Behavior::Removed, each);
}

/// Splits into runs of word characters, and runs of characters that are neither that nor white space.
pub(super) fn whitespace(text: &str, each: &mut dyn FnMut(Span)) {
    let (mut start, mut inside) = (0, Class::WHITESPACE);
    for (at, c) in text.char_indices() {
        let class = class(c);
        let kind =
            [Class::WORD, Class::WHITESPACE].into_iter().find(|&kind| class.intersects(kind)).unwrap_or_default();
        if kind != inside {
            if inside != Class::WHITESPACE {
                each(Span::new(start, at));
            }
            (start, inside) = (at, kind);
        }
    }
    if inside != Class::WHITESPACE {
        each(Span::new(start, text.len()));
    }
}

/// Splits at the characters that are delimiters.
pub(super) fn split(text: &str, is_delimiter: impl Fn(char) -> bool, behavior: Behavior, each: &mut dyn FnMut(Span)) {
    let mut parts = Parts::new(behavior, false, each);
    for (at, c) in text.char_indices().filter(|&(_, c)| is_delimiter(c)) {
        parts.found(at, at + c.len_utf8());
    }
    parts.finish(text.len());
}

/// Splits into words of `length` characters; the last one may be shorter.
pub(super) fn fixed_length(text: &str, length: usize, each: &mut dyn FnMut(Span)) {
    let mut start = 0;
    for (at, _) in text.char_indices().step_by(length).skip(1) {
        each(Span::new(start, at));
        start = at;
    }
    each(Span::new(start, text.len()));
}

/// Returns whether a text is white space alone.
pub(super) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| Class::WHITESPACE.contains(c))
}
