//! Recognizes the grammars, and the divisions before them, whose pre-tokens are found in blocks of text.

use super::classes::{Distinctions, Ideographs};
use crate::pretokenize::divisions::Division;
use crate::text::grammar::{Grammar, Letters, LineEnds, Modern, Rules};
use crate::text::unicode::Class;

/// The pattern of groups of digits before the grammar.
const DIGITS: &str = r"\p{N}{1,3}";
/// The pattern of runs of ideographs and kana before the grammar.
const IDEOGRAPHS: &str = "[一-龥぀-ゟ゠-ヿ]+";

/// How the starts of pre-tokens are found in a block of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BlockMatcher {
    pub(super) rules: BlockRules,
    /// The largest number of digits that are separated from other text before the grammar matches, as runs of ideographs
    /// may be; `None` without divisions before it.
    pub(super) divided: Option<usize>,
}

/// The rules of a grammar for a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockRules {
    Runs,
    Modern(Modern),
    Marked,
    Spaceless,
    /// The divisions alone, one piece at a time.
    OneByOne,
}

impl BlockMatcher {
    /// The matcher that uses no blocks, for tests.
    #[cfg(test)]
    pub(super) const ONE_BY_ONE: Self = Self { rules: BlockRules::OneByOne, divided: None };

    /// Returns the matcher of a grammar and the properties of characters that it distinguishes.
    pub(super) fn of_grammar(grammar: Grammar) -> (Self, Distinctions) {
        let (rules, distinctions) = match grammar.rules() {
            Rules::Runs => (BlockRules::Runs, Distinctions::new(Letters::Alone)),
            Rules::Modern(rules) => {
                let is_han = rules.letters == Letters::CasedExceptHan;
                let ideographs = if is_han { Ideographs::Han } else { Ideographs::None };
                (BlockRules::Modern(rules), Distinctions { ideographs, ..Distinctions::new(rules.letters) })
            }
            Rules::Marked(_) => (BlockRules::OneByOne, Distinctions::new(Letters::Alone)),
            Rules::Spaceless => (BlockRules::Spaceless, Distinctions::new(Letters::Alone)),
        };
        (Self { rules, divided: None }, distinctions)
    }

    /// Returns the matcher of a grammar after other divisions, and the properties of characters that it distinguishes.
    ///
    /// Returns `None` for divisions that are not found in blocks.
    pub(super) fn of_divisions(before: &[Division], grammar: Grammar) -> Option<(Self, Distinctions)> {
        let digits = before.first().map_or(0, most_digits);
        let ideographs = match &before[usize::from(digits > 0)..] {
            [] => Ideographs::None,
            [division] if division.has_pattern(IDEOGRAPHS) => Ideographs::WithKana,
            _ => return None,
        };
        let (own, distinctions) = Self::of_grammar(grammar);
        let distinctions = Distinctions { ideographs, numeric: digits == 1, ..distinctions };
        let (rules, distinctions) = match grammar.rules() {
            Rules::Runs if ideographs == Ideographs::None => (own.rules, distinctions),
            Rules::Marked(LineEnds::All) if digits == 3 => {
                (BlockRules::Marked, Distinctions { letters: Letters::WithMarks, others: true, ..distinctions })
            }
            // No group of digits is split further.
            Rules::Modern(rules)
                if !rules.letters.are_cased() && !rules.end && (digits == 0 || rules.digits >= digits) =>
            {
                let digits = if digits == 0 { rules.digits } else { digits };
                (BlockRules::Modern(Modern { digits, ..rules }), distinctions)
            }
            _ => return None,
        };
        Some((Self { rules, divided: Some(digits) }, distinctions))
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
