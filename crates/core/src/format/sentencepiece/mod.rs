//! The `.model` files of `SentencePiece`: pieces with scores, and how text is normalized.
//!
//! A BPE model merges any two neighbours that make a piece, the highest score first; `unigram` has the others. Where the
//! normalization is one that `tokenizers` can say as well, it is said so; else it is a component of our own.

mod messages;
mod unigram;
mod wire;
mod write;

use std::collections::BTreeSet;

use super::merged::Held;
use crate::added::AddedToken;
use crate::decode::{Decoder, SentencePieceDecoder};
use crate::error::{Error, Place, Result, shorten};
use crate::model::Model;
use crate::model::bpe::{Bpe, NO_RANK, Settings};
use crate::normalize::{Normalizer, Precompiled, SPACE, SentencePiece, SentencePieceSettings};
use crate::pipeline::{Parts, Tokenizer};
use crate::splitter::WordSplitter;
use crate::text::bytes::byte_entry;
use crate::text::pattern::Pattern;
use crate::vocab::Vocab;
use messages::{BPE, ModelProto, Piece, PieceKind, UNIGRAM, model_name};
pub use write::write_sentencepiece;

/// What a `.model` file is called in messages, and what to save instead.
const HELD: Held = Held { format: "a SentencePiece model", instead: "save a tokenizer.json" };
/// How the names of such files end.
pub(super) const SUFFIX: &str = ".model";

/// Whether a file is a model: by its name, or since its first field holds a text and then a float or a kind, as a piece does.
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

/// A length of at most five bytes, seven bits a byte and the lowest first, and the bytes after it.
fn length(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let end = bytes.iter().take(5).position(|byte| byte & 0x80 == 0)? + 1;
    let (length, rest) = bytes.split_at(end);
    let value = length.iter().rev().fold(0, |value, &byte| value << 7 | u64::from(byte & 0x7f));
    Some((value, rest))
}

/// The tokenizer of a `.model` file of BPE or Unigram.
///
/// Control symbols become special tokens that by default are ordinary text where a text spells them. Symbols that the user defined are added tokens of BPE, sought in normalized text;
/// in a unigram model they are pieces with a score of their own.
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
    Tokenizer::new(Parts {
        splitter: WordSplitter::new(normalizer(&proto)?, None)?,
        added: added(&proto.pieces, &model),
        model,
        post_processor: None,
        decoder: Some(Decoder::SentencePiece(SentencePieceDecoder {
            add_dummy_prefix: proto.normalizer.add_dummy_prefix,
            remove_extra_whitespaces: proto.normalizer.remove_extra_whitespaces,
            byte_fallback,
            unk_token,
            unk_surface: proto.trainer.unk_surface,
        })),
        truncation: None,
        padding: None,
        training: None,
    })
}

/// Refuses what cannot be encoded as SentencePiece does.
fn refuse(proto: &ModelProto<'_>) -> Result<()> {
    let unsupported = |at, message: String| Err(Error::Unsupported { at: Place::Field(at), message });
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

fn bpe(vocab: Vocab, pieces: &[Piece<'_>], unk_token: &str, byte_fallback: bool) -> Result<Bpe> {
    let settings = Settings {
        unk_token: Some(unk_token.to_owned()),
        fuse_unk: true,
        byte_fallback,
        unused: unused(pieces),
        ..Settings::default()
    };
    Bpe::implied(vocab, ranks(pieces), settings)
}

fn vocab(pieces: &[Piece<'_>]) -> Result<Vocab> {
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

/// The one piece for what is unknown.
fn unknown<'a>(pieces: &[Piece<'a>]) -> Result<&'a str> {
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

/// Ranks by score, the highest first. Equal scores share a rank, unless all their pieces are runs of one character each.
///
/// Of equal ranks the leftmost merges, which makes a run grow from its left end. A run that grows so is longer than any
/// other that could be made beside it, so to merge the longest first is the same; and that a list of merges can say.
fn ranks(pieces: &[Piece<'_>]) -> Vec<u32> {
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

/// The pieces that are split again where merging leaves them.
fn unused(pieces: &[Piece<'_>]) -> BTreeSet<u32> {
    let is_unused = |(_, piece): &(u32, &Piece<'_>)| piece.kind == PieceKind::Unused;
    (0..).zip(pieces).filter(is_unused).map(|(id, _)| id).collect()
}

/// Whether a text is one character, again and again.
fn is_run(text: &str) -> bool {
    let mut characters = text.chars();
    let first = characters.next();
    characters.all(|c| Some(c) == first)
}

fn added(pieces: &[Piece<'_>], model: &Model) -> Vec<AddedToken> {
    let token = |(id, piece): (u32, &Piece<'_>)| match piece.kind {
        PieceKind::Control => Some(AddedToken::control(id, piece.text)),
        PieceKind::UserDefined if model.as_bpe().is_some() => {
            Some(AddedToken { id, content: piece.text.to_owned(), normalized: true, ..AddedToken::default() })
        }
        _ => None,
    };
    (0..).zip(pieces).filter_map(token).collect()
}

/// The symbols that normalization leaves as they are.
fn symbols(pieces: &[Piece<'_>]) -> Vec<String> {
    let is_symbol = |piece: &&Piece<'_>| piece.kind == PieceKind::UserDefined;
    pieces.iter().filter(is_symbol).map(|piece| piece.text.to_owned()).collect()
}

fn normalizer(proto: &ModelProto<'_>) -> Result<Option<Normalizer>> {
    let spec = &proto.normalizer;
    let rules = || {
        let broken = |error: Error| messages::wrong("normalizer_spec", error.to_string());
        Precompiled::new(spec.charsmap.to_vec()).map_err(broken)
    };
    let settings = SentencePieceSettings {
        rules: (!spec.charsmap.is_empty()).then(rules).transpose()?,
        add_dummy_prefix: spec.add_dummy_prefix,
        remove_extra_whitespaces: spec.remove_extra_whitespaces,
        escape_whitespaces: spec.escape_whitespaces,
        treat_whitespace_as_suffix: proto.trainer.treat_whitespace_as_suffix,
        user_defined_symbols: symbols(&proto.pieces),
    };
    if is_plain(proto) && !spec.escape_whitespaces {
        return Ok(None);
    }
    if is_plain(proto) {
        let escape = Normalizer::Replace { pattern: Pattern::literal(" "), content: SPACE.to_owned() };
        return Ok(Some(match spec.add_dummy_prefix {
            true => Normalizer::Sequence(vec![Normalizer::Prepend(SPACE.to_owned()), escape]),
            false => escape,
        }));
    }
    Ok(Some(Normalizer::SentencePiece(SentencePiece::new(settings)?)))
}

/// Whether spaces are escaped and one is perhaps put before the text, or nothing happens at all.
fn is_plain(proto: &ModelProto<'_>) -> bool {
    let spec = &proto.normalizer;
    spec.charsmap.is_empty()
        && (spec.escape_whitespaces || !spec.add_dummy_prefix)
        && !spec.remove_extra_whitespaces
        && !(spec.add_dummy_prefix && proto.trainer.treat_whitespace_as_suffix)
        && proto.pieces.iter().all(|piece| piece.kind != PieceKind::UserDefined)
}
