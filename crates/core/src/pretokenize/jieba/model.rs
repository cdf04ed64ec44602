//! Splits a run of single characters, by a hidden Markov model that joins them to words.

use super::tables::{STATES, Tables, is_han};
use crate::stop::Work;

/// The states in alphabetical order (begin, end, middle, single): of equals the later one is taken.
const END: usize = 1;
const SINGLE: usize = 3;
/// The possible predecessors of each state, in the same order.
const PREDECESSORS: [[usize; 2]; STATES] = [[END, SINGLE], [0, 2], [0, 2], [END, SINGLE]];

/// Calls `each` with the words of `run`, and whether they are of Han characters.
pub(super) fn split<'a>(tables: &Tables, run: &'a [char], marks: &mut Vec<u8>, mut each: impl FnMut(&'a [char], bool)) {
    let mut rest = run;
    while let Some(&first) = rest.first() {
        let alike = |&&c: &&char| is_han(c) == is_han(first);
        let (block, after) = rest.split_at(rest.iter().take_while(alike).count());
        if is_han(first) {
            join(tables, block, marks, |word| each(word, true));
        } else {
            divide(block, |word| each(word, false));
        }
        rest = after;
    }
}

/// Joins Han characters to words along the most probable path of states.
fn join<'a>(tables: &Tables, han: &'a [char], marks: &mut Vec<u8>, mut each: impl FnMut(&'a [char])) {
    mark_ends(tables, han, marks);
    let mut start = 0;
    for (at, &mark) in marks.iter().enumerate() {
        if mark != 0 {
            each(&han[start..=at]);
            start = at + 1;
        }
    }
}

/// Sets `marks` to 1 for characters that end a word and to 0 for others (Viterbi's algorithm).
fn mark_ends(tables: &Tables, han: &[char], marks: &mut Vec<u8>) {
    marks.clear();
    let mut scores = tables.start;
    let mut work = Work::default();
    for (at, &c) in han.iter().enumerate() {
        work.add(1);
        let emission = tables.emission(c);
        let before = scores;
        let mut later = 0;
        for state in 0..STATES {
            if at == 0 {
                scores[state] = before[state] + emission[state];
                continue;
            }
            let score = |nth: usize| before[PREDECESSORS[state][nth]] + tables.steps[state][nth] + emission[state];
            let (a, b) = (score(0), score(1));
            later |= u8::from(b >= a) << state;
            scores[state] = a.max(b);
        }
        // Until the path is traced back: for each state, the index of its predecessor.
        marks.push(later);
    }
    let mut state = if scores[SINGLE] >= scores[END] { SINGLE } else { END };
    for mark in marks.iter_mut().rev() {
        let later = usize::from(*mark >> state & 1);
        *mark = u8::from(state == END || state == SINGLE);
        state = PREDECESSORS[state][later];
    }
}

/// Splits other characters into words of letters and digits, and the text between these.
///
/// A word may have a fraction and a percent sign.
fn divide<'a>(block: &'a [char], mut each: impl FnMut(&'a [char])) {
    let mut rest = block;
    while !rest.is_empty() {
        let other = count(rest, |c| !c.is_ascii_alphanumeric());
        let (word, after) = rest.split_at(if other > 0 { other } else { number(rest) });
        each(word);
        rest = after;
    }
}

/// Returns the length of a word of letters and digits, in characters.
fn number(text: &[char]) -> usize {
    let mut end = count(text, |c| c.is_ascii_alphanumeric());
    if text.get(end) == Some(&'.') {
        let digits = count(&text[end + 1..], |c| c.is_ascii_digit());
        end += if digits > 0 { 1 + digits } else { 0 };
    }
    end + usize::from(text.get(end) == Some(&'%'))
}

fn count(text: &[char], is: impl Fn(char) -> bool) -> usize {
    text.iter().take_while(|&&c| is(c)).count()
}
