//! Random bytes are read as the settings of a tokenizer, of a splitter with added tokens, of a decoder, of truncation, of
//! padding and of a trainer, or are errors. What was read is written, and read again to the same; a tokenizer with the
//! settings is used.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use piecework_core::format::{
    format_named, read_decoder, read_padding, read_splitter, read_text_splitter, read_trainer, read_truncation,
    with_parts, write_decoder, write_parts, write_splitter, write_text_splitter, write_trainer,
};
use piecework_core::pipeline::Tokenizer;
use piecework_fuzz::reading::check_read;

static TOKENIZER: LazyLock<Tokenizer> = LazyLock::new(|| {
    let vocab = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\nab\n##ab\n##b\n▁a\nĠa\n中\n";
    format_named("vocab.txt").and_then(|format| format.read(vocab.as_bytes())).expect("a vocabulary")
});

fn with_settings(text: &str) -> Option<Tokenizer> {
    let tokenizer = with_parts(&TOKENIZER, text, &[]).ok()?;
    let written = write_parts(&tokenizer);
    let again = with_parts(&TOKENIZER, &written, &[]).unwrap_or_else(|error| panic!("{error}: {written}"));
    assert_eq!(write_parts(&again), written);
    Some(again)
}

/// Checks that what is read from a text is equal to what is read from it after writing.
fn check<T, E: std::fmt::Debug>(text: &str, read: impl Fn(&str) -> Result<T, E>, write: impl Fn(&T) -> String) {
    if let Ok(value) = read(text) {
        let written = write(&value);
        assert_eq!(read(&written).map(|again| write(&again)).expect(&written), written);
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    check(text, |text| read_splitter(text, &[]), write_splitter);
    check(text, |text| read_text_splitter(text, &[]), write_text_splitter);
    check(text, read_decoder, write_decoder);
    check(text, read_trainer, write_trainer);
    // Both are written with the other settings of a tokenizer.
    for (name, is_read) in [("truncation", read_truncation(text).is_ok()), ("padding", read_padding(text).is_ok())] {
        if is_read {
            with_settings(&format!("{{\"{name}\":{text}}}")).expect("it was read by itself");
        }
    }
    if let Some(tokenizer) = with_settings(text) {
        check_read(&tokenizer, None);
    }
});
