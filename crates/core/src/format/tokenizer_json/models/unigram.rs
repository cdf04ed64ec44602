//! Unigram models in `tokenizer.json`.
//!
//! `tokenizers` adds scores in 64 bits, and has neither user-defined nor reserved pieces. A model that needs these is
//! saved with the type `piecework.Unigram`, which it refuses, so that no id changes silently.

use std::collections::HashSet;

use super::own::{CONTENTS, DECODER, FINGERPRINT, VERSION, own_part};
use crate::error::{Error, Result, shorten};
use crate::format::json::{Json, JsonNode, object};
use crate::format::members::{Member, names};
use crate::format::tokenizer_json::training::{read_training, training_json};
use crate::model::unigram::{Precision, Unigram, UnigramSettings};
use crate::pipeline::Training;
use crate::vocab::Vocab;

pub(in crate::format) const UNIGRAM: &str = "Unigram";
pub(super) const OWN_UNIGRAM: &str = "piecework.Unigram";

const MEMBERS: [&str; 5] = ["type", "unk_id", "vocab", "byte_fallback", "piecework"];

names! {
    Precision: &[("float64", Self::Float64), ("float32", Self::Float32)]
}

pub(super) fn read(node: &JsonNode<'_>) -> Result<(Unigram, Option<Training>)> {
    node.only(&MEMBERS)?;
    let (vocab, scores) = pieces(&node.member("vocab")?)?;
    let own = own_part(node, &["precision", "user_defined", "reserved", "training", CONTENTS, DECODER, FINGERPRINT])?;
    let ids = |name| own.find(name)?.map_or_else(|| Ok(HashSet::new()), |node| ids(&node, &vocab));
    let settings = UnigramSettings {
        unk_token: unk_token(node, &vocab)?,
        precision: own.get_or("precision", Precision::Float64)?,
        byte_fallback: node.get_or("byte_fallback", false)?,
        user_defined: ids("user_defined")?,
        reserved: ids("reserved")?,
    };
    let training = read_training(&own, &vocab)?;
    Ok((Unigram::new(vocab, scores, settings).map_err(|error| node.error(error))?, training))
}

/// Reads an array of pieces with their scores; ids are indices.
fn pieces(node: &JsonNode<'_>) -> Result<(Vocab, Vec<f64>)> {
    let items = node.items()?;
    let (mut vocab, mut scores) = (Vocab::expecting(items.len()), Vec::with_capacity(items.len()));
    for (at, json) in items.iter().enumerate() {
        let item = || node.item(at, json);
        let Json::Array(parts) = json else { return Err(item().expected("an array")) };
        let [piece, score] = &parts[..] else {
            return Err(item().error("expected a piece and its score: [\"▁the\", -3.5]"));
        };
        let Json::String(text) = piece else { return Err(item().item(0, piece).expected("a string")) };
        vocab.insert_next(text).map_err(|error| item().error(error))?;
        scores.push(score.number().ok_or_else(|| item().item(1, score).expected("a number"))?);
    }
    Ok((vocab, scores))
}

fn unk_token(node: &JsonNode<'_>, vocab: &Vocab) -> Result<Option<String>> {
    let Some(unk) = node.find("unk_id")? else { return Ok(None) };
    let id = unk.unsigned()?;
    let token = u32::try_from(id).ok().and_then(|id| vocab.token(id));
    let missing = || unk.error(format!("the unknown token has the id {id}, and there are {} pieces", vocab.len()));
    token.map(|token| Some(token.to_owned())).ok_or_else(missing)
}

/// Returns the ids of a list of pieces.
fn ids(node: &JsonNode<'_>, vocab: &Vocab) -> Result<HashSet<u32>> {
    let id = |node: JsonNode<'_>| {
        let piece = node.str()?;
        let missing = || node.error(format!("{:?} is not in the vocabulary", shorten(piece)));
        vocab.id(piece).ok_or_else(missing)
    };
    node.array()?.map(id).collect()
}

pub(super) fn unigram_json(model: &Unigram, training: Option<&Training>) -> Result<Json> {
    let UnigramSettings { precision, byte_fallback, user_defined, reserved, .. } = model.settings();
    let is_theirs = *precision == Precision::Float64 && user_defined.is_empty() && reserved.is_empty();
    if let Some(gap) = model.vocab().first_gap() {
        let message = format!("no piece has the id {gap}; in a tokenizer.json the ids of pieces are their places");
        return Err(Error::Config(message.into()));
    }
    let piece = |(text, score): (&str, &f64)| Json::Array(vec![text.into(), Json::Float(*score)]);
    let texts = (0..model.vocab().id_limit()).filter_map(|id| model.vocab().token(id));
    let own = || {
        object([
            ("version", VERSION.into()),
            ("precision", precision.json()),
            ("user_defined", names(user_defined, model.vocab())),
            ("reserved", names(reserved, model.vocab())),
            ("training", training.map(training_json).into()),
        ])
    };
    let model_json = object([
        ("type", if is_theirs { UNIGRAM } else { OWN_UNIGRAM }.into()),
        ("unk_id", model.unk_id().into()),
        ("vocab", texts.zip(model.scores()).map(piece).collect()),
        ("byte_fallback", byte_fallback.json()),
    ]);
    Ok(model_json.with("piecework", (!is_theirs || training.is_some()).then(own)))
}

/// Writes the pieces with these ids.
fn names(ids: &HashSet<u32>, vocab: &Vocab) -> Json {
    let mut ids: Vec<u32> = ids.iter().copied().collect();
    ids.sort_unstable();
    ids.into_iter().filter_map(|id| vocab.token(id)).collect()
}
