//! Cuts each line of standard input into words as jieba does; the pieces are joined by U+001F.
//!
//! `segment [--no-hmm] [--nul] [--time] [WORDS]`. The file has a word of the user on each line. With `--nul` texts end at NUL instead of at line feeds;
//! with `--time` nothing but the speed is printed.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for a terminal that may fail loudly")]

use std::io::{Read, Write};
use std::time::Instant;

use piecework_core::pretokenize::{Jieba, UserWord};

fn main() {
    let (options, files): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|a| a.starts_with("--"));
    let words = files.first().map_or_else(String::new, |path| std::fs::read_to_string(path).unwrap());
    let words = words.lines().map(|word| UserWord { word: word.to_owned(), frequency: None, tag: None }).collect();
    let is_set = |option: &str| options.iter().any(|given| given == option);
    let start = Instant::now();
    let jieba = Jieba::new(!is_set("--no-hmm"), words).unwrap();
    let loaded = start.elapsed();
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let end = if is_set("--nul") { "\0" } else { "\n" };
    if is_set("--time") {
        let start = Instant::now();
        let mut pieces = 0_u64;
        for line in text.split(end) {
            jieba.split(line, |_| pieces += 1);
        }
        let seconds = start.elapsed().as_secs_f64();
        println!("{pieces} pieces, {:.2} MB/s, made in {loaded:?}", text.len() as f64 / 1e6 / seconds);
        return;
    }
    let mut out = std::io::stdout().lock();
    for (number, line) in text.split(end).enumerate() {
        let mut pieces = Vec::new();
        jieba.split(line, |span| pieces.push(&line[span.range()]));
        write!(out, "{}{}", if number > 0 { end } else { "" }, pieces.join("\u{1f}")).unwrap();
    }
}
