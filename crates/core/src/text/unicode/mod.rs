//! Unicode properties, exactly as in `tokenizers`.
//!
//! That library mixes versions of Unicode: categories of one, decompositions of another, lower case of a third. The
//! tables in `tables.rs` come from a sweep of the library itself, written by `tools/unicode_tables.py`; no property
//! depends on the version of the Rust toolchain.
//!
//! A look-up takes two loads: an index contains the block of a code point, the block its value.
//!
//! ```text
//! class(c)            = CLASS_BLOCKS[CLASS_INDEX[c / 128] * 128 + c % 128]
//! decompose(c), lowercase(c): in the same way a slot, which refers to one pool of characters
//! ```

mod arrays;
mod map;
mod tables;

pub(crate) use map::{CharMap, CharSet};
use tables::{
    CATEGORY_BLOCKS, CATEGORY_INDEX, CLASS_BLOCKS, CLASS_INDEX, COMBINING_BLOCKS, COMBINING_INDEX,
    DECOMPOSITION_BLOCKS, DECOMPOSITION_INDEX, LOWERCASE_BLOCKS, LOWERCASE_INDEX, MAPPED, SCRIPT_BLOCKS, SCRIPT_INDEX,
    SHIFT,
};

/// The properties of a character, any of fifteen.
///
/// A character is *unchanged* under a normalization form if the form keeps it as it is and it does not affect the text
/// before it: its full decomposition begins with a character of combining class 0 that is not the last part of any
/// composition. It follows:
///
/// * a run of unchanged characters is its own normal form;
/// * a text may be split before any unchanged character: the concatenated normal forms of the parts are that of the whole.
///
/// The last character of a run may still compose with the next one (`e` with an acute, a Hangul syllable with a trail),
/// so if another character follows the run, they are normalized together. Under the decomposing forms, a text may
/// also be split after an unchanged character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Class(u16);

/// The categories of a character that the known split patterns distinguish: one bit for each, none for the rest.
///
/// The bits are those of the engine behind `Split` and `ByteLevel`; a union matches any of its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Category(u8);

impl Category {
    /// Characters in no other category.
    pub const REST: Self = Self(0);
    /// `\p{Lu}` and `\p{Lt}`.
    pub const UPPER: Self = Self(tables::UPPER);
    /// `\p{Ll}`.
    pub const LOWER: Self = Self(tables::LOWER);
    /// `\p{Lm}` and `\p{Lo}`.
    pub const CASELESS: Self = Self(tables::CASELESS);
    /// `\p{L}`.
    pub const LETTER: Self = Self::UPPER.union(Self::LOWER).union(Self::CASELESS);
    /// `\p{M}`.
    pub const MARK: Self = Self(tables::MARK);
    /// `\p{N}`.
    pub const NUMBER: Self = Self(tables::NUMBER);
    /// `\p{P}`.
    pub const PUNCT: Self = Self(tables::PUNCT);
    /// `\p{S}`.
    pub const SYMBOL: Self = Self(tables::SYMBOL);
    /// `\s`.
    pub const BLANK: Self = Self(tables::BLANK);

    /// Returns the union of two categories.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the two have a common member.
    #[inline]
    #[must_use]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns its index among upper, lower, caseless, mark, number, punctuation, symbol, blank; 8 for the rest.
    #[inline]
    #[must_use]
    pub(crate) const fn number(self) -> usize {
        self.0.trailing_zeros() as usize
    }
}

/// A script, as an arbitrary number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Script(u8);

impl Script {
    /// No script, as for the space and characters missing from the library's table: it continues the script before it.
    pub const ANY: Self = Self(0);
}

