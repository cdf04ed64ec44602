//! The grammars: the end of a match, character by character.

use std::ops::Range;

use crate::text::unicode::{Category, Class, category};

const LETTER: Category = Category::LETTER;
const NUMBER: Category = Category::NUMBER;
const BLANK: Category = Category::BLANK;
const MARKED: Category = LETTER.union(Category::MARK);
const SYMBOLS: Category = Category::PUNCT.union(Category::SYMBOL);
/// The characters that the alternative for other characters does not match.
const MATCHED: Category = LETTER.union(NUMBER).union(BLANK);
/// The characters of the upper-case part of a word; marks and letters without case are in both parts.
const HEAD: Category = Category::UPPER.union(Category::CASELESS).union(Category::MARK);
/// The characters of the lower-case part of a word.
const TAIL: Category = Category::LOWER.union(Category::CASELESS).union(Category::MARK);

/// The differences between the patterns since `cl100k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Modern {
    /// The maximum number of digits in a match.
    pub(crate) digits: usize,
    /// Whether white space at the end of the text is one match, even over several lines.
    pub(crate) end: bool,
    /// The characters that words consist of.
    pub(crate) letters: Letters,
    /// Whether contractions are matches or, where case matters, ends of words.
    pub(crate) contractions: bool,
    /// The line ends after other characters that are in their match.
    pub(crate) line_ends: LineEnds,
}

/// The characters that words consist of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Letters {
    /// Letters alone.
    Alone,
    /// Letters and marks.
    WithMarks,
    /// Letters and marks; case splits words.
    Cased,
    /// Letters and marks without Han characters, runs of which are matches; case splits words.
    CasedExceptHan,
}

impl Letters {
    /// Returns whether case splits words.
    pub(crate) fn are_cased(self) -> bool {
        matches!(self, Self::Cased | Self::CasedExceptHan)
    }
}

/// The line ends after a run of characters that are in its match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnds {
    None,
    All,
    /// All line ends and the slashes between and after them.
    WithSlashes,
}

/// Matches `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`.
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
        _ => run(text, after, |kind| !kind.intersects(MATCHED)),
    };
    Some(start..end)
}

/// Matches a pattern since `cl100k`, with the differences in `rules` from
/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`.
#[inline]
pub(super) fn modern(text: &str, start: usize, rules: Modern) -> Option<Range<usize>> {
    let first @ (kind, after) = next(text, start)?;
    let contraction = |at| contraction(text, at, true).filter(|_| rules.contractions);
    let end = match rules.letters {
        Letters::Alone => contraction(start).or_else(|| word(text, start, first, LETTER, NUMBER)),
        Letters::WithMarks => contraction(start).or_else(|| word(text, start, first, MARKED, NUMBER)),
        Letters::Cased => cased_word(text, start, first, next).map(|end| contraction(end).unwrap_or(end)),
        Letters::CasedExceptHan => han(text, start)
            .or_else(|| cased_word(text, start, first, next_except_han).map(|end| contraction(end).unwrap_or(end))),
    };
    let end = end.unwrap_or_else(|| match kind {
        NUMBER => numbers(text, after, rules.digits),
        _ => rest(text, start, rules).unwrap_or_else(|| blank_lines(text, start, after, rules.end)),
    });
    Some(start..end)
}

/// Matches `'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+`.
pub(super) fn clip(text: &str, from: usize) -> Option<Range<usize>> {
    let start = run(text, from, |kind| kind == BLANK);
    let (kind, after) = next(text, start)?;
    let end = contraction(text, start, false).unwrap_or_else(|| match kind {
        NUMBER => after,
        kind if kind.intersects(LETTER) => run(text, after, |kind| kind.intersects(LETTER)),
        _ => run(text, after, |kind| !kind.intersects(MATCHED)),
    });
    Some(start..end)
}

/// Matches ``[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+``
/// `| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`; without line ends, `| ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+`.
pub(super) fn deepseek(text: &str, mut start: usize, line_ends: LineEnds) -> Option<Range<usize>> {
    loop {
        let first @ (kind, after) = next(text, start)?;
        let end = name(text, start)
            .or_else(|| word(text, start, first, MARKED, SYMBOLS))
            .or_else(|| with_line_ends(text, start, |kind| kind.intersects(SYMBOLS), line_ends))
            .or_else(|| {
                (kind == BLANK).then(|| match line_ends {
                    LineEnds::None if is_line_end(text.as_bytes()[start]) => after,
                    LineEnds::None => blank(text, after),
                    _ => blank_lines(text, start, after, false),
                })
            });
        if let Some(end) = end {
            return Some(start..end);
        }
        start = after;
    }
}

