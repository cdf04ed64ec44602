//! Records of ours in `model.piecework` of a file that was edited since.
//!
//! The other members decide. A record is stale if writing it again would not give the members beside it, and is then
//! removed before the file is read.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashSet};

use sha2::{Digest, Sha256};

use super::models::{CONTENTS, DECODER, FINGERPRINT, NORMALIZER, is_theirs, kind};
use super::splitter::nearest_splitter;
use crate::counts::hexadecimal;
use crate::decode::{Decoder, SentencePieceDecoder};
use crate::error::{Message, Result, shorten};
use crate::format::json::{Json, JsonNode};
use crate::format::members::Member;
use crate::normalize::Normalizer;
use crate::pretokenize::PreTokenizer;
use crate::splitter::WordSplitter;

/// The records that name entries of the vocabulary.
const NAMING: [&str; 4] = ["unused", "user_defined", "reserved", "probabilities"];

/// The number of lost names of a record that a warning lists.
const SHOWN: usize = 10;

/// Removes the stale records, and returns their names.
pub(super) fn drop_stale(json: &mut Json) -> Result<Vec<String>> {
    let root = JsonNode::root(json);
    let Some(model) = root.find("model")? else { return Ok(Vec::new()) };
    let Some(own) = model.find("piecework")? else { return Ok(Vec::new()) };
    let mut dropped = Vec::new();
    if let Some(record) = own.find(DECODER)?
        && is_other_decoder(&record, root.find("decoder")?.as_ref())?
    {
        dropped.push(DECODER);
    }
    if let Some(record) = own.find(NORMALIZER)?
        && is_other_splitter(&record, &root)?
    {
        dropped.push(NORMALIZER);
    }
    let is_plain = is_theirs(kind(&model)?);
    let has_merges = model.find("merges")?.is_some_and(|merges| merges.items().is_ok_and(|items| !items.is_empty()));
    let known = OnceCell::new();
    let known = || known.get_or_init(|| entries(&model).into_iter().map(|(token, _)| token).collect());
    for (name, value) in own.members()? {
        let is_stale = || -> Result<bool> {
            Ok((is_plain && needs_own_type(name, value, &model, &known)?) || (name == "ranks" && has_merges))
        };
        // Their names are few, but a file may repeat them.
        if *value != Json::Null && !dropped.contains(&name.as_str()) && is_stale()? {
            dropped.push(name.as_str());
        }
    }
    let is_edited = match own.find(CONTENTS)? {
        Some(digest) => digest.str()? != model.contents_sha256(),
        None => false,
    };
    if let Some(training) = own.find("training")?
        && (is_edited || has_other_length(&training, &model)?)
    {
        dropped.push("training");
    }
    if let Some(ranks) = own.find("ranks")?.filter(|_| is_edited && !dropped.contains(&"ranks")) {
        // No other member has the merges of this model, so that nothing remains without the ranks.
        let problem = "the ranks belong to another vocabulary than the file has";
        return Err(
            ranks.error(Message::new(problem).hint("change the vocabulary with piecework, which keeps the ranks"))
        );
    }
    let dropped: Vec<String> = dropped.into_iter().map(str::to_owned).collect();
    let missing = missing_names(&own, &dropped, &known)?;
    let mut names: Vec<String> = dropped.iter().map(|name| format!("model.piecework.{name}")).collect();
    for (name, tokens) in &missing {
        names.extend(tokens.iter().take(SHOWN).map(|token| format!("{:?} in model.piecework.{name}", shorten(token))));
        if let Some(more) = tokens.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            names.push(format!("{more} more in model.piecework.{name}"));
        }
    }
    if let Some(Json::Object(own)) = json.member_mut("model").and_then(|model| model.member_mut("piecework")) {
        own.retain(|(name, _)| !dropped.contains(name));
        for (name, tokens) in &missing {
            remove(own, name, &tokens.iter().map(String::as_str).collect());
        }
    }
    Ok(names)
}

/// Returns whether a decoder record is written beside another decoder than this one.
fn is_other_decoder(record: &JsonNode<'_>, beside: Option<&JsonNode<'_>>) -> Result<bool> {
    let own = Decoder::read(record)?;
    let expected = own.sentencepiece().map(SentencePieceDecoder::nearest).unwrap_or(own);
    Ok(beside.map(Decoder::read).transpose()? != Some(expected))
}

/// Returns whether a normalizer record is written beside other members than these.
fn is_other_splitter(record: &JsonNode<'_>, root: &JsonNode<'_>) -> Result<bool> {
    let Some(nearest) = nearest_splitter(&WordSplitter::new(Some(Normalizer::read(record)?), None)?) else {
        return Ok(true);
    };
    let found: Option<PreTokenizer> = root.get("pre_tokenizer")?;
    Ok(root.find("normalizer")?.is_some() || found != Some(nearest))
}

