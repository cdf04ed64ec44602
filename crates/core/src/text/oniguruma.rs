//! Searches by Oniguruma that end: the matches of an expression, under limits, in a call that can be stopped.
//!
//! Oniguruma backtracks, and counts its retries. A search is one call with a limit. After a search that exceeds the limit,
//! and in a long text if the expression may read it again and again without retries, each position is tried by itself, so
//! that the call can be stopped between them, and the retries of all positions are counted: a position whose retries exceed
//! a number is tried again with twice that number, and half of the last number is the least that it took.
//!
//! A search passes over positions where it knows that none matches, such as before a character that the text lacks. So
//! where a position exceeds the limit, a search decides.

use std::ops::Range;
use std::thread;

use onig::{MatchParam, Regex, Region, SearchOptions};

use crate::error::{Error, Message, Result, shorten};
use crate::stop;

/// The maximum number of retries of a match at one position: Oniguruma's default.
const MOST_RETRIES: u64 = 10_000_000;
/// The maximum number of retries of a search that is one call.
const RETRIES_OF_A_SEARCH: u64 = 1 << 20;
/// The number of retries of a position that are not counted.
const FREE_RETRIES: u64 = 1 << 10;
/// The length in bytes of the longest text that is searched in one call.
const SHORT_TEXT: usize = 1 << 14;

/// What may read a text without retries: look-around, atomic and absent groups, conditions, possessive repetitions.
const FREE_READERS: [&str; 9] = ["(?=", "(?!", "(?<", "(?>", "(?~", "(?(", "++", "*+", "?+"];

/// Oniguruma's error codes for a match, and for a search, that exceeds its limit.
const LIMIT_EXCEEDED: [i32; 2] = [-17, -18];

/// The maximum length in bytes of an expression that is compiled on the caller's stack.
///
/// Oniguruma's compiler recurses with the nesting of the expression, which it limits to some thousand levels of some
/// kilobytes each. A thread of the caller may have a smaller stack, and an overflow ends the process.
const MAX_DIRECT_LENGTH: usize = 256;
/// The size in bytes of the stack that longer expressions are compiled on.
const STACK_SIZE: usize = 32 << 20;

/// An expression that is compiled by Oniguruma.
pub(crate) struct OnigurumaPattern {
    source: String,
    regex: Regex,
    /// Whether it may read a text again from each position without a retry, so that no limit ends a search.
    reads_freely: bool,
    /// Whether a match depends on where the search begins.
    has_start: bool,
}

/// The matches in one text.
pub(crate) struct OnigurumaSearch<'a> {
    pattern: &'a OnigurumaPattern,
    text: &'a str,
    region: Region,
    /// Whether each position is tried by itself.
    is_stepwise: bool,
    /// The number of retries that may follow.
    budget: u64,
    whole_budget: u64,
}

/// The result of a call with a limit of retries.
enum Tried {
    Found(Option<Range<usize>>),
    Exceeded,
}

impl OnigurumaPattern {
    /// Compiles an expression, on a thread with a large stack if it is long.
    pub(crate) fn new(source: &str) -> Result<Self> {
        let fails = |why: &str| Error::Regex(format!("the regex {:?} does not compile: {why}", shorten(source)).into());
        let compile = || Regex::new(source).map_err(|error| fails(error.description()));
        let regex = if source.len() <= MAX_DIRECT_LENGTH {
            compile()?
        } else {
            thread::scope(|scope| {
                let builder = thread::Builder::new().stack_size(STACK_SIZE);
                let thread = builder.spawn_scoped(scope, compile).map_err(|error| fails(&error.to_string()))?;
                thread.join().map_err(|_| fails("the compiler panicked"))?
            })?
        };
        let repeats = source.contains(['*', '+']) || source.contains(",}");
        let reads_freely = repeats && FREE_READERS.iter().any(|mark| source.contains(mark));
        // The name of a callout may have any effect.
        let has_start = source.contains(r"\G") || source.contains("(*") || source.contains("(?{");
        Ok(Self { source: source.to_owned(), regex, reads_freely, has_start })
    }

    /// Returns the search in a text, which may take this number of retries.
    pub(crate) fn search<'a>(&'a self, text: &'a str, budget: u64) -> OnigurumaSearch<'a> {
        let is_stepwise = text.len() > SHORT_TEXT && self.reads_freely && !self.has_start;
        OnigurumaSearch { pattern: self, text, region: Region::new(), is_stepwise, budget, whole_budget: budget }
    }
}

