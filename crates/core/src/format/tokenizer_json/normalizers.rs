//! Normalizers in `tokenizer.json`.

use super::patterns::{pattern, pattern_json};
use crate::error::Result;
use crate::format::json::{Json, Node, object};
use crate::normalize::{
    BertNormalizer, Normalizer, Precompiled, SentencePiece, SentencePieceSettings, Strip, UnicodeForm,
};

/// The normalizers that have no settings, by type name.
const PLAIN: [(&str, Normalizer); 8] = [
    ("NFC", Normalizer::Form(UnicodeForm::Nfc)),
    ("NFD", Normalizer::Form(UnicodeForm::Nfd)),
    ("NFKC", Normalizer::Form(UnicodeForm::Nfkc)),
    ("NFKD", Normalizer::Form(UnicodeForm::Nfkd)),
    ("Nmt", Normalizer::Nmt),
    ("Lowercase", Normalizer::Lowercase),
    ("StripAccents", Normalizer::StripAccents),
    ("ByteLevel", Normalizer::ByteLevel),
];
const OTHERS: [&str; 7] = ["BertNormalizer", "Strip", "Replace", "Prepend", "Precompiled", "Sequence", SENTENCE_PIECE];
const SENTENCE_PIECE: &str = "piecework.SentencePiece";

pub(super) fn normalizer(node: &Node<'_>) -> Result<Normalizer> {
    let kind = node.kind()?;
    if let Some((_, plain)) = PLAIN.into_iter().find(|(name, _)| *name == kind) {
        node.only(&["type"])?;
        return Ok(plain);
    }
    Ok(match kind {
        "BertNormalizer" => {
            node.only(&["type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"])?;
            Normalizer::Bert(BertNormalizer {
                clean_text: node.member("clean_text")?.bool()?,
                handle_chinese_chars: node.member("handle_chinese_chars")?.bool()?,
                strip_accents: node.find("strip_accents")?.map(|node| node.bool()).transpose()?,
                lowercase: node.member("lowercase")?.bool()?,
            })
        }
        "Strip" => {
            node.only(&["type", "strip_left", "strip_right"])?;
            let (left, right) = (node.member("strip_left")?.bool()?, node.member("strip_right")?.bool()?);
            Normalizer::Strip(Strip { left, right })
        }
        "Replace" => {
            node.only(&["type", "pattern", "content"])?;
            let pattern = pattern(&node.member("pattern")?)?;
            Normalizer::Replace { pattern, content: node.member("content")?.str()?.to_owned() }
        }
        "Prepend" => {
            node.only(&["type", "prepend"])?;
            Normalizer::Prepend(node.member("prepend")?.str()?.to_owned())
        }
        "Precompiled" => {
            node.only(&["type", "precompiled_charsmap"])?;
            Normalizer::Precompiled(precompiled(&node.member("precompiled_charsmap")?)?)
        }
        SENTENCE_PIECE => Normalizer::SentencePiece(sentencepiece(node)?),
        "Sequence" => {
            node.only(&["type", "normalizers"])?;
            let steps = node.member("normalizers")?;
            Normalizer::Sequence(steps.array()?.map(|node| normalizer(&node)).collect::<Result<_>>()?)
        }
        other => {
            let known: Vec<&str> = OTHERS.into_iter().chain(PLAIN.iter().map(|(name, _)| *name)).collect();
            return Err(node.unknown_kind(other, &known));
        }
    })
}

fn precompiled(charsmap: &Node<'_>) -> Result<Precompiled> {
    Precompiled::new(charsmap.base64()?).map_err(|error| charsmap.error(error))
}

fn sentencepiece(node: &Node<'_>) -> Result<SentencePiece> {
    node.only(&[
        "type",
        "precompiled_charsmap",
        "add_dummy_prefix",
        "remove_extra_whitespaces",
        "escape_whitespaces",
        "treat_whitespace_as_suffix",
        "user_defined_symbols",
    ])?;
    let symbols = node.member("user_defined_symbols")?;
    let settings = SentencePieceSettings {
        rules: node.find("precompiled_charsmap")?.map(|charsmap| precompiled(&charsmap)).transpose()?,
        add_dummy_prefix: node.member("add_dummy_prefix")?.bool()?,
        remove_extra_whitespaces: node.member("remove_extra_whitespaces")?.bool()?,
        escape_whitespaces: node.member("escape_whitespaces")?.bool()?,
        treat_whitespace_as_suffix: node.member("treat_whitespace_as_suffix")?.bool()?,
        user_defined_symbols: symbols.strings()?,
    };
    SentencePiece::new(settings).map_err(|error| symbols.error(error))
}

fn sentencepiece_json(settings: &SentencePieceSettings) -> Json {
    object([
        ("type", SENTENCE_PIECE.into()),
        ("precompiled_charsmap", settings.rules.as_ref().map(|rules| Json::base64(rules.charsmap())).into()),
        ("add_dummy_prefix", settings.add_dummy_prefix.into()),
        ("remove_extra_whitespaces", settings.remove_extra_whitespaces.into()),
        ("escape_whitespaces", settings.escape_whitespaces.into()),
        ("treat_whitespace_as_suffix", settings.treat_whitespace_as_suffix.into()),
        ("user_defined_symbols", settings.user_defined_symbols.iter().map(String::as_str).collect()),
    ])
}

pub(super) fn normalizer_json(normalizer: Option<&Normalizer>) -> Json {
    let Some(normalizer) = normalizer else { return Json::Null };
    if let Some((kind, _)) = PLAIN.into_iter().find(|(_, plain)| plain == normalizer) {
        return object([("type", kind.into())]);
    }
    match normalizer {
        Normalizer::Bert(bert) => object([
            ("type", "BertNormalizer".into()),
            ("clean_text", bert.clean_text.into()),
            ("handle_chinese_chars", bert.handle_chinese_chars.into()),
            ("strip_accents", bert.strip_accents.into()),
            ("lowercase", bert.lowercase.into()),
        ]),
        Normalizer::Strip(strip) => {
            object([("type", "Strip".into()), ("strip_left", strip.left.into()), ("strip_right", strip.right.into())])
        }
        Normalizer::Replace { pattern, content } => object([
            ("type", "Replace".into()),
            ("pattern", pattern_json(pattern)),
            ("content", content.as_str().into()),
        ]),
        Normalizer::Prepend(prefix) => object([("type", "Prepend".into()), ("prepend", prefix.as_str().into())]),
        Normalizer::Precompiled(rules) => {
            object([("type", "Precompiled".into()), ("precompiled_charsmap", Json::base64(rules.charsmap()))])
        }
        Normalizer::SentencePiece(sentencepiece) => sentencepiece_json(sentencepiece.settings()),
        Normalizer::Sequence(steps) => object([
            ("type", "Sequence".into()),
            ("normalizers", Json::Array(steps.iter().map(|step| normalizer_json(Some(step))).collect())),
        ]),
        _ => unreachable!("every plain normalizer is in the table"),
    }
}
