//! From text to words with the white space before them, for pipelines that write spaces as a mark before each word.
//!
//! White space that becomes plain spaces *divides*. A text may be cut where it begins, if what stands before is *steady*: a character
//! that stays as it is, so that no normalizer and no piece has to do with both sides. The first chunk of a text begins as the text
//! does, and may get a mark of its own; all others begin with white space, and so with a mark.
//!
//! Either the pre-tokenizer splits before each mark, and all models see single words; or, as in SentencePiece, the text is one word to
//! the model. Then no piece may hold a mark behind something else, and the scores are added up from word to word: see
//! [`crate::model::context`].

use super::chunker::{Capabilities, Chunker, ModelInput};
use super::contiguous::{self, ContiguousChunks};
use super::keys::Fold;
use super::list::{ChunkList, ChunkRanges};
use super::masks::{BLOCK, Classifier, Masks};
use super::stability::Stability;
use super::text::last;
use super::unspaced::UnspacedBoundaries;
use crate::model::Model;
use crate::model::adjacency::FIRST_UNSPACED;
use crate::normalize::locality::{ChangedCharacters, LONGEST_WINDOW, Rewrites, SpaceRuns, WordChanges};
use crate::pretokenize::boundary::Boundary;
use crate::settings::{METASPACE, METASPACE_TEXT, PrependScheme};
use crate::splitter::WordSplitter;
use crate::text::unicode::{CharSet, Class, class};

/// Cuts texts before white space.
#[derive(Debug, Clone)]
pub(super) struct MetaspaceChunker {
    classifier: Classifier<2>,
    /// What ASCII characters are.
    ascii: [Stability; 128],
    /// Characters that the rules change, and the metaspace.
    moving: CharSet,
    /// How far before a cut all characters have to be steady, in bytes.
    looks_back: usize,
    /// What is asked of characters that are not ASCII.
    asked: Asked,
    /// Whether words change by nothing but the rules.
    is_plain: bool,
    /// Whether symbols of the user's have one place for all of their characters.
    has_symbols: bool,
    /// Whether of white space in a row one mark stays.
    joins: bool,
    /// Whether white space is gone before marks are put, so that they stand for none.
    drops: bool,
    /// Whether a mark is put before a text that begins with none; and if only before what begins the input.
    prefix: bool,
    only_first: bool,
    /// What there is more to a text that is one word.
    text: Option<OneWord>,
}

/// A text that is one word to the model.
#[derive(Debug, Clone)]
struct OneWord {
    /// What splits chunks that begin with white space, and those that begin elsewhere, but for the first of the text.
    splitters: [WordSplitter; 2],
    /// What says where to cut where there is no white space.
    unspaced: Option<UnspacedBoundaries>,
}

/// What is asked of characters that are not ASCII, beside that no rule changes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Asked {
    /// That they are no white space.
    not_blank: bool,
    /// That no normalization form changes them.
    inert: bool,
}

impl Asked {
    /// Whether a character of that class lacks what is asked. Most pipelines ask nothing, so their loops do without this.
    #[inline(never)]
    fn refuses(self, class: Class) -> bool {
        const MOVES: Class = Class::COMBINING_MARK.union(Class::NONSPACING_MARK).union(Class::CONTROL);
        self.not_blank && class.is_whitespace()
            || self.inert && (class.intersects(MOVES) || !class.is_inert_nfkc() || !class.is_inert_nfkd())
    }
}