impl OnigurumaSearch<'_> {
    /// Returns the first match that begins at byte `from` or after it.
    pub(crate) fn first_from(&mut self, from: usize) -> Result<Option<Range<usize>>> {
        if !self.is_stepwise {
            let most = if self.pattern.has_start { self.budget } else { self.budget.min(RETRIES_OF_A_SEARCH) };
            match self.call(from, MOST_RETRIES, most, true)? {
                Tried::Found(found) => return self.checked(found),
                Tried::Exceeded if self.pattern.has_start => return Err(self.gave_up(from, most < MOST_RETRIES)),
                Tried::Exceeded => self.is_stepwise = true,
            }
        }
        let ends = self.text[from..].char_indices().map(|(at, _)| from + at).chain([self.text.len()]);
        for at in ends {
            stop::check();
            match self.at(at)? {
                Tried::Found(None) => {}
                Tried::Found(found) => return self.checked(found),
                Tried::Exceeded => {
                    let Tried::Found(found) = self.call(at, MOST_RETRIES, u64::MAX, true)? else {
                        return Err(self.gave_up(at, false));
                    };
                    return self.checked(found);
                }
            }
        }
        Ok(None)
    }

    /// Returns the match that begins at a byte.
    fn at(&mut self, at: usize) -> Result<Tried> {
        // Without a budget nothing is counted.
        let mut most = if self.whole_budget == u64::MAX { MOST_RETRIES } else { FREE_RETRIES };
        loop {
            if let Tried::Found(found) = self.call(at, most, most, false)? {
                let taken = if most == FREE_RETRIES { 0 } else { most / 2 };
                self.budget = self.budget.saturating_sub(taken);
                return Ok(Tried::Found(found));
            }
            if most >= MOST_RETRIES {
                return Ok(Tried::Exceeded);
            }
            if most >= self.budget {
                return Err(self.gave_up(at, true));
            }
            most = (2 * most).min(MOST_RETRIES);
        }
    }

    /// Searches from a byte on, or matches there, with limits of retries for each position and for all.
    fn call(&mut self, from: usize, of_match: u64, of_search: u64, is_search: bool) -> Result<Tried> {
        let limits = limits(of_match, of_search);
        self.region.clear();
        let (regex, text, options) = (&self.pattern.regex, self.text, SearchOptions::SEARCH_OPTION_NONE);
        let found = if is_search {
            let found = regex.search_with_param(text, from, text.len(), options, Some(&mut self.region), limits);
            found.map(|found| found.is_some())
        } else {
            let found = regex.match_with_param(text, from, options, Some(&mut self.region), limits);
            found.map(|found| found.is_some())
        };
        match found {
            Ok(is_found) => {
                Ok(Tried::Found(self.region.pos(0).filter(|_| is_found).map(|(start, end)| Range { start, end })))
            }
            Err(error) if LIMIT_EXCEEDED.contains(&error.code()) => Ok(Tried::Exceeded),
            Err(error) => Err(self.failed(&error, from)),
        }
    }

    /// Returns a match, or an error if it is not a range of the text, as `\K` in a look-around can cause.
    fn checked(&self, found: Option<Range<usize>>) -> Result<Option<Range<usize>>> {
        match found {
            Some(found) if self.text.get(found.clone()).is_none() => Err(out_of_order(&self.pattern.source, &found)),
            found => Ok(found),
        }
    }

    /// Returns the error for too many retries near byte `at`: those of the budget, or of one position.
    fn gave_up(&self, at: usize, exceeds_budget: bool) -> Error {
        let regex = shorten(&self.pattern.source);
        let retries = if exceeds_budget { self.whole_budget } else { MOST_RETRIES };
        let message = Message::new(format!("the regex {regex:?} gave up after {retries} retries near byte {at}"));
        Error::Regex(message.hint(if exceeds_budget {
            "raise `regex_retries`, or let fewer of its repetitions match the same text"
        } else {
            "let fewer of its repetitions match the same text, for example by possessive ones (a++) or atomic groups \
             ((?>a+))"
        }))
    }

    /// Returns the error for a search that failed from byte `at` on.
    fn failed(&self, error: &onig::Error, at: usize) -> Error {
        let regex = shorten(&self.pattern.source);
        Error::Regex(format!("the regex {regex:?} failed near byte {at}: {}", error.description()).into())
    }
}

/// Returns the limits of retries at one position, and in a whole search.
#[expect(unsafe_code, reason = "the crate does not set the limit of a search")]
fn limits(of_match: u64, of_search: u64) -> MatchParam {
    let mut limits = MatchParam::default();
    limits.set_retry_limit_in_match(u32::try_from(of_match).unwrap_or(u32::MAX));
    // SAFETY: the parameters are valid as long as `limits` lives, and the call sets one number in them.
    unsafe {
        let most = std::ffi::c_ulong::try_from(of_search).unwrap_or(std::ffi::c_ulong::MAX);
        onig_sys::onig_set_retry_limit_in_search_of_match_param(limits.as_raw(), most);
    }
    limits
}

