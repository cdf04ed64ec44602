//! Cuts a text into the pieces of several patterns in a row.
//!
//! Each pattern divides the pieces of the one before: the text into runs of digits and other text, that into words. Patterns
//! of well-known models that end with a grammar are cut by [`PreTokenChunker`](super::words::PreTokenChunker) instead.
//! Runs of characters alone are cut a block at a time, all others one piece at a time.

use super::runs::{RunMatcher, SETS};
use crate::fast::chunker::{Capabilities, Chunker, ModelInput};
use crate::fast::list::{BLOCKS, ChunkList, ChunkRanges};
use crate::fast::masks::{BLOCK, BlockLoop, Masks, SCALAR};
use crate::fast::text::last;
use crate::fast::unchanged::{Region, Regions, Unchanged};
use crate::pretokenize::boundary::Boundary;
use crate::pretokenize::divisions::{Divisions, PieceEnds};
use crate::splitter::WordSplitter;
use crate::text::unicode::{Category, category};

/// The number of pieces that are listed at a time.
const TOGETHER: usize = 128;

/// Cuts texts into pieces.
#[derive(Debug, Clone)]
pub(in crate::fast) struct DivisionChunker {
    divisions: Divisions,
    /// The characters whose regions are cut into pieces; other regions are one chunk.
    unchanged: Unchanged,
    /// Finds the pieces of a block; `None` if one of the divisions is a grammar.
    runs: Option<RunMatcher>,
}

impl DivisionChunker {
    /// Returns the chunker of a splitter that begins with divisions, if its normalizer preserves their pieces.
    pub(in crate::fast) fn of(splitter: &WordSplitter) -> Option<Self> {
        let Boundary::Divisions(divisions) = splitter.boundary()? else { return None };
        let runs = RunMatcher::of(&divisions.steps);
        Unchanged::of(splitter).map(|unchanged| Self { divisions, unchanged, runs })
    }
}

impl Chunker for DivisionChunker {
    fn with_kernel(self, name: &str) -> Option<Self> {
        match self.runs {
            Some(runs) => Some(Self { runs: Some(runs.with_kernel(name)?), ..self }),
            None => (name == SCALAR).then_some(self),
        }
    }

    fn kernel(&self) -> &'static str {
        self.runs.as_ref().map_or(SCALAR, |runs| runs.classifier().name())
    }

    fn capabilities(&self) -> Capabilities {
        let Divisions { writes_bytes, are_words, .. } = self.divisions;
        let may_cut_words = writes_bytes && are_words && self.unchanged.is_all();
        Capabilities { may_cut_words, ..Capabilities::default() }
    }

    fn cut<E>(
        &self,
        text: &str,
        _: usize,
        lines: bool,
        list: &mut ChunkList,
        mut take: impl FnMut(ChunkRanges<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let regions = Regions::new(lines);
        let mut cutter = Cutter { chunker: self, text, at: 0, regions, ends: PieceEnds::default() };
        list.clear();
        list.begin(0);
        while cutter.at < text.len() {
            match &self.runs {
                Some(runs) => runs.classifier().run(Blocks { cutter: &mut cutter, runs, list }),
                None => cutter.list_pieces(list),
            }
            take(list.contiguous())?;
            list.remove_closed();
        }
        Ok(())
    }

    /// Returns whether white space begins at a byte after a letter or number, and one of the patterns separates them.
    fn is_safe_split_point(&self, text: &[u8], at: usize) -> bool {
        let blank = text[at];
        let is_word = |c: char| category(c).intersects(Category::LETTER.union(Category::NUMBER));
        let is_separate = |c: char| is_word(c) && self.divisions.separate(c, char::from(blank));
        matches!(blank, b'\t'..=b'\r' | b' ')
            && last(&text[..at]).is_some_and(|c| is_separate(c) && self.unchanged.contains_char(c))
    }

    fn can_count_blocks(&self, keep_ends: bool) -> bool {
        keep_ends && self.unchanged.is_all()
    }

    fn model_input<'a>(&self, chunk: &'a str, _: bool, _: bool, _: &'a mut String) -> Option<ModelInput<'a>> {
        let input = if self.divisions.writes_bytes { ModelInput::Bytes } else { ModelInput::Word };
        (self.divisions.are_words && self.unchanged.contains(chunk)).then(|| input(chunk))
    }
}

