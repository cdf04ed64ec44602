//! GPT-2's pattern, by hand: what the reference library's `ByteLevel` finds with
//!
//! ```text
//! 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//! ```
//!
//! Letters, numbers and white space have no character in common, and what is none of them is the
//! rest. So every character begins a match of one of the alternatives: matches tile the text, and
//! the kind of the first character decides nearly everything.

use crate::span::Span;
use crate::unicode;

/// The contractions, in the order of the pattern; none is the beginning of another.
const CONTRACTIONS: [&[u8]; 7] = [b"'s", b"'t", b"'re", b"'ve", b"'m", b"'ll", b"'d"];

/// What the pattern tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `\p{L}`
    Letter,
    /// `\p{N}`
    Number,
    /// `\s`
    Space,
    /// All else.
    Rest,
}

/// The kind of each ASCII character.
const ASCII: [Kind; 128] = {
    let mut kinds = [Kind::Rest; 128];
    let mut byte = 0u8;
    while byte.is_ascii() {
        kinds[byte as usize] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' => Kind::Letter,
            b'0'..=b'9' => Kind::Number,
            b'\t'..=b'\r' | b' ' => Kind::Space,
            _ => Kind::Rest,
        };
        byte += 1;
    }
    kinds
};

/// Gives the matches in `text` to `each`, from left to right; together they are the text.
pub(super) fn split(text: &str, mut each: impl FnMut(Span)) {
    let mut start = 0;
    while let Some(end) = match_end(text, start) {
        each(Span::new(start, end));
        start = end;
    }
}

/// Where the match ends that begins at `start`; nothing at the end of the text.
#[inline]
fn match_end(text: &str, start: usize) -> Option<usize> {
    let (kind, after) = kind_at(text, start)?;
    if kind != Kind::Space {
        return Some(contraction_end(text, start).unwrap_or_else(|| run_end(text, after, kind)));
    }
    match kind_at(text, after) {
        // A space, and no other white space, belongs to what comes after it.
        Some((next, inside)) if next != Kind::Space => {
            let takes_next = text.as_bytes()[start] == b' ';
            Some(if takes_next { run_end(text, inside, next) } else { after })
        }
        _ => Some(spaces_end(text, after)),
    }
}

/// Where the contraction ends that begins at `start`. What follows it does not matter: `'save` has
/// one, and `.'s` has none, for its match begins with the full stop.
#[inline]
fn contraction_end(text: &str, start: usize) -> Option<usize> {
    let rest = &text.as_bytes()[start..];
    if rest.first() != Some(&b'\'') {
        return None;
    }
    CONTRACTIONS.iter().find(|contraction| rest.starts_with(contraction)).map(|contraction| start + contraction.len())
}

/// Where white space of two or more characters ends that goes on at `at`: at its end if the text
/// ends there, too, and else before its last character.
fn spaces_end(text: &str, at: usize) -> usize {
    let end = run_end(text, at, Kind::Space);
    if end == text.len() {
        return end;
    }
    let last = text[..end].chars().next_back().map_or(0, char::len_utf8);
    end - last
}

/// Where the characters of one kind end that go on at `at`.
#[inline]
fn run_end(text: &str, mut at: usize, kind: Kind) -> usize {
    while let Some((_, after)) = kind_at(text, at).filter(|&(found, _)| found == kind) {
        at = after;
    }
    at
}

/// The kind of the character at `at`, and where it ends; nothing at the end of the text.
#[inline]
fn kind_at(text: &str, at: usize) -> Option<(Kind, usize)> {
    let byte = *text.as_bytes().get(at)?;
    if let Some(&kind) = ASCII.get(usize::from(byte)) {
        return Some((kind, at + 1));
    }
    let c = text[at..].chars().next()?;
    Some((kind_of(c), at + c.len_utf8()))
}

