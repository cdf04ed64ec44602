//! Models as `tokenizer.json` writes them.
//!
//! What `tokenizers` cannot hold rides along under `model.piecework`, which it ignores. A setting that it would
//! encode otherwise is saved under the model type `piecework.WordPiece`, which it refuses: no id changes in
//! silence.

use std::sync::Arc;

use super::bpe::{BPE, OWN_BPE, RawBpe, bpe_json};
use super::json::{Json, Node, object};
use super::training::{RawTraining, training_json};
use super::unigram::{OWN_UNIGRAM, RawUnigram, UNIGRAM, unigram_json};
use crate::error::{Result, shorten};
use crate::model::Model;
use crate::model::word_level::WordLevel;
use crate::model::wordpiece::{self, Segmentation, Settings, Unknown, WordPiece};
use crate::pipeline::Training;
use crate::vocab::Vocab;

const OWN_TYPE: &str = "piecework.WordPiece";
const WORD_PIECE: &str = "WordPiece";
const WORD_LEVEL: &str = "WordLevel";
/// The version of what stands under `model.piecework`.
pub(super) const VERSION: u64 = 1;
/// The member of `model.piecework` that goes before the decoder of the file.
pub(super) const DECODER: &str = "decoder";
/// Longer than any text: how "no limit" is written, since the reference wants a number.
const NO_LIMIT: u64 = u32::MAX as u64;

/// The member `model`, before it is known which tokens are added.
pub(super) struct RawModel {
    pub(super) vocab: Vocab,
    kind: Kind,
    training: Option<RawTraining>,
}

enum Kind {
    WordPiece(Settings),
    WordLevel(String),
    Bpe(RawBpe),
    Unigram(RawUnigram),
}

impl RawModel {
    pub(super) fn read(node: &Node<'_>) -> Result<Self> {
        let kind = kind(node)?;
        if matches!(kind, UNIGRAM | OWN_UNIGRAM) {
            let (unigram, vocab, training) = RawUnigram::read(node)?;
            return Ok(Self { vocab, kind: Kind::Unigram(unigram), training });
        }
        let vocab = read_vocab(&node.member("vocab")?)?;
        if kind == WORD_LEVEL {
            node.only(&["type", "vocab", "unk_token"])?;
            let unk_token = node.member("unk_token")?.str()?.to_owned();
            return Ok(Self { vocab, kind: Kind::WordLevel(unk_token), training: None });
        }
        if matches!(kind, BPE | OWN_BPE) {
            let (bpe, training) = RawBpe::read(node, &vocab)?;
            return Ok(Self { vocab, kind: Kind::Bpe(bpe), training });
        }
        let members =
            ["type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab", "piecework"];
        node.only(&members)?;
        let own = node.find("piecework")?.map(|node| Own::read(&node)).transpose()?.unwrap_or_default();
        let limit = node.member("max_input_chars_per_word")?.unsigned()?;
        let settings = Settings {
            continuing_subword_prefix: node.member("continuing_subword_prefix")?.str()?.to_owned(),
            unk_token: (!own.no_unk).then_some(node.member("unk_token")?.str()?.to_owned()),
            unknown: own.unknown,
            max_input_chars_per_word: usize::try_from(limit).ok().filter(|_| limit < NO_LIMIT),
            segmentation: own.segmentation,
            dropout: own.dropout,
            probabilities: own.probabilities.map(|node| probabilities(&node, &vocab)).transpose()?,
        };
        Ok(Self { vocab, kind: Kind::WordPiece(settings), training: own.training })
    }

    /// Refuses an unknown token that is not there.
    pub(super) fn check_unknown(&self, node: &Node<'_>) -> Result<()> {
        // The others may do without, as long as they know every word.
        let Kind::WordPiece(settings) = &self.kind else { return Ok(()) };
        match &settings.unk_token {
            Some(unk) if self.vocab.id(unk).is_none() => Err(node.member("unk_token")?.error(format!(
                "the unknown token {:?} is not in the vocabulary; pass unk_token=... to name it, or unk_token=None if \
                 there is none",
                shorten(unk)
            ))),
            _ => Ok(()),
        }
    }