impl Class {
    /// Removed by clean-up; takes precedence over white space, since U+000B, U+000C and U+0085 are both.
    pub const CONTROL: Self = Self(tables::CONTROL);
    /// Ends a word, and is replaced with a space by clean-up. It is also `\s` of both regular expression engines: the
    /// sweep found no difference.
    pub const WHITESPACE: Self = Self(tables::WHITESPACE);
    /// A word by itself; includes all ASCII punctuation, also symbols such as `$` and `+`.
    pub const PUNCTUATION: Self = Self(tables::PUNCTUATION);
    /// Removed by accent stripping.
    pub const NONSPACING_MARK: Self = Self(tables::NONSPACING_MARK);
    /// An ideograph, which is padded with spaces.
    pub const CJK: Self = Self(tables::CJK);
    /// Decomposes into other characters, including Hangul syllables.
    pub const DECOMPOSITION: Self = Self(tables::DECOMPOSITION);
    /// Has a lower case that differs from it, of one or several characters.
    pub const LOWERCASE: Self = Self(tables::LOWERCASE);
    /// Has a non-zero combining class, so canonical ordering may move it.
    pub const COMBINING_CLASS: Self = Self(tables::COMBINING_CLASS);
    /// `\w` of the `Whitespace` pre-tokenizer's engine: letters, marks, decimal digits, connectors.
    pub const WORD: Self = Self(tables::WORD);
    /// A digit of the `Digits` pre-tokenizer, by a newer Unicode than [`Category::NUMBER`].
    pub const NUMERIC: Self = Self(tables::NUMERIC);
    /// Removed by the `StripAccents` normalizer: marks of all three categories, so more than
    /// [`Class::NONSPACING_MARK`], which is all that BERT strips.
    pub const COMBINING_MARK: Self = Self(tables::COMBINING_MARK);
    /// May change under NFC.
    pub const MAY_CHANGE_NFC: Self = Self(tables::MAY_CHANGE_NFC);
    /// May change under NFKC.
    pub const MAY_CHANGE_NFKC: Self = Self(tables::MAY_CHANGE_NFKC);
    /// May change under NFD; a union of two other bits.
    pub const MAY_CHANGE_NFD: Self = Self::DECOMPOSITION.union(Self::COMBINING_CLASS);
    /// May change under NFKD.
    pub const MAY_CHANGE_NFKD: Self = Self(tables::MAY_CHANGE_NFKD);

    /// `\p{Han}` of the engine behind `Split`: ideographs, their radicals, numerals and marks.
    pub const HAN: Self = Self(tables::HAN);

    /// No property.
    pub const NONE: Self = Self(0);

    /// Returns the union of two sets of properties, for [`Class::intersects`].
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the two have a common property.
    #[inline]
    #[must_use]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether a character has one of the properties.
    #[inline]
    #[must_use]
    pub fn contains(self, c: char) -> bool {
        class(c).intersects(self)
    }
}

/// Returns the properties of a character.
#[inline]
#[must_use]
pub fn class(c: char) -> Class {
    if c.is_ascii() {
        // The first block is ASCII and comes first: no index is needed.
        return Class(CLASS_BLOCKS[c as usize]);
    }
    Class(look_up(&CLASS_INDEX, &CLASS_BLOCKS, c))
}

/// Returns the category of a character in the known split patterns.
#[inline]
#[must_use]
pub fn category(c: char) -> Category {
    if c.is_ascii() {
        return Category(CATEGORY_BLOCKS[c as usize]);
    }
    Category(look_up(&CATEGORY_INDEX, &CATEGORY_BLOCKS, c))
}

/// Returns whether no word character is adjacent to `range` of `text`.
#[must_use]
pub fn stands_alone(text: &str, range: std::ops::Range<usize>) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| Class::WORD.contains(c));
    !is_word(text[..range.start].chars().next_back()) && !is_word(text[range.end..].chars().next())
}

/// Returns the canonical combining class of a character.
///
/// It is 0 for a character that decomposes, since only its parts are ever ordered.
#[inline]
#[must_use]
pub fn combining_class(c: char) -> u8 {
    look_up(&COMBINING_INDEX, &COMBINING_BLOCKS, c)
}

