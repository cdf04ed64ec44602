//! Seeds of the targets that read files: small files of each format.

use std::ops::ControlFlow;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use piecework_core::added::AddedToken;
use piecework_core::counts::{Counter, TextSplitter, WordCounts};
use piecework_core::format::{
    JsonSettings, read_tokenizer_json, read_trainer, write_counts, write_merges_txt, write_parts, write_sentencepiece,
    write_text_splitter, write_tokenizer_json, write_trainer, write_vocab_json, write_vocab_txt,
};
use piecework_core::learn::Threads;
use piecework_core::model::Trainer;
use piecework_core::pipeline::Tokenizer;
use piecework_core::splitter::WordSplitter;
use piecework_core::text::grammar::Grammar;
use piecework_core::training::{Execution, train};
use serde_json::{Value, json};

use crate::hard_texts::HARD_TEXTS;
use crate::{bytes, pipeline};

/// The number of pipelines that are written in each format.
const PIPELINES: u16 = 256;
/// The number of seeds that are pseudo-random bytes.
const SHORT: u64 = 64;
/// Lines of JSON.
const LINES: [&str; 3] = [
    "{\"a\": \"text\", \"b\": 1}\n{\"b\": [true, null, {}], \"a\": \"\\u00e9\\n\"}\n",
    "{\"a\": \"\\ud83d\\ude00\"}\r\n\n{\"a\": \"\\ud800\"}\n{\"a\": 1}\n{\"a\": \"x\", \"a\": \"y\"}\n",
    "\u{FEFF}{\"a\": \"\", \"b\": -0.5e+7}\n{\"b\": \"\"}\n[\"a\"]\n{",
];
/// Expressions of each engine and of many features.
const EXPRESSIONS: [&str; 24] = [
    "a",
    "",
    r"\s+",
    r"\w+|\W",
    r"\p{L}+",
    "(?=[A-Z])",
    r"\b",
    "^|$",
    r"(?<=a)b+",
    r"a++|(?>b*)c",
    "(?i)straße|ﬁ",
    "[^a-c가-힣]{2,3}",
    r"[\p{L}&&[^a]]+",
    "(a|ab)(c|bcd)*?",
    r"(.)\1",
    r"\K|x\K",
    r"\G\d",
    "(?~ab)",
    r"\X",
    r"\R|\h",
    "[[:alpha:]]+",
    r"(?m:.)+\z",
    r"\A[\r\n ]+|[\r\n ]+\z",
    "(?:a{2,4}){3}",
];

/// Returns the seeds of a target.
#[must_use]
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let pipelines = || (0..PIPELINES).map(tokenizer);
    match target {
        "tokenizer_json" => {
            let trained = trained().into_iter().map(|tokenizer| write_tokenizer_json(&tokenizer).expect("it is saved"));
            let pipelines = (0..PIPELINES).map(|number| pipeline(number).1.to_string());
            pipelines.chain(trained).map(String::into_bytes).collect()
        }
        "settings" => settings(),
        "sentencepiece" => (0..4 * PIPELINES).filter_map(model).collect(),
        "vocab_txt" => {
            let texts = pipelines().filter_map(|tokenizer| write_vocab_txt(tokenizer.model().vocab()).ok());
            texts.zip(0..).map(|(text, choice)| [vec![choice], text.into_bytes()].concat()).collect()
        }
        "merges" => pipelines().filter_map(|tokenizer| merges(&tokenizer)).chain(clip()).collect(),
        "tiktoken" => ranks(),
        "subword_nmt" => codes().map(|codes| codes.as_bytes().to_vec()).into(),
        "counts_file" => pipelines().filter_map(|tokenizer| counts(&tokenizer).ok()).collect(),
        "patterns" => expressions(),
        "documents" => LINES.map(|lines| [b"\x03", lines.as_bytes()].concat()).into(),
        _ => (0..SHORT).map(|number| bytes(number, 64)).collect(),
    }
}

fn tokenizer(number: u16) -> Tokenizer {
    let json = pipeline(number).1.to_string();
    read_tokenizer_json(json.as_bytes(), &JsonSettings::default()).expect("a recipe makes a tokenizer")
}

/// Returns a pipeline as a `.model` without added tokens; `None` if the format cannot hold it.
fn model(number: u16) -> Option<Vec<u8>> {
    let (_, mut pipeline) = pipeline(number);
    pipeline["added_tokens"] = json!([]);
    let tokenizer = read_tokenizer_json(pipeline.to_string().as_bytes(), &JsonSettings::default()).ok()?;
    write_sentencepiece(&tokenizer, None).ok()
}

/// Returns a tokenizer of each trainer, with the record of its training.
fn trained() -> Vec<Tokenizer> {
    let splitter = WordSplitter::bert().expect("these stages go together");
    let mut counter = Counter::new(splitter.clone());
    counter.add_text(0, &HARD_TEXTS.join(" ")).expect("the text is short");
    counter.add_text(1, "low lower lowest new newer newest low low").expect("the text is short");
    let counts = counter.finish().expect("the table is small");
    let run = |trainer: &Trainer| {
        let execution = Execution { threads: Threads::SINGLE, callback: &mut |_| ControlFlow::Continue(()) };
        train(&counts, &splitter, trainer, None, execution).ok()
    };
    trainers().iter().filter_map(run).collect()
}

