//! The plan: how texts are cut into chunks, and what is known of the chunks, decided once for a tokenizer.
//!
//! A *chunk* is a part of a text that can be encoded by itself: its tokens do not depend on its context. The stages state
//! what they guarantee (the [`Locality`](crate::normalize::locality::Locality) of a normalizer, the [`Boundary`] of a
//! pre-tokenizer, the adjacency of a model). It is read when a plan is made, here and in the constructors of programs: the
//! plan has the [`Program`] that says where chunks begin, and data for all others.

use super::keys::KeyFold;
use super::masks::Kernel;
use super::programs::Program;
use super::programs::adjacency::AdjacencyProgram;
use super::programs::characters::CharacterProgram;
use super::programs::spaces::SpaceProgram;
use super::programs::words::WordProgram;
use crate::model::Model;
use crate::normalize::Strip;
use crate::pretokenize::boundary::Boundary;
use crate::settings::PrependScheme;
use crate::splitter::WordSplitter;
use crate::stop::Work;
use crate::text::span::Span;
use crate::vocab::AllowedEntries;

/// How the texts of one tokenizer are cut into chunks.
#[derive(Debug, Clone)]
pub(crate) struct CutPlan {
    /// Where chunks begin.
    pub(super) program: Program,
    /// The instructions for which the loops over texts are compiled.
    pub(super) kernel: Kernel,
    /// The chunks that share a cache key, because their tokens are equal.
    pub(super) fold: KeyFold,
    /// Whether text that is in no chunk may be between chunks.
    pub(super) has_gaps: bool,
    /// The splitters of chunks behind the first: of those that begin with white space, which becomes a metaspace, and of
    /// others. `None` if the program or the splitter of the text splits them.
    pub(super) later: Option<Box<[WordSplitter; 2]>>,
    /// Whether the lines of a block can be counted in one call: without their ends, and with them.
    pub(super) counts_lines: [bool; 2],
    /// Whether white space is part of no token.
    pub(crate) drops_spaces: bool,
    /// Whether the model encodes all chunks of a text as one word.
    pub(crate) is_one_word: bool,
    /// Whether the model may encode a chunk in parts: a chunk is one word, whose bytes are those of the text.
    pub(super) may_cut_words: bool,
    /// The texts between added tokens that the pre-tokenizer puts a metaspace or space before; `None` if the normalizer does
    /// so, before each text that it normalizes (which a text behind a token of normalized text does not begin).
    pub(super) prepend: Option<PrependScheme>,
    /// The strip with which the normalizer begins, and the splitter without it, if it strips the start of a text.
    pub(super) leading_strip: Option<(Strip, WordSplitter)>,
}

