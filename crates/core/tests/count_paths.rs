//! Counting on the fast path gives the table of the generic path, for all splitters, texts and orders of counting.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "in a test a panic is the message, and its numbers are small"
)]

mod random;

use piecework_core::counts::{BlockStart, Counter, Lines, WordCounts};
use piecework_core::format::read_splitter;
use piecework_core::splitter::WordSplitter;
use piecework_core::text::grammar::Grammar;
use random::Random;
use serde_json::{Value, json};

/// Parts of words and of the text between them: characters that are removed, reordered, expanded, or split off.
const PIECES: [&str; 44] = [
    "a",
    "b",
    "ab",
    "A",
    "B",
    "é",
    "É",
    "e\u{301}",
    "\u{301}",
    "\u{316}\u{301}",
    "İ",
    "ß",
    "Σ",
    "ς",
    "中",
    "文",
    "한",
    "각",
    "か\u{3099}",
    " ",
    "  ",
    "\t",
    "\r",
    "\u{b}",
    "\u{c}",
    "\u{85}",
    "\u{3000}",
    "\u{2028}",
    "_",
    "1",
    "23",
    "٣",
    "!",
    "-",
    "$",
    "。",
    "ﬁ",
    "\u{200b}",
    "\u{ad}",
    "\u{feff}",
    "😀",
    "\0",
    "\u{1f}",
    "longer than any key",
];

/// Returns words of one or more pieces, some of them long.
fn vocabulary(random: &mut Random) -> Vec<String> {
    let word = |random: &mut Random| (0..=random.below(6)).map(|_| random.pick(&PIECES)).collect::<String>();
    let mut words: Vec<String> = (0..60).map(|_| word(random)).collect();
    words.push("x".repeat(300));
    words.push("é1".repeat(70));
    words
}

fn document(random: &mut Random, vocabulary: &[String]) -> String {
    let between = random.pick(&["", " ", " ", "."]);
    let text: String = (0..random.below(12)).map(|_| random.pick(vocabulary) + between).collect();
    text.trim_end_matches('\r').to_owned()
}

/// Returns a random splitter; most of them have a fast path.
fn splitter(random: &mut Random) -> WordSplitter {
    let bert = json!({
        "type": "BertNormalizer", "clean_text": random.flag(), "handle_chinese_chars": random.flag(),
        "strip_accents": random.pick(&[None, Some(true), Some(false)]), "lowercase": random.flag(),
    });
    let several = json!({"type": "Sequence", "normalizers": [
        {"type": random.pick(&["NFD", "NFC", "NFKC"])}, {"type": "Lowercase"}, {"type": "StripAccents"},
    ]});
    let spaces = json!({"type": random.pick(&["BertPreTokenizer", "Whitespace", "WhitespaceSplit", "UnicodeScripts"])});
    let digits = json!({"type": "Digits", "individual_digits": random.flag()});
    let punctuation = json!({"type": "Punctuation", "behavior": random.pick(&["Isolated", "Isolated", "Removed"])});
    let steps = [spaces.clone(), digits, punctuation];
    let sequence = json!({"type": "Sequence", "pretokenizers": &steps[..=random.below(3)]});
    let settings = json!({
        "normalizer": random.pick(&[bert, several, Value::Null]),
        "pre_tokenizer": random.pick(&[spaces, sequence]),
    });
    read_splitter(&settings.to_string(), &[]).unwrap()
}

fn generic_counts(splitter: &WordSplitter, documents: &[String]) -> WordCounts {
    let mut counter = Counter::generic(splitter.clone());
    for (number, document) in (7..).zip(documents) {
        counter.add_text(number, document).unwrap();
    }
    counter.finish().unwrap()
}

/// Counts the documents on several counters, sometimes out of order, and returns the sum.
fn in_shards(random: &mut Random, splitter: &WordSplitter, documents: &[String]) -> WordCounts {
    let mut counters: Vec<_> = (0..=random.below(3)).map(|_| Counter::new(splitter.clone())).collect();
    let mut order: Vec<usize> = (0..documents.len()).collect();
    if documents.len() > 1 && random.flag() {
        for _ in 0..3 {
            order.swap(random.below(documents.len()), 0);
        }
    }
    for number in order {
        let counter = random.below(counters.len());
        counters[counter].add_text(number as u64 + 7, &documents[number]).unwrap();
    }
    let mut sum = WordCounts::new(Some(splitter.clone().into()));
    for counter in counters {
        sum.merge(&counter.finish().unwrap()).unwrap();
    }
    sum
}

