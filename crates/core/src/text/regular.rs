//! Regular expressions without look-around and references, as automata: a search takes linear time.
//!
//! A parser of our own accepts the expressions that mean the same to Oniguruma and to the crate `regex-automata`: literals,
//! sets of characters, groups, alternatives, repetitions, greedy and lazy, and the ends of lines and of the text. It
//! refuses all others. The characters of a set are those that Oniguruma itself finds, so that they are of its version of
//! Unicode.
//!
//! Both engines return the leftmost match, and of those the first in the order of alternatives and repetitions. They differ
//! in repetitions of what may be empty, which are refused. `^` does not match at the end of a text after the end of a
//! line, so it is accepted where a character must follow.

use std::collections::HashMap;
use std::iter::Peekable;
use std::ops::Range;
use std::str::Chars;
use std::sync::OnceLock;

use onig::Regex;
use regex_automata::Input;
use regex_automata::meta::{self, Cache};
use regex_automata::util::pool::Pool;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, Look, Repetition};

/// The largest nesting of groups.
const MAX_DEPTH: usize = 100;
/// The largest number of a repetition.
const MAX_REPETITIONS: u32 = 1000;
/// The largest size in bytes of an automaton that is built in advance.
const MAX_SIZE: usize = 10 << 20;
/// The number of characters that are tested for a set at a time.
const CHARACTERS: u32 = 1 << 12;
/// The first character of the planes without characters, of the plane of tags, and of the planes of private characters.
const FIRST_UNASSIGNED: u32 = 0x4_0000;
const TAGS: u32 = 0xE_0000;
const FIRST_PRIVATE: u32 = 0xF_0000;
/// The number of characters at the end of a plane that are no characters.
const NONCHARACTERS: u32 = 2;

/// An expression that is an automaton, which is built on first use.
pub(crate) struct RegularPattern {
    expression: Expression,
    automaton: OnceLock<Option<Automaton>>,
}

/// An automaton with the memory of idle searches.
struct Automaton {
    regex: meta::Regex,
    caches: Pool<Cache, Box<dyn Fn() -> Cache + Send + Sync>>,
}

impl RegularPattern {
    /// Parses an expression that compiles in Oniguruma; `None` if it is not known to mean the same as an automaton.
    pub(crate) fn parse(source: &str) -> Option<Self> {
        let mut parser = Parser { rest: source.chars().peekable(), depth: 0 };
        let expression = parser.alternatives()?;
        parser.rest.next().is_none().then_some(Self { expression, automaton: OnceLock::new() })
    }

    /// Builds the automaton; otherwise the first search does so.
    pub(crate) fn build(&self) {
        self.automaton();
    }

    /// Returns the automaton; `None` if it is too large.
    fn automaton(&self) -> Option<&Automaton> {
        self.automaton.get_or_init(|| Automaton::new(&self.expression, &mut HashMap::new())).as_ref()
    }

    /// Returns the search in a text; `None` if the automaton is too large.
    pub(crate) fn search<'a>(&'a self, text: &'a str) -> Option<impl FnMut(usize) -> Option<Range<usize>> + 'a> {
        self.automaton().map(|automaton| automaton.search(text))
    }
}

impl Automaton {
    /// Returns the automaton; `sets` has the characters of sets that are known already.
    fn new(expression: &Expression, sets: &mut HashMap<String, ClassUnicode>) -> Option<Self> {
        let hir = expression.hir(sets)?;
        let config = meta::Config::new().nfa_size_limit(Some(MAX_SIZE)).onepass_size_limit(Some(MAX_SIZE));
        let regex = meta::Builder::new().configure(config).build_from_hir(&hir).ok()?;
        let cached = regex.clone();
        Some(Self { regex, caches: Pool::new(Box::new(move || cached.create_cache())) })
    }

