//! Cuts texts before white space, for pipelines that write spaces as metaspaces.
//!
//! A *separator* is white space that becomes plain spaces. A text may be cut before a separator if the character before
//! it is *unchanged*: no normalizer changes it, and no entry of the model spans the cut. The first chunk of a text may get
//! a metaspace before it; all other chunks begin with white space, which becomes their metaspace.
//!
//! Either the pre-tokenizer splits before each metaspace, and the model encodes single words; or, as in SentencePiece,
//! the model encodes the text as one word. Then the model needs a space adjacency, and its context is carried from
//! chunk to chunk: see [`Context`](crate::model::Context).

use super::Program;
use super::unspaced::{Changeability, UnspacedBoundaryFinder};
use crate::fast::driver::{BlockPosition, Blocks};
use crate::fast::keys::KeyFold;
use crate::fast::masks::{BLOCK, BlockLoop, Classifier, Masks, below};
use crate::fast::plan::{CutPlan, ModelInput};
use crate::fast::text::last;
use crate::model::Model;
use crate::model::adjacency::FIRST_UNSPACED;
use crate::normalize::Precompiled;
use crate::normalize::locality::{ChangedCharacters, SpaceRuns, WordChanges};
use crate::settings::{METASPACE, METASPACE_TEXT, PrependScheme};
use crate::splitter::WordSplitter;
use crate::text::unicode::{CharSet, Class};

/// The properties of characters that a normalization form may change, or that control characters and marks have.
const MAY_CHANGE: Class = Class::COMBINING_MARK
    .union(Class::NONSPACING_MARK)
    .union(Class::CONTROL)
    .union(Class::MAY_CHANGE_NFKC)
    .union(Class::MAY_CHANGE_NFKD);

/// Cuts texts before separators.
#[derive(Debug, Clone)]
pub(in crate::fast) struct SpaceProgram {
    pub(super) classifier: Box<Classifier<2>>,
    /// Which ASCII characters may change.
    ascii: [Changeability; 128],
    /// The characters that rules may change, and the metaspace.
    may_change: CharSet,
    /// The number of bytes before a cut in which all characters must be unchanged.
    looks_back: usize,
    /// The properties of characters beyond ASCII that may change without a rule.
    changing: Class,
    /// Whether the model input of an unchanged word is known: the word itself, after a metaspace.
    is_plain: bool,
    /// Whether there are user-defined symbols, whose characters all have the same offset.
    has_symbols: bool,
    /// Whether white space in a row becomes one metaspace.
    collapses: bool,
    /// Whether white space is dropped first, so that a metaspace replaces nothing.
    drops_spaces: bool,
    /// Whether a metaspace is put before a text that begins with none.
    prefix: bool,
    /// Whether the model encodes the text as one word.
    is_one_word: bool,
    /// The boundaries in scripts without white space, if the text is one word.
    unspaced: Option<UnspacedBoundaryFinder>,
}

impl SpaceProgram {
    /// Returns the plan of a pipeline that writes spaces as metaspaces and does not split.
    ///
    /// The model must have a space adjacency.
    pub(in crate::fast) fn plan_of_text(splitter: &WordSplitter, model: &Model) -> Option<CutPlan> {
        let spaces = splitter.locality()?.metaspaces?;
        let unspaced = model.space_adjacency(METASPACE, spaces.symbols)?;
        let program = Self::new(spaces.rules, " ", Class::NONE)?;
        let is_separator = |byte| program.kind(byte) == Some(Changeability::Separator);
        if spaces.symbols.iter().flat_map(|symbol| symbol.bytes()).any(is_separator) {
            return None;
        }
        let later = spaces.chunk_normalizers()?.map(|normalizer| WordSplitter::new(Some(normalizer), None).ok());
        let [Some(after_space), Some(elsewhere)] = later else { return None };
        let unspaced =
            unspaced.map(|unspaced| UnspacedBoundaryFinder::new(unspaced, &program.may_change, &program.ascii));
        let program = Self {
            collapses: spaces.collapses,
            has_symbols: !spaces.symbols.is_empty(),
            prefix: spaces.prefix,
            is_one_word: true,
            unspaced,
            ..program
        };
        Some(CutPlan { later: Some(Box::new([after_space, elsewhere])), is_one_word: true, ..program.plan(None) })
    }

