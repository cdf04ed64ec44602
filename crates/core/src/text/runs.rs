//! Patterns that match runs of characters of one set, without a regex engine.
//!
//! Many pre-tokenizers begin with such patterns: `\p{N}{1,3}`, `[\r\n]`, `\s?\p{L}+`, `[一-龥]+`. A character belongs to the
//! set or not, whatever its neighbours are, so there is no backtracking.

use std::iter::Peekable;
use std::ops::Range;
use std::str::Chars;

use crate::text::unicode::{Category, Class, category, class};

/// A set of characters: categories, properties and ranges of code points.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CharacterSet {
    /// Whether the set contains each ASCII character.
    ascii: [bool; 128],
    categories: Category,
    classes: Class,
    ranges: Vec<(char, char)>,
}

impl Default for CharacterSet {
    fn default() -> Self {
        Self { ascii: [false; 128], categories: Category::default(), classes: Class::default(), ranges: Vec::new() }
    }
}

impl CharacterSet {
    /// Returns whether the set contains a character.
    #[inline]
    fn contains(&self, c: char) -> bool {
        if c.is_ascii() { self.ascii[c as usize] } else { self.contains_any(c) }
    }

    fn contains_any(&self, c: char) -> bool {
        self.ranges.iter().any(|&(first, last)| (first..=last).contains(&c))
            || self.categories != Category::REST && category(c).intersects(self.categories)
            || self.classes != Class::default() && class(c).intersects(self.classes)
    }

    /// Returns the set with its table of ASCII.
    fn complete(mut self) -> Self {
        self.ascii =
            std::array::from_fn(|code| u8::try_from(code).is_ok_and(|byte| self.contains_any(char::from(byte))));
        self
    }

    /// Returns the length of the characters at the start of a text that are all in the set, or all not in it.
    #[inline]
    fn span(&self, text: &str, inside: bool) -> usize {
        let mut at = 0;
        while let Some(&byte) = text.as_bytes().get(at) {
            if byte.is_ascii() {
                if self.ascii[usize::from(byte)] != inside {
                    break;
                }
                at += 1;
            } else {
                let c = text[at..].chars().next().unwrap_or_default();
                if self.contains_any(c) != inside {
                    break;
                }
                at += c.len_utf8();
            }
        }
        at
    }
}

/// A pattern that matches up to `most` characters of a set, after an optional character of white space.
///
/// A match is as long as possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunPattern {
    set: CharacterSet,
    /// Whether the character of white space before a run is part of the match.
    takes_blank: bool,
    most: usize,
}

impl RunPattern {
    /// Returns the pattern that matches single characters with one of the properties, or runs of them.
    pub(crate) fn of_class(classes: Class, is_single: bool) -> Self {
        let set = CharacterSet { classes, ..CharacterSet::default() }.complete();
        Self { set, takes_blank: false, most: if is_single { 1 } else { usize::MAX } }
    }

