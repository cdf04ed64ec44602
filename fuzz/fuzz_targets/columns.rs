//! Encodings on the fast path equal those on the generic path in every column, for all forms of input.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::pipeline::{EncodingPath, Input, Scratch, Tokenizer};
use piecework_fuzz::Trial;

fn check(trial: &Trial, tokenizer: &Tokenizer, kept: &mut Scratch) {
    let documents = trial.documents();
    let mut end = 0;
    let segments = documents.iter().map(|document| {
        end += document.len();
        (end, document.len() % 2 == 0)
    });
    let segments: Vec<_> = segments.collect();
    let input = match trial.way & 3 {
        0 | 1 => Input::Text(&trial.text),
        2 => Input::Words(&documents),
        _ => Input::Segments(&trial.text, &segments),
    };
    let pairs = [None, documents.first().map(|document| Input::Text(document))];
    let pair = pairs[usize::from(trial.way & 4 != 0)];
    let plain = trial.on(EncodingPath::Generic);
    let wanted = tokenizer.encode(input, pair, &plain, &mut Scratch::default());
    let paths = [EncodingPath::Fast, EncodingPath::Uncached, EncodingPath::Fast, EncodingPath::Generic];
    for (path, name) in paths.into_iter().zip(["kept", "uncached", "kept again", "generic"]) {
        trial.same(&tokenizer.encode(input, pair, &trial.on(path), kept), &wanted, name);
    }
    trial.same(&tokenizer.encode(input, pair, &trial.options, &mut Scratch::default()), &wanted, "fresh");
    // Ids alone are never padded, and do not depend on what overflows.
    if let (Ok(wanted), None) = (wanted, &plain.padding) {
        let mut ids = Vec::new();
        let alone = tokenizer.encode_ids(input, pair, &trial.options, kept, &mut ids).map(|()| ids);
        trial.same(&alone, &Ok(wanted.ids), "ids alone");
    }
}

fuzz_target!(|data: &[u8]| {
    if let Ok(mut trial) = Trial::new(data) {
        // The overflowing parts of a long text, padded, take gigabytes; a pair has a part for each two windows.
        let longest = if trial.way & 4 == 0 { 300 } else { 60 };
        trial.options.overflow &= trial.text.len() < longest;
        trial.run(|tokenizer, kept| check(&trial, tokenizer, kept));
    }
});
