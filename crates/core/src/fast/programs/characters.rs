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

use crate::fast::chunker::{Capabilities, Chunker, ModelInput};
use crate::fast::keys::Fold;
use crate::fast::list::{BLOCKS, ChunkList, ChunkRanges};
use crate::fast::masks::{BLOCK, BlockLoop, Classifier, Masks, first_block};
use crate::normalize::locality::CharacterChanges;
use crate::pretokenize::boundary::{Boundary, CharacterBoundary};
use crate::splitter::WordSplitter;
use crate::text::unicode::{Class, class};

/// The kind of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(in crate::fast) enum CharacterKind {
    /// An ASCII character that forms a chunk with adjacent characters of its kind.
    Word = 0,
    /// An ASCII character outside `\w` that the pre-tokenizer separates from `Word`; it forms a chunk with its kind.
    Other = 1,
    /// A character that is a chunk by itself.
    Alone = 2,
    /// A character between chunks, part of none.
    Space = 3,
    /// A character in the same chunk as its neighbours, unless these are `Alone` or `Space`.
    Glue = 4,
}

/// Classifies characters for one pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::fast) struct CharacterKinds {
    /// The kinds of ASCII characters.
    pub(in crate::fast) ascii: [CharacterKind; 128],
    rules: Rules,
    /// Whether a chunk that starts with `Word` or `Alone` is one word.
    ///
    /// If the chunk is ASCII, only its case may change.
    pub(in crate::fast) whole: bool,
    /// Whether ASCII letters are lowercased.
    pub(in crate::fast) lowercase: bool,
}

/// The effects of all stages together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Rules {
    /// Whether control characters are removed.
    drops_controls: bool,
    /// Whether ideographs are words by themselves.
    isolates_ideographs: bool,
    /// Whether punctuation characters are words by themselves.
    isolates_punctuation: bool,
    /// Whether words end between `\w` and other characters.
    separates_words: bool,
}

impl CharacterKinds {
    /// Returns the kinds of characters for a splitter, or the reason why there are none.
    pub(in crate::fast) fn new(splitter: &WordSplitter) -> Result<Self, &'static str> {
        let boundary = splitter.boundary().ok_or("without a pre-tokenizer a text is one word")?;
        let changes = match splitter.locality() {
            Some(locality) => locality.characters.ok_or("its normalizer does not map each character by itself")?,
            None => CharacterChanges::default(),
        };
        let Boundary::Characters(boundary) = boundary else {
            return Err("its pre-tokenizer does not classify each character by itself");
        };
        let CharacterBoundary { drops_spaces, isolates_punctuation, separates_words, has_others } = boundary;
        if !drops_spaces {
            return Err("its pre-tokenizer does not split at white space");
        }
        let CharacterChanges { drops_controls, isolates_ideographs, lowercases } = changes;
        let rules = Rules { drops_controls, isolates_ideographs, isolates_punctuation, separates_words };
        let (whole, lowercase) = (!has_others, lowercases);
        let ascii = std::array::from_fn(|code| rules.ascii(u8::try_from(code).expect("under 128")));
        Ok(Self { ascii, rules, whole, lowercase })
    }

    /// Returns the classifier of ASCII characters: sets for space, alone, other and glue.
    pub(in crate::fast) fn classifier(&self) -> Classifier<4> {
        let bit = |kind: &CharacterKind| match kind {
            CharacterKind::Word => 0,
            CharacterKind::Space => 1,
            CharacterKind::Alone => 2,
            CharacterKind::Other => 4,
            CharacterKind::Glue => 8,
        };
        Classifier::new(std::array::from_fn(|byte| self.ascii.get(byte).map_or(0, bit)))
    }

    /// Returns the kind of a character.
    #[inline]
    pub(in crate::fast) fn kind(&self, c: char) -> CharacterKind {
        if c.is_ascii() { self.ascii[c as usize] } else { self.rules.other(class(c)) }
    }
}

impl Rules {
    fn ascii(self, code: u8) -> CharacterKind {
        let class = class(char::from(code));
        match self.other(class) {
            // An ASCII character neither composes nor decomposes, so only the removal of controls makes it glue.
            CharacterKind::Glue if self.drops_controls && class.is_control() => CharacterKind::Glue,
            CharacterKind::Glue if self.separates_words && !class.is_word() => CharacterKind::Other,
            CharacterKind::Glue => CharacterKind::Word,
            kind => kind,
        }
    }