/// Returns the error for a match out of order, as `\K` in a look-around can cause.
pub(crate) fn out_of_order(source: &str, found: &Range<usize>) -> Error {
    let Range { start, end } = found;
    let message = Message::new(format!(
        "the regex {:?} matches from byte {start} to {end}, which is before its last match or not a valid range of the text",
        shorten(source),
    ));
    Error::Regex(message.hint("leave \\K out of look-around"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the matches of a search, which may begin stepwise.
    fn found(source: &str, text: &str, is_stepwise: bool, budget: u64) -> Result<Vec<(usize, usize)>> {
        let pattern = OnigurumaPattern::new(source)?;
        let mut search = pattern.search(text, budget);
        search.is_stepwise |= is_stepwise;
        let (mut all, mut from, mut last) = (Vec::new(), 0, None);
        while let Some(found) = search.first_from(from)? {
            if !(found.is_empty() && last == Some(found.end)) {
                all.push((found.start, found.end));
                (from, last) = (found.end, Some(found.end));
                continue;
            }
            let Some(c) = text[from..].chars().next() else { break };
            from += c.len_utf8();
        }
        Ok(all)
    }

    #[test]
    fn steps_find_what_a_search_finds() {
        let sources = [
            r"(?<=b)a",
            r"a(?!b)",
            r"(?<![ab])\s+",
            r"\s+(?!\S)|\s+",
            r"(?i)AB|b",
            r"\b",
            r"(a)\1",
            r"(?>a+)b",
            r"a++|b",
            r"a\Kb",
            r"(?=a|$)",
            r"\R",
            r"^",
            r"(?m:.*)b",
            r"(?<=\A|b).",
            r"\z|a(?=b)",
            r".*(?=b)",
        ];
        let mut state = 23_u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % limit
        };
        let mut matches = 0;
        for _ in 0..1000 {
            let text: String = (0..below(16)).map(|_| ["a", "b", " ", "\n", "é"][below(5)]).collect();
            for source in sources {
                let all = found(source, &text, false, u64::MAX).unwrap();
                assert_eq!(found(source, &text, true, u64::MAX).unwrap(), all, "{source} in {text:?}");
                let by_crate: Vec<_> = Regex::new(source).unwrap().find_iter(&text).collect();
                assert!(text.is_empty() || all == by_crate, "{source} in {text:?}");
                matches += all.len();
            }
        }
        assert!(matches > 10_000, "{matches}");
    }

    /// An expression that tries all ways to divide a run of `a`.
    const DIVISIONS: &str = "(?:a|aa)+(?=b)";

    #[test]
    fn a_budget_bounds_the_retries_of_a_text() {
        let text = "a".repeat(24) + "cb";
        let error = |text: &str, budget| found(DIVISIONS, text, false, budget).unwrap_err().to_string();
        assert_eq!(found(DIVISIONS, &text, false, 10_000_000), Ok(vec![]));
        let wanted = "gave up after 10000 retries near byte 0; raise `regex_retries`, or";
        assert!(error(&text, 10_000).contains(wanted), "{}", error(&text, 10_000));
        // Each position is far below the limit, all together are above it.
        let many = text.repeat(100);
        assert!(error(&many, 2_000_000).contains("gave up after 2000000 retries"));
    }

    #[test]
    fn too_many_retries_at_one_position_are_an_error() {
        for source in [DIVISIONS, r"(a|aa)+\b\B", r"(a|aa)+d(?=b)|(?>x)"] {
            let error = found(source, &("a".repeat(40) + "cb"), false, u64::MAX).unwrap_err().to_string();
            assert!(error.contains("gave up after 10000000 retries near byte 0; let fewer"), "{source}: {error}");
        }
    }

    #[test]
    fn positions_that_a_search_passes_over_are_no_errors() {
        let text = "a".repeat(40) + &" ".repeat(SHORT_TEXT);
        assert_eq!(found("(.|..)+bcdefg(?=h)", &text, false, u64::MAX), Ok(vec![]));
    }

    #[test]
    fn a_search_can_be_stopped() {
        let text = "a".repeat(22) + "c" + &" ".repeat(SHORT_TEXT) + "b";
        let stopped = stop::unless_stopped(|| true, || found(DIVISIONS, &text, false, u64::MAX));
        assert_eq!(stopped, Err(stop::Stop::Asked));
    }
}
