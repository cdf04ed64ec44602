//! Pipelines with metaspaces, on all paths: random models, rules and texts give the tokens of the generic path.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "in a test a panic is the message, and its numbers are small"
)]

mod paths;
mod random;

use std::sync::LazyLock;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use paths::{check, check_alone, file};
use piecework_core::added::AddedToken;
use piecework_core::format::{JsonSettings, read_tokenizer_json};
use piecework_core::normalize::Precompiled;
use piecework_core::pipeline::{EncodingPath, Input, Options, Scratch, Tokenizer};
use random::Random;
use serde_json::{Value, json};

const KERNELS: [&str; 5] = ["scalar", "AVX-512 emulated", "SSSE3", "AVX2", "AVX-512"];

/// Parts of texts: characters that rules remove, expand, join or split, unknown ones, and metaspaces.
const PARTS: [&str; 52] = [
    "a",
    "b",
    "c",
    "ab",
    "abc",
    "aa",
    "aaa",
    "A",
    "é",
    "e",
    "\u{301}",
    "\u{302}",
    "e\u{301}",
    " ",
    " ",
    " ",
    " ",
    "  ",
    "   ",
    "\t",
    "\n",
    "\r\n",
    "\n    ",
    "\u{3000}",
    "\u{a0}",
    "\u{2028}",
    "\u{85}",
    "\u{b}",
    "\u{1}",
    "\u{7f}",
    "\0",
    "▁",
    "▁▁",
    "\u{200b}",
    "中",
    "文",
    "中文",
    "国",
    "か",
    "\u{3099}",
    "カ",
    "ｶ\u{ff9e}",
    "㍿",
    "①",
    "ไ",
    "ท",
    "한",
    "👩\u{200d}👩",
    "x",
    "''",
    "-----",
    "1",
];

/// Rules for one or several characters that write spaces, nothing, or more than they replace.
const RULES: [(&str, &str); 17] = [
    ("\t", " "),
    ("\n", " "),
    ("\r", " "),
    ("\u{3000}", " "),
    ("\u{a0}", " "),
    ("\u{2028}", " "),
    ("\u{200b}", ""),
    ("\u{1}", ""),
    ("\u{7f}", ""),
    ("e\u{301}", "é"),
    ("か\u{3099}", "が"),
    ("ｶ\u{ff9e}", "ガ"),
    ("㍿", "株式会社"),
    ("①", "1"),
    ("A", "a"),
    ("\u{340}", "\u{300}"),
    ("中国", "zhōng guó"),
];

fn rules(random: &mut Random) -> Value {
    let mut some: Vec<_> = RULES.into_iter().filter(|_| random.below(5) > 0).collect();
    if random.below(12) == 0 {
        some.push(random.pick(&[("a b", "x"), (" ", "_"), (" \u{301}", "´"), ("b", " "), ("\n", "\n\n")]));
    }
    let owned = some.into_iter().map(|(from, to)| (from.to_owned(), to.to_owned()));
    json!(BASE64_STANDARD.encode(Precompiled::of(owned).unwrap().charsmap()))
}

fn text(random: &mut Random) -> String {
    (0..random.below(24)).map(|_| random.pick(&PARTS)).collect()
}

/// Returns entries that occur in the texts, most of them within words, with scores that sometimes tie.
fn vocab(random: &mut Random, texts: &[String]) -> Vec<(String, f64)> {
    let mut entries = vec!["<unk>".to_owned()];
    let all: Vec<char> =
        texts.iter().flat_map(|text| format!("▁{}", text.replace(' ', "▁")).chars().collect::<Vec<_>>()).collect();
    for _ in 0..20 + random.below(120) {
        let start = random.below(all.len());
        let end = all.len().min(start + 1 + random.below(4));
        let holds = all[start + 1..end].contains(&'▁');
        if !holds || random.below(40) == 0 {
            entries.push(all[start..end].iter().collect());
        }
    }
    if random.below(8) > 0 {
        entries.push("▁".to_owned());
    }
    let bytes = (0..=255).map(|byte: u8| format!("<0x{byte:02X}>")).filter(|_| entries.len() % 4 == 0);
    let bytes: Vec<String> = bytes.collect();
    entries.extend(bytes);
    let mut seen = std::collections::HashSet::new();
    entries.retain(|entry| seen.insert(entry.clone()));
    // With the largest unit, running scores are soon restarted.
    let unit = random.pick(&[1.0, 1.0 / 90.0, 1.0 / 90.0, 2_922.157_714_843_75]);
    let many = if unit < 1.0 { 1000 } else { 4 };
    let score = |random: &mut Random| -((random.below(many) + 1) as f64) * unit;
    entries.into_iter().map(|entry| (entry, score(random))).collect()
}

