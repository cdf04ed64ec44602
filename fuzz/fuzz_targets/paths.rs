//! Ids on the fast path, with and without a cache, equal those of the generic path. So do errors, batches of documents,
//! and the parts of a long text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::Result;
use piecework_core::pipeline::{EncodingPath, Input, Options, Scratch, Tokenizer};
use piecework_fuzz::Trial;

fn ids(
    tokenizer: &Tokenizer,
    text: &str,
    pair: Option<&str>,
    options: &Options,
    scratch: &mut Scratch,
) -> Result<Vec<u32>> {
    let mut ids = vec![7];
    let pair = pair.map(Input::Text);
    tokenizer.encode_ids(Input::Text(text), pair, options, scratch, &mut ids).map(|()| ids)
}

fn check(trial: &Trial, tokenizer: &Tokenizer, kept: &mut Scratch) {
    let text = trial.text.as_str();
    let pair = (trial.way & 3 == 3).then(|| &text[..text.floor_char_boundary(text.len() / 3)]);
    let wanted = ids(tokenizer, text, pair, &trial.on(EncodingPath::Generic), &mut Scratch::default());
    let paths = [EncodingPath::Fast, EncodingPath::Uncached, EncodingPath::Fast, EncodingPath::Generic];
    for (path, name) in paths.into_iter().zip(["kept", "uncached", "kept again", "generic"]) {
        trial.same(&ids(tokenizer, text, pair, &trial.on(path), kept), &wanted, name);
    }
    trial.same(&ids(tokenizer, text, pair, &trial.options, &mut Scratch::default()), &wanted, "fresh");
    if pair.is_none() && trial.options.truncation.is_none() {
        let wanted = wanted.as_ref().map(|ids| ids.len() - 1).map_err(Clone::clone);
        trial.same(&tokenizer.count(text, &trial.options, kept), &wanted, "count");
    }
    check_documents(trial, tokenizer, kept);
    check_parts(trial, tokenizer, kept);
    // A decoded text is a new text, often with many unknown tokens.
    if let Ok(found) = wanted
        && let Ok(decoded) = tokenizer.decode(&found[1..], trial.way & 4 == 0)
    {
        let wanted = ids(tokenizer, &decoded, None, &trial.on(EncodingPath::Generic), &mut Scratch::default());
        trial.same(&ids(tokenizer, &decoded, None, &trial.options, kept), &wanted, "decoded");
    }
}

/// Encodes a long text in parts, which may fail at another position.
fn check_parts(trial: &Trial, tokenizer: &Tokenizer, kept: &mut Scratch) {
    let Some(cuts) = tokenizer.cuts(&trial.options) else { return };
    let wanted = ids(tokenizer, &trial.text, None, &trial.on(EncodingPath::Generic), &mut Scratch::default());
    let mut all = vec![7];
    let parts = cuts.parts(&trial.text, trial.cut + 1);
    let done = parts.into_iter().try_for_each(|part| cuts.encode(part, kept, &mut all));
    trial.same(&done.map(|()| all).ok(), &wanted.ok(), "parts");
}

/// Encodes a batch into one list of ids; `trial.way` chooses the order of the documents.
fn check_documents(trial: &Trial, tokenizer: &Tokenizer, kept: &mut Scratch) {
    let mut documents = trial.documents();
    if trial.way & 8 != 0 {
        documents.reverse();
    }
    let all = |options: &Options, scratch: &mut Scratch| -> Result<Vec<u32>> {
        let mut all = Vec::new();
        for document in &documents {
            tokenizer.encode_ids(Input::Text(document), None, options, scratch, &mut all)?;
        }
        Ok(all)
    };
    let wanted = all(&trial.on(EncodingPath::Generic), &mut Scratch::default());
    trial.same(&all(&trial.options, kept), &wanted, "documents, kept");
    trial.same(&all(&trial.options, &mut Scratch::default()), &wanted, "documents, fresh");
}

fuzz_target!(|data: &[u8]| {
    if let Ok(trial) = Trial::new(data) {
        trial.run(|tokenizer, kept| check(&trial, tokenizer, kept));
    }
});
