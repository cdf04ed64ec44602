//! Makes tokenizers and options of calls from a few bytes.

use arbitrary::{Result, Unstructured};
use piecework_core::added::{SpecialsPolicy, TextTokens};
use piecework_core::encoding::pad::Padding;
use piecework_core::encoding::truncate::{Truncation, TruncationStrategy};
use piecework_core::encoding::{Direction, NamedToken};
use piecework_core::pipeline::{EncodingPath, Options};
use serde_json::{Value, json};

/// The names of all kernels; a machine may lack some.
pub const KERNELS: [&str; 4] = ["scalar", "SSSE3", "AVX2", "AVX-512"];

pub(crate) const SPECIALS: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
const PIECES: [&str; 62] = [
    "a", "b", "ab", "abc", "c", "un", "able", "ing", "hello", "the", "he", "o", "i", "x", "_", "1", "12", "2", ".",
    "!", "-", "'", "s", "#", "##", "[", "]", "é", "e", "É", "A", "Ab", "I", "\u{301}", "\u{307}", "i\u{307}",
    "\u{323}", "ß", "ss", "σ", "ς", "οδος", "中", "文", "中文", "가", "각", "\u{1100}", "\u{1161}", "\u{11A8}", "न",
    "म", "ก", "می", "\u{200C}", "при", "вет", "😀", "\u{200D}", "k", "fi", "\u{FFFD}",
];

/// Returns a bool from one byte of `u`.
pub(crate) fn flag(u: &mut Unstructured<'_>) -> Result<bool> {
    Ok(u.arbitrary::<u8>()? & 1 == 1)
}

pub(crate) fn below(u: &mut Unstructured<'_>, end: usize) -> Result<usize> {
    Ok(usize::from(u.arbitrary::<u8>()?) % end)
}

pub(crate) fn pick<T: Clone>(u: &mut Unstructured<'_>, from: &[T]) -> Result<T> {
    Ok(from[below(u, from.len())?].clone())
}

fn bert(u: &mut Unstructured<'_>) -> Result<Value> {
    let flags = u.arbitrary::<u8>()?;
    let strip_accents = [None, Some(true), Some(false)][usize::from(flags >> 3) % 3];
    Ok(json!({
        "type": "BertNormalizer", "clean_text": flags & 1 == 0, "handle_chinese_chars": flags & 2 == 0,
        "strip_accents": strip_accents, "lowercase": flags & 4 == 0,
    }))
}

pub(crate) fn normalizer(u: &mut Unstructured<'_>) -> Result<Value> {
    let kinds = ["Lowercase", "NFD", "StripAccents", "NFC", "NFKC"];
    Ok(match below(u, 8)? {
        0..4 => bert(u)?,
        4 => Value::Null,
        5 => {
            let steps = [json!({"type": pick(u, &kinds)?}), bert(u)?];
            json!({"type": "Sequence", "normalizers": steps})
        }
        length => {
            // The last two kinds take the generic path, so they are rare.
            let steps = (0..length - 4).map(|_| Ok(json!({"type": kinds[below(u, 16)? / 5 % 4]})));
            json!({"type": "Sequence", "normalizers": steps.collect::<Result<Vec<_>>>()?})
        }
    })
}

pub(crate) fn pre_tokenizer(u: &mut Unstructured<'_>) -> Result<Value> {
    let behaviors = ["Isolated", "Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"];
    let splitting = json!({"type": pick(u, &["BertPreTokenizer", "Whitespace", "WhitespaceSplit"])?});
    let more = [
        json!({"type": "Punctuation", "behavior": pick(u, &behaviors)?}),
        json!({"type": "Digits", "individual_digits": flag(u)?}),
        json!({"type": pick(u, &["BertPreTokenizer", "Whitespace", "WhitespaceSplit"])?}),
    ];
    Ok(match below(u, 8)? {
        0..4 => splitting,
        4 => more[below(u, 2)?].clone(),
        kind => {
            let mut steps = vec![splitting];
            for step in &more[..kind - 4] {
                steps.insert(below(u, steps.len() + 1)?, step.clone());
            }
            json!({"type": "Sequence", "pretokenizers": steps})
        }
    })
}

pub(crate) fn replace(pattern: Value, content: &str) -> Value {
    json!({"type": "Replace", "pattern": pattern, "content": content})
}

/// Returns the vocabulary: special tokens, and pieces as word-initial and as continuing tokens.
fn vocab(prefix: &str) -> Value {
    let continued = PIECES.iter().map(|piece| format!("{prefix}{piece}"));
    let mut vocab = serde_json::Map::new();
    for token in SPECIALS.iter().chain(&PIECES).map(|&token| token.to_owned()).chain(continued) {
        let id = vocab.len();
        vocab.entry(token).or_insert(json!(id));
    }
    Value::Object(vocab)
}

fn model(u: &mut Unstructured<'_>) -> Result<Value> {
    let prefix = pick(u, &["##", "##", "##", "", "a"])?;
    let limit = pick(u, &[100_u32, 3, 1, 16, u32::MAX])?;
    let unknown = pick(u, &["word", "run", "char"])?;
    Ok(match below(u, 8)? {
        0 => json!({"type": "WordLevel", "vocab": vocab("##"), "unk_token": "[UNK]"}),
        kind => json!({
            "type": "piecework.WordPiece", "vocab": vocab(prefix), "unk_token": "[UNK]",
            "continuing_subword_prefix": prefix, "max_input_chars_per_word": limit,
            "piecework": {"version": 1, "unknown": unknown, "has_unk": kind != 1},
        }),
    })
}

