//! Random bytes are read as CLIP's list of merges, or as a `vocab.json` and a `merges.txt` with a byte of 0 between them, or
//! are an error. A tokenizer that was read is used, saved and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::format::{detect_format, read_clip, read_merges, write_clip, write_merges_txt, write_vocab_json};
use piecework_core::pipeline::Tokenizer;
use piecework_core::splitter::WordSplitter;
use piecework_fuzz::{parts, reading::check_read};

fn check_clip(data: &[u8]) {
    let Ok(tokenizer) = read_clip(data) else { return };
    let again = |tokenizer: &Tokenizer| {
        let saved = write_clip(tokenizer).ok()?;
        let again = read_clip(saved.as_bytes()).expect("it was just written");
        assert_eq!(write_clip(&again), Ok(saved));
        Some(again)
    };
    check_read(&tokenizer, again(&tokenizer));
}

/// Checks two files, with the stages of their kind or with others.
fn check_files(data: &[u8], splitter: Option<&WordSplitter>) {
    let [vocab, merges] = parts(data);
    let read = |vocab: &[u8], merges: &[u8]| read_merges(vocab, merges, splitter.cloned(), None);
    let Ok(tokenizer) = read(vocab, merges) else { return };
    let again = |tokenizer: &Tokenizer| {
        let (vocab, merges) = (write_vocab_json(tokenizer).ok()?, write_merges_txt(tokenizer).ok()?);
        let again = read(vocab.as_bytes(), merges.as_bytes()).expect("they were just written");
        let written = |tokenizer: &Tokenizer| (write_vocab_json(tokenizer), write_merges_txt(tokenizer));
        assert_eq!(written(&again), (Ok(vocab), Ok(merges)));
        Some(again)
    };
    check_read(&tokenizer, again(&tokenizer));
}

fuzz_target!(|data: &[u8]| {
    if detect_format(data, "").name == "clip" {
        return check_clip(data);
    }
    check_files(data, None);
    check_files(data, Some(&WordSplitter::bert().expect("these stages go together")));
});
