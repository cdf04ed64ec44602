//! Cuts a text into the pieces of patterns in a row, mostly the matches of one split pattern.
//!
//! Each pattern divides the pieces of the one before: the text into digits and other text, that into words. A *grammar* is
//! a split pattern that is matched without a regex engine; a *pre-token* is one of its matches. *The rest* are characters
//! other than letters, numbers and white space.
//!
//! A block begins at a pre-token, or inside a word; then the class of the character before the block is carried over. The
//! starts of pre-tokens are computed by shifts of bit sets; contractions, groups of digits and line ends, which are rare,
//! are handled one by one. If a block does not end in a word, its last pre-token is left to the next block, because its
//! end is not known. Shifts cannot decide long pre-tokens that are not words, and some words in which case and scripts
//! change: these are found one at a time, and so are the pieces of patterns that have no matcher for blocks.

mod classes;
mod gaps;
mod matcher;
mod starts;

use self::classes::{Classes, ClassifiedBlock};
use self::matcher::{GrammarMatcher, StartFinder};
use self::starts::BlockContext;
use crate::fast::driver::{BlockPosition, Blocks, Listing};
use crate::fast::masks::{BLOCK, BlockLoop, Classifier, Kernel, Masks};
use crate::fast::plan::{CutPlan, ModelInput};
use crate::fast::programs::{Program, SETS};
use crate::fast::text::{first, last};
use crate::fast::unchanged::UnchangedCharacters;
use crate::normalize::locality::CharacterChanges;
use crate::pretokenize::divisions::{Division, Divisions};
use crate::splitter::WordSplitter;
use crate::text::grammar::{Grammar, Rules};
use crate::text::unicode::{Category, category};

/// The number of pieces, each found by itself, that count as a block.
const TOGETHER: usize = 16;

/// Cuts texts into the pieces of patterns in a row.
#[derive(Debug, Clone)]
pub(in crate::fast) struct WordProgram {
    pub(super) classifier: Box<Classifier<SETS>>,
    divisions: Divisions,
    matcher: StartFinder,
    /// The splitter of a piece: without a normalizer, which does not change it, and without the divisions.
    pieces: WordSplitter,
    /// The effect of a normalizer on ASCII, if one may change the text between matches.
    normalized: Option<CharacterChanges>,
    /// The characters whose regions are cut into pieces; other regions are one chunk.
    pub(in crate::fast) unchanged: UnchangedCharacters,
    /// Whether a space is put before a text that does not begin with one.
    pub(super) has_prefix: bool,
}

impl WordProgram {
    /// Returns the program of a grammar, all of whose matches are words.
    pub(in crate::fast) fn of_matches(grammar: Grammar, writes_bytes: bool, has_prefix: bool) -> Self {
        let divisions = Divisions::into_words([Division::Grammar(grammar)].into(), writes_bytes);
        let matcher = StartFinder::Grammar(GrammarMatcher::of_grammar(grammar));
        Self { has_prefix, ..Self::new(divisions, matcher) }
    }

    /// Returns the program of divisions.
    pub(in crate::fast) fn of_divisions(divisions: Divisions) -> Self {
        let matcher = StartFinder::of_divisions(&divisions.steps);
        Self::new(divisions, matcher)
    }

    fn new(divisions: Divisions, matcher: StartFinder) -> Self {
        let classifier = match &matcher {
            StartFinder::Grammar(grammar) => grammar.classes.classifier(),
            StartFinder::Runs(runs) => runs.classifier(),
            StartFinder::OneByOne => Classifier::new([0; 256]),
        };
        Self {
            classifier,
            pieces: WordSplitter::of_steps(divisions.rest.clone()),
            divisions,
            matcher,
            normalized: None,
            unchanged: UnchangedCharacters::all(),
            has_prefix: false,
        }
    }