    /// Returns the plan of a pipeline that splits before metaspaces, if its normalizer reads no context across a space.
    ///
    /// For the parameters see [`Boundary::Metaspaces`](crate::pretokenize::boundary::Boundary::Metaspaces).
    pub(in crate::fast) fn plan_of_words(
        splitter: &WordSplitter,
        prepend: PrependScheme,
        drops_spaces: bool,
        splits_words: bool,
    ) -> Option<CutPlan> {
        let changes = match splitter.locality() {
            Some(locality) => locality.words?,
            None => WordChanges::default(),
        };
        let changing = match changes.changed {
            ChangedCharacters::All => MAY_CHANGE.union(Class::WHITESPACE),
            _ if drops_spaces || changes.strips_end || changes.joins_whitespace => Class::WHITESPACE,
            _ => Class::NONE,
        };
        let separators = match (drops_spaces, changes.joins_whitespace) {
            (true, _) => " \t\n\u{b}\u{c}\r",
            (false, true) => " \t\n\r",
            (false, false) => " ",
        };
        let keeps_words = changes.changed == ChangedCharacters::None && !splits_words;
        let program = Self {
            looks_back: changes.rules.map_or(1, |_| Precompiled::LONGEST_WINDOW),
            is_plain: keeps_words && (!drops_spaces || prepend == PrependScheme::Always),
            // If other white space is dropped, it separates the metaspaces of runs of spaces.
            collapses: changes.space_runs != if drops_spaces { SpaceRuns::Metaspace } else { SpaceRuns::Any },
            drops_spaces,
            prefix: prepend != PrependScheme::Never,
            ..Self::new(changes.rules, separators, changing)?
        };
        Some(program.plan(Some(prepend)))
    }

    /// Returns a program that cuts before separators; `None` if a plain space is not one.
    ///
    /// A separator is one of `separators` that the rules do not change, or a control character that becomes a space by them.
    fn new(rules: Option<&Precompiled>, separators: &str, changing: Class) -> Option<Self> {
        let rules = match rules {
            Some(rules) => Some((rules, rules.changed_characters()?)),
            None => None,
        };
        let ascii: [Changeability; 128] =
            std::array::from_fn(|byte| kind(u8::try_from(byte).unwrap_or_default(), rules, separators, changing));
        let classifier = Classifier::new(std::array::from_fn(|byte| ascii.get(byte).map_or(0, |&kind| kind as u8)));
        let mut may_change = rules.map(|(_, changed)| changed.clone()).unwrap_or_default();
        may_change.insert(METASPACE);
        let program = Self {
            classifier,
            ascii,
            may_change,
            looks_back: 1,
            changing,
            is_plain: true,
            has_symbols: false,
            collapses: false,
            drops_spaces: false,
            prefix: false,
            is_one_word: false,
            unspaced: None,
        };
        // The rules may map a space to something else.
        (program.kind(b' ') == Some(Changeability::Separator)).then_some(program)
    }

    fn plan(self, prepend: Option<PrependScheme>) -> CutPlan {
        let spaces = (0..32).filter(|&byte| self.ascii[byte] == Changeability::Separator);
        let fold = KeyFold::Space(spaces.fold(0, |spaces, byte| spaces | 1 << byte));
        CutPlan { fold, prepend, ..CutPlan::new(Program::Spaces(Box::new(self))) }
    }

