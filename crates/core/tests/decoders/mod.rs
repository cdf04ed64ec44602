//! Random decoders, and the parts that they make by their definition.

use piecework_core::text::pattern::Pattern;
use serde_json::{Value, json};

use crate::random::Random;

/// Tokens that decoders change.
pub(crate) const TOKENS: [&str; 40] = [
    "", "a", "b", "ab", "aab", "é", "中", "👩", " ", "  ", "##", "##a", "#", "</w>", "a</w>", "<", "/w>", "▁", "▁a",
    "▁▁", "Ġ", "Ġa", "ä", "¸", "Ń", "ä¸", "Ã", "¯", "<0xE4>", "<0xB8>", "<0xAD>", "<0x61>", "<0xFF>", "<0x", ".", " .",
    "do not", "'s", "<pad>", "|",
];
const STRINGS: [&str; 9] = ["", "a", "aa", "##", "</w>", "▁", "aab", " ", "ab"];

/// Returns a random decoder.
pub(crate) fn decoder(random: &mut Random, depth: usize) -> Value {
    if depth > 0 && random.below(2) == 0 {
        let inner: Vec<Value> = (0..random.below(5)).map(|_| decoder(random, depth - 1)).collect();
        return json!({"type": "Sequence", "decoders": inner});
    }
    let (string, other, cleanup) = (random.pick(&STRINGS), random.pick(&STRINGS), random.flag());
    let (start, stop) = (random.below(3), random.below(3));
    let scheme = random.pick(&["always", "first", "never"]);
    let regex = random.pick(&["a*", "a+b?", "(?<=a)b|a", "$", "\\s+"]);
    let all = [
        json!({"type": "WordPiece", "prefix": string, "cleanup": cleanup}),
        json!({"type": "BPEDecoder", "suffix": string}),
        json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}),
        json!({"type": "ByteFallback"}),
        json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": true}),
        json!({"type": "Fuse"}),
        json!({"type": "Strip", "content": random.pick(&["a", " ", "中", "▁"]), "start": start, "stop": stop}),
        json!({"type": "Replace", "pattern": {"String": string}, "content": other}),
        json!({"type": "Replace", "pattern": {"Regex": regex}, "content": other}),
        json!({"type": "CTC", "pad_token": string, "word_delimiter_token": other, "cleanup": cleanup}),
        json!({"type": "piecework.SentencePiece", "add_dummy_prefix": random.flag(), "remove_extra_whitespaces": cleanup,
            "byte_fallback": random.flag(), "unk_token": string, "unk_surface": other}),
    ];
    random.pick(&all)
}

/// Returns the parts that a decoder makes of parts, by its definition (spec/pipeline.md).
pub(crate) fn parts(settings: &Value, parts: Vec<String>) -> Vec<String> {
    let text = |name: &str| settings[name].as_str().unwrap().to_owned();
    let flag = |name: &str| settings[name].as_bool().unwrap();
    let number = |name: &str| usize::try_from(settings[name].as_u64().unwrap()).unwrap();
    let each = |change: &dyn Fn(usize, &str) -> String| -> Vec<String> {
        parts.iter().enumerate().map(|(place, part)| change(place, part)).collect()
    };
    match settings["type"].as_str().unwrap() {
        "Sequence" => {
            settings["decoders"].as_array().unwrap().iter().fold(parts, |before, inner| self::parts(inner, before))
        }
        "WordPiece" => each(&|place, part| {
            let joined = match part.strip_prefix(&text("prefix")) {
                _ if place == 0 => part.to_owned(),
                Some(rest) => rest.to_owned(),
                None => format!(" {part}"),
            };
            if flag("cleanup") { cleaned(&joined) } else { joined }
        }),
        "BPEDecoder" => {
            each(&|place, part| part.replace(&text("suffix"), if place + 1 == parts.len() { "" } else { " " }))
        }
        "ByteLevel" => {
            vec![String::from_utf8_lossy(&parts.iter().flat_map(|part| level(part)).collect::<Vec<u8>>()).into()]
        }
        "ByteFallback" => runs(&parts),
        "Metaspace" => {
            let is_kept = settings["prepend_scheme"] == "never";
            each(&|place, part| part.replace('▁', if place == 0 && !is_kept { "" } else { " " }))
        }
        "Fuse" => vec![parts.concat()],
        "Strip" => each(&|_, part| {
            let content = text("content");
            let (mut part, [start, stop]) = (part, ["start", "stop"].map(number));
            part = (0..start).fold(part, |part, _| part.strip_prefix(&*content).unwrap_or(part));
            (0..stop).fold(part, |part, _| part.strip_suffix(&*content).unwrap_or(part)).to_owned()
        }),
        "Replace" => each(&|_, part| {
            let pattern = settings["pattern"].as_object().unwrap();
            let (kind, pattern) = pattern.iter().next().unwrap();
            let pattern = pattern.as_str().unwrap();
            let pattern = if kind == "Regex" { Pattern::regex(pattern).unwrap() } else { Pattern::literal(pattern) };
            let (mut replaced, mut end) = (String::new(), 0);
            pattern
                .find_matches(part, |found| {
                    replaced += &part[end..found.start];
                    replaced += &text("content");
                    end = found.end;
                })
                .unwrap();
            replaced + &part[end..]
        }),
        "CTC" => {
            let mut parts = parts;
            parts.dedup();
            for part in &mut parts {
                *part = part.replace(&text("pad_token"), "");
                if flag("cleanup") {
                    *part = cleaned(part).replace(&text("word_delimiter_token"), " ");
                }
            }
            parts.retain(|part| !part.is_empty());
            parts
        }
        "piecework.SentencePiece" => vec![pieces(settings, &parts)],
        other => panic!("{other}"),
    }
}

