//! Writes `dictionary.txt` and a corpus for each target into the folder that is named: `seeds FOLDER`.

use std::fs;
use std::path::{Path, PathBuf};

use piecework_core::format::{JsonSettings, read_tokenizer_json, write_sentencepiece};
use piecework_fuzz::traps::{TRAPS, runs};
use piecework_fuzz::{HEADER, bytes, pipeline};
use serde_json::json;

/// The bytes of a string as libFuzzer's dictionaries write them.
fn entry(bytes: &[u8]) -> String {
    let escaped: String = bytes.iter().map(|byte| format!("\\x{byte:02X}")).collect();
    format!("\"{escaped}\"\n")
}

fn dictionary() -> String {
    let names =
        ["\"type\":", "\"Sequence\"", "\"normalizers\":", "\"pretokenizers\":", "\"vocab\":", "null", "\"model\":"];
    let broken: [&[u8]; 5] = [b"\xFF\xFE", b"\xC0\x80", b"\xE4\xB8", b"\xF0\x9F\x98", b"\xED\xA0\x80"];
    let all = TRAPS.iter().chain(&names).map(|text| text.as_bytes()).chain(broken);
    all.map(entry).collect()
}

/// Each trap between letters, and in a context of its own; the runs; all of it in a row.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = TRAPS.iter().map(|trap| format!("a{trap}b {trap} ac\u{301}{trap}b{trap}")).collect();
    texts.extend(runs());
    texts.push(TRAPS.concat());
    texts.push(TRAPS.join(" "));
    // Behind so many letters, traps stand at every edge of a block.
    texts.extend((0..64).map(|shift| "x".repeat(shift) + &TRAPS[shift..shift + 64].concat()));
    texts
}

fn write(folder: &Path, seeds: impl IntoIterator<Item = Vec<u8>>) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    for (number, seed) in seeds.into_iter().enumerate() {
        fs::write(folder.join(format!("seed-{number:04}")), seed)?;
    }
    Ok(())
}

/// A pipeline as a `.model`, without added tokens, of which it holds few; none of those that are no `SentencePiece`.
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
        // The first byte says that the rest is text as it stands.
        let mut seed = header(number);
        seed[0] = 0;
        [seed, text.into_bytes()].concat()
    });
    let mut trials: Vec<_> = trials.collect();
    // Text by the alphabet of traps.
    trials.extend((0..256).map(|number| {
        let mut seed = bytes(1000 + number, HEADER + 40);
        seed[0] = 1;
        seed
    }));
    for target in ["roads", "columns", "counts"] {
        write(&folder.join(target), trials.iter().cloned())?;
    }
    let documents = (0..256).map(|number| pipeline(number).1.to_string().into_bytes());
    write(&folder.join("reader"), documents.chain((0..1024).filter_map(model)))?;
    fs::write(folder.join("dictionary.txt"), dictionary())?;
    Ok(())
}
