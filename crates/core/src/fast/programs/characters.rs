//! Cuts texts at white space and between kinds of characters, for stages that read one character at a time.
//!
//! A *chunk* is the text between two cuts. The normalizers that the fast path supports read one character at a time,
//! and its pre-tokenizers read the two characters at a boundary. Only canonical reordering reads further, and it stops
//! at the first character that is not a mark. So a text can be cut
//!
//! * before and after a character that separates words and is dropped: white space;
//! * before and after a character that is a word by itself: punctuation, an ideograph;
//! * between two ASCII characters of different kinds that the pre-tokenizer separates.
//!
//! All other characters are *glue*: they may be part of a word, be removed, or change their neighbours. A chunk is not
//! a word: it may contain several words, or none. Its ends do not depend on the text around it.

use crate::fast::driver::{BlockPosition, Blocks};
use crate::fast::keys::KeyFold;
use crate::fast::masks::{BLOCK, BlockLoop, Classifier, Masks, below};
use crate::fast::plan::{CutPlan, ModelInput};
use crate::fast::programs::Program;
use crate::normalize::locality::CharacterChanges;
use crate::pretokenize::boundary::CharacterBoundary;
use crate::splitter::WordSplitter;
use crate::text::unicode::{Class, class};

/// The kind of a character; its value is the set of bytes that it is in, a bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum CharacterKind {
    /// An ASCII character that forms a chunk with adjacent characters of its kind.
    Word = 0,
    /// A character between chunks, part of none.
    Space = 1,
    /// A character that is a chunk by itself.
    Alone = 2,
    /// An ASCII character outside `\w` that the pre-tokenizer separates from `Word`; it forms a chunk with its kind.
    Other = 4,
    /// A character in the same chunk as its neighbours, unless these are `Alone` or `Space`.
    Glue = 8,
}

/// Cuts texts at white space and between kinds of characters.
///
/// The kernel classifies the ASCII characters of a block; the others are looked up one by one, and their bits added. A
/// chunk begins or ends where the kind of a byte differs from that of the byte before, which is computed by shifts.
#[derive(Debug, Clone)]
pub(in crate::fast) struct CharacterProgram {
    pub(super) classifier: Box<Classifier<4>>,
    /// The kinds of ASCII characters.
    ascii: [CharacterKind; 128],
    changes: CharacterChanges,
    boundary: CharacterBoundary,
}

impl CharacterProgram {
    /// Returns the plan for a splitter with such a pre-tokenizer, or the reason why there is none.
    pub(in crate::fast) fn plan(splitter: &WordSplitter, boundary: CharacterBoundary) -> Result<CutPlan, &'static str> {
        let changes = match splitter.locality() {
            Some(locality) => locality.characters.ok_or("its normalizer does not map each character by itself")?,
            None => CharacterChanges::default(),
        };
        if !boundary.drops_spaces {
            return Err("its pre-tokenizer does not split at white space");
        }
        let kind = |code| ascii_kind(u8::try_from(code).unwrap_or_default(), changes, boundary);
        let ascii: [CharacterKind; 128] = std::array::from_fn(kind);
        let classifier = Classifier::new(std::array::from_fn(|byte| ascii.get(byte).map_or(0, |&kind| kind as u8)));
        let ends_lines = [b'\r', b'\n'].iter().all(|&byte| ascii[usize::from(byte)] == CharacterKind::Space);
        Ok(CutPlan {
            fold: if changes.lowercases { KeyFold::Case } else { KeyFold::Nothing },
            has_gaps: true,
            counts_lines: [ends_lines; 2],
            drops_spaces: true,
            ..CutPlan::new(Program::Characters(Self { classifier, ascii, changes, boundary }))
        })
    }

    /// Returns the kind of a character.
    #[inline]
    fn kind(&self, c: char) -> CharacterKind {
        if c.is_ascii() { self.ascii[c as usize] } else { kind(class(c), self.changes, self.boundary) }
    }

    /// Returns whether a byte is an ASCII character that separates words in every context and is dropped.
    pub(super) fn is_safe_split_point(&self, text: &[u8], at: usize) -> bool {
        self.ascii.get(usize::from(text[at])) == Some(&CharacterKind::Space)
    }

    /// Returns whether a text is cut at the byte in every context: the kinds of the characters around it decide.
    pub(super) fn is_token_boundary(&self, text: &str, at: usize) -> bool {
        use CharacterKind::{Alone, Other, Space, Word};
        let kind = |c: Option<char>| c.map_or(Space, |c| self.kind(c));
        match (kind(text[..at].chars().next_back()), kind(text[at..].chars().next())) {
            (Space, Space) => false,
            (Space | Alone, _) | (_, Space | Alone) | (Word, Other) | (Other, Word) => true,
            _ => false,
        }
    }

    /// Returns whether a run is ASCII and its chunks are words; then they are encoded one by one.
    pub(in crate::fast) fn encodes_singly(&self, run: &[u8]) -> bool {
        !self.boundary.has_others && run.is_ascii()
    }

    /// Returns the model input of an ASCII chunk in which at most the case changes.
    pub(in crate::fast) fn model_input<'a>(&self, chunk: &'a str, buffer: &'a mut String) -> Option<ModelInput<'a>> {
        let is_plain = |byte: u8| self.ascii.get(usize::from(byte)).is_some_and(|&kind| kind != CharacterKind::Glue);
        if self.boundary.has_others || !chunk.bytes().all(is_plain) {
            return None;
        }
        if !self.changes.lowercases {
            return Some(ModelInput::Word(chunk));
        }
        buffer.clear();
        buffer.push_str(chunk);
        buffer.make_ascii_lowercase();
        Some(ModelInput::Word(buffer))
    }

    /// Returns the sets with the non-ASCII characters, the continuation bytes, and the length of the whole characters in
    /// bytes.
    #[inline(never)]
    fn look_up(&self, text: &str, mut masks: Masks<4>, length: usize) -> ([u64; 4], u64, usize) {
        let mut inside = 0;
        let [space, alone, _, glue] = &mut masks.sets;
        while masks.high != 0 {
            let mut place = masks.high.trailing_zeros() as usize;
            for c in text[place..].chars() {
                if c.is_ascii() {
                    break;
                }
                let end = place + c.len_utf8();
                if end > BLOCK {
                    return (masks.sets, inside, place);
                }
                let bytes = u64::MAX << place & u64::MAX >> (BLOCK - end);
                match self.kind(c) {
                    CharacterKind::Glue => *glue |= bytes,
                    CharacterKind::Alone => *alone |= bytes,
                    CharacterKind::Space => *space |= bytes,
                    CharacterKind::Word | CharacterKind::Other => {}
                }
                inside |= bytes & bytes << 1;
                masks.high &= !bytes;
                place = end;
                if place == BLOCK {
                    break;
                }
            }
        }
        (masks.sets, inside, length)
    }
}

