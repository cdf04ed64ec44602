//! `tokenizer.json`, the format of Hugging Face's `tokenizers` 0.23, for the `WordPiece` pipeline.
//!
//! What that library cannot hold rides along under `model.piecework`, which it ignores. A setting that it would
//! encode otherwise is saved under the model type `piecework.WordPiece`, which it refuses: no id changes in
//! silence.

use std::collections::HashSet;
use std::sync::Arc;

use super::components::{splitter, splitter_json, template, template_json};
use super::decoders::{decoder, decoder_json};
use super::json::{Json, Node, object};
use super::trainer::{trainer, write_trainer};
use crate::error::{Error, Result, shorten};
use crate::model::wordpiece::train::Merge;
use crate::model::wordpiece::{Settings, Unknown, WordPiece};
use crate::pipeline::{Parts, Tokenizer, Training};
use crate::postprocess::{Piece, Template};
use crate::special::SpecialToken;
use crate::vocab::Vocab;

const OWN_TYPE: &str = "piecework.WordPiece";
const SHARED_TYPE: &str = "WordPiece";
/// The version of what stands under `model.piecework`.
const VERSION: u64 = 1;
/// The members down to which a saved file breaks lines: a token a line, a merge a line.
const DEPTH: usize = 4;
/// Longer than any text: how "no limit" is written, since the reference wants a number.
const NO_LIMIT: u64 = u32::MAX as u64;

/// What a caller says beside the file.
#[derive(Debug, Clone, Copy, Default)]
pub struct JsonSettings {
    /// Load a file that prescribes truncation, without it.
    pub ignore_truncation: bool,
    /// Load a file that prescribes padding, without it.
    pub ignore_padding: bool,
    /// Load a vocabulary without its unknown token.
    pub allow_no_unk: bool,
}

/// The tokenizer of a `tokenizer.json`.
pub fn read_tokenizer_json(bytes: &[u8], settings: JsonSettings) -> Result<Tokenizer> {
    let json = Json::parse(bytes)?;
    let root = Node::root(&json);
    if root.find("model")?.is_none() {
        return Err(root.error("not a tokenizer.json: the member \"model\" is missing"));
    }
    root.only(&[
        "version",
        "truncation",
        "padding",
        "added_tokens",
        "normalizer",
        "pre_tokenizer",
        "post_processor",
        "decoder",
        "model",
    ])?;
    if let Some(version) = root.find("version")?
        && version.str()? != "1.0"
    {
        return Err(version.unsupported("the version of a tokenizer.json is \"1.0\""));
    }
    refuse(&root, "truncation", settings.ignore_truncation)?;
    refuse(&root, "padding", settings.ignore_padding)?;

    let node = root.member("model")?;
    let mut model = Model::read(&node)?;
    let (specials, added) = match root.find("added_tokens")? {
        Some(node) => added_tokens(&node, &mut model.vocab)?,
        None => Default::default(),
    };
    model.check_unknown(&node, settings.allow_no_unk)?;
    let template = root.find("post_processor")?.map(|node| checked_template(&node, &model.vocab)).transpose()?;
    let training = model.training.map(|training| training.checked(&node, &model.vocab)).transpose()?;
    let ids: HashSet<u32> = specials.iter().map(|special| special.id).collect();
    Tokenizer::new(Parts {
        splitter: splitter(&root)?,
        model: WordPiece::new(model.vocab, model.settings, ids, added),
        specials,
        template,
        decoder: root.find("decoder")?.map(|node| decoder(&node)).transpose()?,
        training: training.map(Arc::new),
    })
}

fn refuse(root: &Node<'_>, name: &str, ignored: bool) -> Result<()> {
    match root.find(name)? {
        Some(node) if !ignored => Err(node.unsupported(format!(
            "the file prescribes {name}, which this version does not apply; pass {name}=None to load it without"
        ))),
        _ => Ok(()),
    }
}

fn checked_template(node: &Node<'_>, vocab: &Vocab) -> Result<Template> {
    let template = template(node)?;
    for piece in template.single.iter().chain(&template.pair) {
        let Piece::Special { name, ids, .. } = piece else { continue };
        if let Some(id) = ids.iter().find(|&&id| vocab.token(id).is_none()) {
            return Err(
                node.error(format!("the special token {name:?} has the id {id}, which is not in the vocabulary"))
            );
        }
    }
    Ok(template)
}