    /// Returns whether a text begins with a separator.
    pub(in crate::fast) fn begins_with_space(&self, text: &str) -> bool {
        text.bytes().next().is_some_and(|byte| self.kind(byte) == Some(Changeability::Separator))
    }

    /// Returns whether the first chunk of a text is encoded unlike an equal one in the text.
    ///
    /// A text that is one word gets a metaspace before it. So a first chunk that begins with white space or with an
    /// unspaced script is encoded unlike an equal chunk in the text. A text that does not begin gets no metaspace, unlike
    /// an equal chunk at the beginning. If its first character may shift all offsets, it is not cached either.
    pub(super) fn differs_first(&self, text: &str, begins: bool) -> bool {
        let begins_with_space = self.begins_with_space(text);
        let is_unspaced = |c| self.unspaced.is_some() && c >= FIRST_UNSPACED;
        let differs = match begins {
            true => self.is_one_word && (begins_with_space || text.starts_with(is_unspaced)),
            false => self.prefix && !begins_with_space,
        };
        differs || self.may_shift_offsets(text)
    }

    /// Returns whether the first character of a text may shift the offsets of all its tokens.
    ///
    /// `tokenizers` shifts all offsets if the rules remove a text's first characters.
    pub(in crate::fast) fn may_shift_offsets(&self, text: &str) -> bool {
        let stays = |c| self.is_unchanged(c) || c == ' ';
        !self.is_one_word && !text.chars().next().is_none_or(stays)
    }

    /// Returns whether both parts of a text can be encoded separately: not if it is one word, because the running score
    /// would restart in each part.
    pub(super) fn is_safe_split_point(&self, text: &[u8], at: usize) -> bool {
        !self.is_one_word && self.begins_chunk(text, at)
    }

    pub(super) fn is_token_boundary(&self, text: &str, at: usize) -> bool {
        let lies_at = |unspaced: &UnspacedBoundaryFinder| unspaced.lies_at(text, at);
        self.begins_chunk(text.as_bytes(), at) || self.unspaced.as_ref().is_some_and(lies_at)
    }

    /// Returns whether a chunk begins at a byte other than the first: a separator after an unchanged character.
    fn begins_chunk(&self, text: &[u8], at: usize) -> bool {
        self.kind(text[at]) == Some(Changeability::Separator) && self.ends_unchanged(&text[..at])
    }

    /// Returns the model input of a chunk, if it is one word in which only the metaspace changes.
    ///
    /// `None` also if the metaspace of an `aligned` chunk is not longer than the replaced text by a known number of bytes.
    pub(in crate::fast) fn model_input<'a>(
        &self,
        chunk: &str,
        begins: bool,
        aligned: bool,
        buffer: &'a mut String,
    ) -> Option<ModelInput<'a>> {
        let is_space = |byte: &u8| self.kind(*byte) == Some(Changeability::Separator);
        let spaces = chunk.bytes().take_while(|byte| is_space(byte)).count();
        let has_metaspace = match spaces {
            0 => self.prefix && begins && !aligned,
            1 => !(begins && self.is_one_word || self.drops_spaces && aligned),
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
        Some(ModelInput::LeadingMetaspace(buffer, if has_metaspace { 2 } else { 0 }))
    }

    /// Returns whether all characters of a text are unchanged.
    fn is_stable_text(&self, word: &str) -> bool {
        // Most words are ASCII, and testing bytes is faster than decoding characters.
        word.bytes().all(|byte| self.kind(byte) == Some(Changeability::Unchanged))
            || word.chars().all(|c| self.is_unchanged(c))
    }

    /// Returns whether the text before a cut is independent of the text after it.
    #[inline]
    fn ends_unchanged(&self, before: &[u8]) -> bool {
        let mut rest = before;
        while let Some(&byte) = rest.last() {
            let c = if byte.is_ascii() { Some(char::from(byte)) } else { last(rest) };
            let is_space = self.kind(byte) == Some(Changeability::Separator) && rest.len() < before.len();
            if is_space || rest.len() + self.looks_back <= before.len() {
                return true;
            }
            let Some(c) = c.filter(|&c| self.is_unchanged(c)) else { return false };
            rest = &rest[..rest.len() - c.len_utf8()];
        }
        !before.is_empty()
    }

    /// Returns whether a character may change.
    #[inline]
    fn kind_of(&self, c: char) -> Changeability {
        match self.ascii.get(c as usize) {
            Some(&kind) => kind,
            None if self.may_change(c) => Changeability::MayChange,
            None => Changeability::Unchanged,
        }
    }

    /// Returns whether a character beyond ASCII may change, or is the metaspace.
    #[inline]
    fn may_change(&self, c: char) -> bool {
        self.may_change.contains(c) || self.changing != Class::NONE && self.changing.contains(c)
    }

    #[inline]
    fn is_unchanged(&self, c: char) -> bool {
        self.kind_of(c) == Changeability::Unchanged
    }

    #[inline]
    fn kind(&self, byte: u8) -> Option<Changeability> {
        self.ascii.get(usize::from(byte)).copied()
    }
}