/// The kind of a character.
#[inline]
fn kind_of(c: char) -> Kind {
    let class = unicode::class(c);
    if class.is_letter() {
        Kind::Letter
    } else if class.is_number() {
        Kind::Number
    } else if class.is_whitespace() {
        Kind::Space
    } else {
        Kind::Rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onig::Regex;

    const PATTERN: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

    fn pieces(text: &str) -> Vec<(usize, usize)> {
        let mut pieces = Vec::new();
        split(text, |span| pieces.push((span.range().start, span.range().end)));
        pieces
    }

    fn words(text: &str) -> Vec<&str> {
        pieces(text).into_iter().map(|(start, end)| &text[start..end]).collect()
    }

    fn check(engine: &Regex, text: &str) {
        assert_eq!(pieces(text), engine.find_iter(text).collect::<Vec<_>>(), "{text:?}");
    }

    /// Every text of up to `longest` characters of `alphabet`.
    fn check_all(alphabet: &[char], longest: usize) -> usize {
        fn extend(engine: &Regex, alphabet: &[char], text: &mut String, left: usize) -> usize {
            check(engine, text);
            if left == 0 {
                return 1;
            }
            let mut checked = 1;
            for &c in alphabet {
                text.push(c);
                checked += extend(engine, alphabet, text, left - 1);
                text.pop();
            }
            checked
        }
        let engine = Regex::new(PATTERN).expect("the pattern is valid");
        extend(&engine, alphabet, &mut String::new(), longest)
    }

    /// Texts by a linear congruential generator: mostly of `alphabet`, now and then any character.
    fn check_random(alphabet: &[char], texts: usize) {
        let engine = Regex::new(PATTERN).expect("the pattern is valid");
        let mut state = 1u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        for _ in 0..texts {
            let length = below(24);
            let text: String = (0..length)
                .map(|_| match below(8) {
                    0 => u32::try_from(below(0x11_0000)).ok().and_then(char::from_u32).unwrap_or('\0'),
                    1 => u32::try_from(below(0x3000)).ok().and_then(char::from_u32).unwrap_or('\0'),
                    _ => alphabet[below(alphabet.len())],
                })
                .collect();
            check(&engine, &text);
        }
    }

    /// What the pattern can tell apart, and what it should not.
    const ALPHABET: [char; 27] = [
        ' ', '\n', '\t', '\r', '\u{85}', '\u{A0}', '\u{3000}', '\u{2028}', '\u{200B}', '\u{1C}', '\'', '’', '!', 'a',
        's', 't', 'r', 'e', 'v', 'l', 'm', 'd', 'é', '中', '7', '²', '\u{301}',
    ];

    #[test]
    fn words_take_the_space_before_them() {
        assert_eq!(words("Hello, the  world "), ["Hello", ",", " the", " ", " world", " "]);
        assert_eq!(words("a\n\nb \n"), ["a", "\n", "\n", "b", " \n"]);
        assert_eq!(words("x\u{A0}y\u{A0}"), ["x", "\u{A0}", "y", "\u{A0}"]);
        assert!(words("").is_empty());
    }

    #[test]
    fn contractions_stand_where_a_match_begins() {
        assert_eq!(words("I'll say it's 'save'"), ["I", "'ll", " say", " it", "'s", " '", "save", "'"]);
        assert_eq!(words("'saved 'S ''s x!'s"), ["'s", "aved", " '", "S", " ''", "s", " x", "!'", "s"]);
    }

    #[test]
    fn ascii_is_as_the_tables_have_it() {
        for c in '\0'..='\x7F' {
            assert_eq!(ASCII[c as usize], kind_of(c), "{c:?}");
        }
    }

    #[test]
    fn every_character_is_of_the_kind_that_the_engine_says() {
        let text: String = ('\0'..=char::MAX).flat_map(|c| ['a', c, '1', c, '!', c]).collect();
        check(&Regex::new(PATTERN).expect("the pattern is valid"), &text);
    }

    #[test]
    fn short_texts_are_split_as_the_engine_does() {
        assert_eq!(check_all(&ALPHABET, 2), 1 + 27 + 27 * 27);
        check_all(&[' ', '\n', '\'', 's', 'é', '2', '!'], 4);
        check_random(&ALPHABET, 3000);
    }

    #[test]
    #[ignore = "half a minute in release mode: six million texts"]
    fn every_text_is_split_as_the_engine_does() {
        check_all(&ALPHABET, 4);
        check_all(&[' ', '\n', '\u{3000}', '\'', 's', 'l', 'é', '中', '²', '!', '\u{301}', '\u{85}'], 6);
        check_all(&['\'', 's', 't', 'r', 'e', 'v', 'l', 'm', 'd', ' '], 6);
        check_random(&ALPHABET, 1_000_000);
    }
}
