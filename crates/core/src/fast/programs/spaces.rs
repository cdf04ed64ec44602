//! Cuts texts before white space, for pipelines that write spaces as metaspaces.
//!
//! A *separator* is white space that becomes plain spaces. A text may be cut before a separator if the character before
//! it is *stable*: no normalizer changes it, and no entry of the model spans the cut. The first chunk of a text may get
//! a metaspace before it; all other chunks begin with white space, which becomes their metaspace.
//!
//! Either the pre-tokenizer splits before each metaspace, and the model encodes single words; or, as in SentencePiece,
//! the model encodes the text as one word. Then the model needs a space adjacency, and its context is carried from
//! chunk to chunk: see [`crate::model::context`].

use super::stability::Stability;
use super::unspaced::UnspacedBoundaries;
use crate::fast::chunker::{Capabilities, Chunker, ModelInput, PrefixedTexts};
use crate::fast::contiguous::{self, ContiguousChunks};
use crate::fast::keys::Fold;
use crate::fast::list::{BLOCKS, ChunkList, ChunkRanges};
use crate::fast::masks::{BLOCK, BlockLoop, Classifier, Masks, below, first_block};
use crate::fast::text::last;
use crate::model::Model;
use crate::model::adjacency::FIRST_UNSPACED;
use crate::normalize::locality::{ChangedCharacters, LONGEST_WINDOW, Rewrites, SpaceRuns, WordChanges};
use crate::pretokenize::boundary::Boundary;
use crate::settings::{METASPACE, METASPACE_TEXT, PrependScheme};
use crate::splitter::WordSplitter;
use crate::text::unicode::{CharSet, Class, class};

/// Cuts texts before separators.
#[derive(Debug, Clone)]
pub(in crate::fast) struct MetaspaceChunker {
    classifier: Classifier<2>,
    /// The stability of ASCII characters.
    ascii: [Stability; 128],
    /// The characters that rules may change, and the metaspace.
    unstable: CharSet,
    /// The number of bytes before a cut in which all characters must be stable.
    looks_back: usize,
    /// The requirements for characters beyond ASCII.
    required: Requirements,
    /// Whether the model input of a stable word is known: the word itself, after a metaspace.
    is_plain: bool,
    /// Whether there are user-defined symbols, whose characters all have the same offset.
    has_symbols: bool,
    /// Whether white space in a row becomes one metaspace.
    collapses: bool,
    /// Whether white space is dropped first, so that a metaspace replaces nothing.
    drops_spaces: bool,
    /// Whether a metaspace is put before a text that begins with none; `only_first`: only at the beginning of the
    /// input.
    prefix: bool,
    only_first: bool,
    /// The splitters and boundaries, if the model encodes the text as one word.
    text: Option<OneWord>,
}

/// The splitters and boundaries of a pipeline whose model encodes a text as one word.
#[derive(Debug, Clone)]
struct OneWord {
    /// The splitters of chunks that begin with white space, and of those that do not.
    ///
    /// The first chunk of a text is split by the tokenizer's splitter.
    splitters: [WordSplitter; 2],
    /// The boundaries in scripts without white space.
    unspaced: Option<UnspacedBoundaries>,
}

/// The requirements for stable characters that are not ASCII, besides that no rule changes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Requirements {
    /// Whether they must not be white space.
    not_blank: bool,
    /// Whether no normalization form may change them.
    inert: bool,
}

impl Requirements {
    /// Returns whether a character of that class violates a requirement.
    ///
    /// Not inlined: most pipelines have no requirements, and their loops skip this call.
    #[inline(never)]
    fn rejects(self, class: Class) -> bool {
        const CHANGES: Class = Class::COMBINING_MARK.union(Class::NONSPACING_MARK).union(Class::CONTROL);
        self.not_blank && class.is_whitespace()
            || self.inert && (class.intersects(CHANGES) || !class.is_inert_nfkc() || !class.is_inert_nfkd())
    }
}

