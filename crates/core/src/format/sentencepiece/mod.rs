//! The `.model` files of `SentencePiece`: pieces with scores, and how text is normalized.
//!
//! A BPE model merges any two neighbors that make a piece, highest score first; `unigram` builds Unigram models. A
//! normalization that `tokenizers` can express becomes its components; any other becomes a component of our own.

mod messages;
mod unigram;
mod wire;
mod write;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::merged::WriteTarget;
use crate::added::AddedToken;
use crate::decode::{Decoder, SentencePieceDecoder};
use crate::error::{Error, Place, Result, shorten};
use crate::model::Model;
use crate::model::bpe::{Bpe, BpeSettings, NO_RANK};
use crate::normalize::{Normalizer, Precompiled, SentencePieceSettings};
use crate::pipeline::{Tokenizer, TokenizerParts};
use crate::splitter::WordSplitter;
use crate::text::bytes::byte_entry;
use crate::vocab::Vocab;
pub(crate) use messages::piece_count;
use messages::{BPE, ModelProto, PieceKind, PieceProto, UNIGRAM, model_name};
pub use write::write_sentencepiece;

/// The name of a `.model` file in messages, and what to save instead.
const TARGET: WriteTarget = WriteTarget("a SentencePiece model");
/// The file name suffix.
pub(super) const SUFFIX: &str = ".model";

/// Returns whether a file is a model, by its name or by a first field with the layout of a piece.
pub(super) fn is_model(bytes: &[u8], name: &str) -> bool {
    name.ends_with(SUFFIX) || begins_with_piece(bytes).unwrap_or(false)
}

fn begins_with_piece(bytes: &[u8]) -> Option<bool> {
    const TEXT: u8 = 0x0a;
    const SCORE_OR_KIND: [u8; 2] = [0x15, 0x18];
    let (piece, inner) = length(bytes.strip_prefix(&[TEXT])?)?;
    let (text, rest) = length(inner.strip_prefix(&[TEXT])?)?;
    let header = inner.len() - rest.len();
    let is_within = (header as u64).checked_add(text)? < piece;
    Some(is_within && SCORE_OR_KIND.contains(rest.get(usize::try_from(text).ok()?)?))
}

/// Returns a varint length of at most five bytes, and the bytes after it.
fn length(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut rest = bytes;
    let length = wire::take_varint(&mut rest)?;
    (bytes.len() - rest.len() <= 5).then_some((length, rest))
}

/// Reads a `.model` file of BPE or Unigram.
///
/// Control symbols become special tokens that a text cannot spell by default. User-defined symbols become added tokens:
/// those of BPE are matched in normalized text, those of Unigram are pieces that the model finds by their scores.
///
/// ```
/// use piecework_core::format::read_sentencepiece;
///
/// assert!(read_sentencepiece(b"<html>").is_err());
/// # Ok::<(), piecework_core::Error>(())
/// ```
pub fn read_sentencepiece(bytes: &[u8]) -> Result<Tokenizer> {
    let proto = ModelProto::read(bytes)?;
    refuse(&proto)?;
    let vocab = vocab(&proto.pieces)?;
    let byte_fallback = proto.trainer.byte_fallback;
    if byte_fallback {
        refuse_missing_bytes(&vocab)?;
    }
    let unk_token = unknown(&proto.pieces)?.to_owned();
    let model = match proto.trainer.model_type {
        UNIGRAM => Model::Unigram(unigram::model(vocab, &proto.pieces, &unk_token, byte_fallback)?),
        _ => Model::Bpe(bpe(vocab, &proto.pieces, &unk_token, byte_fallback)?),
    };
    let splitter = WordSplitter::new(normalizer(&proto)?, None)?;
    Tokenizer::new(TokenizerParts {
        added: added(&proto.pieces),
        decoder: Some(Decoder::SentencePiece(SentencePieceDecoder {
            add_dummy_prefix: proto.normalizer.add_dummy_prefix,
            remove_extra_whitespaces: proto.normalizer.remove_extra_whitespaces,
            byte_fallback,
            unk_token,
            unk_surface: proto.trainer.unk_surface,
        })),
        ..TokenizerParts::new(splitter, model)
    })
}

/// Refuses models that cannot be encoded as SentencePiece encodes them.
fn refuse(proto: &ModelProto<'_>) -> Result<()> {
    let unsupported = |at, message: String| Err(Error::Unsupported { at: Place::Field(at), message: message.into() });
    if proto.pieces.is_empty() {
        return Err(messages::wrong("pieces", "not a SentencePiece model: it has no pieces".to_owned()));
    }
    if ![UNIGRAM, BPE].contains(&proto.trainer.model_type) {
        let name = model_name(proto.trainer.model_type);
        let message = format!("the model is of the type {name}; piecework reads models of the types Unigram and BPE");
        return unsupported("trainer_spec.model_type", message);
    }
    if proto.denormalizes {
        return unsupported("denormalizer_spec", "decoded text would have to be changed by rules".to_owned());
    }
    Ok(())
}

