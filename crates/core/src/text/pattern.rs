//! Patterns: literal strings and regular expressions.
//!
//! The engine is Oniguruma with its own syntax and Unicode tables: the patterns of a `tokenizer.json` are written for
//! it, and no other engine finds the same matches. A pattern with a [`Grammar`], which finds the same matches, does not
//! use the engine, nor does one that matches runs of characters of one set.
//!
//! The engine's limit of retries bounds a search, and panics of its crate become errors. A string is found by `memchr`,
//! with the matches of the escaped expression. A long expression is compiled on a thread with a large stack, which ends
//! with the call: the compiler is recursive, and a malicious file must not end the process.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::thread;

use memchr::memmem;
use onig::{MatchParam, Regex, Region, SearchOptions};

use crate::error::{Error, Message, Result, shorten};
use crate::text::grammar::Grammar;
use crate::text::runs::RunPattern;
use crate::text::span::check_length;

/// The maximum number of backtracking steps of a match: Oniguruma's default.
const RETRY_LIMIT: u32 = 10_000_000;

/// Oniguruma's error code for a match that exceeds the limit.
const RETRY_LIMIT_EXCEEDED: i32 = -17;

/// The maximum length in bytes of an expression that is compiled on the caller's stack.
///
/// Oniguruma's compiler recurses with the nesting of the expression, which it limits to some thousand levels of some
/// kilobytes each. A thread of the caller may have a smaller stack, and an overflow ends the process.
const MAX_DIRECT_LENGTH: usize = 256;
/// The size in bytes of the stack that longer expressions are compiled on.
const STACK_SIZE: usize = 32 << 20;

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
}

/// The engine that searches a pattern.
enum Engine {
    Literal(Box<memmem::Finder<'static>>),
    Regex(Regex),
    Grammar(Grammar),
    Run(RunPattern),
}

impl Pattern {
    /// Returns a pattern that matches `text` literally.
    #[must_use]
    pub fn literal(text: &str) -> Self {
        let engine = Engine::Literal(Box::new(memmem::Finder::new(text).into_owned()));
        Self { source: text.into(), engine: engine.into() }
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
            Engine::Regex(compile_regex(source)?)
        };
        Ok(Self { source: source.into(), engine: engine.into() })
    }

    /// Returns the name of the engine: `string`, `run of characters`, `Oniguruma` or that of a grammar.
    #[must_use]
    pub fn engine(&self) -> String {
        match *self.engine {
            Engine::Literal(_) => "string".to_owned(),
            Engine::Regex(_) => "Oniguruma".to_owned(),
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

    /// Returns the text or the regular expression as it was given.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether the pattern is a regular expression.
    #[must_use]
    pub fn is_regex(&self) -> bool {
        matches!(*self.engine, Engine::Regex(_) | Engine::Grammar(_) | Engine::Run(_))
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

    /// Calls `each` with the matches in `text` from left to right; they do not overlap.
    ///
    /// A match may be empty, but not at the end of the match before it. An empty text has no matches. The cost is
    /// linear in the text for a string, and for a regular expression that seldom backtracks; at worst each position
    /// costs as many steps as the retry limit allows. A match that exceeds the limit is an error.
    pub fn find_matches(&self, text: &str, mut each: impl FnMut(Range<usize>)) -> Result<()> {
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
            Engine::Regex(regex) => self.find_regex(regex, text, each)?,
            Engine::Grammar(grammar) => grammar.find_matches(text, each),
            Engine::Run(run) => run.find_matches(text, each),
        }
        Ok(())
    }

    /// Calls `each` with the matches of a regular expression.
    fn find_regex(&self, regex: &Regex, text: &str, mut each: impl FnMut(Range<usize>)) -> Result<()> {
        let mut region = Region::new();
        let (mut from, mut last_end) = (0, None);
        while from <= text.len() {
            let Some(found) = self.search(regex, text, from, &mut region)? else { break };
            if found.is_empty() && last_end == Some(found.end) {
                // The same empty match would be found forever: continue after the next character.
                from += text[from..].chars().next().map_or(1, char::len_utf8);
                continue;
            }
            if found.start < last_end.unwrap_or(0) {
                return Err(self.out_of_order_error(&found));
            }
            from = found.end;
            last_end = Some(found.end);
            each(found);
        }
        Ok(())
    }

    /// Returns the first match at or after `from`.
    fn search(&self, regex: &Regex, text: &str, from: usize, region: &mut Region) -> Result<Option<Range<usize>>> {
        let mut limits = MatchParam::default();
        limits.set_retry_limit_in_match(RETRY_LIMIT);
        region.clear();
        let options = SearchOptions::SEARCH_OPTION_NONE;
        let found = regex.search_with_param(text, from, text.len(), options, Some(&mut *region), limits);
        let Some((start, end)) = found.map_err(|error| self.search_error(&error, from))?.and_then(|_| region.pos(0))
        else {
            return Ok(None);
        };
        if text.get(start..end).is_none() {
            return Err(self.out_of_order_error(&(start..end)));
        }
        Ok(Some(start..end))
    }

    /// Returns the error for a search that failed at `from`.
    fn search_error(&self, error: &onig::Error, from: usize) -> Error {
        let regex = shorten(self.source());
        Error::Regex(if error.code() == RETRY_LIMIT_EXCEEDED {
            Message::new(format!("the regex {regex:?} gave up after {RETRY_LIMIT} retries near byte {from}")).hint(
                "let fewer of its repetitions match the same text, for example by possessive ones (a++) or atomic \
                 groups ((?>a+))",
            )
        } else {
            format!("the regex {regex:?} failed near byte {from}: {}", error.description()).into()
        })
    }

    /// Returns the error for a match out of order, as `\K` in a look-around can cause.
    fn out_of_order_error(&self, found: &Range<usize>) -> Error {
        Error::Regex(
            Message::new(format!(
                "the regex {:?} matches from byte {} to {}, which is before its last match or not a valid \
             range of the text",
                shorten(self.source()),
                found.start,
                found.end
            ))
            .hint("leave \\K out of look-around"),
        )
    }
}

/// Compiles a regular expression, on a thread with a large stack if it is long.
fn compile_regex(source: &str) -> Result<Regex> {
    let fails = |why: &str| Error::Regex(format!("the regex {:?} does not compile: {why}", shorten(source)).into());
    let compile = || Regex::new(source).map_err(|error| fails(error.description()));
    if source.len() <= MAX_DIRECT_LENGTH {
        return compile();
    }
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK_SIZE);
        let thread = builder.spawn_scoped(scope, compile).map_err(|error| fails(&error.to_string()))?;
        thread.join().map_err(|_| fails("the compiler panicked"))?
    })
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
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

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
    fn catastrophic_backtracking_is_an_error() {
        let started = Instant::now();
        let text = "a".repeat(100_000) + "b";
        for source in ["(a+)+$", "(a|a)*$", "(a*)*c|(a*)*$", r"(a+)+\b\B"] {
            let error = regex(source).find_matches(&text, |_| ()).unwrap_err();
            assert!(
                matches!(&error, Error::Regex(message) if message.to_string().contains("gave up")),
                "{source}: {error}"
            );
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