impl MetaspaceChunker {
    /// Returns the chunker of a pipeline that writes spaces as metaspaces and does not split.
    ///
    /// The model must have a space adjacency.
    pub(in crate::fast) fn of_text(splitter: &WordSplitter, model: &Model) -> Option<Self> {
        if splitter.boundary().is_some() {
            return None;
        }
        let spaces = splitter.locality()?.metaspaces?;
        let unspaced = model.space_adjacency(METASPACE, spaces.symbols)?.unspaced;
        let chunker = Self::new(spaces.rules, " ", Requirements::default())?;
        let is_separator = |byte| chunker.kind(byte) == Some(Stability::Separator);
        if spaces.symbols.iter().flat_map(|symbol| symbol.bytes()).any(is_separator) {
            return None;
        }
        let [after_space, elsewhere] =
            spaces.chunk_normalizers()?.map(|normalizer| WordSplitter::new(Some(normalizer), None).ok());
        let unspaced = unspaced.map(|unspaced| UnspacedBoundaries::new(unspaced, &chunker.unstable, &chunker.ascii));
        Some(Self {
            collapses: spaces.collapses,
            has_symbols: !spaces.symbols.is_empty(),
            prefix: spaces.prefix,
            text: Some(OneWord { splitters: [after_space?, elsewhere?], unspaced }),
            ..chunker
        })
    }

    /// Returns the chunker of a pipeline that splits before metaspaces, if its normalizer reads no context across a
    /// space.
    pub(in crate::fast) fn of_words(splitter: &WordSplitter) -> Option<Self> {
        let Boundary::Metaspaces { prepend, drops_spaces, splits_words } = splitter.boundary()? else { return None };
        let changes = match splitter.locality() {
            Some(locality) => locality.words?,
            None => WordChanges::default(),
        };
        let inert = changes.changed == ChangedCharacters::All;
        let not_blank = drops_spaces || changes.strips_end || changes.joins_whitespace || inert;
        let required = Requirements { not_blank, inert };
        let separators = match (drops_spaces, changes.joins_whitespace) {
            (true, _) => " \t\n\u{b}\u{c}\r",
            (false, true) => " \t\n\r",
            (false, false) => " ",
        };
        let keeps_words = changes.changed == ChangedCharacters::None && !splits_words;
        Some(Self {
            is_plain: keeps_words && (!drops_spaces || prepend == PrependScheme::Always),
            // If other white space is dropped, it separates the metaspaces of runs of spaces.
            collapses: changes.space_runs != if drops_spaces { SpaceRuns::Metaspace } else { SpaceRuns::Any },
            drops_spaces,
            prefix: prepend != PrependScheme::Never,
            only_first: prepend == PrependScheme::First,
            ..Self::new(changes.rules, separators, required)?
        })
    }

    /// Returns a chunker that cuts before separators; `None` if a plain space is not one.
    ///
    /// A separator is one of `separators` that the rules do not change, or a control character that becomes a space by them.
    fn new(rules: Option<Rewrites<'_>>, separators: &str, required: Requirements) -> Option<Self> {
        let rules = match rules {
            Some(rules) => Some((rules, rules.changed()?)),
            None => None,
        };
        let ascii: [Stability; 128] =
            std::array::from_fn(|byte| kind(u8::try_from(byte).unwrap_or_default(), rules, separators, required));
        let classifier = Classifier::new(std::array::from_fn(|byte| ascii.get(byte).map_or(0, |&kind| kind as u8)));
        let mut unstable = rules.map(|(_, changed)| changed.clone()).unwrap_or_default();
        unstable.insert(METASPACE);
        let chunker = Self {
            classifier,
            ascii,
            unstable,
            looks_back: rules.map_or(1, |(rules, _)| rules.window),
            required,
            is_plain: true,
            has_symbols: false,
            collapses: false,
            drops_spaces: false,
            prefix: false,
            only_first: false,
            text: None,
        };
        // The rules may map a space to something else.
        (chunker.kind(b' ') == Some(Stability::Separator)).then_some(chunker)
    }

    /// Returns whether the model encodes the text as one word.
    fn is_one_word(&self) -> bool {
        self.text.is_some()
    }

    /// Returns whether a text begins with a separator.
    fn begins_with_space(&self, text: &str) -> bool {
        text.bytes().next().is_some_and(|byte| self.kind(byte) == Some(Stability::Separator))
    }

    /// Returns the control characters that are separators, a bit each.
    fn spaces(&self) -> u32 {
        (0..32).filter(|&byte| self.ascii[byte] == Stability::Separator).fold(0, |spaces, byte| spaces | 1 << byte)
    }