impl BlockLoop<2> for Blocks<'_, '_, SpaceProgram> {
    type Output = BlockPosition;

    #[inline(always)]
    fn run(self, masks: impl Fn(&[u8; BLOCK]) -> Masks<2> + Copy) -> BlockPosition {
        let Self { program, text, .. } = self;
        self.each_block(
            masks,
            |BlockPosition { at, .. }, (Masks { sets: [space, may_change], high, inside }, length), listing| {
                let bytes = text.as_bytes();
                let (space, may_change) = (space & below(length), may_change & below(length));
                let mut starts = space & !(space << 1) & !(may_change << 1) & !listing.list.begins_at(at);
                // These starts need the slow test: the character before is in another block or not ASCII, or the window of a
                // rule may matter.
                let near = if program.looks_back > 1 {
                    within_window(high | may_change) | ((2 << Precompiled::LONGEST_WINDOW) - 1)
                } else {
                    high << 1 | 1
                };
                let mut unsure = starts & near;
                while unsure != 0 {
                    let place = unsure.trailing_zeros();
                    if !program.ends_unchanged(&bytes[..at + place as usize]) {
                        starts &= !(1 << place);
                    }
                    unsure &= unsure - 1;
                }
                if high != 0
                    && let Some(unspaced) = &program.unspaced
                {
                    starts |= unspaced.find(text, at, high & !inside) & !listing.list.begins_at(at);
                }
                listing.list.add_contiguous(at, starts);
                BlockPosition::at(at + length)
            },
        )
    }
}

/// Returns whether an ASCII character may change, by the rules and the characters that these change; see
/// [`SpaceProgram::new`].
fn kind(byte: u8, rules: Option<(&Precompiled, &CharSet)>, separators: &str, changing: Class) -> Changeability {
    let rewriting = rules.filter(|(_, changed)| changed.contains(char::from(byte)));
    let becomes_space = match rewriting {
        // Only a control character is safe: any other character and a combining mark after it are rewritten together.
        Some((rules, _)) => byte < b' ' && rules.becomes(byte, " "),
        None => separators.contains(char::from(byte)),
    };
    if becomes_space && !rules.is_some_and(|(rules, _)| rules.joins(byte)) {
        return Changeability::Separator;
    }
    // A rule may replace a line end of two characters as a whole.
    let may_change = (changing != Class::NONE || rules.is_some()) && !byte.is_ascii_graphic();
    if rewriting.is_some() || may_change { Changeability::MayChange } else { Changeability::Unchanged }
}

/// Returns the positions that follow a byte of the set by at most [`Precompiled::LONGEST_WINDOW`] bytes.
fn within_window(set: u64) -> u64 {
    (1..=Precompiled::LONGEST_WINDOW).fold(0, |spread, by| spread | set << by)
}