/// A chunk in the form that the model encodes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ModelInput<'a> {
    /// The chunk unchanged, or folded.
    Word(&'a str),
    /// The chunk unchanged, or folded; a byte-level model reads each of its bytes as one character.
    Bytes(&'a str),
    /// The chunk with a metaspace for each space, possibly with one before it.
    EscapedSpaces(&'a str),
    /// The chunk, possibly with a metaspace at its front, and the number of bytes that this adds.
    LeadingMetaspace(&'a str, u32),
}

impl CutPlan {
    /// Returns the plan of a program, for chunks that are words of a text.
    pub(super) fn new(program: Program) -> Self {
        Self {
            program,
            kernel: Kernel::fastest(),
            fold: KeyFold::Nothing,
            has_gaps: false,
            later: None,
            counts_lines: [false; 2],
            drops_spaces: false,
            is_one_word: false,
            may_cut_words: false,
            prepend: Some(PrependScheme::Always),
            leading_strip: None,
        }
    }

    /// Returns the plan of a tokenizer, or the reason why there is none.
    pub(crate) fn of(splitter: &WordSplitter, model: &Model) -> Result<Self, &'static str> {
        let Some((strip, rest)) = splitter.without_leading_strip() else { return Self::decide(splitter, Some(model)) };
        let plan = Self::decide(&rest, Some(model))?;
        Ok(Self { leading_strip: Some((strip, rest)), ..plan })
    }

    /// Returns the plan for the words of a splitter alone, or the reason why there is none.
    pub(crate) fn of_words(splitter: &WordSplitter) -> Result<Self, &'static str> {
        Self::decide(splitter, None)
    }

    fn decide(splitter: &WordSplitter, model: Option<&Model>) -> Result<Self, &'static str> {
        const NEEDS_CONTEXT: &str = "its normalizer does not map each character by itself";
        const ONE_WORD: &str = "without a pre-tokenizer a text is one word";
        const OTHER: &str = "its pre-tokenizer does not classify each character by itself";
        match splitter.boundary() {
            None => {
                let by_adjacency = |model| AdjacencyProgram::plan(splitter, None, model);
                let of_text = |model| by_adjacency(model).or_else(|| SpaceProgram::plan_of_text(splitter, model));
                model.and_then(of_text).ok_or(ONE_WORD)
            }
            Some(Boundary::Whole { prepend }) => {
                model.and_then(|model| AdjacencyProgram::plan(splitter, Some(prepend), model)).ok_or(OTHER)
            }
            Some(Boundary::Characters(boundary)) => CharacterProgram::plan(splitter, boundary),
            Some(Boundary::Matches { grammar, writes_bytes, prefix_space }) if model.is_some() || !prefix_space => {
                WordProgram::of_matches(grammar, writes_bytes, prefix_space).plan(splitter).ok_or(OTHER)
            }
            Some(Boundary::Divisions(divisions)) => WordProgram::of_divisions(divisions).plan(splitter).ok_or(OTHER),
            Some(Boundary::Metaspaces { prepend, drops_spaces, splits_words }) => {
                SpaceProgram::plan_of_words(splitter, prepend, drops_spaces, splits_words).ok_or(OTHER)
            }
            Some(Boundary::Matches { .. } | Boundary::Bytes | Boundary::Text) => Err(OTHER),
        }
        .map_err(|reason| {
            let maps_characters = splitter.locality().is_none_or(|locality| locality.characters.is_some());
            if reason == OTHER && !maps_characters { NEEDS_CONTEXT } else { reason }
        })
    }

    /// Returns the plan with the kernel of that name, if it runs on this machine.
    pub(crate) fn with_kernel(self, name: &str) -> Option<Self> {
        Some(Self { kernel: Kernel::named(name)?, ..self })
    }

    /// Returns the name of the kernel that classifies the bytes of a text on this machine.
    pub(crate) fn kernel(&self) -> &'static str {
        self.kernel.name()
    }

    /// Returns whether byte `at`, which is not 0, is a safe split point: both parts can be encoded separately.
    ///
    /// The caller encodes each part as a text by itself, possibly on another thread. With a leading strip there is none:
    /// white space at the start of the second part would be removed.
    pub(crate) fn is_safe_split_point(&self, text: &[u8], at: usize) -> bool {
        self.leading_strip.is_none() && self.program.is_safe_split_point(text, at)
    }

    /// Returns whether no token spans byte `at`, which is not the first, with all its text in view.
    ///
    /// The tokens before the byte are those of the text up to it, and the tokens after it do not depend on how far the
    /// text extends to the left, except for the context of the model. Unlike the parts at a safe split point, the text
    /// after the byte need not have these tokens by itself. White space before the byte may be stripped, and then more of
    /// it after the byte.
    pub(crate) fn is_token_boundary(&self, text: &str, at: usize) -> bool {
        text.is_char_boundary(at)
            && self.program.is_token_boundary(text, at)
            && (self.leading_strip.is_none() || !text[..at].ends_with(char::is_whitespace))
    }

    /// Returns the span of a plain-text range that a leading strip keeps: the text to encode.
    pub(crate) fn kept(&self, text: &str) -> Span {
        self.leading_strip.as_ref().map_or(Span::new(0, text.len()), |(strip, _)| strip.kept(text))
    }

    /// Returns the splitter of stripped texts; `None` without a leading strip.
    pub(crate) fn splitter_of_stripped(&self) -> Option<&WordSplitter> {
        self.leading_strip.as_ref().map(|(_, splitter)| splitter)
    }

    /// Returns whether the words of a block of lines can be counted without splitting the block into lines.
    ///
    /// With `keep_ends`, each line includes its line end.
    pub(crate) fn counts_lines(&self, keep_ends: bool) -> bool {
        self.counts_lines[usize::from(keep_ends)]
    }

    /// Returns whether chunks that differ in the case of ASCII letters share a cache key.
    pub(crate) fn folds_case(&self) -> bool {
        self.fold == KeyFold::Case
    }

    /// Returns whether a text between added tokens gets what is put before texts; otherwise it continues another.
    ///
    /// `at` is its first byte in the input, `is_normalized` whether it begins a text that is normalized.
    pub(crate) fn begins(&self, at: u32, is_normalized: bool) -> bool {
        match self.prepend {
            None => is_normalized,
            Some(PrependScheme::First) => at == 0,
            Some(PrependScheme::Always | PrependScheme::Never) => true,
        }
    }

    /// Returns whether every text between added tokens gets what is put before texts.
    pub(crate) fn begins_every_text(&self) -> bool {
        self.begins(1, false)
    }

    /// Returns the byte of the input at which a text is split by itself: 1 if the splitter would put something before a text
    /// at byte 0 that it must not put before this one, which does not begin.
    pub(crate) fn base(&self, begins: bool) -> u32 {
        u32::from(!begins && self.prepend == Some(PrependScheme::First))
    }

    /// Returns the end of the first chunk where that is encoded differently from all others, else 0.
    ///
    /// `begins` says whether the text gets what is put before texts.
    pub(super) fn first(&self, text: &str, begins: bool) -> usize {
        if !self.program.differs_first(text, begins) {
            return 0;
        }
        let is_boundary = |&at: &usize| text.is_char_boundary(at) && self.program.is_token_boundary(text, at);
        let mut work = Work::default();
        (1..text.len()).inspect(|_| work.add(1)).find(is_boundary).unwrap_or(text.len())
    }

    /// Returns whether the first character of a text may shift the offsets of all its tokens.
    pub(crate) fn may_shift_offsets(&self, text: &str) -> bool {
        matches!(&self.program, Program::Spaces(spaces) if spaces.may_shift_offsets(text))
    }

    /// Returns whether chunks that bypass the cache, together `run`, are encoded one by one, not as one text.
    pub(super) fn encodes_singly(&self, run: &[u8]) -> bool {
        !matches!(&self.program, Program::Characters(characters) if !characters.encodes_singly(run))
    }

    /// Returns the model input of a chunk, if it is known without normalizing and splitting the chunk.
    ///
    /// `begins` says whether the chunk begins a text that begins, `aligned` whether its tokens need offsets.
    pub(crate) fn model_input<'a>(
        &self,
        chunk: &'a str,
        begins: bool,
        aligned: bool,
        buffer: &'a mut String,
    ) -> Option<ModelInput<'a>> {
        match &self.program {
            Program::Characters(characters) => characters.model_input(chunk, buffer),
            Program::Words(words) => words.model_input(chunk, begins, buffer),
            Program::Adjacency(_) if aligned && self.later.is_some() => None,
            Program::Adjacency(adjacency) => Some(adjacency.model_input(chunk, begins, buffer)),
            Program::Spaces(spaces) => spaces.model_input(chunk, begins, aligned, buffer),
        }
    }

    /// Builds the tables of a model that encode chunks of these entries.
    pub(crate) fn build_tables(&self, model: &Model, entries: AllowedEntries) {
        let mut buffer = String::new();
        let as_bytes = matches!(self.model_input("a", false, false, &mut buffer), Some(ModelInput::Bytes(_)));
        model.build_tables(entries, as_bytes, self.may_cut_words);
    }

    /// Returns the splitter of a chunk, if it differs from the text's splitter.
    ///
    /// `begins` says whether the chunk begins a text that begins. The flag is true if the chunk begins with white space, which
    /// the splitter writes as a metaspace.
    pub(crate) fn splitter(&self, chunk: &str, begins: bool) -> Option<(&WordSplitter, bool)> {
        if matches!(&self.program, Program::Words(_)) {
            return self.piece_splitter(chunk, begins).map(|splitter| (splitter, false));
        }
        let [after_space, elsewhere] = &**self.later.as_ref().filter(|_| !begins)?;
        let begins_with_space = matches!(&self.program, Program::Spaces(spaces) if spaces.begins_with_space(chunk));
        Some((if begins_with_space { after_space } else { elsewhere }, begins_with_space))
    }

    /// Returns the splitter of a chunk that is a piece of divisions, which must not be divided again.
    ///
    /// `begins` says whether the chunk begins a text that begins.
    pub(crate) fn piece_splitter(&self, chunk: &str, begins: bool) -> Option<&WordSplitter> {
        if let Program::Words(words) = &self.program { words.splitter(chunk, begins) } else { None }
    }
}

/// Returns all chunks of a text.
#[cfg(test)]
pub(super) fn chunks_of(plan: &CutPlan, text: &str) -> Vec<(usize, usize)> {
    let (mut list, mut found) = (super::list::ChunkList::default(), Vec::new());
    let Ok(()) = plan.cut(text, plan.first(text, true), false, &mut list, |chunks| {
        found.extend(chunks.iter());
        Ok::<_, std::convert::Infallible>(())
    });
    found
}

/// Returns a pseudo-random number (linear congruential generator).
#[cfg(test)]
pub(super) fn random(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap_or(0)
}
