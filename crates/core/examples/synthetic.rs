//! Trains 30,000 merges on a made-up table and prints seconds and peak memory.
//!
//! `synthetic CRITERION [WORDS] [MERGES] [TIES] [MIN_FREQUENCY]`; one criterion a process, since the peak is the process's.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a program for a terminal, whose numbers are small"
)]

use std::ops::ControlFlow;
use std::time::Instant;

use piecework_core::model::wordpiece::train::{Criterion, Stage, Ties, WordPieceTrainerConfig, train};

/// A small generator (splitmix64), so that the table is the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`, small numbers far more often.
    fn skewed(&mut self, end: usize) -> usize {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        (((end as f64 + 1.0).powf(unit)) - 1.0) as usize
    }
}

/// Distinct words of syllables with counts by Zipf's law.
fn table(size: usize) -> Vec<(String, u64)> {
    const ONSETS: &[&str] = &[
        "t", "s", "n", "r", "d", "l", "k", "m", "p", "b", "st", "tr", "f", "g", "h", "v", "w", "ch", "sh", "th", "j",
        "z", "qu", "x", "",
    ];
    const NUCLEI: &[&str] = &["e", "a", "i", "o", "u", "ea", "io", "ou", "ai", "y", "é", "ö"];
    const CODAS: &[&str] = &["", "n", "s", "r", "t", "l", "d", "m", "ng", "st", "ck", "nt", "x"];
    let mut random = Random(42);
    let mut syllables = Vec::new();
    while syllables.len() < 4000 {
        let onset = ONSETS[random.skewed(ONSETS.len())];
        let nucleus = NUCLEI[random.skewed(NUCLEI.len())];
        let coda = CODAS[random.skewed(CODAS.len())];
        syllables.push(format!("{onset}{nucleus}{coda}"));
    }
    let mut seen = std::collections::HashSet::new();
    let mut words: Vec<(String, u64)> = Vec::with_capacity(size);
    while words.len() < size {
        let parts = 1 + random.next() % 4;
        let mut word = String::new();
        for _ in 0..parts {
            word.push_str(&syllables[random.skewed(syllables.len())]);
        }
        if seen.insert(fingerprint(&word)) {
            let rank = words.len() as f64 + 2.7;
            words.push((word, (scale() / rank) as u64 + 1));
        }
    }
    words
}

/// Stands for a word among those seen, so that no million strings are freed just before the training.
fn fingerprint(word: &str) -> u64 {
    word.bytes().fold(0, |sum: u64, byte| Random(sum ^ u64::from(byte)).next())
}

fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: usize| args.get(at).and_then(|n| n.parse().ok()).unwrap_or(default);
    let criterion = match args.first().map(String::as_str) {
        Some("frequency") => Criterion::Frequency,
        Some("pmi") => Criterion::Pmi,
        Some("sum") => Criterion::Sum,
        Some("likelihood") | None => Criterion::Likelihood,
        Some(other) => panic!("no criterion {other}"),
    };
    let ties = match args.get(3).map(String::as_str) {
        Some("first") => Ties::First,
        Some("hf") => Ties::Hf,
        _ => Ties::Lex,
    };
    let owned = table(number(1, 3_000_000));
    let words: Vec<(&str, u64)> = owned.iter().map(|(word, count)| (word.as_str(), *count)).collect();
    let letters: usize = words.iter().map(|(word, _)| word.chars().count()).sum();
    let before = peak_megabytes();
    let merges = number(2, 30_000);
    let config = WordPieceTrainerConfig {
        vocab_size: usize::MAX,
        max_merges: Some(merges),
        criterion,
        ties,
        min_frequency: number(4, 1) as u64,
        ..WordPieceTrainerConfig::default()
    };
    let start = Instant::now();
    let (mut last, mut longest, mut stage) = (start, 0.0_f64, Stage::Reading);
    let trained = train(&words, &config, None, &mut |progress| {
        let silence = last.elapsed().as_secs_f64();
        if silence > 0.1 {
            eprintln!("  {:.0} ms before {progress:?}", silence * 1000.0);
        }
        longest = longest.max(silence);
        last = Instant::now();
        if progress.stage != stage {
            eprintln!("  {stage:?} until {:.2} s", start.elapsed().as_secs_f64());
            stage = progress.stage;
        }
        ControlFlow::Continue(())
    });
    let seconds = start.elapsed().as_secs_f64();
    let trained = match trained {
        Ok(trained) => trained,
        Err(error) => panic!("{error}"),
    };
    println!(
        "{criterion:?} {ties:?}: {} words, {letters} letters, {} merges: {seconds:.2} s, peak {} MB (the words {before} MB), longest silence {:.0} ms",
        words.len(),
        trained.history.len(),
        peak_megabytes(),
        longest * 1000.0
    );
    let last = trained.history.last();
    println!("  last: {last:?}");
}

/// The count of the first word, about; the default gives the rarest words a count of 2.
fn scale() -> f64 {
    std::env::var("SCALE").ok().and_then(|n| n.parse().ok()).unwrap_or(6_000_000.0)
}
