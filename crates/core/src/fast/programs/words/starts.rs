//! Computes the starts of pre-tokens in a block, by shifts of bit sets.

use super::classes::{Classes, ClassifiedBlock};
use crate::fast::driver::BlockPosition;
use crate::fast::masks::{BLOCK, Masks, below, first_bytes};
use crate::fast::programs::SETS;
use crate::text::grammar::{Letters, LineEnds, Modern, contraction};

/// The bits of [`BlockPosition::before`](crate::fast::driver::BlockPosition): the properties of the character before a block that continues
/// a word.
const LETTERS: u32 = 0;
const LOWER: u32 = 1;
const CASELESS: u32 = 2;
const IDEOGRAPHS: u32 = 3;

/// The context of a block: its text, its position and the character before it.
#[derive(Clone, Copy)]
pub(super) struct BlockContext<'a> {
    pub(super) block: ClassifiedBlock,
    /// The properties of the character before the block, a bit each; 0 if the block begins a pre-token.
    pub(super) before: u64,
    pub(super) text: &'a str,
    /// The first byte of the block.
    pub(super) at: usize,
    /// The starts of the pieces that the grammar matches separately; see [`BlockContext::divided`].
    pub(super) cuts: u64,
}

impl ClassifiedBlock {
    pub(super) fn white(&self) -> u64 {
        self.spaces | self.newlines | self.blanks
    }
}

impl<'a> BlockContext<'a> {
    /// Returns the context of the block at a place.
    #[inline(always)]
    pub(super) fn new(classes: Classes, text: &'a str, place: BlockPosition, block: (Masks<SETS>, usize)) -> Self {
        let BlockPosition { at, before } = place;
        Self { block: classes.block(text, at, block), before, text, at, cuts: 0 }
    }
}

