//! Makes pipelines with Unigram from a few bytes: those of `SentencePiece`, those of `tokenizers`, and mixtures.

use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use piecework_core::format::write_splitter;
use piecework_core::normalize::{Normalizer, Precompiled, SentencePiece, SentencePieceSettings};
use piecework_core::splitter::WordSplitter;
use serde_json::{Value, json};

use crate::bytes;
use crate::recipe::{SPECIALS, added_tokens, below, flag, pick, post_processor, replace};

/// Pieces, separated by spaces.
const PIECES: &str = "▁ ▁a ▁ab ▁the ▁un ▁hello ▁x ▁中 ▁. ▁A a b ab abc c un able ing hello he llo o oo i x xx xxxx _ 1 12 2 . ! \
    - ' s # [ ] < > é e É A AA AB I \u{301} i\u{307} \u{323} ß ss σ ς 中 文 中文 가 각 \u{1100} न म می \u{200C} при вет 😀 \u{200D} \
    k fi \u{FFFD}";
const BLANKS: [&str; 3] = [" ", "\t", "\n"];
/// Pieces that contain a space after another character, which exclude a cut there.
const BRIDGES: [&str; 5] = ["▁▁", "▁▁▁", "a▁b", "x▁x▁", "o▁"];
const SYMBOLS: [&str; 6] = ["un", "中文", "xx", "New York", "\u{301}", "<x>"];
const RULES: [(&str, &str); 12] = [
    ("ﬁ", "fi"),
    ("\t", " "),
    ("\n", " "),
    ("\u{3000}", " "),
    ("\u{A0}", "  "),
    ("½", "1 2"),
    ("\u{200B}", ""),
    ("e\u{301}", "é"),
    ("A", "a"),
    ("Ａ", "A"),
    ("…", "..."),
    ("™", "▁tm"),
];

/// Returns a tokenizer.json.
pub(crate) fn pipeline(u: &mut Unstructured<'_>) -> Result<Value> {
    let symbols: &[&str] = if below(u, 3)? == 0 { &SYMBOLS[..1 + below(u, SYMBOLS.len())?] } else { &[] };
    let is_float32 = below(u, 3)? > 0;
    let model = model(u, symbols, is_float32)?;
    // One pipeline of eight is that of the other library.
    let mut splitter = if is_float32 == (below(u, 8)? > 0) { sentencepiece(u, symbols)? } else { metaspace(u)? };
    let names = model["vocab"].as_array().into_iter().flatten().zip(0..);
    let names: serde_json::Map<_, _> = names.map(|(piece, id)| (text(piece), json!(id))).collect();
    let decoder = json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true});
    Ok(json!({
        "version": "1.0", "truncation": null, "padding": null, "normalizer": splitter["normalizer"].take(),
        "pre_tokenizer": splitter["pre_tokenizer"].take(), "model": model, "post_processor": post_processor(u)?,
        "decoder": pick(u, &[decoder, Value::Null])?, "added_tokens": added_tokens(u, &names.into())?,
    }))
}

fn text(piece: &Value) -> String {
    piece[0].as_str().unwrap_or_default().to_owned()
}

fn model(u: &mut Unstructured<'_>, symbols: &[&str], is_float32: bool) -> Result<Value> {
    let byte_fallback = below(u, 3)? == 0;
    let names = names(u, byte_fallback, if is_float32 { symbols } else { &[] })?;
    let vocab: Vec<Value> = names.iter().zip(scores(u, names.len())?).map(|piece| json!(piece)).collect();
    let unk_id = if below(u, 8)? == 0 { Value::Null } else { json!(1) };
    let mut model = json!({"type": "Unigram", "unk_id": unk_id, "vocab": vocab, "byte_fallback": byte_fallback});
    if is_float32 {
        let unused = pick(u, &["hello", "x", "▁a", "中"])?;
        let is_reserved =
            |name: &&String| name.starts_with("<0x") || SPECIALS.contains(&name.as_str()) || *name == unused;
        let reserved: Vec<&String> = names.iter().filter(is_reserved).collect();
        model["type"] = json!("piecework.Unigram");
        model["piecework"] =
            json!({"version": 1, "precision": "float32", "user_defined": symbols, "reserved": reserved});
    }
    Ok(model)
}