/// Returns whether a model with this record, which has a valid value, is written with a type of our own.
fn needs_own_type<'a>(
    name: &str,
    value: &Json,
    model: &JsonNode<'_>,
    known: &dyn Fn() -> &'a HashSet<&'a str>,
) -> Result<bool> {
    let is_one_of = |names: &[&str]| names.iter().any(|name| *value == Json::from(*name));
    Ok(match name {
        "ranks" | "unused" | "user_defined" | "reserved" => matches!(value, Json::Array(items) if !items.is_empty()),
        "dropout" => value.number().is_some_and(|dropout| (0.0..=1.0).contains(&dropout)),
        "suffix_style" => is_one_of(&["separate"]),
        "unknown" => is_one_of(&["run", "char"]),
        "segmentation" => is_one_of(&["likeliest"]),
        "precision" => is_one_of(&["float32"]),
        "has_unk" => {
            let unk = model.member("unk_token")?;
            let unk = unk.str()?;
            *value == Json::Bool(false) && known().contains(unk)
        }
        _ => false,
    })
}

/// Returns whether a training has another number of counts than the vocabulary has ids.
fn has_other_length(training: &JsonNode<'_>, model: &JsonNode<'_>) -> Result<bool> {
    let Some(counts) = training.find("token_counts")? else { return Ok(false) };
    let limit = entries(model).iter().map(|&(_, id)| id + 1).max().unwrap_or(0);
    Ok(counts.items()?.len() as u64 != limit)
}

/// Returns the names in kept records that are no entries, by record.
fn missing_names<'a>(
    own: &JsonNode<'_>,
    dropped: &[String],
    known: &dyn Fn() -> &'a HashSet<&'a str>,
) -> Result<BTreeMap<String, Vec<String>>> {
    let mut missing = BTreeMap::<_, Vec<_>>::new();
    // A model that never was a file has no fingerprint: its names are the caller's, whose mistakes are errors.
    if own.find(FINGERPRINT)?.is_none() {
        return Ok(missing);
    }
    for (record, value) in own.members()? {
        if !NAMING.contains(&record.as_str()) || dropped.contains(record) {
            continue;
        }
        let names: Vec<&String> = match value {
            Json::Object(members) => members.iter().map(|(name, _)| name).collect(),
            Json::Array(items) => {
                items.iter().filter_map(|item| if let Json::String(name) = item { Some(name) } else { None }).collect()
            }
            _ => Vec::new(),
        };
        let mut lost = names.into_iter().filter(|name| !known().contains(name.as_str())).peekable();
        if lost.peek().is_some() {
            missing.entry(record.clone()).or_default().extend(lost.cloned());
        }
    }
    Ok(missing)
}

/// Removes names from a record.
fn remove(own: &mut [(String, Json)], record: &str, tokens: &HashSet<&str>) {
    let is_token = |item: &Json| matches!(item, Json::String(name) if tokens.contains(name.as_str()));
    match own.iter_mut().find(|(name, _)| name == record) {
        Some((_, Json::Object(members))) => members.retain(|(name, _)| !tokens.contains(name.as_str())),
        Some((_, Json::Array(items))) => items.retain(|item| !is_token(item)),
        _ => {}
    }
}

/// Returns the entries of the vocabulary with their ids; those that the readers refuse are left out.
fn entries<'a>(model: &JsonNode<'a>) -> Vec<(&'a str, u64)> {
    model.find("vocab").ok().flatten().map_or_else(Vec::new, |vocab| vocab.entries())
}

/// Returns whether a model has records by id, which belong to one vocabulary.
pub(super) fn needs_contents(model: &Json) -> bool {
    let has = |own: &JsonNode<'_>, name| matches!(own.find(name), Ok(Some(_)));
    let own = JsonNode::root(model).find("piecework").ok().flatten();
    own.is_some_and(|own| has(&own, "ranks") || has(&own, "training"))
}

impl<'a> JsonNode<'a> {
    /// Returns the SHA-256 of the vocabulary and the merges of a model, in hexadecimal digits.
    pub(super) fn contents_sha256(&self) -> String {
        let mut vocab = entries(self);
        vocab.sort_unstable_by_key(|&(_, id)| id);
        let mut hash = Sha256::new();
        for (token, id) in vocab {
            hash.update(format!("{id} {}\n", Json::from(token).text()));
        }
        let merges = self.find("merges").ok().flatten();
        for merge in merges.iter().flat_map(|node| node.items().unwrap_or_default()) {
            // Older files write a merge in one string.
            let pair = match merge {
                Json::String(text) => text.split(' ').map(Json::from).collect(),
                other => other.clone(),
            };
            hash.update(pair.text());
        }
        hexadecimal(hash)
    }

    /// Returns the entries of a vocabulary, an object of ids or an array of pieces with scores.
    fn entries(&self) -> Vec<(&'a str, u64)> {
        if let Ok(members) = self.members() {
            let id = |json: &Json| if let Json::Unsigned(id) = json { Some(*id) } else { None };
            return members.iter().filter_map(|(token, json)| Some((token.as_str(), id(json)?))).collect();
        }
        let text = |(at, item): (usize, &'a Json)| match item {
            Json::Array(parts) => match parts.first() {
                Some(Json::String(text)) => Some((text.as_str(), at as u64)),
                _ => None,
            },
            _ => None,
        };
        self.items().unwrap_or_default().iter().enumerate().filter_map(text).collect()
    }
}
