//! Classifies the characters of a block of text for a grammar.
//!
//! A set has one bit a byte, and every byte of a character has the bit of the character.

use crate::fast::masks::{Classifier, Masks, below, whole, with_continuations};
use crate::fast::programs::SETS;
use crate::fast::text::characters_of;
use crate::text::grammar::Letters;
use crate::text::unicode::{Category, Class, category};

/// The sets of bytes for the kernel; other bytes are part of the rest, or not yet classified.
///
/// `SPACE` is the character U+0020, `BLANK` all white space other than it and line ends. Where case does not matter,
/// all letters are in `CASELESS`, and `OTHER` takes the place of a case. `IDEOGRAPH` shares a set with the apostrophe,
/// which is ASCII.
const UPPER: usize = 0;
const LOWER: usize = 1;
const CASELESS: usize = 2;
const NUMBER: usize = 3;
const SPACE: usize = 4;
const NEWLINE: usize = 5;
const BLANK: usize = 6;
const QUOTE: usize = 7;
const OTHER: usize = LOWER;
const IDEOGRAPH: usize = QUOTE;

/// The classes of characters that a grammar, and the divisions before it, distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Classes {
    /// The characters of words.
    pub(super) letters: Letters,
    /// The characters whose runs are separated from other text.
    pub(super) ideographs: Ideographs,
    /// Whether numbers include the digits that only the `Digits` pre-tokenizer knows.
    pub(super) numeric: bool,
    /// Whether the rest consists of punctuation and symbols alone; then all characters in no other class are others.
    pub(super) others: bool,
    /// Whether characters beyond ASCII are part of the rest, unclassified.
    pub(super) ascii: bool,
}

/// The characters beyond ASCII whose runs are separated from other text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ideographs {
    None,
    /// `[一-龥぀-ゟ゠-ヿ]`.
    WithKana,
    /// `\p{Han}`.
    Han,
}

impl Ideographs {
    #[inline]
    fn contains(self, c: char) -> bool {
        match self {
            Self::None => false,
            Self::WithKana => matches!(c, '一'..='龥' | '\u{3040}'..='ヿ'),
            Self::Han => Class::HAN.contains(c),
        }
    }
}

/// The bit sets of the character classes in a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClassifiedBlock {
    /// The number of bytes, which are whole characters.
    pub(super) length: usize,
    /// Whether the text ends with it.
    pub(super) ends: bool,
    /// Bytes that are not ASCII.
    pub(super) high: u64,
    /// Continuation bytes of characters.
    pub(super) inside: u64,
    /// Letters; where marks are part of words, marks too.
    pub(super) letters: u64,
    /// Letters in upper case, where that matters.
    pub(super) upper: u64,
    /// Letters in lower case, where that matters.
    pub(super) lower: u64,
    /// Marks, where case matters.
    pub(super) marks: u64,
    pub(super) numbers: u64,
    pub(super) spaces: u64,
    pub(super) newlines: u64,
    /// White space other than spaces and newlines.
    pub(super) blanks: u64,
    /// Apostrophes, which are part of the rest.
    pub(super) quotes: u64,
    /// Characters whose runs are separated from other text; each is in another class, too.
    pub(super) ideographs: u64,
    /// Characters other than letters, numbers and white space; where marks are part of words, other than marks too.
    pub(super) rest: u64,
    /// Characters that are neither punctuation nor symbols, where the rest has no others.
    pub(super) others: u64,
}

impl Classes {
    /// Returns the classes of a grammar with these letters.
    pub(super) fn new(letters: Letters) -> Self {
        Self { letters, ideographs: Ideographs::None, numeric: false, others: false, ascii: false }
    }

    /// Returns the classifier of bytes.
    pub(super) fn classifier(self) -> Box<Classifier<SETS>> {
        let bits = |byte: u8| if self.ascii && !byte.is_ascii() { 0 } else { self.sets_of(byte) };
        Classifier::new(std::array::from_fn(|byte| bits(u8::try_from(byte).unwrap_or(0))))
    }