fn bpe(vocab: Vocab, pieces: &[PieceProto<'_>], unk_token: &str, byte_fallback: bool) -> Result<Bpe> {
    let settings = BpeSettings {
        unk_token: Some(unk_token.to_owned()),
        fuse_unk: true,
        byte_fallback,
        unused: unused(pieces),
        ..BpeSettings::default()
    };
    Bpe::implied(vocab, ranks(pieces), settings)
}

fn vocab(pieces: &[PieceProto<'_>]) -> Result<Vocab> {
    let mut vocab = Vocab::expecting(pieces.len());
    for piece in pieces {
        vocab.insert_next(piece.text).map_err(|error| messages::wrong("pieces", error.to_string()))?;
    }
    Ok(vocab)
}

fn refuse_missing_bytes(vocab: &Vocab) -> Result<()> {
    let Some(missing) = (0..=255).map(byte_entry).find(|piece| vocab.id(piece).is_none()) else { return Ok(()) };
    Err(messages::wrong("pieces", format!("the model falls back to bytes, but has no piece {missing:?}")))
}

/// Returns the text of the unknown piece; there must be exactly one.
fn unknown<'a>(pieces: &[PieceProto<'a>]) -> Result<&'a str> {
    let mut unknown = pieces.iter().filter(|piece| piece.kind == PieceKind::Unknown);
    match (unknown.next(), unknown.next()) {
        (Some(piece), None) => Ok(piece.text),
        (None, _) => Err(messages::wrong("pieces", "the model has no piece for what is unknown".to_owned())),
        (Some(one), Some(other)) => {
            let (one, other) = (shorten(one.text), shorten(other.text));
            Err(messages::wrong("pieces", format!("both {one:?} and {other:?} stand for what is unknown")))
        }
    }
}

/// Returns ranks by score, highest first. Equal scores share a rank, except when all their pieces are runs of one
/// character.
///
/// Among equal ranks the leftmost pair merges, so a run grows from its left end and becomes longer than any other run
/// beside it. Merging the longest run first is therefore equivalent, and a list of merges can express it.
fn ranks(pieces: &[PieceProto<'_>]) -> Vec<u32> {
    let score = |id: usize| pieces[id].score;
    let is_made = |id: &usize| pieces[*id].kind.merges() && pieces[*id].text.chars().nth(1).is_some();
    let mut order: Vec<usize> = (0..pieces.len()).filter(is_made).collect();
    order.sort_by(|&one, &other| score(other).total_cmp(&score(one)));
    let (mut ranks, mut rank) = (vec![NO_RANK; pieces.len()], 0);
    for equal in order.chunk_by_mut(|&one, &other| score(one) == score(other)) {
        let are_runs = equal.len() > 1 && equal.iter().all(|&id| is_run(pieces[id].text));
        equal.sort_by_key(|&id| std::cmp::Reverse(pieces[id].text.len()));
        for &id in &*equal {
            ranks[id] = rank;
            rank += u32::from(are_runs);
        }
        rank += u32::from(!are_runs);
    }
    ranks
}

/// Returns the ids of pieces that are split again after merging.
fn unused(pieces: &[PieceProto<'_>]) -> BTreeSet<u32> {
    let is_unused = |(_, piece): &(u32, &PieceProto<'_>)| piece.kind == PieceKind::Unused;
    (0..).zip(pieces).filter(is_unused).map(|(id, _)| id).collect()
}

/// Returns whether a text repeats one character.
fn is_run(text: &str) -> bool {
    let mut characters = text.chars();
    let first = characters.next();
    characters.all(|c| Some(c) == first)
}

fn added(pieces: &[PieceProto<'_>]) -> Vec<AddedToken> {
    let token = |(id, piece): (u32, &PieceProto<'_>)| match piece.kind {
        PieceKind::Control => Some(AddedToken::control(id, piece.text)),
        PieceKind::UserDefined => {
            Some(AddedToken { id, content: piece.text.to_owned(), normalized: true, ..AddedToken::default() })
        }
        _ => None,
    };
    (0..).zip(pieces).filter_map(token).collect()
}

/// Returns the symbols that normalization does not change.
fn symbols(pieces: &[PieceProto<'_>]) -> Vec<String> {
    let is_symbol = |piece: &&PieceProto<'_>| piece.kind == PieceKind::UserDefined;
    pieces.iter().filter(is_symbol).map(|piece| piece.text.to_owned()).collect()
}

fn normalizer(proto: &ModelProto<'_>) -> Result<Option<Normalizer>> {
    let spec = &proto.normalizer;
    let rules = || {
        let broken = |error: Error| messages::wrong("normalizer_spec", error.to_string());
        Precompiled::new(spec.charsmap.to_vec()).map(Arc::new).map_err(broken)
    };
    let settings = SentencePieceSettings {
        precompiled_charsmap: (!spec.charsmap.is_empty()).then(rules).transpose()?,
        add_dummy_prefix: spec.add_dummy_prefix,
        remove_extra_whitespaces: spec.remove_extra_whitespaces,
        escape_whitespaces: spec.escape_whitespaces,
        treat_whitespace_as_suffix: proto.trainer.treat_whitespace_as_suffix && spec.add_dummy_prefix,
        user_defined_symbols: symbols(&proto.pieces),
    };
    settings.into_normalizer()
}
