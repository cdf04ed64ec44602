//! Patterns that match runs of characters of one set, without a regex engine.
//!
//! Many pre-tokenizers begin with such patterns: `\p{N}{1,3}`, `[\r\n]`, `\s?\p{L}+`, `[一-龥]+`, ` ?[^\s.,]+`. A character
//! belongs to the set or not, whatever its neighbours are, so there is no backtracking.

use std::iter::Peekable;
use std::ops::Range;
use std::str::Chars;

use crate::text::unicode::{Category, Class, category};

/// A set of characters: categories, properties and ranges of code points, or all characters but these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CharacterSet {
    /// Whether the set contains each ASCII character.
    ascii: [bool; 128],
    /// Whether the set contains the characters that are in none of the following.
    is_negated: bool,
    categories: Category,
    classes: Class,
    /// Ranges with their last characters; sorted and disjoint in a complete set.
    ranges: Vec<(char, char)>,
}

impl Default for CharacterSet {
    fn default() -> Self {
        Self {
            ascii: [false; 128],
            is_negated: false,
            categories: Category::default(),
            classes: Class::default(),
            ranges: Vec::new(),
        }
    }
}

impl CharacterSet {
    /// Returns whether the set contains a character.
    #[inline]
    pub(crate) fn contains(&self, c: char) -> bool {
        if c.is_ascii() { self.ascii[c as usize] } else { self.contains_any(c) }
    }

    fn contains_any(&self, c: char) -> bool {
        let is_member = self.has_range_of(c)
            || self.categories != Category::REST && category(c).intersects(self.categories)
            || self.classes != Class::default() && self.classes.contains(c);
        is_member != self.is_negated
    }

    /// Returns whether one of the ranges, which are sorted and disjoint, contains a character.
    fn has_range_of(&self, c: char) -> bool {
        let after = self.ranges.partition_point(|&(first, _)| first <= c);
        after > 0 && c <= self.ranges[after - 1].1
    }

    /// Returns the set with its ranges sorted and joined, and its table of ASCII.
    fn complete(mut self) -> Self {
        self.ranges.sort_unstable();
        self.ranges.dedup_by(|next, range| {
            let overlap = next.0 <= range.1;
            if overlap {
                range.1 = range.1.max(next.1);
            }
            overlap
        });
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
    /// The characters of which one before a run is part of the match.
    prefix: Option<Box<CharacterSet>>,
    most: usize,
}

impl RunPattern {
    /// Returns the pattern that matches single characters with one of the properties, or runs of them.
    pub(crate) fn of_class(classes: Class, is_single: bool) -> Self {
        let set = CharacterSet { classes, ..CharacterSet::default() }.complete();
        Self { set, prefix: None, most: if is_single { 1 } else { usize::MAX } }
    }

