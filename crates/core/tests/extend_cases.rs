//! Runs `spec/cases/extend.json`: new entries on top of a vocabulary.

#![allow(clippy::unwrap_used, clippy::panic, reason = "in a test a panic is the message")]

use std::ops::ControlFlow;

use piecework_core::counts::{FirstOccurrence, WordCounts};
use piecework_core::format::{JsonSettings, read_tokenizer_json};
use piecework_core::learn::{ExtensionConfig, Merge, Threads};
use piecework_core::model::wordpiece::train::Criterion;
use piecework_core::training::{Execution, LearnedTokens, extend};
use serde_json::{Value, json};

fn words(case: &Value) -> WordCounts {
    let mut counts = WordCounts::new(None);
    for (word, row) in (0..).zip(case["words"].as_array().unwrap()) {
        let first = FirstOccurrence { document: 0, word };
        counts.add(row[0].as_str().unwrap(), row[1].as_u64().unwrap(), first).unwrap();
    }
    counts
}

fn learned(table: &Value, case: &Value) -> LearnedTokens {
    let config = json!({"model": table["models"][case["model"].as_str().unwrap()]});
    let tokenizer = read_tokenizer_json(config.to_string().as_bytes(), &JsonSettings::default()).unwrap();
    let settings = &case["settings"];
    let number = |name: &str| settings.get(name).and_then(Value::as_u64);
    let size = |name: &str| number(name).map(|number| usize::try_from(number).unwrap());
    let criterion = match settings.get("criterion").and_then(Value::as_str) {
        None | Some("likelihood") => Criterion::Likelihood,
        Some("frequency") => Criterion::Frequency,
        Some("pmi") => Criterion::Pmi,
        Some("sum") => Criterion::Sum,
        Some(other) => panic!("no criterion {other}"),
    };
    let config = ExtensionConfig {
        new_tokens: size("new_tokens").unwrap(),
        min_frequency: number("min_frequency").unwrap_or(2),
        max_token_length: size("max_token_length"),
    };
    let execution = Execution { threads: Threads::SINGLE, callback: &mut |_| ControlFlow::Continue(()) };
    extend(&tokenizer, &words(case), criterion, &config, execution).unwrap()
}

fn row(merge: &Merge) -> Value {
    json!({
        "left": merge.left, "right": merge.right, "token": merge.token, "score": merge.score,
        "pair_count": merge.pair_count, "left_count": merge.left_count, "right_count": merge.right_count,
        "ties": merge.ties,
    })
}

fn check(table: &Value, case: &Value) {
    let (name, expected, found) = (&case["name"], &case["expected"], learned(table, case));
    assert_eq!(json!(found.tokens), expected["tokens"], "{name}");
    if let Some(scores) = expected.get("scores").and_then(Value::as_array) {
        assert_eq!(found.scores.len(), scores.len(), "{name}");
        for (score, wanted) in found.scores.iter().zip(scores) {
            assert!((score - wanted.as_f64().unwrap()).abs() < 1e-12, "{name}: {score}");
        }
    }
    let Some(history) = expected.get("history").and_then(Value::as_array) else { return };
    assert_eq!(found.history.len(), history.len(), "{name}: {:?}", found.history);
    for (merge, wanted) in found.history.iter().zip(history) {
        let found = row(merge);
        for (key, value) in wanted.as_object().unwrap() {
            assert_eq!(&found[key], value, "{name}: {merge:?}");
        }
    }
}

#[test]
fn extend_json() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/cases/extend.json")).unwrap();
    let table: Value = serde_json::from_str(&text).unwrap();
    let cases = table["cases"].as_array().unwrap();
    assert!(cases.len() > 20);
    cases.iter().for_each(|case| check(&table, case));
}
