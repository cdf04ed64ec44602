//! Random bytes are read as a tokenizer.json, or are an error. A tokenizer that was read is used, saved and read again, also
//! with the ids of the file and with its fingerprint.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::format::{
    AddedIdSource, JsonSettings, read_edited_json, read_tokenizer_json, write_own_json, write_saved_json,
};
use piecework_core::pipeline::Tokenizer;
use piecework_fuzz::reading::{check_read, json_again};

fn own_again(tokenizer: &Tokenizer) -> Option<Tokenizer> {
    let own = write_own_json(tokenizer).ok()?;
    let settings = JsonSettings { added_ids: AddedIdSource::File, ..JsonSettings::default() };
    let again = read_tokenizer_json(own.as_bytes(), &settings).unwrap_or_else(|error| panic!("{error}: {own}"));
    assert_eq!(write_own_json(&again), Ok(own));
    Some(again)
}

fn check_saved(tokenizer: &Tokenizer) {
    let Ok(saved) = write_saved_json(tokenizer) else { return };
    let (again, dropped) =
        read_edited_json(saved.as_bytes(), &JsonSettings::default()).unwrap_or_else(|error| panic!("{error}: {saved}"));
    assert_eq!((dropped, write_saved_json(&again)), (Vec::new(), Ok(saved)));
}

fuzz_target!(|data: &[u8]| {
    if let Ok(tokenizer) = read_tokenizer_json(data, &JsonSettings::default()) {
        check_saved(&tokenizer);
        check_read(&tokenizer, own_again(&tokenizer).into_iter().chain(json_again(&tokenizer)));
    }
});
