//! From text to words with the white space before them, for pipelines that write spaces as a mark before each word.
//!
//! White space that becomes plain spaces *divides*. A text may be cut where it begins, if what stands before is *steady*: a character
//! that stays as it is, so that no normalizer and no piece has to do with both sides. The first chunk of a text begins as the text
//! does, and may get a mark of its own; all others begin with white space, and so with a mark.
//!
//! Either the pre-tokenizer splits before each mark, and all models see single words; or, as in SentencePiece, the text is one word to
//! the model. Then no piece may hold a mark behind something else, and the scores are added up from word to word: see
//! [`crate::model::context`].

use super::adjacency::{MARK, is_mark};
use super::chunker::{Capabilities, Chunker, ModelInput};
use super::contiguous::{self, ContiguousChunks};
use super::keys::Fold;
use super::list::{ChunkList, ChunkRanges};
use super::masks::{BLOCK, Classifier, Masks};
use super::stability::Stability;
use super::text::last;
use super::unspaced::UnspacedBoundaries;
use crate::model::Model;
use crate::model::adjacency::{FIRST_UNSPACED, UnspacedAdjacency};
use crate::normalize::{LONG_CLUSTER, Normalizer, Precompiled, SPACE, SentencePiece, SentencePieceSettings, Strip};
use crate::pretokenize::PreTokenizer;
use crate::settings::{Metaspace, PrependScheme};
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
    /// The way of a pipeline that normalizes as SentencePiece does, and whose model sees the text as one word.
    pub(super) fn of_text(splitter: &WordSplitter, model: &Model) -> Option<Self> {
        if splitter.pre_tokenizer().is_some() {
            return None;
        }
        let steps: Vec<_> = splitter.normalizer()?.steps().collect();
        let (later, prefix) = match &steps[..] {
            [Normalizer::SentencePiece(normalizer)] => {
                return Self::of_sentencepiece(normalizer.settings(), model);
            }
            [replace] if is_mark(replace) => (*replace, false),
            [Normalizer::Prepend(prefix), replace] if is_mark(replace) && prefix == SPACE => (*replace, true),
            _ => return None,
        };
        let later = WordSplitter::new(Some(later.clone()), None).ok()?;
        let spaced = Self::new(None, false, Asked::default())?;
        let unspaced = model.space_adjacency(MARK, &[])?.unspaced;
        let text = OneWord { splitters: [later.clone(), later], unspaced: spaced.unspaced(unspaced) };
        Some(Self { prefix, text: Some(text), ..spaced })
    }

    fn of_sentencepiece(settings: &SentencePieceSettings, model: &Model) -> Option<Self> {
        if !settings.escape_whitespaces || settings.treat_whitespace_as_suffix {
            return None;
        }
        let spaced = Self::new(settings.rules.as_ref(), false, Asked::default())?;
        let symbols = &settings.user_defined_symbols;
        if symbols.iter().flat_map(|symbol| symbol.bytes()).any(|byte| spaced.kind(byte) == Some(Stability::Separator))
        {
            return None;
        }
        let joins = settings.remove_extra_whitespaces;
        // Where white space is removed from the front, the mark for it is put there again.
        let later = |add_dummy_prefix| {
            let settings = SentencePieceSettings { add_dummy_prefix, ..settings.clone() };
            WordSplitter::new(Some(Normalizer::SentencePiece(SentencePiece::new(settings).ok()?)), None).ok()
        };
        let unspaced = model.space_adjacency(MARK, symbols)?.unspaced;
        let text = OneWord { splitters: [later(joins)?, later(false)?], unspaced: spaced.unspaced(unspaced) };
        let (has_symbols, prefix) = (!symbols.is_empty(), settings.add_dummy_prefix);
        Some(Self { joins, has_symbols, prefix, text: Some(text), ..spaced })
    }

    /// The way of a pipeline that splits before marks.
    pub(super) fn of_words(splitter: &WordSplitter) -> Option<Self> {
        let steps: Vec<_> = splitter.pre_tokenizer()?.steps().collect();
        let (metaspace, splits) = match &steps[..] {
            [PreTokenizer::Metaspace(metaspace)] => (metaspace, false),
            [PreTokenizer::WhitespaceSplit, PreTokenizer::Metaspace(metaspace)] => (metaspace, true),
            _ => return None,
        };
        let Metaspace { replacement: MARK, prepend_scheme, split: true } = *metaspace else { return None };
        let BeforeMarks { rules, asked, is_plain, joins, .. } = BeforeMarks::of(splitter.normalizer(), splits)?;
        // The rules take clusters of fewer bytes as a whole, however they begin.
        let looks_back = if rules.is_some() { LONG_CLUSTER - 1 } else { 1 };
        Some(Self {
            is_plain: is_plain && (!splits || prepend_scheme == PrependScheme::Always),
            joins,
            drops: splits,
            looks_back,
            prefix: prepend_scheme != PrependScheme::Never,
            only_first: prepend_scheme == PrependScheme::First,
            ..Self::new(rules, splits, asked)?
        })
    }

    /// Cuts where characters stand that become a space by the rules or, if it `splits`, are white space; `None` if that is not enough
    /// to tell.
    fn new(rules: Option<&Precompiled>, splits: bool, asked: Asked) -> Option<Self> {
        let rules = match rules {
            Some(rules) => Some((rules, rules.active()?)),
            None => None,
        };
        let ascii: [Stability; 128] =
            std::array::from_fn(|byte| kind(u8::try_from(byte).unwrap_or_default(), rules, splits, asked));
        let classifier = Classifier::new(std::array::from_fn(|byte| ascii.get(byte).map_or(0, |&kind| kind as u8)));
        let mut moving = rules.map(|(_, active)| active.clone()).unwrap_or_default();
        moving.insert(MARK);
        let spaced = Self {
            classifier,
            ascii,
            moving,
            looks_back: 1,
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

    /// Returns where a text of unspaced scripts may be cut, if the model says so.
    fn unspaced(&self, adjacency: Option<UnspacedAdjacency>) -> Option<UnspacedBoundaries> {
        Some(UnspacedBoundaries::new(adjacency?, &self.moving, &self.ascii))
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
        room.push_str(if has_mark { SPACE } else { "" });
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
        let near = if self.looks_back > 1 { spread(high | moving) | ((1 << LONG_CLUSTER) - 1) } else { high << 1 | 1 };
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

/// What normalizers do to a text before marks are put.
struct BeforeMarks<'a> {
    rules: Option<&'a Precompiled>,
    /// See [`MetaspaceChunker`].
    asked: Asked,
    is_plain: bool,
    joins: bool,
    /// Whether words are split at white space then.
    splits: bool,
}

impl<'a> BeforeMarks<'a> {
    /// `None` if they may do what is not known here.
    fn of(normalizer: Option<&'a Normalizer>, splits: bool) -> Option<Self> {
        let asked = Asked { not_blank: splits, inert: false };
        let mut all = Self { rules: None, asked, is_plain: true, joins: splits, splits };
        normalizer.into_iter().flat_map(Normalizer::steps).try_for_each(|step| all.add(step))?;
        Some(all)
    }

    fn add(&mut self, step: &'a Normalizer) -> Option<()> {
        let is_word = |text: &str| text.bytes().all(|byte| byte.is_ascii_graphic());
        match step {
            Normalizer::Precompiled(rules) if self.rules.is_none() => self.rules = Some(rules),
            Normalizer::Strip(Strip { left: false, .. }) => self.asked.not_blank = true,
            // A mark is no white space, so it would go with the word before.
            Normalizer::Replace { pattern, content }
                if pattern.is_regex()
                    && pattern.source() == " {2,}"
                    && (content == " " || content == SPACE && !self.splits) =>
            {
                self.joins = true;
            }
            Normalizer::Replace { pattern, content }
                if !pattern.is_regex() && is_word(pattern.source()) && is_word(content) =>
            {
                self.is_plain = false;
            }
            Normalizer::Form(_) | Normalizer::Lowercase | Normalizer::StripAccents => {
                (self.is_plain, self.asked) = (false, Asked { not_blank: true, inert: true });
            }
            _ => return None,
        }
        Some(())
    }
}

/// What an ASCII character is, by rules and the characters that these change; see [`MetaspaceChunker::new`].
fn kind(byte: u8, rules: Option<(&Precompiled, &CharSet)>, splits: bool, asked: Asked) -> Stability {
    let changing = rules.filter(|(_, active)| active.contains(char::from(byte)));
    let becomes_space = match changing {
        // A mark behind anything else would become a part of it.
        Some((rules, _)) => byte < b' ' && rules.becomes(byte, " "),
        None => byte == b' ' || splits && class(char::from(byte)).is_whitespace(),
    };
    if becomes_space && !rules.is_some_and(|(rules, _)| rules.joins(byte)) {
        return Stability::Separator;
    }
    // A line end of two characters may be taken for one.
    let may_change = (asked.not_blank || rules.is_some()) && !byte.is_ascii_graphic();
    if changing.is_some() || may_change { Stability::Unstable } else { Stability::Stable }
}

/// The five bytes behind each of a set.
fn spread(set: u64) -> u64 {
    (1..LONG_CLUSTER).fold(0, |spread, by| spread | set << by)
}
