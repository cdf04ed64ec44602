//! Patterns: literal strings and regular expressions.
//!
//! Patterns have the syntax and the Unicode tables of Oniguruma: those of a `tokenizer.json` are written for it. The engine
//! is the first of these that has the same matches: a [`Grammar`] of a known split pattern, runs of characters of one set,
//! an automaton (`text/regular.rs`), and Oniguruma itself, whose searches are bounded (`text/oniguruma.rs`). A string is
//! found by `memchr`, with the matches of the escaped expression.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;

use crate::error::Result;
use crate::stop::{self, Work};
use crate::text::grammar::Grammar;
use crate::text::oniguruma::{OnigurumaPattern, out_of_order};
use crate::text::regular::RegularPattern;
use crate::text::runs::RunPattern;
use crate::text::span::check_length;

/// The number of characters that are read at most between two checks whether the call is to stop.
const STEPS_PER_CHECK: usize = 1 << 22;

/// A search pattern; clones share the compiled form.
///
/// ```
/// use piecework_core::text::pattern::Pattern;
///
/// let mut matches = Vec::new();
/// Pattern::regex(r"\d+")?.find_matches("a1 b23", |range| matches.push(range))?;
/// assert_eq!(matches, [1..2, 4..6]);
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Pattern {
    source: Arc<str>,
    engine: Arc<Engine>,
    /// The number of retries of Oniguruma in a text.
    budget: u64,
}

/// The engine that searches a pattern.
enum Engine {
    Literal(Box<memmem::Finder<'static>>),
    Regular(RegularPattern, OnigurumaPattern),
    Oniguruma(OnigurumaPattern),
    Grammar(Grammar),
    Run(RunPattern),
}

impl Pattern {
    /// Returns a pattern that matches `text` literally.
    #[must_use]
    pub fn literal(text: &str) -> Self {
        let engine = Engine::Literal(Box::new(memmem::Finder::new(text).into_owned()));
        Self { source: text.into(), engine: engine.into(), budget: u64::MAX }
    }

    /// Compiles the regular expression `source`, in the syntax of Oniguruma.
    ///
    /// The cost is linear for ordinary expressions; contrived ones (alternatives within many repetitions within
    /// look-behind) are expensive.
    pub fn regex(source: &str) -> Result<Self> {
        let engine = if let Some(grammar) = Grammar::of(source) {
            Engine::Grammar(grammar)
        } else if let Some(run) = RunPattern::parse(source) {
            Engine::Run(run)
        } else {
            let oniguruma = OnigurumaPattern::new(source)?;
            match RegularPattern::parse(source) {
                Some(regular) => Engine::Regular(regular, oniguruma),
                None => Engine::Oniguruma(oniguruma),
            }
        };
        Ok(Self { source: source.into(), engine: engine.into(), budget: u64::MAX })
    }

    /// Returns the name of the engine: `string`, `run of characters`, `automaton`, `Oniguruma` or that of a grammar.
    #[must_use]
    pub fn engine(&self) -> String {
        match *self.engine {
            Engine::Literal(_) => "string".to_owned(),
            Engine::Regular(..) => "automaton".to_owned(),
            Engine::Oniguruma(_) => "Oniguruma".to_owned(),
            Engine::Grammar(grammar) => grammar.engine(),
            Engine::Run(_) => "run of characters".to_owned(),
        }
    }

    /// Returns the grammar of the pattern, if it has one.
    #[must_use]
    pub fn grammar(&self) -> Option<Grammar> {
        match *self.engine {
            Engine::Grammar(grammar) => Some(grammar),
            _ => None,
        }
    }

    /// Returns the pattern as one of runs of characters, if it is one.
    pub(crate) fn run(&self) -> Option<&RunPattern> {
        match &*self.engine {
            Engine::Run(run) => Some(run),
            _ => None,
        }
    }

    /// Returns the pattern with a limit of Oniguruma's retries in a text.
    ///
    /// A text that takes no more is never an error; one that takes more than twice as many, and 1,000 for each character,
    /// always is.
    pub(crate) fn with_retries(self, retries: Option<u64>) -> Self {
        Self { budget: retries.unwrap_or(u64::MAX), ..self }
    }

    /// Returns the text or the regular expression as it was given.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the pattern is a regular expression.
    #[must_use]
    pub fn is_regex(&self) -> bool {
        !matches!(*self.engine, Engine::Literal(_))
    }

