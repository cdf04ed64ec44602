//! Pre-tokenizers in `tokenizer.json`; no other reader knows the type names of our own.

use std::sync::Arc;

use super::decoders::{byte_level, byte_level_json, metaspace, metaspace_json};
use super::patterns::{pattern, pattern_json};
use crate::error::Result;
use crate::format::json::{Json, Node, choice, name_of, object};
use crate::pretokenize::{Behavior, Dictionary, Function, Jieba, PreTokenizer, Split, UserWord};

/// The pre-tokenizers that have no settings, by type name.
const PLAIN: [(&str, PreTokenizer); 4] = [
    ("BertPreTokenizer", PreTokenizer::Bert),
    ("Whitespace", PreTokenizer::Whitespace),
    ("WhitespaceSplit", PreTokenizer::WhitespaceSplit),
    ("UnicodeScripts", PreTokenizer::UnicodeScripts),
];
const OTHERS: [&str; 11] = [
    "Punctuation",
    "Digits",
    "CharDelimiterSplit",
    "Split",
    "ByteLevel",
    "Metaspace",
    "FixedLength",
    "Sequence",
    DICTIONARY,
    JIEBA,
    FUNCTION,
];
const DICTIONARY: &str = "piecework.Dictionary";
const JIEBA: &str = "piecework.Jieba";
const FUNCTION: &str = "piecework.Function";
/// The default length of a word.
const DEFAULT_LENGTH: usize = 5;

const BEHAVIORS: [(&str, Behavior); 5] = [
    ("Removed", Behavior::Removed),
    ("Isolated", Behavior::Isolated),
    ("MergedWithPrevious", Behavior::MergedWithPrevious),
    ("MergedWithNext", Behavior::MergedWithNext),
    ("Contiguous", Behavior::Contiguous),
];

/// Reads a pre-tokenizer; `functions` are the caller's own, which it names by index.
pub(super) fn pre_tokenizer(node: &Node<'_>, functions: &[Function]) -> Result<PreTokenizer> {
    let kind = node.kind()?;
    if let Some((_, plain)) = PLAIN.into_iter().find(|(name, _)| *name == kind) {
        node.only(&["type"])?;
        return Ok(plain);
    }
    Ok(match kind {
        "Punctuation" => {
            node.only(&["type", "behavior"])?;
            let behavior = node.find("behavior")?.map(|node| choice(&node, &BEHAVIORS)).transpose()?;
            PreTokenizer::Punctuation(behavior.unwrap_or(Behavior::Isolated))
        }
        "Digits" => {
            node.only(&["type", "individual_digits"])?;
            PreTokenizer::Digits { individual: node.member("individual_digits")?.bool()? }
        }
        "CharDelimiterSplit" => {
            node.only(&["type", "delimiter"])?;
            PreTokenizer::CharDelimiterSplit(node.member("delimiter")?.char()?)
        }
        "Split" => {
            node.only(&["type", "pattern", "behavior", "invert"])?;
            let behavior = choice(&node.member("behavior")?, &BEHAVIORS)?;
            let pattern = pattern(&node.member("pattern")?)?;
            PreTokenizer::Split(Split { pattern, behavior, invert: node.member("invert")?.bool()? })
        }
        "ByteLevel" => PreTokenizer::ByteLevel(byte_level(node)?),
        "Metaspace" => PreTokenizer::Metaspace(metaspace(node)?),
        "FixedLength" => {
            node.only(&["type", "length"])?;
            let length = node.find("length")?;
            let size = length.as_ref().map_or(Ok(DEFAULT_LENGTH), Node::size)?;
            if size == 0 {
                return Err(length
                    .unwrap_or_else(|| node.clone())
                    .error("words of no characters are none; expected 1 or more"));
            }
            PreTokenizer::FixedLength(size)
        }
        "Sequence" => {
            node.only(&["type", "pretokenizers"])?;
            let steps = node.member("pretokenizers")?;
            PreTokenizer::Sequence(steps.array()?.map(|node| pre_tokenizer(&node, functions)).collect::<Result<_>>()?)
        }
        DICTIONARY => {
            node.only(&["type", "phrases", "single_word"])?;
            let phrases = node.member("phrases")?;
            let texts = phrases.strings()?;
            let single_word = node.find("single_word")?.map(|node| node.bool()).transpose()?;
            let dictionary = Dictionary::new(texts, single_word.unwrap_or(false));
            PreTokenizer::Dictionary(Arc::new(dictionary.map_err(|error| phrases.error(error))?))
        }
        JIEBA => PreTokenizer::Jieba(Arc::new(jieba(node)?)),
        FUNCTION => {
            node.only(&["type", "index"])?;
            let function = functions.get(node.member("index")?.size()?);
            let function = function.ok_or_else(|| node.unsupported("a Python function cannot be read from a file"))?;
            PreTokenizer::Function(function.clone())
        }
        other => {
            let known: Vec<&str> = OTHERS.into_iter().chain(PLAIN.iter().map(|(name, _)| *name)).collect();
            return Err(node.unknown_kind(other, &known));
        }
    })
}

