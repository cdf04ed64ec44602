//! Added tokens of a tokenizer that encodes as `SentencePiece` does: user-defined symbols.
//!
//! `SentencePiece` has no added tokens. A symbol is in the vocabulary, normalization leaves it unchanged, and the model
//! finds it in normalized text, so that no space is put before the text around it.

use std::collections::{BTreeMap, HashSet};

use super::{Tokenizer, TokenizerParts};
use crate::added::AddedToken;
use crate::decode::Decoder;
use crate::error::Result;
use crate::normalize::{Normalizer, SentencePiece, SentencePieceSettings};
use crate::splitter::WordSplitter;
use crate::text::bytes::byte_entry;

impl Tokenizer {
    /// Returns the tokenizer with more added tokens, or with other flags of existing ones.
    ///
    /// Those of a tokenizer with `SentencePiece`'s normalization and decoder are user-defined symbols, matched in
    /// normalized text. Others are as [`Self::with_added_tokens`] adds them.
    pub fn with_symbols(&self, mut new: Vec<AddedToken>) -> Result<Self> {
        let Some(settings) = self.symbol_settings().filter(|_| !new.is_empty()) else {
            return self.with_added_tokens(new);
        };
        let unknown = self.traits().unk_token.as_deref();
        let falls_back = self.decoder().and_then(Decoder::sentencepiece).is_some_and(|own| own.byte_fallback);
        let is_symbol = |token: &AddedToken| {
            let content = &*token.content;
            let is_changed = settings.escape_whitespaces && content.contains(' ');
            let is_byte = falls_back && content.starts_with("<0x") && (0..=255).any(|byte| byte_entry(byte) == content);
            let stays_special = token.special && self.added.is_special(content);
            !(is_changed || is_byte || stays_special || Some(content) == unknown)
        };
        let named: HashSet<String> = new.iter().map(|token| token.content.clone()).collect();
        let symbols: HashSet<String> =
            new.iter().filter(|token| is_symbol(token)).map(|token| token.content.clone()).collect();
        new.iter_mut().for_each(|token| token.normalized = true);
        let added = self.with_added_tokens(new)?;
        let mut parts = added.parts();
        let is_found = |token: &AddedToken| {
            named.contains(&token.content).then(|| is_plain(token) && symbols.contains(&token.content))
        };
        let mut tokens: Vec<_> = parts.added.iter().map(|token| (token.id, &*token.content, is_found(token))).collect();
        tokens.sort_unstable_by_key(|&(id, ..)| id);
        parts.model = parts.model.with_symbols(&tokens)?;
        parts.training = parts.training.as_ref().map(|training| training.for_ids(parts.model.vocab().id_limit()));
        let settings = with_symbols(settings, symbols, |symbol| added.id(symbol));
        // The components of a plain model put a space before the normal form of a token, too.
        parts.splitter =
            WordSplitter::new(Some(Normalizer::SentencePiece(SentencePiece::new(settings)?.into())), None)?;
        Self::new(parts)
    }

    /// Returns the normalization of a tokenizer whose added tokens are symbols.
    fn symbol_settings(&self) -> Option<SentencePieceSettings> {
        let TokenizerParts { splitter, decoder, .. } = &self.parts;
        let decoder = decoder.as_ref().and_then(Decoder::sentencepiece);
        let is_own = decoder.is_some() && splitter.pre_tokenizer().is_none();
        SentencePieceSettings::of(splitter.normalizer()).filter(|_| is_own)
    }
}

/// Returns whether a token is found as any other symbol is.
fn is_plain(token: &AddedToken) -> bool {
    !(token.special || token.single_word || token.lstrip || token.rstrip)
}

/// Returns the settings with more symbols, in the order of their ids.
fn with_symbols(
    settings: SentencePieceSettings,
    new: HashSet<String>,
    id: impl Fn(&str) -> Option<u32>,
) -> SentencePieceSettings {
    let symbols = settings.user_defined_symbols.iter().cloned().chain(new);
    let numbered: BTreeMap<_, _> = symbols.map(|symbol| ((id(&symbol).unwrap_or(u32::MAX), symbol), ())).collect();
    SentencePieceSettings { user_defined_symbols: numbered.into_keys().map(|(_, symbol)| symbol).collect(), ..settings }
}