    /// Returns the plan of a splitter with such words, if its normalizer preserves where they end.
    pub(in crate::fast) fn plan(mut self, splitter: &WordSplitter) -> Option<CutPlan> {
        if self.has_prefix && splitter.locality().is_some() {
            return None;
        }
        match (&mut self.matcher, splitter.locality()) {
            (StartFinder::Grammar(matcher), Some(locality)) if matcher.rules == Rules::Spaceless => {
                matcher.classes.ascii = true;
                self.classifier = matcher.classes.classifier();
                self.normalized = Some(locality.ascii?);
            }
            _ => self.unchanged = UnchangedCharacters::of(splitter)?,
        }
        let (has_gaps, keeps_text) = (self.has_gaps(), self.normalized.is_none() && self.unchanged.is_all());
        let writes_bytes = self.divisions.writes_bytes() == Some(true);
        let kernel = if matches!(self.matcher, StartFinder::OneByOne) { Kernel::Scalar } else { Kernel::fastest() };
        Some(CutPlan {
            kernel,
            has_gaps,
            counts_lines: [false, keeps_text && !self.has_prefix],
            may_cut_words: writes_bytes && !has_gaps && keeps_text,
            ..CutPlan::new(Program::Words(self))
        })
    }

    /// Returns the matcher of a grammar, if the pieces are found by one.
    fn grammar(&self) -> Option<&GrammarMatcher> {
        if let StartFinder::Grammar(matcher) = &self.matcher { Some(matcher) } else { None }
    }

    /// Returns whether white space is between words and in none.
    fn has_gaps(&self) -> bool {
        self.grammar().is_some_and(|matcher| matcher.rules == Rules::Spaceless)
    }

    /// Returns whether a piece begins at a byte, other than the first, in every context, and the pieces before that byte are
    /// also those of a text that ends there.
    ///
    /// Both hold where white space begins, with one exception: some grammars attach a line end to the rest before it. With
    /// these, both also hold for a letter after a line end.
    #[inline]
    pub(in crate::fast) fn is_safe_split_point(&self, text: &[u8], at: usize) -> bool {
        let is_blank = matches!(text[at], b'\t'..=b'\r' | b' ');
        (is_blank || matches!(text[at - 1], b'\r' | b'\n')) && self.is_safe_beside(text, at, is_blank)
    }

    /// Returns the same for a byte that is white space of ASCII, or behind a line end.
    fn is_safe_beside(&self, text: &[u8], at: usize, is_blank: bool) -> bool {
        let Some(GrammarMatcher { grammar, .. }) = self.grammar() else {
            return is_blank && last(&text[..at]).is_some_and(|c| self.separates(c, char::from(text[at])));
        };
        let takes_line_ends = grammar.takes_line_ends();
        if self.has_prefix && text[at] != b' ' {
            return false;
        }
        // NFC may change the class of a character.
        let kind = |c: char| if self.unchanged.contains_char(c) { category(c) } else { Category::BLANK };
        let ends_line = |byte| matches!(byte, b'\r' | b'\n');
        if !is_blank {
            let is_letter = |c| kind(c).intersects(Category::LETTER);
            return takes_line_ends && ends_line(text[at - 1]) && first(&text[at..]).is_some_and(is_letter);
        }
        last(&text[..at]).map(kind).is_some_and(|kind| match kind {
            Category::BLANK => false,
            kind if kind.intersects(Category::LETTER.union(Category::NUMBER)) => true,
            _ => !takes_line_ends || !ends_line(text[at]),
        })
    }

    /// Returns whether one of the divisions separates a letter or number from white space in every context.
    fn separates(&self, before: char, blank: char) -> bool {
        category(before).intersects(Category::LETTER.union(Category::NUMBER))
            && self.unchanged.contains_char(before)
            && self.divisions.separate(before, blank)
    }

