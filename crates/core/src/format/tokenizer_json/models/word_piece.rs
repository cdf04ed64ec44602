//! `WordPiece` models in `tokenizer.json`.
//!
//! A model that `tokenizers` would encode differently is saved with the type `piecework.WordPiece`, which it refuses,
//! so that no id changes silently.

use std::sync::Arc;

use super::own::{CONTENTS, FINGERPRINT, VERSION, check_version};
use super::vocab::vocab_json;
use crate::error::{Message, Result, shorten};
use crate::format::json::{Json, Node, object};
use crate::format::members::{Member, names};
use crate::format::tokenizer_json::training::{RawTraining, training_json};
use crate::model::wordpiece::{self, Segmentation, Settings, Unknown, WordPiece};
use crate::pipeline::Training;
use crate::vocab::Vocab;

pub(super) const OWN_WORD_PIECE: &str = "piecework.WordPiece";
pub(super) const WORD_PIECE: &str = "WordPiece";
/// The number that stands for no limit, since the reference library requires a number; no text is as long.
const NO_LIMIT: u64 = u32::MAX as u64;

/// Reads the settings of a model, and the record of its training.
pub(super) fn read(node: &Node<'_>, vocab: &Vocab) -> Result<(Settings, Option<RawTraining>)> {
    let members = ["type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab", "piecework"];
    node.only(&members)?;
    let own = node.find("piecework")?.map(|node| OwnPart::read(&node)).transpose()?.unwrap_or_default();
    let limit = node.member("max_input_chars_per_word")?.unsigned()?;
    let settings = Settings {
        continuing_subword_prefix: node.get("continuing_subword_prefix")?,
        unk_token: (!own.no_unk).then_some(node.get("unk_token")?),
        unknown: own.unknown,
        max_input_chars_per_word: usize::try_from(limit).ok().filter(|_| limit < NO_LIMIT),
        segmentation: own.segmentation,
        dropout: own.dropout,
        probabilities: own.probabilities.map(|node| probabilities(&node, vocab)).transpose()?,
    };
    Ok((settings, own.training))
}

/// Refuses an unknown token that is not in the vocabulary.
pub(super) fn check_unknown(settings: &Settings, vocab: &Vocab, node: &Node<'_>) -> Result<()> {
    match &settings.unk_token {
        Some(unk) if vocab.id(unk).is_none() => Err(node.member("unk_token")?.error(
            Message::new(format!("the unknown token {:?} is not in the vocabulary", shorten(unk)))
                .hint("pass `unk_token=...` to name it, or `unk_token=None` if there is none"),
        )),
        _ => Ok(()),
    }
}

/// The member `model.piecework` of a `WordPiece` model.
#[derive(Default)]
struct OwnPart<'a> {
    unknown: Unknown,
    no_unk: bool,
    segmentation: Segmentation,
    dropout: Option<f32>,
    probabilities: Option<Node<'a>>,
    training: Option<RawTraining>,
}

impl<'a> OwnPart<'a> {
    fn read(node: &Node<'a>) -> Result<Self> {
        node.only(&[
            "version",
            "unknown",
            "has_unk",
            "segmentation",
            "dropout",
            "probabilities",
            "training",
            CONTENTS,
            FINGERPRINT,
        ])?;
        check_version(node)?;
        Ok(Self {
            unknown: node.get_or("unknown", Unknown::Word)?,
            no_unk: !node.get_or("has_unk", true)?,
            segmentation: node.get_or("segmentation", Segmentation::Longest)?,
            dropout: node.find("dropout")?.map(|node| dropout(&node)).transpose()?,
            probabilities: node.find("probabilities")?,
            training: node.find("training")?.map(|node| RawTraining::read(&node)).transpose()?,
        })
    }
}

names!(Unknown: &Unknown::NAMES);
names!(Segmentation: &Segmentation::NAMES);

#[expect(clippy::cast_possible_truncation, reason = "as for BPE")]
fn dropout(node: &Node<'_>) -> Result<f32> {
    let dropout = node.float()?;
    if !(0.0..=1.0).contains(&dropout) {
        return Err(node.error(format!("{dropout} is no probability; expected 0 to 1")));
    }
    Ok(dropout as f32)
}

/// Reads an object of tokens and their probabilities; other tokens have none.
fn probabilities(node: &Node<'_>, vocab: &Vocab) -> Result<Arc<[f64]>> {
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
