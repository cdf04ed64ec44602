//! Random bytes are read as ranks of tiktoken, or are an error; the first byte chooses the encoding whose pattern they have,
//! and whether the ranks of all bytes precede them. A tokenizer that was read is used, saved and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::format::{ENCODINGS, TiktokenSettings, named_encoding, read_tiktoken, write_tiktoken};
use piecework_core::pipeline::Tokenizer;
use piecework_core::text::pattern::Pattern;
use piecework_fuzz::files::byte_ranks;
use piecework_fuzz::reading::check_read;

fn settings(choice: u8) -> TiktokenSettings {
    let name = ENCODINGS[usize::from(choice) % ENCODINGS.len()];
    let pattern = named_encoding(name).expect("it is in the list").pattern;
    let special_tokens = if choice & 0x40 == 0 { Vec::new() } else { vec![("<|endoftext|>".to_owned(), 1000)] };
    TiktokenSettings { pattern: Pattern::regex(pattern).expect("a known pattern"), special_tokens }
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, ranks)) = data.split_first() else { return };
    let all = if choice & 0x80 == 0 { [byte_ranks().as_bytes(), ranks].concat() } else { ranks.to_vec() };
    let Ok(tokenizer) = read_tiktoken(&all, settings(choice)) else { return };
    let again = |tokenizer: &Tokenizer| {
        let saved = write_tiktoken(tokenizer).ok()?;
        let again = read_tiktoken(saved.as_bytes(), settings(choice)).expect("it was just written");
        assert_eq!(write_tiktoken(&again), Ok(saved));
        Some(again)
    };
    check_read(&tokenizer, again(&tokenizer));
});