    /// Returns whether a byte is a safe split point, or punctuation or a number after a letter, where words end in all
    /// patterns but CLIP's, which has special tokens of letters and punctuation.
    pub(super) fn is_token_boundary(&self, text: &str, at: usize) -> bool {
        let (before, after) = (text[..at].chars().next_back(), text[at..].chars().next());
        let (Some(before), Some(after)) = (before, after) else { return false };
        let ends_word = Category::PUNCT.union(Category::SYMBOL).union(Category::NUMBER);
        self.is_safe_split_point(text.as_bytes(), at)
            || self.grammar().is_some_and(|matcher| matcher.rules != Rules::Spaceless)
                && self.unchanged.contains_char(before)
                && self.unchanged.contains_char(after)
                && category(before).intersects(Category::LETTER)
                && category(after).intersects(ends_word)
                && !matches!(after, '\'' | '\u{2019}')
    }

    /// Returns the splitter of a chunk; `None` for that of the text.
    ///
    /// `begins` says whether the chunk begins a text that begins.
    pub(in crate::fast) fn splitter(&self, chunk: &str, begins: bool) -> Option<&WordSplitter> {
        let is_piece = self.normalized.is_none() && !(begins && self.has_prefix) && self.unchanged.contains(chunk);
        is_piece.then_some(&self.pieces)
    }

    /// Returns the model input of a chunk that is one word: its bytes, lowercased if the pipeline lowercases.
    pub(in crate::fast) fn model_input<'a>(
        &self,
        chunk: &'a str,
        begins: bool,
        buffer: &'a mut String,
    ) -> Option<ModelInput<'a>> {
        let writes_bytes = self.divisions.writes_bytes()?;
        if begins && self.has_prefix && !chunk.starts_with(' ') {
            return None;
        }
        let input = if writes_bytes { ModelInput::Bytes } else { ModelInput::Word };
        let (Some(CharacterChanges { lowercases, .. }), Some(matcher)) = (self.normalized, self.grammar()) else {
            return self.unchanged.contains(chunk).then(|| input(chunk));
        };
        if !chunk.is_ascii() {
            return None;
        }
        buffer.clear();
        buffer.push_str(chunk);
        if lowercases {
            buffer.make_ascii_lowercase();
        }
        // A run that is longer than a block was not split.
        (matcher.grammar.find(buffer, 0) == Some(0..buffer.len())).then(|| input(buffer))
    }

    /// Lists contiguous pre-tokens of a block.
    ///
    /// The pre-token in which the block begins is listed already; starts are listed up to where they are certain.
    #[inline(always)]
    fn list(
        &self,
        here: BlockContext<'_>,
        (starts, over): (u64, bool),
        sure: u64,
        listing: &mut Listing<'_>,
    ) -> BlockPosition {
        let ClassifiedBlock { length, ends, .. } = here.block;
        let starts = starts & sure & !here.begins();
        let is_sure = sure == u64::MAX;
        if is_sure && (ends || !over && here.ends_in_word()) {
            listing.list.add_contiguous(here.at, starts);
            BlockPosition { at: here.at + length, before: if ends { 0 } else { here.last() } }
        } else if let Some(last) = starts.checked_ilog2() {
            listing.list.add_contiguous(here.at, starts);
            BlockPosition::at(here.at + last as usize)
        } else {
            self.list_piece(here.text, listing.list.last_start(), listing)
        }
    }

    /// Lists the pieces of a block by their starts, which are those after byte `at`, and its number of bytes.
    #[inline(always)]
    fn list_runs(
        &self,
        (starts, length): (u64, usize),
        text: &str,
        at: usize,
        listing: &mut Listing<'_>,
    ) -> BlockPosition {
        listing.list.add_contiguous(at, starts);
        match starts.checked_ilog2() {
            _ if at + length == text.len() => BlockPosition::at(text.len()),
            // The end of the last piece is not known.
            Some(last) => BlockPosition::at(at + last as usize),
            None => self.list_piece(text, at, listing),
        }
    }

    /// Lists the piece that begins at a byte, by the divisions.
    #[cold]
    fn list_piece(&self, text: &str, start: usize, listing: &mut Listing<'_>) -> BlockPosition {
        let end = listing.pieces.next(&self.divisions.steps, text, start);
        listing.list.begin(end);
        BlockPosition::at(end)
    }
}

