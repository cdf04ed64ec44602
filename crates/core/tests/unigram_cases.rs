//! Runs the cases of `spec/cases/unigram_encode.json` that have Unigram models through the core.

#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test a panic is the message")]

use std::fs;
use std::path::Path;

use piecework_core::added::{SpecialsPolicy, TextTokens};
use piecework_core::encoding::Encoding;
use piecework_core::format::{JsonSettings, read_tokenizer_json};
use piecework_core::pipeline::{Input, Options, Scratch, Tokenizer};
use piecework_core::text::span::Span;
use piecework_core::vocab::AllowedEntries;
use piecework_core::{Error, Result};
use serde_json::{Value, json};

fn table() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/cases/unigram_encode.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn tokenizer(table: &Value, case: &Value) -> Result<Tokenizer> {
    let mut config = case["config"].clone();
    config["model"] = table["models"][config["model"].as_str().unwrap()].clone();
    if let Some(own) = config["model"].get_mut("piecework") {
        own["version"] = json!(1);
    }
    read_tokenizer_json(config.to_string().as_bytes(), &JsonSettings::default())
}

fn is_unigram(table: &Value, case: &Value) -> bool {
    let kind = &table["models"][case["config"]["model"].as_str().unwrap()]["type"];
    kind.as_str().unwrap().ends_with("Unigram")
}

fn options(case: &Value) -> Options {
    let specials =
        if case["specials"] == "text" { SpecialsPolicy::Text(TextTokens::Special) } else { SpecialsPolicy::Match };
    let number = |name| case.get(name).map_or(0, |number| number.as_u64().unwrap());
    let (seed, first_input) = (number("seed"), number("number"));
    let alpha = case.get("alpha").map(|alpha| alpha.as_f64().unwrap());
    let nbest_size = case.get("nbest_size").map(|size| usize::try_from(size.as_u64().unwrap()).unwrap());
    let chance = Options { alpha, nbest_size, seed, first_input, ..Options::default() };
    Options { add_special_tokens: false, specials, ..chance }
}

fn check_columns(case: &Value, tokenizer: &Tokenizer, found: Result<Encoding>) {
    if case.get("error").is_some() {
        assert!(matches!(found, Err(Error::NoUnknownToken { .. })), "{}", case["name"]);
        return;
    }
    let (found, text) = (found.unwrap(), case["text"].as_str().unwrap());
    let characters = |at: u32| text[..at as usize].chars().count();
    let unknown = tokenizer.traits().unk_id;
    let name = |(&id, span): (&u32, &Span)| {
        if Some(id) == unknown { &text[span.range()] } else { tokenizer.token(id).unwrap() }
    };
    let tokens: Vec<&str> = found.ids.iter().zip(&found.spans).map(name).collect();
    let offsets: Value = found.spans.iter().map(|span| json!([characters(span.start), characters(span.end)])).collect();
    for (name, column) in [
        ("ids", json!(found.ids)),
        ("tokens", json!(tokens)),
        ("offsets", offsets),
        ("word_ids", json!(found.word_ids)),
    ] {
        assert_eq!(&column, case.get(name).unwrap_or(&column), "{name}, {}", case["name"]);
    }
}

/// Checks the n-best list; the table writes an unknown token as the text that it covers.
fn check_paths(case: &Value, tokenizer: &Tokenizer) {
    let text = case["text"].as_str().unwrap();
    let wanted = usize::try_from(case["nbest"].as_u64().unwrap()).unwrap();
    let found = tokenizer.model().nbest(text, AllowedEntries::All, wanted).unwrap();
    let paths: Value = found
        .iter()
        .map(|path| {
            let name = |id: u32, range| {
                if Some(id) == tokenizer.traits().unk_id { &text[range] } else { tokenizer.token(id).unwrap() }
            };
            let tokens: Vec<&str> = path.tokens.iter().map(|token| name(token.id, token.span.range())).collect();
            json!({"tokens": tokens, "score": path.score})
        })
        .collect();
    assert_eq!(paths, case["paths"], "{}", case["name"]);
    let all = tokenizer.encode_nbest(text, wanted, &options(case), &mut Scratch::default()).unwrap();
    let same = all.iter().zip(&found).all(|((encoding, score), path)| {
        encoding.ids.iter().copied().eq(path.tokens.iter().map(|token| token.id)) && *score == path.score
    });
    assert!(same && all.len() == found.len(), "{}", case["name"]);
}

#[test]
fn unigram_encode_json() {
    let table = table();
    let cases: Vec<&Value> =
        table["cases"].as_array().unwrap().iter().filter(|case| is_unigram(&table, case)).collect();
    assert!(cases.len() > 200);
    let mut scratch = Scratch::default();
    for case in cases {
        let (tokenizer, text) = (tokenizer(&table, case).unwrap(), case["text"].as_str().unwrap());
        if case.get("ids").or(case.get("error")).is_some() {
            check_columns(case, &tokenizer, tokenizer.encode(Input::Text(text), None, &options(case), &mut scratch));
        }
        if case.get("paths").is_some() && !text.is_empty() {
            check_paths(case, &tokenizer);
        }
        if let Some(wanted) = case.get("log_probability") {
            let found = tokenizer.model().log_probability(text, AllowedEntries::All).unwrap();
            assert_eq!(&json!(found), wanted, "{}", case["name"]);
        }
    }
}

#[test]
fn the_nbest_list_of_several_words_has_the_best_sums() {
    let vocab = json!([["<unk>", 0.0], ["a", -1.0], ["b", -1.0], ["ab", -2.5], ["aa", -2.25]]);
    let file = json!({
        "model": {"type": "Unigram", "unk_id": 0, "vocab": vocab},
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "added_tokens": [],
    });
    let tokenizer = read_tokenizer_json(file.to_string().as_bytes(), &JsonSettings::default()).unwrap();
    let (options, mut scratch) = (Options::default(), Scratch::default());
    let found = tokenizer.encode_nbest("ab aa", 9, &options, &mut scratch).unwrap();
    let rows: Vec<_> = found.iter().map(|(encoding, score)| (encoding.ids.clone(), *score)).collect();
    let wanted = [(vec![1, 2, 1, 1], -4.0), (vec![1, 2, 4], -4.25), (vec![3, 1, 1], -4.5), (vec![3, 4], -4.75)];
    assert_eq!(rows, wanted);
    assert_eq!((found[3].0.word_ids.clone(), found[3].0.spans[1].range()), (vec![0, 1], 3..5));
    let fewer = tokenizer.encode_nbest("ab aa", 2, &options, &mut scratch).unwrap();
    assert_eq!(fewer, found[..2]);
    let log = tokenizer.marginal_log_likelihood("ab aa", &options, &mut scratch).unwrap();
    let sum: f64 = rows.iter().map(|(_, score)| score.exp()).sum();
    assert!((log - sum.ln()).abs() < 1e-12);
    assert_eq!(tokenizer.score(&[3, 4, 0]), Ok(-4.75 - 12.5));
    assert_eq!(tokenizer.encode_nbest("", 3, &options, &mut scratch).unwrap(), [(Encoding::default(), 0.0)]);
}
