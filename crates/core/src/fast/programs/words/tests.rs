//! Tests of the pieces that are found in blocks.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Instant;

use super::*;
use crate::fast::list::ChunkList;
use crate::fast::plan::{chunks_of, random};
use crate::normalize::{Normalizer, UnicodeForm};
use crate::pretokenize::words::Words;
use crate::pretokenize::{Behavior, PreTokenizer, Split};
use crate::settings::ByteLevel;
use crate::text::pattern::Pattern;
use crate::text::runs::RunPattern;
use crate::text::unicode::Class;

const KERNELS: [&str; 5] = ["scalar", "AVX-512 emulated", "SSSE3", "AVX2", "AVX-512"];

/// Returns the programs of all grammars whose matches are all pre-tokens, and of divisions that end with a grammar.
fn programs() -> Vec<WordProgram> {
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
        let program = WordProgram::of_divisions(Divisions::into_words(steps, true));
        assert!(program.grammar().is_some(), "{program:?}");
        program
    });
    let named = |name| Grammar::named(name).unwrap();
    let one_by_one = [
        [Division::Grammar(named("thousands")), Division::Grammar(Grammar::O200K)],
        [Division::Paragraphs(named("newlines")), Division::Grammar(named("qwen2"))],
    ];
    let one_by_one = one_by_one.into_iter().map(|steps| {
        let steps = steps.into_iter().collect();
        WordProgram::of_divisions(Divisions::into_words(steps, true))
    });
    let grammars = Grammar::all().filter(|grammar| !grammar.leaves_text());
    let grammars = grammars.map(|grammar| WordProgram::of_matches(grammar, true, false));
    grammars.chain(divided).chain(one_by_one).collect()
}

/// Returns the plan of a program for texts without a normalizer.
fn plan(program: WordProgram) -> CutPlan {
    program.plan(&WordSplitter::default()).unwrap()
}

