//! Random bytes are read as codes of subword-nmt, with the vocabulary that follows a byte of 0, or are an error. A tokenizer
//! that was read is used, saved and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::format::{Filter, read_subword_nmt, write_subword_nmt};
use piecework_core::pipeline::Tokenizer;
use piecework_fuzz::{parts, reading::check_read};

fuzz_target!(|data: &[u8]| {
    let [codes, vocabulary] = parts(data);
    let filter = Filter { vocabulary, threshold: Some(2), separator: "@@" };
    let filters = [None, Some(&filter).filter(|_| codes.len() < data.len())];
    for tokenizer in filters.iter().filter_map(|&filter| read_subword_nmt(codes, filter).ok()) {
        let again = |tokenizer: &Tokenizer| {
            let saved = write_subword_nmt(tokenizer).ok()?;
            let again = read_subword_nmt(saved.as_bytes(), None).expect("it was just written");
            assert_eq!(write_subword_nmt(&again), Ok(saved));
            Some(again)
        };
        check_read(&tokenizer, again(&tokenizer));
    }
});