    /// Returns whether a chunk begins at a byte other than the first: a separator after a stable character.
    fn begins_chunk(&self, text: &[u8], at: usize) -> bool {
        self.kind(text[at]) == Some(Stability::Separator) && self.ends_stable(&text[..at])
    }

    /// Writes a chunk as model input, if it is one word in which only the metaspace changes.
    ///
    /// Returns the number of bytes by which the metaspace is longer than the replaced text. `None` also if an `aligned`
    /// chunk has no such number.
    fn write(&self, chunk: &str, begins: bool, aligned: bool, buffer: &mut String) -> Option<u32> {
        let is_space = |byte: &u8| self.kind(*byte) == Some(Stability::Separator);
        let spaces = chunk.bytes().take_while(|byte| is_space(byte)).count();
        let has_metaspace = match spaces {
            0 => self.prefix && begins && !aligned,
            1 => !(begins && self.is_one_word() || self.drops_spaces && aligned),
            _ => self.collapses && !aligned && !begins,
        };
        if !self.is_plain || aligned && self.has_symbols || !has_metaspace && (spaces > 0 || self.prefix && begins) {
            return None;
        }
        let word = &chunk[spaces..];
        if word.is_empty() || !self.is_stable_text(word) {
            return None;
        }
        buffer.clear();
        buffer.push_str(if has_metaspace { METASPACE_TEXT } else { "" });
        buffer.push_str(word);
        Some(if has_metaspace { 2 } else { 0 })
    }

    /// Returns whether all characters of a text are stable.
    fn is_stable_text(&self, word: &str) -> bool {
        // Most words are ASCII, and testing bytes is faster than decoding characters.
        word.bytes().all(|byte| self.kind(byte) == Some(Stability::Stable)) || word.chars().all(|c| self.is_stable(c))
    }

    /// Returns whether the text before a cut is independent of the text after it.
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

    /// Returns the stability of a character.
    #[inline]
    fn kind_of(&self, c: char) -> Stability {
        match self.ascii.get(c as usize) {
            Some(&kind) => kind,
            None if self.is_unstable(c) => Stability::Unstable,
            None => Stability::Stable,
        }
    }

    /// Returns whether a character beyond ASCII may change, or is the metaspace.
    #[inline]
    fn is_unstable(&self, c: char) -> bool {
        self.unstable.contains(c) || self.required != Requirements::default() && self.required.rejects(class(c))
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
        Capabilities {
            is_one_word,
            has_context: is_one_word,
            prefixed: match (is_one_word, self.only_first) {
                (true, _) => PrefixedTexts::Normalized,
                (false, true) => PrefixedTexts::First,
                (false, false) => PrefixedTexts::All,
            },
            ..Capabilities::default()
        }
    }

    #[inline]
    fn fold(&self) -> Fold {
        Fold::Space(self.spaces())
    }

