//! Splits a text into the pre-tokens of a grammar, a block of 64 bytes at a time.
//!
//! Divisions before the grammar may separate digits and runs of ideographs from other text; then pre-tokens are the
//! pieces of all divisions.
//!
//! A *grammar* is a split pattern that is matched without a regex engine. *The rest* are characters other than letters,
//! numbers and white space. A block begins at a pre-token, or inside a word; then the class of the character before the
//! block is carried over. The starts of pre-tokens are computed by shifts of bit sets; contractions, groups of digits
//! and line ends, which are rare, are handled one by one. If a block does not end in a word, its last pre-token is left
//! to the next block, because its end is not known. Shifts cannot decide long pre-tokens that are not words, and some
//! words in which case and scripts change: the divisions find these one at a time.

mod classes;
mod gaps;
mod matcher;
mod starts;

use std::sync::Arc;

use self::classes::{Block, Classes, PreviousCharacter, SETS};
use self::matcher::{BlockMatcher, BlockRules};
use self::starts::{BlockContext, Place};
use crate::fast::chunker::{Capabilities, Chunker, ModelInput};
use crate::fast::list::{BLOCKS, ChunkList, ChunkRanges};
use crate::fast::masks::{BLOCK, BlockLoop, Masks};
use crate::fast::text::{first, last};
use crate::fast::unchanged::{Region, Regions, Unchanged};
use crate::normalize::locality::AsciiChanges;
use crate::pretokenize::PreTokenizer;
use crate::pretokenize::boundary::Boundary;
use crate::pretokenize::divisions::{Division, Divisions, PieceEnds};
use crate::settings::ByteLevel;
use crate::splitter::WordSplitter;
use crate::text::grammar::Grammar;
use crate::text::unicode::{Category, category};

/// Cuts texts into the matches of a grammar, possibly in the pieces of divisions before it.
#[derive(Debug, Clone)]
pub(in crate::fast) struct PreTokenChunker {
    grammar: Grammar,
    /// The divisions into pre-tokens; the grammar is the last one.
    divisions: Arc<[Division]>,
    matcher: BlockMatcher,
    classes: Classes,
    /// The effect of a normalizer on ASCII, if one may change the text.
    normalized: Option<AsciiChanges>,
    /// The characters whose regions are cut into pre-tokens; other regions are one chunk.
    unchanged: Unchanged,
    /// Whether the bytes of pre-tokens are written as characters (byte level).
    writes_bytes: bool,
    /// If a space is put before a text that does not begin with one: the splitter of chunks that do not begin the text.
    after_prefix: Option<Box<WordSplitter>>,
}

impl PreTokenChunker {
    pub(super) fn new(grammar: Grammar, writes_bytes: bool) -> Self {
        let (matcher, distinctions) = BlockMatcher::of_grammar(grammar);
        Self {
            grammar,
            divisions: [Division::Grammar(grammar)].into(),
            matcher,
            classes: Classes::new(distinctions),
            normalized: None,
            unchanged: Unchanged::All,
            writes_bytes,
            after_prefix: None,
        }
    }

    /// Returns the chunker of divisions whose pieces are words, if they have a specialized matcher.
    fn of_divisions(Divisions { steps, writes_bytes, are_words }: Divisions) -> Option<Self> {
        let (&Division::Grammar(grammar), before) = steps.split_last().filter(|_| are_words)? else { return None };
        let (matcher, distinctions) = BlockMatcher::of_divisions(before, grammar)?;
        let classes = Classes::new(distinctions);
        Some(Self { divisions: steps, matcher, classes, ..Self::new(grammar, writes_bytes) })
    }

    /// Returns the chunker for texts that are normalized first.
    fn with_normalizer(self, changes: AsciiChanges) -> Self {
        Self { classes: Classes::of_ascii(), normalized: Some(changes), ..self }
    }