    /// Whether a match may be empty; always true for regular expressions.
    #[must_use]
    pub fn may_match_empty(&self) -> bool {
        self.is_regex() || self.source.is_empty()
    }

    /// Returns whether matches depend on no text after them, or on that of a few characters.
    pub(crate) fn is_known(&self) -> bool {
        !self.is_regex() || self.run().is_some() || self.grammar().is_some()
    }

    /// Builds the automaton, if the pattern has one; otherwise the first search does so.
    pub(crate) fn build(&self) {
        if let Engine::Regular(regular, _) = &*self.engine {
            regular.build();
        }
    }

    /// Calls `each` with the matches in `text` from left to right; they do not overlap.
    ///
    /// A match may be empty, but not at the end of the match before it. An empty text has no matches. The cost is
    /// linear in the text for a string, a run and a grammar. Each match of an automaton takes time linear in the rest of
    /// the text. In Oniguruma, each position costs as many steps as the limit of retries allows; a match that exceeds it
    /// is an error, and so is a text that exceeds the budget.
    pub fn find_matches(&self, text: &str, mut each: impl FnMut(Range<usize>)) -> Result<()> {
        let (mut work, mut end) = (Work::default(), 0);
        let mut each = |found: Range<usize>| {
            work.add(1 + found.end.saturating_sub(end));
            end = found.end;
            each(found);
        };
        check_length(text)?;
        if text.is_empty() {
            return Ok(());
        }
        match &*self.engine {
            Engine::Literal(finder) => {
                let length = finder.needle().len();
                // An empty string is found at every byte.
                let found = finder.find_iter(text.as_bytes()).filter(|&at| text.is_char_boundary(at));
                found.for_each(|at| each(at..at + length));
            }
            Engine::Regular(regular, oniguruma) => match regular.search(text) {
                Some(mut search) => self.find_regex(text, |from| Ok(search(from)), each)?,
                None => self.find_oniguruma(oniguruma, text, each)?,
            },
            Engine::Oniguruma(oniguruma) => self.find_oniguruma(oniguruma, text, each)?,
            Engine::Grammar(grammar) => grammar.find_matches(text, each),
            Engine::Run(run) => run.find_matches(text, each),
        }
        Ok(())
    }

    fn find_oniguruma(&self, oniguruma: &OnigurumaPattern, text: &str, each: impl FnMut(Range<usize>)) -> Result<()> {
        let mut search = oniguruma.search(text, self.budget);
        self.find_regex(text, |from| search.first_from(from), each)
    }

    /// Calls `each` with the matches of a regular expression; `search` returns the first one from a byte on.
    fn find_regex(
        &self,
        text: &str,
        mut search: impl FnMut(usize) -> Result<Option<Range<usize>>>,
        mut each: impl FnMut(Range<usize>),
    ) -> Result<()> {
        let (mut from, mut last_end) = (0, None);
        // A search may read the rest of the text.
        let (unchecked, mut work) = (stop::WORK.div_ceil(1 + STEPS_PER_CHECK / text.len()), Work::default());
        while from <= text.len() {
            work.add(unchecked);
            let Some(found) = search(from)? else { break };
            if found.is_empty() && last_end == Some(found.end) {
                // The same empty match would be found forever: continue after the next character.
                from += text[from..].chars().next().map_or(1, char::len_utf8);
                continue;
            }
            if found.start < last_end.unwrap_or(0) {
                return Err(out_of_order(self.source(), &found));
            }
            from = found.end;
            last_end = Some(found.end);
            each(found);
        }
        Ok(())
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple(if self.is_regex() { "Regex" } else { "Literal" }).field(&self.source()).finish()
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.is_regex() == other.is_regex() && self.source() == other.source()
    }
}

impl Eq for Pattern {}

#[cfg(test)]
pub(in crate::text) mod tests {
    use onig::Regex;

    use super::*;
    use std::time::{Duration, Instant};

    /// Returns the matches that Oniguruma itself finds.
    pub(in crate::text) fn by_oniguruma(source: &str, text: &str) -> Vec<(usize, usize)> {
        let pattern = Pattern {
            engine: Engine::Oniguruma(OnigurumaPattern::new(source).unwrap()).into(),
            ..Pattern::literal(source)
        };
        found(&pattern, text)
    }

    fn found(pattern: &Pattern, text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        pattern.find_matches(text, |range| found.push((range.start, range.end))).unwrap();
        found
    }

