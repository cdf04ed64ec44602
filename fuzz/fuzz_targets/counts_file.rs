//! Random bytes are read as a file of word counts, or are an error, also with the last line that they should have. A table
//! that was read is written again, in one file and in buckets.

#![no_main]

use std::io::Write;

use libfuzzer_sys::fuzz_target;
use piecework_core::counts::WordCounts;
use piecework_core::format::{read_counts, write_buckets, write_counts};
use sha2::{Digest, Sha256};

/// Returns the bytes with the last line that agrees with them.
fn completed(data: &[u8]) -> Vec<u8> {
    let mut file = data.to_vec();
    if !file.ends_with(b"\n") {
        file.push(b'\n');
    }
    let count = |line: &[u8]| std::str::from_utf8(line.split(|&byte| byte == b'\t').nth(1)?).ok()?.parse::<u64>().ok();
    let lines = file.split(|&byte| byte == b'\n').skip(1).filter(|line| !line.is_empty());
    let counts: Vec<u64> = lines.map(|line| count(line).unwrap_or_default()).collect();
    let (words, total) = (counts.len(), counts.iter().fold(0_u64, |sum, &count| sum.wrapping_add(count)));
    let sha256: String = Sha256::digest(&file).iter().map(|byte| format!("{byte:02x}")).collect();
    file.extend(format!("{{\"words\":{words},\"total\":{total},\"sha256\":\"{sha256}\"}}\n").bytes());
    file
}

/// Checks that a table is written to the same table, in one file and in three.
fn check(counts: &WordCounts) {
    let file = write_counts(counts).expect("no splitter of a file has a function");
    let again = read_counts(file.as_bytes()).unwrap_or_else(|error| panic!("{error}: {file}"));
    assert_eq!((again.by_word(), again.splitter()), (counts.by_word(), counts.splitter()));
    assert_eq!(write_counts(&again), Ok(file));
    let mut outs = [(); 3].map(|()| Vec::new());
    let buckets = outs.iter_mut().map(|out| out as &mut dyn Write).collect();
    write_buckets(counts.sorted(), counts.splitter(), buckets).expect("memory takes all that is written");
    let mut sum = WordCounts::new(counts.splitter().cloned());
    for out in &outs {
        sum.merge(&read_counts(out).expect("it was just written")).expect("the total was no overflow");
    }
    assert_eq!(sum.by_word(), counts.by_word());
}

fuzz_target!(|data: &[u8]| {
    for counts in [read_counts(data), read_counts(&completed(data))].into_iter().flatten() {
        check(&counts);
    }
});
