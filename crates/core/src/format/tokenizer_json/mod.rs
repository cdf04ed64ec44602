//! `tokenizer.json`, the format of Hugging Face's `tokenizers` 0.23.
//!
//! Each member has its own file; this one combines them. `training` is the record of a training, which belongs to the
//! model, and `trainers` has the settings in it.
//!
//! What `tokenizers` cannot hold is inside `model`, the only place where it ignores an unknown member, or in components
//! whose types begin with `piecework.`: it does not know these and refuses the file, instead of returning other ids.

mod added_ids;
mod added_tokens;
mod decoders;
mod limits;
mod models;
mod normalizers;
mod patterns;
mod post_processors;
mod pre_tokenizers;
mod records;
mod scores;
mod splitter;
mod trainers;
mod training;

use std::sync::Arc;

use self::added_ids::with_counted_ids;
use self::added_tokens::added_tokens;
use self::models::{
    BPE, CONTENTS, DECODER, FINGERPRINT, NORMALIZER, UNIGRAM, has_decoder_record, kind, read_model, with_own,
};
use self::records::{drop_stale, needs_contents};
use crate::decode::Decoder;
use crate::error::Result;
use crate::format::fingerprint::saved_fingerprint;
use crate::format::json::{Json, JsonNode, after, object, shortest, trim_start};
use crate::format::members::{Kinds, Member};
use crate::model::Trainer;
use crate::normalize::Normalizer;
use crate::pipeline::{Tokenizer, TokenizerParts};
use crate::postprocess::PostProcessor;
use crate::pretokenize::{Function, PreTokenizer};
use crate::splitter::WordSplitter;

pub use self::added_tokens::AddedIdSource;
pub use self::decoders::{read_decoder, write_decoder};
pub use self::limits::{read_padding, read_truncation};
pub use self::models::write_model;
pub use self::splitter::{read_splitter, read_text_splitter, write_splitter, write_text_splitter};
pub use self::trainers::{read_trainer, write_trainer};

pub(super) use self::models::{model_json, read_vocab, vocab_json};
use self::splitter::nearest_splitter;
pub(super) use self::splitter::{refuse_functions, splitter, splitter_json, text_splitter, text_splitter_json};

/// The depth down to which a saved file breaks lines: one token a line, one merge a line.
const DEPTH: usize = 4;

