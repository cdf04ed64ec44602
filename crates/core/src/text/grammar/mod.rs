//! Hand-written matchers for the split patterns of most models.
//!
//! A [`Grammar`] finds the matches of its pattern without a regex engine. Letters, numbers, white space and other
//! characters are disjoint, so the first character of a match decides nearly everything, and there is no backtracking.
//! The cost is linear in the text.
//!
//! `tiktoken` writes some of these patterns for another engine, where `$` matches only at the end of the text, and
//! `{1,3}+` is possessive. The patterns here have the meaning of Oniguruma, the engine of a tokenizer.json;
//! [`translated`] maps those of `tiktoken` to them.

mod known;
mod scan;

use std::fmt;
use std::ops::Range;

use known::{KNOWN, KnownPattern, TIKTOKEN_CL100K};
pub(crate) use scan::{Letters, LineEnds, Modern, contraction};

/// A split pattern that is matched without a regex engine.
///
/// ```
/// use piecework_core::text::grammar::Grammar;
///
/// let text = "It's 2026";
/// let mut pre_tokens = Vec::new();
/// Grammar::GPT2.find_matches(text, |range| pre_tokens.push(&text[range]));
/// assert_eq!(pre_tokens, ["It", "'s", " 2026"]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Grammar(usize);

/// The rules of a pattern: those of one kind differ in no more than their parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    /// Runs of letters, of numbers and of the rest, each with the space before it.
    Runs,
    /// Words with a character before them, groups of digits, the rest with the ends of lines behind it.
    Modern(Modern),
    /// Runs of letters and of the rest, single numbers; no white space.
    Spaceless,
    /// Words with a character before them, runs of punctuation and symbols with the ends of lines behind them.
    Marked(LineEnds),
    /// Groups of three digits from the end of a number.
    Thousands,
    /// The ends of lines between lines that are not empty.
    LineEnds,
}

/// Returns the Oniguruma pattern with the matches of one of tiktoken's patterns, if it is known.
///
/// ```
/// use piecework_core::text::grammar::{Grammar, translated};
///
/// assert_eq!(translated(Grammar::O200K.pattern()), Some(Grammar::O200K.pattern()));
/// assert_eq!(translated(r"\w+"), None);
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[must_use]
pub fn translated(tiktoken: &str) -> Option<&'static str> {
    let grammar = if tiktoken == TIKTOKEN_CL100K { Some(Grammar::CL100K) } else { Grammar::of(tiktoken) };
    grammar.map(Grammar::pattern)
}

impl fmt::Debug for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Grammar {
    /// GPT-2.
    pub const GPT2: Self = Self(0);
    /// GPT-3.5 and GPT-4 as in tiktoken.
    pub const CL100K: Self = Self(1);
    /// GPT-4o and later.
    pub const O200K: Self = Self(2);
    /// CLIP.
    pub const CLIP: Self = Self(3);

    /// Iterates over all grammars.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..KNOWN.len()).map(Self)
    }

    /// Returns the grammar of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|grammar| grammar.name() == name)
    }

    /// Returns the grammar of a pattern, if it has one.
    #[must_use]
    pub fn of(pattern: &str) -> Option<Self> {
        Self::all().find(|grammar| grammar.known().spellings.contains(&pattern))
    }

    fn known(self) -> &'static KnownPattern {
        &KNOWN[self.0]
    }

    /// Returns the name of the grammar.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.known().name
    }

    /// Returns the name of the grammar as an engine.
    #[must_use]
    pub fn engine(self) -> String {
        format!("grammar {}", self.name())
    }

    /// Returns the rules of the pattern.
    #[inline]
    pub(crate) fn rules(self) -> Rules {
        self.known().rules
    }

    /// Returns whether white space may be between two matches.
    pub(crate) fn has_gaps(self) -> bool {
        self.rules() == Rules::Spaceless
    }

    /// Returns whether other text than white space may be between two matches.
    pub(crate) fn leaves_text(self) -> bool {
        matches!(self.rules(), Rules::Marked(_) | Rules::Thousands | Rules::LineEnds)
    }

    /// Returns whether a match depends on the character before it, so that a text must not be cut before the pattern is
    /// matched.
    pub(crate) fn looks_back(self) -> bool {
        self.rules() == Rules::Thousands
    }

    /// Returns whether a match, or the text between two, ends between a letter or number and ASCII white space in any text.
    ///
    /// A split of the text there leaves all other matches as they are.
    pub(crate) fn ends_between(self, before: char, blank: char) -> bool {
        match self.rules() {
            // White space is matched apart from letters and numbers before it.
            Rules::Runs | Rules::Modern(_) | Rules::Spaceless | Rules::Marked(_) => true,
            Rules::Thousands => scan::is_decimal(before),
            Rules::LineEnds => blank == '\n',
        }
    }

    /// Returns whether a match of other characters than white space may take the ends of lines that follow; then a letter after
    /// the end of a line begins a match.
    pub(crate) fn takes_line_ends(self) -> bool {
        matches!(self.rules(), Rules::Modern(_) | Rules::Marked(_))
    }

    /// Returns whether each match of this grammar, as a text by itself, is one match of another.
    pub(crate) fn matches_are_of(self, other: Self) -> bool {
        (self, other) == (Self::CLIP, Self::GPT2)
    }

    /// Returns the canonical pattern, in the syntax of Oniguruma.
    #[must_use]
    pub fn pattern(self) -> &'static str {
        self.known().spellings[0]
    }

    /// Calls `each` with the matches in `text` from left to right.
    pub fn find_matches(self, text: &str, mut each: impl FnMut(Range<usize>)) {
        let mut at = 0;
        while let Some(found) = self.find(text, at) {
            at = found.end;
            each(found);
        }
    }

    /// Returns the first match that begins at or after `from`, which is not inside a match.
    #[inline]
    #[must_use]
    pub fn find(self, text: &str, from: usize) -> Option<Range<usize>> {
        match self.rules() {
            Rules::Runs => scan::gpt2(text, from),
            Rules::Modern(rules) => scan::modern(text, from, rules),
            Rules::Spaceless => scan::clip(text, from),
            Rules::Marked(line_ends) => scan::deepseek(text, from, line_ends),
            Rules::Thousands => scan::thousands(text, from),
            Rules::LineEnds => scan::line_ends(text, from),
        }
    }
}

#[cfg(test)]
mod tests;