impl BlockContext<'_> {
    /// Returns whether the last character is a letter.
    #[inline(always)]
    pub(super) fn ends_in_word(&self) -> bool {
        self.block.letters >> (self.block.length - 1) & 1 != 0
    }

    /// Returns the properties of the last character, for the next block.
    #[inline(always)]
    pub(super) fn last(&self) -> u64 {
        let ClassifiedBlock { letters, upper, lower, ideographs, length, .. } = self.block;
        let last = |set: u64, place: u32| (set >> (length - 1) & 1) << place;
        let caseless = letters & !upper & !lower & !ideographs;
        last(letters, LETTERS) | last(lower, LOWER) | last(caseless, CASELESS) | last(ideographs, IDEOGRAPHS)
    }

    /// Returns the first bit if a pre-token that is listed begins with the block.
    #[inline(always)]
    pub(super) fn begins(&self) -> u64 {
        1 & !self.before(LETTERS)
    }

    /// Returns a property of the character before the block, 0 or 1.
    #[inline(always)]
    fn before(&self, property: u32) -> u64 {
        self.before >> property & 1
    }

    /// Returns the context with the pieces of divisions before the grammar: groups of up to `digits` numbers, unless
    /// that is 0, and runs of ideographs; without divisions for `None`.
    ///
    /// The grammar matches each piece as a text by itself: white space before a cut is at the end of a text, and no
    /// match takes the space before a cut.
    #[inline(always)]
    pub(super) fn divided(self, digits: Option<usize>) -> Self {
        let Some(digits) = digits else { return self };
        let ClassifiedBlock { numbers, length, .. } = self.block;
        let groups = if digits == 0 { 0 } else { self.numbers(digits) | numbers << 1 & !numbers };
        Self { cuts: groups & below(length) | self.ideograph_edges(), ..self }
    }

    /// Returns the first bytes of runs of ideographs, and of the text after them.
    #[inline(always)]
    fn ideograph_edges(&self) -> u64 {
        let ClassifiedBlock { ideographs, length, .. } = self.block;
        (ideographs ^ (ideographs << 1 | self.before(IDEOGRAPHS))) & below(length)
    }

    /// Returns the bytes after letters.
    #[inline(always)]
    fn after_letters(&self) -> u64 {
        self.block.letters << 1 | self.before(LETTERS)
    }

    /// Returns the first bytes of runs of letters.
    #[inline(always)]
    fn first_letters(&self) -> u64 {
        self.block.letters & !self.after_letters()
    }

    /// Returns the starts by `scan::gpt2`, and whether a contraction reaches the end of the block.
    #[inline(always)]
    pub(super) fn gpt2(&self) -> (u64, bool) {
        let ClassifiedBlock { numbers, spaces, rest, quotes, .. } = self.block;
        let white = self.block.white();
        let taking = self.joined_after(spaces);
        let rest = self.firsts(rest);
        let own = (self.first_letters() | firsts(numbers) | rest) & !taking;
        let starts = self.cuts | own | firsts(white) | self.lasts(white, white);
        self.contracted(starts, quotes & rest & !taking, false)
    }

    /// Returns the starts by `scan::clip`; `caseless` if the text is lowercased later.
    pub(super) fn clip(&self, caseless: bool) -> (u64, bool) {
        let ClassifiedBlock { numbers, rest, quotes, inside, .. } = self.block;
        let starts = self.first_letters() | numbers & !inside | firsts(rest);
        self.contracted(starts, quotes & firsts(rest), caseless)
    }

    /// Returns the starts by `scan::modern`, without case.
    #[inline(always)]
    pub(super) fn modern(&self, rules: Modern) -> (u64, bool) {
        let ClassifiedBlock { spaces, newlines, quotes, .. } = self.block;
        let (taken, rest) = self.taken(rules.line_ends);
        let own = self.firsts(rest) & !self.joined_after(spaces);
        let white = self.white_space(taken & newlines, rules.end);
        let starts = self.cuts | self.words(own) | own | self.numbers(rules.digits) | white;
        if rules.contractions { self.contracted(starts, quotes & own, true) } else { (starts, false) }
    }

    /// Returns the starts by `scan::deepseek` with all line ends, and whether an ASCII word after punctuation reaches
    /// the end of the block.
    #[inline(always)]
    pub(super) fn marked(&self) -> (u64, bool) {
        let ClassifiedBlock { letters, numbers, spaces, rest, high, inside, length, .. } = self.block;
        let own = self.firsts(rest) & !self.joined_after(spaces);
        // Punctuation takes the ASCII letters after it, so another letter after these begins a word.
        let ascii = letters & !high;
        let names = own & !high & ascii >> 1;
        let named = ascii & !ascii.wrapping_add(names << 1);
        let others = self.block.others | numbers;
        let words = self.words(names) & !self.joined_after(others) | named << 1 & letters & !ascii & !inside;
        let mut starts = self.cuts | words | own | self.white_space(self.line_ends(), false);
        if others != 0 {
            let prefixes = others & (self.first_letters() & !self.cuts) >> 1;
            starts |= self.firsts(others) | first_bytes(prefixes, inside);
        }
        (starts, named >> (length - 1) & 1 != 0)
    }

    /// Returns the starts by `scan::modern`, with case.
    #[inline(always)]
    pub(super) fn cased(&self, rules: Modern) -> (u64, bool) {
        let ClassifiedBlock { letters, upper, lower, spaces, newlines, quotes, .. } = self.block;
        let (taken, rest) = self.taken(rules.line_ends);
        let own = firsts(rest) & !(spaces << 1);
        let mut words = self.words(own) | upper & (lower << 1 | self.before(LOWER));
        let mut ends = self.after_letters();
        if rules.letters == Letters::CasedExceptHan {
            let edges = self.ideograph_edges();
            words |= edges & letters;
            ends &= !edges;
        }
        let starts = words | own | self.numbers(rules.digits) | self.white_space(taken & newlines, rules.end);
        if rules.contractions { self.suffixed(starts, quotes & own & ends) } else { (starts, false) }
    }

    /// Returns the bytes up to the last start that is certain under the rules of case.
    ///
    /// A mark after the rest may be part of it, or of a word. Upper case after letters without case may begin a word,
    /// which depends on the text that follows. Han characters that are no letters may be part of any run.
    #[inline(always)]
    pub(super) fn sure(&self, letters_of: Letters) -> u64 {
        let ClassifiedBlock { letters, upper, lower, marks, spaces, rest, ideographs, .. } = self.block;
        let han = if letters_of == Letters::CasedExceptHan { ideographs } else { 0 };
        let mut sure = lowest(han & (marks | !letters)).wrapping_sub(1);
        let mark = lowest(marks & rest << 1);
        if mark != 0 {
            let run = highest(firsts(rest) & (mark - 1));
            sure &= up_to(if run & spaces << 1 != 0 { run >> 1 } else { run });
        }
        let other = lowest(upper & ((letters & !upper & !lower & !han) << 1 | self.before(CASELESS)));
        if other != 0 {
            sure &= up_to(highest(self.first_letters() & (other - 1)));
        }
        sure
    }

    /// Returns the starts of words that begin with a letter, not with the white space or rest character before it.
    ///
    /// `own` are the starts of pre-tokens of the rest without a space before them.
    #[inline(always)]
    fn words(&self, own: u64) -> u64 {
        let ClassifiedBlock { spaces, blanks, .. } = self.block;
        self.first_letters() & (self.cuts | !((spaces | blanks) << 1) & !self.after(own))
    }

    /// Returns the line ends that belong to the rest before them.
    #[inline(always)]
    fn line_ends(&self) -> u64 {
        let ClassifiedBlock { rest, newlines, .. } = self.block;
        newlines & !newlines.wrapping_add(self.joined_after(rest) & newlines)
    }

    /// Returns the starts of groups of up to `most` digits.
    #[inline(always)]
    fn numbers(&self, most: usize) -> u64 {
        let ClassifiedBlock { numbers, inside, .. } = self.block;
        if most == 1 {
            return numbers & !inside;
        }
        let mut group = firsts(numbers);
        let mut starts = group;
        if most >= BLOCK {
            // A longer run is matched by the divisions.
            return starts;
        }
        if numbers & inside != 0 || most != 3 {
            return self.groups_of_characters(most);
        }
        while group != 0 {
            group = group << 3 & numbers & numbers << 1 & numbers << 2;
            starts |= group;
        }
        starts
    }

    /// Returns the starts of groups of digits of several bytes.
    #[cold]
    fn groups_of_characters(&self, most: usize) -> u64 {
        let ClassifiedBlock { numbers, inside, .. } = self.block;
        let (mut starts, mut count) = (0, 0);
        for first in bits(numbers & !inside) {
            count = if firsts(numbers) & first != 0 { 0 } else { count + 1 };
            if count % most == 0 {
                starts |= first;
            }
        }
        starts
    }

    /// Returns the starts of white-space pre-tokens; `taken` are line ends that belong to the rest before them.
    ///
    /// With `end`, white space at the end of the text is one pre-token.
    #[inline(always)]
    fn white_space(&self, taken: u64, end: bool) -> u64 {
        let ClassifiedBlock { spaces, blanks, newlines, .. } = self.block;
        let plain = spaces | blanks;
        let left = (plain | newlines) & !taken;
        let indents = plain & (newlines & !taken) << 1;
        let mut starts = firsts(left) | self.lasts(plain, plain | newlines);
        if indents != 0 {
            starts |= self.indents(plain, left, indents, end);
        }
        starts
    }

    /// Returns the `indents` (starts of white space after a line end) that are followed by no further line end.
    fn indents(&self, plain: u64, left: u64, mut indents: u64, end: bool) -> u64 {
        let ClassifiedBlock { newlines, length, ends, .. } = self.block;
        for over in bits(plain.wrapping_add(indents) & newlines) {
            indents &= !highest(indents & (over - 1));
        }
        let open = if !ends {
            plain
        } else if end {
            left
        } else {
            0
        };
        // Text that reaches the end of the block depends on what follows, and text that reaches the end of the text may
        // stay whole.
        let run = up_to(highest(below(length) & !open));
        if open >> (length - 1) & 1 != 0 { indents & run } else { indents }
    }

    /// Returns the first byte of each run's last character in `set`, unless a byte of `white` or the end of a piece
    /// follows.
    #[inline(always)]
    fn lasts(&self, set: u64, white: u64) -> u64 {
        let ClassifiedBlock { inside, length, .. } = self.block;
        first_bytes(set & !((white | self.cuts) >> 1) & below(length - 1), inside)
    }

    /// Returns the first byte of each run in a piece.
    #[inline(always)]
    fn firsts(&self, set: u64) -> u64 {
        set & !self.joined_after(set)
    }

    /// Returns the bytes after those of a set, in the same piece.
    #[inline(always)]
    fn joined_after(&self, set: u64) -> u64 {
        set << 1 & !self.cuts
    }

    /// Returns the bytes after the characters that begin at `firsts`.
    #[inline(always)]
    fn after(&self, firsts: u64) -> u64 {
        let inside = self.block.inside;
        let mut next = firsts << 1;
        if inside & next != 0 {
            for _ in 0..3 {
                next = next & !inside | (next & inside) << 1;
            }
        }
        next
    }

    /// Returns what belongs to the rest before it, and the rest without it.
    #[inline(always)]
    fn taken(&self, line_ends: LineEnds) -> (u64, u64) {
        match line_ends {
            LineEnds::None => (0, self.block.rest),
            LineEnds::All => (self.line_ends(), self.block.rest),
            LineEnds::WithSlashes => self.taken_with_slashes(),
        }
    }

    /// Returns the line ends and slashes that belong to the rest before them, and the rest without these slashes.
    #[inline(always)]
    fn taken_with_slashes(&self) -> (u64, u64) {
        let ClassifiedBlock { rest, length, .. } = self.block;
        let mut taken = self.line_ends();
        let bytes = &self.text.as_bytes()[self.at..self.at + length];
        for first in bits(taken << 1 & rest) {
            let place = first.trailing_zeros() as usize;
            let count = bytes[place..].iter().take_while(|byte| matches!(byte, b'/' | b'\r' | b'\n')).count();
            taken |= below(place + count) & !(first - 1);
        }
        (taken, rest & !taken)
    }

    /// Makes the contractions that begin at some of `quotes` separate pre-tokens.
    ///
    /// Returns the starts, and whether a contraction reaches the end of the block.
    #[inline(always)]
    fn contracted(&self, mut starts: u64, quotes: u64, caseless: bool) -> (u64, bool) {
        let mut over = false;
        for quote in bits(quotes & (self.block.letters >> 1 | self.last_byte())) {
            let place = self.at + quote.trailing_zeros() as usize;
            if let Some(end) = contraction(self.text, place, caseless) {
                starts = starts & !(quote << 1) | self.bit(end);
                over = self.bit(end) == 0;
            }
        }
        (starts, over)
    }

    /// Joins the contractions that begin at some of `quotes` with the words before them.
    ///
    /// Returns the starts, and whether a contraction reaches the end of the block.
    #[inline(always)]
    fn suffixed(&self, mut starts: u64, quotes: u64) -> (u64, bool) {
        let (mut last, mut over) = (None, false);
        for quote in bits(quotes) {
            let place = self.at + quote.trailing_zeros() as usize;
            // A word has at most one contraction.
            if last == Some(place) {
                continue;
            }
            last = contraction(self.text, place, true);
            if let Some(end) = last {
                starts = starts & !quote | self.bit(end);
                over = self.bit(end) == 0;
            }
        }
        (starts, over)
    }

    fn last_byte(&self) -> u64 {
        1 << (self.block.length - 1)
    }

    /// Returns the bit of a byte of the text, if it is in the block, else 0.
    fn bit(&self, at: usize) -> u64 {
        if at < self.at + self.block.length { 1 << (at - self.at) } else { 0 }
    }
}

/// Returns the first byte of each run.
#[inline(always)]
pub(super) fn firsts(set: u64) -> u64 {
    set & !(set << 1)
}

/// Iterates over the bits of a set, from the lowest.
#[inline(always)]
pub(super) fn bits(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = lowest(set);
        set &= set.wrapping_sub(1);
        (bit != 0).then_some(bit)
    })
}

/// Returns the lowest bit of a set; 0 for an empty set.
#[inline(always)]
pub(super) fn lowest(set: u64) -> u64 {
    set & set.wrapping_neg()
}

/// Returns the highest bit of a set; 0 for an empty set.
#[inline(always)]
pub(super) fn highest(set: u64) -> u64 {
    set.checked_ilog2().map_or(0, |place| 1 << place)
}

/// Returns a bit and all lower bits; 0 for 0.
#[inline(always)]
pub(super) fn up_to(bit: u64) -> u64 {
    bit | bit.saturating_sub(1)
}