/// Finds the pieces of a text from left to right.
struct Cutter<'a> {
    chunker: &'a DivisionChunker,
    text: &'a str,
    /// The end of the last piece.
    at: usize,
    /// The regions of the text, whose ends no piece spans.
    regions: Regions,
    ends: PieceEnds,
}

impl Cutter<'_> {
    /// Lists the next pieces, one at a time.
    fn list_pieces(&mut self, list: &mut ChunkList) {
        for _ in 0..TOGETHER {
            if self.at == self.text.len() {
                break;
            }
            self.at = match self.region() {
                Region::Pieces(end) => self.piece_end(end),
                Region::Whole(end) => end,
            };
            list.begin(self.at);
        }
    }

    /// Returns the region that contains the end of the last piece.
    #[inline]
    fn region(&mut self) -> Region {
        let is_safe = |text: &[u8], at| self.chunker.is_safe_split_point(text, at);
        self.regions.at(self.text, self.at, &self.chunker.unchanged, is_safe)
    }

    /// Returns the end of the next piece in a region with this end.
    #[inline]
    fn piece_end(&mut self, end: usize) -> usize {
        self.ends.next(&self.chunker.divisions.steps, &self.text[..end], self.at)
    }
}

/// The next blocks of a text, whose pieces are listed.
struct Blocks<'b, 'a> {
    cutter: &'b mut Cutter<'a>,
    runs: &'b RunMatcher,
    list: &'b mut ChunkList,
}

