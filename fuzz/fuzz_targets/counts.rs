//! Words that are counted, text by text and line by line, are those that the splitter finds.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::counts::{BlockStart, FirstSight, WordCounts, count_lines};
use piecework_core::pipeline::Tokenizer;
use piecework_core::words::Words;
use piecework_fuzz::Trial;

/// Word by word.
fn plain<'a>(tokenizer: &Tokenizer, documents: impl IntoIterator<Item = &'a str>) -> WordCounts {
    let mut counts = WordCounts::new(Some(tokenizer.splitter().clone()));
    let mut words = Words::default();
    for (document, text) in (0..).zip(documents) {
        tokenizer.splitter().split(text, false, &mut words).expect("these splitters take any text");
        for (word, text) in (0..).zip(words.iter()) {
            counts.add(text, 1, FirstSight { document, word }).expect("there are few");
        }
    }
    counts
}

fn check(trial: &Trial, tokenizer: &Tokenizer) {
    let mut counts = WordCounts::new(Some(tokenizer.splitter().clone()));
    let mut words = Words::default();
    for (document, text) in (0..).zip(trial.documents()) {
        counts.add_text(document, text, &mut words).expect("these splitters take any text");
    }
    trial.same(&counts, &plain(tokenizer, trial.documents()), "documents");

    let mut counts = WordCounts::new(Some(tokenizer.splitter().clone()));
    let start = BlockStart { document: 0, line: 0, byte: 0 };
    let lines = count_lines(&mut counts, trial.text.as_bytes(), start, false, &mut words).expect("it is UTF-8");
    let each = trial.text.split_inclusive('\n').map(|line| {
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line)
    });
    trial.same(&counts, &plain(tokenizer, each.clone()), "lines");
    trial.same(&lines, &(each.count() as u64), "the number of lines");
}

fuzz_target!(|data: &[u8]| {
    if let Ok(trial) = Trial::new(data) {
        trial.run(|tokenizer, _| check(&trial, tokenizer));
    }
});