impl MetaspaceChunker {
    /// Returns the chunker of a pipeline that writes spaces as metaspaces and splits nowhere, if its model has a space adjacency.
    pub(super) fn of_text(splitter: &WordSplitter, model: &Model) -> Option<Self> {
        if splitter.boundary().is_some() {
            return None;
        }
        let spaces = splitter.locality()?.metaspaces?;
        let unspaced = model.space_adjacency(METASPACE, spaces.symbols)?.unspaced;
        let chunker = Self::new(spaces.rules, false, Asked::default())?;
        let is_separator = |byte| chunker.kind(byte) == Some(Stability::Separator);
        if spaces.symbols.iter().flat_map(|symbol| symbol.bytes()).any(is_separator) {
            return None;
        }
        let [after_space, elsewhere] =
            spaces.chunk_normalizers()?.map(|normalizer| WordSplitter::new(Some(normalizer), None).ok());
        let unspaced = unspaced.map(|unspaced| UnspacedBoundaries::new(unspaced, &chunker.moving, &chunker.ascii));
        Some(Self {
            joins: spaces.collapses,
            has_symbols: !spaces.symbols.is_empty(),
            prefix: spaces.prefix,
            text: Some(OneWord { splitters: [after_space?, elsewhere?], unspaced }),
            ..chunker
        })
    }

    /// Returns the chunker of a pipeline that splits before metaspaces, if its normalizer does not look past a space.
    pub(super) fn of_words(splitter: &WordSplitter) -> Option<Self> {
        let Boundary::Metaspaces { prepend, drops_spaces } = splitter.boundary()? else { return None };
        let changes = match splitter.locality() {
            Some(locality) => locality.words?,
            None => WordChanges::default(),
        };
        // A metaspace is no white space, so it would go with the word before.
        if drops_spaces && changes.space_runs == SpaceRuns::Metaspace {
            return None;
        }
        let inert = changes.changed == ChangedCharacters::All;
        let asked = Asked { not_blank: drops_spaces || changes.strips_end || inert, inert };
        let keeps_words = changes.changed == ChangedCharacters::None;
        Some(Self {
            is_plain: keeps_words && (!drops_spaces || prepend == PrependScheme::Always),
            joins: drops_spaces || changes.space_runs != SpaceRuns::Kept,
            drops: drops_spaces,
            prefix: prepend != PrependScheme::Never,
            only_first: prepend == PrependScheme::First,
            ..Self::new(changes.rules, drops_spaces, asked)?
        })
    }

    /// Cuts where characters stand that become a space by the rules or, if it `splits`, are white space; `None` if that is not enough
    /// to tell.
    fn new(rules: Option<Rewrites<'_>>, splits: bool, asked: Asked) -> Option<Self> {
        let rules = match rules {
            Some(rules) => Some((rules, rules.changed()?)),
            None => None,
        };
        let ascii: [Stability; 128] =
            std::array::from_fn(|byte| kind(u8::try_from(byte).unwrap_or_default(), rules, splits, asked));
        let classifier = Classifier::new(std::array::from_fn(|byte| ascii.get(byte).map_or(0, |&kind| kind as u8)));
        let mut moving = rules.map(|(_, changed)| changed.clone()).unwrap_or_default();
        moving.insert(METASPACE);
        let spaced = Self {
            classifier,
            ascii,
            moving,
            looks_back: rules.map_or(1, |(rules, _)| rules.window),
            asked,
            is_plain: true,
            has_symbols: false,
            joins: false,
            drops: false,
            prefix: false,
            only_first: false,
            text: None,
        };
        // Rules may make something else of a space.
        (spaced.kind(b' ') == Some(Stability::Separator)).then_some(spaced)
    }

    /// Whether the model sees the text as one word.
    fn is_one_word(&self) -> bool {
        self.text.is_some()
    }

    /// Whether a text begins with white space that divides.
    fn begins_with_space(&self, text: &str) -> bool {
        text.bytes().next().is_some_and(|byte| self.kind(byte) == Some(Stability::Separator))
    }

    /// The control characters that divide as a space does, a bit each.
    fn spaces(&self) -> u32 {
        (0..32).filter(|&byte| self.ascii[byte] == Stability::Separator).fold(0, |spaces, byte| spaces | 1 << byte)
    }

    /// Whether white space that divides begins at a byte, which is not the first, and what stands before is steady.
    fn divides_at(&self, text: &[u8], at: usize) -> bool {
        self.kind(text[at]) == Some(Stability::Separator) && self.ends_stable(&text[..at])
    }