    /// Parses `SET`, `SET+` or `SET{1,n}` in the syntax of Oniguruma, with `\s?` or ` ?` before it or not; `None` for any
    /// other pattern.
    ///
    /// A set is `\p{…}` with a category that this module knows, or such categories, `\s`, `\r`, `\n`, `\t`, characters, ranges
    /// of characters and sets of these between brackets, which may be negated by `^`.
    pub(crate) fn parse(pattern: &str) -> Option<Self> {
        let space = CharacterSet { ranges: vec![(' ', ' ')], ..CharacterSet::default() };
        let blank = CharacterSet { categories: Category::BLANK, ..CharacterSet::default() };
        let without =
            |(set, written)| Some((Some(Box::new(CharacterSet::complete(set))), pattern.strip_prefix(written)?));
        let prefixed = [(space, " ?"), (blank, r"\s?")].into_iter().find_map(without);
        let (prefix, pattern) = prefixed.unwrap_or((None, pattern));
        let mut rest = pattern.chars().peekable();
        let set = match rest.next()? {
            '\\' => escape(&mut rest, CharacterSet::default())?,
            '[' => {
                let is_negated = rest.next_if_eq(&'^').is_some();
                CharacterSet { is_negated, ..bracket(&mut rest, CharacterSet::default(), true)? }
            }
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
        // With a limit, the number of characters would depend on whether the first one is the prefix.
        let has_one_of = |prefix: &CharacterSet| ('\0'..=LAST_BLANK).any(|c| prefix.contains(c) && set.contains(c));
        let is_ambiguous = most != usize::MAX && prefix.as_deref().is_some_and(has_one_of);
        (!is_ambiguous).then_some(Self { set, prefix, most })
    }

    /// Returns whether a run may contain a character.
    pub(crate) fn contains(&self, c: char) -> bool {
        self.set.contains(c)
    }

    /// Returns the characters of which one before a run is part of the match.
    pub(crate) fn prefix(&self) -> Option<&CharacterSet> {
        self.prefix.as_deref()
    }

    /// Returns the largest number of characters in a run.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// Returns whether a piece (a match, or the text between two) ends between a character that is no white space, and white
    /// space, in any case; `None` if a split of the text there may change other pieces.
    pub(crate) fn ends_between(&self, before: char, blank: char) -> Option<bool> {
        match (self.set.contains(before), self.set.contains(blank)) {
            (true, true) if !matches!(self.most, 1 | usize::MAX) => None,
            (true, true) => Some(self.most == 1),
            (before, blank) => Some(before != blank),
        }
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
        let before =
            text[from..start].chars().next_back().filter(|&c| self.prefix().is_some_and(|prefix| prefix.contains(c)));
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

/// Parses the rest of an escape after its backslash, and adds its characters to the set.
fn escape(rest: &mut Peekable<Chars<'_>>, mut set: CharacterSet) -> Option<CharacterSet> {
    let c = match rest.next()? {
        'r' => '\r',
        'n' => '\n',
        't' => '\t',
        's' => {
            set.categories = set.categories.union(Category::BLANK);
            return Some(set);
        }
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

/// Parses the rest of a set between brackets after the opening one and a negation, and adds its characters to the set.
///
/// The set may contain further sets, without negation, if `may_nest`.
fn bracket(rest: &mut Peekable<Chars<'_>>, mut set: CharacterSet, may_nest: bool) -> Option<CharacterSet> {
    let mut is_empty = true;
    loop {
        match rest.next()? {
            ']' if !is_empty => return Some(set),
            '\\' => set = escape(rest, set)?,
            '[' if may_nest => set = bracket(rest, set, false)?,
            // Negation, and characters that begin an operator.
            '^' | '[' | ']' | '&' | '-' => return None,
            ':' if is_empty => return None,
            first if rest.next_if_eq(&'-').is_some() => {
                let last = rest.next().filter(|&last| last >= first && !matches!(last, '\\' | '[' | ']'))?;
                set.ranges.push((first, last));
            }
            c => set.ranges.push((c, c)),
        }
        is_empty = false;
    }
}

#[cfg(test)]
mod tests {
    use onig::Regex;

    use super::*;

    /// The pattern of BLOOM.
    const BLOOM: &str = r" ?[^(\s|[.,!?…。，、।۔،])]+";

    /// One of the patterns of `DeepSeek` LLM, whose set contains white space.
    const PUNCTUATION: &str = "\\s?[!-/:-~！-／：-～‘-‟\u{3000}-。]+";

    const PATTERNS: [&str; 35] = [
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
        BLOOM,
        PUNCTUATION,
        r"\s+",
        r"[^\s]+",
        r"[^\s]",
        r"[^a]{1,3}",
        r"[^a-c中é]+",
        r"[^\p{L}\p{N}\s]+",
        r"[^[a]]",
        "[a[1]中:[.:x-z]]+",
        r"[a\s(|)]+",
        r" ?[^\s]+",
        r" ?\p{L}+",
        r" ?[a-z1]{1,2}",
        r" ?[.中]",
        r" ?[ .]+",
        r" ?[^a]+",
        r"\s?[^a]+",
        r"\s?[ a]+",
        "\\s?[\u{85}a]+",
        "[\u{301}\u{300}-\u{302}z-zb-da-c]+",
    ];

    fn check(pattern: &str, engine: &Regex, text: &str) {
        let mut found = Vec::new();
        RunPattern::parse(pattern).unwrap().find_matches(text, |range| found.push((range.start, range.end)));
        assert_eq!(found, engine.find_iter(text).collect::<Vec<_>>(), "{pattern} {text:?}");
    }

    /// Checks each text of up to `left` more characters that the patterns distinguish.
    fn check_short(pattern: &str, engine: &Regex, text: &mut String, left: usize) {
        check(pattern, engine, text);
        for c in [' ', '\n', '\u{3000}', 'a', '1', '.', '中', '\u{301}'].into_iter().take(8 * left.min(1)) {
            text.push(c);
            check_short(pattern, engine, text, left - 1);
            text.pop();
        }
    }

    /// Returns all characters; of planes without characters, and with private ones only, the first and the last.
    fn every_character() -> impl Iterator<Item = char> {
        let is_uniform = |plane: u32| (4..14).contains(&plane) || plane > 14;
        let is_edge = |c: u32| matches!(c & 0xffff, 0 | 0xffff);
        ('\0'..=char::MAX).filter(move |&c| !is_uniform(c as u32 >> 16) || is_edge(c as u32))
    }

    #[test]
    fn matches_equal_the_engine() {
        for pattern in PATTERNS {
            let engine = Regex::new(pattern).unwrap();
            let every: String = every_character().flat_map(|c| [' ', c, 'a', c, c, '1', c, '.', c, '中']).collect();
            check(pattern, &engine, &every);
            for text in ["", "12345", "  a  .. b", "\n\na\r\n", "中文あ한글 a", "é\u{301} \u{3000}x", "a 1 . "] {
                check(pattern, &engine, text);
            }
            check_short(pattern, &engine, &mut String::new(), 4);
        }
    }

    #[test]
    fn pieces_end_at_boundaries() {
        let boundary = |pattern, before, blank| RunPattern::parse(pattern).unwrap().ends_between(before, blank);
        assert_eq!(boundary(BLOOM, 'a', ' '), Some(true));
        assert_eq!(boundary(BLOOM, '.', ' '), Some(false));
        assert_eq!(boundary(r"\p{N}+", '1', ' '), Some(true));
        assert_eq!(boundary(r"\p{N}+", 'a', ' '), Some(false));
        assert_eq!(boundary(r"\s+", 'a', ' '), Some(true));
        assert_eq!(boundary("[a ]+", 'a', ' '), Some(false));
        assert_eq!(boundary("[a ]", 'a', ' '), Some(true));
        assert_eq!(boundary("[^b]{1,3}", 'a', ' '), None);
    }

    #[test]
    fn other_patterns_are_not_parsed() {
        for pattern in [
            "",
            "a",
            "a+",
            r"\S+",
            r"\w",
            r"\p{Lu}",
            r"\P{L}",
            r"\p{^L}",
            "[a",
            "[^",
            "[^]",
            "[^]a]",
            "[^^]",
            "[^a[^b]]",
            "[a[^b]]",
            "[a[b[c]]]",
            "[a[b]",
            "[a[]b]]",
            "[[b]-c]",
            r"[^\S]",
            r"[\d]",
            "[]",
            "[]a]",
            "[a&&b]",
            "[^a&&[b]]",
            "[[:alpha:]]",
            "[^[:alpha:]]",
            "[:a]",
            "[b-a]",
            r"[a-\n]",
            "[a]*",
            "[a]{3}",
            "[a]{1,4}",
            "[a]++",
            "[a]+?",
            r"\s?[ a]",
            r"\s?[\r\n]",
            r" ?[ a]",
            r" ?[^a]{1,3}",
            r"\s?[^a]",
            "  ?a",
            " [a]",
            r" ?\s?[a]+",
            r" +[a]",
            "\\s?[\u{3000}]{1,3}",
            r"\s+\p{L}",
            "[a]b",
            "[-a]",
        ] {
            assert_eq!(RunPattern::parse(pattern), None, "{pattern}");
        }
    }
}
