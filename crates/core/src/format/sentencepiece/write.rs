//! Writing a tokenizer as a `.model` file.

use std::collections::{HashMap, HashSet};

use super::messages::{
    BPE, ModelProto, NORMALIZER_SPEC, NormalizerSpec, PIECES, PieceKind, PieceProto, TRAINER_SPEC, TrainerSpec,
    UNIGRAM, wrong,
};
use super::wire::{Field, WireValue, fields, put};
use super::{TARGET, ranks, symbols, unigram};
use crate::added::AddedToken;
use crate::decode::Decoder;
use crate::error::{Message, Result, shorten};
use crate::format::merged::{entries, is_implied, merge_ranks};
use crate::model::bpe::{Bpe, Merges, NO_RANK};
use crate::normalize::SentencePieceSettings;
use crate::pipeline::Tokenizer;

/// Writes the tokenizer as a `.model` file.
///
/// With `base`, another `.model`, all fields but the pieces are copied from it, including unknown ones; it must
/// normalize as the tokenizer does. If its pieces are equal already, its bytes are kept unchanged.
pub fn write_sentencepiece(tokenizer: &Tokenizer, base: Option<&[u8]>) -> Result<Vec<u8>> {
    let model = tokenizer.model();
    let (model_type, byte_fallback, pieces) = if let Some(model) = model.as_bpe() {
        (BPE, model.settings().byte_fallback, pieces(tokenizer, model)?)
    } else if let Some(model) = model.as_unigram() {
        (UNIGRAM, model.settings().byte_fallback, unigram::pieces(tokenizer, model)?)
    } else {
        return Err(TARGET.cannot_hold("a model other than Unigram and BPE"));
    };
    refuse_nul(&pieces)?;
    let settings = normalizer(tokenizer, &pieces)?;
    let normalizer = NormalizerSpec {
        charsmap: settings.precompiled_charsmap.as_ref().map_or(&[], |rules| rules.charsmap()),
        add_dummy_prefix: settings.add_dummy_prefix,
        remove_extra_whitespaces: settings.remove_extra_whitespaces,
        escape_whitespaces: settings.escape_whitespaces,
    };
    let treat_whitespace_as_suffix = settings.treat_whitespace_as_suffix && settings.add_dummy_prefix;
    let unk_surface = unk_surface(tokenizer);
    let trainer = TrainerSpec { model_type, treat_whitespace_as_suffix, byte_fallback, unk_surface };
    match base {
        Some(base) => write_with_base(base, &pieces, &trainer, &normalizer),
        None => Ok(write(&pieces, &trainer, &normalizer)),
    }
}

