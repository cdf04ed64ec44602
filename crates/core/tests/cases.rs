//! Runs the tables of `spec/cases/` through the core: the behavior that every implementation must have.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "in a test a panic is the message"
)]

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use piecework_core::added::{AddedToken, SpecialsPolicy, TextTokens};
use piecework_core::counts::{FirstOccurrence, WordCounts};
use piecework_core::decode::{Decoder, WordPieceDecoder};
use piecework_core::encoding::Encoding;
use piecework_core::format::{
    JsonSettings, read_decoder, read_splitter, read_tokenizer_json, read_trainer, write_decoder, write_tokenizer_json,
};
use piecework_core::learn::Threads;
use piecework_core::model::Model;
use piecework_core::model::wordpiece::{Unknown, WordPiece, WordPieceSettings};
use piecework_core::pipeline::{EncodingPath, Input, Options, Scratch, Tokenizer, TokenizerParts};
use piecework_core::pretokenize::words::Words;
use piecework_core::splitter::WordSplitter;
use piecework_core::training::{self, Execution};
use piecework_core::vocab::Vocab;
use piecework_core::{Error, Result};
use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

const SPECIAL_TOKENS: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
/// Lengths around multiples of 16, where a vector kernel changes blocks.
const SHIFTS: [usize; 9] = [15, 16, 17, 31, 32, 33, 63, 64, 65];

fn table(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/cases").join(name);
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_owned()).collect()
}

fn with(defaults: &Value, changes: &Value) -> Object {
    let mut settings = defaults.as_object().unwrap().clone();
    for (name, value) in changes.as_object().unwrap() {
        assert!(settings.insert(name.clone(), value.clone()).is_some(), "unknown setting {name}");
    }
    settings
}

fn splitter(settings: &Object) -> WordSplitter {
    let normalizer = match settings["normalizer"].as_str() {
        None => Value::Null,
        Some(_) => json!({
            "type": "BertNormalizer",
            "clean_text": settings["clean_text"],
            "handle_chinese_chars": settings["handle_chinese_chars"],
            "strip_accents": settings["strip_accents"],
            "lowercase": settings["lowercase"],
        }),
    };
    let pre_tokenizer = match settings["pre_tokenizer"].as_str() {
        None => Value::Null,
        Some("bert") => json!({"type": "BertPreTokenizer"}),
        Some(_) => json!({"type": "WhitespaceSplit"}),
    };
    read_splitter(&json!({"normalizer": normalizer, "pre_tokenizer": pre_tokenizer}).to_string(), &[]).unwrap()
}

// Encoding

fn tokenizer(entries: &Value, settings: &Object) -> Tokenizer {
    let vocab = Vocab::from_tokens(strings(entries)).unwrap();
    let special = |content: &&str| Some(AddedToken::special(vocab.id(content)?, content));
    let added = SPECIAL_TOKENS.iter().filter_map(special).collect();
    let prefix = settings["prefix"].as_str().unwrap().to_owned();
    let model = WordPieceSettings {
        continuing_subword_prefix: prefix.clone(),
        unk_token: Some("[UNK]".to_owned()),
        unknown: match settings["unknown"].as_str().unwrap() {
            "word" => Unknown::Word,
            "run" => Unknown::Run,
            _ => Unknown::Char,
        },
        max_input_chars_per_word: settings["max_input_chars_per_word"].as_u64().map(|n| usize::try_from(n).unwrap()),
        ..WordPieceSettings::default()
    };
    let model = Model::WordPiece(WordPiece::new(vocab, model));
    Tokenizer::new(TokenizerParts {
        added,
        decoder: Some(Decoder::WordPiece(WordPieceDecoder { prefix, cleanup: true })),
        ..TokenizerParts::new(splitter(settings), model)
    })
    .unwrap()
}

fn options(settings: &Object) -> Options {
    let specials = match &settings["specials"] {
        Value::String(word) if word == "match" => SpecialsPolicy::Match,
        Value::String(word) if word == "text" => SpecialsPolicy::Text(TextTokens::Special),
        Value::String(word) if word == "text-all" => SpecialsPolicy::Text(TextTokens::Untrusted),
        Value::String(word) if word == "error-all" => SpecialsPolicy::Error(TextTokens::Untrusted),
        Value::String(_) => SpecialsPolicy::Error(TextTokens::Special),
        allowed => SpecialsPolicy::Allowed(TextTokens::Special, strings(allowed)),
    };
    Options { add_special_tokens: false, specials, ..Options::default() }
}

fn text(case: &Value) -> String {
    let text = &case["text"];
    text.as_str().map_or_else(
        || text["repeat"][0].as_str().unwrap().repeat(usize::try_from(text["repeat"][1].as_u64().unwrap()).unwrap()),
        str::to_owned,
    )
}