/// Returns a normalizer that strips the start of a text, and sometimes the end, before another.
fn stripped(random: &mut Random, normalizer: Value) -> Value {
    let strip = json!({"type": "Strip", "strip_left": true, "strip_right": random.flag()});
    let steps = if normalizer.is_null() { vec![strip] } else { vec![strip, normalizer] };
    json!({"type": "Sequence", "normalizers": steps})
}

fn pipeline(random: &mut Random, texts: &[String]) -> Value {
    let vocab = vocab(random, texts);
    let replace = |content: &str| json!({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": content});
    let metaspace =
        |scheme: &str| json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": true});
    let scheme = random.pick(&["always", "always", "first", "never"]);
    let (normalizer, pre_tokenizer, precision) = match random.below(6) {
        0 => (Value::Null, metaspace(scheme), "float64"),
        1 => {
            let precompiled = json!({"type": "Precompiled", "precompiled_charsmap": rules(random)});
            let mut steps = vec![precompiled];
            if random.flag() {
                steps.push(json!({"type": "Strip", "strip_left": false, "strip_right": true}));
            }
            if random.flag() {
                steps.push(replace(random.pick(&[" ", "▁"])));
            }
            if random.below(3) == 0 {
                steps.push(one_space(r"\s{2,}|[\n\r\t]"));
            }
            if random.below(3) == 0 {
                let content = random.pick(&["\"", ""]);
                steps.push(json!({"type": "Replace", "pattern": {"String": "''"}, "content": content}));
            }
            if random.below(3) == 0 {
                steps.push(json!({"type": "NFC"}));
            }
            let first = random.below(steps.len());
            steps.rotate_left(first);
            let kind =
                random.pick(&["WhitespaceSplit", "WhitespaceSplit", "Punctuation", "BertPreTokenizer", "Digits"]);
            let first = match kind {
                "Punctuation" => json!({"type": kind, "behavior": "Isolated"}),
                "Digits" => json!({"type": kind, "individual_digits": random.flag()}),
                _ => json!({"type": kind}),
            };
            let splits = json!({"type": "Sequence", "pretokenizers": [first, metaspace(scheme)]});
            let pre_tokenizer = if random.flag() { splits } else { metaspace(scheme) };
            (json!({"type": "Sequence", "normalizers": steps}), pre_tokenizer, "float64")
        }
        2 => {
            let literal = json!({"type": "Replace", "pattern": {"String": "''"}, "content": "\""});
            let forms = [json!({"type": "NFKD"}), json!({"type": "StripAccents"}), json!({"type": "Lowercase"})];
            let precompiled = json!({"type": "Precompiled", "precompiled_charsmap": rules(random)});
            let steps: Vec<Value> = [vec![literal], forms.to_vec(), vec![precompiled, replace(" ")]].concat();
            let some: Vec<Value> = steps.into_iter().filter(|_| random.below(4) > 0).collect();
            (json!({"type": "Sequence", "normalizers": some}), metaspace(scheme), "float64")
        }
        kind => {
            let charsmap = if kind == 3 { Value::Null } else { rules(random) };
            let symbols: Vec<&str> = ["abc", "中国", "<x>"].into_iter().filter(|_| random.below(6) == 0).collect();
            let normalizer = json!({"type": "piecework.SentencePiece", "precompiled_charsmap": charsmap,
                "add_dummy_prefix": random.below(3) > 0, "remove_extra_whitespaces": random.flag(), "escape_whitespaces": true,
                "treat_whitespace_as_suffix": false, "user_defined_symbols": symbols});
            (normalizer, Value::Null, "float32")
        }
    };
    let normalizer = if random.below(4) == 0 { stripped(random, normalizer) } else { normalizer };
    let size = vocab.len();
    let has_bytes = vocab.iter().any(|(entry, _)| entry == "<0xFF>");
    let reserved: Vec<&String> = vocab.iter().map(|(entry, _)| entry).filter(|entry| entry.starts_with('<')).collect();
    let mut model = json!({"type": "Unigram", "vocab": vocab, "unk_id": 0, "byte_fallback": has_bytes});
    if precision == "float32" {
        model["type"] = json!("piecework.Unigram");
        model["piecework"] = json!({"version": 1, "precision": precision, "user_defined": [], "reserved": reserved});
    }
    file(&normalizer, &pre_tokenizer, &model, size)
}

#[test]
fn all_paths_give_equal_tokens() {
    let mut fast = [0, 0];
    for trial in 0..600 {
        let random = &mut Random(trial);
        let texts: Vec<String> = (0..14).map(|_| text(random)).collect();
        let json = pipeline(random, &texts);
        let tokenizer = read_tokenizer_json(json.to_string().as_bytes(), &JsonSettings::default()).unwrap();
        fast[usize::from(json["pre_tokenizer"].is_null())] += u32::from(tokenizer.fast_path_kernel().is_ok());
        let (mut scratch, context) = (Scratch::default(), format!("trial {trial} {json}"));
        texts.iter().for_each(|text| check(&tokenizer, text, &mut scratch, &context));
        // Running scores of 32 bits grow until they have few digits left, and are restarted.
        if trial % 12 == 5 {
            let long = texts.concat().repeat(1 + random.below(400));
            check_alone(&tokenizer, &long, &mut scratch, &context);
            check(&tokenizer, &format!(" {}{}", "!?".repeat(40), texts.concat()), &mut scratch, &context);
            texts.iter().for_each(|text| check_alone(&tokenizer, text, &mut scratch, &context));
        }
    }
    assert!(fast.iter().all(|&count| count > 100), "{fast:?}");
}

#[test]
fn a_text_of_many_pieces_may_precede_an_added_token() {
    let vocab = json!([["<unk>", 0.0], ["▁", -100.0], ["a", -100.0], ["b", -100.0]]);
    let normalizer = json!({"type": "piecework.SentencePiece", "precompiled_charsmap": null, "add_dummy_prefix": true,
        "remove_extra_whitespaces": true, "escape_whitespaces": true, "treat_whitespace_as_suffix": false,
        "user_defined_symbols": []});
    let own = json!({"version": 1, "precision": "float32", "user_defined": [], "reserved": ["<unk>"]});
    let model =
        json!({"type": "piecework.Unigram", "vocab": vocab, "unk_id": 0, "byte_fallback": false, "piecework": own});
    let json = file(&normalizer, &Value::Null, &model, 4);
    let tokenizer = read_tokenizer_json(json.to_string().as_bytes(), &JsonSettings::default()).unwrap();
    tokenizer.fast_path_kernel().unwrap();
    for words in [10, 100, 126, 127, 128, 300] {
        check(&tokenizer, &"a b ".repeat(words), &mut Scratch::default(), &format!("{words} words"));
    }
}

/// Returns the tokenizer.json of a Unigram model of a few letters and marks with these components.
fn small(normalizers: &[Value], pre_tokenizers: &[Value]) -> Value {
    let pieces = ["<unk>", "▁", "a", "b", "▁a", "▁b", "ab", ",", "\"", "é", "\u{3000}", "\n", "▁,"];
    let vocab: Vec<_> = pieces.iter().enumerate().map(|(place, piece)| (*piece, -(place as f64))).collect();
    let model = json!({"type": "Unigram", "vocab": vocab, "unk_id": 0, "byte_fallback": false});
    let normalizer = json!({"type": "Sequence", "normalizers": normalizers});
    file(&normalizer, &json!({"type": "Sequence", "pretokenizers": pre_tokenizers}), &model, pieces.len())
}

/// Returns the normalizer with the rules of that name, which take long to build.
fn nmt_nfkc() -> Value {
    static CHARSMAP: LazyLock<String> = LazyLock::new(|| {
        let rules = Precompiled::named("nmt_nfkc").unwrap().unwrap();
        BASE64_STANDARD.encode(rules.charsmap())
    });
    json!({"type": "Precompiled", "precompiled_charsmap": *CHARSMAP})
}

fn metaspace() -> Value {
    json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true})
}

