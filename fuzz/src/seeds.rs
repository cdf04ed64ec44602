//! Writes the seeds and the dictionary of each target to a folder: `seeds FOLDER TARGET...`.

use std::fs;
use std::path::{Path, PathBuf};

use piecework_core::format::component_members;
use piecework_fuzz::files;
use piecework_fuzz::hard_texts::{HARD_TEXTS, runs};
use piecework_fuzz::{HEADER, bytes};

/// The targets whose inputs are trials: a header and a text.
const TRIALS: [&str; 5] = ["paths", "columns", "counts", "models", "truncate_text"];
/// Bytes that are not UTF-8.
const BROKEN: [&[u8]; 5] = [b"\xFF\xFE", b"\xC0\x80", b"\xE4\xB8", b"\xF0\x9F\x98", b"\xED\xA0\x80"];
const JSON: [&str; 30] = [
    "\"type\":",
    "\"vocab\":",
    "\"merges\":",
    "\"model\":",
    "\"piecework\":{\"version\":1}",
    "\"added_tokens\":",
    "\"id\":",
    "\"content\":",
    "\"special\":",
    "\"normalized\":",
    "\"lstrip\":",
    "\"rstrip\":",
    "\"single_word\":",
    "\"version\":\"1.0\"",
    "{\"Regex\":\"",
    "{\"String\":\"",
    "\"BPE\"",
    "\"WordPiece\"",
    "\"Unigram\"",
    "\"WordLevel\"",
    "null",
    "true",
    "-1",
    "0.5",
    "1e309",
    "18446744073709551616",
    "4294967295",
    "\\ud800",
    "\\u0000",
    "{\"Fixed\":",
];
const LINES: [&str; 24] = [
    "\n",
    "\r\n",
    "\0",
    "\u{FEFF}",
    "##",
    "</w>",
    "#version: 0.1\n",
    "#version: 0.2\n",
    "\"bpe_simple_vocab_16e6.txt#version: 0.2\n",
    "[UNK]\n",
    "[CLS]\n",
    "[SEP]\n",
    "<unk>",
    "<s>",
    "</s>",
    "<|endoftext|>",
    "Ġ",
    "Ċ",
    "@@ 2\n",
    " 256\n",
    "IQ== ",
    "4294967295\n",
    "\t1\t0\t0\n",
    "{\"format\":\"piecework.word_counts\",\"version\":2,\"splitter\":null,\"splitter_fingerprint\":null}\n",
];
const EXPRESSIONS: [&str; 44] = [
    "(?=",
    "(?!",
    "(?<=",
    "(?<!",
    "(?>",
    "(?:",
    "(?i)",
    "(?i:",
    "(?m:",
    "(?x)",
    "(?~",
    "(?(1)",
    "(?<n>",
    "\\k<n>",
    "\\g<0>",
    "\\1",
    "\\p{L}",
    "\\P{N}",
    "\\p{Han}",
    "\\p{^Lu}",
    "[^",
    "[:alpha:]",
    "&&",
    "{2,3}",
    "{,3}",
    "{0}",
    "++",
    "*?",
    "+?",
    "??",
    "\\K",
    "\\G",
    "\\b",
    "\\B",
    "\\A",
    "\\z",
    "\\Z",
    "\\X",
    "\\R",
    "\\h",
    "\\s",
    "\\S",
    "\\w",
    "\\x{1F600}",
];
const PIECES: [&str; 10] =
    ["▁", "<unk>", "<s>", "</s>", "<0x41>", "\u{a}", "\u{12}", "\u{18}\u{3}", "\u{18}\u{4}", "\u{18}\u{6}"];

/// Returns an entry of a libFuzzer dictionary.
fn entry(bytes: &[u8]) -> String {
    let escaped: String = bytes.iter().map(|byte| format!("\\x{byte:02X}")).collect();
    format!("\"{escaped}\"\n")
}

/// Returns the names of all components and of their members, as in JSON.
fn names() -> Vec<String> {
    let kinds = component_members().into_iter().flat_map(|(stage, kinds)| {
        let names = kinds.iter().flat_map(|(kind, members)| members.iter().chain([kind]).copied());
        names.chain([stage]).collect::<Vec<_>>()
    });
    let mut names: Vec<String> = kinds.map(|name| format!("\"{name}\"")).collect();
    names.sort();
    names.dedup();
    names
}

fn dictionary(target: &str) -> String {
    let names = names();
    let words: Vec<&str> = match target {
        "tokenizer_json" | "settings" | "documents" => {
            JSON.into_iter().chain(names.iter().map(String::as_str)).collect()
        }
        "sentencepiece" => PIECES.to_vec(),
        "vocab_txt" | "merges" | "tiktoken" | "subword_nmt" | "counts_file" => LINES.to_vec(),
        "patterns" => EXPRESSIONS.to_vec(),
        _ => HARD_TEXTS.to_vec(),
    };
    words.iter().map(|word| word.as_bytes()).chain(BROKEN).map(entry).collect()
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

/// Returns trials with the texts, and with text from the alphabet of hard texts.
fn trials() -> Vec<Vec<u8>> {
    // A first byte of 0 means that the rest is plain text.
    let plain = (0..).zip(texts()).map(|(number, text)| [&[0], &bytes(number, HEADER)[1..], text.as_bytes()].concat());
    let mixed = (0..256).map(|number| [&[1], &bytes(1000 + number, HEADER + 40)[1..]].concat());
    plain.chain(mixed).collect()
}

fn write(folder: &Path, target: &str) -> std::io::Result<()> {
    fs::write(folder.join(format!("{target}.dict")), dictionary(target))?;
    let folder = folder.join(target);
    fs::create_dir_all(&folder)?;
    let seeds = if TRIALS.contains(&target) { trials() } else { files::seeds(target) };
    for (number, seed) in seeds.into_iter().enumerate() {
        fs::write(folder.join(format!("seed-{number:04}")), seed)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("seeds FOLDER TARGET...")?);
    for target in arguments {
        write(&folder, &target)?;
    }
    Ok(())
}