/// Returns the types of each stage, and the members of each type.
#[must_use]
pub fn component_members() -> [(&'static str, Kinds); 5] {
    [
        ("normalizer", Normalizer::KINDS),
        ("pre_tokenizer", PreTokenizer::KINDS),
        ("post_processor", PostProcessor::KINDS),
        ("decoder", Decoder::KINDS),
        ("trainer", Trainer::KINDS),
    ]
}

/// The settings of a call that reads a `tokenizer.json`.
#[derive(Debug, Clone, Default)]
pub struct JsonSettings {
    /// Whether a vocabulary may lack its unknown token.
    pub allow_no_unk: bool,
    /// Whether the numbers of a Unigram model are read exactly, not as `tokenizers` reads them.
    pub exact_numbers: bool,
    /// The caller's own pre-tokenizers, which the text names by index.
    pub functions: Vec<Function>,
    /// Whether only the members that `tokenizers` reads decide the words of a text.
    pub ignore_own_normalizer: bool,
    /// The ids of added tokens where the file has others than `tokenizers` gives them.
    pub added_ids: AddedIdSource,
}

/// Returns whether a file is JSON: by its name, or by a first `{` if its name decides nothing.
pub(super) fn is_json(bytes: &[u8], name: &str) -> bool {
    let begins_object = || after(bytes, b'{').is_some_and(|rest| matches!(trim_start(rest), [b'"' | b'}', ..]));
    name.ends_with(".json") || (!name.ends_with(".txt") && begins_object())
}

/// Reads a `tokenizer.json`.
///
/// ```
/// use piecework_core::format::{JsonSettings, format_named, read_tokenizer_json, write_tokenizer_json};
///
/// let json = write_tokenizer_json(&format_named("vocab.txt")?.read(b"[UNK]\nlow\n##er\n")?)?;
/// let tokenizer = read_tokenizer_json(json.as_bytes(), &JsonSettings::default())?;
/// assert_eq!(write_tokenizer_json(&tokenizer)?, json);
/// # Ok::<(), piecework_core::Error>(())
/// ```
pub fn read_tokenizer_json(bytes: &[u8], settings: &JsonSettings) -> Result<Tokenizer> {
    Ok(read_edited_json(bytes, settings)?.0)
}

/// Reads a `tokenizer.json`, and names the records of ours that do not belong to its other members and were ignored.
pub fn read_edited_json(bytes: &[u8], settings: &JsonSettings) -> Result<(Tokenizer, Vec<String>)> {
    let mut json = Json::parse(bytes)?;
    let dropped = drop_stale(&mut json)?;
    if !settings.exact_numbers && is_unigram(&JsonNode::root(&json)) {
        scores::round_numbers(&mut json, bytes);
    }
    let root = JsonNode::root(&json).with_functions(&settings.functions);
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
    let node = root.member("model")?;
    let (model, training) = read_model(&node, settings.allow_no_unk)?;
    let added = root.find("added_tokens")?;
    let added = added.map(|node| added_tokens(&node, model.vocab(), settings.added_ids)).transpose()?;
    let splitter = match own_record(&node, NORMALIZER)?.filter(|_| !settings.ignore_own_normalizer) {
        Some(record) => WordSplitter::new(Some(Normalizer::read(&record)?), None)?,
        None => splitter(&root)?,
    };
    let tokenizer = Tokenizer::new(TokenizerParts {
        added: added.unwrap_or_default(),
        post_processor: root.get("post_processor")?,
        decoder: own_record(&node, DECODER)?.or(root.find("decoder")?).map(|node| Decoder::read(&node)).transpose()?,
        truncation: root.get("truncation")?,
        padding: root.get("padding")?,
        training: training.map(Arc::new),
        ..TokenizerParts::new(splitter, model)
    })?;
    Ok((tokenizer, dropped))
}

/// Returns whether a file has a Unigram model, for which the rounding of numbers matters.
fn is_unigram(root: &JsonNode<'_>) -> bool {
    matches!(root.find("model").ok().flatten().map(|model| kind(&model)), Some(Ok(UNIGRAM)))
}

/// Returns a component in the model's own part, which replaces one that the library cannot express.
fn own_record<'a>(model: &JsonNode<'a>, name: &str) -> Result<Option<JsonNode<'a>>> {
    model.find("piecework")?.map_or(Ok(None), |own| own.find(name))
}

/// Returns whether a tokenizer is written with other components, that `tokenizers` has, for its normalizer.
#[must_use]
pub fn has_nearest_splitter(tokenizer: &Tokenizer) -> bool {
    model_json(tokenizer.model(), None).is_ok_and(|model| nearest_pre_tokenizer(tokenizer, &model).is_some())
}

fn nearest_pre_tokenizer(tokenizer: &Tokenizer, model: &Json) -> Option<PreTokenizer> {
    nearest_splitter(tokenizer.splitter()).filter(|_| kind(&JsonNode::root(model)) == Ok(BPE))
}

/// Returns the tokenizer with other parts: the members of `text`, null for none.
pub fn with_parts(tokenizer: &Tokenizer, text: &str, functions: &[Function]) -> Result<Tokenizer> {
    let json = Json::parse(text.as_bytes())?;
    let root = JsonNode::root(&json).with_functions(functions);
    root.only(&["truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder", "regex_retries"])?;
    let has = |name: &str| root.members().is_ok_and(|members| members.iter().any(|(other, _)| other == name));
    let mut parts = tokenizer.parts();
    let (normalizer, pre_tokenizer) = splitter(&root)?.into_parts();
    let (old_normalizer, old_pre_tokenizer) = parts.splitter.into_parts();
    parts.splitter = WordSplitter::new(
        if has("normalizer") { normalizer } else { old_normalizer },
        if has("pre_tokenizer") { pre_tokenizer } else { old_pre_tokenizer },
    )?;
    if has("post_processor") {
        parts.post_processor = root.get("post_processor")?;
    }
    if has("decoder") {
        parts.decoder = root.get("decoder")?;
    }
    if has("truncation") {
        parts.truncation = root.get("truncation")?;
    }
    if has("padding") {
        parts.padding = root.get("padding")?;
    }
    if has("regex_retries") {
        parts.regex_retries = root.get("regex_retries")?;
    }
    Tokenizer::new(parts)
}

