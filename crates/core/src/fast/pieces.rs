//! From text to the pieces of a grammar, a block at a time.
//!
//! A block begins where a piece does, so nothing is carried from one to the next. Where pieces begin in it is a matter of
//! shifts; what is rare (contractions, groups of digits, ends of lines) is looked at where a bit says so. The last piece that
//! begins in a block is left to the next one, for nobody knows where it ends. What shifts do not tell, the grammar itself does,
//! a piece at a time: pieces longer than a block, and some words in which case and scripts change.

use super::classes::{Block, Classes, below};
use super::walk::List;
use crate::grammar::{Grammar, contraction};
use crate::pretokenize::{Behavior, PreTokenizer, Split};
use crate::settings::ByteLevel;
use crate::words::WordSplitter;

/// Cuts texts by a grammar.
#[derive(Debug, Clone)]
pub(super) struct Pieces {
    grammar: Grammar,
    classes: Classes,
    /// Whether the bytes of pieces become characters.
    pub(super) writes_bytes: bool,
}

impl Pieces {
    pub(super) fn new(grammar: Grammar, writes_bytes: bool) -> Self {
        Self { grammar, classes: Classes::new(grammar == Grammar::O200k), writes_bytes }
    }

    /// The pieces of a splitter, if it has such.
    pub(super) fn of(splitter: &WordSplitter) -> Option<Self> {
        let steps: Vec<_> = splitter.pre_tokenizer()?.steps().collect();
        let grammar = match (splitter.normalizer(), &steps[..]) {
            (None, [PreTokenizer::ByteLevel(ByteLevel { add_prefix_space: false, use_regex: true, .. })]) => {
                Grammar::Gpt2
            }
            (None, [PreTokenizer::Split(split), behind @ ..]) => {
                let grammar = piecewise(split)?;
                behind.iter().all(|step| leaves(step, grammar)).then_some(grammar)?
            }
            _ => return None,
        };
        Some(Self::new(grammar, steps.iter().any(|step| matches!(step, PreTokenizer::ByteLevel(_)))))
    }

    /// The same with the kernel of that name, if it runs here.
    pub(super) fn with_kernel(&self, name: &str) -> Option<Self> {
        Some(Self { classes: self.classes.with_kernel(name)?, ..*self })
    }

    /// What classifies the bytes of a text here.
    pub(super) fn kernel(&self) -> &'static str {
        self.classes.kernel()
    }

    /// Lists pieces of `text` from byte `at` on, where one begins; returns where the next one does.
    #[inline]
    pub(super) fn list(&self, text: &str, at: usize, list: &mut List) -> usize {
        let block = self.classes.block(text, at);
        let here = Here { block, text, at };
        // Up to where it is sure that no other pieces begin, and what belongs to none.
        let (mut sure, mut gaps) = (u64::MAX, 0);
        let starts = match self.grammar {
            Grammar::Gpt2 => here.gpt2(),
            Grammar::Cl100k => here.modern::<3, true>(),
            Grammar::Llama3 => here.modern::<3, false>(),
            Grammar::Qwen2 => here.modern::<1, false>(),
            Grammar::O200k => {
                sure = here.sure();
                here.cased() & sure
            }
            Grammar::Clip => {
                gaps = block.white();
                here.clip() & !gaps
            }
        };
        let ends = (starts | firsts(gaps)) & !(gaps << 1) & !1;
        if block.ends && sure == u64::MAX {
            list.add(at, starts, ends);
            list.close(at + block.length);
            return at + block.length;
        }
        // The last piece is open, unless a gap follows it.
        let last = starts.checked_ilog2().unwrap_or(0);
        if gaps >> (block.length - 1) & 1 != 0 {
            list.add(at, starts, ends);
            return at + block.length;
        }
        if last == 0 {
            let Some(found) = self.grammar.find(text, at) else { return text.len() };
            list.push(found.start, found.end);
            return found.end;
        }
        list.add(at, starts & below(last as usize), ends);
        at + last as usize
    }
}

/// Whether a step leaves the pieces of a grammar as they are, but for how their bytes are written.
fn leaves(step: &PreTokenizer, grammar: Grammar) -> bool {
    let PreTokenizer::ByteLevel(ByteLevel { add_prefix_space: false, use_regex, .. }) = step else { return false };
    // What CLIP's pattern finds, GPT-2's finds whole.
    !use_regex || grammar == Grammar::Clip
}

/// The grammar of whose matches a splitter makes words, and of nothing else.
fn piecewise(split: &Split) -> Option<Grammar> {
    let grammar = split.pattern.grammar()?;
    let fits = match grammar {
        Grammar::Clip => split.behavior == Behavior::Removed && split.invert,
        _ => split.behavior == Behavior::Isolated,
    };
    fits.then_some(grammar)
}