fn one_space(pattern: &str) -> Value {
    json!({"type": "Replace", "pattern": {"Regex": pattern}, "content": " "})
}

#[test]
fn words_between_metaspaces_may_be_split() {
    let punctuation = json!({"type": "Punctuation", "behavior": "Isolated"});
    check_kernels(&small(&[nmt_nfkc(), one_space(" {2,}")], &[punctuation.clone(), metaspace()]));
    check_kernels(&small(&[], &[punctuation, metaspace()]));
    check_kernels(&small(&[nmt_nfkc()], &[json!({"type": "BertPreTokenizer"}), metaspace()]));
}

#[test]
fn a_metaspace_for_several_spaces_is_not_dropped() {
    let strip = json!({"type": "Strip", "strip_left": false, "strip_right": true});
    let mark = json!({"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "▁"});
    let splits = json!({"type": "WhitespaceSplit"});
    check_kernels(&small(&[nmt_nfkc(), strip, mark.clone()], &[splits.clone(), metaspace()]));
    check_kernels(&small(&[mark], &[splits, metaspace()]));
}

#[test]
fn all_white_space_in_a_row_may_become_a_space() {
    let (nfc, strip) = (json!({"type": "NFC"}), json!({"type": "Strip", "strip_left": false, "strip_right": true}));
    let one = || one_space(r"\s{2,}|[\n\r\t]");
    check_kernels(&small(&[one(), nfc, strip], &[metaspace()]));
    check_kernels(&small(&[one()], &[metaspace()]));
    check_kernels(&small(&[one(), nmt_nfkc()], &[metaspace()]));
    check_kernels(&small(&[nmt_nfkc(), one()], &[metaspace()]));
}

#[test]
fn rules_may_follow_other_changes() {
    let quotes = ["``", "''"].map(|text| json!({"type": "Replace", "pattern": {"String": text}, "content": "\""}));
    let [one, other] = quotes;
    check_kernels(&small(&[one, other, one_space(" {2,}"), nmt_nfkc()], &[metaspace()]));
    check_kernels(&small(&[one_space(" {2,}"), nmt_nfkc(), one_space(" {2,}")], &[metaspace()]));
}

/// Compares the paths of a pipeline with each kernel, for texts alone, between added tokens, and as given words.
fn check_kernels(json: &Value) {
    let blanks = ["", " ", "  ", "\t", "\n \n", "\u{3000}", "\u{3000}  ", "\u{85} ", "\u{200b}", "\u{a0}"];
    let words = ["a", "a b", "ab,b", "e\u{301} a", "``b''", "a\u{3000}b", "a\n\nb", "a  \tb", "a\t  \t  b", "a ,  b"];
    let fill = ["", "", "", "", "", "", "", "", "a", "b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a b a"];
    let spaced = |(place, blank): (usize, &&str)| {
        let joined = |pair: &[&str]| format!("{}{blank}{}{blank}", fill[place], pair.join(blank));
        words.chunks(2).map(joined).collect::<Vec<_>>()
    };
    let texts: Vec<String> = blanks.iter().enumerate().flat_map(spaced).chain(blanks.map(String::from)).collect();
    let normalized = AddedToken { content: "ab".to_owned(), normalized: true, ..AddedToken::default() };
    let wide = AddedToken { content: "[X]".to_owned(), lstrip: true, rstrip: true, ..AddedToken::default() };
    let with_tokens = [normalized, wide].map(|token| (KERNELS[0], vec![token]));
    let tokenizer = read_tokenizer_json(json.to_string().as_bytes(), &JsonSettings::default()).unwrap();
    assert!(tokenizer.fast_path_kernel().is_ok(), "{:?} {json}", tokenizer.fast_path_kernel());
    for (kernel, added) in KERNELS.map(|kernel| (kernel, Vec::new())).into_iter().chain(with_tokens) {
        let context = format!("{kernel} {added:?} {json}");
        let Some(tokenizer) = tokenizer.with_added_tokens(added).unwrap().with_kernel(kernel) else { continue };
        let mut scratch = Scratch::default();
        for text in &texts {
            check(&tokenizer, text, &mut scratch, &context);
            check_input(&tokenizer, Input::Words(&[text, "", text, "a"]), &mut scratch, &context);
            let segments = [(text.len(), false), (text.len() + 4, true)];
            check_input(&tokenizer, Input::Segments(&format!("{text}<s> "), &segments), &mut scratch, &context);
        }
        check(&tokenizer, &texts.concat(), &mut scratch, &context);
    }
}

/// Checks that an input has equal tokens on the fast and the generic path.
fn check_input(tokenizer: &Tokenizer, input: Input<'_>, scratch: &mut Scratch, context: &str) {
    let on = |path| Options { path, ..Options::default() };
    let wanted = tokenizer.encode(input, None, &on(EncodingPath::Generic), &mut Scratch::default()).unwrap();
    let found = tokenizer.encode(input, None, &on(EncodingPath::Fast), scratch).unwrap();
    assert_eq!(found, wanted, "{input:?} {context}");
    let mut ids = Vec::new();
    tokenizer.encode_ids(input, None, &on(EncodingPath::Fast), scratch, &mut ids).unwrap();
    assert_eq!(ids, wanted.ids, "{input:?} {context}");
}

#[test]
fn a_leading_strip_applies_to_each_plain_text_range() {
    for (left, right) in [(true, true), (true, false)] {
        let strip = json!({"type": "Strip", "strip_left": left, "strip_right": right});
        check_kernels(&small(&[strip.clone(), nmt_nfkc(), one_space(" {2,}")], &[metaspace()]));
        check_kernels(&small(&[strip.clone(), nmt_nfkc()], &[json!({"type": "WhitespaceSplit"}), metaspace()]));
        check_kernels(&small(&[strip], &[metaspace()]));
    }
}
