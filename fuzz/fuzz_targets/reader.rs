//! Any bytes are a tokenizer.json or an error; what is read can be written, read again, and used.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::format::{JsonSettings, read_tokenizer_json, write_tokenizer_json};
use piecework_core::pipeline::{Input, Options, Road, Scratch, Tokenizer};
use piecework_fuzz::traps::TRAPS;

fn check(tokenizer: &Tokenizer) {
    let scratch = &mut Scratch::default();
    let text: String = TRAPS.concat();
    let plain = Options { road: Road::General, ..Options::default() };
    let full = tokenizer.encode(Input::Text(&text), None, &plain, scratch);
    let mut ids = Vec::new();
    let alone = tokenizer.encode_ids(Input::Text(&text), None, &Options::default(), scratch, &mut ids);
    assert_eq!(alone.map(|()| &ids), full.as_ref().map(|encoding| &encoding.ids).map_err(Clone::clone));
    for skip in [false, true] {
        // An error is as good as a text, but not a panic.
        let _ = tokenizer.decode(&ids, skip);
        let _ = tokenizer.decode(&[0, 1, 2, u32::MAX], skip);
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(tokenizer) = read_tokenizer_json(data, &JsonSettings::default()) else { return };
    if let Ok(saved) = write_tokenizer_json(&tokenizer) {
        let back = read_tokenizer_json(saved.as_bytes(), &JsonSettings::default());
        let back = back.unwrap_or_else(|error| panic!("{error}: {saved}"));
        assert_eq!(write_tokenizer_json(&back), Ok(saved));
    }
    check(&tokenizer);
});