/// Returns the expected spans in bytes of `text` after `shift` spaces; the table has characters.
fn byte_spans(case: &Value, text: &str, shift: usize) -> Vec<(usize, usize)> {
    let mut bytes: Vec<usize> = text.char_indices().map(|(at, _)| at + shift).collect();
    bytes.push(text.len() + shift);
    let at = |value: &Value| bytes[usize::try_from(value.as_u64().unwrap()).unwrap()];
    case["offsets"].as_array().unwrap().iter().map(|span| (at(&span[0]), at(&span[1]))).collect()
}

fn check_encoding(case: &Value, tokenizer: &Tokenizer, found: &Encoding, text: &str, shift: usize) {
    let name = &case["name"];
    let ids: Vec<u64> = case["ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap()).collect();
    assert_eq!(found.ids.iter().map(|&id| u64::from(id)).collect::<Vec<_>>(), ids, "{name} after {shift}");
    let tokens: Vec<&str> = found.ids.iter().map(|&id| tokenizer.token(id).unwrap()).collect();
    assert_eq!(tokens, strings(&case["tokens"]), "{name} after {shift}");
    let spans: Vec<(usize, usize)> = found.spans.iter().map(|span| (span.range().start, span.range().end)).collect();
    assert_eq!(spans, byte_spans(case, text, shift), "{name} after {shift}");
}

/// Returns the encoding, which must be equal on all paths.
fn encode(tokenizer: &Tokenizer, text: &str, options: &Options) -> Result<Encoding> {
    let on = |path| encode_on(tokenizer, text, &Options { path, ..options.clone() });
    let encoding = on(EncodingPath::Generic);
    for path in [EncodingPath::Fast, EncodingPath::Uncached] {
        assert_eq!(on(path), encoding, "{path:?}: {text:?}");
    }
    encoding
}

fn encode_on(tokenizer: &Tokenizer, text: &str, options: &Options) -> Result<Encoding> {
    let mut scratch = Scratch::default();
    let encoding = tokenizer.encode(Input::Text(text), None, options, &mut scratch);
    let mut ids = Vec::new();
    match (tokenizer.encode_ids(Input::Text(text), None, options, &mut scratch, &mut ids), &encoding) {
        (Ok(()), Ok(encoding)) => assert_eq!(ids, encoding.ids),
        (quick, full) => assert_eq!(quick.is_err(), full.is_err()),
    }
    encoding
}

fn run_encode_case(case: &Value, settings: &Object, tokenizer: &Tokenizer) {
    let (options, text) = (options(settings), text(case));
    let found = encode(tokenizer, &text, &options);
    if case.get("error").is_some() {
        let failed = matches!(found, Err(Error::SpecialToken { .. } | Error::NoUnknownToken { .. } | Error::Config(_)));
        assert!(failed, "{}: {found:?}", case["name"]);
        return;
    }
    check_encoding(case, tokenizer, &found.unwrap(), &text, 0);
    if case["text"].is_string() && !settings["pre_tokenizer"].is_null() {
        for shift in SHIFTS {
            let shifted = " ".repeat(shift) + &text;
            check_encoding(case, tokenizer, &encode(tokenizer, &shifted, &options).unwrap(), &text, shift);
        }
    }
}

#[test]
fn encode_json() {
    let table = table("encode.json");
    let cases = table["cases"].as_array().unwrap();
    assert!(cases.len() > 100);
    for case in cases {
        let settings = with(&table["defaults"], &case["settings"]);
        let tokenizer = tokenizer(&table["vocabs"][case["vocab"].as_str().unwrap()], &settings);
        run_encode_case(case, &settings, &tokenizer);
        let saved = write_tokenizer_json(&tokenizer).unwrap();
        let back = read_tokenizer_json(saved.as_bytes(), &JsonSettings::default()).unwrap();
        run_encode_case(case, &settings, &back);
        assert_eq!(write_tokenizer_json(&back).unwrap(), saved, "{}", case["name"]);
    }
}

// Decoding

#[test]
fn decode_json() {
    let table = table("decode.json");
    let cases = table["cases"].as_array().unwrap();
    assert!(cases.len() > 50);
    for case in cases {
        let (name, tokens) = (&case["name"], strings(&case["tokens"]));
        if case["decoder"].is_null() {
            assert_eq!(tokens.join(" "), case["text"].as_str().unwrap(), "{name}");
            continue;
        }
        let decoder = read_decoder(&case["decoder"].to_string()).unwrap();
        let saved = write_decoder(&decoder);
        assert_eq!(serde_json::from_str::<Value>(&saved).unwrap(), case["decoder"], "{name}");
        for decoder in [&decoder, &read_decoder(&saved).unwrap()] {
            let text = decoder.decode(tokens.iter().map(String::as_str)).unwrap();
            assert_eq!(text, case["text"].as_str().unwrap(), "{name}");
        }
    }
}

// Training

fn counts(case: &Value, defaults: &Value) -> Result<(WordCounts, WordSplitter)> {
    if let Some(texts) = case.get("texts") {
        let splitter = splitter(&with(defaults, &case["pipeline"]));
        let mut counts = WordCounts::new(Some(splitter.clone().into()));
        for (document, text) in (0..).zip(strings(texts)) {
            counts.add_text(document, &text, &mut Words::default())?;
        }
        return Ok((counts, splitter));
    }
    let mut counts = WordCounts::new(None);
    for (document, pair) in (0..).zip(case["words"].as_array().unwrap()) {
        counts.add(pair[0].as_str().unwrap(), pair[1].as_u64().unwrap(), FirstOccurrence { document, word: 0 })?;
    }
    Ok((counts, WordSplitter::default()))
}

fn train(case: &Value, defaults: &Value, changes: &Value) -> Result<Tokenizer> {
    let standard = json!({
        "type": "WordPieceTrainer", "criterion": "likelihood", "min_frequency": 1, "min_word_frequency": 1,
        "max_merges": null, "stop_at_pair_frequency": null, "stop_without_gain": false, "ties": "lex",
        "special_tokens": SPECIAL_TOKENS, "special_tokens_first": true, "user_defined_symbols": [],
        "initial_alphabet": [],
        "limit_alphabet": null, "continuing_subword_prefix": "##", "max_token_length": null,
        "prune_unused": false, "vocab_size": null,
    });
    let settings = with(&standard, &case["settings"]);
    let trainer = read_trainer(&Value::Object(with(&Value::Object(settings), changes)).to_string())?;
    let (counts, splitter) = counts(case, defaults)?;
    let execution = Execution { threads: Threads::SINGLE, callback: &mut |_| ControlFlow::Continue(()) };
    training::train(&counts, &splitter, &trainer, None, execution)
}

fn entries(tokenizer: &Tokenizer) -> Vec<&str> {
    tokenizer.model().vocab().iter().map(|(token, _)| token).collect()
}

fn check_history(case: &Value, tokenizer: &Tokenizer) {
    let Some(rows) = case["expected"].get("history").and_then(Value::as_array) else { return };
    let tolerance = case["expected"].get("tolerance").and_then(Value::as_f64).unwrap_or(0.0);
    let history = &tokenizer.training().unwrap().history;
    assert_eq!(history.len(), rows.len(), "{}", case["name"]);
    for (merge, row) in history.iter().zip(rows) {
        for (key, wanted) in row.as_object().unwrap() {
            let agrees = match key.as_str() {
                "left" => merge.left == wanted.as_str().unwrap(),
                "right" => merge.right == wanted.as_str().unwrap(),
                "token" => merge.token == wanted.as_str().unwrap(),
                "score" => (merge.score - wanted.as_f64().unwrap()).abs() <= tolerance,
                "pair_count" => merge.pair_count == wanted.as_u64().unwrap(),
                "left_count" => merge.left_count == wanted.as_u64().unwrap(),
                "right_count" => merge.right_count == wanted.as_u64().unwrap(),
                "ties" => merge.ties == wanted.as_u64().unwrap(),
                other => panic!("unknown key {other}"),
            };
            assert!(agrees, "{}: {key} {wanted} of {merge:?}", case["name"]);
        }
    }
}

#[test]
fn train_json() {
    let (table, defaults) = (table("train.json"), table("encode.json")["defaults"].clone());
    let cases = table["cases"].as_array().unwrap();
    assert!(cases.len() > 20);
    for case in cases {
        let (name, expected) = (&case["name"], &case["expected"]);
        let trained = train(case, &defaults, &json!({}));
        if let Some(kind) = expected.get("error") {
            let error = trained.expect_err("this training fails");
            assert_eq!(matches!(error, Error::Overflow(_)), kind == "overflow", "{name}: {error}");
            assert!(error.to_string().contains(expected["contains"].as_str().unwrap()), "{name}: {error}");
            continue;
        }
        let tokenizer = trained.unwrap();
        check_history(case, &tokenizer);
        if let Some(vocab) = expected.get("vocab") {
            assert_eq!(entries(&tokenizer), strings(vocab), "{name}");
        }
        if let Some(wanted) = expected.get("counts") {
            let found = json!(tokenizer.training().unwrap().token_counts);
            assert_eq!(&found, wanted, "{name}");
        }
        if let Some(vocab) = expected.get("initial_vocab") {
            let before = train(case, &defaults, &json!({"max_merges": 0})).unwrap();
            assert_eq!(entries(&before), strings(vocab), "{name}");
        }
    }
}