    /// Returns the chunker of a splitter whose words are the matches of a grammar, or the pieces of divisions that end
    /// with one, if its normalizer preserves their boundaries.
    pub(in crate::fast) fn of(splitter: &WordSplitter) -> Option<Self> {
        Self::with_prefix(splitter).filter(|chunker| !chunker.has_prefix())
    }

    /// Returns the chunker of such a splitter, which may put a space before a text.
    ///
    /// The words of the first chunk then differ from those of an equal chunk, so they cannot be counted as such.
    pub(in crate::fast) fn with_prefix(splitter: &WordSplitter) -> Option<Self> {
        let (mut chunker, prefix_space) = match splitter.boundary()? {
            Boundary::Matches { grammar, writes_bytes, prefix_space } => {
                (Self::new(grammar, writes_bytes), prefix_space)
            }
            Boundary::Divisions(divisions) => (Self::of_divisions(divisions)?, false),
            _ => return None,
        };
        if prefix_space {
            if splitter.locality().is_some() {
                return None;
            }
            let bytes = ByteLevel { add_prefix_space: false, ..ByteLevel::default() };
            let later = WordSplitter::new(None, Some(PreTokenizer::ByteLevel(bytes))).ok()?;
            chunker.after_prefix = Some(Box::new(later));
        }
        if chunker.has_gaps()
            && let Some(locality) = splitter.locality()
        {
            return locality.ascii.map(|changes| chunker.with_normalizer(changes));
        }
        Unchanged::of(splitter).map(|unchanged| Self { unchanged, ..chunker })
    }

    /// Returns whether there may be text between two pre-tokens.
    fn has_gaps(&self) -> bool {
        self.grammar.has_gaps()
    }

    /// Returns whether a space is put before a text.
    fn has_prefix(&self) -> bool {
        self.after_prefix.is_some()
    }

    /// Returns whether the pipeline has a normalizer that may change a text.
    fn has_normalizer(&self) -> bool {
        self.normalized.is_some() || !self.unchanged.is_all()
    }

    /// Lists the next pre-token by the divisions.
    #[cold]
    fn list_piece(&self, text: &str, place: &mut Place, list: &mut ChunkList, pieces: &mut PieceEnds) {
        if !self.has_gaps() {
            place.at = pieces.next(&self.divisions, text, place.at);
            list.begin(place.at);
            return;
        }
        let found = self.grammar.find(text, place.at);
        place.at = found.as_ref().map_or(text.len(), |found| found.end);
        if let Some(found) = found {
            list.push(found.start, found.end);
        }
    }

    /// Lists contiguous pre-tokens of a block.
    ///
    /// The pre-token in which the block begins is listed already; starts are listed up to where they are certain.
    #[inline(always)]
    fn list_contiguous(
        &self,
        here: BlockContext<'_>,
        (starts, over): (u64, bool),
        sure: u64,
        place: &mut Place,
        list: &mut ChunkList,
        pieces: &mut PieceEnds,
    ) {
        let Block { length, ends, .. } = here.block;
        let starts = starts & sure & !(1 & !here.before.letters);
        let is_sure = sure == u64::MAX;
        if ends && is_sure {
            list.add_contiguous(here.at, starts);
            list.begin(here.at + length);
            *place = Place { at: here.at + length, before: PreviousCharacter::default() };
        } else if is_sure && !over && here.ends_in_word() {
            list.add_contiguous(here.at, starts);
            *place = Place { at: here.at + length, before: here.last() };
        } else if let Some(last) = starts.checked_ilog2() {
            list.add_contiguous(here.at, starts);
            *place = Place { at: here.at + last as usize, before: PreviousCharacter::default() };
        } else {
            let end = pieces.next(&self.divisions, here.text, list.last_start());
            list.begin(end);
            *place = Place { at: end, before: PreviousCharacter::default() };
        }
    }