/// Writes the parts that are settings as JSON: all but the model and its tokens.
#[must_use]
pub fn write_parts(tokenizer: &Tokenizer) -> String {
    object([
        ("regex_retries", tokenizer.regex_retries().into()),
        ("truncation", tokenizer.truncation().map(Member::json).into()),
        ("padding", tokenizer.padding().map(Member::json).into()),
        ("normalizer", tokenizer.splitter().normalizer().map(Member::json).into()),
        ("pre_tokenizer", tokenizer.splitter().pre_tokenizer().map(Member::json).into()),
        ("post_processor", tokenizer.post_processor().map(Member::json).into()),
        ("decoder", tokenizer.decoder().map(Member::json).into()),
    ])
    .text()
}

/// Writes the tokenizer as a `tokenizer.json`.
pub fn write_tokenizer_json(tokenizer: &Tokenizer) -> Result<String> {
    match with_counted_ids(tokenizer)? {
        Some(counted) => tokenizer_json(&counted, None),
        None => tokenizer_json(tokenizer, None),
    }
}

/// Writes the tokenizer as a `tokenizer.json` that keeps its vocabulary, for [`AddedIdSource::File`] alone.
pub fn write_own_json(tokenizer: &Tokenizer) -> Result<String> {
    tokenizer_json(tokenizer, None)
}

/// Writes the tokenizer as a `tokenizer.json` for other readers too: with its fingerprint, which they ignore, and with
/// components that `tokenizers` has where ours are near to them.
pub fn write_saved_json(tokenizer: &Tokenizer) -> Result<String> {
    let counted = with_counted_ids(tokenizer)?;
    let tokenizer = counted.as_ref().unwrap_or(tokenizer);
    tokenizer_json(tokenizer, Some(saved_fingerprint(tokenizer)?))
}

fn tokenizer_json(tokenizer: &Tokenizer, fingerprint: Option<String>) -> Result<String> {
    refuse_functions(tokenizer.splitter(), "a tokenizer")?;
    let model = model_json(tokenizer.model(), tokenizer.training().map(AsRef::as_ref))?;
    let nearest = nearest_pre_tokenizer(tokenizer, &model).filter(|_| fingerprint.is_some());
    let (normalizer, pre_tokenizer) = (tokenizer.splitter().normalizer(), tokenizer.splitter().pre_tokenizer());
    let own_normalizer = normalizer.filter(|_| nearest.is_some());
    let decoder = || tokenizer.decoder().map(Member::json);
    let pieces = tokenizer.decoder().and_then(Decoder::sentencepiece).filter(|_| has_decoder_record(&model));
    let model = with_own(model, NORMALIZER, own_normalizer.map(Member::json));
    let model = with_own(model, DECODER, pieces.and_then(|_| decoder()));
    let contents = needs_contents(&model).then(|| JsonNode::root(&model).contents_sha256().json());
    let model = with_own(model, CONTENTS, contents);
    let json = object([
        ("version", "1.0".into()),
        ("truncation", tokenizer.truncation().map(Member::json).into()),
        ("padding", tokenizer.padding().map(Member::json).into()),
        ("added_tokens", tokenizer.added().tokens().iter().map(Member::json).collect()),
        ("normalizer", normalizer.filter(|_| nearest.is_none()).map(Member::json).into()),
        ("pre_tokenizer", nearest.as_ref().or(pre_tokenizer).map(Member::json).into()),
        ("post_processor", tokenizer.post_processor().map(Member::json).into()),
        ("decoder", pieces.map(|pieces| pieces.nearest().json()).or_else(decoder).into()),
        ("model", with_own(model, FINGERPRINT, fingerprint.map(|fingerprint| fingerprint.json()))),
    ]);
    let float = if is_unigram(&JsonNode::root(&json)) { scores::compatible_digits } else { shortest };
    let mut text = json.pretty(DEPTH, float);
    text.push('\n');
    Ok(text)
}
