//! Shared parts of the tests that compare paths: a tokenizer.json around a model, and the checks of a text.

use piecework_core::pipeline::{EncodingPath, Input, Options, Scratch, Tokenizer};
use serde_json::{Value, json};

/// Returns the tokenizer.json of a model of `size` entries; two added tokens follow these.
pub(crate) fn file(normalizer: &Value, pre_tokenizer: &Value, model: &Value, size: usize) -> Value {
    let added = [("<s>", size), ("[X]", size + 1)].map(|(content, id)| {
        json!({"id": id, "content": content, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
            "special": content == "<s>"})
    });
    json!({"version": "1.0", "truncation": null, "padding": null, "added_tokens": added, "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer, "post_processor": null, "decoder": null, "model": model})
}

/// Checks that a text has equal tokens on all paths, alone and between added tokens.
pub(crate) fn check(tokenizer: &Tokenizer, text: &str, scratch: &mut Scratch, context: &str) {
    check_alone(tokenizer, text, scratch, context);
    check_alone(tokenizer, &format!("{text}<s>{text}[X] {text}"), scratch, context);
}

/// Checks that a text alone has equal tokens on all paths.
pub(crate) fn check_alone(tokenizer: &Tokenizer, text: &str, scratch: &mut Scratch, context: &str) {
    let on = |path| Options { path, ..Options::default() };
    let mut fresh = Scratch::default();
    let wanted = tokenizer.encode(Input::Text(text), None, &on(EncodingPath::Generic), &mut fresh).unwrap();
    for path in [EncodingPath::Fast, EncodingPath::Uncached, EncodingPath::Fast] {
        let mut ids = Vec::new();
        tokenizer.encode_ids(Input::Text(text), None, &on(path), scratch, &mut ids).unwrap();
        assert_eq!(ids, wanted.ids, "{path:?} {text:?} {context}");
        let found = tokenizer.encode(Input::Text(text), None, &on(path), scratch).unwrap();
        assert_eq!(found, wanted, "{path:?} {text:?} {context}");
    }
    if let Some(cuts) = tokenizer.cuts(&on(EncodingPath::Fast)) {
        let mut ids = Vec::new();
        cuts.parts(text, 5).into_iter().for_each(|part| cuts.encode(part, scratch, &mut ids).unwrap());
        assert_eq!(ids, wanted.ids, "in parts {text:?} {context}");
    }
}