/// Refuses NUL, which the library allows only in an unused piece.
fn refuse_nul(pieces: &[PieceProto<'_>]) -> Result<()> {
    let is_taken = |piece: &&PieceProto<'_>| piece.text == "\0" && piece.kind == PieceKind::Unused;
    match pieces.iter().find(|piece| piece.text.contains('\0') && !is_taken(piece)) {
        Some(piece) => Err(TARGET.cannot_hold(&format!("NUL, as the token {:?} has it", shorten(piece.text)))),
        None => Ok(()),
    }
}

/// Returns the pieces with scores that decrease with their ranks, from 0.
fn pieces<'a>(tokenizer: &'a Tokenizer, model: &'a Bpe) -> Result<Vec<PieceProto<'a>>> {
    TARGET.refuse_affixes(model)?;
    let entries = entries(tokenizer, model);
    let order = merge_ranks(model);
    if !is_implied(model, &order)? {
        return Err(TARGET.cannot_hold("merges that are not those which the order of its tokens implies"));
    }
    refuse_other_splits(model)?;
    if model.settings().ignore_merges {
        TARGET.refuse_unreachable(model, &entries)?;
    }
    let last = order.iter().copied().filter(|&rank| rank != NO_RANK).max().map_or(0, |rank| rank + 1);
    let added: HashMap<u32, &AddedToken> = tokenizer.added().tokens().iter().map(|token| (token.id, token)).collect();
    let symbols = tokenizer.splitter().user_defined_symbols();
    let limit = model.vocab().id_limit().max(added.keys().max().map_or(0, |id| id + 1));
    let piece = |id| {
        let token = added.get(&id).map(|token| token.content.as_str()).or_else(|| model.vocab().token(id));
        let text = token.ok_or_else(|| TARGET.cannot_hold(&format!("ids with gaps (no token has the id {id})")))?;
        let kind = kind(model, id, text, added.get(&id).copied(), &symbols);
        let rank = order.get(id as usize).copied().unwrap_or(NO_RANK);
        if kind.merges() && rank == NO_RANK && text.chars().count() > 1 {
            return Err(TARGET.cannot_hold(&format!("the token {:?} (id {id}), which no merge makes", shorten(text))));
        }
        let below = if rank == NO_RANK { last } else { rank };
        Ok(PieceProto { text, score: if kind.merges() { -score(below) } else { 0.0 }, kind })
    };
    (0..limit).map(piece).collect()
}

/// Refuses unused tokens that several merges make.
///
/// The library splits such a token by the merge that was applied, this model by the first one.
fn refuse_other_splits(model: &Bpe) -> Result<()> {
    let Merges::Listed(merges) = model.merges() else { return Ok(()) };
    let mut seen = HashSet::new();
    let is_split = |id: &u32| model.splits().contains_key(id);
    if merges.iter().filter_map(|&pair| model.merged_id(pair)).filter(is_split).all(|id| seen.insert(id)) {
        return Ok(());
    }
    Err(TARGET.cannot_hold("an unused token that several merges make"))
}

#[expect(clippy::cast_precision_loss, reason = "a vocabulary of more than 2^24 tokens would need finer scores")]
fn score(rank: u32) -> f32 {
    rank as f32
}

fn kind(model: &Bpe, id: u32, text: &str, added: Option<&AddedToken>, symbols: &HashSet<&str>) -> PieceKind {
    let is_byte = || text.len() == 6 && text.starts_with("<0x") && text.ends_with('>');
    match added {
        _ if model.unk_id() == Some(id) => PieceKind::Unknown,
        Some(token) if token.special && !symbols.contains(text) => PieceKind::Control,
        Some(_) => PieceKind::UserDefined,
        None if model.settings().byte_fallback && is_byte() => PieceKind::Byte,
        None if model.settings().unused.contains(&id) => PieceKind::Unused,
        None => PieceKind::Normal,
    }
}

/// Returns the normalizer settings of a model; its user-defined symbols are pieces.
fn normalizer(tokenizer: &Tokenizer, pieces: &[PieceProto<'_>]) -> Result<SentencePieceSettings> {
    let splitter = tokenizer.splitter();
    if splitter.pre_tokenizer().is_some() {
        return Err(TARGET.cannot_hold("a pre-tokenizer"));
    }
    let Some(settings) = SentencePieceSettings::of(splitter.normalizer()) else {
        return Err(TARGET.cannot_hold("a normalizer of another kind"));
    };
    let sorted = |mut symbols: Vec<String>| {
        symbols.sort_unstable();
        symbols
    };
    let is_own = splitter.sentencepiece().is_some();
    if is_own && sorted(settings.user_defined_symbols.clone()) != sorted(symbols(pieces)) {
        return Err(TARGET.cannot_hold("added tokens other than the user-defined symbols of its normalizer"));
    }
    Ok(settings)
}

fn unk_surface(tokenizer: &Tokenizer) -> String {
    let own = tokenizer.decoder().and_then(Decoder::sentencepiece);
    own.map_or_else(|| TrainerSpec::default().unk_surface, |own| own.unk_surface.clone())
}

fn write(pieces: &[PieceProto<'_>], trainer: &TrainerSpec, normalizer: &NormalizerSpec<'_>) -> Vec<u8> {
    let mut model = Vec::new();
    let mut put = |number, message: Vec<u8>| put(&mut model, Field { number, value: WireValue::Bytes(&message) });
    pieces.iter().for_each(|piece| put(PIECES, piece_message(piece)));
    put(TRAINER_SPEC, trainer_message(pieces, trainer));
    put(NORMALIZER_SPEC, normalizer_message(normalizer));
    model
}

/// Writes the fields of `base` with other pieces, at the position of its first piece.
fn write_with_base(
    base: &[u8],
    pieces: &[PieceProto<'_>],
    trainer: &TrainerSpec,
    normalizer: &NormalizerSpec<'_>,
) -> Result<Vec<u8>> {
    let proto = ModelProto::read(base)?;
    let is_suffix = proto.trainer.treat_whitespace_as_suffix && proto.normalizer.add_dummy_prefix;
    let base_trainer = TrainerSpec { treat_whitespace_as_suffix: is_suffix, ..proto.trainer };
    if proto.normalizer != *normalizer || base_trainer != *trainer {
        let message =
            Message::new("the base model differs from the tokenizer in normalization, decoding, type or byte fallback")
                .hint("pass another one, or none");
        return Err(wrong("normalizer_spec", message));
    }
    if are_equivalent(&proto.pieces, pieces, trainer.model_type) {
        return Ok(base.to_owned());
    }
    let mut model = Vec::new();
    let mut pieces = Some(pieces);
    for field in fields("ModelProto", base) {
        let field = field?;
        if field.number != PIECES {
            put(&mut model, field);
            continue;
        }
        for piece in pieces.take().into_iter().flatten() {
            put(&mut model, Field { number: PIECES, value: WireValue::Bytes(&piece_message(piece)) });
        }
    }
    Ok(model)
}

/// Returns whether two lists have equal pieces, with equal scores or, in BPE, with ranks in the same order.
fn are_equivalent(some: &[PieceProto<'_>], others: &[PieceProto<'_>], model_type: u64) -> bool {
    if model_type == UNIGRAM {
        return some == others;
    }
    let names =
        |pieces: &[PieceProto<'_>]| pieces.iter().map(|piece| (piece.text.to_owned(), piece.kind)).collect::<Vec<_>>();
    names(some) == names(others) && renumbered(&ranks(some)) == renumbered(&ranks(others))
}

/// Returns the ranks renumbered without gaps.
fn renumbered(ranks: &[u32]) -> Vec<u32> {
    let mut sorted: Vec<u32> = ranks.iter().copied().filter(|&rank| rank != NO_RANK).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let place =
        |rank: &u32| sorted.binary_search(rank).map_or(NO_RANK, |place| u32::try_from(place).unwrap_or(NO_RANK));
    ranks.iter().map(place).collect()
}

fn piece_message(piece: &PieceProto<'_>) -> Vec<u8> {
    let mut message = Vec::new();
    put(&mut message, Field { number: 1, value: WireValue::Bytes(piece.text.as_bytes()) });
    put(&mut message, Field { number: 2, value: WireValue::Fixed32(piece.score.to_le_bytes()) });
    if piece.kind != PieceKind::Normal {
        put(&mut message, Field { number: 3, value: WireValue::Varint(piece.kind.number()) });
    }
    message
}

/// Returns the trainer settings, with ids and names of special pieces in the library's fields; −1 means none.
fn trainer_message(pieces: &[PieceProto<'_>], trainer: &TrainerSpec) -> Vec<u8> {
    let mut message = Vec::new();
    let mut put = |number, value| put(&mut message, Field { number, value });
    let id = |found: Option<usize>| found.map_or(u64::MAX, |id| id as u64);
    let unknown = pieces.iter().position(|piece| piece.kind == PieceKind::Unknown);
    let control = |name: &str| pieces.iter().position(|piece| piece.kind == PieceKind::Control && piece.text == name);
    put(3, WireValue::Varint(trainer.model_type));
    put(4, WireValue::Varint(pieces.len() as u64));
    put(24, WireValue::Varint(trainer.treat_whitespace_as_suffix.into()));
    put(35, WireValue::Varint(trainer.byte_fallback.into()));
    put(40, WireValue::Varint(id(unknown)));
    put(41, WireValue::Varint(id(control("<s>"))));
    put(42, WireValue::Varint(id(control("</s>"))));
    put(43, WireValue::Varint(id(control("<pad>"))));
    put(44, WireValue::Bytes(trainer.unk_surface.as_bytes()));
    if let Some(unknown) = unknown {
        put(45, WireValue::Bytes(pieces[unknown].text.as_bytes()));
    }
    message
}

fn normalizer_message(normalizer: &NormalizerSpec<'_>) -> Vec<u8> {
    let mut message = Vec::new();
    let mut put = |number, value| put(&mut message, Field { number, value });
    let name: &[u8] = if normalizer.charsmap.is_empty() { b"identity" } else { b"user_defined" };
    put(1, WireValue::Bytes(name));
    put(2, WireValue::Bytes(normalizer.charsmap));
    put(3, WireValue::Varint(normalizer.add_dummy_prefix.into()));
    put(4, WireValue::Varint(normalizer.remove_extra_whitespaces.into()));
    put(5, WireValue::Varint(normalizer.escape_whitespaces.into()));
    message
}
