//! Normalizers in `tokenizer.json`.

use std::sync::Arc;

use crate::error::Result;
use crate::format::json::{Json, JsonNode};
use crate::format::members::{Member, Record, components, record};
use crate::normalize::{
    BertNormalizer, Normalizer, Precompiled, SentencePiece, SentencePieceSettings, Strip, UnicodeForm,
};

components! {
    Normalizer by JsonNode::kind;
    "NFC" {} => Form(UnicodeForm::Nfc);
    "NFD" {} => Form(UnicodeForm::Nfd);
    "NFKC" {} => Form(UnicodeForm::Nfkc);
    "NFKD" {} => Form(UnicodeForm::Nfkd);
    "Nmt" {} => Nmt;
    "Lowercase" {} => Lowercase;
    "StripAccents" {} => StripAccents;
    "ByteLevel" {} => ByteLevel;
    "BertNormalizer": Bert(BertNormalizer);
    "Strip" { strip_left, strip_right } => Strip(Strip { left: strip_left, right: strip_right });
    "Replace" { pattern, content } => Replace { pattern, content };
    "Prepend" { prepend } => Prepend(prepend);
    "Precompiled" { precompiled_charsmap } => Precompiled(precompiled_charsmap);
    "piecework.SentencePiece": SentencePiece(Arc<SentencePiece>);
    "Sequence" { normalizers } => Sequence(normalizers);
}

record!(BertNormalizer { clean_text, handle_chinese_chars, strip_accents, lowercase });

record!(SentencePieceSettings {
    precompiled_charsmap,
    add_dummy_prefix,
    remove_extra_whitespaces,
    escape_whitespaces,
    treat_whitespace_as_suffix,
    user_defined_symbols,
});

impl Record for Arc<SentencePiece> {
    const MEMBERS: &'static [&'static str] = SentencePieceSettings::MEMBERS;

    fn read_members(node: &JsonNode<'_>) -> Result<Self> {
        let symbols = node.member("user_defined_symbols");
        let normalizer = SentencePiece::new(Record::read_members(node)?);
        normalizer.map(Self::new).map_err(|error| symbols.unwrap_or_else(|_| node.clone()).error(error))
    }

    fn members(&self) -> Vec<(&'static str, Json)> {
        self.settings().members()
    }
}

impl Member for Arc<Precompiled> {
    fn read(node: &JsonNode<'_>) -> Result<Self> {
        Precompiled::new(node.base64()?).map(Self::new).map_err(|error| node.error(error))
    }

    fn json(&self) -> Json {
        Json::base64(self.charsmap())
    }
}