    /// Writes the word that a chunk is as the model sees it, if nothing changes but that; gives how many bytes the mark has more than
    /// what stood there, or nothing if a chunk that is `aligned` has no such number.
    fn write(&self, chunk: &str, begins: bool, aligned: bool, room: &mut String) -> Option<u32> {
        let is_space = |byte: &u8| self.kind(*byte) == Some(Stability::Separator);
        let spaces = chunk.bytes().take_while(|byte| is_space(byte)).count();
        let has_mark = match spaces {
            0 => self.prefix && begins && !aligned,
            1 => !(begins && self.is_one_word() || self.drops && aligned),
            _ => self.joins && !aligned && !begins,
        };
        if !self.is_plain || aligned && self.has_symbols || !has_mark && (spaces > 0 || self.prefix && begins) {
            return None;
        }
        let word = &chunk[spaces..];
        if word.is_empty() || !self.stays(word) {
            return None;
        }
        room.clear();
        room.push_str(if has_mark { METASPACE_TEXT } else { "" });
        room.push_str(word);
        Some(if has_mark { 2 } else { 0 })
    }

    /// Whether no character of a word changes, and none divides.
    fn stays(&self, word: &str) -> bool {
        // Most words are ASCII alone, and bytes are quicker to ask than characters.
        word.bytes().all(|byte| self.kind(byte) == Some(Stability::Stable)) || word.chars().all(|c| self.is_stable(c))
    }

    /// Whether what stands before a cut has nothing to do with what stands behind.
    #[inline]
    fn ends_stable(&self, before: &[u8]) -> bool {
        let mut rest = before;
        while let Some(&byte) = rest.last() {
            let c = if byte.is_ascii() { Some(char::from(byte)) } else { last(rest) };
            let is_space = self.kind(byte) == Some(Stability::Separator) && rest.len() < before.len();
            if is_space || rest.len() + self.looks_back <= before.len() {
                return true;
            }
            let Some(c) = c.filter(|&c| self.is_stable(c)) else { return false };
            rest = &rest[..rest.len() - c.len_utf8()];
        }
        !before.is_empty()
    }

    /// What a character is.
    #[inline]
    fn kind_of(&self, c: char) -> Stability {
        match self.ascii.get(c as usize) {
            Some(&kind) => kind,
            None if self.is_unstable(c) => Stability::Unstable,
            None => Stability::Stable,
        }
    }

    /// Whether a character that is not ASCII may change, or is a mark.
    #[inline]
    fn is_unstable(&self, c: char) -> bool {
        self.moving.contains(c) || self.asked != Asked::default() && self.asked.refuses(class(c))
    }

    #[inline]
    fn is_stable(&self, c: char) -> bool {
        self.kind_of(c) == Stability::Stable
    }

    #[inline]
    fn kind(&self, byte: u8) -> Option<Stability> {
        self.ascii.get(usize::from(byte)).copied()
    }
}

impl Chunker for MetaspaceChunker {
    fn with_kernel(self, name: &str) -> Option<Self> {
        Some(Self { classifier: self.classifier.with_kernel(name)?, ..self })
    }

