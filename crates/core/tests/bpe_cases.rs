//! Runs `spec/cases/bpe_encode.json` through the core, on all paths and from a saved tokenizer.json.

#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test a panic is the message")]

use std::fs;
use std::path::Path;

use piecework_core::Result;
use piecework_core::added::{SpecialsPolicy, TextTokens};
use piecework_core::encoding::Encoding;
use piecework_core::format::{JsonSettings, read_tokenizer_json, write_tokenizer_json};
use piecework_core::pipeline::{EncodingPath, Input, Options, Scratch, Tokenizer};
use piecework_core::text::span::Span;
use serde_json::{Value, json};

fn table() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/cases/bpe_encode.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn read(json: &str) -> Result<Tokenizer> {
    read_tokenizer_json(json.as_bytes(), &JsonSettings::default())
}

fn tokenizer(table: &Value, case: &Value) -> Result<Tokenizer> {
    let mut config = case["config"].clone();
    config["model"] = table["models"][config["model"].as_str().unwrap()].clone();
    read(&config.to_string())
}

fn encode(case: &Value, tokenizer: &Tokenizer, path: EncodingPath) -> Result<Encoding> {
    let specials =
        if case["specials"] == "text" { SpecialsPolicy::Text(TextTokens::Special) } else { SpecialsPolicy::Match };
    let number = |name| case.get(name).map_or(0, |number| number.as_u64().unwrap());
    let options = Options { path, specials, seed: number("seed"), first_input: number("number"), ..Options::default() };
    let (input, mut scratch) = (Input::Text(case["text"].as_str().unwrap()), Scratch::default());
    let encoding = tokenizer.encode(input, None, &options, &mut scratch);
    let mut ids = Vec::new();
    let alone = tokenizer.encode_ids(input, None, &options, &mut scratch, &mut ids).map(|()| &ids);
    assert_eq!(alone, encoding.as_ref().map(|encoding| &encoding.ids).map_err(Clone::clone), "{}", case["name"]);
    encoding
}

fn check(case: &Value, tokenizer: &Tokenizer) {
    for path in [EncodingPath::Generic, EncodingPath::Fast, EncodingPath::Uncached] {
        let found = encode(case, tokenizer, path);
        if case.get("error").is_some() {
            assert!(found.is_err(), "{}", case["name"]);
            continue;
        }
        let found = found.unwrap_or_else(|error| panic!("{}: {error}", case["name"]));
        let tokens: Vec<&str> = found.ids.iter().map(|&id| tokenizer.token(id).unwrap()).collect();
        for (name, column) in [
            ("ids", json!(found.ids)),
            ("tokens", json!(tokens)),
            ("offsets", offsets(case, &found)),
            ("word_ids", json!(found.word_ids)),
        ] {
            let wanted = case.get(name).unwrap_or(&column);
            assert_eq!(&column, wanted, "{name} on {path:?}, {}", case["name"]);
        }
    }
}

/// Returns the spans in characters; the encoding has them in bytes.
fn offsets(case: &Value, encoding: &Encoding) -> Value {
    let text = case["text"].as_str().unwrap();
    let characters = |at: usize| text[..at].chars().count();
    let range = |span: &Span| [characters(span.range().start), characters(span.range().end)];
    encoding.spans.iter().map(|span| json!(range(span))).collect()
}

#[test]
fn bpe_encode_json() {
    let table = table();
    let cases = table["cases"].as_array().unwrap();
    assert!(cases.len() > 200);
    for case in cases {
        let Ok(made) = tokenizer(&table, case) else {
            assert!(case.get("error").is_some(), "{}", case["name"]);
            continue;
        };
        check(case, &made);
        let saved = write_tokenizer_json(&made).unwrap();
        let back = read(&saved).unwrap();
        check(case, &back);
        assert_eq!(write_tokenizer_json(&back).unwrap(), saved, "{}", case["name"]);
    }
}