    /// Returns the search in a text.
    fn search<'a>(&'a self, text: &'a str) -> impl FnMut(usize) -> Option<Range<usize>> + 'a {
        let mut cache = self.caches.get();
        move |from: usize| {
            let input = Input::new(text).range(from..);
            self.regex.search_with(&mut cache, &input).map(|found| found.range())
        }
    }
}

/// A parsed expression.
enum Expression {
    Literal(char),
    /// A set of characters, as it is written.
    Set(String),
    Look(Look),
    Repeated {
        of: Box<Expression>,
        least: u32,
        most: Option<u32>,
        is_greedy: bool,
    },
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

impl Expression {
    /// Returns the smallest number of characters of a match.
    fn least(&self) -> usize {
        match self {
            Self::Literal(_) | Self::Set(_) => 1,
            Self::Look(_) => 0,
            Self::Repeated { of, least, .. } => of.least().saturating_mul(*least as usize),
            Self::All(parts) => parts.iter().map(Self::least).fold(0, usize::saturating_add),
            Self::Any(parts) => parts.iter().map(Self::least).min().unwrap_or_default(),
        }
    }

    /// Returns the expression as `regex-automata` reads it; `sets` has those that are known already.
    fn hir(&self, sets: &mut HashMap<String, ClassUnicode>) -> Option<Hir> {
        let mut all = |parts: &[Self]| parts.iter().map(|part| part.hir(sets)).collect::<Option<Vec<_>>>();
        Some(match self {
            Self::Literal(c) => Hir::literal(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Self::Set(set) => {
                if !sets.contains_key(set.as_str()) {
                    sets.insert(set.clone(), characters(set)?);
                }
                Hir::class(Class::Unicode(sets.get(set.as_str())?.clone()))
            }
            Self::Look(look) => Hir::look(*look),
            Self::Repeated { of, least, most, is_greedy } => {
                let sub = Box::new(of.hir(sets)?);
                Hir::repetition(Repetition { min: *least, max: *most, greedy: *is_greedy, sub })
            }
            Self::All(parts) => Hir::concat(all(parts)?),
            Self::Any(parts) => Hir::alternation(all(parts)?),
        })
    }
}

/// Returns the characters of a set, which Oniguruma finds among all.
///
/// In planes of unassigned and of private characters, only the last ones differ from the others, unless the set names some.
fn characters(set: &str) -> Option<ClassUnicode> {
    let regex = Regex::new(&format!("{set}+")).ok()?;
    let is_unassigned = |first: u32| (FIRST_UNASSIGNED..TAGS).contains(&first) || first >= FIRST_PRIVATE;
    let names_unassigned = set.chars().any(|c| u32::from(c) >= FIRST_UNASSIGNED);
    let (mut ranges, mut block) = (Vec::new(), String::new());
    for first in (0..=u32::from(char::MAX)).step_by(CHARACTERS as usize) {
        block.clear();
        if is_unassigned(first) && !names_unassigned {
            let last = first + CHARACTERS - NONCHARACTERS;
            let (start, end) = (char::from_u32(first)?, char::from_u32(last - 1)?);
            if regex.is_match(start.encode_utf8(&mut [0; 4])) {
                ranges.push(ClassUnicodeRange::new(start, end));
            }
            block.extend((last..first + CHARACTERS).filter_map(char::from_u32));
        } else {
            block.extend((first..first + CHARACTERS).filter_map(char::from_u32));
        }
        let mut from = 0;
        while let Some((start, end)) =
            block.get(from..).filter(|rest| !rest.is_empty()).and_then(|rest| regex.find(rest))
        {
            let found = &block[from + start..from + end];
            let (one, last) = (found.chars().next()?, found.chars().next_back()?);
            ranges.push(ClassUnicodeRange::new(one, last));
            from += end;
        }
    }
    Some(ClassUnicode::new(ranges))
}

/// A parser of expressions, which returns `None` for those that are refused.
struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
    depth: usize,
}

impl Parser<'_> {
    /// Parses alternatives up to the end of a group or of the expression.
    fn alternatives(&mut self) -> Option<Expression> {
        let mut all = vec![self.sequence()?];
        while self.rest.next_if_eq(&'|').is_some() {
            all.push(self.sequence()?);
        }
        Some(if all.len() == 1 { all.remove(0) } else { Expression::Any(all) })
    }

