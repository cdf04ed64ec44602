//! Random bytes before a byte of 0 are compiled as an expression, or are an error, and search the text after it. Matches are
//! in order, and equal those of Oniguruma; pre-tokens of every behavior are parts of the text, in order.

#![no_main]

use std::ops::Range;

use libfuzzer_sys::fuzz_target;
use onig::{MatchParam, Regex, Region, SearchOptions};
use piecework_core::pretokenize::words::Words;
use piecework_core::pretokenize::{Behavior, PreTokenizer, Split};
use piecework_core::splitter::WordSplitter;
use piecework_core::text::pattern::Pattern;
use piecework_fuzz::parts;

const BEHAVIORS: [Behavior; 5] = [
    Behavior::Isolated,
    Behavior::Removed,
    Behavior::MergedWithPrevious,
    Behavior::MergedWithNext,
    Behavior::Contiguous,
];
/// The number of retries of Oniguruma at a position; more give no answer to compare.
const RETRIES: u32 = 1 << 12;

/// Returns the matches that Oniguruma finds; `None` if it gives up, or if they are out of order.
fn by_oniguruma(regex: &Regex, text: &str) -> Option<Vec<Range<usize>>> {
    let (mut found, mut from, mut region) = (Vec::<Range<usize>>::new(), 0, Region::new());
    while from <= text.len() && !text.is_empty() {
        let mut limit = MatchParam::default();
        limit.set_retry_limit_in_match(RETRIES);
        region.clear();
        let options = SearchOptions::SEARCH_OPTION_NONE;
        let is_found = regex.search_with_param(text, from, text.len(), options, Some(&mut region), limit).ok()?;
        let Some((start, end)) = region.pos(0).filter(|_| is_found.is_some()) else { break };
        let last = found.last().map(|last| last.end);
        if start == end && last == Some(end) {
            from += text[from..].chars().next().map_or(1, char::len_utf8);
            continue;
        }
        if start < last.unwrap_or(0) || text.get(start..end).is_none() {
            return None;
        }
        found.push(start..end);
        from = end;
    }
    Some(found)
}

fn check_split(pattern: &Pattern, text: &str, behavior: Behavior, invert: bool) {
    let split = Split { pattern: pattern.clone(), behavior, invert };
    let splitter = WordSplitter::new(None, Some(PreTokenizer::Split(split))).expect("one stage");
    let mut words = Words::default();
    splitter.split(text, false, &mut words).expect("the search was no error");
    let mut rest = text;
    for word in words.iter() {
        rest = rest.split_once(word).unwrap_or_else(|| panic!("{word:?} is not in {rest:?}")).1;
    }
    assert!(behavior == Behavior::Removed || words.iter().collect::<String>() == text);
}

fuzz_target!(|data: &[u8]| {
    let [source, text] = parts(data);
    let (Ok(source), text) = (std::str::from_utf8(source), String::from_utf8_lossy(text)) else { return };
    let (Ok(pattern), Ok(regex)) = (Pattern::regex(source), Regex::new(source)) else {
        return assert_eq!(Pattern::regex(source).is_ok(), Regex::new(source).is_ok());
    };
    let Some(wanted) = by_oniguruma(&regex, &text) else { return };
    let mut found = Vec::new();
    pattern.find_matches(&text, |range| found.push(range)).expect("Oniguruma did not give up");
    assert_eq!(found, wanted, "{source:?} {text:?} by {}", pattern.engine());
    for behavior in BEHAVIORS {
        [false, true].into_iter().for_each(|invert| check_split(&pattern, &text, behavior, invert));
    }
});