fn cleaned(text: &str) -> String {
    let replacements = [
        (" .", "."),
        (" ?", "?"),
        (" !", "!"),
        (" ,", ","),
        (" ' ", "'"),
        (" n't", "n't"),
        (" 'm", "'m"),
        (" do not", " don't"),
        (" 's", "'s"),
        (" 've", "'ve"),
        (" 're", "'re"),
    ];
    replacements.iter().fold(text.to_owned(), |text, (found, by)| text.replace(found, by))
}

/// Returns the bytes of a byte-level token, or of its text if a character represents no byte.
fn level(token: &str) -> Vec<u8> {
    // Visible characters represent themselves, the characters from U+0100 on all other bytes.
    let is_visible = |byte: &u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..);
    let others: Vec<u8> = (0..=u8::MAX).filter(|byte| !is_visible(byte)).collect();
    let byte = |c: char| match u8::try_from(c) {
        Ok(byte) => Some(byte).filter(is_visible),
        Err(_) => others.get(u32::from(c).checked_sub(0x100)? as usize).copied(),
    };
    token.chars().map(byte).collect::<Option<_>>().unwrap_or_else(|| token.as_bytes().to_vec())
}

fn byte_of(token: &str) -> Option<u8> {
    let digits = token.strip_prefix("<0x")?.strip_suffix('>').filter(|digits| digits.len() == 2)?;
    u8::from_str_radix(digits, 16).ok()
}

/// Returns the parts of byte fallback: a run of byte tokens is one part if it is UTF-8.
fn runs(parts: &[String]) -> Vec<String> {
    let runs = parts.chunk_by(|one, other| byte_of(one).is_some() && byte_of(other).is_some());
    let decoded = runs.flat_map(|run| match run.iter().map(|part| byte_of(part)).collect::<Option<Vec<u8>>>() {
        None => run.to_vec(),
        Some(bytes) => match String::from_utf8(bytes) {
            Ok(text) => vec![text],
            Err(_) => vec!["\u{fffd}".to_owned(); run.len()],
        },
    });
    decoded.collect()
}

/// Returns the text of `SentencePiece`: each invalid byte becomes U+FFFD.
fn pieces(settings: &Value, parts: &[String]) -> String {
    let flag = |name: &str| settings[name].as_bool().unwrap();
    let (dummy, remove, fallback) = (flag("add_dummy_prefix"), flag("remove_extra_whitespaces"), flag("byte_fallback"));
    let (mut text, mut at_start) = (String::new(), dummy || remove);
    for run in parts.chunk_by(|one, other| fallback && byte_of(one).is_some() && byte_of(other).is_some()) {
        if let Some(bytes) = run.iter().map(|part| byte_of(part).filter(|_| fallback)).collect::<Option<Vec<u8>>>() {
            for chunk in bytes.utf8_chunks() {
                text += chunk.valid();
                text += &"\u{fffd}".repeat(chunk.invalid().len());
            }
            continue;
        }
        let piece = &*run[0];
        at_start &= text.is_empty();
        let stripped = piece.strip_prefix('▁').filter(|_| at_start);
        text += &if !piece.is_empty() && settings["unk_token"] == *piece {
            settings["unk_surface"].as_str().unwrap().to_owned()
        } else {
            stripped.unwrap_or(piece).replace('▁', " ")
        };
        at_start &= stripped.is_none() || remove;
    }
    text
}
