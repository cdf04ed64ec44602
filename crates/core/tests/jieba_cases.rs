//! Runs `spec/cases/jieba.json` through the core: the words of the library jieba.

#![allow(clippy::unwrap_used, reason = "in a test a panic is the message")]

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use piecework_core::pretokenize::{Jieba, UserWord};
use serde_json::Value;

fn table() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/cases/jieba.json");
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn user_words(rows: &Value) -> Vec<UserWord> {
    let user_word = |row: &Value| UserWord {
        word: text(&row[0]).to_owned(),
        frequency: row[1].as_u64(),
        tag: row[2].as_str().map(str::to_owned),
    };
    rows.as_array().unwrap().iter().map(user_word).collect()
}

#[test]
fn pieces() {
    let table = table();
    for (hmm, key) in [(true, "hmm"), (false, "no_hmm")] {
        let made = |(name, dictionary): (&String, &Value)| {
            (name.clone(), Jieba::new(hmm, user_words(&dictionary["words"])).unwrap())
        };
        let segmenters: HashMap<String, Jieba> = table["dictionaries"].as_object().unwrap().iter().map(made).collect();
        for case in table["cases"].as_array().unwrap() {
            let input = text(&case["text"]);
            let mut found = Vec::new();
            segmenters[text(&case["dictionary"])].split(input, |span| found.push(&input[span.range()]));
            let expected: Vec<&str> = case[key].as_array().unwrap().iter().map(text).collect();
            assert_eq!(found, expected, "{input:?} {key} {}", case["dictionary"]);
        }
    }
}
