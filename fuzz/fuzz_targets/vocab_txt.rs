//! Random bytes are read as a `vocab.txt`, or are an error; the first byte chooses the settings. A tokenizer that was read is
//! used, saved and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::format::{VocabSettings, read_vocab_txt, write_vocab_txt};
use piecework_core::model::wordpiece::WordPieceSettings;
use piecework_core::pipeline::Tokenizer;
use piecework_core::splitter::WordSplitter;
use piecework_fuzz::reading::check_read;

fn settings(choice: u8) -> VocabSettings {
    let splitter = if choice & 1 == 0 { WordSplitter::bert() } else { WordSplitter::new(None, None) };
    let unk_token = if choice & 2 == 0 { Some("[UNK]".to_owned()) } else { None };
    let prefix = ["##", "##", "", "a"][usize::from(choice >> 2) % 4].to_owned();
    let model = WordPieceSettings { unk_token, continuing_subword_prefix: prefix, ..WordPieceSettings::default() };
    VocabSettings { splitter: splitter.expect("these stages go together"), model }
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, data)) = data.split_first() else { return };
    let Ok(tokenizer) = read_vocab_txt(data, settings(choice)) else { return };
    let again = |tokenizer: &Tokenizer| {
        let saved = write_vocab_txt(tokenizer.model().vocab()).ok()?;
        let again = read_vocab_txt(saved.as_bytes(), settings(choice)).expect("it was just written");
        assert_eq!(write_vocab_txt(again.model().vocab()), Ok(saved));
        Some(again)
    };
    check_read(&tokenizer, again(&tokenizer));
});
