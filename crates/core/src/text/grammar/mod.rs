//! The split patterns that most models have, by hand.
//!
//! A [`Grammar`] finds in a text what Oniguruma finds with its pattern, without an engine: letters, numbers, white space and
//! the rest have no character in common, so the first character of a match decides nearly everything, and nothing is ever
//! tried twice. Each costs time linear in the text.
//!
//! `tiktoken` writes some of these patterns for another engine, to which the same string means something else: there `$` is the
//! end of the text alone, and `{1,3}+` gives nothing back. The patterns here are what Oniguruma reads, the engine of a
//! tokenizer.json; [`translated`] knows their counterparts.

mod scan;

use std::ops::Range;

pub(crate) use scan::{Modern, contraction};

/// A split pattern that is found without an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// GPT-2, RoBERTa, and the rest of its age: `r50k` and `p50k` of tiktoken, too.
    Gpt2,
    /// GPT-3.5 and GPT-4, as tiktoken reads it: white space at the end of the text stays together.
    Cl100k,
    /// The same as `transformers` has it: Llama 3 and most since.
    Llama3,
    /// Qwen 2: every digit by itself.
    Qwen2,
    /// GPT-4o and since: words are divided where the case says so, and contractions stay with them.
    O200k,
    /// CLIP: no spaces at all.
    Clip,
}

/// Patterns that differ in no more than their parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Runs of letters, of numbers and of the rest, each with the space before it.
    Runs,
    /// Words with a character before them, groups of digits, the rest with the ends of lines behind it.
    Modern(Modern),
    /// Runs of letters and of the rest, single numbers; no white space.
    Spaceless,
}

/// The patterns as Oniguruma reads them; the first of a grammar is the one that it is written as.
const PATTERNS: [(Grammar, &str); 10] = [
    (Grammar::Gpt2, r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"),
    (Grammar::Gpt2, r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"),
    (Grammar::Gpt2, TIKTOKEN_R50K),
    (
        Grammar::Cl100k,
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++\z|\s*[\r\n]|\s+(?!\S)|\s",
    ),
    (
        Grammar::Llama3,
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
    (
        Grammar::Llama3,
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    ),
    (
        Grammar::Qwen2,
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
    (
        Grammar::O200k,
        concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
    ),
    (Grammar::Clip, r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"),
    (Grammar::Clip, r"'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"),
];

/// What tiktoken has for `r50k` and `p50k`; it means the same to both engines, for no line ends within what `\s++` left.
const TIKTOKEN_R50K: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";

/// What tiktoken has for `cl100k`.
const TIKTOKEN_CL100K: &str = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s";

/// The pattern that finds with Oniguruma what one of tiktoken's finds with its own engine, if that is known.
#[must_use]
pub fn translated(tiktoken: &str) -> Option<&'static str> {
    let grammar = if tiktoken == TIKTOKEN_CL100K { Some(Grammar::Cl100k) } else { Grammar::of(tiktoken) };
    grammar.map(Grammar::pattern)
}

impl Grammar {
    /// All grammars.
    pub const ALL: [Self; 6] = [Self::Gpt2, Self::Cl100k, Self::Llama3, Self::Qwen2, Self::O200k, Self::Clip];

    /// The grammar of a pattern, if it has one.
    #[must_use]
    pub fn of(pattern: &str) -> Option<Self> {
        PATTERNS.iter().find(|(_, known)| *known == pattern).map(|&(grammar, _)| grammar)
    }

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gpt2 => "gpt2",
            Self::Cl100k => "cl100k",
            Self::Llama3 => "llama3",
            Self::Qwen2 => "qwen2",
            Self::O200k => "o200k",
            Self::Clip => "clip",
        }
    }

    /// The same as what finds a pattern.
    #[must_use]
    pub fn engine(self) -> String {
        format!("grammar {}", self.name())
    }

    /// Returns the family of patterns that the grammar is of.
    pub(crate) fn family(self) -> Family {
        match self {
            Self::Gpt2 => Family::Runs,
            Self::Cl100k => Family::Modern(scan::CL100K),
            Self::Llama3 => Family::Modern(scan::LLAMA3),
            Self::Qwen2 => Family::Modern(scan::QWEN2),
            Self::O200k => Family::Modern(scan::O200K),
            Self::Clip => Family::Spaceless,
        }
    }

    /// Returns whether there may be text between two matches, which is white space then.
    pub(crate) fn has_gaps(self) -> bool {
        self.family() == Family::Spaceless
    }

    /// Returns whether a match of other characters than white space takes the ends of lines that follow; then a letter after the
    /// end of a line begins a match.
    pub(crate) fn takes_line_ends(self) -> bool {
        matches!(self.family(), Family::Modern(_))
    }

    /// Returns whether each match of this grammar, as a text by itself, is one match of another.
    pub(crate) fn matches_are_of(self, other: Self) -> bool {
        (self, other) == (Self::Clip, Self::Gpt2)
    }

    /// The pattern, as Oniguruma reads it.
    #[must_use]
    pub fn pattern(self) -> &'static str {
        PATTERNS.iter().find(|(grammar, _)| *grammar == self).map_or("", |(_, pattern)| pattern)
    }

    /// Calls `each` with the matches in `text` from left to right.
    pub fn find_matches(self, text: &str, mut each: impl FnMut(Range<usize>)) {
        let mut at = 0;
        while let Some(found) = self.find(text, at) {
            at = found.end;
            each(found);
        }
    }

    /// The first match that begins at `from` or behind it, where no match before goes on.
    #[inline]
    #[must_use]
    pub fn find(self, text: &str, from: usize) -> Option<Range<usize>> {
        match self {
            Self::Gpt2 => scan::gpt2(text, from),
            Self::Cl100k => scan::modern(text, from, scan::CL100K),
            Self::Llama3 => scan::modern(text, from, scan::LLAMA3),
            Self::Qwen2 => scan::modern(text, from, scan::QWEN2),
            Self::O200k => scan::modern(text, from, scan::O200K),
            Self::Clip => scan::clip(text, from),
        }
    }
}

#[cfg(test)]
mod tests;