/// Installs special tokens; gives them, and the ids of those that the model's vocabulary lacks.
fn added_tokens(node: &Node<'_>, vocab: &mut Vocab) -> Result<(Vec<SpecialToken>, HashSet<u32>)> {
    let (mut specials, mut added, mut seen) = (Vec::new(), HashSet::new(), HashSet::new());
    for token in node.array()? {
        token.only(&["id", "content", "single_word", "lstrip", "rstrip", "normalized", "special"])?;
        let (id, content) = (token.member("id")?.id()?, token.member("content")?.str()?);
        for (name, wanted) in
            [("single_word", false), ("lstrip", false), ("rstrip", false), ("normalized", false), ("special", true)]
        {
            let flag = token.member(name)?;
            if flag.bool()? != wanted {
                return Err(flag.unsupported(format!(
                    "the added token {:?} has {name}={}; this version knows special tokens with {name}={wanted} only",
                    shorten(content),
                    !wanted
                )));
            }
        }
        match vocab.id(content) {
            // The reference numbers them on from the size of the vocabulary, whatever the file says.
            None if id as usize != vocab.len() => {
                let (content, next) = (shorten(content), vocab.len());
                return Err(
                    token.error(format!("{content:?} has the id {id}; the next one after the vocabulary is {next}"))
                );
            }
            None => {
                vocab.insert(content.to_owned(), id).map_err(|error| token.error(error.to_string()))?;
                added.insert(id);
            }
            Some(known) if known != id => {
                let content = shorten(content);
                return Err(token.error(format!("{content:?} has the id {id} here and {known} in the vocabulary")));
            }
            Some(_) => {}
        }
        if content.is_empty() || !seen.insert(content) {
            return Err(token.error(format!("the added token {:?} is empty or occurs twice", shorten(content))));
        }
        specials.push(SpecialToken { id, content: content.to_owned() });
    }
    Ok((specials, added))
}

/// The member `model`.
struct Model {
    vocab: Vocab,
    settings: Settings,
    training: Option<RawTraining>,
}

impl Model {
    fn read(node: &Node<'_>) -> Result<Self> {
        let kind = node.find("type")?;
        match kind.as_ref().map(Node::str).transpose()? {
            None | Some(SHARED_TYPE | OWN_TYPE) => {}
            Some(other) => return Err(node.unknown_kind(other, &[SHARED_TYPE, OWN_TYPE])),
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
        };
        Ok(Self { vocab: vocab(&node.member("vocab")?)?, settings, training: own.training })
    }

    fn check_unknown(&self, node: &Node<'_>, allowed: bool) -> Result<()> {
        let Some(unk) = &self.settings.unk_token else { return Ok(()) };
        if allowed || self.vocab.id(unk).is_some() {
            return Ok(());
        }
        Err(node.member("unk_token")?.error(format!(
            "the unknown token {:?} is not in the vocabulary; pass unk_token=... to name it, or unk_token=None if there \
             is none",
            shorten(unk)
        )))
    }
}

fn vocab(node: &Node<'_>) -> Result<Vocab> {
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
        vocab.insert(token.clone(), id).map_err(|error| node.error(error.to_string()))?;
    }
    Ok(vocab)
}

/// The member `model.piecework`.
#[derive(Default)]
struct Own {
    unknown: Unknown,
    no_unk: bool,
    training: Option<RawTraining>,
}

impl Own {
    fn read(node: &Node<'_>) -> Result<Self> {
        node.only(&["version", "unknown", "has_unk", "training"])?;
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
            training: node.find("training")?.map(|node| RawTraining::read(&node)).transpose()?,
        })
    }
}

struct RawTraining(Training);

impl RawTraining {
    fn read(node: &Node<'_>) -> Result<Self> {
        node.only(&["trainer", "counts_sha256", "token_counts", "history"])?;
        Ok(Self(Training {
            trainer: write_trainer(&trainer(&node.member("trainer")?)?),
            counts_sha256: node.member("counts_sha256")?.str()?.to_owned(),
            token_counts: node.member("token_counts")?.array()?.map(|node| node.unsigned()).collect::<Result<_>>()?,
            history: node.member("history")?.array()?.map(|node| merge(&node)).collect::<Result<_>>()?,
        }))
    }

    /// The counts must be those of this vocabulary, and add up.
    fn checked(self, node: &Node<'_>, vocab: &Vocab) -> Result<Training> {
        let Self(training) = self;
        if training.token_counts.len() != vocab.id_limit() as usize {
            return Err(node.error(format!(
                "piecework.training.token_counts has {} entries for {} ids",
                training.token_counts.len(),
                vocab.id_limit()
            )));
        }
        if training.token_counts.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count)).is_none() {
            return Err(Error::Overflow("the token counts add up to more than 2^64 - 1".to_owned()));
        }
        Ok(training)
    }
}