    /// Returns the model input of a chunk that is one word: its bytes, lowercased if the pipeline lowercases.
    fn word<'a>(&self, chunk: &'a str, buffer: &'a mut String) -> Option<&'a str> {
        let Some(AsciiChanges { lowercases }) = self.normalized else {
            return self.unchanged.contains(chunk).then_some(chunk);
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
        (self.grammar.find(buffer, 0) == Some(0..buffer.len())).then_some(buffer)
    }
}

impl Chunker for PreTokenChunker {
    fn with_kernel(self, name: &str) -> Option<Self> {
        Some(Self { classes: self.classes.with_kernel(name)?, ..self })
    }

    fn kernel(&self) -> &'static str {
        self.classes.kernel()
    }

    fn capabilities(&self) -> Capabilities {
        let may_cut_words = self.writes_bytes && !self.has_gaps() && !self.has_normalizer();
        Capabilities { may_cut_words, ..Capabilities::default() }
    }

    /// Returns the end of the first chunk, which reaches up to a safe split point, if a space is put before the text.
    fn first(&self, text: &str, _: bool) -> usize {
        if !self.has_prefix() || text.starts_with(' ') {
            return 0;
        }
        let is_safe = |&at: &usize| self.is_safe_split_point(text.as_bytes(), at);
        (1..text.len()).find(is_safe).unwrap_or(text.len())
    }

    #[inline]
    fn cut<E>(
        &self,
        text: &str,
        first: usize,
        lines: bool,
        list: &mut ChunkList,
        mut take: impl FnMut(ChunkRanges<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        list.clear();
        if !self.has_gaps() {
            list.begin(first);
        }
        let place = Place { at: first, before: PreviousCharacter::default() };
        let mut blocks = BlockIterator {
            text,
            chunker: self,
            place,
            regions: Regions::new(lines),
            pieces: PieceEnds::default(),
            list,
        };
        while self.classes.run(&mut blocks) {
            take(if self.has_gaps() { blocks.list.chunks() } else { blocks.list.contiguous() })?;
            blocks.list.remove_closed();
        }
        Ok(())
    }

    /// Returns whether a pre-token begins at a byte, other than the first, in every context.
    ///
    /// The pre-tokens before that byte must also be those of a text that ends there. Both hold where white space
    /// begins, with one exception: some patterns attach a line end to the rest before it. With these patterns, both
    /// also hold for a letter after a line end.
    fn is_safe_split_point(&self, text: &[u8], at: usize) -> bool {
        let takes_line_ends = self.grammar.takes_line_ends();
        if self.has_prefix() && text[at] != b' ' {
            return false;
        }
        // NFC may change the class of a character.
        let kind = |c: char| if self.unchanged.contains_char(c) { category(c) } else { Category::BLANK };
        let ends_line = |byte| matches!(byte, b'\r' | b'\n');
        if !matches!(text[at], b'\t'..=b'\r' | b' ') {
            let is_letter = |c| kind(c).intersects(Category::LETTER);
            return takes_line_ends && ends_line(text[at - 1]) && first(&text[at..]).is_some_and(is_letter);
        }
        last(&text[..at]).map(kind).is_some_and(|kind| match kind {
            Category::BLANK => false,
            kind if kind.intersects(Category::LETTER.union(Category::NUMBER)) => true,
            _ => !takes_line_ends || !ends_line(text[at]),
        })
    }

    /// Returns whether a byte is a safe split point, or punctuation or a number after a letter, where words end in all
    /// patterns but CLIP's, which has special tokens of letters and punctuation.
    fn is_token_boundary(&self, text: &str, at: usize) -> bool {
        let (before, after) = (text[..at].chars().next_back(), text[at..].chars().next());
        let (Some(before), Some(after)) = (before, after) else { return false };
        let ends_word = Category::PUNCT.union(Category::SYMBOL).union(Category::NUMBER);
        self.is_safe_split_point(text.as_bytes(), at)
            || !self.has_gaps()
                && self.unchanged.contains_char(before)
                && self.unchanged.contains_char(after)
                && category(before).intersects(Category::LETTER)
                && category(after).intersects(ends_word)
                && !matches!(after, '\'' | '\u{2019}')
    }

    fn can_count_blocks(&self, keep_ends: bool) -> bool {
        keep_ends && !self.has_normalizer() && !self.has_prefix()
    }

    fn model_input<'a>(&self, chunk: &'a str, begins: bool, _: bool, buffer: &'a mut String) -> Option<ModelInput<'a>> {
        if begins && self.has_prefix() && !chunk.starts_with(' ') {
            return None;
        }
        let input = if self.writes_bytes { ModelInput::Bytes } else { ModelInput::Word };
        self.word(chunk, buffer).map(input)
    }

    fn splitter(&self, _: &str) -> Option<(&WordSplitter, bool)> {
        Some((self.after_prefix.as_deref()?, false))
    }
}

/// Iterates over the pre-tokens of a text, a list at a time.
struct BlockIterator<'a> {
    text: &'a str,
    chunker: &'a PreTokenChunker,
    place: Place,
    /// The regions of the text, whose ends no pre-token spans.
    regions: Regions,
    /// The ends of the pieces in which shifts could not decide.
    pieces: PieceEnds,
    list: &'a mut ChunkList,
}

