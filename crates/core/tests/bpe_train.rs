//! Runs `spec/cases/bpe_train.json`: the merges and vocabularies of BPE trainings.

#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test a panic is the message")]

use std::ops::ControlFlow;

use piecework_core::Error;
use piecework_core::format::read_trainer;
use piecework_core::learn::Merge;
use piecework_core::model::Trainer;
use piecework_core::model::bpe::train::{Trained, train};
use serde_json::{Value, json};

fn trained(case: &Value) -> Result<Trained, Error> {
    let mut settings = json!({
        "type": "BpeTrainer", "vocab_size": null, "max_merges": null, "min_frequency": 1, "min_word_frequency": 1,
        "stop_at_pair_frequency": null, "ties": "lex", "special_tokens": [], "special_tokens_first": true, "unk_token": null,
        "user_defined_symbols": [], "alphabet": "char", "initial_alphabet": [], "limit_alphabet": null,
        "continuing_subword_prefix": "", "end_of_word_suffix": "", "suffix_style": "attached", "max_token_length": null,
    });
    settings.as_object_mut().unwrap().extend(case["settings"].as_object().unwrap().clone());
    let Trainer::Bpe(config) = read_trainer(&settings.to_string())? else { panic!("a trainer of BPE") };
    let words = case["words"].as_array().unwrap();
    let words: Vec<_> = words.iter().map(|word| (word[0].as_str().unwrap(), word[1].as_u64().unwrap())).collect();
    train(&words, &config, None, &mut |_| ControlFlow::Continue(()))
}

fn row(merge: &Merge) -> Value {
    json!({
        "left": merge.left, "right": merge.right, "token": merge.token, "score": merge.score,
        "pair_count": merge.pair_count, "left_count": merge.left_count, "right_count": merge.right_count,
        "ties": merge.ties,
    })
}

fn check(case: &Value) {
    let (name, expected) = (&case["name"], &case["expected"]);
    let trained = match (trained(case), expected.get("error")) {
        (Ok(trained), None) => trained,
        (Err(error), Some(_)) => {
            let contains = expected["contains"].as_str().unwrap();
            assert!(error.to_string().contains(contains), "{name}: {error}");
            return;
        }
        (Ok(_), Some(error)) => panic!("{name}: no error {error}"),
        (Err(error), None) => panic!("{name}: {error}"),
    };
    if let Some(vocab) = expected.get("vocab") {
        assert_eq!(&json!(trained.entries), vocab, "{name}");
    }
    if let Some(initial) = expected.get("initial_vocab").and_then(Value::as_array) {
        assert!(initial.iter().all(|entry| trained.entries.iter().any(|other| entry == other)), "{name}");
    }
    if let Some(counts) = expected.get("counts") {
        assert_eq!(&json!(trained.token_counts), counts, "{name}");
    }
    let Some(history) = expected.get("history").and_then(Value::as_array) else { return };
    assert_eq!(trained.history.len(), history.len(), "{name}: {:?}", trained.history);
    for (merge, wanted) in trained.history.iter().zip(history) {
        let found = row(merge);
        for (key, value) in wanted.as_object().unwrap() {
            assert_eq!(&found[key], value, "{name}: {merge:?}");
        }
    }
}

#[test]
fn bpe_train_json() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/cases/bpe_train.json")).unwrap();
    let cases: Value = serde_json::from_str(&text).unwrap();
    let cases = cases["cases"].as_array().unwrap();
    assert!(cases.len() > 20);
    cases.iter().for_each(check);
}