/// Returns the script of a character as in the `UnicodeScripts` pre-tokenizer, where kana count as Han.
///
/// Characters of different scripts are in different words, whatever characters without script are between them.
#[inline]
#[must_use]
pub fn script(c: char) -> Script {
    Script(look_up(&SCRIPT_INDEX, &SCRIPT_BLOCKS, c))
}

/// Calls `emit` with each character of the full canonical decomposition, or with the character itself if it has none.
#[inline]
pub fn decompose(c: char, mut emit: impl FnMut(char)) {
    if let Some(jamo) = hangul(c) {
        jamo.into_iter().flatten().for_each(emit);
        return;
    }
    match mapped(look_up(&DECOMPOSITION_INDEX, &DECOMPOSITION_BLOCKS, c)) {
        [] => emit(c),
        parts => parts.iter().copied().for_each(emit),
    }
}

/// Calls `emit` with each character of the lower case, or with the character itself if it has none.
///
/// Neighbours are not considered, so there is no final sigma.
#[inline]
pub fn lowercase(c: char, mut emit: impl FnMut(char)) {
    if c.is_ascii() {
        emit(c.to_ascii_lowercase());
        return;
    }
    match mapped(look_up(&LOWERCASE_INDEX, &LOWERCASE_BLOCKS, c)) {
        [] => emit(c),
        lower => lower.iter().copied().for_each(emit),
    }
}

/// Returns the value of a character in a two-stage table; the default past the end of the index.
#[inline]
fn look_up<T: Copy + Default>(index: &[u8], blocks: &[T], c: char) -> T {
    let code = c as usize;
    match index.get(code >> SHIFT) {
        Some(&block) => blocks[(usize::from(block) << SHIFT) + (code & ((1 << SHIFT) - 1))],
        None => T::default(),
    }
}

/// Returns the characters of a slot.
///
/// The low two bits of a slot are their number less one, the others their start; slot 0 has none.
#[inline]
fn mapped(slot: u16) -> &'static [char] {
    if slot == 0 {
        return &[];
    }
    let start = usize::from(slot >> 2);
    &MAPPED[start..=start + usize::from(slot & 3)]
}

