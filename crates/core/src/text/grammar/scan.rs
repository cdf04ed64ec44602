//! The grammars, a character at a time: what a match that begins somewhere is, and where it ends.

use std::ops::Range;

use crate::text::unicode::{Category, category};

const LETTER: Category = Category::LETTER;
const NUMBER: Category = Category::NUMBER;
const BLANK: Category = Category::BLANK;
/// What no alternative but the one for the rest takes.
const TAKEN: Category = LETTER.union(NUMBER).union(BLANK);
/// What may stand before the lower case of a word, and what may stand in it; marks and letters without case may both.
const HEAD: Category = Category::UPPER.union(Category::CASELESS).union(Category::MARK);
const TAIL: Category = Category::LOWER.union(Category::CASELESS).union(Category::MARK);

/// In what the patterns since `cl100k` differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Modern {
    /// The most digits of a match.
    pub(crate) digits: usize,
    /// Whether white space at the end of the text stays together, even over lines.
    pub(crate) end: bool,
    /// Whether case divides words, contractions end them, and slashes go with the ends of lines.
    pub(crate) case: bool,
}

pub(super) const CL100K: Modern = Modern { digits: 3, end: true, case: false };
pub(super) const LLAMA3: Modern = Modern { digits: 3, end: false, case: false };
pub(super) const QWEN2: Modern = Modern { digits: 1, end: false, case: false };
pub(super) const O200K: Modern = Modern { digits: 3, end: false, case: true };