impl BlockLoop<SETS> for Blocks<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(self, masks: impl Fn(&[u8; BLOCK]) -> Masks<SETS>) {
        let Self { cutter, runs, list } = self;
        for _ in 0..BLOCKS {
            if cutter.at == cutter.text.len() {
                break;
            }
            let end = match cutter.region() {
                Region::Pieces(end) => end,
                Region::Whole(end) => {
                    cutter.at = end;
                    list.begin(end);
                    continue;
                }
            };
            let (starts, length) = runs.starts(&cutter.text[..end], cutter.at, &masks);
            list.add_contiguous(cutter.at, starts);
            cutter.at = match starts.checked_ilog2() {
                _ if cutter.at + length == end => end,
                // The end of the last piece is not known.
                Some(last) => {
                    cutter.at += last as usize;
                    continue;
                }
                None => cutter.piece_end(end),
            };
            list.begin(cutter.at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fast::chunker::{chunks_of, random};
    use crate::fast::programs::words::PreTokenChunker;
    use crate::pretokenize::words::Words;
    use crate::pretokenize::{Behavior, PreTokenizer, Split};
    use crate::settings::ByteLevel;
    use crate::text::grammar::Grammar;
    use crate::text::pattern::Pattern;

    const PARTS: [&str; 40] = [
        " ",
        "  ",
        "\n",
        "\r\n",
        "\t",
        "\u{85}",
        "\u{3000}",
        "\u{a0}",
        "'",
        "'s",
        "'LL",
        "!",
        "!!",
        "_",
        "$",
        "+",
        "a",
        "Ab",
        "word",
        "É",
        "é",
        "e\u{301}",
        "\u{301}",
        "ǅ",
        "中",
        "中文",
        "あ",
        "한국",
        "1",
        "12345",
        "²",
        "１２",
        "٣",
        "\u{200b}",
        "\0",
        "…",
        "€",
        "🙂",
        "ไทย",
        "\u{11de0}",
    ];

    fn split(pattern: &str) -> PreTokenizer {
        PreTokenizer::Split(Split {
            pattern: Pattern::regex(pattern).unwrap(),
            behavior: Behavior::Isolated,
            invert: false,
        })
    }

    fn bytes(use_regex: bool) -> PreTokenizer {
        PreTokenizer::ByteLevel(ByteLevel { use_regex, add_prefix_space: false, trim_offsets: true })
    }

    /// Returns sequences of well-known models and some others, and whether their pieces are words.
    fn sequences() -> Vec<(Vec<PreTokenizer>, bool)> {
        let digits = |individual| PreTokenizer::Digits { individual };
        let deepseek = || split(Grammar::named("deepseek").unwrap().pattern());
        vec![
            (vec![digits(true), bytes(true)], true),
            (vec![split(r"\p{N}{1,3}"), split("[一-龥぀-ゟ゠-ヿ]+"), deepseek(), bytes(false)], true),
            (vec![deepseek()], true),
            (
                vec![
                    split(r"[\r\n]"),
                    split(r"\s?\p{L}+"),
                    split(r"\s?\p{P}+"),
                    split("[一-龥ࠀ-一가-퟿]+"),
                    digits(true),
                    bytes(false),
                ],
                true,
            ),
            (
                vec![
                    PreTokenizer::Punctuation(Behavior::Contiguous),
                    bytes(true),
                    digits(false),
                    split("[0-9][0-9][0-9]"),
                ],
                false,
            ),
            (vec![PreTokenizer::Punctuation(Behavior::Isolated), split(Grammar::CL100K.pattern()), bytes(false)], true),
            (vec![digits(false), split(Grammar::O200K.pattern()), split(r"a|\s+")], false),
            (vec![split(r" ?[^(\s|[.,!?…。，、।۔،])]+"), bytes(false)], true),
            (vec![split(r"[a-z ]+"), split(r"\p{N}{1,3}")], true),
            (vec![split(r"[^a]{1,3}"), split(r"\s?\p{L}+"), split(r"[\n\s]")], true),
            (vec![split(r"[^1]{1,2}"), bytes(true)], true),
            (vec![split(r"\p{N}{1,3}"), split(Grammar::named("minicpm5").unwrap().pattern()), bytes(false)], true),
            (vec![split("[一-龥぀-ゟ゠-ヿ]+"), split(Grammar::named("spark").unwrap().pattern()), digits(true)], true),
            (vec![split("[一-龥぀-ゟ゠-ヿ]+"), split(Grammar::named("qwen2").unwrap().pattern()), bytes(false)], true),
        ]
    }

    fn words(splitter: &WordSplitter, text: &str) -> Vec<String> {
        let mut words = Words::default();
        splitter.split(text, false, &mut words).unwrap();
        words.iter().map(str::to_owned).collect()
    }

    /// Checks that the words of a text are those of its pieces, and those of its two parts at each safe split point.
    fn check(chunker: &impl Chunker, splitter: &WordSplitter, are_words: bool) {
        assert_eq!(chunker.model_input("a", false, false, &mut String::new()).is_some(), are_words);
        let (mut state, mut safe) = (3, 0);
        for length in (0..60).cycle().take(3_000).chain([400]) {
            let text: String = (0..length).map(|_| PARTS[random(&mut state) % PARTS.len()]).collect();
            let wanted = words(splitter, &text);
            let pieces = chunks_of(chunker, &text);
            let found: Vec<_> = pieces.iter().flat_map(|&(start, end)| words(splitter, &text[start..end])).collect();
            assert_eq!(found, wanted, "{splitter:?} {text:?}");
            assert!(!are_words || pieces.len() == wanted.len(), "{splitter:?} {text:?}");
            for at in (1..text.len()).filter(|&at| chunker.is_safe_split_point(text.as_bytes(), at)) {
                let parts = [words(splitter, &text[..at]), words(splitter, &text[at..])];
                assert_eq!(parts.concat(), wanted, "{splitter:?} {text:?} {at}");
                safe += 1;
            }
        }
        assert!(safe > 200, "{splitter:?} {safe}");
    }

    #[test]
    fn the_words_of_pieces_are_those_of_the_text() {
        let mut by_blocks = 0;
        for (sequence, are_words) in sequences() {
            let splitter = WordSplitter::new(None, Some(PreTokenizer::Sequence(sequence))).unwrap();
            let chunker = DivisionChunker::of(&splitter).unwrap();
            check(&DivisionChunker { runs: None, ..chunker.clone() }, &splitter, are_words);
            check(&chunker, &splitter, are_words);
            if let Some(chunker) = PreTokenChunker::of(&splitter) {
                check(&chunker, &splitter, are_words);
                by_blocks += 1;
            }
        }
        assert_eq!(by_blocks, 4);
    }

    /// Checks that each kernel finds the pieces that are found one at a time.
    fn check_kernels(chunker: &DivisionChunker, text: &str) {
        let wanted = chunks_of(&DivisionChunker { runs: None, ..chunker.clone() }, text);
        for kernel in ["scalar", "SSSE3", "AVX2", "AVX-512"] {
            let Some(chunker) = chunker.clone().with_kernel(kernel) else { continue };
            let found = chunks_of(&chunker, text);
            assert!(found == wanted, "{:?} {kernel} {text:?} {found:?} {wanted:?}", chunker.divisions);
        }
    }

    #[test]
    fn every_kernel_finds_the_pieces_of_runs() {
        let mut state = 5;
        let splitters = sequences().into_iter().map(|(sequence, _)| sequence).chain([
            vec![PreTokenizer::Punctuation(Behavior::Contiguous), PreTokenizer::Digits { individual: false }],
            vec![split(r"[\r\n]"), split(r"\s?[A-Za-zµÀ-ÖØ-öø-ƺ]+"), split("\\s?[!-/:-~！-／：-～‘-‟\u{3000}-。]+")],
            vec![split(r" ?[ !]+"), split(r" ?[.中]")],
        ]);
        let chunkers = splitters.map(|sequence| {
            let splitter = WordSplitter::new(None, Some(PreTokenizer::Sequence(sequence))).unwrap();
            DivisionChunker::of(&splitter).unwrap()
        });
        let chunkers: Vec<_> = chunkers.filter(|chunker| chunker.runs.is_some()).collect();
        assert_eq!(chunkers.len(), 5);
        for chunker in &chunkers {
            for unit in ["a", " ", "1", "!", "中", "\u{3000}", "(a "] {
                for shift in 0..70 {
                    for after in [0, 70] {
                        let parts: String = (0..4).map(|_| PARTS[random(&mut state) % PARTS.len()]).collect();
                        check_kernels(chunker, &(unit.repeat(shift) + &parts + &unit.repeat(after)));
                    }
                }
            }
            let contexts = |c| ['a', c, ' ', c, c, '\u{301}', '1', c, '\n', c, '!', c, '中', c];
            for first in (0..0x2_0000_u32).step_by(0x400) {
                let text: String = (first..first + 0x400).filter_map(char::from_u32).flat_map(contexts).collect();
                check_kernels(chunker, &text);
            }
        }
    }

    #[test]
    fn pieces_of_lines_end_with_the_lines() {
        let splitter = WordSplitter::new(None, Some(PreTokenizer::Sequence(sequences().swap_remove(0).0))).unwrap();
        let chunker = DivisionChunker::of(&splitter).unwrap();
        let (mut list, mut ends) = (ChunkList::default(), Vec::new());
        let Ok(()) = chunker.cut("a\n\nb \n 1", 0, true, &mut list, |pieces| {
            ends.extend(pieces.map(|(_, end)| end));
            Ok::<_, std::convert::Infallible>(())
        });
        assert_eq!(ends, [1, 2, 3, 4, 6, 7, 8]);
    }
}
