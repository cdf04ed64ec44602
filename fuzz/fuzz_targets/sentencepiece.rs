//! Random bytes are read as a `.model` of SentencePiece, or are an error. A model that was read is used, saved and read again
//! to the same bytes, also with itself as the base.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::format::{read_sentencepiece, write_sentencepiece};
use piecework_core::pipeline::Tokenizer;
use piecework_fuzz::reading::{check_read, json_again};

fn again(tokenizer: &Tokenizer, base: &[u8]) -> Option<Tokenizer> {
    let saved = write_sentencepiece(tokenizer, None).ok()?;
    let again = read_sentencepiece(&saved).unwrap_or_else(|error| panic!("{error}: {saved:?}"));
    assert_eq!(write_sentencepiece(&again, None), Ok(saved));
    let alike = write_sentencepiece(tokenizer, Some(base)).expect("a model is like itself");
    read_sentencepiece(&alike).expect("it was just written");
    Some(again)
}

fuzz_target!(|data: &[u8]| {
    if let Ok(tokenizer) = read_sentencepiece(data) {
        check_read(&tokenizer, again(&tokenizer, data).into_iter().chain(json_again(&tokenizer)));
    }
});