/// `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
#[inline]
pub(super) fn gpt2(text: &str, start: usize) -> Option<Range<usize>> {
    let (kind, mut after) = next(text, start)?;
    if let Some(end) = contraction(text, start, false) {
        return Some(start..end);
    }
    let first = match next(text, after) {
        Some((kind, end)) if text.as_bytes()[start] == b' ' && kind != BLANK => {
            after = end;
            kind
        }
        _ => kind,
    };
    let end = match first {
        BLANK => blank(text, after),
        NUMBER => run(text, after, |kind| kind == NUMBER),
        kind if kind.intersects(LETTER) => run(text, after, |kind| kind.intersects(LETTER)),
        _ => run(text, after, |kind| !kind.intersects(TAKEN)),
    };
    Some(start..end)
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
/// and what differs from it by `rules`.
#[inline]
pub(super) fn modern(text: &str, start: usize, rules: Modern) -> Option<Range<usize>> {
    let (kind, after) = next(text, start)?;
    let end = match rules.case {
        true => cased_word(text, start, kind, after).map(|end| contraction(text, end, true).unwrap_or(end)),
        false => contraction(text, start, true).or_else(|| word(text, start, kind, after)),
    };
    let end = end.unwrap_or_else(|| match kind {
        NUMBER => numbers(text, after, rules.digits),
        _ => rest(text, start, rules.case).unwrap_or_else(|| blank_lines(text, start, after, rules.end)),
    });
    Some(start..end)
}

/// `'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`
pub(super) fn clip(text: &str, from: usize) -> Option<Range<usize>> {
    let start = run(text, from, |kind| kind == BLANK);
    let (kind, after) = next(text, start)?;
    let end = contraction(text, start, false).unwrap_or_else(|| match kind {
        NUMBER => after,
        kind if kind.intersects(LETTER) => run(text, after, |kind| kind.intersects(LETTER)),
        _ => run(text, after, |kind| !kind.intersects(TAKEN)),
    });
    Some(start..end)
}

/// `'s|'t|'re|'ve|'m|'ll|'d`, in any case if `caseless`, where `ſ` is an `s`.
///
/// What follows it does not matter: `'save` begins with one.
#[inline]
pub(crate) fn contraction(text: &str, start: usize, caseless: bool) -> Option<usize> {
    let rest = text.as_bytes()[start..].strip_prefix(b"'")?;
    let lower = |byte: u8| if caseless { byte.to_ascii_lowercase() } else { byte };
    let length = match [0, 1].map(|at| rest.get(at).map_or(0, |&byte| lower(byte))) {
        [b's' | b't' | b'm' | b'd', _] => 1,
        [b'r' | b'v', b'e'] | [b'l', b'l'] => 2,
        [0xC5, 0xBF] if caseless => 2,
        _ => return None,
    };
    Some(start + 1 + length)
}

/// `[^\r\n\p{L}\p{N}]?\p{L}+`
#[inline]
fn word(text: &str, start: usize, kind: Category, after: usize) -> Option<usize> {
    let from = if kind.intersects(LETTER) { start } else { behind_prefix(text, start, kind, after)? };
    let end = run(text, from, |kind| kind.intersects(LETTER));
    (end > from).then_some(end)
}

/// The two alternatives for words that case divides, without the contraction.
fn cased_word(text: &str, start: usize, kind: Category, after: usize) -> Option<usize> {
    // A mark may stand before a word and in one. It makes no difference: as the word's first character it is
    // matched with what it could stand before, and by itself where that is nothing.
    let is_part = kind.intersects(LETTER.union(Category::MARK));
    let from = if is_part { start } else { behind_prefix(text, start, kind, after)? };
    let (mut end, mut both) = (from, None);
    while let Some((kind, after)) = next(text, end).filter(|(kind, _)| kind.intersects(HEAD)) {
        end = after;
        if kind != Category::UPPER {
            both = Some(end);
        }
    }
    let whole = run(text, end, |kind| kind.intersects(TAIL));
    match both {
        _ if whole > end => Some(whole),
        // The head gives back what the tail, which must not be empty, can have.
        Some(both) => Some(both),
        None => (end > from).then_some(end),
    }
}

/// Where the one character ends that may stand before a word.
#[inline]
fn behind_prefix(text: &str, start: usize, kind: Category, after: usize) -> Option<usize> {
    (kind != NUMBER && !matches!(text.as_bytes()[start], b'\r' | b'\n')).then_some(after)
}

/// `\p{N}{1,most}`, behind the first.
fn numbers(text: &str, mut end: usize, most: usize) -> usize {
    for _ in 1..most {
        let Some((NUMBER, after)) = next(text, end) else { break };
        end = after;
    }
    end
}

/// ` ?[^\s\p{L}\p{N}]+[\r\n]*`, with slashes at the end if `slashes`.
fn rest(text: &str, start: usize, slashes: bool) -> Option<usize> {
    let from = start + usize::from(text.as_bytes()[start] == b' ');
    let end = run(text, from, |kind| !kind.intersects(TAKEN));
    let goes_on = |byte: &&u8| matches!(byte, b'\r' | b'\n') || slashes && **byte == b'/';
    (end > from).then(|| end + text.as_bytes()[end..].iter().take_while(goes_on).count())
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`, before it `\s+\z` if `whole_at_end`.
fn blank_lines(text: &str, start: usize, after: usize, whole_at_end: bool) -> usize {
    let end = run(text, start, |kind| kind == BLANK);
    let newline = text.as_bytes()[start..end].iter().rposition(|byte| matches!(byte, b'\r' | b'\n'));
    match newline {
        _ if whole_at_end && end == text.len() => end,
        Some(newline) => start + newline + 1,
        None => blank(text, after),
    }
}

/// `\s+(?!\S)|\s+`, behind the first: white space before something else leaves its last character to that.
fn blank(text: &str, after: usize) -> usize {
    let end = run(text, after, |kind| kind == BLANK);
    if end == text.len() || end == after {
        return end;
    }
    end - text[..end].chars().next_back().map_or(0, char::len_utf8)
}

/// Where the characters end of which `is` holds, which go on at `at`.
#[inline]
fn run(text: &str, mut at: usize, is: impl Fn(Category) -> bool) -> usize {
    while let Some((_, after)) = next(text, at).filter(|&(kind, _)| is(kind)) {
        at = after;
    }
    at
}

/// What the character at `at` is, and where it ends; nothing at the end of the text.
#[inline]
fn next(text: &str, at: usize) -> Option<(Category, usize)> {
    let byte = *text.as_bytes().get(at)?;
    let c = if byte.is_ascii() { char::from(byte) } else { text[at..].chars().next()? };
    Some((category(c), at + c.len_utf8()))
}