fn jieba(node: &Node<'_>) -> Result<Jieba> {
    Jieba::require()?;
    node.only(&["type", "hmm", "user_words"])?;
    let words = node.find("user_words")?;
    let user_words = words.as_ref().map(|words| words.array()?.map(|node| user_word(&node)).collect());
    let hmm = node.find("hmm")?.map(|node| node.bool()).transpose()?;
    let jieba = Jieba::new(hmm.unwrap_or(true), user_words.transpose()?.unwrap_or_default());
    jieba.map_err(|error| words.as_ref().unwrap_or(node).error(error))
}

/// Reads `[word, frequency, tag]`; the last two may be null.
fn user_word(node: &Node<'_>) -> Result<UserWord> {
    let parts: Vec<Node<'_>> = node.array()?.collect();
    let [word, frequency, tag] = &parts[..] else { return Err(node.error("expected [word, frequency, tag]")) };
    Ok(UserWord {
        word: word.str()?.to_owned(),
        frequency: frequency.clone().optional().map(|node| node.unsigned()).transpose()?,
        tag: tag.clone().optional().map(|node| Ok::<_, crate::Error>(node.str()?.to_owned())).transpose()?,
    })
}

pub(super) fn pre_tokenizer_json(pre_tokenizer: Option<&PreTokenizer>) -> Json {
    let Some(pre_tokenizer) = pre_tokenizer else { return Json::Null };
    if let Some((kind, _)) = PLAIN.into_iter().find(|(_, plain)| plain == pre_tokenizer) {
        return object([("type", kind.into())]);
    }
    match pre_tokenizer {
        PreTokenizer::Punctuation(behavior) => {
            object([("type", "Punctuation".into()), ("behavior", name_of(*behavior, &BEHAVIORS).into())])
        }
        PreTokenizer::Digits { individual } => {
            object([("type", "Digits".into()), ("individual_digits", (*individual).into())])
        }
        PreTokenizer::CharDelimiterSplit(delimiter) => {
            object([("type", "CharDelimiterSplit".into()), ("delimiter", delimiter.to_string().as_str().into())])
        }
        PreTokenizer::Split(split) => object([
            ("type", "Split".into()),
            ("pattern", pattern_json(&split.pattern)),
            ("behavior", name_of(split.behavior, &BEHAVIORS).into()),
            ("invert", split.invert.into()),
        ]),
        PreTokenizer::ByteLevel(byte_level) => byte_level_json(byte_level),
        PreTokenizer::Metaspace(metaspace) => metaspace_json(metaspace),
        PreTokenizer::FixedLength(length) => {
            object([("type", "FixedLength".into()), ("length", (*length as u64).into())])
        }
        PreTokenizer::Sequence(steps) => object([
            ("type", "Sequence".into()),
            ("pretokenizers", Json::Array(steps.iter().map(|step| pre_tokenizer_json(Some(step))).collect())),
        ]),
        PreTokenizer::Dictionary(dictionary) => object([
            ("type", DICTIONARY.into()),
            ("phrases", dictionary.phrases().iter().map(String::as_str).collect()),
            ("single_word", dictionary.single_word().into()),
        ]),
        PreTokenizer::Jieba(jieba) => object([
            ("type", JIEBA.into()),
            ("hmm", jieba.hmm().into()),
            ("user_words", Json::Array(jieba.user_words().iter().map(user_word_json).collect())),
        ]),
        PreTokenizer::Function(_) => object([("type", FUNCTION.into())]),
        _ => unreachable!("every plain pre-tokenizer is in the table"),
    }
}

fn user_word_json(word: &UserWord) -> Json {
    Json::Array(vec![word.word.as_str().into(), word.frequency.into(), word.tag.as_deref().into()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PreTokenizer> {
        pre_tokenizer(&Node::root(&Json::parse(text.as_bytes())?), &[])
    }

    /// These are the defaults in Python as well.
    #[test]
    fn our_own_have_default_settings() {
        for (short, long) in [
            (
                r#"{"type": "piecework.Dictionary", "phrases": ["a"]}"#,
                r#"{"type": "piecework.Dictionary", "phrases": ["a"], "single_word": false}"#,
            ),
            #[cfg(feature = "jieba")]
            (r#"{"type": "piecework.Jieba"}"#, r#"{"type": "piecework.Jieba", "hmm": true, "user_words": []}"#),
        ] {
            assert_eq!(read(short), read(long));
            assert_eq!(pre_tokenizer_json(read(short).ok().as_ref()).text().replace(' ', ""), long.replace(' ', ""));
        }
    }

    #[test]
    fn errors_name_the_member() {
        for (text, place) in [
            (r#"{"type": "piecework.Dictionary", "phrases": ["a", "a"]}"#, "$.phrases: "),
            (r#"{"type": "piecework.Dictionary"}"#, "$: "),
            #[cfg(feature = "jieba")]
            (r#"{"type": "piecework.Jieba", "user_words": [["", null, null]]}"#, "$.user_words: "),
            (r#"{"type": "piecework.Function", "index": 0}"#, "$: "),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.starts_with(place), "{message}");
        }
    }
}