/// Counts the documents as lines of a file, in blocks.
fn in_blocks(random: &mut Random, splitter: &WordSplitter, documents: &[String]) -> WordCounts {
    let (mut one, mut other) = (Counter::new(splitter.clone()), Counter::new(splitter.clone()));
    let mut done = 0;
    while done < documents.len() {
        let size = (1 + random.below(9)).min(documents.len() - done);
        let ends = random.pick(&["\n", "\r\n"]);
        let mut block: String = documents[done..done + size].iter().flat_map(|document| [document, ends]).collect();
        if random.flag() {
            block.truncate(block.len() - ends.len());
        }
        let start = BlockStart { document: done as u64 + 7, line: 0, byte: 0 };
        let counter = if random.flag() { &mut one } else { &mut other };
        counter.add_lines(block.as_bytes(), start, Lines { replace: random.flag(), keep_ends: false }).unwrap();
        done += size;
    }
    let mut sum = one.finish().unwrap();
    sum.merge(&other.finish().unwrap()).unwrap();
    sum
}

#[test]
fn the_fast_path_gives_the_table_of_the_generic_path() {
    for trial in 0..600 {
        let random = &mut Random(trial);
        let splitter = splitter(random);
        let vocabulary = vocabulary(random);
        let documents: Vec<String> = (0..random.below(40)).map(|_| document(random, &vocabulary)).collect();
        let expected = generic_counts(&splitter, &documents);
        let context = format!("trial {trial}, {splitter:?}");
        assert_same(&in_shards(random, &splitter, &documents), &expected, &context);
        assert_same(&in_blocks(random, &splitter, &documents), &expected, &context);
    }
}

fn assert_same(found: &WordCounts, expected: &WordCounts, context: &str) {
    assert_eq!(found.by_word(), expected.by_word(), "{context}");
    assert_eq!(found, expected, "{context}");
    assert_eq!(found.by_first_occurrence(), expected.by_first_occurrence(), "{context}");
}

/// Returns a splitter that leaves white space in words, so that line ends count.
fn byte_level(random: &mut Random) -> WordSplitter {
    let bytes =
        |regex: bool| json!({"type": "ByteLevel", "add_prefix_space": false, "use_regex": regex, "trim_offsets": true});
    let grammars = [
        Grammar::GPT2,
        Grammar::CL100K,
        Grammar::named("llama3").unwrap(),
        Grammar::named("qwen2").unwrap(),
        Grammar::O200K,
    ];
    let pattern = random.pick(&grammars).pattern();
    let isolated = json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false});
    let sequence = json!({"type": "Sequence", "pretokenizers": [&isolated, bytes(false)]});
    let twice = json!({"type": "Sequence", "pretokenizers": [isolated, bytes(true)]});
    let settings = json!({"normalizer": null, "pre_tokenizer": random.pick(&[bytes(true), sequence, twice])});
    read_splitter(&settings.to_string(), &[]).unwrap()
}

#[test]
fn lines_with_their_ends_count_equally_on_both_paths() {
    for trial in 0..600 {
        let random = &mut Random(trial);
        let splitter = byte_level(random);
        let vocabulary = vocabulary(random);
        let ends = ["\n", "\n", "\r\n", " \n", "\n\n", "\n \n", "'\n", "'s\n"];
        let lines: Vec<String> =
            (0..random.below(40)).map(|_| document(random, &vocabulary) + random.pick(&ends)).collect();
        let (mut fast, mut general) = (Counter::new(splitter.clone()), Counter::generic(splitter.clone()));
        let (mut at, kept) = (BlockStart { document: 7, line: 0, byte: 0 }, Lines { replace: false, keep_ends: true });
        for block in lines.chunks(1 + random.below(9)) {
            let block = block.concat();
            fast.add_lines(block.as_bytes(), at, kept).unwrap();
            general.add_lines(block.as_bytes(), at, kept).unwrap();
            at = at.after(block.as_bytes());
        }
        let context = format!("trial {trial}, {splitter:?}");
        assert_same(&fast.finish().unwrap(), &general.finish().unwrap(), &context);
    }
}