impl BlockLoop<SETS> for Blocks<'_, '_, WordProgram> {
    type Output = BlockPosition;

    #[inline(always)]
    fn run(self, masks: impl Fn(&[u8; BLOCK]) -> Masks<SETS> + Copy) -> BlockPosition {
        let Self { program, text, .. } = self;
        match &program.matcher {
            StartFinder::Grammar(matcher) => match matcher.divided {
                None => self.by_grammar(*matcher, None, masks),
                digits => self.by_grammar(*matcher, digits, masks),
            },
            StartFinder::Runs(runs) => self.each_block(
                masks,
                #[inline(always)]
                |BlockPosition { at, .. }, block, listing| {
                    program.list_runs(runs.starts(text, at, block), text, at, listing)
                },
            ),
            StartFinder::OneByOne => self.one_by_one(),
        }
    }
}

impl Blocks<'_, '_, WordProgram> {
    /// Lists the pieces of the next blocks one at a time.
    fn one_by_one(self) -> BlockPosition {
        let Self { program, text, .. } = self;
        self.each(|place, listing| {
            (0..TOGETHER).fold(place, |place, _| match place.at == text.len() {
                true => place,
                false => {
                    let end = listing.pieces.next(&program.divisions.steps, text, place.at);
                    listing.list.begin(end);
                    BlockPosition::at(end)
                }
            })
        })
    }

    /// Lists the next blocks by a grammar, in the pieces of divisions before it or in the whole text.
    ///
    /// The rules are matched once for several blocks, and the function is compiled for each case, so that a loop computes
    /// what one kind of rules reads.
    #[inline(always)]
    fn by_grammar(
        self,
        GrammarMatcher { grammar, rules, classes, .. }: GrammarMatcher,
        divided: Option<usize>,
        masks: impl Fn(&[u8; BLOCK]) -> Masks<SETS> + Copy,
    ) -> BlockPosition {
        let Self { program, text, .. } = self;
        let pieces = (classes, divided);
        match rules {
            Rules::Runs => self.contiguous(
                pieces,
                masks,
                #[inline(always)]
                |here| (here.gpt2(), u64::MAX),
            ),
            Rules::Modern(rules) if rules.letters.are_cased() => self.contiguous(
                pieces,
                masks,
                #[inline(always)]
                |here| (here.cased(rules), here.sure(rules.letters)),
            ),
            Rules::Modern(rules) => self.contiguous(
                pieces,
                masks,
                #[inline(always)]
                |here| (here.modern(rules), u64::MAX),
            ),
            Rules::Marked(_) => self.contiguous(
                pieces,
                masks,
                #[inline(always)]
                |here| (here.marked(), u64::MAX),
            ),
            // Their pieces are rare, and divide those of another grammar.
            Rules::Thousands | Rules::LineEnds => self.one_by_one(),
            Rules::Spaceless => self.each_block(masks, |place, block, listing| {
                let here = BlockContext::new(classes, text, place, block);
                match program.normalized {
                    Some(CharacterChanges { lowercases, .. }) => gaps::list_runs(here, lowercases, listing.list),
                    None => gaps::list_matches(grammar, here, here.clip(false), listing.list),
                }
            }),
        }
    }

    /// Lists contiguous pre-tokens of the next blocks by their starts in each, and the bytes up to which these are certain.
    #[inline(always)]
    fn contiguous(
        self,
        (classes, divided): (Classes, Option<usize>),
        masks: impl Fn(&[u8; BLOCK]) -> Masks<SETS> + Copy,
        starts: impl Fn(&BlockContext<'_>) -> ((u64, bool), u64),
    ) -> BlockPosition {
        let Self { program, text, .. } = self;
        self.each_block(
            masks,
            #[inline(always)]
            |place, block, listing| {
                let here = BlockContext::new(classes, text, place, block).divided(divided);
                let (found, sure) = starts(&here);
                program.list(here, found, sure, listing)
            },
        )
    }
}

#[cfg(test)]
mod tests;