    fn sequence(&mut self) -> Option<Expression> {
        let mut parts = Vec::new();
        while let Some(c) = self.rest.next_if(|c| !matches!(c, '|' | ')')) {
            let part = self.atom(c)?;
            parts.push(self.repeated(part)?);
        }
        let is_line_start = |part: &Expression| matches!(part, Expression::Look(Look::StartLF));
        let after_line_start = parts.iter().rposition(is_line_start).map(|at| &parts[at..]);
        // At the end of a text `^` means something else.
        let is_followed = after_line_start.is_none_or(|parts| parts.iter().any(|part| part.least() > 0));
        is_followed.then_some(Expression::All(parts))
    }

    fn atom(&mut self, c: char) -> Option<Expression> {
        Some(match c {
            '(' => {
                if self.rest.next_if_eq(&'?').is_some() {
                    self.rest.next_if_eq(&':')?;
                }
                self.depth += 1;
                let group = (self.depth <= MAX_DEPTH).then(|| self.alternatives())??;
                self.depth -= 1;
                self.rest.next_if_eq(&')')?;
                group
            }
            '[' => Expression::Set(self.set()?),
            '.' => Expression::Set(".".to_owned()),
            '^' => Expression::Look(Look::StartLF),
            '$' => Expression::Look(Look::EndLF),
            '\\' => self.escape()?,
            '*' | '+' | '?' | '{' | '}' | ']' => return None,
            c => Expression::Literal(c),
        })
    }

    /// Parses the rest of an escape after its backslash.
    fn escape(&mut self) -> Option<Expression> {
        Some(match self.rest.next()? {
            'n' => Expression::Literal('\n'),
            'r' => Expression::Literal('\r'),
            't' => Expression::Literal('\t'),
            'f' => Expression::Literal('\x0C'),
            'v' => Expression::Literal('\x0B'),
            'A' => Expression::Look(Look::Start),
            'z' => Expression::Look(Look::End),
            c @ ('s' | 'S' | 'd' | 'D' | 'w' | 'W') => Expression::Set(format!("\\{c}")),
            c @ ('p' | 'P') => Expression::Set(format!("\\{c}{}", self.property()?)),
            c if c.is_ascii_punctuation() && !matches!(c, '<' | '>' | '`' | '\'') => Expression::Literal(c),
            _ => return None,
        })
    }

    /// Parses the name of a property in braces.
    fn property(&mut self) -> Option<String> {
        let mut name = self.rest.next_if_eq(&'{')?.to_string();
        loop {
            let c = self.rest.next()?;
            name.push(c);
            match c {
                '}' => return Some(name),
                '{' | '\\' => return None,
                _ => {}
            }
        }
    }

    /// Parses the rest of a set after its bracket, and returns the whole set as it is written.
    fn set(&mut self) -> Option<String> {
        let mut set = "[".to_owned();
        let mut open = 1;
        let mut may_begin = true;
        while open > 0 {
            let c = self.rest.next()?;
            set.push(c);
            match c {
                '\\' => {
                    let escaped = self.rest.next()?;
                    set.push(escaped);
                    if matches!(escaped, 'p' | 'P') {
                        set.push_str(&self.property()?);
                    }
                    // Others are sequences of several characters, or not known to be one in a set.
                    let is_known = escaped.is_ascii_punctuation() || "nrtfvsSdDwWpP".contains(escaped);
                    is_known.then_some(())?;
                }
                '[' if self.rest.peek() == Some(&':') => return None,
                '[' => open += 1,
                // Oniguruma takes a bracket at the beginning for a character, or the set for empty.
                ']' if may_begin => return None,
                ']' => open -= 1,
                _ => {}
            }
            may_begin = c == '[' || may_begin && c == '^';
        }
        Some(set)
    }

