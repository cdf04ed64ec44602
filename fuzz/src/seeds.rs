//! Writes `dictionary.txt` and a corpus for each target to a folder: `seeds FOLDER`.

use std::fs;
use std::path::{Path, PathBuf};

use piecework_core::format::{JsonSettings, read_tokenizer_json, write_sentencepiece};
use piecework_fuzz::hard_texts::{HARD_TEXTS, runs};
use piecework_fuzz::{HEADER, bytes, pipeline};
use serde_json::json;

/// Returns an entry of a libFuzzer dictionary.
fn entry(bytes: &[u8]) -> String {
    let escaped: String = bytes.iter().map(|byte| format!("\\x{byte:02X}")).collect();
    format!("\"{escaped}\"\n")
}

fn dictionary() -> String {
    let names =
        ["\"type\":", "\"Sequence\"", "\"normalizers\":", "\"pretokenizers\":", "\"vocab\":", "null", "\"model\":"];
    let broken: [&[u8]; 5] = [b"\xFF\xFE", b"\xC0\x80", b"\xE4\xB8", b"\xF0\x9F\x98", b"\xED\xA0\x80"];
    let all = HARD_TEXTS.iter().chain(&names).map(|text| text.as_bytes()).chain(broken);
    all.map(entry).collect()
}

/// Returns each hard text between letters and in a context, the long runs, and all hard texts joined.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> =
        HARD_TEXTS.iter().map(|hard| format!("a{hard}b {hard} ac\u{301}{hard}b{hard}")).collect();
    texts.extend(runs());
    texts.push(HARD_TEXTS.concat());
    texts.push(HARD_TEXTS.join(" "));
    // The shift moves hard texts over every boundary of a block.
    texts.extend((0..64).map(|shift| "x".repeat(shift) + &HARD_TEXTS[shift..shift + 64].concat()));
    texts
}

fn write(folder: &Path, seeds: impl IntoIterator<Item = Vec<u8>>) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for (number, seed) in seeds.into_iter().enumerate() {
        fs::write(folder.join(format!("seed-{number:04}")), seed)?;
    }
    Ok(())
}

/// Returns a pipeline as a `.model` without added tokens; `None` if the format cannot hold it.
fn model(number: u16) -> Option<Vec<u8>> {
    let (_, mut pipeline) = pipeline(number);
    pipeline["added_tokens"] = json!([]);
    let tokenizer = read_tokenizer_json(pipeline.to_string().as_bytes(), &JsonSettings::default()).ok()?;
    write_sentencepiece(&tokenizer, None).ok()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("seeds FOLDER")?);
    let header = |number| bytes(number, HEADER);
    let trials = (0..).zip(texts()).map(|(number, text)| {
        // A first byte of 0 means that the rest is plain text.
        let mut seed = header(number);
        seed[0] = 0;
        [seed, text.into_bytes()].concat()
    });
    let mut trials: Vec<_> = trials.collect();
    // Text from the alphabet of hard texts.
    trials.extend((0..256).map(|number| {
        let mut seed = bytes(1000 + number, HEADER + 40);
        seed[0] = 1;
        seed
    }));
    for target in ["paths", "columns", "counts"] {
        write(&folder.join(target), trials.iter().cloned())?;
    }
    let documents = (0..256).map(|number| pipeline(number).1.to_string().into_bytes());
    write(&folder.join("reader"), documents.chain((0..1024).filter_map(model)))?;
    fs::write(folder.join("dictionary.txt"), dictionary())?;
    Ok(())
}