/// Returns a plan whose pieces are found one at a time; `None` if text may be between them.
fn one_by_one(plan: &CutPlan) -> Option<CutPlan> {
    let Program::Words(program) = &plan.program else { return None };
    let program = WordProgram { matcher: StartFinder::OneByOne, ..program.clone() };
    (!plan.has_gaps).then(|| CutPlan { program: Program::Words(program), ..plan.clone() })
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

/// The plans of some divisions for each kernel that this machine runs.
struct Tried(Arc<[Division]>, Vec<CutPlan>);

impl Tried {
    fn all() -> Vec<Self> {
        let kernels = |program: WordProgram| {
            let (divisions, plan) = (program.divisions.steps.clone(), plan(program));
            let with = |kernel| plan.clone().with_kernel(kernel);
            Self(divisions, KERNELS.into_iter().filter_map(with).chain(one_by_one(&plan)).collect())
        };
        programs().into_iter().map(kernels).collect()
    }

    fn check(&self, text: &str) {
        let Self(divisions, plans) = self;
        let mut wanted = Vec::new();
        divide(divisions, text, 0, &mut wanted);
        for plan in plans {
            let found = chunks_of(plan, text);
            let equal = found.iter().zip(&wanted).take_while(|(found, wanted)| found == wanted).count();
            let next = [&found, &wanted].map(|pieces| pieces[equal..].first().map(|&(start, end)| &text[start..end]));
            let name = (divisions, plan.kernel());
            assert!(found == wanted, "{name:?} found {:?} wanted {:?} in {text:?}", next[0], next[1]);
        }
    }
}

fn check(text: &str, tried: &[Tried]) {
    tried.iter().for_each(|tried| tried.check(text));
}

/// Characters of each class that grammars distinguish, and combinations at their boundaries.
const PARTS: [&str; 86] = [
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
    "_",
    "$",
    "+",
    "Ab",
    "あ",
    "12345",
    "²",
    "１２",
    "…",
    "€",
    "🙂",
];

#[test]
fn every_kernel_finds_what_the_grammar_finds() {
    let (tried, mut state) = (Tried::all(), 1);
    for parts in (0..4000).map(|round| if round % 8 == 0 { 300 } else { round % 60 }) {
        let text: String = (0..parts).map(|_| PARTS[random(&mut state) % PARTS.len()]).collect();
        check(&text, &tried);
    }
}

#[test]
fn the_parts_of_a_text_have_its_pre_tokens() {
    let (mut state, mut cuts) = (3, 0);
    let all = programs();
    for _ in 0..3000 {
        let text: String = (0..12).map(|_| PARTS[random(&mut state) % PARTS.len()]).collect();
        for program in &all {
            let found = |from: usize, to: usize| {
                let mut found = Vec::new();
                divide(&program.divisions.steps, &text[from..to], from, &mut found);
                found
            };
            let whole = found(0, text.len());
            for at in (1..text.len()).filter(|&at| program.is_safe_split_point(text.as_bytes(), at)) {
                let parts = [found(0, at), found(at, text.len())].concat();
                assert_eq!(parts, whole, "{:?} {text:?} {at}", program.divisions);
                cuts += 1;
            }
        }
    }
    assert!(cuts > 20_000, "{cuts}");
}

#[test]
fn few_parts_at_every_place() {
    let (tried, mut state) = (Tried::all(), 2);
    for unit in ["a", " ", "1", "!", "\n", "中", "x y "] {
        for shift in 0..70 {
            for _ in 0..20 {
                let parts: String = (0..4).map(|_| PARTS[random(&mut state) % PARTS.len()]).collect();
                check(&(unit.repeat(shift) + &parts), &tried);
                check(&(unit.repeat(shift) + &parts + &unit.repeat(70)), &tried);
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
    let tried = Tried::all();
    for length in [61, 63] {
        let start = "word ".repeat(13);
        for (one, two, three) in CLASSES
            .into_iter()
            .flat_map(|one| CLASSES.into_iter().flat_map(move |two| CLASSES.map(|three| (one, two, three))))
        {
            check(&format!("{}{one}{two}{three}a", &start[..length]), &tried);
        }
    }
}

#[test]
fn every_character_in_every_context() {
    let tried = Tried::all();
    let contexts = |c| ['a', c, 'b', ' ', c, ' ', 'c', c, '\u{301}', 'b', '1', c, '\n', c, '!', c, '\'', c, 'A', c];
    // Of a plane without characters, or with private ones only, the first and the last block are enough.
    let is_uniform = |plane: u32| (4..14).contains(&plane) || plane > 14;
    let at_edge = |first: u32| matches!(first & 0xffff, 0 | 0xfc00);
    let blocks = (0..0x11_0000_u32).step_by(0x400).filter(|&first| !is_uniform(first >> 16) || at_edge(first));
    for first in blocks {
        let text: String = (first..first + 0x400).filter_map(char::from_u32).flat_map(contexts).collect();
        check(&text, &tried);
    }
}

#[test]
fn long_runs() {
    let tried = Tried::all();
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
            check(&run, &tried);
            check(&format!("x{run}!"), &tried);
            check(&format!(" {run}x"), &tried);
            check(&format!("!{run}\n  y"), &tried);
        }
    }
}

#[test]
#[ignore = "measures the speed of cutting the file that TEXT names"]
fn speed() {
    let text = std::fs::read_to_string(std::env::var("TEXT").unwrap()).unwrap();
    for tried in Tried::all() {
        tried.check(&text);
        for plan in &tried.1 {
            let mut list = ChunkList::default();
            let best = (0..80).map(|_| {
                let (start, mut count) = (Instant::now(), 0);
                let Ok(()) = plan.cut(&text, 0, false, &mut list, |chunks| {
                    count += chunks.iter().count();
                    Ok::<_, Infallible>(())
                });
                (start.elapsed().as_nanos(), count)
            });
            let (nanos, count) = best.min().unwrap();
            let speed = 1000 * text.len() as u128 / nanos;
            let size = text.len() as f64 / count as f64;
            eprintln!("{:?} {:8} {speed:6} MB/s {size:.1} bytes per pre-token", tried.0, plan.kernel());
        }
    }
}

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
            vec![PreTokenizer::Punctuation(Behavior::Contiguous), bytes(true), digits(false), split("[0-9][0-9][0-9]")],
            false,
        ),
        (vec![PreTokenizer::Punctuation(Behavior::Isolated), split(Grammar::CL100K.pattern()), bytes(false)], true),
        (vec![digits(false), split(Grammar::O200K.pattern()), split(r"a|\s+")], false),
        (vec![split(r" ?[^(\s|[.,!?…。，、।۔،])]+"), bytes(false)], true),
        (vec![split(r"[a-z ]+"), split(r"\p{N}{1,3}")], true),
        (vec![split(r"[^a]{1,3}"), split(r"\s?\p{L}+"), split(r"[\n\s]")], true),
        (vec![split(r"[^1]{1,2}"), bytes(true)], true),
        (vec![split(Grammar::O200K.pattern()), bytes(true)], true),
        (vec![split(Grammar::O200K.pattern()), split(r"\p{L}+"), PreTokenizer::Punctuation(Behavior::Removed)], false),
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

/// Returns the words of a piece that does not change when it is normalized.
fn words_of_piece(plan: &CutPlan, piece: &str) -> Vec<String> {
    words(plan.piece_splitter(piece, false).unwrap(), piece)
}

/// Checks that the words of a text are those of its pieces, and those of its two parts at each safe split point.
fn check_words(plan: &CutPlan, splitter: &WordSplitter, are_words: bool) {
    assert_eq!(plan.model_input("a", false, false, &mut String::new()).is_some(), are_words);
    let (mut state, mut safe) = (3, 0);
    for length in (0..60).cycle().take(3_000).chain([400]) {
        let text: String = (0..length).map(|_| PARTS[random(&mut state) % PARTS.len()]).collect();
        let wanted = words(splitter, &text);
        let pieces = chunks_of(plan, &text);
        let found: Vec<_> = pieces.iter().flat_map(|&(start, end)| words_of_piece(plan, &text[start..end])).collect();
        assert_eq!(found, wanted, "{splitter:?} {text:?}");
        assert!(!are_words || pieces.len() == wanted.len(), "{splitter:?} {text:?}");
        for at in (1..text.len()).filter(|&at| plan.is_safe_split_point(text.as_bytes(), at)) {
            let parts = [words(splitter, &text[..at]), words(splitter, &text[at..])];
            assert_eq!(parts.concat(), wanted, "{splitter:?} {text:?} {at}");
            safe += 1;
        }
    }
    assert!(safe > 100, "{splitter:?} {safe}");
}

/// Returns a splitter by pre-tokenizers in a row, and its plan.
fn sequence_plan(sequence: Vec<PreTokenizer>) -> (WordSplitter, CutPlan) {
    let splitter = WordSplitter::new(None, Some(PreTokenizer::Sequence(sequence))).unwrap();
    let plan = CutPlan::of_words(&splitter).unwrap();
    (splitter, plan)
}

#[test]
fn the_words_of_pieces_are_those_of_the_text() {
    let mut kinds = [0; 3];
    for (sequence, are_words) in sequences() {
        let (splitter, plan) = sequence_plan(sequence);
        check_words(&one_by_one(&plan).unwrap(), &splitter, are_words);
        check_words(&plan, &splitter, are_words);
        let Program::Words(WordProgram { matcher, .. }) = &plan.program else { unreachable!("words have a program") };
        kinds[match matcher {
            StartFinder::Grammar(_) => 0,
            StartFinder::Runs(_) => 1,
            StartFinder::OneByOne => 2,
        }] += 1;
    }
    assert_eq!(kinds, [4, 2, 10]);
}

/// Checks that each kernel finds the pieces that are found one at a time.
fn check_kernels(plan: &CutPlan, text: &str) {
    let wanted = chunks_of(&one_by_one(plan).unwrap(), text);
    for kernel in KERNELS {
        let Some(plan) = plan.clone().with_kernel(kernel) else { continue };
        let found = chunks_of(&plan, text);
        assert!(found == wanted, "{:?} {kernel} {text:?} {found:?} {wanted:?}", plan.program);
    }
}

#[test]
fn every_kernel_finds_the_pieces_of_runs() {
    let mut state = 5;
    let all = sequences().into_iter().map(|(sequence, _)| sequence).chain([
        vec![PreTokenizer::Punctuation(Behavior::Contiguous), PreTokenizer::Digits { individual: false }],
        vec![split(r"[\r\n]"), split(r"\s?[A-Za-zµÀ-ÖØ-öø-ƺ]+"), split("\\s?[!-/:-~！-／：-～‘-‟\u{3000}-。]+")],
        vec![split(r" ?[ !]+"), split(r" ?[.中]")],
    ]);
    let plans = all.map(|sequence| sequence_plan(sequence).1);
    let is_of_runs =
        |plan: &CutPlan| matches!(&plan.program, Program::Words(WordProgram { matcher: StartFinder::Runs(_), .. }));
    let plans: Vec<_> = plans.filter(is_of_runs).collect();
    assert_eq!(plans.len(), 5);
    for plan in &plans {
        for unit in ["a", " ", "1", "!", "中", "\u{3000}", "(a "] {
            for shift in 0..70 {
                for after in [0, 70] {
                    let parts: String = (0..4).map(|_| PARTS[random(&mut state) % PARTS.len()]).collect();
                    check_kernels(plan, &(unit.repeat(shift) + &parts + &unit.repeat(after)));
                }
            }
        }
        let contexts = |c| ['a', c, ' ', c, c, '\u{301}', '1', c, '\n', c, '!', c, '中', c];
        for first in (0..0x2_0000_u32).step_by(0x400) {
            let text: String = (first..first + 0x400).filter_map(char::from_u32).flat_map(contexts).collect();
            check_kernels(plan, &text);
        }
    }
}

#[test]
fn short_lines_fill_lists_of_any_matcher() {
    for (sequence, _) in sequences() {
        let (_, plan) = sequence_plan(sequence);
        for plan in [one_by_one(&plan).unwrap(), plan] {
            let (mut list, mut ends) = (ChunkList::default(), Vec::new());
            let Ok(()) = plan.cut(&"\n".repeat(5_000), 0, true, &mut list, |pieces| {
                ends.extend(pieces.iter().map(|(_, end)| end));
                Ok::<_, Infallible>(())
            });
            assert_eq!(ends, (1..=5_000).collect::<Vec<_>>());
        }
    }
}

#[test]
fn regions_fill_lists_of_any_matcher() {
    let text = ("word ".repeat(120) + "\u{bd}").repeat(12);
    for (sequence, _) in sequences() {
        let form = Normalizer::Form(UnicodeForm::Nfkc);
        let splitter = WordSplitter::new(Some(form), Some(PreTokenizer::Sequence(sequence))).unwrap();
        let plan = CutPlan::of_words(&splitter).unwrap();
        for plan in [one_by_one(&plan).unwrap(), plan] {
            let chunks = chunks_of(&plan, &text);
            let words_of = |chunk| words(plan.piece_splitter(chunk, false).unwrap_or(&splitter), chunk);
            let found: Vec<_> = chunks.iter().flat_map(|&(start, end)| words_of(&text[start..end])).collect();
            assert_eq!(found, words(&splitter, &text), "{splitter:?}");
        }
    }
}

#[test]
fn pieces_of_lines_end_with_the_lines() {
    let (_, plan) = sequence_plan(sequences().swap_remove(0).0);
    let (mut list, mut ends) = (ChunkList::default(), Vec::new());
    let Ok(()) = plan.cut("a\n\nb \n 1", 0, true, &mut list, |pieces| {
        ends.extend(pieces.iter().map(|(_, end)| end));
        Ok::<_, Infallible>(())
    });
    assert_eq!(ends, [1, 2, 3, 4, 6, 7, 8]);
}