/// Returns special tokens, bytes, and most of the pieces.
fn names(u: &mut Unstructured<'_>, byte_fallback: bool, symbols: &[&str]) -> Result<Vec<String>> {
    let byte_pieces = (0..256).filter(|_| byte_fallback).map(|byte| format!("<0x{byte:02X}>"));
    let bridges = if below(u, 4)? == 0 { &BRIDGES[..] } else { &[] };
    let pieces = PIECES.split(' ').chain(BLANKS).chain(bridges.iter().copied());
    let chances = bytes(u.arbitrary()?, PIECES.len());
    let chosen = pieces.zip(chances).filter(|(_, chance)| chance & 7 > 0).map(|(piece, _)| piece);
    let mut names: Vec<String> = SPECIALS.map(str::to_owned).into_iter().chain(byte_pieces).collect();
    for name in chosen.chain(symbols.iter().copied()) {
        if !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// Returns scores that often tie, that rarely tie, or that make running scores lose their digits.
fn scores(u: &mut Unstructured<'_>, count: usize) -> Result<Vec<f64>> {
    let (kind, drawn) = (below(u, 4)?, bytes(u.arbitrary()?, 2 * count));
    let score = |pair: &[u8]| {
        let fine = f64::from(u16::from_be_bytes([pair[0], pair[1]]));
        match kind {
            0 => -f64::from(pair[0] % 4),
            1 => -fine / 4100.0,
            2 => -fine / 7.0,
            _ => 1.5 - fine / 6000.0,
        }
    };
    Ok(drawn.chunks_exact(2).map(score).collect())
}

/// Returns the normalization of `SentencePiece`.
fn sentencepiece(u: &mut Unstructured<'_>, symbols: &[&str]) -> Result<Value> {
    if symbols.is_empty() && below(u, 4)? == 0 {
        let steps = [json!({"type": "Prepend", "prepend": "▁"}), replace(json!({"String": " "}), "▁")];
        let steps = &steps[below(u, 2)?..];
        return Ok(json!({"normalizer": {"type": "Sequence", "normalizers": steps}, "pre_tokenizer": null}));
    }
    // With uncommon flags, a text is often a single word.
    let odd = if below(u, 4)? == 0 { u.arbitrary::<u8>()? } else { 0 };
    let settings = SentencePieceSettings {
        precompiled_charsmap: rules(u)?,
        add_dummy_prefix: odd & 1 == 0,
        remove_extra_whitespaces: odd & 2 == 0,
        escape_whitespaces: odd & 12 != 12,
        treat_whitespace_as_suffix: odd & 48 == 48,
        user_defined_symbols: symbols.iter().map(|&symbol| symbol.to_owned()).collect(),
    };
    let normalizer = SentencePiece::new(settings).expect("no symbol is empty");
    Ok(json!({"normalizer": written(Normalizer::SentencePiece(normalizer.into())), "pre_tokenizer": null}))
}

fn rules(u: &mut Unstructured<'_>) -> Result<Option<Arc<Precompiled>>> {
    let rules = RULES[..below(u, RULES.len() + 1)?].iter().map(|&(from, to)| (from.to_owned(), to.to_owned()));
    Ok((rules.len() > 0).then(|| Arc::new(Precompiled::of(rules).expect("they differ"))))
}

fn written(normalizer: Normalizer) -> Value {
    let splitter = WordSplitter::new(Some(normalizer), None).expect("a plain pipeline");
    let mut parts: Value = serde_json::from_str(&write_splitter(&splitter)).expect("it was just written");
    parts["normalizer"].take()
}

/// Returns the normalization and pre-tokenization that `tokenizers` uses for `SentencePiece` models.
fn metaspace(u: &mut Unstructured<'_>) -> Result<Value> {
    let metaspace = json!({
        "type": "Metaspace", "replacement": "▁", "split": below(u, 8)? > 0,
        "prepend_scheme": pick(u, &["always", "always", "first", "never"])?,
    });
    let steps = json!([{"type": "WhitespaceSplit"}, metaspace]);
    let pre_tokenizer = match flag(u)? {
        true => metaspace,
        false => json!({"type": "Sequence", "pretokenizers": steps}),
    };
    let mut steps = Vec::new();
    for _ in 0..below(u, 4)? {
        steps.push(match below(u, 8)? {
            0 => json!({"type": pick(u, &["NFKC", "NFD", "Lowercase", "StripAccents"])?}),
            1 => json!({"type": "Strip", "strip_left": below(u, 4)? == 0, "strip_right": true}),
            2 | 3 => replace(json!({"Regex": " {2,}"}), pick(u, &[" ", "▁"])?),
            4 => replace(json!({"String": pick(u, &["``", "a", "ab"])?}), pick(u, &["\"", "b", ""])?),
            _ => rules(u)?.map_or(json!({"type": "Lowercase"}), |rules| written(Normalizer::Precompiled(rules))),
        });
    }
    Ok(json!({"normalizer": {"type": "Sequence", "normalizers": steps}, "pre_tokenizer": pre_tokenizer}))
}
