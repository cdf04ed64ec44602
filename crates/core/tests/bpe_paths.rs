//! BPE on all paths: random models in pipelines with a fast path give the tokens of the generic path.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "in a test a panic is the message, and its numbers are small"
)]

#[expect(unreachable_pub, reason = "the fuzz targets use this list as well")]
mod hard_texts;
mod paths;
mod random;

use std::collections::BTreeSet;

use hard_texts::{HARD_TEXTS, runs};
use paths::{check, check_alone, file};
use piecework_core::format::{JsonSettings, read_tokenizer_json};
use piecework_core::pipeline::Scratch;
use random::Random;
use serde_json::{Value, json};

/// Returns the character that represents a byte in byte-level models.
fn byte_to_char(byte: u8) -> char {
    let is_plain = |byte: u8| matches!(byte, b'!'..=b'~' | 0xA1..=0xAC | 0xAE..=0xFF);
    if is_plain(byte) {
        return char::from(byte);
    }
    char::from_u32(0x100 + u32::try_from((0..byte).filter(|&byte| !is_plain(byte)).count()).unwrap()).unwrap()
}

/// Returns `tokens` with the results of random merges, most of which occur in `texts`, and the merges.
fn add_merges(random: &mut Random, mut tokens: Vec<String>, texts: &[String]) -> (Vec<String>, Vec<[String; 2]>) {
    let mut merges = Vec::new();
    for _ in 0..random.below(120) {
        let text = random.pick(texts);
        let near: Vec<String> = tokens.iter().filter(|token| text.contains(token.as_str())).cloned().collect();
        if near.is_empty() {
            continue;
        }
        let pair = [random.pick(&near), random.pick(&near)];
        let token = pair.concat();
        if token.len() > 20 || merges.contains(&pair) || (!text.contains(&token) && random.below(8) > 0) {
            continue;
        }
        if !tokens.contains(&token) {
            tokens.push(token);
        }
        merges.push(pair);
    }
    (tokens, merges)
}

fn text(random: &mut Random) -> String {
    let spaces = [" ", "  ", "\n", "", "", "\u{2581}", "\t", " \n "];
    (0..random.below(12)).map(|_| random.pick(HARD_TEXTS).to_owned() + random.pick(&spaces)).collect()
}

/// Returns a few substrings of texts, which merging may never produce, as byte-level characters.
fn words(random: &mut Random, texts: &[String]) -> impl Iterator<Item = String> {
    let count = random.below(8);
    (0..count).map(move |_| {
        let characters: Vec<char> = random.pick(texts).chars().collect();
        let start = random.below(characters.len() + 1);
        let end = characters.len().min(start + 1 + random.below(3));
        characters[start..end].iter().collect::<String>().bytes().map(byte_to_char).collect()
    })
}

fn byte_level(random: &mut Random, texts: &[String]) -> Value {
    let written_texts: Vec<String> = texts.iter().map(|text| text.bytes().map(byte_to_char).collect()).collect();
    let missing = random.below(20) == 0;
    let all = (0..=255).filter(|&byte| !(missing && byte == b'b')).map(|byte| byte_to_char(byte).to_string()).collect();
    let (mut tokens, merges) = add_merges(random, all, &written_texts);
    let patterns = [
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    ];
    let level = |use_regex: bool| json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": use_regex});
    let split =
        json!({"type": "Split", "pattern": {"Regex": random.pick(&patterns)}, "behavior": "Isolated", "invert": false});
    let pre_tokenizer =
        if random.flag() { json!({"type": "Sequence", "pretokenizers": [split, level(false)]}) } else { level(true) };
    let ignores_merges = random.flag();
    if ignores_merges {
        tokens.extend(
            words(random, texts).filter(|word| !word.is_empty() && !tokens.contains(word)).collect::<BTreeSet<_>>(),
        );
    }
    let settings = with_unused(random, &tokens, json!({"ignore_merges": ignores_merges}));
    tokenizer_json(&Value::Null, &pre_tokenizer, &tokens, &merges, &settings)
}

/// Returns a few substrings of texts.
fn symbols(random: &mut Random, texts: &[String]) -> BTreeSet<String> {
    let substring = |random: &mut Random| -> String {
        let text = random.pick(texts);
        let start = random.below(text.chars().count() + 1);
        text.chars().skip(start).take(1 + random.below(4)).collect()
    };
    (0..random.below(4)).map(|_| substring(random)).filter(|symbol| !symbol.is_empty()).collect()
}

