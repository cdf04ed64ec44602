//! `WordPiece` models in `tokenizer.json`.
//!
//! A model that `tokenizers` would encode differently is saved with the type `piecework.WordPiece`, which it refuses,
//! so that no id changes silently.

use std::sync::Arc;

use super::own::{CONTENTS, FINGERPRINT, VERSION, own_part};
use super::vocab::{read_vocab, vocab_json};
use crate::error::{Message, Result, shorten};
use crate::format::json::{Json, JsonNode, object};
use crate::format::members::{Member, names};
use crate::format::tokenizer_json::training::{read_training, training_json};
use crate::model::wordpiece::{self, Segmentation, Unknown, WordPiece, WordPieceSettings};
use crate::pipeline::Training;
use crate::vocab::Vocab;

pub(super) const OWN_WORD_PIECE: &str = "piecework.WordPiece";
pub(super) const WORD_PIECE: &str = "WordPiece";
/// The number that stands for no limit, since the reference library requires a number; no text is as long.
const NO_LIMIT: u64 = u32::MAX as u64;

/// Reads a model; `allow_no_unk` permits an unknown token that is not in the vocabulary.
pub(super) fn read(node: &JsonNode<'_>, allow_no_unk: bool) -> Result<(WordPiece, Option<Training>)> {
    let members = ["type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab", "piecework"];
    node.only(&members)?;
    let vocab = read_vocab(&node.member("vocab")?)?;
    let members = ["unknown", "has_unk", "segmentation", "dropout", "probabilities", "training", CONTENTS, FINGERPRINT];
    let own = own_part(node, &members)?;
    let limit = node.member("max_input_chars_per_word")?.unsigned()?;
    let unk = node.member("unk_token")?;
    let settings = WordPieceSettings {
        continuing_subword_prefix: node.get("continuing_subword_prefix")?,
        unk_token: own.get_or("has_unk", true)?.then_some(unk.str()?.to_owned()),
        unknown: own.get_or("unknown", Unknown::Word)?,
        max_input_chars_per_word: usize::try_from(limit).ok().filter(|_| limit < NO_LIMIT),
        segmentation: own.get_or("segmentation", Segmentation::Longest)?,
        dropout: own.find("dropout")?.map(|node| dropout(&node)).transpose()?,
        probabilities: own.find("probabilities")?.map(|node| probabilities(&node, &vocab)).transpose()?,
    };
    let training = read_training(&own, &vocab)?;
    let is_missing = settings.unk_token.as_ref().is_some_and(|unk| vocab.id(unk).is_none());
    if is_missing && !allow_no_unk {
        return Err(unk.error(
            Message::new(format!("the unknown token {:?} is not in the vocabulary", shorten(unk.str()?)))
                .hint("pass `unk_token=...` to name it, or `unk_token=None` if there is none"),
        ));
    }
    Ok((WordPiece::new(vocab, settings), training))
}

names!(Unknown: &Unknown::NAMES);
names!(Segmentation: &Segmentation::NAMES);

#[expect(clippy::cast_possible_truncation, reason = "as for BPE")]
fn dropout(node: &JsonNode<'_>) -> Result<f32> {
    let dropout = node.float()?;
    if !(0.0..=1.0).contains(&dropout) {
        return Err(node.error(format!("{dropout} is no probability; expected 0 to 1")));
    }
    Ok(dropout as f32)
}

/// Reads an object of tokens and their probabilities; other tokens have none.
fn probabilities(node: &JsonNode<'_>, vocab: &Vocab) -> Result<Arc<[f64]>> {
    let given = node.members()?.iter().map(|(token, json)| (token.as_str(), json.number().unwrap_or(f64::NAN)));
    wordpiece::probabilities(vocab, given).map_err(|error| node.error(error))
}

fn probabilities_json(probabilities: &[f64], vocab: &Vocab) -> Json {
    let given = vocab.iter().map(|(token, id)| (token, probabilities.get(id as usize).copied().unwrap_or(0.0)));
    Json::Object(given.filter(|&(_, p)| p > 0.0).map(|(token, p)| (token.to_owned(), Json::Float(p))).collect())
}

pub(super) fn word_piece_json(model: &WordPiece, training: Option<&Training>) -> Json {
    let settings = model.settings();
    // The format requires an unknown token, and readers use it if it is in the vocabulary.
    let unk = settings.unk_token.as_deref().unwrap_or("[UNK]");
    let has_unk = model.unk_id().is_some();
    let is_plain = settings.segmentation == Segmentation::Longest && settings.dropout.is_none();
    let honoured = is_plain && settings.unknown == Unknown::Word && (has_unk || model.vocab().id(unk).is_none());
    let limit = settings.max_input_chars_per_word.map_or(NO_LIMIT, |limit| (limit as u64).min(NO_LIMIT));
    let own = || {
        // Older versions refuse unknown members, so these are written only if needed.
        let dropout = || settings.dropout.map(|dropout| Json::Float(dropout.into())).into();
        object([("version", VERSION.into()), ("unknown", settings.unknown.json()), ("has_unk", has_unk.into())])
            .with("segmentation", (!is_plain).then(|| settings.segmentation.json()))
            .with("dropout", (!is_plain).then(dropout))
            .with(
                "probabilities",
                settings.probabilities.as_ref().map(|given| probabilities_json(given, model.vocab())),
            )
            .with("training", Some(training.map(training_json).into()))
    };
    let has_own = !honoured || !has_unk || settings.probabilities.is_some() || training.is_some();
    object([
        ("type", if honoured { WORD_PIECE } else { OWN_WORD_PIECE }.into()),
        ("unk_token", unk.into()),
        ("continuing_subword_prefix", settings.continuing_subword_prefix.json()),
        ("max_input_chars_per_word", limit.into()),
        ("vocab", vocab_json(model.vocab())),
    ])
    .with("piecework", has_own.then(own))
}
