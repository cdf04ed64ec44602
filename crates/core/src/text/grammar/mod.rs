//! Hand-written matchers for the split patterns of most models.
//!
//! A [`Grammar`] finds the matches of its pattern without a regex engine. Letters, numbers, white space and other
//! characters are disjoint, so the first character of a match decides nearly everything, and there is no backtracking.
//! The cost is linear in the text.
//!
//! `tiktoken` writes some of these patterns for another engine, where `$` matches only at the end of the text, and
//! `{1,3}+` is possessive. The patterns here have the meaning of Oniguruma, the engine of a tokenizer.json;
//! [`translated`] maps those of `tiktoken` to them.

mod scan;

use std::ops::Range;

pub(crate) use scan::{Letters, LineEnds, Modern, contraction};

/// A split pattern that is matched without a regex engine.
///
/// ```
/// use piecework_core::text::grammar::Grammar;
///
/// let text = "It's 2026";
/// let mut pre_tokens = Vec::new();
/// Grammar::Gpt2.find_matches(text, |range| pre_tokens.push(&text[range]));
/// assert_eq!(pre_tokens, ["It", "'s", " 2026"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// GPT-2, RoBERTa, and tiktoken's `r50k` and `p50k`.
    Gpt2,
    /// GPT-3.5 and GPT-4 as in tiktoken: white space at the end of the text is one match.
    Cl100k,
    /// GPT-3.5 and GPT-4 as in `transformers`; also Llama 3 and many later models.
    Llama3,
    /// Qwen 2: every digit is a match.
    Qwen2,
    /// Seed-Coder and Zeta: as Qwen 2, but line ends after punctuation are not in its match.
    SeedCoder,
    /// The last of the patterns of `MiniCPM` 5: as Llama 3 with all digits of a number in one match.
    MiniCpm5,
    /// Qwen 3.5: marks are part of words.
    Qwen35,
    /// GPT-4o and later: words are also split by case, and include a contraction.
    O200k,
    /// Kimi K2 and later: runs of Han characters are matches; other words as in GPT-4o.
    Kimi,
    /// Mistral `NeMo` and later: words are split by case, every digit is a match, and there are no contractions.
    Tekken,
    /// CLIP: white space is in no match.
    Clip,
    /// The last of the patterns of `DeepSeek` V2 and V3, which sees no digits: words with their marks, each with the character
    /// before it. Other characters may be in no match.
    DeepSeek,
    /// The last of the patterns of Spark X2.5: as `DeepSeek`, but each line end is a match.
    Spark,
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
    /// Words with a character before them, runs of punctuation and symbols with the ends of lines behind them.
    Marked(LineEnds),
}

/// The patterns in the syntax of Oniguruma; the first pattern of a grammar is its canonical form.
const PATTERNS: [(Grammar, &str); 19] = [
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
        Grammar::Qwen2,
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+",
    ),
    (
        Grammar::SeedCoder,
        concat!(
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^",
            "\r\n",
            r"\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}",
            "\r\n",
            r"]+|\s*[",
            "\r\n",
            r"]+|\s+(?!\S)|\s+",
        ),
    ),
    (
        Grammar::MiniCpm5,
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    ),
    (
        Grammar::O200k,
        concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
    ),
    (
        Grammar::Kimi,
        concat!(
            r"[\p{Han}]+|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
    ),
    (
        Grammar::Qwen35,
        concat!(
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}",
            r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
    ),
    (
        Grammar::Tekken,
        concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|",
            r"\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
    ),
    (Grammar::Clip, r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"),
    (Grammar::Clip, r"'s|'t|'re|'ve|'m|'ll|'d|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"),
    (
        Grammar::DeepSeek,
        concat!(
            r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^"##,
            "\r\n",
            r"\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[",
            "\r\n]*",
            r"|\s*[",
            "\r\n]+",
            r"|\s+(?!\S)|\s+",
        ),
    ),
    (
        Grammar::DeepSeek,
        concat!(
            r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"##,
            r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        ),
    ),
    (
        Grammar::Spark,
        concat!(
            r##"[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^"##,
            "\r\n",
            r"\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+|[",
            "\r\n",
            r"]|\s+(?!\S)|\s+",
        ),
    ),
];

/// The pattern of `r50k` and `p50k` in tiktoken. Both engines agree on it: the rest after `\s++` has no line end.
const TIKTOKEN_R50K: &str = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";

/// The pattern of `cl100k` in tiktoken.
const TIKTOKEN_CL100K: &str = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s";

/// Returns the Oniguruma pattern with the matches of one of tiktoken's patterns, if it is known.
///
/// ```
/// use piecework_core::text::grammar::{Grammar, translated};
///
/// assert_eq!(translated(Grammar::O200k.pattern()), Some(Grammar::O200k.pattern()));
/// assert_eq!(translated(r"\w+"), None);
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[must_use]
pub fn translated(tiktoken: &str) -> Option<&'static str> {
    let grammar = if tiktoken == TIKTOKEN_CL100K { Some(Grammar::Cl100k) } else { Grammar::of(tiktoken) };
    grammar.map(Grammar::pattern)
}