/// A block in its text.
#[derive(Clone, Copy)]
struct Here<'a> {
    block: Block,
    text: &'a str,
    /// Where the block begins.
    at: usize,
}

impl Block {
    fn white(&self) -> u64 {
        self.spaces | self.newlines | self.blanks
    }
}

impl Here<'_> {
    /// See `scan::gpt2`.
    #[inline]
    fn gpt2(&self) -> u64 {
        let Block { letters, numbers, spaces, rest, quotes, .. } = self.block;
        let white = self.block.white();
        let taking = spaces << 1;
        let own = (firsts(letters) | firsts(numbers) | firsts(rest)) & !taking;
        let starts = own | firsts(white) | self.lasts(white, white);
        self.contracted(starts, quotes & firsts(rest) & !taking, false)
    }

    /// See `scan::clip`.
    fn clip(&self) -> u64 {
        let Block { letters, numbers, rest, quotes, inside, .. } = self.block;
        let starts = firsts(letters) | numbers & !inside | firsts(rest);
        self.contracted(starts, quotes & firsts(rest), false)
    }

    /// See `scan::modern`, without case.
    #[inline]
    fn modern<const DIGITS: usize, const END: bool>(&self) -> u64 {
        let Block { letters, rest, spaces, newlines, quotes, .. } = self.block;
        let taken = newlines & !(newlines.wrapping_add(rest << 1 & newlines));
        let own = firsts(rest) & !(spaces << 1);
        let starts = self.words(letters, own) | own | self.numbers(DIGITS) | self.white_space(taken, END);
        self.contracted(starts, quotes & own, true)
    }

    /// See `scan::modern`, with case.
    #[inline]
    fn cased(&self) -> u64 {
        let Block { letters, upper, lower, spaces, newlines, quotes, .. } = self.block;
        let (taken, rest) = self.taken_with_slashes();
        let own = firsts(rest) & !(spaces << 1);
        let words = self.words(letters, own) | upper & lower << 1;
        let starts = words | own | self.numbers(3) | self.white_space(taken & newlines, false);
        self.suffixed(starts, quotes & own & letters << 1)
    }

    /// Up to where case is simple.
    ///
    /// A mark behind the rest may be part of it, or of a word. Upper case behind letters without case may begin a word, which
    /// only what follows decides.
    #[inline]
    fn sure(&self) -> u64 {
        let Block { letters, upper, lower, marks, spaces, rest, .. } = self.block;
        let mut sure = u64::MAX;
        let mark = lowest(marks & rest << 1);
        if mark != 0 {
            let run = highest(firsts(rest) & (mark - 1));
            sure = up_to(if run & spaces << 1 != 0 { run >> 1 } else { run });
        }
        let other = lowest(upper & (letters & !upper & !lower) << 1);
        if other != 0 {
            sure &= up_to(highest(firsts(letters) & (other - 1)));
        }
        sure
    }

    /// Where words begin with a letter: not behind a single character that begins them.
    #[inline]
    fn words(&self, letters: u64, own: u64) -> u64 {
        let Block { spaces, blanks, .. } = self.block;
        firsts(letters) & !((spaces | blanks) << 1) & !self.behind(own)
    }

    /// Where groups of up to `most` digits begin.
    #[inline]
    fn numbers(&self, most: usize) -> u64 {
        let Block { numbers, inside, .. } = self.block;
        if most == 1 {
            return numbers & !inside;
        }
        let mut group = firsts(numbers);
        let mut starts = group;
        if numbers & inside != 0 {
            return self.groups_of_characters(most);
        }
        while group != 0 {
            group = group << 3 & numbers & numbers << 1 & numbers << 2;
            starts |= group;
        }
        starts
    }

    /// The same where digits have several bytes.
    #[cold]
    fn groups_of_characters(&self, most: usize) -> u64 {
        let Block { numbers, inside, .. } = self.block;
        let (mut starts, mut count) = (0, 0);
        for first in bits(numbers & !inside) {
            count = if firsts(numbers) & first != 0 { 0 } else { count + 1 };
            if count % most == 0 {
                starts |= first;
            }
        }
        starts
    }

    /// Where pieces begin with white space, of which the rest before it has taken `taken`.
    #[inline]
    fn white_space(&self, taken: u64, end: bool) -> u64 {
        let Block { spaces, blanks, newlines, .. } = self.block;
        let plain = spaces | blanks;
        let left = (plain | newlines) & !taken;
        let indents = plain & (newlines & !taken) << 1;
        let mut starts = firsts(left) | self.lasts(plain, plain | newlines);
        if indents != 0 {
            starts |= self.indents(plain, left, indents, end);
        }
        starts
    }

    /// Those of `indents`, where white space begins behind the end of a line, that are not followed by another.
    fn indents(&self, plain: u64, left: u64, mut indents: u64, end: bool) -> u64 {
        let Block { newlines, length, ends, .. } = self.block;
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
        // What reaches the end of the block goes with what may follow, and what reaches the end of the text may stay whole.
        let run = up_to(highest(below(length) & !open));
        if open >> (length - 1) & 1 != 0 { indents & run } else { indents }
    }

    /// First bytes of the characters that end `set`, where something other than `white` follows.
    #[inline]
    fn lasts(&self, set: u64, white: u64) -> u64 {
        let mut lasts = set & !(white >> 1) & below(self.block.length - 1);
        let inside = self.block.inside;
        if inside & lasts != 0 {
            for _ in 0..3 {
                lasts = lasts & !inside | (lasts & inside) >> 1;
            }
        }
        lasts
    }

    /// What comes behind the characters that begin at `firsts`.
    #[inline]
    fn behind(&self, firsts: u64) -> u64 {
        let inside = self.block.inside;
        let mut next = firsts << 1;
        if inside & next != 0 {
            for _ in 0..3 {
                next = next & !inside | (next & inside) << 1;
            }
        }
        next
    }

    /// The ends of lines and the slashes that the rest before them takes, and the rest without these slashes.
    #[inline]
    fn taken_with_slashes(&self) -> (u64, u64) {
        let Block { rest, newlines, length, .. } = self.block;
        let mut taken = newlines & !(newlines.wrapping_add(rest << 1 & newlines));
        let bytes = &self.text.as_bytes()[self.at..self.at + length];
        for first in bits(taken << 1 & rest) {
            let place = first.trailing_zeros() as usize;
            let count = bytes[place..].iter().take_while(|byte| matches!(byte, b'/' | b'\r' | b'\n')).count();
            taken |= below(place + count) & !(first - 1);
        }
        (taken, rest & !taken)
    }

    /// With the contractions that begin at some of `quotes`: a piece each.
    #[inline]
    fn contracted(&self, mut starts: u64, quotes: u64, caseless: bool) -> u64 {
        let Block { letters, length, .. } = self.block;
        for quote in bits(quotes & letters >> 1) {
            let place = self.at + quote.trailing_zeros() as usize;
            if let Some(end) = contraction(self.text, place, caseless) {
                let next = below(length) & 1_u64.checked_shl(u32::try_from(end - self.at).unwrap_or(64)).unwrap_or(0);
                starts = starts & !(quote << 1) | next;
            }
        }
        starts
    }

    /// With the contractions that begin at some of `quotes`: parts of the words before them.
    #[inline]
    fn suffixed(&self, mut starts: u64, quotes: u64) -> u64 {
        let mut last = None;
        for quote in bits(quotes) {
            let place = self.at + quote.trailing_zeros() as usize;
            // A word has one at most.
            if last == Some(place) {
                continue;
            }
            last = contraction(self.text, place, true);
            if let Some(end) = last {
                let next = 1_u64.checked_shl(u32::try_from(end - self.at).unwrap_or(64)).unwrap_or(0);
                starts = starts & !quote | next & below(self.block.length);
            }
        }
        starts
    }
}