impl BlockLoop<SETS> for &mut BlockIterator<'_> {
    type Output = bool;

    /// Lists the pre-tokens of the next blocks; returns false at the end of the text.
    #[inline(always)]
    fn run(self, masks: impl Fn(&[u8; BLOCK]) -> Masks<SETS>) -> bool {
        let chunker = self.chunker;
        if self.place.at == self.text.len() {
            return false;
        }
        if let Some(AsciiChanges { lowercases }) = chunker.normalized {
            self.each_block(masks, |here, place, list, _| gaps::list_runs(here, lowercases, place, list));
            return true;
        }
        let BlockMatcher { rules, divided } = chunker.matcher;
        match rules {
            BlockRules::Runs => self.contiguous(masks, |here| (here.divided(divided).gpt2(), u64::MAX)),
            BlockRules::Modern(rules) if rules.letters.are_cased() => {
                self.contiguous(masks, |here| (here.cased(rules), here.sure(rules.letters)));
            }
            BlockRules::Modern(rules) => {
                self.contiguous(masks, |here| (here.divided(divided).modern(rules), u64::MAX));
            }
            BlockRules::Marked => self.contiguous(masks, |here| (here.divided(divided).marked(), u64::MAX)),
            BlockRules::Spaceless => self.each_block(masks, |here, place, list, _| {
                gaps::list_matches(chunker.grammar, here, here.clip(false), place, list);
            }),
            BlockRules::OneByOne => {
                self.each(|text, place, list, pieces| chunker.list_piece(text, place, list, pieces));
            }
        }
        true
    }
}

