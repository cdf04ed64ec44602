//! Splits text by a pattern, with a choice of what happens to the delimiters.

use super::boundary::Boundary;
use super::divisions::Division;
use crate::error::Result;
use crate::text::grammar::Rules;
use crate::text::pattern::Pattern;
use crate::text::span::Span;

/// The treatment of a delimiter. For `-` in `the-final--countdown`:
///
/// | behavior | parts |
/// |---|---|
/// | removed | `the` `final` `countdown` |
/// | isolated | `the` `-` `final` `-` `-` `countdown` |
/// | merged with previous | `the-` `final-` `-` `countdown` |
/// | merged with next | `the` `-final` `-` `-countdown` |
/// | contiguous | `the` `-` `final` `--` `countdown` |
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behavior {
    /// The delimiter is dropped.
    Removed,
    /// The delimiter is a part by itself.
    Isolated,
    /// The delimiter ends the part before it.
    MergedWithPrevious,
    /// The delimiter begins the part after it.
    MergedWithNext,
    /// A run of delimiters is a part by itself.
    Contiguous,
}

/// The settings of a split by a pattern.
///
/// ```
/// use piecework_core::pretokenize::words::Words;
/// use piecework_core::pretokenize::{Behavior, PreTokenizer, Split};
/// use piecework_core::splitter::WordSplitter;
/// use piecework_core::text::pattern::Pattern;
///
/// let split = Split { pattern: Pattern::regex(r"\d+")?, behavior: Behavior::Isolated, invert: false };
/// let splitter = WordSplitter::new(None, Some(PreTokenizer::Split(split)))?;
/// let mut words = Words::default();
/// splitter.split("a12b", false, &mut words)?;
/// assert_eq!(words.iter().collect::<Vec<_>>(), ["a", "12", "b"]);
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The pattern of the delimiters.
    pub pattern: Pattern,
    /// The treatment of delimiters.
    pub behavior: Behavior,
    /// Whether the pattern matches the text between delimiters instead of the delimiters.
    pub invert: bool,
}

impl Split {
    /// Returns [`Boundary::Matches`] if each match is a word and other text is dropped or cannot occur.
    pub(super) fn boundary(&self) -> Boundary {
        let Some(grammar) = self.pattern.grammar().filter(|grammar| !grammar.leaves_text()) else {
            return Boundary::Text;
        };
        let drops_others = self.behavior == Behavior::Removed && self.invert;
        if drops_others || !grammar.has_gaps() && self.behavior == Behavior::Isolated {
            Boundary::Matches { grammar, writes_bytes: false, prefix_space: false }
        } else {
            Boundary::Text
        }
    }

    /// Returns whether a text without spaces stays whole, because the pattern is a space.
    pub(super) fn splits_at_spaces_alone(&self) -> bool {
        self.pattern.source() == " " && !self.invert
    }

    /// Returns how it divides the pieces of other divisions, if it only does that.
    pub(super) fn division(&self) -> Option<Division> {
        let run = || self.pattern.run().cloned().map(Division::Run);
        let grammar = self.pattern.grammar();
        match self.behavior {
            Behavior::Isolated => grammar.map(Division::Grammar).or_else(run),
            Behavior::MergedWithNext if !self.invert => {
                grammar.filter(|grammar| grammar.rules() == Rules::LineEnds).map(Division::Paragraphs)
            }
            _ => None,
        }
    }

    pub(super) fn split(&self, text: &str, each: &mut dyn FnMut(Span)) -> Result<()> {
        let mut parts = Parts::new(self.behavior, self.invert, each);
        self.pattern.find_matches(text, |range| parts.found(range.start, range.end))?;
        parts.finish(text.len());
        Ok(())
    }
}

/// Joins delimiters and the text between them to parts, in order.
pub(super) struct Parts<'a> {
    behavior: Behavior,
    /// Whether a match is the text between delimiters instead of a delimiter.
    invert: bool,
    each: &'a mut dyn FnMut(Span),
    /// The end of the last match.
    end: usize,
    /// The last part, which may still grow.
    open: Option<Span>,
    /// Whether the last span was a delimiter.
    after_delimiter: bool,
}

impl<'a> Parts<'a> {
    pub(super) fn new(behavior: Behavior, invert: bool, each: &'a mut dyn FnMut(Span)) -> Self {
        Self { behavior, invert, each, end: 0, open: None, after_delimiter: false }
    }

    /// Adds a match, and the text before it; even an empty match separates parts.
    pub(super) fn found(&mut self, start: usize, end: usize) {
        self.text_to(start);
        self.part(start, end, !self.invert);
        self.end = end;
    }

    /// Adds the text between the last match and byte `start`, unless it is empty.
    fn text_to(&mut self, start: usize) {
        if self.end < start {
            self.part(self.end, start, self.invert);
        }
    }

    fn part(&mut self, start: usize, end: usize, is_delimiter: bool) {
        let span = Span::new(start, end);
        match self.behavior {
            Behavior::Removed if is_delimiter => {}
            Behavior::Removed | Behavior::Isolated => (self.each)(span),
            Behavior::MergedWithNext => self.grow(span, !is_delimiter && self.after_delimiter, is_delimiter),
            Behavior::MergedWithPrevious => self.grow(span, is_delimiter && !self.after_delimiter, is_delimiter),
            Behavior::Contiguous => self.grow(span, is_delimiter == self.after_delimiter, is_delimiter),
        }
    }

    /// Extends the open part by a span, or closes it and opens another.
    fn grow(&mut self, span: Span, joins: bool, is_delimiter: bool) {
        match &mut self.open {
            Some(open) if joins => open.end = span.end,
            open => {
                if let Some(done) = open.replace(span) {
                    (self.each)(done);
                }
            }
        }
        self.after_delimiter = is_delimiter;
    }

    /// Adds the text after the last match, which ends at byte `length`.
    pub(super) fn finish(mut self, length: usize) {
        self.text_to(length);
        self.open.into_iter().for_each(self.each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(behavior: Behavior, invert: bool, text: &str) -> Vec<&str> {
        let mut parts = Vec::new();
        let split = Split { pattern: Pattern::literal("-"), behavior, invert };
        split.split(text, &mut |span| parts.push(&text[span.range()])).unwrap();
        parts
    }

    #[test]
    fn all_behaviors() {
        let text = "the-final--countdown";
        for (behavior, expected) in [
            (Behavior::Removed, vec!["the", "final", "countdown"]),
            (Behavior::Isolated, vec!["the", "-", "final", "-", "-", "countdown"]),
            (Behavior::MergedWithPrevious, vec!["the-", "final-", "-", "countdown"]),
            (Behavior::MergedWithNext, vec!["the", "-final", "-", "-countdown"]),
            (Behavior::Contiguous, vec!["the", "-", "final", "--", "countdown"]),
        ] {
            assert_eq!(parts(behavior, false, text), expected, "{behavior:?}");
        }
        assert_eq!(parts(Behavior::Removed, true, text), ["-", "-", "-"]);
    }
}