/// Matches ``[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+``.
fn name(text: &str, start: usize) -> Option<usize> {
    let rest = &text.as_bytes()[start..];
    let letters = rest[1..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    (rest[0].is_ascii_punctuation() && letters > 0).then_some(start + 1 + letters)
}

/// Matches `'s|'t|'re|'ve|'m|'ll|'d`, in any case if `caseless` (where `ſ` is an `s`).
///
/// The next character does not matter: `'save` begins with a contraction.
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

/// Matches `[^\r\n\p{L}OTHERS]?[LETTERS]+`, where the letters are `\p{L}`, or `\p{L}\p{M}`.
///
/// A mark may be the character before a word or in a word, with the same result. `first` is the result of [`next`] for
/// `start`.
#[inline]
fn word(text: &str, start: usize, first: (Category, usize), letters: Category, others: Category) -> Option<usize> {
    let from = if first.0.intersects(letters) { start } else { after_prefix(text, start, first, others)? };
    let end = run(text, from, |kind| kind.intersects(letters));
    (end > from).then_some(end)
}

/// Matches `\p{Han}+`.
fn han(text: &str, start: usize) -> Option<usize> {
    let mut end = start;
    while is_han(text, end) {
        end = next(text, end)?.1;
    }
    (end > start).then_some(end)
}

/// Matches the two alternatives for words split by case, without the contraction.
///
/// `next` returns the category of the character at a position, which decides whether words contain it, and its end.
fn cased_word(
    text: &str,
    start: usize,
    first: (Category, usize),
    next: impl Fn(&str, usize) -> Option<(Category, usize)>,
) -> Option<usize> {
    // A mark may be the character before a word or in a word, with the same result: as the first character of a word it
    // is matched with what could follow it, and alone if nothing does.
    let from = if first.0.intersects(MARKED) { start } else { after_prefix(text, start, first, NUMBER)? };
    let (mut end, mut both) = (from, None);
    while let Some((kind, after)) = next(text, end).filter(|(kind, _)| kind.intersects(HEAD)) {
        end = after;
        if kind != Category::UPPER {
            both = Some(end);
        }
    }
    let whole = run_by(&next, text, end, |kind| kind.intersects(TAIL));
    match both {
        _ if whole > end => Some(whole),
        // The first part gives back characters to the second, which must not be empty.
        Some(both) => Some(both),
        None => (end > from).then_some(end),
    }
}

/// Returns the end of the one character that may precede a word: none of `others`, and no line end.
#[inline]
fn after_prefix(text: &str, start: usize, (kind, after): (Category, usize), others: Category) -> Option<usize> {
    (!kind.intersects(others) && !is_line_end(text.as_bytes()[start])).then_some(after)
}

/// Matches `\p{N}{1,most}` after its first character.
fn numbers(text: &str, mut end: usize, most: usize) -> usize {
    for _ in 1..most {
        let Some((NUMBER, after)) = next(text, end) else { break };
        end = after;
    }
    end
}

/// Matches ` ?[^\s\p{L}\p{N}]+[\r\n]*`, without marks if they belong to words alone.
fn rest(text: &str, start: usize, rules: Modern) -> Option<usize> {
    let others = if rules.letters == Letters::WithMarks { MATCHED.union(Category::MARK) } else { MATCHED };
    with_line_ends(text, start, |kind| !kind.intersects(others), rules.line_ends)
}

/// Matches an optional space, a run of characters for which `is` holds, and the line ends after it.
fn with_line_ends(text: &str, start: usize, is: impl Fn(Category) -> bool, line_ends: LineEnds) -> Option<usize> {
    let from = start + usize::from(text.as_bytes()[start] == b' ');
    let end = run(text, from, is);
    let goes_on = |byte: &&u8| match line_ends {
        LineEnds::None => false,
        LineEnds::All => is_line_end(**byte),
        LineEnds::WithSlashes => is_line_end(**byte) || **byte == b'/',
    };
    (end > from).then(|| end + text.as_bytes()[end..].iter().take_while(goes_on).count())
}

/// Matches `\s*[\r\n]+|\s+(?!\S)|\s+`, preceded by `\s+\z` if `whole_at_end`.
fn blank_lines(text: &str, start: usize, after: usize, whole_at_end: bool) -> usize {
    let end = run(text, start, |kind| kind == BLANK);
    let newline = text.as_bytes()[start..end].iter().rposition(|&byte| is_line_end(byte));
    match newline {
        _ if whole_at_end && end == text.len() => end,
        Some(newline) => start + newline + 1,
        None => blank(text, after),
    }
}

/// Matches `\s+(?!\S)|\s+` after its first character: before other text, the last white space is left out.
fn blank(text: &str, after: usize) -> usize {
    let end = run(text, after, |kind| kind == BLANK);
    if end == text.len() || end == after {
        return end;
    }
    end - text[..end].chars().next_back().map_or(0, char::len_utf8)
}

/// Returns the end of the run of characters from `at` for which `is` holds.
#[inline]
fn run(text: &str, at: usize, is: impl Fn(Category) -> bool) -> usize {
    run_by(next, text, at, is)
}

/// Returns the end of such a run; `next` returns the category of the character at a position, and its end.
#[inline]
fn run_by(
    next: impl Fn(&str, usize) -> Option<(Category, usize)>,
    text: &str,
    mut at: usize,
    is: impl Fn(Category) -> bool,
) -> usize {
    while let Some((_, after)) = next(text, at).filter(|&(kind, _)| is(kind)) {
        at = after;
    }
    at
}

/// Returns the category of the character at `at` and its end, or nothing at the end of the text.
#[inline]
fn next(text: &str, at: usize) -> Option<(Category, usize)> {
    let byte = *text.as_bytes().get(at)?;
    let c = if byte.is_ascii() { char::from(byte) } else { text[at..].chars().next()? };
    Some((category(c), at + c.len_utf8()))
}

/// Returns the category of the character at `at` and its end; Han characters are in no category.
fn next_except_han(text: &str, at: usize) -> Option<(Category, usize)> {
    next(text, at).map(|(kind, after)| (if is_han(text, at) { Category::REST } else { kind }, after))
}

/// Returns whether the character at `at` matches `\p{Han}`.
fn is_han(text: &str, at: usize) -> bool {
    text.as_bytes().get(at).is_some_and(|byte| !byte.is_ascii())
        && text[at..].chars().next().is_some_and(|c| Class::HAN.contains(c))
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

/// Matches `\d{1,3}(?=(?:\d{3})*\b)`: the digits of a number in groups of three from its end, if no word goes on there.
///
/// A `start` behind a digit is the end of a match, so the rest of the number has groups of three alone.
pub(super) fn thousands(text: &str, start: usize) -> Option<Range<usize>> {
    let digits = |from: usize| text[from..].chars().take_while(|&c| is_decimal(c));
    if text[..start].chars().next_back().is_some_and(is_decimal) && text[start..].starts_with(is_decimal) {
        return Some(start..start + digits(start).take(3).map(char::len_utf8).sum::<usize>());
    }
    let mut at = start;
    loop {
        at += text[at..].find(is_decimal)?;
        let (count, bytes) = digits(at).fold((0, 0), |(count, bytes), c| (count + 1, bytes + c.len_utf8()));
        if !text[at + bytes..].starts_with(is_word) {
            let first = digits(at).take((count - 1) % 3 + 1).map(char::len_utf8).sum::<usize>();
            return Some(at..at + first);
        }
        at += bytes;
    }
}

/// Matches `(?:\r?\n)+(?!\r?\n)`: the line ends between two lines that are not empty.
pub(super) fn line_ends(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut end = start + memchr::memchr(b'\n', &bytes[start..])?;
    let first = if bytes[start..end].ends_with(b"\r") { end - 1 } else { end };
    loop {
        end += match bytes[end..] {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ => return Some(first..end),
        };
    }
}

/// Returns whether a character is `\d` of Oniguruma.
pub(super) fn is_decimal(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_digit();
    }
    let is_in = |zeros: &[u32]| {
        let after = zeros.partition_point(|&zero| zero <= u32::from(c));
        after > 0 && u32::from(c) - zeros[after - 1] < 10
    };
    category(c) == NUMBER && is_in(&ZEROS)
}

/// Returns whether a character is `\w` of Oniguruma: some fractions and superscripts are, and no joiners.
pub(super) fn is_word(c: char) -> bool {
    match c {
        '²' | '³' | '¹' | '¼'..='¾' => true,
        '\u{200C}' | '\u{200D}' => false,
        c => Class::WORD.contains(c),
    }
}

/// The digits zero beyond ASCII; the others follow them.
const ZEROS: [u32; 75] = [
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6, 0xE50, 0xED0, 0xF20,
    0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0,
    0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0, 0x10D30, 0x10D40, 0x11066, 0x110F0, 0x11136, 0x111D0,
    0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950, 0x11BF0, 0x11C50,
    0x11D50, 0x11DA0, 0x11F50, 0x16130, 0x16A60, 0x16AC0, 0x16B50, 0x16D70, 0x1CCF0, 0x1D7CE, 0x1D7D8, 0x1D7E2,
    0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E5F1, 0x1E950, 0x1FBF0,
];