/// Returns added tokens with random flags, except for the pad token. Normalized ones exclude the fast path, so half of
/// the lists have none.
pub(crate) fn added_tokens(u: &mut Unstructured<'_>, vocab: &Value) -> Result<Value> {
    let contents = [
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "New York", "Ab", " b", "é中", "<x>", "xx", "xxx", "\u{301}",
        " ", "  ", "\u{3000}",
    ];
    let (chosen, normalized) = (u.arbitrary::<u16>()?, u.arbitrary::<u8>()?.is_multiple_of(2));
    let mut tokens = Vec::new();
    let mut next = vocab.as_object().map_or(0, serde_json::Map::len);
    for (place, content) in contents.iter().enumerate() {
        let flags = if place == 0 { 0 } else { u.arbitrary::<u8>()? };
        if chosen >> place & 1 == 1 {
            continue;
        }
        let special = (flags & 1 == 0) == SPECIALS.contains(content);
        // A token that is not in the vocabulary has the next id.
        let id = vocab.get(content).cloned().unwrap_or_else(|| json!(next));
        next += usize::from(id == next);
        tokens.push(json!({
            "id": id, "content": content, "special": special,
            "single_word": flags & 2 != 0, "lstrip": flags & 4 != 0, "rstrip": flags & 8 != 0,
            "normalized": normalized && flags & 16 != 0,
        }));
    }
    Ok(json!(tokens))
}

pub(crate) fn post_processor(u: &mut Unstructured<'_>) -> Result<Value> {
    let special = |id: &str| json!({"SpecialToken": {"id": id, "type_id": 0}});
    let sequence = |id, type_id| json!({"Sequence": {"id": id, "type_id": type_id}});
    let bert = json!({"type": "BertProcessing", "cls": ["[CLS]", 2], "sep": ["[SEP]", 3]});
    let roberta = json!({
        "type": "RobertaProcessing", "cls": ["[CLS]", 2], "sep": ["[SEP]", 3], "trim_offsets": true,
        "add_prefix_space": false,
    });
    let template = json!({
        "type": "TemplateProcessing",
        "single": [special("[CLS]"), sequence("A", 0), special("[SEP]")],
        "pair": [sequence("B", 1), special("[SEP]"), sequence("A", 0), sequence("B", 2)],
        "special_tokens": {
            "[CLS]": {"id": "[CLS]", "ids": [2], "tokens": ["[CLS]"]},
            "[SEP]": {"id": "[SEP]", "ids": [3], "tokens": ["[SEP]"]},
        },
    });
    pick(u, &[Value::Null, bert, template, roberta])
}

/// Returns a tokenizer.json with WordPiece or WordLevel.
pub fn pipeline(u: &mut Unstructured<'_>) -> Result<Value> {
    let decoder = json!({"type": "WordPiece", "prefix": "##", "cleanup": flag(u)?});
    let model = model(u)?;
    let added_tokens = added_tokens(u, &model["vocab"])?;
    Ok(json!({
        "version": "1.0", "truncation": null, "padding": null, "normalizer": normalizer(u)?,
        "pre_tokenizer": pre_tokenizer(u)?, "model": model, "post_processor": post_processor(u)?,
        "decoder": pick(u, &[decoder, Value::Null])?, "added_tokens": added_tokens,
    }))
}

/// Returns the options of a call, with the fast path.
pub fn options(u: &mut Unstructured<'_>) -> Result<Options> {
    let direction = |left| if left { Direction::Left } else { Direction::Right };
    let specials = match below(u, 9)? {
        0..4 => SpecialsPolicy::Match,
        4 => SpecialsPolicy::Text(TextTokens::Special),
        5 => SpecialsPolicy::Text(TextTokens::Untrusted),
        6 => SpecialsPolicy::Error(TextTokens::Special),
        7 => SpecialsPolicy::Error(TextTokens::Untrusted),
        _ => SpecialsPolicy::Allowed(TextTokens::Special, vec!["[MASK]".to_owned(), "<x>".to_owned()]),
    };
    let truncation = Truncation {
        max_length: 3 + below(u, 40)?,
        stride: below(u, 3)?,
        strategy: pick(
            u,
            &[TruncationStrategy::LongestFirst, TruncationStrategy::OnlyFirst, TruncationStrategy::OnlySecond],
        )?,
        direction: direction(flag(u)?),
    };
    let padding = Padding {
        length: pick(u, &[None, Some(64)])?,
        pad_to_multiple_of: pick(u, &[None, Some(8)])?,
        direction: direction(flag(u)?),
        token: NamedToken::new("[PAD]", 0),
        type_id: 0,
    };
    let flags = u.arbitrary::<u8>()?;
    Ok(Options {
        add_special_tokens: flags & 1 == 0,
        specials,
        truncation: (flags & 6 == 6).then_some(truncation),
        padding: (flags & 24 == 24).then_some(padding),
        overflow: flags & 32 != 0,
        path: EncodingPath::Fast,
        ..Options::default()
    })
}
