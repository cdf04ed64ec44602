//! Finds the pieces of divisions into runs of characters, a block of 64 bytes at a time.
//!
//! A block begins at a piece. Each division adds the starts of its pieces to those of the divisions before it, by shifts
//! of bit sets in which every byte of a character has the bit of the character. A start depends only on the characters
//! beside it; the last piece of a block is left to the next one, because its end is not known.

use crate::fast::masks::{Classifier, Masks, below, first_bytes, spread, whole};
use crate::fast::text::characters_of;
use crate::pretokenize::divisions::Division;
use crate::text::runs::{Prefix, RunPattern};

/// The largest number of sets of bytes.
pub(super) const SETS: usize = 8;
/// The set of the first bytes whose characters are all in the same sets, so that the kernel classifies them.
const KNOWN: usize = SETS - 1;

/// The sets of characters that divisions into runs distinguish.
#[derive(Debug, Clone)]
pub(super) struct RunMatcher {
    sets: CharacterSets,
    steps: Vec<Step>,
}

/// The sets of characters: one for each run, then one for each kind of prefix.
#[derive(Debug, Clone)]
struct CharacterSets {
    runs: Vec<RunPattern>,
    prefixes: Vec<Prefix>,
}

impl CharacterSets {
    /// Returns a bit for each set that contains a character.
    fn of(&self, c: char) -> u8 {
        let runs = self.runs.iter().map(|run| run.contains(c));
        let all = runs.chain(self.prefixes.iter().map(|prefix| prefix.contains(c)));
        all.zip(0..).fold(0, |bits, (contains, set)| bits | u8::from(contains) << set)
    }

    /// Returns the bits of the characters that begin with a byte, if they are equal; otherwise 0.
    fn of_first(&self, byte: u8) -> u8 {
        let mut bits = characters_of(byte).map(|c| self.of(c));
        match bits.next() {
            Some(first) if bits.all(|other| other == first) => first | 1 << KNOWN,
            _ => 0,
        }
    }
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

/// The classified bytes of a block.
struct Block {
    sets: [u64; SETS],
    /// Continuation bytes of characters.
    inside: u64,
    /// The number of bytes, which are whole characters.
    length: usize,
}

impl RunMatcher {
    /// Returns the matcher of divisions into runs; `None` if there are others, or too many sets.
    pub(super) fn of(divisions: &[Division]) -> Option<Self> {
        let run = |division: &Division| match division {
            Division::Run(run) => Some(run.clone()).filter(|run| matches!(run.most(), 1 | usize::MAX)),
            Division::Grammar(_) => None,
        };
        let runs = divisions.iter().map(run).collect::<Option<Vec<_>>>()?;
        let mut prefixes: Vec<_> =
            runs.iter().map(RunPattern::prefix).filter(|&prefix| prefix != Prefix::None).collect();
        prefixes.dedup();
        if runs.len() + prefixes.len() > KNOWN {
            return None;
        }
        let step = |(number, run): (usize, &RunPattern)| Step {
            run: number,
            prefix: prefixes.iter().position(|&prefix| prefix == run.prefix()).map(|prefix| runs.len() + prefix),
            is_single: run.most() == 1,
        };
        let steps = runs.iter().enumerate().map(step).collect();
        let sets = CharacterSets { runs, prefixes };
        Some(Self { sets, steps })
    }

    /// Returns the classifier of bytes.
    pub(super) fn classifier(&self) -> Classifier<SETS> {
        Classifier::new(std::array::from_fn(|byte| self.sets.of_first(u8::try_from(byte).unwrap_or(0))))
    }

    /// Returns the starts of pieces after byte `at` of a text, where one begins, and the number of bytes in which they are.
    #[inline(always)]
    pub(super) fn starts(&self, text: &str, at: usize, block: (Masks<SETS>, usize)) -> (u64, usize) {
        let block = self.block(text, at, block);
        let starts = self.steps.iter().fold(0, |starts, step| starts | step.starts(&block, starts));
        (starts & !1 & below(block.length), block.length)
    }

    #[inline(always)]
    fn block(&self, text: &str, at: usize, block: (Masks<SETS>, usize)) -> Block {
        let rest = &text.as_bytes()[at..];
        let (Masks { sets, high, inside }, length) = block;
        let mut block = Block { sets, inside, length };
        if high != 0 {
            let firsts = high & !inside;
            block.length = whole(rest, firsts, length);
            self.look_up(&text[at..at + block.length], firsts, &mut block);
        }
        block.sets.iter_mut().for_each(|set| *set &= below(block.length));
        block
    }

    /// Adds the non-ASCII characters, whose first bytes are `firsts`, to the sets.
    #[inline(never)]
    fn look_up(&self, text: &str, firsts: u64, block: &mut Block) {
        let mut unknown = firsts & !block.sets[KNOWN] & below(block.length);
        while unknown != 0 {
            let place = unknown.trailing_zeros() as usize;
            let bits = self.sets.of(text[place..].chars().next().unwrap_or_default());
            block.sets.iter_mut().zip(0..).for_each(|(set, number)| *set |= u64::from(bits >> number & 1) << place);
            unknown &= unknown - 1;
        }
        for set in &mut block.sets {
            *set = spread(*set, block.inside);
        }
    }
}

impl Step {
    /// Returns the starts of the pieces into which it divides those that begin at `cuts`, and at the block.
    #[inline(always)]
    fn starts(self, block: &Block, cuts: u64) -> u64 {
        let run = block.sets[self.run];
        let first = if self.is_single { run & !block.inside } else { run & !(run << 1 & !cuts) };
        let after = run << 1 & !run;
        let Some(prefix) = self.prefix else { return first | after };
        let before = block.sets[prefix] & !run & (first & !cuts) >> 1;
        first & !(before << 1) | first_bytes(before, block.inside) | after
    }
}
