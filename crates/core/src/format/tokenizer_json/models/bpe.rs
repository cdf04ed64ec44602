//! BPE models in `tokenizer.json`.
//!
//! Merges that ranks imply are written as an equivalent list. Equal ranks have no equivalent list, and such a model is
//! saved with the type `piecework.BPE`, which `tokenizers` refuses, so that no id changes silently. The same type is
//! used for a suffix that is a separate symbol, and for unused tokens.

use super::own::{CONTENTS, DECODER, FINGERPRINT, NORMALIZER, VERSION, own_part};
use super::vocab::{read_vocab, vocab_json};
use crate::error::{Result, shorten};
use crate::format::json::{Json, JsonNode, object};
use crate::format::members::Member;
use crate::format::tokenizer_json::training::{read_training, training_json};
use crate::model::bpe::{Bpe, BpeSettings, Merges, NO_RANK, SuffixStyle};
use crate::pipeline::Training;
use crate::vocab::Vocab;

pub(in crate::format) const BPE: &str = "BPE";
pub(super) const OWN_BPE: &str = "piecework.BPE";

const MEMBERS: [&str; 11] = [
    "type",
    "dropout",
    "unk_token",
    "continuing_subword_prefix",
    "end_of_word_suffix",
    "fuse_unk",
    "byte_fallback",
    "ignore_merges",
    "vocab",
    "merges",
    "piecework",
];

pub(super) fn read(node: &JsonNode<'_>) -> Result<(Bpe, Option<Training>)> {
    node.only(&MEMBERS)?;
    let vocab = read_vocab(&node.member("vocab")?)?;
    let members = ["ranks", "suffix_style", "unused", "training", CONTENTS, DECODER, FINGERPRINT, NORMALIZER];
    let own = own_part(node, &members)?;
    let (ranks, training) = (own.find("ranks")?.map(|node| ranks(&node)).transpose()?, read_training(&own, &vocab)?);
    let id = |token: &String| {
        let missing = || node.error(format!("the unused token {:?} is not in the vocabulary", shorten(token)));
        vocab.id(token).ok_or_else(missing)
    };
    let unused = own.get_or("unused", Vec::new())?.iter().map(id).collect::<Result<_>>()?;
    let suffix_style = own.get_or("suffix_style", SuffixStyle::Attached)?;
    let settings = BpeSettings { suffix_style, unused, ..settings(node)? };
    let model = match ranks {
        Some(ranks) => Bpe::implied(vocab, ranks, settings),
        None => {
            let merges = merges(&node.member("merges")?, &vocab)?;
            Bpe::listed(vocab, merges, settings)
        }
    };
    Ok((model.map_err(|error| node.error(error))?, training))
}

#[expect(clippy::cast_possible_truncation, reason = "the reference has a float of 32 bits, too")]
fn settings(node: &JsonNode<'_>) -> Result<BpeSettings> {
    Ok(BpeSettings {
        unk_token: node.get("unk_token")?,
        continuing_subword_prefix: node.get_or("continuing_subword_prefix", String::new())?,
        end_of_word_suffix: node.get_or("end_of_word_suffix", String::new())?,
        fuse_unk: node.get_or("fuse_unk", false)?,
        byte_fallback: node.get_or("byte_fallback", false)?,
        ignore_merges: node.get_or("ignore_merges", false)?,
        dropout: node.get::<Option<f64>>("dropout")?.map(|dropout| dropout as f32),
        ..BpeSettings::default()
    })
}

/// Reads merges as pairs, or as older files write them: in one string, separated by a space.
fn merges(node: &JsonNode<'_>, vocab: &Vocab) -> Result<Vec<(u32, u32)>> {
    let items = node.items()?;
    let mut merges = Vec::with_capacity(items.len());
    for (place, item) in items.iter().enumerate() {
        let error = |message: String| node.item(place, item).error(message);
        let pair = match item {
            Json::String(text) if text.starts_with("#version") => continue,
            Json::String(text) => text.split_once(' ').filter(|(_, right)| !right.contains(' ')),
            Json::Array(pair) => match &pair[..] {
                [Json::String(left), Json::String(right)] => Some((left.as_str(), right.as_str())),
                _ => None,
            },
            _ => None,
        };
        let Some((left, right)) = pair else {
            return Err(error(
                "expected a merge: two tokens in an array, or in a string with a space between".to_owned(),
            ));
        };
        let id = |token: &str| {
            let missing = || error(format!("the merge names {:?}, which is not in the vocabulary", shorten(token)));
            vocab.id(token).ok_or_else(missing)
        };
        merges.push((id(left)?, id(right)?));
    }
    Ok(merges)
}

/// Reads a rank for each id; null means none.
fn ranks(node: &JsonNode<'_>) -> Result<Vec<u32>> {
    let rank = |(place, json): (usize, &Json)| match json {
        Json::Null => Ok(NO_RANK),
        _ => node.item(place, json).id(),
    };
    node.items()?.iter().enumerate().map(rank).collect()
}

/// Returns the number with the fewest digits that is read as the same 32-bit float, as `tokenizers` writes it.
fn shortest(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| value.into())
}

pub(super) fn bpe_json(model: &Bpe, training: Option<&Training>) -> Json {
    let settings = model.settings();
    let affix = |text: &str| (!text.is_empty()).then_some(text).into();
    let ranks = tied_ranks(model);
    let separate = settings.suffix_style == SuffixStyle::Separate;
    let is_own = ranks.is_some() || separate || !settings.unused.is_empty();
    let own = || {
        let unused = settings.unused.iter().map(|&id| Json::from(model.vocab().token(id).unwrap_or_default()));
        let rank = |&rank: &u32| (rank != NO_RANK).then_some(rank);
        object([
            ("version", VERSION.into()),
            ("ranks", ranks.map(|ranks| ranks.iter().map(rank).collect::<Json>()).into()),
            ("suffix_style", separate.then_some("separate").into()),
            ("unused", (!settings.unused.is_empty()).then(|| unused.collect::<Json>()).into()),
            ("training", training.map(training_json).into()),
        ])
    };
    object([
        ("type", if is_own { OWN_BPE } else { BPE }.into()),
        ("dropout", settings.dropout.map(|dropout| Json::Float(shortest(dropout))).into()),
        ("unk_token", settings.unk_token.json()),
        ("continuing_subword_prefix", affix(&settings.continuing_subword_prefix)),
        ("end_of_word_suffix", affix(&settings.end_of_word_suffix)),
        ("fuse_unk", settings.fuse_unk.into()),
        ("byte_fallback", settings.byte_fallback.into()),
        ("ignore_merges", settings.ignore_merges.into()),
        ("vocab", vocab_json(model.vocab())),
        ("merges", if ranks.is_some() { Json::Array(Vec::new()) } else { merges_json(model) }),
    ])
    .with("piecework", (is_own || training.is_some()).then(own))
}

/// Returns the ranks of a model, if two of them are equal.
fn tied_ranks(model: &Bpe) -> Option<&Vec<u32>> {
    let Merges::Implied(ranks) = model.merges() else { return None };
    let mut sorted: Vec<u32> = ranks.iter().copied().filter(|&rank| rank != NO_RANK).collect();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1]).then_some(ranks)
}

fn merges_json(model: &Bpe) -> Json {
    let token = |id| Json::from(model.vocab().token(id).unwrap_or_default());
    model.merge_list().into_iter().map(|(left, right)| Json::Array(vec![token(left), token(right)])).collect()
}
