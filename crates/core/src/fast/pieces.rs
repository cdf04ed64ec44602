//! From text to the pieces of a grammar, a block at a time.
//!
//! A block begins where a piece does, or in a word, of which no more is carried than its last character. Where pieces begin in
//! it is a matter of shifts; what is rare (contractions, groups of digits, ends of lines) is looked at where a bit says so. If a
//! block ends in something else than a word, the last piece that begins in it is left to the next one, for nobody knows where
//! it ends. What shifts do not tell, the grammar itself does, a piece at a time: long pieces that are no words, and some words
//! in which case and scripts change.

use super::classes::{Before, Block, Classes, below};
use super::walk::List;
use crate::grammar::{Grammar, contraction};
use crate::pretokenize::{Behavior, PreTokenizer, Split};
use crate::settings::ByteLevel;
use crate::unicode::{Category, category};
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
            (None, [PreTokenizer::Split(split)]) => piecewise(split)?,
            (None, [PreTokenizer::Split(split), behind]) => {
                piecewise(split).filter(|&grammar| leaves(behind, grammar))?
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

    /// Whether there may be something between two pieces.
    pub(super) fn has_gaps(&self) -> bool {
        self.grammar == Grammar::Clip
    }

    /// Whether a text may be cut at a byte, which is not the first: whatever comes before and behind, a piece begins there,
    /// and those before it end as they would at the end of a text.
    ///
    /// So it is where white space begins, but that the patterns since `cl100k` let the rest take the end of a line; and by
    /// these patterns also where a letter stands behind the end of a line.
    pub(super) fn may_cut(&self, text: &[u8], at: usize) -> bool {
        let is_old = matches!(self.grammar, Grammar::Gpt2 | Grammar::Clip);
        let ends_line = |byte| matches!(byte, b'\r' | b'\n');
        if !matches!(text[at], b'\t'..=b'\r' | b' ') {
            let is_letter = |c| category(c).intersects(Category::LETTER);
            return !is_old && ends_line(text[at - 1]) && first(&text[at..]).is_some_and(is_letter);
        }
        last(&text[..at]).map(category).is_some_and(|kind| match kind {
            Category::BLANK => false,
            kind if kind.intersects(Category::LETTER.union(Category::NUMBER)) => true,
            _ => is_old || !ends_line(text[at]),
        })
    }

    /// Lists some pieces of `text` from a place on, and moves on to where no more are known.
    #[inline]
    pub(super) fn list(&self, text: &str, place: &mut Place, list: &mut List) {
        let Place { at, before } = *place;
        let here = Here { block: self.classes.block(text, at), before, text, at };
        match self.grammar {
            Grammar::Gpt2 => self.end_to_end(here, here.gpt2(), u64::MAX, place, list),
            Grammar::Cl100k => self.end_to_end(here, here.modern::<3, true>(), u64::MAX, place, list),
            Grammar::Llama3 => self.end_to_end(here, here.modern::<3, false>(), u64::MAX, place, list),
            Grammar::Qwen2 => self.end_to_end(here, here.modern::<1, false>(), u64::MAX, place, list),
            Grammar::O200k => self.end_to_end(here, here.cased(), here.sure(), place, list),
            Grammar::Clip => self.apart(here, here.clip(), place, list),
        }
    }

    /// Lists pieces without gaps between them. The one in which the block begins has begun; no others begin up to where that is
    /// sure.
    #[inline]
    fn end_to_end(&self, here: Here<'_>, (starts, over): (u64, bool), sure: u64, place: &mut Place, list: &mut List) {
        let Block { length, ends, .. } = here.block;
        let starts = starts & sure & !(1 & !here.before.letters);
        let is_sure = sure == u64::MAX;
        if ends && is_sure {
            list.add_pieces(here.at, starts);
            list.begin(here.at + length);
            *place = Place { at: here.at + length, before: Before::default() };
        } else if is_sure && !over && here.ends_in_word() {
            list.add_pieces(here.at, starts);
            *place = Place { at: here.at + length, before: here.last() };
        } else if let Some(last) = starts.checked_ilog2() {
            list.add_pieces(here.at, starts);
            *place = Place { at: here.at + last as usize, before: Before::default() };
        } else {
            let end = self.grammar.find(here.text, list.open()).map_or(here.text.len(), |found| found.end);
            list.begin(end);
            *place = Place { at: end, before: Before::default() };
        }
    }

    /// Lists pieces between white space.
    fn apart(&self, here: Here<'_>, (starts, over): (u64, bool), place: &mut Place, list: &mut List) {
        let Block { length, ends, .. } = here.block;
        let gaps = here.block.white();
        let starts = starts & !gaps;
        let cuts = (starts | firsts(gaps)) & !(gaps << 1) & !(1 & !here.before.letters);
        let in_gap = gaps >> (length - 1) & 1 != 0;
        let last = starts.checked_ilog2().unwrap_or(0) as usize;
        if ends || in_gap || !over && here.ends_in_word() {
            list.add(here.at, starts, cuts);
            if ends {
                list.close(here.at + length);
            }
            let before = if in_gap || ends { Before::default() } else { here.last() };
            *place = Place { at: here.at + length, before };
        } else if last > 0 || here.before.letters != 0 {
            list.add(here.at, starts & below(last), cuts);
            *place = Place { at: here.at + last, before: Before::default() };
        } else {
            let found = self.grammar.find(here.text, here.at).unwrap_or(here.at..here.text.len());
            list.push(found.start, found.end);
            *place = Place { at: found.end, before: Before::default() };
        }
    }
}