    /// Parses what repeats an expression, if anything does.
    fn repeated(&mut self, of: Expression) -> Option<Expression> {
        let (least, most, is_number) = match self.rest.peek() {
            Some('?') => (0, Some(1), false),
            Some('*') => (0, None, false),
            Some('+') => (1, None, false),
            Some('{') => self.interval()?,
            _ => return Some(of),
        };
        let _ = is_number || self.rest.next().is_some();
        // After an exact number, `?` means that all of it is optional.
        let is_lazy = self.rest.next_if_eq(&'?').is_some();
        let is_optional = is_lazy && is_number && most == Some(least);
        let is_stacked = matches!(self.rest.peek(), Some('?' | '*' | '+' | '{'));
        let may_be_empty = of.least() == 0 && most != Some(1);
        if is_optional || is_stacked || may_be_empty || matches!(of, Expression::Look(_)) {
            return None;
        }
        Some(Expression::Repeated { of: Box::new(of), least, most, is_greedy: !is_lazy })
    }

    /// Parses an interval in braces: the least number, the most, and true.
    fn interval(&mut self) -> Option<(u32, Option<u32>, bool)> {
        self.rest.next_if_eq(&'{')?;
        let least = self.number();
        let most = if self.rest.next_if_eq(&',').is_some() { self.number() } else { Some(least?) };
        self.rest.next_if_eq(&'}')?;
        let is_valid = (least.is_some() || most.is_some())
            && most.is_none_or(|most| most >= least.unwrap_or_default() && most <= MAX_REPETITIONS)
            && least.is_none_or(|least| least <= MAX_REPETITIONS);
        is_valid.then(|| (least.unwrap_or_default(), most, true))
    }