    /// Parses `SET`, `SET+` or `SET{1,n}` in the syntax of Oniguruma, with `\s?` before it or not; `None` for any other
    /// pattern.
    ///
    /// A set is `\p{…}` with a category that this module knows, or such categories, `\r`, `\n`, `\t`, characters and ranges of
    /// characters between brackets.
    pub(crate) fn parse(pattern: &str) -> Option<Self> {
        let (takes_blank, pattern) = match pattern.strip_prefix(r"\s?") {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        let mut rest = pattern.chars().peekable();
        let set = match rest.next()? {
            '\\' => escape(&mut rest, CharacterSet::default())?,
            '[' => bracket(&mut rest)?,
            _ => return None,
        };
        let most = match rest.collect::<String>().as_str() {
            "" => 1,
            "+" => usize::MAX,
            "{1,2}" => 2,
            "{1,3}" => 3,
            _ => return None,
        };
        let set = set.complete();
        // White space in the set would make the choice of the first character depend on what follows.
        let has_blank = || ('\0'..=LAST_BLANK).any(|c| is_blank(c) && set.contains(c));
        (!takes_blank || !has_blank()).then_some(Self { set, takes_blank, most })
    }

    /// Returns the first match that begins at or after `from`.
    pub(crate) fn find(&self, text: &str, from: usize) -> Option<Range<usize>> {
        let start = from + self.set.span(&text[from..], false);
        let first = text[start..].chars().next()?;
        let end = match self.most {
            usize::MAX => start + self.set.span(&text[start..], true),
            1 => start + first.len_utf8(),
            most => {
                let run = text[start..].chars().take(most).take_while(|&c| self.set.contains(c));
                start + run.map(char::len_utf8).sum::<usize>()
            }
        };
        let before = text[from..start].chars().next_back().filter(|&c| self.takes_blank && is_blank(c));
        Some(start - before.map_or(0, char::len_utf8)..end)
    }

    /// Calls `each` with the matches in `text` from left to right.
    pub(crate) fn find_matches(&self, text: &str, mut each: impl FnMut(Range<usize>)) {
        let mut at = 0;
        while let Some(found) = self.find(text, at) {
            at = found.end;
            each(found);
        }
    }
}

/// The characters up to the last one that is white space.
const LAST_BLANK: char = '\u{3000}';

fn is_blank(c: char) -> bool {
    category(c).intersects(Category::BLANK)
}

/// Parses the rest of an escape after its backslash, and adds its characters to the set.
fn escape(rest: &mut Peekable<Chars<'_>>, mut set: CharacterSet) -> Option<CharacterSet> {
    let c = match rest.next()? {
        'r' => '\r',
        'n' => '\n',
        't' => '\t',
        'p' => {
            let name: String = rest.by_ref().take_while(|&c| c != '}').collect();
            set.categories = set.categories.union(match name.as_str() {
                "{L" => Category::LETTER,
                "{M" => Category::MARK,
                "{N" => Category::NUMBER,
                "{P" => Category::PUNCT,
                "{S" => Category::SYMBOL,
                _ => return None,
            });
            return Some(set);
        }
        _ => return None,
    };
    set.ranges.push((c, c));
    Some(set)
}

/// Parses the rest of a set between brackets after the opening one.
fn bracket(rest: &mut Peekable<Chars<'_>>) -> Option<CharacterSet> {
    let mut set = CharacterSet::default();
    loop {
        match rest.next()? {
            ']' if set != CharacterSet::default() => return Some(set),
            '\\' => set = escape(rest, set)?,
            // Negation, sets within sets, and characters that begin an operator.
            '^' | '[' | ']' | '&' | '-' | ':' => return None,
            first if rest.next_if_eq(&'-').is_some() => {
                let last = rest.next().filter(|&last| last >= first && !matches!(last, '\\' | '[' | ']'))?;
                set.ranges.push((first, last));
            }
            c => set.ranges.push((c, c)),
        }
    }
}

#[cfg(test)]
mod tests {
    use onig::Regex;

    use super::*;

    const PATTERNS: [&str; 14] = [
        r"\p{N}{1,3}",
        r"\p{N}{1,2}",
        r"\p{N}",
        r"\p{N}+",
        r"\p{P}+",
        r"\p{S}",
        r"[\r\n]",
        r"\s?\p{L}+",
        r"\s?\p{P}+",
        r"\s?[\p{L}\p{M}]+",
        "[一-龥぀-ゟ゠-ヿ]+",
        "[一-龥ࠀ-一가-퟿]+",
        "[0-9]",
        "[a-z_é]{1,3}",
    ];

    fn check(pattern: &str, engine: &Regex, text: &str) {
        let mut found = Vec::new();
        RunPattern::parse(pattern).unwrap().find_matches(text, |range| found.push((range.start, range.end)));
        assert_eq!(found, engine.find_iter(text).collect::<Vec<_>>(), "{pattern} {text:?}");
    }

    #[test]
    fn matches_equal_the_engine() {
        for pattern in PATTERNS {
            let engine = Regex::new(pattern).unwrap();
            let every: String = ('\0'..=char::MAX).flat_map(|c| [' ', c, 'a', c, c, '1', c, '.', c, '中']).collect();
            check(pattern, &engine, &every);
            for text in ["", "12345", "  a  .. b", "\n\na\r\n", "中文あ한글 a", "é\u{301} \u{3000}x", "a 1 . "] {
                check(pattern, &engine, text);
            }
        }
    }

    #[test]
    fn other_patterns_are_not_parsed() {
        for pattern in [
            "",
            "a",
            "a+",
            r"\s+",
            r"\w",
            r"\p{Lu}",
            r"\P{L}",
            r"\p{^L}",
            "[^a]",
            "[a",
            "[]",
            "[]a]",
            "[a&&b]",
            "[a[b]]",
            "[[:alpha:]]",
            "[b-a]",
            r"[a-\n]",
            "[a]*",
            "[a]{3}",
            "[a]{1,4}",
            "[a]++",
            "[a]+?",
            r"\s?[ a]+",
            r"\s?[\r\n]",
            "\\s?[\u{85}a]+",
            "\\s?[\u{3000}]{1,3}",
            r"\s+\p{L}",
            "[a]b",
            "[-a]",
        ] {
            assert_eq!(RunPattern::parse(pattern), None, "{pattern}");
        }
    }
}