    pub(super) fn build(self, node: &Node<'_>) -> Result<(Model, Option<Training>)> {
        let training = self.training.map(|training| training.checked(node, &self.vocab)).transpose()?;
        let model = match self.kind {
            Kind::WordPiece(settings) => Model::WordPiece(WordPiece::new(self.vocab, settings)),
            Kind::WordLevel(unk) => Model::WordLevel(WordLevel::new(self.vocab, unk)),
            Kind::Bpe(bpe) => Model::Bpe(bpe.build(self.vocab).map_err(|error| node.error(error.to_string()))?),
            Kind::Unigram(raw) => Model::Unigram(raw.build(self.vocab).map_err(|error| node.error(error.to_string()))?),
        };
        Ok((model, training))
    }
}

/// All types of models.
const TYPES: [&str; 7] = [WORD_PIECE, BPE, UNIGRAM, WORD_LEVEL, OWN_TYPE, OWN_BPE, OWN_UNIGRAM];

/// Files of old do not name the type: only `WordPiece` has a limit on words, only BPE has merges, only Unigram knows the
/// unknown token by its id.
pub(super) fn kind<'a>(node: &Node<'a>) -> Result<&'a str> {
    match node.find("type")? {
        Some(kind) => match kind.str()? {
            name if TYPES.contains(&name) => Ok(name),
            other => Err(node.unknown_kind(other, &TYPES)),
        },
        None if node.find("max_input_chars_per_word")?.is_some() => Ok(WORD_PIECE),
        None if node.find("merges")?.is_some() => Ok(BPE),
        None if node.find("unk_id")?.is_some() => Ok(UNIGRAM),
        None => Ok(WORD_LEVEL),
    }
}

/// An object of tokens and their ids.
pub(super) fn read_vocab(node: &Node<'_>) -> Result<Vocab> {
    let members = node.members()?;
    let mut vocab = Vocab::expecting(members.len());
    for (token, id) in members {
        let id = match id {
            Json::Unsigned(id) => u32::try_from(*id).ok(),
            _ => None,
        };
        let Some(id) = id else {
            return Err(node.error(format!("the id of {:?} is not an integer under 2^32", shorten(token))));
        };
        vocab.insert(token, id).map_err(|error| node.error(error.to_string()))?;
    }
    Ok(vocab)
}

/// The member `model.piecework`.
#[derive(Default)]
struct Own<'a> {
    unknown: Unknown,
    no_unk: bool,
    segmentation: Segmentation,
    dropout: Option<f32>,
    probabilities: Option<Node<'a>>,
    training: Option<RawTraining>,
}

impl<'a> Own<'a> {
    fn read(node: &Node<'a>) -> Result<Self> {
        node.only(&["version", "unknown", "has_unk", "segmentation", "dropout", "probabilities", "training"])?;
        let version = node.member("version")?;
        if version.unsigned()? != VERSION {
            return Err(version.unsupported(format!("this version of piecework reads version {VERSION} of its part")));
        }
        let unknown = node.member("unknown")?;
        let Some(policy) = Unknown::from_name(unknown.str()?) else {
            return Err(unknown.error("expected \"word\", \"run\" or \"char\""));
        };
        Ok(Self {
            unknown: policy,
            no_unk: !node.member("has_unk")?.bool()?,
            segmentation: node.find("segmentation")?.map_or(Ok(Segmentation::Longest), |node| segmentation(&node))?,
            dropout: node.find("dropout")?.map(|node| dropout(&node)).transpose()?,
            probabilities: node.find("probabilities")?,
            training: node.find("training")?.map(|node| RawTraining::read(&node)).transpose()?,
        })
    }
}

fn segmentation(node: &Node<'_>) -> Result<Segmentation> {
    let named = Segmentation::from_name(node.str()?);
    named.ok_or_else(|| node.error("expected \"longest\" or \"likeliest\""))
}