impl BlockIterator<'_> {
    /// Lists contiguous pre-tokens by the starts in each block, and the bytes up to which these are certain.
    #[inline(always)]
    fn contiguous(
        &mut self,
        masks: impl Fn(&[u8; BLOCK]) -> Masks<SETS>,
        starts: impl Fn(&BlockContext<'_>) -> ((u64, bool), u64),
    ) {
        let chunker = self.chunker;
        self.each_block(masks, |here, place, list, pieces| {
            let (found, sure) = starts(&here);
            chunker.list_contiguous(here, found, sure, place, list, pieces);
        });
    }

    /// Calls `list` with the next blocks.
    #[inline(always)]
    fn each_block(
        &mut self,
        masks: impl Fn(&[u8; BLOCK]) -> Masks<SETS>,
        list: impl Fn(BlockContext<'_>, &mut Place, &mut ChunkList, &mut PieceEnds),
    ) {
        let classes = &self.chunker.classes;
        self.each(|text, place, chunks, pieces| {
            let Place { at, before } = *place;
            let here = BlockContext { block: classes.block(text, at, &masks), before, text, at, cuts: 0 };
            list(here, place, chunks, pieces);
        });
    }

    /// Calls `list` for some blocks; it lists pre-tokens of the block at a place, and advances the place after them.
    #[inline(always)]
    fn each(&mut self, list: impl Fn(&str, &mut Place, &mut ChunkList, &mut PieceEnds)) {
        let (mut place, chunker) = (self.place, self.chunker);
        let is_safe = |text: &[u8], at| chunker.is_safe_split_point(text, at);
        for _ in 0..BLOCKS {
            if place.at == self.text.len() {
                break;
            }
            match self.regions.at(self.text, place.at, &chunker.unchanged, is_safe) {
                Region::Pieces(end) => list(&self.text[..end], &mut place, self.list, &mut self.pieces),
                Region::Whole(end) => {
                    self.list.begin(end);
                    place = Place { at: end, before: PreviousCharacter::default() };
                }
            }
        }
        self.place = place;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::fast::chunker::{chunks_of, random};
    use crate::text::runs::RunPattern;
    use crate::text::unicode::Class;

    const KERNELS: [&str; 4] = ["scalar", "SSSE3", "AVX2", "AVX-512"];

    /// Returns the chunkers of all grammars whose matches are all pre-tokens, and of divisions that end with a grammar.
    fn chunkers() -> Vec<PreTokenChunker> {
        let run = |pattern| Division::Run(RunPattern::parse(pattern).unwrap());
        let digits = || run(r"\p{N}{1,3}");
        let ideographs = || run("[一-龥぀-ゟ゠-ヿ]+");
        let numeric = Division::of_class(Class::NUMERIC, true);
        let divided = [
            (vec![numeric.clone()], Grammar::GPT2),
            (vec![digits()], Grammar::GPT2),
            (vec![numeric], Grammar::named("llama3").unwrap()),
            (vec![digits(), ideographs()], Grammar::named("llama3").unwrap()),
            (vec![ideographs()], Grammar::named("minicpm5").unwrap()),
            (vec![digits(), ideographs()], Grammar::named("deepseek").unwrap()),
            (vec![digits()], Grammar::named("deepseek").unwrap()),
            (vec![digits()], Grammar::named("minicpm5").unwrap()),
            (vec![ideographs()], Grammar::named("qwen2").unwrap()),
            (vec![ideographs()], Grammar::named("qwen35").unwrap()),
        ];
        let divided = divided.into_iter().map(|(before, grammar)| {
            let steps = before.into_iter().chain([Division::Grammar(grammar)]).collect();
            PreTokenChunker::of_divisions(Divisions { steps, writes_bytes: true, are_words: true }).unwrap()
        });
        let grammars = Grammar::all().filter(|grammar| !grammar.leaves_text());
        grammars.map(|grammar| PreTokenChunker::new(grammar, true)).chain(divided).collect()
    }

    /// Adds the pieces of a text, which begins at byte `at`, by the definition: each division divides the pieces of the
    /// one before.
    fn divide(divisions: &[Division], text: &str, at: usize, pieces: &mut Vec<(usize, usize)>) {
        match divisions {
            [] => pieces.push((at, at + text.len())),
            [Division::Grammar(grammar)] if grammar.has_gaps() => {
                grammar.find_matches(text, |found| pieces.push((at + found.start, at + found.end)));
            }
            [first, others @ ..] => {
                let mut start = 0;
                while start < text.len() {
                    let end = first.piece_end(text, start);
                    divide(others, &text[start..end], at + start, pieces);
                    start = end;
                }
            }
        }
    }

    /// The chunkers of some divisions for each kernel that this machine runs.
    struct Tried(Arc<[Division]>, Vec<PreTokenChunker>);

    impl Tried {
        fn all() -> Vec<Self> {
            let kernels = |chunker: PreTokenChunker| {
                let with = |kernel| chunker.clone().with_kernel(kernel);
                let alone = PreTokenChunker { matcher: BlockMatcher::ONE_BY_ONE, ..chunker.clone() };
                Self(chunker.divisions.clone(), KERNELS.into_iter().filter_map(with).chain([alone]).collect())
            };
            chunkers().into_iter().map(kernels).collect()
        }

        fn check(&mut self, text: &str) {
            let Self(divisions, kernels) = self;
            let mut wanted = Vec::new();
            divide(divisions, text, 0, &mut wanted);
            for chunker in kernels {
                let name = (&chunker.grammar, chunker.matcher, chunker.kernel());
                let found = chunks_of(chunker, text);
                let equal = found.iter().zip(&wanted).take_while(|(found, wanted)| found == wanted).count();
                let next =
                    [&found, &wanted].map(|pieces| pieces[equal..].first().map(|&(start, end)| &text[start..end]));
                assert!(found == wanted, "{name:?} found {:?} wanted {:?} in {text:?}", next[0], next[1]);
            }
        }
    }

    fn check(text: &str, tried: &mut [Tried]) {
        tried.iter_mut().for_each(|tried| tried.check(text));
    }

    /// Characters of each class that grammars distinguish, and combinations at their boundaries.
    const PARTS: [&str; 75] = [
        " ",
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "\n    ",
        "\n\n",
        " \n ",
        "\u{85}",
        "\u{A0}",
        "\u{3000}",
        "\u{2028}",
        "'",
        "'s",
        "'ll",
        "'LL",
        "'re've",
        "'ſ",
        "it's",
        "don't",
        "’",
        "!",
        "!!",
        ".\n",
        ";\n\n//",
        "/\n/",
        "(a",
        "/",
        "{\n\t",
        "a",
        "b",
        "word",
        "Word",
        "WORD",
        "camelCase",
        "HTTPServer",
        "é",
        "É",
        "e\u{301}",
        "\u{301}",
        "❤\u{FE0F}",
        "中",
        "中文",
        "文ABC",
        "中Abc",
        "〇々",
        "⼀",
        "，中",
        "ʼ",
        "ǅ",
        "한국",
        "Привет",
        "Ж",
        "हिन्दी",
        "ไทย",
        "سلام",
        "1",
        "22",
        "333",
        "4444",
        "²³",
        "１２３４",
        "٣",
        "😀",
        "\0",
        "\u{10FFFF}",
        "(word",
        "[É",
        "カタ・ナ",
        "のー",
        "\u{3097}\u{3099}゛",
        "\u{11DE0}",
        "\u{200B}",
        "\u{16FF0}",
    ];

    #[test]
    fn every_kernel_finds_what_the_grammar_finds() {
        let (mut tried, mut state) = (Tried::all(), 1);
        for parts in (0..4000).map(|round| if round % 8 == 0 { 300 } else { round % 60 }) {
            let text: String = (0..parts).map(|_| PARTS[random(&mut state) % PARTS.len()]).collect();
            check(&text, &mut tried);
        }
    }

    #[test]
    fn the_parts_of_a_text_have_its_pre_tokens() {
        let (mut state, mut cuts) = (3, 0);
        let all = chunkers();
        for _ in 0..3000 {
            let text: String = (0..12).map(|_| PARTS[random(&mut state) % PARTS.len()]).collect();
            for chunker in &all {
                let found = |from: usize, to: usize| {
                    let mut found = Vec::new();
                    divide(&chunker.divisions, &text[from..to], from, &mut found);
                    found
                };
                let whole = found(0, text.len());
                for at in (1..text.len()).filter(|&at| chunker.is_safe_split_point(text.as_bytes(), at)) {
                    assert_eq!(
                        [found(0, at), found(at, text.len())].concat(),
                        whole,
                        "{:?} {text:?} {at}",
                        chunker.grammar
                    );
                    cuts += 1;
                }
            }
        }
        assert!(cuts > 20_000, "{cuts}");
    }

    #[test]
    fn few_parts_at_every_place() {
        let (mut tried, mut state) = (Tried::all(), 2);
        for unit in ["a", " ", "1", "!", "\n", "中", "x y "] {
            for shift in 0..70 {
                for _ in 0..20 {
                    let parts: String = (0..4).map(|_| PARTS[random(&mut state) % PARTS.len()]).collect();
                    check(&(unit.repeat(shift) + &parts), &mut tried);
                    check(&(unit.repeat(shift) + &parts + &unit.repeat(70)), &mut tried);
                }
            }
        }
    }

    #[test]
    fn every_three_classes_at_the_edge_of_a_block() {
        const CLASSES: [char; 19] = [
            ' ',
            '\n',
            '\u{3000}',
            '\'',
            '!',
            '‘',
            's',
            'A',
            'é',
            '中',
            'カ',
            '・',
            '〇',
            '⼀',
            '\u{301}',
            '7',
            '²',
            '\0',
            '\u{11DE0}',
        ];
        let mut tried = Tried::all();
        for length in [61, 63] {
            let start = "word ".repeat(13);
            for (one, two, three) in CLASSES
                .into_iter()
                .flat_map(|one| CLASSES.into_iter().flat_map(move |two| CLASSES.map(|three| (one, two, three))))
            {
                check(&format!("{}{one}{two}{three}a", &start[..length]), &mut tried);
            }
        }
    }

    #[test]
    fn every_character_in_every_context() {
        let mut tried = Tried::all();
        let contexts = |c| ['a', c, 'b', ' ', c, ' ', 'c', c, '\u{301}', 'b', '1', c, '\n', c, '!', c, '\'', c, 'A', c];
        // Of a plane without characters, or with private ones only, the first and the last block are enough.
        let is_uniform = |plane: u32| (4..14).contains(&plane) || plane > 14;
        let at_edge = |first: u32| matches!(first & 0xffff, 0 | 0xfc00);
        let blocks = (0..0x11_0000_u32).step_by(0x400).filter(|&first| !is_uniform(first >> 16) || at_edge(first));
        for first in blocks {
            let text: String = (first..first + 0x400).filter_map(char::from_u32).flat_map(contexts).collect();
            check(&text, &mut tried);
        }
    }

    #[test]
    fn long_runs() {
        let mut tried = Tried::all();
        for unit in [
            "a",
            "A",
            " ",
            "\n",
            "\r\n",
            "_",
            "1",
            "１",
            "'",
            "'s",
            "中",
            "é",
            "\u{301}",
            "\u{3000}",
            "aB",
            "中A",
            "\t \n",
            "(a",
            "カ・",
            "ー",
            "あ1",
            "\0",
            "\u{11DE0}",
            "〇",
            "⼀",
        ] {
            for length in [63, 64, 65, 127, 128, 129, 1000] {
                let run = unit.repeat(length);
                check(&run, &mut tried);
                check(&format!("x{run}!"), &mut tried);
                check(&format!(" {run}x"), &mut tried);
                check(&format!("!{run}\n  y"), &mut tried);
            }
        }
    }

    #[test]
    #[ignore = "measures the speed of cutting the file that TEXT names"]
    fn speed() {
        let text = std::fs::read_to_string(std::env::var("TEXT").unwrap()).unwrap();
        for mut tried in Tried::all() {
            tried.check(&text);
            for chunker in &tried.1 {
                let mut list = ChunkList::default();
                let best = (0..80).map(|_| {
                    let (start, mut count) = (Instant::now(), 0);
                    let Ok(()) = chunker.cut(&text, 0, false, &mut list, |chunks| {
                        count += chunks.count();
                        Ok::<_, std::convert::Infallible>(())
                    });
                    (start.elapsed().as_nanos(), count)
                });
                let (nanos, count) = best.min().unwrap();
                let speed = 1000 * text.len() as u128 / nanos;
                eprintln!(
                    "{:?} {:8} {speed:6} MB/s {:.1} bytes per pre-token",
                    chunker.matcher,
                    chunker.kernel(),
                    text.len() as f64 / count as f64
                );
            }
        }
    }
}