/// `[left, right, token, score, pair count, left count, right count, ties]`.
fn merge(node: &Node<'_>) -> Result<Merge> {
    let parts: Vec<Node<'_>> = node.array()?.collect();
    let [left, right, token, score, pair_count, left_count, right_count, ties] = &parts[..] else {
        return Err(node.error("expected [left, right, token, score, pair count, left count, right count, ties]"));
    };
    Ok(Merge {
        left: left.str()?.to_owned(),
        right: right.str()?.to_owned(),
        token: token.str()?.to_owned(),
        score: score.float()?,
        pair_count: pair_count.unsigned()?,
        left_count: left_count.unsigned()?,
        right_count: right_count.unsigned()?,
        ties: ties.unsigned()?,
    })
}

/// The tokenizer as a `tokenizer.json`.
pub fn write_tokenizer_json(tokenizer: &Tokenizer) -> Result<String> {
    let vocab = tokenizer.vocab();
    let splitter = splitter_json(tokenizer.splitter());
    let Json::Object(splitter) = splitter else { unreachable!("a splitter is an object") };
    let added = tokenizer.specials().tokens().iter().map(added_json).collect();
    let mut members = vec![
        ("version".to_owned(), "1.0".into()),
        ("truncation".to_owned(), Json::Null),
        ("padding".to_owned(), Json::Null),
        ("added_tokens".to_owned(), Json::Array(added)),
    ];
    members.extend(splitter);
    let template = template_json(tokenizer.template(), |id| vocab.expect_token(id))?;
    members.push(("post_processor".to_owned(), template));
    members.push(("decoder".to_owned(), decoder_json(tokenizer.decoder())));
    members.push(("model".to_owned(), model_json(tokenizer)?));
    let mut text = Json::Object(members).pretty(DEPTH);
    text.push('\n');
    Ok(text)
}

fn added_json(special: &SpecialToken) -> Json {
    object([
        ("id", special.id.into()),
        ("content", special.content.as_str().into()),
        ("single_word", false.into()),
        ("lstrip", false.into()),
        ("rstrip", false.into()),
        ("normalized", false.into()),
        ("special", true.into()),
    ])
}

fn model_json(tokenizer: &Tokenizer) -> Result<Json> {
    let model = tokenizer.model();
    let settings = model.settings();
    // The format has to name an unknown token, and takes the name for one if it is in the vocabulary.
    let unk = settings.unk_token.as_deref().unwrap_or("[UNK]");
    let has_unk = model.unk_id().is_some();
    let honoured = settings.unknown == Unknown::Word && (has_unk || model.vocab().id(unk).is_none());
    let limit = settings.max_input_chars_per_word.map_or(NO_LIMIT, |limit| (limit as u64).min(NO_LIMIT));
    let vocab = model.pieces().map(|(token, id)| (token.to_owned(), id.into())).collect();
    let Json::Object(mut members) = object([
        ("type", if honoured { SHARED_TYPE } else { OWN_TYPE }.into()),
        ("unk_token", unk.into()),
        ("continuing_subword_prefix", settings.continuing_subword_prefix.as_str().into()),
        ("max_input_chars_per_word", limit.into()),
        ("vocab", Json::Object(vocab)),
    ]) else {
        unreachable!("an object")
    };
    if !honoured || !has_unk || tokenizer.training().is_some() {
        let own = object([
            ("version", VERSION.into()),
            ("unknown", settings.unknown.name().into()),
            ("has_unk", has_unk.into()),
            ("training", tokenizer.training().map(|training| training_json(training)).transpose()?.into()),
        ]);
        members.push(("piecework".to_owned(), own));
    }
    Ok(Json::Object(members))
}

fn training_json(training: &Training) -> Result<Json> {
    Ok(object([
        ("trainer", Json::parse(training.trainer.as_bytes())?),
        ("counts_sha256", training.counts_sha256.as_str().into()),
        ("token_counts", training.token_counts.iter().copied().collect()),
        ("history", Json::Array(training.history.iter().map(merge_json).collect())),
    ]))
}

fn merge_json(merge: &Merge) -> Json {
    Json::Array(vec![
        merge.left.as_str().into(),
        merge.right.as_str().into(),
        merge.token.as_str().into(),
        Json::Float(merge.score),
        merge.pair_count.into(),
        merge.left_count.into(),
        merge.right_count.into(),
        merge.ties.into(),
    ])
}