    /// Returns the end of the first chunk if it is encoded unlike all other chunks, else 0.
    ///
    /// A text that is one word gets a metaspace before it. So a first chunk that begins with white space or with an
    /// unspaced script is encoded unlike an equal chunk in the text. A text that does not begin gets no metaspace, unlike
    /// an equal chunk at the beginning. If its first character may shift all offsets, it is not cached either.
    fn first(&self, text: &str, begins: bool) -> usize {
        let unspaced = self.text.as_ref().and_then(|text| text.unspaced.as_ref());
        let is_unspaced = |c| unspaced.is_some() && c >= FIRST_UNSPACED;
        let begins_with_space = self.begins_with_space(text);
        let is_other = match begins {
            true => self.is_one_word() && (begins_with_space || text.starts_with(is_unspaced)),
            false => self.prefix && !begins_with_space,
        };
        if !is_other && !self.may_shift_offsets(text) {
            return 0;
        }
        let mut places = text.char_indices().map(|(at, _)| at).skip(1);
        places
            .find(|&at| {
                self.begins_chunk(text.as_bytes(), at) || unspaced.is_some_and(|unspaced| unspaced.lies_at(text, at))
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

    /// Returns false for a text that is one word, because the running score would restart in each part.
    fn is_safe_split_point(&self, text: &[u8], at: usize) -> bool {
        !self.is_one_word() && self.begins_chunk(text, at)
    }

    fn is_token_boundary(&self, text: &str, at: usize) -> bool {
        let unspaced = self.text.as_ref().and_then(|text| text.unspaced.as_ref());
        self.begins_chunk(text.as_bytes(), at) || unspaced.is_some_and(|unspaced| unspaced.lies_at(text, at))
    }

    fn model_input<'a>(
        &self,
        chunk: &'a str,
        begins: bool,
        aligned: bool,
        buffer: &'a mut String,
    ) -> Option<ModelInput<'a>> {
        let more = self.write(chunk, begins, aligned, buffer)?;
        Some(ModelInput::LeadingMetaspace(buffer, more))
    }

    fn splitter(&self, chunk: &str) -> Option<(&WordSplitter, bool)> {
        let OneWord { splitters: [after_space, elsewhere], .. } = self.text.as_ref()?;
        let begins_with_space = self.begins_with_space(chunk);
        Some((if begins_with_space { after_space } else { elsewhere }, begins_with_space))
    }

    /// Returns whether the first character of a text may shift the offsets of all its tokens.
    ///
    /// `tokenizers` shifts all offsets if the rules remove a text's first characters.
    fn may_shift_offsets(&self, text: &str) -> bool {
        let stays = |c| self.is_stable(c) || c == ' ';
        !self.is_one_word() && !text.chars().next().is_none_or(stays)
    }
}

impl ContiguousChunks for MetaspaceChunker {
    #[inline]
    fn list(&self, text: &str, at: usize, list: &mut ChunkList) -> usize {
        self.classifier.run(Blocks { chunker: self, text, at, list })
    }
}

/// Some blocks of a text, whose chunks are listed.
struct Blocks<'a> {
    chunker: &'a MetaspaceChunker,
    text: &'a str,
    at: usize,
    list: &'a mut ChunkList,
}

impl BlockLoop<2> for Blocks<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self, masks: impl Fn(&[u8; BLOCK]) -> Masks<2>) -> usize {
        let mut at = self.at;
        for _ in 0..BLOCKS {
            at = self.chunker.block(self.text, at, &masks, self.list);
            if at == self.text.len() {
                break;
            }
        }
        at
    }
}

impl MetaspaceChunker {
    /// Lists the starts of chunks in the block that begins at byte `at`; returns its end.
    #[inline(always)]
    fn block(&self, text: &str, at: usize, masks: impl Fn(&[u8; BLOCK]) -> Masks<2>, list: &mut ChunkList) -> usize {
        let bytes = text.as_bytes();
        let rest = &bytes[at..];
        let (Masks { sets: [space, unstable], high, inside }, length) = first_block(rest, &masks);
        let (space, unstable) = (space & below(length), unstable & below(length));
        let mut starts = space & !(space << 1) & !(unstable << 1);
        // These starts need the slow test: the character before is in another block or not ASCII, or the window of a
        // rule may matter.
        let near =
            if self.looks_back > 1 { spread(high | unstable) | ((2 << LONGEST_WINDOW) - 1) } else { high << 1 | 1 };
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
        list.add_contiguous(at, starts);
        if length == rest.len() {
            list.begin(bytes.len());
        }
        at + length
    }
}

/// Returns the stability of an ASCII character, by the rules and the characters that these change; see
/// [`MetaspaceChunker::new`].
fn kind(byte: u8, rules: Option<(Rewrites<'_>, &CharSet)>, separators: &str, required: Requirements) -> Stability {
    let changing = rules.filter(|(_, changed)| changed.contains(char::from(byte)));
    let becomes_space = match changing {
        // Only a control character is safe: any other character and a combining mark after it are rewritten together.
        Some((rules, _)) => byte < b' ' && rules.makes_space(byte),
        None => separators.contains(char::from(byte)),
    };
    if becomes_space && !rules.is_some_and(|(rules, _)| rules.joins(byte)) {
        return Stability::Separator;
    }
    // A rule may replace a line end of two characters as a whole.
    let may_change = (required.not_blank || rules.is_some()) && !byte.is_ascii_graphic();
    if changing.is_some() || may_change { Stability::Unstable } else { Stability::Stable }
}

/// Returns the positions that follow a byte of the set by at most [`LONGEST_WINDOW`] bytes.
fn spread(set: u64) -> u64 {
    (1..=LONGEST_WINDOW).fold(0, |spread, by| spread | set << by)
}