impl BlockLoop<4> for Blocks<'_, '_, CharacterProgram> {
    type Output = BlockPosition;

    #[inline(always)]
    fn run(self, masks: impl Fn(&[u8; BLOCK]) -> Masks<4> + Copy) -> BlockPosition {
        let Self { program, text, .. } = self;
        self.each_block(masks, |BlockPosition { at, before }, (masks, length), listing| {
            let ([space, alone, other, glue], inside, length) =
                if masks.high == 0 { (masks.sets, 0, length) } else { program.look_up(&text[at..], masks, length) };
            // The kind of the character before, with an inverted bit for white space: the beginning of a text is like it.
            let shifted = |set: u64, place: u32| set << 1 | before >> place & 1;
            let after_space = shifted(space, 0) ^ 1;
            let parted = (other ^ shifted(other, 2)) & !(glue | shifted(glue, 3));
            let cuts = (space ^ after_space) | alone | shifted(alone, 1) | parted;
            let cuts = cuts & !inside & below(length);
            listing.list.add(at, cuts & !space, cuts & !after_space);
            let last = |set: u64, place: u32| (set >> ((length - 1) & 63) & 1) << place;
            let before = last(!space, 0) | last(alone, 1) | last(other, 2) | last(glue, 3);
            BlockPosition { at: at + length, before }
        })
    }
}

/// Returns the kind of an ASCII character.
fn ascii_kind(code: u8, changes: CharacterChanges, boundary: CharacterBoundary) -> CharacterKind {
    let class = class(char::from(code));
    match kind(class, changes, boundary) {
        // An ASCII character neither composes nor decomposes, so only the removal of controls makes it glue.
        CharacterKind::Glue if changes.drops_controls && class.intersects(Class::CONTROL) => CharacterKind::Glue,
        CharacterKind::Glue if boundary.separates_words && !class.intersects(Class::WORD) => CharacterKind::Other,
        CharacterKind::Glue => CharacterKind::Word,
        kind => kind,
    }
}

/// Returns the kind of a character by its class, without the exceptions for ASCII.
#[inline]
fn kind(class: Class, changes: CharacterChanges, boundary: CharacterBoundary) -> CharacterKind {
    const CHANGES: Class = Class::MAY_CHANGE_NFD.union(Class::COMBINING_MARK).union(Class::NONSPACING_MARK);
    let is_alone = changes.isolates_ideographs && class.intersects(Class::CJK)
        || boundary.isolates_punctuation && class.intersects(Class::PUNCTUATION);
    match class {
        class if changes.drops_controls && class.intersects(Class::CONTROL) => CharacterKind::Glue,
        class if class.intersects(Class::WHITESPACE) => CharacterKind::Space,
        class if class.intersects(CHANGES) => CharacterKind::Glue,
        _ if is_alone => CharacterKind::Alone,
        _ => CharacterKind::Glue,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::fast::plan::chunks_of;
    use crate::format::read_splitter;

    /// Returns the chunks of a text, or the reason why it has none.
    fn chunks<'a>(case: &Value, text: &'a str) -> Result<Vec<&'a str>, &'static str> {
        let [normalizer, pre_tokenizer] = ["normalizer", "pre_tokenizer"].map(|name| &case[name]);
        let stages = serde_json::json!({ "normalizer": normalizer, "pre_tokenizer": pre_tokenizer });
        let plan = CutPlan::of_words(&read_splitter(&stages.to_string(), &[]).unwrap())?;
        Ok(chunks_of(&plan, text).into_iter().map(|(start, end)| &text[start..end]).collect())
    }

    #[test]
    fn cases() {
        let cases: Vec<Value> = serde_json::from_str(include_str!("../../../../../spec/cases/chunks.json")).unwrap();
        assert!(cases.len() > 20);
        for case in &cases {
            let text = case["text"].as_str().unwrap_or_default();
            let Some(wanted) = case["chunks"].as_array() else {
                assert!(chunks(case, text).is_err(), "{}", case["name"]);
                continue;
            };
            let wanted: Vec<&str> = wanted.iter().map(|chunk| chunk.as_str().unwrap()).collect();
            // Wherever a text begins in a block, its chunks are the same.
            for before in 0..130 {
                let moved = " ".repeat(before) + text;
                assert_eq!(chunks(case, &moved).unwrap(), wanted, "{} after {before} spaces", case["name"]);
            }
        }
    }
}