    /// Returns the kind of a character by its class, without the exceptions for ASCII.
    #[inline]
    fn other(self, class: Class) -> CharacterKind {
        const CHANGES: Class = Class::ACTIVE_NFD.union(Class::COMBINING_MARK).union(Class::NONSPACING_MARK);
        if self.drops_controls && class.is_control() {
            CharacterKind::Glue
        } else if class.is_whitespace() {
            CharacterKind::Space
        } else if class.intersects(CHANGES) {
            CharacterKind::Glue
        } else if (self.isolates_ideographs && class.is_cjk()) || (self.isolates_punctuation && class.is_punctuation())
        {
            CharacterKind::Alone
        } else {
            CharacterKind::Glue
        }
    }
}

/// Cuts texts at white space and between kinds of characters, a block of 64 bytes at a time.
///
/// The kernel classifies the ASCII characters of a block; the others are looked up one by one, and their bits added. A
/// chunk begins or ends where the kind of a byte differs from that of the byte before, which is computed by shifts.
#[derive(Debug, Clone)]
pub(in crate::fast) struct CharacterChunker {
    kinds: CharacterKinds,
    classifier: Classifier<4>,
}

impl CharacterChunker {
    /// Returns the chunker for a splitter, or the reason why there is none.
    pub(in crate::fast) fn of(splitter: &WordSplitter) -> Result<Self, &'static str> {
        let kinds = CharacterKinds::new(splitter)?;
        let classifier = kinds.classifier();
        Ok(Self { kinds, classifier })
    }

    /// Returns whether a byte is an ASCII character that separates words in every context and is dropped.
    fn is_separator(&self, byte: u8) -> bool {
        self.kinds.ascii.get(usize::from(byte)) == Some(&CharacterKind::Space)
    }
}

impl Chunker for CharacterChunker {
    fn with_kernel(self, name: &str) -> Option<Self> {
        Some(Self { classifier: self.classifier.with_kernel(name)?, ..self })
    }

    fn kernel(&self) -> &'static str {
        self.classifier.name()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { drops_spaces: true, ..Capabilities::default() }
    }

    #[inline]
    fn fold(&self) -> Fold {
        if self.kinds.lowercase { Fold::Case } else { Fold::Nothing }
    }

    #[inline]
    fn cut<E>(
        &self,
        text: &str,
        _: usize,
        _: bool,
        list: &mut ChunkList,
        mut take: impl FnMut(ChunkRanges<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        list.clear();
        let Self { kinds, classifier } = self;
        let mut blocks = BlockIterator { text, kinds, at: 0, last: CharacterKind::Space, list };
        while classifier.run(&mut blocks) {
            take(blocks.list.chunks())?;
            blocks.list.remove_closed();
        }
        Ok(())
    }

    fn is_safe_split_point(&self, text: &[u8], at: usize) -> bool {
        self.is_separator(text[at])
    }

    /// Returns whether a text is cut at the byte in every context: the kinds of the characters around it decide.
    fn is_token_boundary(&self, text: &str, at: usize) -> bool {
        use CharacterKind::{Alone, Other, Space, Word};
        let kind = |c: Option<char>| c.map_or(Space, |c| self.kinds.kind(c));
        match (kind(text[..at].chars().next_back()), kind(text[at..].chars().next())) {
            (Space, Space) => false,
            (Space | Alone, _) | (_, Space | Alone) | (Word, Other) | (Other, Word) => true,
            _ => false,
        }
    }

    fn can_count_blocks(&self, _: bool) -> bool {
        self.is_separator(b'\n') && self.is_separator(b'\r')
    }

    /// Returns whether a run is ASCII and its chunks are words; then they are encoded one by one.
    #[inline]
    fn encodes_singly(&self, run: &[u8]) -> bool {
        self.kinds.whole && run.is_ascii()
    }

    /// Returns the model input of an ASCII chunk in which at most the case changes.
    fn model_input<'a>(&self, chunk: &'a str, _: bool, _: bool, buffer: &'a mut String) -> Option<ModelInput<'a>> {
        let CharacterKinds { ascii, whole, lowercase, .. } = &self.kinds;
        let is_plain = |byte: u8| ascii.get(usize::from(byte)).is_some_and(|&kind| kind != CharacterKind::Glue);
        if !whole || !chunk.bytes().all(is_plain) {
            return None;
        }
        if !lowercase {
            return Some(ModelInput::Word(chunk));
        }
        buffer.clear();
        buffer.push_str(chunk);
        buffer.make_ascii_lowercase();
        Some(ModelInput::Word(buffer))
    }
}

