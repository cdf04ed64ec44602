//! Runs `spec/cases/unigram_train.json`: the pieces and the history of Unigram trainings.

#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test a panic is the message")]

use std::ops::ControlFlow;

use piecework_core::Error;
use piecework_core::format::read_trainer;
use piecework_core::model::Trainer;
use piecework_core::model::unigram::train::{Threads, UnigramStep, UnigramTrained, train};
use serde_json::{Value, json};

/// Runs the work on two more threads.
fn beside(work: &(dyn Fn() + Sync), here: &mut dyn FnMut()) {
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
        here();
    });
}

fn trained(case: &Value, threads: Threads<'_>) -> Result<UnigramTrained, Error> {
    let mut settings = json!({
        "type": "UnigramTrainer", "seed_size": 1_000_000, "shrinking_factor": 0.75, "em_steps": 1,
        "max_piece_length": 16, "min_frequency": 2, "min_word_frequency": 1,
        "special_tokens": ["<unk>", "<s>", "</s>"], "special_tokens_first": true, "unk_token": "<unk>",
        "user_defined_symbols": [], "byte_fallback": false, "character_coverage": 0.9995, "required_chars": [],
        "split_by_unicode_script": true, "split_by_number": true, "split_digits": false, "split_by_whitespace": true,
        "allow_whitespace_only_pieces": false, "treat_whitespace_as_suffix": false,
    });
    settings.as_object_mut().unwrap().extend(case["settings"].as_object().unwrap().clone());
    let Trainer::Unigram(config) = read_trainer(&settings.to_string())? else { panic!("a trainer of Unigram") };
    let words = case["words"].as_array().unwrap();
    let words: Vec<_> = words.iter().map(|word| (word[0].as_str().unwrap(), word[1].as_u64().unwrap())).collect();
    train(&words, &config, None, threads, &mut |_| ControlFlow::Continue(()))
}

fn row(round: &UnigramStep) -> Value {
    match round.log_likelihood {
        Some(log_likelihood) => json!({
            "kind": "step", "pieces": round.pieces, "log_likelihood": log_likelihood, "dropped": round.removed,
        }),
        None => json!({"kind": "pruning", "pieces": round.pieces, "removed": round.removed}),
    }
}

fn check(case: &Value) {
    let (name, expected) = (&case["name"], &case["expected"]);
    let trained = match (trained(case, Threads::SINGLE), expected.get("error")) {
        (Ok(found), None) => {
            assert_eq!(trained(case, Threads::new(&beside)).unwrap(), found, "{name}: with more threads");
            found
        }
        (Err(error), Some(kind)) => {
            assert_eq!(matches!(error, Error::Overflow(_)), kind == "overflow", "{name}: {error}");
            assert!(error.to_string().contains(expected["contains"].as_str().unwrap()), "{name}: {error}");
            return;
        }
        (Ok(_), Some(error)) => panic!("{name}: no error {error}"),
        (Err(error), None) => panic!("{name}: {error}"),
    };
    assert_eq!(&json!(trained.entries), &expected["vocab"], "{name}");
    let history: Vec<Value> = trained.history.iter().map(row).collect();
    assert_eq!(&json!(history), &expected["history"], "{name}");
}

#[test]
fn unigram_train_json() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/cases/unigram_train.json")).unwrap();
    let cases: Value = serde_json::from_str(&text).unwrap();
    let cases = cases["cases"].as_array().unwrap();
    assert!(cases.len() > 20);
    cases.iter().for_each(check);
}