#[expect(clippy::cast_possible_truncation, reason = "as for BPE")]
fn dropout(node: &Node<'_>) -> Result<f32> {
    let dropout = node.float()?;
    if !(0.0..=1.0).contains(&dropout) {
        return Err(node.error(format!("{dropout} is no probability; expected 0 to 1")));
    }
    Ok(dropout as f32)
}

/// An object of tokens and how likely they are; the others have none.
fn probabilities(node: &Node<'_>, vocab: &Vocab) -> Result<Arc<[f64]>> {
    let given = node.members()?.iter().map(|(token, json)| (token.as_str(), json.number().unwrap_or(f64::NAN)));
    wordpiece::probabilities(vocab, given).map_err(|error| node.error(error.to_string()))
}

fn probabilities_json(probabilities: &[f64], vocab: &Vocab) -> Json {
    let given = vocab.iter().map(|(token, id)| (token, probabilities.get(id as usize).copied().unwrap_or(0.0)));
    Json::Object(given.filter(|&(_, p)| p > 0.0).map(|(token, p)| (token.to_owned(), Json::Float(p))).collect())
}

/// The model without what training left behind, as a `tokenizer.json` has it.
pub fn write_model(model: &Model) -> Result<String> {
    Ok(model_json(model, None)?.text())
}

pub(super) fn model_json(model: &Model, training: Option<&Training>) -> Result<Json> {
    match model {
        Model::WordPiece(model) => word_piece_json(model, training),
        Model::Bpe(model) => bpe_json(model, training),
        Model::Unigram(model) => unigram_json(model, training),
        Model::WordLevel(model) => Ok(object([
            ("type", WORD_LEVEL.into()),
            ("vocab", vocab_json(model.vocab())),
            ("unk_token", model.unk_token().into()),
        ])),
    }
}

pub(super) fn vocab_json(vocab: &Vocab) -> Json {
    Json::Object(vocab.iter().map(|(token, id)| (token.to_owned(), id.into())).collect())
}

fn word_piece_json(model: &WordPiece, training: Option<&Training>) -> Result<Json> {
    let settings = model.settings();
    // The format has to name an unknown token, and takes the name for one if it is in the vocabulary.
    let unk = settings.unk_token.as_deref().unwrap_or("[UNK]");
    let has_unk = model.unk_id().is_some();
    let is_plain = settings.segmentation == Segmentation::Longest && settings.dropout.is_none();
    let honoured = is_plain && settings.unknown == Unknown::Word && (has_unk || model.vocab().id(unk).is_none());
    let limit = settings.max_input_chars_per_word.map_or(NO_LIMIT, |limit| (limit as u64).min(NO_LIMIT));
    let Json::Object(mut members) = object([
        ("type", if honoured { WORD_PIECE } else { OWN_TYPE }.into()),
        ("unk_token", unk.into()),
        ("continuing_subword_prefix", settings.continuing_subword_prefix.as_str().into()),
        ("max_input_chars_per_word", limit.into()),
        ("vocab", vocab_json(model.vocab())),
    ]) else {
        unreachable!("an object")
    };
    if !honoured || !has_unk || settings.probabilities.is_some() || training.is_some() {
        let mut own =
            vec![("version", VERSION.into()), ("unknown", settings.unknown.name().into()), ("has_unk", has_unk.into())];
        // Older versions refuse what they do not know, so it stands there only where it matters.
        if !is_plain {
            own.push(("segmentation", settings.segmentation.name().into()));
            own.push(("dropout", settings.dropout.map(|dropout| Json::Float(dropout.into())).into()));
        }
        if let Some(probabilities) = &settings.probabilities {
            own.push(("probabilities", probabilities_json(probabilities, model.vocab())));
        }
        own.push(("training", training.map(training_json).transpose()?.into()));
        let own = Json::Object(own.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
        members.push(("piecework".to_owned(), own));
    }
    Ok(Json::Object(members))
}