    /// Returns the classes in the block that begins at byte `at` of `text`, which must be a character boundary.
    #[inline(always)]
    pub(super) fn block(self, text: &str, at: usize, (masks, length): (Masks<SETS>, usize)) -> ClassifiedBlock {
        let rest = &text.as_bytes()[at..];
        let (Masks { mut sets, high, inside }, mut length) = (masks, length);
        let mut marks = 0;
        if high != 0 && !self.ascii {
            let firsts = high & !inside;
            length = whole(rest, firsts, length);
            (sets, marks) = self.look_up(&text[at..at + length], sets, firsts & below(length), inside);
        }
        let set = |set: usize| sets[set] & below(length);
        let others = if self.others { set(OTHER) } else { 0 };
        let (upper, lower, caseless) = (set(UPPER), set(LOWER) & !others, set(CASELESS));
        let (numbers, spaces, newlines, blanks) = (set(NUMBER), set(SPACE), set(NEWLINE), set(BLANK));
        let known = upper | lower | caseless | numbers | spaces | newlines | blanks;
        ClassifiedBlock {
            length,
            ends: length == rest.len(),
            high,
            inside,
            letters: upper | lower | caseless,
            upper,
            lower,
            marks,
            numbers,
            spaces,
            newlines,
            blanks,
            quotes: set(QUOTE) & !high,
            ideographs: set(IDEOGRAPH) & high,
            rest: below(length) & !known & !others,
            others,
        }
    }

    /// Returns the sets with the non-ASCII characters, whose first bytes are `firsts`, and the marks.
    #[inline(never)]
    fn look_up(self, text: &str, mut sets: [u64; SETS], firsts: u64, inside: u64) -> ([u64; SETS], u64) {
        let Self { letters, ideographs, numeric, others: has_others, .. } = self;
        let (mut found, mut isolated) = ([0; 9], 0);
        // The kernel classifies those first bytes whose characters all have one class.
        let mut unknown = firsts & !sets.iter().fold(0, |all, set| all | set);
        while unknown != 0 {
            let place = unknown.trailing_zeros() as usize;
            let c = text[place..].chars().next().unwrap_or_default();
            found[kind(c, numeric).number()] |= 1 << place;
            isolated |= u64::from(ideographs.contains(c)) << place;
            unknown &= unknown - 1;
        }
        let [upper, lower, caseless, marks, numbers, _, _, blanks, others] = found;
        let cases = match letters {
            Letters::Alone => [0, 0, upper | lower | caseless],
            Letters::WithMarks => [0, 0, upper | lower | caseless | marks],
            Letters::Cased | Letters::CasedExceptHan => [upper, lower, caseless | marks],
        };
        let more = [(NUMBER, numbers), (BLANK, blanks), (IDEOGRAPH, isolated)];
        for (set, more) in [UPPER, LOWER, CASELESS].into_iter().zip(cases).chain(more) {
            sets[set] = with_continuations(sets[set] | more, inside);
        }
        if has_others {
            sets[OTHER] = with_continuations(sets[OTHER] | others, inside);
        }
        let marks = if letters.are_cased() { marks } else { 0 };
        (sets, with_continuations(marks, inside))
    }

    /// Returns a bit for each set of the characters that begin with a byte, if all are in the same sets.
    ///
    /// Returns 0 for the rest and for marks.
    fn sets_of(self, byte: u8) -> u8 {
        let is_ideograph = |c| self.ideographs.contains(c);
        let Some(set) = self.set_of(byte) else { return 0 };
        let mut characters = characters_of(byte);
        match characters.next().map(is_ideograph) {
            Some(first) if characters.all(|c| is_ideograph(c) == first) => 1 << set | u8::from(first) << IDEOGRAPH,
            _ => 0,
        }
    }

    /// Returns the set of the characters that begin with a byte, if all are in one set.
    ///
    /// Returns `None` for the rest and for marks.
    fn set_of(self, byte: u8) -> Option<usize> {
        let Self { letters, numeric, others, .. } = self;
        match byte {
            b' ' => return Some(SPACE),
            b'\r' | b'\n' => return Some(NEWLINE),
            b'\'' if !others => return Some(QUOTE),
            _ => {}
        }
        let mut characters = characters_of(byte).map(|c| kind(c, numeric));
        let kind = characters.next()?;
        let part = match letters {
            Letters::WithMarks => Category::LETTER.union(Category::MARK),
            Letters::Alone | Letters::Cased | Letters::CasedExceptHan => Category::LETTER,
        };
        let case = letters.are_cased();
        let is_alike = |kind: Category| !case && kind.intersects(part);
        let same = characters.all(|other| other == kind || is_alike(kind) && is_alike(other));
        match kind {
            _ if !same => None,
            Category::NUMBER => Some(NUMBER),
            Category::BLANK => Some(BLANK),
            Category::UPPER if case => Some(UPPER),
            Category::LOWER if case => Some(LOWER),
            kind if kind.intersects(part) => Some(CASELESS),
            Category::REST if others => Some(OTHER),
            _ => None,
        }
    }
}

/// Returns the category of a character; with `numeric`, all digits of the `Digits` pre-tokenizer are numbers.
#[inline]
fn kind(c: char, numeric: bool) -> Category {
    match category(c) {
        Category::REST if numeric && Class::NUMERIC.contains(c) => Category::NUMBER,
        kind => kind,
    }
}