    fn kernel(&self) -> &'static str {
        self.classifier.name()
    }

    fn capabilities(&self) -> Capabilities {
        let is_one_word = self.is_one_word();
        Capabilities { drops_spaces: false, is_one_word, has_context: is_one_word, marks_first: self.only_first }
    }

    #[inline]
    fn fold(&self) -> Fold {
        Fold::Space(self.spaces())
    }

    /// A text that is one word begins otherwise than its chunks, if it does with what they may begin with.
    fn first(&self, text: &str) -> usize {
        let Some(OneWord { unspaced, .. }) = &self.text else { return 0 };
        let begins_alike = |c| unspaced.is_some() && c >= FIRST_UNSPACED;
        if !self.begins_with_space(text) && !text.starts_with(begins_alike) {
            return 0;
        }
        let mut places = text.char_indices().map(|(at, _)| at).skip(1);
        places
            .find(|&at| {
                self.divides_at(text.as_bytes(), at)
                    || unspaced.as_ref().is_some_and(|unspaced| unspaced.lies_at(text, at))
            })
            .unwrap_or(text.len())
    }

    #[inline]
    fn cut<E>(
        &self,
        text: &str,
        first: usize,
        _: bool,
        list: &mut ChunkList,
        take: impl FnMut(ChunkRanges<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        contiguous::cut(self, text, first, list, take)
    }

    /// A part of a text that is one word would begin with a sum of its own.
    fn may_cut(&self, text: &[u8], at: usize) -> bool {
        !self.is_one_word() && self.divides_at(text, at)
    }

    fn model_input<'a>(
        &self,
        chunk: &'a str,
        begins: bool,
        aligned: bool,
        buffer: &'a mut String,
    ) -> Option<ModelInput<'a>> {
        let more = self.write(chunk, begins, aligned, buffer)?;
        Some(ModelInput::Spaced(buffer, more))
    }

    fn splitter(&self, chunk: &str) -> Option<(&WordSplitter, bool)> {
        let OneWord { splitters: [after_space, elsewhere], .. } = self.text.as_ref()?;
        let begins_with_space = self.begins_with_space(chunk);
        Some((if begins_with_space { after_space } else { elsewhere }, begins_with_space))
    }

    /// Whether the places in all of a text may hang on how it begins: `tokenizers` loses count where rules remove its first
    /// characters.
    fn may_drift(&self, text: &str) -> bool {
        let stays = |c| self.is_stable(c) || c == ' ';
        !self.is_one_word() && !text.chars().next().is_none_or(stays)
    }
}

impl ContiguousChunks for MetaspaceChunker {
    #[inline]
    fn list(&self, text: &str, at: usize, list: &mut ChunkList) -> usize {
        let bytes = text.as_bytes();
        let rest = &bytes[at..];
        let (Masks { sets: [space, moving], high, inside }, length) = match rest.first_chunk::<BLOCK>() {
            Some(block) => (self.classifier.masks(block), BLOCK),
            None => {
                let mut block = [b'a'; BLOCK];
                block[..rest.len()].copy_from_slice(rest);
                (self.classifier.masks(&block), rest.len())
            }
        };
        let mut starts = space & !(space << 1) & !(moving << 1);
        // What stands before is not in the block, or is not ASCII; or something near may matter.
        let near =
            if self.looks_back > 1 { spread(high | moving) | ((2 << LONGEST_WINDOW) - 1) } else { high << 1 | 1 };
        let mut unsure = starts & near;
        while unsure != 0 {
            let place = unsure.trailing_zeros();
            if at + place as usize == 0 || !self.ends_stable(&bytes[..at + place as usize]) {
                starts &= !(1 << place);
            }
            unsure &= unsure - 1;
        }
        if high != 0
            && let Some(OneWord { unspaced: Some(unspaced), .. }) = &self.text
        {
            starts |= unspaced.find(text, at, high & !inside);
        }
        list.add_pieces(at, starts);
        if length == rest.len() {
            list.begin(bytes.len());
        }
        at + length
    }
}

/// What an ASCII character is, by rules and the characters that these change; see [`MetaspaceChunker::new`].
fn kind(byte: u8, rules: Option<(Rewrites<'_>, &CharSet)>, splits: bool, asked: Asked) -> Stability {
    let changing = rules.filter(|(_, changed)| changed.contains(char::from(byte)));
    let becomes_space = match changing {
        // A combining mark behind anything else would become a part of it.
        Some((rules, _)) => byte < b' ' && rules.makes_space(byte),
        None => byte == b' ' || splits && class(char::from(byte)).is_whitespace(),
    };
    if becomes_space && !rules.is_some_and(|(rules, _)| rules.joins(byte)) {
        return Stability::Separator;
    }
    // A line end of two characters may be taken for one.
    let may_change = (asked.not_blank || rules.is_some()) && !byte.is_ascii_graphic();
    if changing.is_some() || may_change { Stability::Unstable } else { Stability::Stable }
}

/// Returns the bytes after each of a set for which it may lie in the window.
fn spread(set: u64) -> u64 {
    (1..=LONGEST_WINDOW).fold(0, |spread, by| spread | set << by)
}
