//! Random bytes are read as a tokenizer.json or a `.model`, or are an error. A tokenizer that was read can be saved,
//! reloaded and used, and incremental decoding equals decoding.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::added::{SpecialsPolicy, TextTokens};
use piecework_core::format::{
    JsonSettings, read_sentencepiece, read_tokenizer_json, write_sentencepiece, write_tokenizer_json,
};
use piecework_core::pipeline::{EncodingPath, Input, Options, Scratch, StreamSettings, Tokenizer};
use piecework_fuzz::hard_texts::HARD_TEXTS;

fn check(tokenizer: &Tokenizer) {
    let scratch = &mut Scratch::default();
    let text: String = HARD_TEXTS.concat();
    let plain = Options { path: EncodingPath::Generic, ..Options::default() };
    let full = tokenizer.encode(Input::Text(&text), None, &plain, scratch);
    let mut ids = Vec::new();
    let alone = tokenizer.encode_ids(Input::Text(&text), None, &Options::default(), scratch, &mut ids);
    assert_eq!(alone.map(|()| &ids), full.as_ref().map(|encoding| &encoding.ids).map_err(Clone::clone));
    check_segmentations(tokenizer, scratch);
    for skip in [false, true] {
        // Errors are allowed here, panics are not.
        let _ = tokenizer.decode(&[0, 1, 2, u32::MAX], skip);
        let _ = tokenizer.decode_bytes(&ids, skip);
        check_stream(tokenizer, &ids, skip);
    }
}

/// Checks that a segmentation can be sampled if there is a best one.
fn check_segmentations(tokenizer: &Tokenizer, scratch: &mut Scratch) {
    let text: String = HARD_TEXTS[..20].join(" ");
    let options = Options { specials: SpecialsPolicy::Text(TextTokens::Special), ..Options::default() };
    // Only Unigram has an n-best list, and some texts have no segmentation.
    if let Ok(best) = tokenizer.encode_nbest(&text, 5, &options, scratch) {
        assert!(!best.is_empty());
        let _ = tokenizer.marginal_log_likelihood(&text, &options, scratch);
        let drawn = Options { alpha: Some(0.3), seed: 7, ..options };
        assert!(tokenizer.encode(Input::Text(&text), None, &drawn, scratch).is_ok());
    }
}

/// Checks that incremental decoding gives the whole text.
fn check_stream(tokenizer: &Tokenizer, ids: &[u32], skip: bool) {
    let Ok(text) = tokenizer.decode(ids, skip) else { return };
    let settings = StreamSettings { decoding: skip.into(), ..StreamSettings::default() };
    let mut stream = tokenizer.id_stream(&settings);
    let mut given = Vec::new();
    for some in ids.chunks(3) {
        tokenizer.decode_step(&mut stream, &settings, some, &mut given).expect("all together is no error");
    }
    tokenizer.decode_rest(&mut stream, &settings, &mut given).expect("all together is no error");
    assert_eq!(String::from_utf8(given), Ok(text));
}

/// Checks that a saved model is read again to the same bytes, also with itself as the base.
fn check_model(data: &[u8]) {
    let Ok(tokenizer) = read_sentencepiece(data) else { return };
    if let Ok(saved) = write_sentencepiece(&tokenizer, None) {
        let back = read_sentencepiece(&saved).unwrap_or_else(|error| panic!("{error}: {saved:?}"));
        assert_eq!(write_sentencepiece(&back, None), Ok(saved));
        let alike = write_sentencepiece(&tokenizer, Some(data)).expect("a model is like itself");
        read_sentencepiece(&alike).expect("it was just written");
    }
    check_json(&tokenizer);
}

fn check_json(tokenizer: &Tokenizer) {
    if let Ok(saved) = write_tokenizer_json(tokenizer) {
        let back = read_tokenizer_json(saved.as_bytes(), &JsonSettings::default());
        let back = back.unwrap_or_else(|error| panic!("{error}: {saved}"));
        assert_eq!(write_tokenizer_json(&back), Ok(saved));
    }
    check(tokenizer);
}

fuzz_target!(|data: &[u8]| {
    match read_tokenizer_json(data, &JsonSettings::default()) {
        Ok(tokenizer) => check_json(&tokenizer),
        Err(_) => check_model(data),
    }
});