/// Returns the lead, vowel and trail of a Hangul syllable, by arithmetic.
///
/// Syllables are numbered in order: 21 vowels for each lead, 28 trails for each vowel, the first of which is none.
#[inline]
fn hangul(c: char) -> Option<[Option<char>; 3]> {
    const VOWELS: u32 = 21;
    const TRAILS: u32 = 28;
    if !('\u{AC00}'..='\u{D7A3}').contains(&c) {
        return None;
    }
    let number = c as u32 - 0xAC00;
    let (syllable, trail) = (number / TRAILS, number % TRAILS);
    let lead = char::from_u32(0x1100 + syllable / VOWELS);
    let vowel = char::from_u32(0x1161 + syllable % VOWELS);
    let jamo = char::from_u32(0x11A7 + trail);
    Some([lead, vowel, jamo.filter(|_| trail > 0)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization_alignments::UnicodeNormalization;

    fn decomposed(c: char) -> String {
        let mut parts = String::new();
        decompose(c, |part| parts.push(part));
        parts
    }

    fn lowered(c: char) -> String {
        let mut lower = String::new();
        lowercase(c, |part| lower.push(part));
        lower
    }

    #[test]
    fn white_space_that_is_control_too_is_both() {
        for c in ['\u{B}', '\u{C}', '\u{85}'] {
            assert!(Class::CONTROL.contains(c) && Class::WHITESPACE.contains(c), "{c:?}");
        }
        for c in ['\t', '\n', '\r', ' ', '\u{A0}', '\u{2028}', '\u{3000}'] {
            assert!(!Class::CONTROL.contains(c) && Class::WHITESPACE.contains(c), "{c:?}");
        }
        assert!(Class::CONTROL.contains('\u{1C}') && !Class::WHITESPACE.contains('\u{1C}'));
    }

    #[test]
    fn control_is_other_than_unassigned() {
        for c in ['\0', '\u{7F}', '\u{AD}', '\u{180E}', '\u{200D}'] {
            assert!(Class::CONTROL.contains(c), "{c:?}");
        }
        for c in ['\u{FEFF}', '\u{FFFD}', '\u{E000}', '\u{E0001}'] {
            assert!(Class::CONTROL.contains(c), "{c:?}");
        }
        for c in ['\u{378}', '\u{8E2}', '\u{110CD}', '\u{10FFFF}'] {
            assert_eq!(class(c), Class::default(), "{c:?}");
        }
        assert!(!Class::WHITESPACE.contains('\u{180E}'));
    }

    #[test]
    fn punctuation_has_ascii_symbols_and_follows_old_tables() {
        for c in ['$', '+', '`', '~', '–', '…', '\u{166D}'] {
            assert!(Class::PUNCTUATION.contains(c), "{c:?}");
        }
        for c in ['a', '0', '€', '\u{2E52}'] {
            assert!(!Class::PUNCTUATION.contains(c), "{c:?}");
        }
    }

    #[test]
    fn marks_follow_old_tables() {
        assert!(Class::NONSPACING_MARK.contains('\u{301}') && Class::COMBINING_CLASS.contains('\u{301}'));
        assert!(Class::NONSPACING_MARK.contains('\u{344}'));
        assert!(!Class::NONSPACING_MARK.contains('\u{20DD}'));
        assert!(!Class::NONSPACING_MARK.contains('\u{1AC1}') && !Class::COMBINING_CLASS.contains('\u{1AC1}'));
    }

    #[test]
    fn extension_e_begins_late() {
        assert!(Class::CJK.contains('\u{2B81F}'));
        assert!(!Class::CJK.contains('\u{2B820}') && !Class::CJK.contains('\u{2B91F}'));
        assert!(Class::CJK.contains('\u{2B920}') && Class::CJK.contains('\u{2CEAF}'));
    }

    #[test]
    fn combining_classes() {
        assert_eq!(combining_class('a'), 0);
        assert_eq!(combining_class('\u{334}'), 1);
        assert_eq!(combining_class('\u{323}'), 220);
        assert_eq!(combining_class('\u{307}'), 230);
        assert_eq!(combining_class('\u{345}'), 240);
        assert_eq!(combining_class('\u{344}'), 0);
        assert_eq!(combining_class('\u{10FFFF}'), 0);
    }

    #[test]
    fn decompositions_are_full() {
        assert_eq!(decomposed('a'), "a");
        assert_eq!(decomposed('é'), "e\u{301}");
        assert_eq!(decomposed('ǖ'), "u\u{308}\u{304}");
        assert_eq!(decomposed('\u{212A}'), "K");
        assert_eq!(decomposed('ﬁ'), "ﬁ");
        assert_eq!(decomposed('\u{1F82}'), "\u{3B1}\u{313}\u{300}\u{345}");
        assert_eq!(decomposed('\u{2FA1D}'), "\u{2A600}");
    }

    #[test]
    fn hangul_decomposes_by_arithmetic() {
        assert_eq!(decomposed('가'), "\u{1100}\u{1161}");
        assert_eq!(decomposed('각'), "\u{1100}\u{1161}\u{11A8}");
        assert_eq!(decomposed('힣'), "\u{1112}\u{1175}\u{11C2}");
        assert!(['가', '힣'].into_iter().all(|c| Class::DECOMPOSITION.contains(c)));
        assert_eq!(decomposed('\u{D7A4}'), "\u{D7A4}");
        assert_eq!(decomposed('\u{1100}'), "\u{1100}");
    }

    #[test]
    fn lower_case_is_of_one_character_alone() {
        assert_eq!(lowered('A'), "a");
        assert_eq!(lowered('['), "[");
        assert_eq!(lowered('Σ'), "σ");
        assert_eq!(lowered('ẞ'), "ß");
        assert_eq!(lowered('\u{212A}'), "k");
        assert_eq!(lowered('\u{130}'), "i\u{307}");
        assert_eq!(lowered('\u{1C89}'), "\u{1C8A}");
    }

    #[test]
    fn the_bits_of_a_class_agree_with_the_look_ups() {
        for c in '\0'..=char::MAX {
            let (class, itself) = (class(c), c.to_string());
            assert_eq!(class.intersects(Class::DECOMPOSITION), decomposed(c) != itself, "{c:?}");
            assert_eq!(class.intersects(Class::LOWERCASE), lowered(c) != itself, "{c:?}");
            let moves = combining_class(c) != 0;
            assert_eq!(class.intersects(Class::COMBINING_CLASS), moves, "{c:?}");
        }
    }

    #[test]
    fn words_letters_and_numbers() {
        for c in ['a', 'é', '中', '\u{2160}', '\u{301}', '\u{200D}', '_', '7'] {
            assert!(Class::WORD.contains(c), "{c:?}");
        }
        for c in ['²', '½', '’', ' ', '\u{200B}'] {
            assert!(!Class::WORD.contains(c), "{c:?}");
        }
        for c in ['7', '²', '½', '\u{2160}', '\u{663}'] {
            assert!(Class::NUMERIC.contains(c) && category(c) == Category::NUMBER, "{c:?}");
        }
        let of = |category: Category| move |c| super::category(c) == category;
        assert!("AÉǅ".chars().all(of(Category::UPPER)) && "aéß".chars().all(of(Category::LOWER)));
        assert!("中ªʼ".chars().all(of(Category::CASELESS)) && "\u{301}\u{93E}".chars().all(of(Category::MARK)));
        assert!(
            " \n\u{85}\u{3000}".chars().all(of(Category::BLANK)) && "\0\u{378}\u{200b}".chars().all(of(Category::REST))
        );
        assert!("!_…".chars().all(of(Category::PUNCT)) && "€+¬".chars().all(of(Category::SYMBOL)));
    }

    #[test]
    fn han_characters_are_more_than_letters() {
        assert!("中々〇〻⼀㐀\u{20000}".chars().all(|c| Class::HAN.contains(c)));
        assert!("aかカ한、。1\u{301}".chars().all(|c| !Class::HAN.contains(c)));
    }

    #[test]
    fn digits_follow_newer_tables() {
        assert!(Class::NUMERIC.contains('\u{11DE0}') && category('\u{11DE0}') != Category::NUMBER);
    }

    #[test]
    fn combining_marks_are_more_than_the_nonspacing_ones() {
        for c in ['\u{20DD}', '\u{903}', '\u{8D4}'] {
            assert!(Class::COMBINING_MARK.contains(c) && !Class::NONSPACING_MARK.contains(c), "{c:?}");
        }
        for c in ('\0'..=char::MAX).map(class) {
            assert!(c.intersects(Class::COMBINING_MARK) || !c.intersects(Class::NONSPACING_MARK));
        }
    }

    #[test]
    fn scripts() {
        assert_eq!(script('か'), script('中'));
        assert_eq!(script('カ'), script('ー'));
        assert_ne!(script('中'), script('。'));
        assert_ne!(script('a'), script('а'));
        assert_ne!(script('a'), script('1'));
        assert_eq!(script('1'), script('\n'));
        for c in [' ', '\u{378}', '\u{10FFFF}'] {
            assert_eq!(script(c), Script::ANY, "{c:?}");
        }
    }

    #[test]
    fn unchanged_characters() {
        let may_change = [Class::MAY_CHANGE_NFC, Class::MAY_CHANGE_NFKC, Class::MAY_CHANGE_NFD, Class::MAY_CHANGE_NFKD];
        let unchanged = |c| may_change.map(|may_change| !may_change.contains(c));
        for c in ['\0', 'e', '中', '\u{1100}', '\u{10FFFF}'] {
            assert_eq!(unchanged(c), [true, true, true, true], "{c:?}");
        }
        assert_eq!(unchanged('é'), [true, true, false, false]);
        assert_eq!(unchanged('가'), [true, true, false, false]);
        assert_eq!(unchanged('ﬁ'), [true, false, true, false]);
        assert_eq!(unchanged('\u{1161}'), [false, false, true, true]);
        assert_eq!(unchanged('\u{9BE}'), [false, false, true, true]);
        assert_eq!(unchanged('\u{958}'), [false, false, false, false]);
        assert_eq!(unchanged('\u{301}'), [false, false, false, false]);
    }

    /// A normalization form: its name, its function, and the property of characters that are not unchanged.
    type Form = (&'static str, fn(&str) -> Vec<(char, isize)>, Class);

    /// The forms of the reference library, with the numbers from which it computes alignments.
    const FORMS: [Form; 4] = [
        ("NFC", |text| text.nfc().collect(), Class::MAY_CHANGE_NFC),
        ("NFKC", |text| text.nfkc().collect(), Class::MAY_CHANGE_NFKC),
        ("NFD", |text| text.nfd().collect(), Class::MAY_CHANGE_NFD),
        ("NFKD", |text| text.nfkd().collect(), Class::MAY_CHANGE_NFKD),
    ];

    fn check_cuts(text: &str) {
        for (name, normal, may_change) in FORMS {
            let mut pieces = Vec::new();
            let mut start = 0;
            for (at, c) in text.char_indices() {
                if !may_change.contains(c) {
                    pieces.extend(normal(&text[start..at]));
                    start = at;
                }
            }
            pieces.extend(normal(&text[start..]));
            assert!(pieces == normal(text), "{name} of {}", text.escape_unicode());
        }
    }

    #[test]
    fn a_run_of_unchanged_characters_is_its_own_normal_form() {
        for (name, normal, may_change) in FORMS {
            let unchanged: String = ('\0'..=char::MAX).filter(|&c| !may_change.contains(c)).collect();
            assert!(normal(&unchanged).into_iter().eq(unchanged.chars().map(|c| (c, 0))), "{name}");
        }
    }

    #[test]
    fn a_text_may_be_split_before_every_inert_character() {
        let characters: Vec<char> = ('\0'..'\u{20000}').collect();
        for before in ["e", "e\u{323}", "\u{1100}", "가", "\u{9C7}", "\u{11131}", "\u{114B9}"] {
            for chunk in characters.chunks(4096) {
                check_cuts(&chunk.iter().flat_map(|&c| [before.into(), c.to_string()]).collect::<String>());
            }
        }
    }

    #[test]
    fn random_texts_may_be_split_before_every_inert_character() {
        let may_change: Vec<char> = ('\0'..=char::MAX)
            .filter(|&c| {
                Class::MAY_CHANGE_NFKC.contains(c) || Class::MAY_CHANGE_NFKD.contains(c) && !('가'..='힣').contains(&c)
            })
            .chain('가'..='갛')
            .collect();
        let mut state = 1u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..below(6) {
                let c = may_change[below(may_change.len())];
                match below(4) {
                    0 => text.push(c),
                    1 => text.extend(u32::try_from(below(0x11_0000)).ok().and_then(char::from_u32)),
                    2 => decompose(c, |part| text.push(part)),
                    // Other marks between the parts: some compose across them, some are blocked.
                    _ => decompose(c, |part| text.extend([part, may_change[below(may_change.len())]])),
                }
            }
            check_cuts(&text);
        }
    }

    #[test]
    fn ascii_needs_no_index() {
        for c in '\0'..='\x7F' {
            assert_eq!(class(c).0, look_up(&CLASS_INDEX, &CLASS_BLOCKS, c), "{c:?}");
        }
    }

    #[test]
    fn several_properties_at_once() {
        let either = Class::CONTROL.union(Class::CJK);
        assert!(either.contains('\0') && either.contains('一'));
        assert!(!either.contains('a'));
    }
}
