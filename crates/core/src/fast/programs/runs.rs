//! Finds the pieces of divisions into runs of characters, a block of 64 bytes at a time.
//!
//! A block begins at a piece. Each division adds the starts of its pieces to those of the divisions before it, by shifts
//! of bit sets in which every byte of a character has the bit of the character. A start depends only on the characters
//! beside it; the last piece of a block is left to the next one, because its end is not known.

use super::SETS;
use crate::fast::masks::{Classifier, Masks, below, first_bytes, whole, with_continuations};
use crate::fast::text::characters_of;
use crate::pretokenize::divisions::Division;
use crate::text::runs::{CharacterSet, RunPattern};

/// The set of the first bytes whose characters are all in the same sets, so that the kernel classifies them.
const KNOWN: usize = SETS - 1;

/// Divides texts into runs of characters.
///
/// There is a set of characters for each run, then one for each kind of prefix.
#[derive(Debug, Clone)]
pub(super) struct RunMatcher {
    runs: Vec<RunPattern>,
    prefixes: Vec<CharacterSet>,
    steps: Vec<Step>,
}

/// A division into runs, by its sets.
#[derive(Debug, Clone, Copy)]
struct Step {
    run: usize,
    /// The characters of which one may begin a match.
    prefix: Option<usize>,
    /// Whether each character of the run is a match.
    is_single: bool,
}

impl RunMatcher {
    /// Returns the matcher of divisions into runs; `None` if there are others, or too many sets.
    pub(super) fn of(divisions: &[Division]) -> Option<Self> {
        let run = |division: &Division| match division {
            Division::Run(run) => Some(run.clone()).filter(|run| matches!(run.most(), 1 | usize::MAX)),
            Division::Grammar(_) | Division::Paragraphs(_) => None,
        };
        let runs = divisions.iter().map(run).collect::<Option<Vec<_>>>()?;
        let mut prefixes: Vec<_> = runs.iter().filter_map(RunPattern::prefix).cloned().collect();
        prefixes.dedup();
        if runs.len() + prefixes.len() > KNOWN {
            return None;
        }
        let step = |(number, run): (usize, &RunPattern)| Step {
            run: number,
            prefix: prefixes.iter().position(|prefix| Some(prefix) == run.prefix()).map(|prefix| runs.len() + prefix),
            is_single: run.most() == 1,
        };
        let steps = runs.iter().enumerate().map(step).collect();
        Some(Self { runs, prefixes, steps })
    }

    /// Returns the classifier of bytes.
    pub(super) fn classifier(&self) -> Box<Classifier<SETS>> {
        Classifier::new(std::array::from_fn(|byte| self.sets_of_first(u8::try_from(byte).unwrap_or(0))))
    }

    /// Returns a bit for each set that contains a character.
    fn sets_of(&self, c: char) -> u8 {
        let runs = self.runs.iter().map(|run| run.contains(c));
        let all = runs.chain(self.prefixes.iter().map(|prefix| prefix.contains(c)));
        all.zip(0..).fold(0, |bits, (contains, set)| bits | u8::from(contains) << set)
    }

    /// Returns the bits of the characters that begin with a byte, if they are equal; otherwise 0.
    fn sets_of_first(&self, byte: u8) -> u8 {
        let mut bits = characters_of(byte).map(|c| self.sets_of(c));
        match bits.next() {
            Some(first) if bits.all(|other| other == first) => first | 1 << KNOWN,
            _ => 0,
        }
    }

    /// Returns the starts of pieces after byte `at` of a text, where one begins, and the number of bytes in which they are.
    #[inline(always)]
    pub(super) fn starts(&self, text: &str, at: usize, (mut masks, mut length): (Masks<SETS>, usize)) -> (u64, usize) {
        if masks.high != 0 {
            let firsts = masks.high & !masks.inside;
            length = whole(&text.as_bytes()[at..], firsts, length);
            self.look_up(&text[at..at + length], firsts, &mut masks);
        }
        masks.sets.iter_mut().for_each(|set| *set &= below(length));
        let starts = self.steps.iter().fold(0, |starts, step| starts | step.starts(&masks, starts));
        (starts & !1 & below(length), length)
    }

    /// Adds the non-ASCII characters of a block, whose first bytes are `firsts`, to the sets.
    #[inline(never)]
    fn look_up(&self, block: &str, firsts: u64, masks: &mut Masks<SETS>) {
        let mut unknown = firsts & !masks.sets[KNOWN] & below(block.len());
        while unknown != 0 {
            let place = unknown.trailing_zeros() as usize;
            let bits = self.sets_of(block[place..].chars().next().unwrap_or_default());
            masks.sets.iter_mut().zip(0..).for_each(|(set, number)| *set |= u64::from(bits >> number & 1) << place);
            unknown &= unknown - 1;
        }
        for set in &mut masks.sets {
            *set = with_continuations(*set, masks.inside);
        }
    }
}

impl Step {
    /// Returns the starts of the pieces into which it divides those that begin at `cuts`, and at the block.
    #[inline(always)]
    fn starts(self, block: &Masks<SETS>, cuts: u64) -> u64 {
        let run = block.sets[self.run];
        let first = if self.is_single { run & !block.inside } else { run & !(run << 1 & !cuts) };
        let after = run << 1 & !run;
        let Some(prefix) = self.prefix else { return first | after };
        let before = block.sets[prefix] & !run & (first & !cuts) >> 1;
        first & !(before << 1) | first_bytes(before, block.inside) | after
    }
}
