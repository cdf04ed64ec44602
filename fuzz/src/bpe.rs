//! Makes pipelines with BPE from a few bytes: byte-level with a split pattern, CLIP, `SentencePiece`, and characters.

use arbitrary::{Result, Unstructured};
use piecework_core::text::grammar::Grammar;
use serde_json::{Value, json};

use crate::bytes;
use crate::hard_texts::HARD_TEXTS;
use crate::recipe::{self, added_tokens, below, flag, pick, post_processor};

/// The vocabulary before the merges, and the merges.
type Merged = (Vec<String>, Vec<[String; 2]>);

/// Split patterns that no grammar matches, some of which leave text out or match the empty string.
const OTHER_PATTERNS: [&str; 7] = [r"\s+", r"\w+|\W", r"\p{L}+", r"(?=[A-Z])", r"\b", r"[^\r\n]+|[\r\n]", r"."];
/// Patterns that a model of several patterns in a row has before the last one.
const RUN_PATTERNS: [&str; 8] = [
    r"\p{N}{1,3}",
    r"\p{N}",
    "[一-龥\u{3040}-ゟ゠-ヿ]+",
    "[一-龥\u{800}-\u{4e00}가-퟿]+",
    r"[\r\n]",
    r"\s?[A-Za-zµÀ-ÖØ-öø-ƺ]+",
    r" ?[^(\s|[.,!?…。，、।۔،])]+",
    r"[\p{L}\p{M}]+",
];
const BEHAVIORS: [&str; 5] = ["Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"];
/// User-defined symbols.
const SYMBOLS: [&str; 6] = ["un", "中文", "xx", "a b", "\u{301}", "<x>"];
/// The maximum number of merges of a model.
const MERGES: usize = 120;
/// The maximum length of an entry in bytes.
const LONGEST_ENTRY: usize = 24;

/// Returns a tokenizer.json.
pub(crate) fn pipeline(u: &mut Unstructured<'_>) -> Result<Value> {
    let mut parts = match below(u, 8)? {
        0..4 => byte_level(u)?,
        4 => clip(u)?,
        5 | 6 => sentencepiece(u)?,
        _ => characters(u)?,
    };
    let added_tokens = added_tokens(u, &parts["model"]["vocab"])?;
    Ok(json!({
        "version": "1.0", "truncation": null, "padding": null, "normalizer": parts["normalizer"].take(),
        "pre_tokenizer": parts["pre_tokenizer"].take(), "model": parts["model"].take(),
        "post_processor": post_processor(u)?, "decoder": parts["decoder"].take(), "added_tokens": added_tokens,
    }))
}