    fn number(&mut self) -> Option<u32> {
        let mut digits = String::new();
        while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        // No number is that long.
        if digits.is_empty() { None } else { Some(digits.parse().unwrap_or(u32::MAX)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::pattern::tests::by_oniguruma;

    /// Returns the matches, as a pattern finds them.
    fn found(source: &str, text: &str) -> Option<Vec<(usize, usize)>> {
        found_by(source, text, &mut HashMap::new())
    }

    /// Returns the matches; `sets` has the characters of sets that are known already.
    fn found_by(source: &str, text: &str, sets: &mut HashMap<String, ClassUnicode>) -> Option<Vec<(usize, usize)>> {
        let automaton = Automaton::new(&RegularPattern::parse(source)?.expression, sets)?;
        let mut search = automaton.search(text);
        let (mut found, mut from, mut last) = (Vec::new(), 0, None);
        while let Some(next) = search(from).filter(|_| from <= text.len() && !text.is_empty()) {
            if next.is_empty() && last == Some(next.end) {
                from += text[from..].chars().next().map_or(1, char::len_utf8);
                continue;
            }
            found.push((next.start, next.end));
            (from, last) = (next.end, Some(next.end));
        }
        Some(found)
    }

    #[test]
    fn random_expressions_and_texts() {
        let mut state = 17_u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % limit
        };
        let atoms = [
            "a",
            "b",
            "é",
            r"\n",
            r"\s",
            r"\S",
            r"\d",
            r"\w",
            r"\W",
            r"\p{L}",
            r"\p{^Lu}",
            r"\P{N}",
            "[ab]",
            "[^a\\s]",
            ".",
            "^",
            "$",
            r"\A",
            r"\z",
            "[a-c&&[^b]]",
            r"[\p{L}\d]",
            " ",
            r"\.",
            "中",
            "[^\\n]",
        ];
        let repeats = ["", "", "", "", "?", "*", "+", "??", "*?", "+?", "{2}", "{1,2}", "{2,}", "{,2}", "{1,3}?"];
        let parts = ["a", "b", "é", " ", "\n", "1", ".", "中", "A", "\t", "\u{301}"];
        let (mut translated, mut matches, mut sets) = (0, 0, HashMap::new());
        for _ in 0..4000 {
            let mut source = String::new();
            let mut open = 0;
            for _ in 0..=below(6) {
                match below(8) {
                    0 => source.push('|'),
                    1 => {
                        source.push_str(["(", "(?:"][below(2)]);
                        open += 1;
                    }
                    2 if open > 0 => {
                        source.push(')');
                        source.push_str(repeats[below(repeats.len())]);
                        open -= 1;
                    }
                    _ => {
                        source.push_str(atoms[below(atoms.len())]);
                        source.push_str(repeats[below(repeats.len())]);
                    }
                }
            }
            source.extend(std::iter::repeat_n(')', open));
            if Regex::new(&source).is_err() || RegularPattern::parse(&source).is_none() {
                continue;
            }
            translated += 1;
            for _ in 0..4 {
                let text: String = (0..below(12)).map(|_| parts[below(parts.len())]).collect();
                let own = found_by(&source, &text, &mut sets).unwrap();
                matches += own.len();
                assert_eq!(own, by_oniguruma(&source, &text), "{source:?} in {text:?}");
            }
        }
        assert!(translated > 600 && matches > 4000, "{translated} {matches}");
    }

    #[test]
    fn sets_have_the_characters_that_oniguruma_finds() {
        for set in
            [r"\s", r"\w", r"[^\w]", r"\p{Co}", r"\p{Cn}", r"\p{NChar}", "[a-z\u{50000}-\u{50010}]", r"\P{L}", "."]
        {
            let regex = Regex::new(set).unwrap();
            let found = characters(set).unwrap();
            let mut ranges = found.ranges().iter().peekable();
            for c in '\0'..=char::MAX {
                while ranges.next_if(|range| range.end() < c).is_some() {}
                let is_member = ranges.peek().is_some_and(|range| range.start() <= c);
                assert_eq!(is_member, regex.is_match(c.encode_utf8(&mut [0; 4])), "{set} {c:?}");
            }
        }
    }

    #[test]
    fn what_differs_is_refused() {
        for source in [
            "(?=a)",
            "(?<!a)",
            "(?>a)",
            "a++",
            "a*+",
            "a?+",
            "a{1,2}+",
            "a{2}?",
            "a**",
            r"\ha",
            r"\R",
            r"\X",
            r"a\Kb",
            r"\G",
            r"(a)\1",
            "(?i)a",
            "(?i:a)",
            "(?<n>a)",
            "(a*)*",
            "(a|)+",
            "(?:^)*",
            "^",
            "a|^",
            "(?:^)a",
            "a^",
            r"\b",
            r"\B",
            r"\Z",
            r"\x61",
            r"\u0061",
            r"\1",
            "[[:alpha:]]",
            "[]a]",
            "[^]a]",
            r"[\x61]",
            "a{,}",
            "a{2",
            "a{3,2}",
            "a{1001}",
            "{2}",
            "a}",
            "a]",
            "(?#a)",
            r"\k<a>",
            r"\<",
            r"(?~a)",
            r"\O",
            r"\N",
            r"\y",
            r"(?m:.)",
            "(a",
            "a)",
        ] {
            assert!(RegularPattern::parse(source).is_none(), "{source}");
        }
    }

    #[test]
    fn automata_of_large_repetitions_are_too_large() {
        let pattern = RegularPattern::parse(r"(?:\w{1000}){1000}").unwrap();
        assert!(pattern.search("a").is_none());
    }

    #[test]
    fn a_long_run_takes_linear_time() {
        let text = " ".repeat(1 << 20) + "x";
        assert_eq!(found(r"\s+$", &text), Some(vec![]));
    }
}
