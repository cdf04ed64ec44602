//! Recognizes the grammars, and the divisions before them, whose pre-tokens are found in blocks of text.

use super::classes::{Distinctions, Ideographs};
use crate::pretokenize::divisions::Division;
use crate::text::grammar::{Family, Grammar, Letters, LineEnds, Modern};
use crate::text::unicode::Class;

/// The pattern of groups of digits before the grammar.
const DIGITS: &str = r"\p{N}{1,3}";
/// The pattern of runs of ideographs and kana before the grammar.
const IDEOGRAPHS: &str = "[一-龥぀-ゟ゠-ヿ]+";

/// The function that finds the starts of pre-tokens in a block of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockMatcher {
    Runs,
    /// Each digit is separated from other text before the grammar matches.
    RunsAfterDigits,
    /// A match has up to three digits; white space at the end of the text is one match.
    ModernAtEnd,
    Modern,
    /// Groups of digits are separated from other text before the grammar matches.
    ModernAfterDigits,
    /// Each digit is a match.
    ModernOfDigits,
    /// Runs of ideographs and kana are separated from other text before the grammar matches; each digit is a match.
    ModernAfterIdeographs,
    /// Each digit is a match, and line ends are in no match of other characters.
    ModernWithoutLineEnds,
    Cased,
    /// Each digit is a match, and there are no contractions.
    CasedOfDigits,
    /// Runs of Han characters are matches.
    CasedExceptHan,
    /// Groups of digits, then runs of ideographs and kana are separated from other text before the grammar matches.
    Marked,
    Spaceless,
    /// The divisions alone, one piece at a time: for a family or parameters without a specialized function.
    Grammar,
}

impl BlockMatcher {
    /// Returns the matcher of a grammar and the properties of characters that it distinguishes.
    pub(super) fn of_grammar(grammar: Grammar) -> (Self, Distinctions) {
        match grammar.family() {
            Family::Runs => (Self::Runs, Distinctions::new(Letters::Alone)),
            Family::Modern(rules) => Self::of_modern(rules),
            Family::Marked(_) => (Self::Grammar, Distinctions::new(Letters::Alone)),
            Family::Spaceless => (Self::Spaceless, Distinctions::new(Letters::Alone)),
        }
    }

    fn of_modern(Modern { digits, end, letters, contractions, line_ends }: Modern) -> (Self, Distinctions) {
        let matcher = match (letters, line_ends, digits, end, contractions) {
            (Letters::Alone | Letters::WithMarks, LineEnds::All, 3, true, true) => Self::ModernAtEnd,
            (Letters::Alone | Letters::WithMarks, LineEnds::All, 3, false, true) => Self::Modern,
            (Letters::Alone | Letters::WithMarks, LineEnds::All, 1, false, true) => Self::ModernOfDigits,
            (Letters::Alone | Letters::WithMarks, LineEnds::None, 1, false, true) => Self::ModernWithoutLineEnds,
            (Letters::Cased, LineEnds::WithSlashes, 3, false, true) => Self::Cased,
            (Letters::Cased, LineEnds::WithSlashes, 1, false, false) => Self::CasedOfDigits,
            (Letters::CasedExceptHan, LineEnds::All, 3, false, true) => Self::CasedExceptHan,
            _ => Self::Grammar,
        };
        let is_han = matcher == Self::CasedExceptHan;
        let ideographs = if is_han { Ideographs::Han } else { Ideographs::None };
        (matcher, Distinctions { ideographs, ..Distinctions::new(letters) })
    }

    /// Returns the matcher of a grammar after other divisions, and the properties of characters that it distinguishes.
    ///
    /// Returns `None` for divisions without a specialized function.
    pub(super) fn of_divisions(before: &[Division], grammar: Grammar) -> Option<(Self, Distinctions)> {
        let digits = before.first().map_or(0, most_digits);
        let ideographs = match &before[usize::from(digits > 0)..] {
            [] => Ideographs::None,
            [division] if division.has_pattern(IDEOGRAPHS) => Ideographs::WithKana,
            _ => return None,
        };
        let (own, distinctions) = Self::of_grammar(grammar);
        let distinctions = Distinctions { ideographs, numeric: digits == 1, ..distinctions };
        Some(match (grammar.family(), digits, ideographs) {
            (Family::Runs, 1, Ideographs::None) => (Self::RunsAfterDigits, distinctions),
            (Family::Marked(LineEnds::All), 3, _) => {
                (Self::Marked, Distinctions { letters: Letters::WithMarks, others: true, ..distinctions })
            }
            // No group of digits is split further.
            (Family::Modern(rules @ Modern { digits: 3.., .. }), 3, Ideographs::None)
                if Self::of_modern(Modern { digits: 3, ..rules }).0 == Self::Modern =>
            {
                (Self::ModernAfterDigits, distinctions)
            }
            (Family::Modern(_), 0, Ideographs::WithKana) if own == Self::ModernOfDigits => {
                (Self::ModernAfterIdeographs, distinctions)
            }
            _ => return None,
        })
    }
}

/// Returns the largest number of digits in a match of a division into digits and other text; 0 for any other division.
fn most_digits(division: &Division) -> usize {
    match division {
        division if *division == Division::of_class(Class::NUMERIC, true) => 1,
        division if division.has_pattern(DIGITS) => 3,
        _ => 0,
    }
}