/// A place in a text, where a piece begins or a word goes on.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    pub(super) at: usize,
    before: Before,
}

/// The first character, if it is whole.
fn first(bytes: &[u8]) -> Option<char> {
    (1..=bytes.len().min(4)).find_map(|end| str::from_utf8(&bytes[..end]).ok()).and_then(|text| text.chars().next())
}

/// The last character, if it is whole.
fn last(bytes: &[u8]) -> Option<char> {
    let starts = (bytes.len().saturating_sub(4)..bytes.len()).rev();
    starts.into_iter().find_map(|start| str::from_utf8(&bytes[start..]).ok()).and_then(|text| text.chars().next())
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
    before: Before,
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
    /// Whether the last character is a letter.
    #[inline]
    fn ends_in_word(&self) -> bool {
        self.block.letters >> (self.block.length - 1) & 1 != 0
    }

    /// What the next block is told of the last character.
    #[inline]
    fn last(&self) -> Before {
        let Block { letters, upper, lower, length, .. } = self.block;
        let last = |set: u64| set >> (length - 1) & 1;
        Before { letters: last(letters), lower: last(lower), caseless: last(letters & !upper & !lower) }
    }

    /// Behind letters.
    #[inline]
    fn behind_letters(&self) -> u64 {
        self.block.letters << 1 | self.before.letters
    }

    /// Where runs of letters begin.
    #[inline]
    fn first_letters(&self) -> u64 {
        self.block.letters & !self.behind_letters()
    }

    /// See `scan::gpt2`; and whether a contraction reaches the end of the block or beyond, as it is told of each grammar.
    #[inline]
    fn gpt2(&self) -> (u64, bool) {
        let Block { numbers, spaces, rest, quotes, .. } = self.block;
        let white = self.block.white();
        let taking = spaces << 1;
        let own = (self.first_letters() | firsts(numbers) | firsts(rest)) & !taking;
        let starts = own | firsts(white) | self.lasts(white, white);
        self.contracted(starts, quotes & firsts(rest) & !taking, false)
    }

    /// See `scan::clip`.
    fn clip(&self) -> (u64, bool) {
        let Block { numbers, rest, quotes, inside, .. } = self.block;
        let starts = self.first_letters() | numbers & !inside | firsts(rest);
        self.contracted(starts, quotes & firsts(rest), false)
    }

    /// See `scan::modern`, without case.
    #[inline]
    fn modern<const DIGITS: usize, const END: bool>(&self) -> (u64, bool) {
        let Block { rest, spaces, newlines, quotes, .. } = self.block;
        let taken = newlines & !(newlines.wrapping_add(rest << 1 & newlines));
        let own = firsts(rest) & !(spaces << 1);
        let starts = self.words(own) | own | self.numbers(DIGITS) | self.white_space(taken, END);
        self.contracted(starts, quotes & own, true)
    }

    /// See `scan::modern`, with case.
    #[inline]
    fn cased(&self) -> (u64, bool) {
        let Block { upper, lower, spaces, newlines, quotes, .. } = self.block;
        let (taken, rest) = self.taken_with_slashes();
        let own = firsts(rest) & !(spaces << 1);
        let words = self.words(own) | upper & (lower << 1 | self.before.lower);
        let starts = words | own | self.numbers(3) | self.white_space(taken & newlines, false);
        self.suffixed(starts, quotes & own & self.behind_letters())
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
        let other = lowest(upper & ((letters & !upper & !lower) << 1 | self.before.caseless));
        if other != 0 {
            sure &= up_to(highest(self.first_letters() & (other - 1)));
        }
        sure
    }

    /// Where words begin with a letter: not behind a single character that begins them.
    #[inline]
    fn words(&self, own: u64) -> u64 {
        let Block { spaces, blanks, .. } = self.block;
        self.first_letters() & !((spaces | blanks) << 1) & !self.behind(own)
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

    /// With the contractions that begin at some of `quotes`: parts of the words before them.
    #[inline]
    fn suffixed(&self, mut starts: u64, quotes: u64) -> (u64, bool) {
        let (mut last, mut over) = (None, false);
        for quote in bits(quotes) {
            let place = self.at + quote.trailing_zeros() as usize;
            // A word has one at most.
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

    /// The bit of a byte of the text, if it is in the block.
    fn bit(&self, at: usize) -> u64 {
        if at < self.at + self.block.length { 1 << (at - self.at) } else { 0 }
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
    fn the_parts_of_a_text_have_its_pieces() {
        let (mut state, mut cuts) = (3, 0);
        let all = ALL.map(|grammar| Pieces::new(grammar, false));
        for _ in 0..3000 {
            let text: String = (0..12).map(|_| PARTS[random(&mut state) % PARTS.len()]).collect();
            for pieces in &all {
                let grammar = pieces.grammar;
                let found = |from: usize, to: usize| {
                    let mut found = Vec::new();
                    grammar.find_matches(&text[from..to], |range| found.push((from + range.start, from + range.end)));
                    found
                };
                let whole = found(0, text.len());
                for at in (1..text.len()).filter(|&at| pieces.may_cut(text.as_bytes(), at)) {
                    assert_eq!([found(0, at), found(at, text.len())].concat(), whole, "{grammar:?} {text:?} {at}");
                    cuts += 1;
                }
            }
        }
        assert!(cuts > 20_000, "{cuts}");
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
                let best = (0..80).map(|_| {
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