/// The first byte of each run.
#[inline]
fn firsts(set: u64) -> u64 {
    set & !(set << 1)
}

/// The bits of a set, from the lowest.
#[inline]
fn bits(mut set: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let bit = lowest(set);
        set &= set.wrapping_sub(1);
        (bit != 0).then_some(bit)
    })
}

/// The lowest bit of a set, or nothing.
#[inline]
fn lowest(set: u64) -> u64 {
    set & set.wrapping_neg()
}

/// The highest bit of a set, or nothing.
#[inline]
fn highest(set: u64) -> u64 {
    set.checked_ilog2().map_or(0, |place| 1 << place)
}

/// A bit and all below it; nothing of nothing.
#[inline]
fn up_to(bit: u64) -> u64 {
    bit | bit.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::walk::{Walk, Way};
    use super::*;

    const ALL: [Grammar; 6] =
        [Grammar::Gpt2, Grammar::Cl100k, Grammar::Llama3, Grammar::Qwen2, Grammar::O200k, Grammar::Clip];
    const KERNELS: [&str; 4] = ["scalar", "SSSE3", "AVX2", "AVX-512"];

    /// A small generator of pseudo-random numbers: tests need no more.
    fn random(state: &mut u64) -> usize {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(*state >> 33).unwrap()
    }

    /// A grammar once for each kernel that runs here.
    struct Tried(Grammar, Vec<Way>, List);

    impl Tried {
        fn all() -> Vec<Self> {
            let ways = |grammar| {
                let with = |kernel| Pieces::new(grammar, true).with_kernel(kernel).map(Way::Pieces);
                Self(grammar, KERNELS.into_iter().filter_map(with).collect(), List::default())
            };
            ALL.into_iter().map(ways).collect()
        }

        fn check(&mut self, text: &str) {
            let Self(grammar, ways, list) = self;
            let mut wanted = Vec::new();
            grammar.find_matches(text, |found| wanted.push((found.start, found.end)));
            for way in ways {
                let (mut walk, mut found) = (Walk::new(text, way, list), Vec::new());
                while let Some(pieces) = walk.next() {
                    found.extend(pieces);
                }
                assert_eq!(found, wanted, "{grammar:?} {} {text:?}", way.kernel());
            }
        }
    }

    fn check(text: &str, tried: &mut [Tried]) {
        tried.iter_mut().for_each(|tried| tried.check(text));
    }

    /// What the grammars tell apart, and what may stand at an edge.
    const PARTS: [&str; 64] = [
        " ",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "\n    ",
        "\n\n",
        " \n ",
        "\u{85}",
        "\u{A0}",
        "\u{3000}",
        "\u{2028}",
        "'",
        "'s",
        "'ll",
        "'LL",
        "'re've",
        "'ſ",
        "it's",
        "don't",
        "’",
        "!",
        "!!",
        ".\n",
        ";\n\n//",
        "/\n/",
        "(a",
        "/",
        "{\n\t",
        "a",
        "b",
        "word",
        "Word",
        "WORD",
        "camelCase",
        "HTTPServer",
        "é",
        "É",
        "e\u{301}",
        "\u{301}",
        "❤\u{FE0F}",
        "中",
        "中文",
        "文ABC",
        "中Abc",
        "ʼ",
        "ǅ",
        "한국",
        "Привет",
        "Ж",
        "हिन्दी",
        "ไทย",
        "سلام",
        "1",
        "22",
        "333",
        "4444",
        "²³",
        "１２３４",
        "٣",
        "😀",
        "\0",
        "\u{10FFFF}",
    ];

    #[test]
    fn every_kernel_finds_what_the_grammar_finds() {
        let (mut tried, mut state) = (Tried::all(), 1);
        for parts in (0..4000).map(|round| if round % 8 == 0 { 300 } else { round % 60 }) {
            let text: String = (0..parts).map(|_| PARTS[random(&mut state) % PARTS.len()]).collect();
            check(&text, &mut tried);
        }
    }

    #[test]
    fn few_parts_at_every_place() {
        let (mut tried, mut state) = (Tried::all(), 2);
        for unit in ["a", " ", "1", "!", "\n", "中", "x y "] {
            for shift in 0..70 {
                for _ in 0..20 {
                    let parts: String = (0..4).map(|_| PARTS[random(&mut state) % PARTS.len()]).collect();
                    check(&(unit.repeat(shift) + &parts), &mut tried);
                    check(&(unit.repeat(shift) + &parts + &unit.repeat(70)), &mut tried);
                }
            }
        }
    }

    #[test]
    fn every_character_in_every_context() {
        let mut tried = Tried::all();
        let contexts = |c| ['a', c, 'b', ' ', c, ' ', 'c', c, '\u{301}', 'b', '1', c, '\n', c, '!', c, '\'', c, 'A', c];
        for first in (0..0x11_0000_u32).step_by(0x400) {
            let text: String = (first..first + 0x400).filter_map(char::from_u32).flat_map(contexts).collect();
            check(&text, &mut tried);
        }
    }

    #[test]
    fn long_runs() {
        let mut tried = Tried::all();
        for unit in [
            "a", "A", " ", "\n", "\r\n", "_", "1", "１", "'", "'s", "中", "é", "\u{301}", "\u{3000}", "aB", "中A",
            "\t \n",
        ] {
            for length in [63, 64, 65, 127, 128, 129, 1000] {
                let run = unit.repeat(length);
                check(&run, &mut tried);
                check(&format!("x{run}!"), &mut tried);
                check(&format!(" {run}x"), &mut tried);
                check(&format!("!{run}\n  y"), &mut tried);
            }
        }
    }

    #[test]
    #[ignore = "it reads a file, TEXT, and tells how fast it is cut"]
    fn speed() {
        let text = std::fs::read_to_string(std::env::var("TEXT").unwrap()).unwrap();
        let mut list = List::default();
        for mut tried in Tried::all() {
            tried.check(&text);
            for way in &tried.1 {
                let best = (0..7).map(|_| {
                    let (start, mut count) = (Instant::now(), 0);
                    let mut walk = Walk::new(&text, way, &mut list);
                    while let Some(pieces) = walk.next() {
                        count += pieces.count();
                    }
                    (start.elapsed().as_nanos(), count)
                });
                let (nanos, count) = best.min().unwrap();
                let speed = 1000 * text.len() as u128 / nanos;
                eprintln!(
                    "{:8} {:8} {speed:6} MB/s {:.1} bytes a piece",
                    tried.0.name(),
                    way.kernel(),
                    text.len() as f64 / count as f64
                );
            }
        }
    }
}
