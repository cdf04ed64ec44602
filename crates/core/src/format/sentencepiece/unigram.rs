//! Unigram models as pieces with scores, and back.

use std::collections::{HashMap, HashSet};

use super::TARGET;
use super::messages::{PieceKind, PieceProto, wrong};
use crate::added::AddedToken;
use crate::error::{Error, Message, Result, shorten};
use crate::model::unigram::{Precision, Unigram, UnigramSettings};
use crate::pipeline::Tokenizer;
use crate::text::bytes::byte_entry;
use crate::vocab::Vocab;

/// Returns the model of pieces with these texts (`vocab`).
pub(super) fn model(vocab: Vocab, pieces: &[PieceProto<'_>], unk_token: &str, byte_fallback: bool) -> Result<Unigram> {
    let of_kind = |is: fn(PieceKind) -> bool| {
        (0..).zip(pieces).filter(|(_, piece)| is(piece.kind)).map(|(id, _)| id).collect::<HashSet<u32>>()
    };
    let settings = UnigramSettings {
        unk_token: Some(unk_token.to_owned()),
        precision: Precision::Float32,
        byte_fallback,
        user_defined: of_kind(|kind| kind == PieceKind::UserDefined),
        reserved: of_kind(|kind| !matches!(kind, PieceKind::Normal | PieceKind::UserDefined)),
    };
    let scores = pieces.iter().map(|piece| piece.score.into()).collect();
    Unigram::new(vocab, scores, settings).map_err(|error| wrong("pieces", error.to_string()))
}

/// Returns the pieces of a model with their scores.
pub(super) fn pieces<'a>(tokenizer: &'a Tokenizer, model: &'a Unigram) -> Result<Vec<PieceProto<'a>>> {
    refuse(tokenizer, model)?;
    let added: HashMap<u32, &AddedToken> = tokenizer.added().tokens().iter().map(|token| (token.id, token)).collect();
    let (symbols, user_defined) = (tokenizer.splitter().user_defined_symbols(), &model.settings().user_defined);
    let limit = model.vocab().id_limit().max(added.keys().max().map_or(0, |id| id + 1));
    let piece = |id| {
        let token = added.get(&id).map(|token| token.content.as_str()).or_else(|| model.vocab().token(id));
        let text = token.ok_or_else(|| TARGET.cannot_hold(&format!("ids with gaps (no token has the id {id})")))?;
        let score = model.scores().get(id as usize).copied().unwrap_or_default();
        let is_symbol = user_defined.contains(&id) || symbols.contains(text);
        let is_control = added.get(&id).is_some_and(|token| token.special) && !is_symbol;
        Ok(PieceProto { text, score: single(score), kind: kind(model, id, is_control, is_symbol) })
    };
    (0..limit).map(piece).collect()
}

/// Refuses models that the library would encode differently.
fn refuse(tokenizer: &Tokenizer, model: &Unigram) -> Result<()> {
    let UnigramSettings { precision, byte_fallback, reserved, unk_token, user_defined } = model.settings();
    if *precision != Precision::Float32 {
        let problem =
            "a SentencePiece model cannot hold scores that are added up in 64 bits, as those of a training are";
        return Err(Error::Config(
            Message::new(problem)
                .hint("pass `approximate=True`, which warns of what changes, or save a tokenizer.json"),
        ));
    }
    if unk_token.is_none() {
        return Err(TARGET.cannot_hold("a model without an unknown token"));
    }
    let is_other = |token: &&AddedToken| !token.special && !user_defined.contains(&token.id);
    if let Some(token) = tokenizer.added().tokens().iter().find(is_other) {
        let token = shorten(&token.content);
        return Err(TARGET.cannot_hold(&format!("the added token {token:?} of a unigram model, unless it is special")));
    }
    let is_reserved = |piece: &String| model.vocab().id(piece).is_some_and(|id| reserved.contains(&id));
    match (0..=255).map(byte_entry).find(|piece| *byte_fallback && !is_reserved(piece)) {
        Some(piece) => Err(TARGET.cannot_hold(&format!("byte_fallback unless {piece:?} is a reserved piece"))),
        None => Ok(()),
    }
}

fn kind(model: &Unigram, id: u32, is_control: bool, is_symbol: bool) -> PieceKind {
    let UnigramSettings { byte_fallback, reserved, .. } = model.settings();
    let is_byte = || *byte_fallback && (0..=255).any(|byte| model.vocab().id(&byte_entry(byte)) == Some(id));
    match () {
        () if model.unk_id() == Some(id) => PieceKind::Unknown,
        () if is_control => PieceKind::Control,
        () if is_symbol => PieceKind::UserDefined,
        () if reserved.contains(&id) && is_byte() => PieceKind::Byte,
        () if reserved.contains(&id) => PieceKind::Unused,
        () => PieceKind::Normal,
    }
}

#[expect(clippy::cast_possible_truncation, reason = "as the model itself rounds it")]
fn single(score: f64) -> f32 {
    score as f32
}