fn sentence_piece(random: &mut Random, texts: &[String]) -> Value {
    let marked: Vec<String> = texts.iter().map(|text| format!("▁{}", text.replace(' ', "▁"))).collect();
    let mut characters: Vec<String> =
        marked.concat().chars().map(String::from).filter(|_| random.below(9) > 0).collect();
    characters.sort();
    characters.dedup();
    let (mut tokens, merges) = add_merges(random, characters, &marked);
    if random.below(9) > 0 {
        tokens.extend(
            (0..=255)
                .map(|byte: u8| format!("<0x{byte:02X}>"))
                .filter(|byte| !merges.iter().any(|[one, other]| *byte == format!("{one}{other}"))),
        );
    }
    tokens.push("<unk>".to_owned());
    let replace = json!({"type": "Replace", "pattern": {"String": " "}, "content": "▁"});
    let normalizer = match random.below(6) {
        0 => replace,
        1 | 2 => json!({"type": "piecework.SentencePiece", "precompiled_charsmap": null,
            "add_dummy_prefix": random.flag(), "remove_extra_whitespaces": false, "escape_whitespaces": true,
            "treat_whitespace_as_suffix": false, "user_defined_symbols": symbols(random, texts)}),
        _ => json!({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, replace]}),
    };
    let settings = json!({"byte_fallback": random.below(9) > 0, "fuse_unk": random.flag(), "unk_token": "<unk>"});
    let settings = with_unused(random, &tokens, settings);
    tokenizer_json(&normalizer, &Value::Null, &tokens, &merges, &settings)
}

/// Marks a few tokens as unused, in one model of four.
fn with_unused(random: &mut Random, tokens: &[String], mut settings: Value) -> Value {
    if random.below(4) == 0 {
        let unused: Vec<&String> =
            tokens.iter().filter(|token| !token.starts_with('<') && random.below(9) == 0).collect();
        settings["type"] = json!("piecework.BPE");
        settings["piecework"] = json!({"version": 1, "unused": unused});
    }
    settings
}

fn tokenizer_json(
    normalizer: &Value,
    pre_tokenizer: &Value,
    tokens: &[String],
    merges: &[[String; 2]],
    settings: &Value,
) -> Value {
    let vocab: Value = tokens.iter().enumerate().map(|(id, token)| (token.clone(), json!(id))).collect();
    let mut model = json!({"type": "BPE", "vocab": vocab, "merges": merges});
    model.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    file(normalizer, pre_tokenizer, &model, tokens.len())
}

/// Returns a text of long words without spaces, most of whose characters have three bytes.
fn clauses(random: &mut Random) -> String {
    let characters =
        ["中", "文", "字", "丸", "亭", "漢", "、", "ー", "あ", "\u{3000}", "\u{9FFF}", "\u{A000}", "é", "a", "𠀀"];
    let clause = |random: &mut Random| -> String {
        let most = if random.below(3) == 0 { characters.len() } else { 5 };
        (0..random.below(30)).map(|_| characters[random.below(most)]).collect()
    };
    (0..1 + random.below(4)).map(|_| clause(random) + random.pick(&["。", " ", "", "1", "\n"])).collect()
}

#[test]
fn words_in_parts_give_equal_tokens() {
    let mut bytes = 0;
    for trial in 0..300 {
        let random = &mut Random(trial);
        let texts: Vec<String> = (0..12).map(|_| clauses(random)).collect();
        let json = byte_level(random, &texts);
        let tokenizer = read_tokenizer_json(json.to_string().as_bytes(), &JsonSettings::default()).unwrap();
        let mut scratch = Scratch::default();
        texts.iter().for_each(|text| check(&tokenizer, text, &mut scratch, &format!("trial {trial}")));
        if trial < 5 {
            let long: String = (0..200).map(|_| clauses(random)).collect();
            let word = long.replace(|c: char| c.is_ascii() || c == '。', "");
            check(&tokenizer, &word, &mut scratch, &format!("long word, trial {trial}"));
        }
        bytes += texts.iter().map(String::len).sum::<usize>();
    }
    assert!(bytes > 100_000, "{bytes} bytes");
}

#[test]
fn all_paths_give_equal_tokens() {
    let mut fast = [0, 0];
    for trial in 0..400 {
        let random = &mut Random(trial);
        let texts: Vec<String> = (0..12).map(|_| text(random)).collect();
        let kind = random.below(2);
        let json = if kind == 0 { byte_level(random, &texts) } else { sentence_piece(random, &texts) };
        let tokenizer = read_tokenizer_json(json.to_string().as_bytes(), &JsonSettings::default()).unwrap();
        fast[kind] += u32::from(tokenizer.fast_path_kernel().is_ok());
        let (mut scratch, context) = (Scratch::default(), format!("trial {trial}"));
        let long = if trial < 6 { runs() } else { Vec::new() };
        long.iter().for_each(|text| check_alone(&tokenizer, text, &mut scratch, &context));
        texts.iter().for_each(|text| check(&tokenizer, text, &mut scratch, &context));
    }
    assert!(fast.iter().all(|&count| count > 100), "{fast:?}");
}