/// Returns the trainers with few entries.
fn trainers() -> Vec<Trainer> {
    let of = |trainer: Trainer| {
        let mut settings: Value = serde_json::from_str(&write_trainer(&trainer)).expect("it was just written");
        settings["vocab_size"] = json!(400);
        read_trainer(&settings.to_string()).expect("only the size differs")
    };
    let all = [
        Trainer::WordPiece(Default::default()),
        Trainer::Bpe(Default::default()),
        Trainer::Unigram(Default::default()),
        Trainer::WordLevel(Default::default()),
    ];
    all.into_iter().map(of).collect()
}

/// Returns settings of each kind: whole pipelines, and the components of the cases of the specification.
fn settings() -> Vec<Vec<u8>> {
    let mut all: Vec<String> = (0..PIPELINES).map(|number| write_parts(&tokenizer(number))).collect();
    all.extend(trainers().iter().map(write_trainer));
    let tokens = vec![AddedToken::special(0, "[A]"), AddedToken { normalized: true, ..AddedToken::special(1, "b") }];
    let splitter = WordSplitter::bert().and_then(|words| TextSplitter::new(words, tokens));
    all.push(write_text_splitter(&splitter.expect("the tokens differ")));
    all.push(json!({"direction": "Left", "max_length": 4, "strategy": "LongestFirst", "stride": 1}).to_string());
    all.push(
        json!({"strategy": {"Fixed": 9}, "direction": "Left", "pad_to_multiple_of": 8, "pad_id": 0, "pad_type_id": 0,
        "pad_token": "[PAD]"})
        .to_string(),
    );
    let cases = [include_str!("../../spec/cases/pipeline.json"), include_str!("../../spec/cases/decode.json")];
    for case in cases {
        components(&serde_json::from_str(case).expect("the cases are JSON"), &mut all);
    }
    all.sort();
    all.dedup();
    all.into_iter().map(String::into_bytes).collect()
}

/// Adds each stage in a value, as settings of its own.
fn components(value: &Value, all: &mut Vec<String>) {
    for stage in ["normalizer", "pre_tokenizer", "post_processor", "decoder"] {
        if let Some(component) = value.get(stage).filter(|component| component.is_object()) {
            all.push(json!({stage: component}).to_string());
        }
    }
    let items =
        value.as_array().into_iter().flatten().chain(value.as_object().into_iter().flat_map(|object| object.values()));
    items.for_each(|item| components(item, all));
}

fn merges(tokenizer: &Tokenizer) -> Option<Vec<u8>> {
    let files = [write_vocab_json(tokenizer).ok()?, write_merges_txt(tokenizer).ok()?];
    Some(files.join("\0").into_bytes())
}

fn clip() -> [Vec<u8>; 2] {
    let lists = ["", "h u\nhu g</w>\nl o\nlo w</w>\nÃ ©</w>\n"];
    lists.map(|merges| format!("\"bpe_simple_vocab_16e6.txt#version: 0.2\n{merges}").into_bytes())
}

/// Returns the ranks of all bytes, in order.
#[must_use]
pub fn byte_ranks() -> String {
    (0..=255).map(|byte: u8| format!("{} {byte}\n", BASE64_STANDARD.encode([byte]))).collect()
}

fn ranks() -> Vec<Vec<u8>> {
    let tokens = HARD_TEXTS.iter().filter(|text| text.len() > 1).zip(256..);
    let lines: String = tokens.map(|(text, rank)| format!("{} {rank}\n", BASE64_STANDARD.encode(text))).collect();
    let files = [lines.clone(), String::new(), byte_ranks() + &lines];
    let choices = [0, 1, 2, 3, 0x40, 0x81];
    choices.iter().zip(files.iter().cycle()).map(|(&choice, file)| [&[choice], file.as_bytes()].concat()).collect()
}

fn codes() -> [&'static str; 4] {
    [
        "#version: 0.2\nl o\nlo w</w>\nlo w\nlow e\nlowe r</w>\n",
        "#version: 0.2\nl o\nlo w</w>\nlo w\n\0lo@@ 5\nw 3\nlow 1\n",
        "l o\nw </w>\nlo w</w>\n",
        "#version: 0.1\né a\néa </w>\n< unk\n<unk >\n",
    ]
}

fn counts(tokenizer: &Tokenizer) -> piecework_core::Result<Vec<u8>> {
    let tokens = tokenizer.added().tokens().to_vec();
    let mut counter = Counter::new(TextSplitter::new(tokenizer.splitter().clone(), tokens)?);
    counter.add_text(3, &HARD_TEXTS.concat())?;
    let counts: WordCounts = counter.finish()?;
    Ok(write_counts(&counts)?.into_bytes())
}

fn expressions() -> Vec<Vec<u8>> {
    let texts = [HARD_TEXTS[..60].concat(), HARD_TEXTS[60..].join(" "), "aab abc  ab1\r\n".to_owned()];
    let sources = EXPRESSIONS.into_iter().chain(Grammar::all().map(Grammar::pattern));
    sources.flat_map(|source| texts.iter().map(move |text| format!("{source}\0{text}").into_bytes())).collect()
}
