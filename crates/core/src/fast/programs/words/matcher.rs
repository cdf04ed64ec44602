//! Recognizes the patterns in a row whose pieces are found in blocks of text.

use super::classes::{Classes, Ideographs};
use crate::fast::programs::runs::RunMatcher;
use crate::pretokenize::divisions::Division;
use crate::text::grammar::{Grammar, Letters, LineEnds, Modern, Rules};
use crate::text::unicode::Class;

/// The pattern of groups of digits before the grammar.
const DIGITS: &str = r"\p{N}{1,3}";
/// The pattern of runs of ideographs and kana before the grammar.
const IDEOGRAPHS: &str = "[一-龥぀-ゟ゠-ヿ]+";

/// How the starts of pieces are found in a block of text.
#[derive(Debug, Clone)]
pub(super) enum StartFinder {
    /// By shifts of bit sets.
    Grammar(GrammarMatcher),
    /// By shifts of bit sets, for runs of characters alone.
    Runs(RunMatcher),
    /// One piece at a time.
    OneByOne,
}

/// Finds the matches of a grammar, and the pieces of the divisions before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct GrammarMatcher {
    pub(super) grammar: Grammar,
    pub(super) rules: Rules,
    /// The largest number of digits that are separated from other text before the grammar matches, as runs of ideographs
    /// may be; `None` without divisions before it.
    pub(super) divided: Option<usize>,
    pub(super) classes: Classes,
}

impl StartFinder {
    /// Returns the matcher of divisions in a row.
    pub(super) fn of_divisions(steps: &[Division]) -> Self {
        let grammar = match steps.split_last() {
            Some((Division::Grammar(grammar), before)) => GrammarMatcher::of_divisions(before, *grammar),
            _ => None,
        };
        let grammar = grammar.map(Self::Grammar);
        grammar.or_else(|| RunMatcher::of(steps).map(Self::Runs)).unwrap_or(Self::OneByOne)
    }
}

impl GrammarMatcher {
    /// Returns the matcher of a grammar alone.
    pub(super) fn of_grammar(grammar: Grammar) -> Self {
        let classes = match grammar.rules() {
            Rules::Modern(Modern { letters: Letters::CasedExceptHan, .. }) => {
                Classes { ideographs: Ideographs::Han, ..Classes::new(Letters::CasedExceptHan) }
            }
            Rules::Modern(rules) => Classes::new(rules.letters),
            Rules::Runs | Rules::Spaceless | Rules::Marked(_) | Rules::Thousands | Rules::LineEnds => {
                Classes::new(Letters::Alone)
            }
        };
        Self { grammar, rules: grammar.rules(), divided: None, classes }
    }

    /// Returns the matcher of a grammar after other divisions; `None` for divisions that are not found in blocks.
    fn of_divisions(before: &[Division], grammar: Grammar) -> Option<Self> {
        let digits = before.first().map_or(0, most_digits);
        let ideographs = match &before[usize::from(digits > 0)..] {
            [] => Ideographs::None,
            [division] if division.has_pattern(IDEOGRAPHS) => Ideographs::WithKana,
            _ => return None,
        };
        let own = Self::of_grammar(grammar);
        let classes = Classes { ideographs, numeric: digits == 1, ..own.classes };
        let (rules, classes) = match own.rules {
            _ if before.is_empty() && !grammar.leaves_text() && !grammar.has_gaps() => return Some(own),
            Rules::Runs if ideographs == Ideographs::None => (own.rules, classes),
            Rules::Marked(LineEnds::All) if digits == 3 => {
                (own.rules, Classes { letters: Letters::WithMarks, others: true, ..classes })
            }
            // No group of digits is split further.
            Rules::Modern(rules)
                if !rules.letters.are_cased() && !rules.end && (digits == 0 || rules.digits >= digits) =>
            {
                let digits = if digits == 0 { rules.digits } else { digits };
                (Rules::Modern(Modern { digits, ..rules }), classes)
            }
            _ => return None,
        };
        Some(Self { grammar, rules, divided: Some(digits), classes })
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