impl Grammar {
    /// All grammars.
    pub const ALL: [Self; 13] = [
        Self::Gpt2,
        Self::Cl100k,
        Self::Llama3,
        Self::Qwen2,
        Self::SeedCoder,
        Self::MiniCpm5,
        Self::Qwen35,
        Self::O200k,
        Self::Kimi,
        Self::Tekken,
        Self::Clip,
        Self::DeepSeek,
        Self::Spark,
    ];

    /// Returns the grammar of a pattern, if it has one.
    #[must_use]
    pub fn of(pattern: &str) -> Option<Self> {
        PATTERNS.iter().find(|(_, known)| *known == pattern).map(|&(grammar, _)| grammar)
    }

    /// Returns the name of the grammar.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gpt2 => "gpt2",
            Self::Cl100k => "cl100k",
            Self::Llama3 => "llama3",
            Self::Qwen2 => "qwen2",
            Self::SeedCoder => "seedcoder",
            Self::MiniCpm5 => "minicpm5",
            Self::Qwen35 => "qwen35",
            Self::O200k => "o200k",
            Self::Kimi => "kimi",
            Self::Tekken => "tekken",
            Self::Clip => "clip",
            Self::DeepSeek => "deepseek",
            Self::Spark => "spark",
        }
    }

    /// Returns the name of the grammar as an engine.
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
            Self::SeedCoder => Family::Modern(scan::SEED_CODER),
            Self::MiniCpm5 => Family::Modern(scan::MINICPM5),
            Self::Qwen35 => Family::Modern(scan::QWEN35),
            Self::O200k => Family::Modern(scan::O200K),
            Self::Kimi => Family::Modern(scan::KIMI),
            Self::Tekken => Family::Modern(scan::TEKKEN),
            Self::Clip => Family::Spaceless,
            Self::DeepSeek => Family::Marked(LineEnds::All),
            Self::Spark => Family::Marked(LineEnds::None),
        }
    }

    /// Returns whether white space may be between two matches.
    pub(crate) fn has_gaps(self) -> bool {
        self.family() == Family::Spaceless
    }

    /// Returns whether other text than white space may be between two matches.
    pub(crate) fn leaves_text(self) -> bool {
        matches!(self.family(), Family::Marked(_))
    }

    /// Returns whether a match of other characters than white space may take the ends of lines that follow; then a letter after
    /// the end of a line begins a match.
    pub(crate) fn takes_line_ends(self) -> bool {
        matches!(self.family(), Family::Modern(_) | Family::Marked(_))
    }

    /// Returns whether each match of this grammar, as a text by itself, is one match of another.
    pub(crate) fn matches_are_of(self, other: Self) -> bool {
        (self, other) == (Self::Clip, Self::Gpt2)
    }

    /// Returns the canonical pattern, in the syntax of Oniguruma.
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

    /// Returns the first match that begins at or after `from`, which is not inside a match.
    #[inline]
    #[must_use]
    pub fn find(self, text: &str, from: usize) -> Option<Range<usize>> {
        match self {
            Self::Gpt2 => scan::gpt2(text, from),
            Self::Cl100k => scan::modern(text, from, scan::CL100K),
            Self::Llama3 => scan::modern(text, from, scan::LLAMA3),
            Self::Qwen2 => scan::modern(text, from, scan::QWEN2),
            Self::SeedCoder => scan::modern(text, from, scan::SEED_CODER),
            Self::MiniCpm5 => scan::modern(text, from, scan::MINICPM5),
            Self::Qwen35 => scan::modern(text, from, scan::QWEN35),
            Self::O200k => scan::modern(text, from, scan::O200K),
            Self::Kimi => scan::modern(text, from, scan::KIMI),
            Self::Tekken => scan::modern(text, from, scan::TEKKEN),
            Self::Clip => scan::clip(text, from),
            Self::DeepSeek => scan::deepseek(text, from, LineEnds::All),
            Self::Spark => scan::deepseek(text, from, LineEnds::None),
        }
    }
}

#[cfg(test)]
mod tests;