/// Iterates over the chunks of a text, a list at a time.
struct BlockIterator<'a> {
    text: &'a str,
    kinds: &'a CharacterKinds,
    /// The next byte.
    at: usize,
    /// The kind of the character before.
    last: CharacterKind,
    list: &'a mut ChunkList,
}

impl BlockLoop<4> for &mut BlockIterator<'_> {
    type Output = bool;

    /// Lists the chunks of the next blocks; returns false at the end of the text.
    #[inline(always)]
    fn run(self, masks: impl Fn(&[u8; BLOCK]) -> Masks<4>) -> bool {
        if self.at == self.text.len() && self.list.is_empty() {
            return false;
        }
        for _ in 0..BLOCKS {
            if self.at == self.text.len() {
                self.list.close(self.at);
                break;
            }
            self.block(&masks);
        }
        true
    }
}

impl BlockIterator<'_> {
    #[inline(always)]
    fn block(&mut self, masks: impl Fn(&[u8; BLOCK]) -> Masks<4>) {
        let rest = &self.text.as_bytes()[self.at..];
        let (masks, length) = first_block(rest, &masks);
        let (mut sets, mut inside, mut whole) = (masks.sets, 0, length);
        if masks.high != 0 {
            (sets, inside, whole) = self.look_up(masks, length);
        }
        self.cut(sets, inside, whole);
    }

    /// Returns the sets with the non-ASCII characters, the continuation bytes, and the length of the whole characters in
    /// bytes.
    #[inline(never)]
    fn look_up(&self, mut masks: Masks<4>, length: usize) -> ([u64; 4], u64, usize) {
        let mut inside = 0;
        let [space, alone, _, glue] = &mut masks.sets;
        while masks.high != 0 {
            let mut place = masks.high.trailing_zeros() as usize;
            for c in self.text[self.at + place..].chars() {
                if c.is_ascii() {
                    break;
                }
                let end = place + c.len_utf8();
                if end > BLOCK {
                    return (masks.sets, inside, place);
                }
                let bytes = u64::MAX << place & u64::MAX >> (BLOCK - end);
                match self.kinds.kind(c) {
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

    /// Lists where chunks begin and end in the first `length` bytes of a block.
    #[inline(always)]
    fn cut(&mut self, [space, alone, other, glue]: [u64; 4], inside: u64, length: usize) {
        if length == 0 {
            return;
        }
        let shifted = |mask: u64, kind| mask << 1 | u64::from(self.last == kind);
        let after_space = shifted(space, CharacterKind::Space);
        let parted = (other ^ shifted(other, CharacterKind::Other)) & !(glue | shifted(glue, CharacterKind::Glue));
        let cuts = (space ^ after_space) | alone | shifted(alone, CharacterKind::Alone) | parted;
        let cuts = cuts & !inside & u64::MAX >> (BLOCK - length);
        self.list.add(self.at, cuts & !space, cuts & !after_space);
        let last = 1 << (length - 1);
        self.last = match () {
            () if space & last != 0 => CharacterKind::Space,
            () if alone & last != 0 => CharacterKind::Alone,
            () if other & last != 0 => CharacterKind::Other,
            () if glue & last != 0 => CharacterKind::Glue,
            () => CharacterKind::Word,
        };
        self.at += length;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::fast::chunker::chunks_of;
    use crate::format::read_splitter;

    /// Returns the chunks of a text, or the reason why it has none.
    fn chunks<'a>(case: &Value, text: &'a str) -> Result<Vec<&'a str>, &'static str> {
        let [normalizer, pre_tokenizer] = ["normalizer", "pre_tokenizer"].map(|name| &case[name]);
        let stages = serde_json::json!({ "normalizer": normalizer, "pre_tokenizer": pre_tokenizer });
        let chunker = CharacterChunker::of(&read_splitter(&stages.to_string(), &[]).unwrap())?;
        Ok(chunks_of(&chunker, text).into_iter().map(|(start, end)| &text[start..end]).collect())
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