    fn regex(source: &str) -> Pattern {
        Pattern::regex(source).unwrap()
    }

    #[test]
    fn can_be_shared_between_threads() {
        fn shared<T: Send + Sync>(_: &T) {}
        shared(&regex("a"));
    }

    #[test]
    fn a_literal_is_no_regex() {
        let dot = Pattern::literal(".");
        assert_eq!(found(&dot, "a.b.."), [(1, 2), (3, 4), (4, 5)]);
        assert_eq!(found(&Pattern::literal("aa"), "aaaaa"), [(0, 2), (2, 4)]);
        assert_ne!(dot, regex("."));
        assert_eq!(dot, Pattern::literal("."));
    }

    #[test]
    fn empty_matches() {
        assert_eq!(found(&Pattern::literal(""), "é1"), [(0, 0), (2, 2), (3, 3)]);
        assert_eq!(found(&regex(""), "é1"), [(0, 0), (2, 2), (3, 3)]);
        assert_eq!(found(&regex("x*"), "axxb"), [(0, 0), (1, 3), (4, 4)]);
        for pattern in [Pattern::literal(""), Pattern::literal("a"), regex(""), regex("x*"), regex("^")] {
            assert_eq!(found(&pattern, ""), []);
        }
    }

    #[test]
    fn literals_match_like_their_regexes() {
        let literals = [" ", "aa", "é", "a.b", "\n", "(", "\\", "a-b&c~d#"];
        let text = "aaa é a.b (a-b&c~d#)\n \\ aaaa éé";
        for literal in literals {
            let escaped: String =
                literal.chars().flat_map(|c| c.is_ascii_punctuation().then_some('\\').into_iter().chain([c])).collect();
            assert_eq!(found(&Pattern::literal(literal), text), found(&regex(&escaped), text), "{literal}");
        }
    }

    /// Compares with the iterator of the crate `onig`, which panics at the limit.
    #[test]
    fn matches_equal_those_of_the_crate() {
        let sources =
            ["", "a*", "a?b?", "^", "$", r"\b", "(?=a)", r"\s+(?!\S)|\s+", r"(?<=b)|a", r"\p{L}+|\z", "a|", r"\G."];
        let texts = ["a", "ab  ba\nb", "éaé a", "   ", "bb\u{301}a\u{10ffff}", "\n\n"];
        for source in sources {
            let onig = Regex::new(source).unwrap();
            for text in texts {
                assert_eq!(found(&regex(source), text), onig.find_iter(text).collect::<Vec<_>>(), "{source} {text:?}");
            }
        }
    }

    #[test]
    fn compile_errors_state_the_reason() {
        let error = Pattern::regex("(a").unwrap_err().to_string();
        assert_eq!(error, "the regex \"(a\" does not compile: end pattern with unmatched parenthesis");
    }

    #[test]
    fn deep_nesting_does_not_overflow_the_stack() {
        let nested = |open: &str, close: &str| format!("{}a{}", open.repeat(2000), close.repeat(2000));
        for source in [nested("[", "]"), nested("(?~a", ")"), nested("(?:", ")")] {
            assert_eq!(found(&regex(&source), "").len(), 0);
        }
        let error = Pattern::regex(&"(".repeat(1_000_000)).unwrap_err().to_string();
        assert!(error.ends_with("does not compile: parse depth limit over"), "{error}");
    }

    #[test]
    fn catastrophic_backtracking_is_an_error_or_takes_linear_time() {
        let started = Instant::now();
        let text = "a".repeat(100_000) + "b";
        for (source, is_linear) in
            [("(a+)+$", true), ("(a|a)+$", true), ("(a*)*c|(a*)*$", false), (r"(a+)+\b\B", false)]
        {
            let done = regex(source).find_matches(&text, |_| ());
            assert_eq!(done.is_ok(), is_linear, "{source}: {done:?}");
        }
        assert!(started.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn matches_out_of_order_are_errors() {
        for (source, text) in [(r"ab|(?<=a\Kb)c", "abc"), (r"(?=b\K)", "ab"), (r"a(?=b\K)", "ab")] {
            let mut last = 0;
            let done = regex(source).find_matches(text, |found| {
                assert!(last <= found.start && found.start <= found.end);
                last = found.end;
            });
            if let Err(error) = done {
                assert!(error.to_string().contains(r"\K"), "{error}");
            }
        }
    }
}
