//! Word counts on both paths, of texts and of lines, equal counts of the splitter's words.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::counts::{BlockStart, Counter, FirstOccurrence, Lines, WordCounts};
use piecework_core::pipeline::Tokenizer;
use piecework_core::pretokenize::words::Words;
use piecework_fuzz::Trial;

/// Counts the words of documents one by one.
fn expected_counts<'a>(tokenizer: &Tokenizer, documents: impl IntoIterator<Item = (u64, &'a str)>) -> WordCounts {
    let mut counts = WordCounts::new(Some(tokenizer.splitter().clone().into()));
    let mut words = Words::default();
    for (document, text) in documents {
        tokenizer.splitter().split(text, false, &mut words).expect("these splitters take any text");
        for (word, text) in (0..).zip(words.iter()) {
            counts.add(text, 1, FirstOccurrence { document, word }).expect("there are few");
        }
    }
    counts
}

fn counters(tokenizer: &Tokenizer) -> [(Counter, &'static str); 2] {
    let splitter = || tokenizer.splitter().clone();
    [(Counter::new(splitter()), "fast"), (Counter::generic(splitter()), "generic")]
}

/// Counts the documents twice each, so that the second finds a warm cache; `trial.way` chooses the order.
fn check_documents(trial: &Trial, tokenizer: &Tokenizer) {
    let documents = trial.documents();
    let mut documents: Vec<(u64, &str)> = (3..).zip(documents.iter().chain(&documents).copied()).collect();
    match trial.way & 3 {
        0 | 1 => {}
        2 => documents.reverse(),
        _ => {
            let by = trial.cut % documents.len().max(1);
            documents.rotate_left(by);
        }
    }
    let wanted = expected_counts(tokenizer, documents.iter().copied());
    for (mut counter, path) in counters(tokenizer) {
        for (number, text) in &documents {
            counter.add_text(*number, text).expect("these splitters take any text");
        }
        trial.same(&counter.finish(), &Ok(wanted.clone()), path);
    }
}

/// Counts a block of lines, which may end within a character.
fn check_lines(trial: &Trial, tokenizer: &Tokenizer) {
    let block = trial.text.as_bytes();
    let block = &block[..block.len() - block.len().min(usize::from(trial.way >> 6))];
    let lines = block.split_inclusive(|&byte| byte == b'\n').map(|line| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned()
    });
    let lines: Vec<String> = lines.collect();
    let wanted = expected_counts(tokenizer, (5..).zip(lines.iter().map(String::as_str)));
    for (mut counter, path) in counters(tokenizer) {
        let start = BlockStart { document: 5, line: 0, byte: 0 };
        counter
            .add_lines(block, start, Lines { replace: true, ..Lines::default() })
            .expect("broken bytes are replaced");
        trial.same(&counter.finish(), &Ok(wanted.clone()), path);
    }
}

fuzz_target!(|data: &[u8]| {
    if let Ok(trial) = Trial::new(data) {
        trial.run(|tokenizer, _| {
            check_documents(&trial, tokenizer);
            check_lines(&trial, tokenizer);
        });
    }
});
