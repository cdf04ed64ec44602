//! Runs `spec/cases/pipeline.json` through the core: whole tokenizers, and every column of their encodings; and the
//! truncated texts of `spec/cases/truncate_text.json`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test a panic is the message")]

use std::fs;
use std::path::Path;

use piecework_core::added::{SpecialsPolicy, TextTokens};
use piecework_core::encoding::{Direction, Encoding, NONE};
use piecework_core::format::{JsonSettings, read_tokenizer_json, write_tokenizer_json};
use piecework_core::pipeline::{EncodingPath, Input, Options, Scratch, TextLimit, Tokenizer};
use piecework_core::{Error, Result};
use serde_json::{Value, json};

/// The keys of a case; `error` replaces the columns.
const KEYS: [&str; 17] = [
    "name",
    "source",
    "config",
    "text",
    "pair",
    "add_special_tokens",
    "specials",
    "control_symbols",
    "error",
    "ids",
    "tokens",
    "offsets",
    "word_ids",
    "type_ids",
    "special_tokens_mask",
    "sequence_ids",
    "attention_mask",
];

fn table(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/cases").join(name);
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn tokenizer(table: &Value, case: &Value) -> Result<Tokenizer> {
    let mut config = case["config"].clone();
    let model = config.get("model").map_or("pieces", |name| name.as_str().unwrap());
    let model = table["models"][model].clone();
    assert!(model.is_object(), "{}", case["name"]);
    config["model"] = model;
    controlled(case, read_tokenizer_json(config.to_string().as_bytes(), &JsonSettings::default())?)
}

/// Returns the tokenizer with the control symbols of a case; a tokenizer.json cannot contain them.
fn controlled(case: &Value, tokenizer: Tokenizer) -> Result<Tokenizer> {
    match case.get("control_symbols") {
        Some(names) => tokenizer.with_controls(&strings(names)),
        None => Ok(tokenizer),
    }
}

fn strings(names: &Value) -> Vec<String> {
    names.as_array().unwrap().iter().map(|name| name.as_str().unwrap().into()).collect()
}

fn options(case: &Value, tokenizer: &Tokenizer) -> Options {
    Options {
        add_special_tokens: case.get("add_special_tokens").is_none_or(|flag| flag.as_bool().unwrap()),
        specials: match case.get("specials") {
            None => SpecialsPolicy::AsFormat,
            Some(Value::String(word)) if word == "match" => SpecialsPolicy::Match,
            Some(Value::String(word)) if word == "text" => SpecialsPolicy::Text(TextTokens::Special),
            Some(Value::String(word)) if word == "error" => SpecialsPolicy::Error(TextTokens::Special),
            Some(Value::String(word)) if word == "text-all" => SpecialsPolicy::Text(TextTokens::Untrusted),
            Some(Value::String(word)) if word == "error-all" => SpecialsPolicy::Error(TextTokens::Untrusted),
            Some(names) => SpecialsPolicy::Allowed(TextTokens::Special, strings(names)),
        },
        truncation: tokenizer.truncation().copied(),
        padding: tokenizer.padding().cloned(),
        overflow: true,
        ..Options::default()
    }
}

/// Returns the words of a text of a case: one or several.
fn words(text: &Value) -> Vec<&str> {
    text.as_array()
        .map_or_else(|| vec![text.as_str().unwrap()], |words| words.iter().map(|word| word.as_str().unwrap()).collect())
}

fn input<'a>(text: &Value, words: &'a [&'a str]) -> Input<'a> {
    if text.is_array() { Input::Words(words) } else { Input::Text(words[0]) }
}

/// Returns the encoding, which must be equal on all paths.
fn encode(case: &Value, tokenizer: &Tokenizer) -> Result<Encoding> {
    let encoding = encode_on(EncodingPath::Generic, case, tokenizer);
    for path in [EncodingPath::Fast, EncodingPath::Uncached] {
        assert_eq!(encode_on(path, case, tokenizer), encoding, "{path:?}, {}", case["name"]);
    }
    encoding
}

fn encode_on(path: EncodingPath, case: &Value, tokenizer: &Tokenizer) -> Result<Encoding> {
    let (text, pair) = (words(&case["text"]), case.get("pair").map(words));
    let (text, pair) = (input(&case["text"], &text), pair.as_ref().map(|words| input(&case["pair"], words)));
    let (options, mut scratch) = (Options { path, ..options(case, tokenizer) }, Scratch::default());
    let encoding = tokenizer.encode(text, pair, &options, &mut scratch);
    let mut ids = Vec::new();
    let alone = tokenizer.encode_ids(text, pair, &options, &mut scratch, &mut ids);
    let padded = alone.and_then(|()| match options.padding {
        Some(padding) => padding.padded_ids(&ids),
        None => Ok(ids),
    });
    assert_eq!(padded.as_ref(), encoding.as_ref().map(|encoding| &encoding.ids));
    encoding
}

/// Returns a column as JSON numbers; `NONE` becomes null.
fn numbers(column: &[u32]) -> Value {
    column.iter().map(|&number| if number == NONE { Value::Null } else { json!(number) }).collect()
}

fn offsets(case: &Value, encoding: &Encoding) -> Value {
    let texts = [words(&case["text"]), case.get("pair").map(words).unwrap_or_default()];
    let places = encoding.spans.iter().zip(encoding.texts.iter().zip(&encoding.word_ids));
    let in_characters = places.map(|(span, (&text, &word))| {
        let words = texts.get(text as usize).map_or(&[""][..], Vec::as_slice);
        let text = words[if words.len() > 1 { word as usize } else { 0 }];
        let range = span.range();
        json!([text[..range.start].chars().count(), text[..range.end].chars().count()])
    });
    in_characters.collect()
}

fn tokens(tokenizer: &Tokenizer, encoding: &Encoding) -> Value {
    let mut tokens: Vec<&str> = encoding.ids.iter().map(|&id| tokenizer.token(id).unwrap_or_default()).collect();
    for (place, name) in &encoding.renamed {
        tokens[*place] = name;
    }
    json!(tokens)
}

fn check_columns(case: &Value, wanted: &Value, tokenizer: &Tokenizer, found: &Encoding) {
    let size = found.len();
    for (column, found, silent) in [
        ("ids", numbers(&found.ids), None),
        ("tokens", tokens(tokenizer, found), None),
        ("offsets", offsets(case, found), None),
        ("word_ids", numbers(&found.word_ids), None),
        ("type_ids", numbers(&found.type_ids), Some(vec![0; size])),
        ("special_tokens_mask", numbers(&found.special_tokens_mask), Some(vec![0; size])),
        ("sequence_ids", numbers(&found.sequence_ids()), Some(vec![0; size])),
        ("attention_mask", numbers(&found.attention_mask), Some(vec![1; size])),
    ] {
        match (wanted.get(column), silent) {
            (Some(wanted), _) => assert_eq!(&found, wanted, "{column} of {}", case["name"]),
            (None, Some(silent)) => assert_eq!(found, json!(silent), "{column} of {}", case["name"]),
            (None, None) => assert!(column == "word_ids" && case["source"] != "tokenizers", "{}", case["name"]),
        }
    }
}

/// Checks an encoding and its overflowing parts; the table leaves out the overflowing parts of these.
fn check(case: &Value, tokenizer: &Tokenizer, found: &Encoding) {
    check_columns(case, case, tokenizer, found);
    let parts = case.get("overflowing").map_or(&[][..], |parts| parts.as_array().unwrap());
    assert_eq!(found.overflowing.len(), parts.len(), "{}", case["name"]);
    for (found, wanted) in found.overflowing.iter().zip(parts) {
        check_columns(case, wanted, tokenizer, found);
    }
}

#[test]
fn pipeline_json() {
    let table = table("pipeline.json");
    let cases = table["cases"].as_array().unwrap();
    assert!(cases.len() > 600);
    for case in cases {
        let unknown =
            case.as_object().unwrap().keys().find(|key| *key != "overflowing" && !KEYS.contains(&key.as_str()));
        assert_eq!(unknown, None);
        let made = tokenizer(&table, case);
        let found = made.as_ref().map_err(Clone::clone).and_then(|tokenizer| encode(case, tokenizer));
        if case.get("error").is_some() {
            assert!(found.is_err(), "{}", case["name"]);
            continue;
        }
        let found = found.unwrap_or_else(|error: Error| panic!("{}: {error}", case["name"]));
        let made = made.unwrap();
        check(case, &made, &found);
        let saved = write_tokenizer_json(&made).unwrap();
        let back = read_tokenizer_json(saved.as_bytes(), &JsonSettings::default()).unwrap();
        assert_eq!(write_tokenizer_json(&back).unwrap(), saved, "{}", case["name"]);
        assert_eq!(back.added().controls().count(), 0, "a tokenizer.json has none");
        let back = controlled(case, back).unwrap();
        check(case, &back, &encode(case, &back).unwrap());
    }
}

#[test]
fn truncate_text_json() {
    let table = table("truncate_text.json");
    let cases = table["cases"].as_array().unwrap();
    assert!(cases.len() > 20);
    for case in cases {
        let (made, mut scratch) = (tokenizer(&table, case).unwrap(), Scratch::default());
        let (text, n) = (case["text"].as_str().unwrap(), usize::try_from(case["n"].as_u64().unwrap()).unwrap());
        for (side, direction) in [("right", Direction::Right), ("left", Direction::Left)] {
            let limit = TextLimit { max_tokens: n, direction, continues: false };
            let kept = made.truncate_text(text, limit, &options(case, &made), &mut scratch);
            assert_eq!(json!(kept.ok().flatten().map(|kept| kept.text)), case[side], "{side}, {}", case["name"]);
        }
    }
}
