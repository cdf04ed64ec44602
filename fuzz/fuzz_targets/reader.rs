//! Any bytes are a tokenizer.json or an error; what is read can be written, read again, and used; decoding in steps gives the
//! text of all.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::decode::Form;
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
        let _ = tokenizer.decode(&[0, 1, 2, u32::MAX], skip);
        let _ = tokenizer.decode_bytes(&ids, skip);
        check_stream(tokenizer, &ids, skip);
    }
}

/// Steps in a row are the text of all.
fn check_stream(tokenizer: &Tokenizer, ids: &[u32], skip: bool) {
    let Ok(text) = tokenizer.decode(ids, skip) else { return };
    let mut stream = tokenizer.decode_stream(Form::Text);
    let mut given = Vec::new();
    for some in ids.chunks(3) {
        given.extend(tokenizer.decode_step(&mut stream, some, skip).expect("all together is no error"));
    }
    given.extend(stream.finish().expect("all together is no error"));
    assert_eq!(String::from_utf8(given), Ok(text));
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