fn byte_level(u: &mut Unstructured<'_>) -> Result<Value> {
    let normalizer = pick(u, &[Value::Null, Value::Null, json!({"type": "NFC"}), json!({"type": "NFKC"})])?;
    let level = |prefix: bool, use_regex: bool| json!({"type": "ByteLevel", "add_prefix_space": prefix, "trim_offsets": true, "use_regex": use_regex});
    let prefix = below(u, 4)? == 0;
    let pre_tokenizer = match below(u, 10)? {
        0 => level(prefix, true),
        1 => level(prefix, false),
        2 | 3 => {
            let last = level(prefix, flag(u)?);
            divided(u, last)?
        }
        _ => sequence(&[split(u)?, level(prefix, below(u, 8)? == 0)]),
    };
    let samples: Vec<String> = HARD_TEXTS.iter().map(|text| text.bytes().map(byte_to_char).collect()).collect();
    // In one model of eight a byte has no entry.
    let missing = if below(u, 8)? == 0 { Some(b'b') } else { None };
    let bytes = (0..=255).filter(|&byte| Some(byte) != missing).map(|byte| byte_to_char(byte).to_string());
    let merged = merges(u, bytes.collect(), &samples)?;
    let settings = json!({"ignore_merges": flag(u)?});
    let model = model(u, &merged, settings)?;
    let decoder = level(true, true);
    Ok(json!({"normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "model": model, "decoder": decoder}))
}

/// Returns CLIP's normalizers and pattern, with a suffix at the end of each word.
fn clip(u: &mut Unstructured<'_>) -> Result<Value> {
    let runs = json!({"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "});
    let steps = [json!({"type": "NFC"}), runs, json!({"type": "Lowercase"})];
    let normalizer = json!({"type": "Sequence", "normalizers": &steps[..below(u, 4)?]});
    let pattern = json!({"Regex": Grammar::CLIP.pattern()});
    let split = json!({"type": "Split", "pattern": pattern, "behavior": "Removed", "invert": true});
    let level = json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true});
    let samples: Vec<String> =
        HARD_TEXTS.iter().map(|text| text.bytes().map(byte_to_char).collect::<String>() + "</w>").collect();
    let bytes = (0..=255).flat_map(|byte| [byte_to_char(byte).to_string(), format!("{}</w>", byte_to_char(byte))]);
    let merged = merges(u, bytes.collect(), &samples)?;
    let model = model(u, &merged, json!({"end_of_word_suffix": "</w>"}))?;
    Ok(json!({"normalizer": normalizer, "pre_tokenizer": sequence(&[split, level]), "model": model, "decoder": null}))
}

/// Returns the metaspaces of `SentencePiece`, usually with byte fallback.
fn sentencepiece(u: &mut Unstructured<'_>) -> Result<Value> {
    let samples: Vec<String> = HARD_TEXTS.iter().map(|text| format!("▁{}", text.replace(' ', "▁"))).collect();
    let alphabet = letters(u, &samples)?;
    let mut merged = merges(u, alphabet, &samples)?;
    let byte_fallback = below(u, 8)? > 0;
    if byte_fallback {
        let made: Vec<String> = merged.1.iter().map(|pair| pair.concat()).collect();
        merged.0.extend((0..=255_u8).map(|byte| format!("<0x{byte:02X}>")).filter(|byte| !made.contains(byte)));
    }
    merged.0.push("<unk>".to_owned());
    let steps = [json!({"type": "Prepend", "prepend": "▁"}), recipe::replace(json!({"String": " "}), "▁")];
    let normalizer = if below(u, 3)? == 0 {
        json!({"type": "piecework.SentencePiece", "precompiled_charsmap": null, "add_dummy_prefix": flag(u)?,
            "remove_extra_whitespaces": below(u, 4)? == 0, "escape_whitespaces": true,
            "treat_whitespace_as_suffix": false, "user_defined_symbols": &SYMBOLS[below(u, SYMBOLS.len() + 1)?..]})
    } else {
        json!({"type": "Sequence", "normalizers": &steps[usize::from(below(u, 4)? == 0)..]})
    };
    let settings = json!({"byte_fallback": byte_fallback, "fuse_unk": flag(u)?, "unk_token": "<unk>"});
    Ok(json!({"normalizer": normalizer, "pre_tokenizer": null, "model": model(u, &merged, settings)?, "decoder": null}))
}

/// Returns the pipelines of WordPiece, with a suffix or a prefix in the vocabulary, or Metaspace.
fn characters(u: &mut Unstructured<'_>) -> Result<Value> {
    let suffix = pick(u, &["", "</w>"])?;
    let samples: Vec<String> = HARD_TEXTS.iter().map(|text| format!("{text}{suffix}")).collect();
    let mut alphabet = letters(u, &samples)?;
    alphabet.extend(alphabet.clone().iter().filter(|_| !suffix.is_empty()).map(|entry| format!("{entry}{suffix}")));
    alphabet.push("[UNK]".to_owned());
    let merged = merges(u, alphabet, &samples)?;
    let unknown = if flag(u)? { json!("[UNK]") } else { Value::Null };
    let settings = json!({"end_of_word_suffix": suffix, "unk_token": unknown, "fuse_unk": flag(u)?});
    let metaspace = json!({"type": "Metaspace", "replacement": "▁", "split": true, "prepend_scheme": "always"});
    let pre_tokenizer = if below(u, 4)? == 0 { metaspace } else { recipe::pre_tokenizer(u)? };
    let normalizer = recipe::normalizer(u)?;
    Ok(json!({
        "normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "model": model(u, &merged, settings)?, "decoder": null,
    }))
}

/// Returns a split by a known pattern most of the time, else by another one or by a string.
fn split(u: &mut Unstructured<'_>) -> Result<Value> {
    let (pattern, behavior) = match below(u, 8)? {
        0 => (json!({"Regex": pick(u, &OTHER_PATTERNS)?}), pick(u, &BEHAVIORS)?),
        1 => (json!({"String": pick(u, &[" ", "a", "中", "\n"])?}), pick(u, &BEHAVIORS)?),
        2 => (json!({"Regex": pick(u, &Grammar::all().collect::<Vec<_>>())?.pattern()}), pick(u, &BEHAVIORS)?),
        _ => (json!({"Regex": pick(u, &Grammar::all().collect::<Vec<_>>())?.pattern()}), "Isolated"),
    };
    Ok(json!({"type": "Split", "pattern": pattern, "behavior": behavior, "invert": below(u, 8)? == 0}))
}

/// Returns one to three patterns in a row before a split, or before `level` alone.
fn divided(u: &mut Unstructured<'_>, level: Value) -> Result<Value> {
    let isolated = |pattern: &str| json!({"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": false});
    let mut steps = Vec::new();
    for _ in 0..=below(u, 3)? {
        steps.push(match below(u, 4)? {
            0 => json!({"type": "Digits", "individual_digits": flag(u)?}),
            1 => json!({"type": "Punctuation", "behavior": pick(u, &["Isolated", "Contiguous"])?}),
            _ => isolated(pick(u, &RUN_PATTERNS)?),
        });
    }
    if flag(u)? {
        steps.push(split(u)?);
    }
    steps.push(level);
    Ok(sequence(&steps))
}

fn sequence(steps: &[Value]) -> Value {
    json!({"type": "Sequence", "pretokenizers": steps})
}

/// Returns most of the characters of the samples.
fn letters(u: &mut Unstructured<'_>, samples: &[String]) -> Result<Vec<String>> {
    let mut letters: Vec<char> = samples.iter().flat_map(|text| text.chars()).collect();
    letters.sort_unstable();
    letters.dedup();
    let chances = bytes(u.arbitrary()?, letters.len());
    let kept = letters.into_iter().zip(chances).filter(|(_, chance)| chance & 7 > 0);
    Ok(kept.map(|(letter, _)| letter.to_string()).collect())
}

/// Merges entries at random, most of them neighbors in one of the samples.
fn merges(u: &mut Unstructured<'_>, mut entries: Vec<String>, samples: &[String]) -> Result<Merged> {
    let drawn = bytes(u.arbitrary()?, 8 * MERGES);
    let mut merges: Vec<[String; 2]> = Vec::new();
    for draw in drawn.chunks_exact(8) {
        let number = |at: usize| usize::from(u16::from_be_bytes([draw[at], draw[at + 1]]));
        let sample = &samples[number(0) % samples.len()];
        let within: Vec<&String> = entries.iter().filter(|entry| sample.contains(entry.as_str())).collect();
        if within.is_empty() {
            continue;
        }
        let pair = [2, 4].map(|at| within[number(at) % within.len()].clone());
        let entry = pair.concat();
        if entry.len() > LONGEST_ENTRY || merges.contains(&pair) || (!sample.contains(&entry) && draw[6] & 7 > 0) {
            continue;
        }
        if !entries.contains(&entry) {
            entries.push(entry);
        }
        merges.push(pair);
    }
    Ok((entries, merges))
}

/// Returns the model, sometimes with a dropout of 0, or with unused entries.
fn model(u: &mut Unstructured<'_>, (entries, merges): &Merged, settings: Value) -> Result<Value> {
    let special = recipe::SPECIALS.iter().map(|&token| token.to_owned());
    let names = special.chain(entries.iter().filter(|entry| !recipe::SPECIALS.contains(&entry.as_str())).cloned());
    let vocab: Value = names.zip(0..).map(|(entry, id)| (entry, json!(id))).collect();
    let mut model = json!({"type": "BPE", "vocab": vocab, "merges": merges});
    if below(u, 4)? == 0 {
        let chances = bytes(u.arbitrary()?, entries.len());
        let unused =
            entries.iter().zip(chances).filter(|(entry, chance)| chance & 7 == 0 && !entry.starts_with(['<', '[']));
        let unused: Vec<&String> = unused.map(|(entry, _)| entry).collect();
        model["type"] = json!("piecework.BPE");
        model["piecework"] = json!({"version": 1, "unused": unused});
    }
    for (name, value) in settings.as_object().into_iter().flatten() {
        model[name] = value.clone();
    }
    Ok(model)
}

/// Returns the character that represents a byte in byte-level models.
fn byte_to_char(byte: u8) -> char {
    let is_plain = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    if is_plain(byte) {
        return char::from(byte);
    }
    let before = (0..byte).filter(|&byte| !is_plain(byte)).count();
    u32::try_from(before)
        .ok()
        .and_then(|before| char::from_u32(0x100 + before))
        .expect("at most 68 bytes are not plain")
}
