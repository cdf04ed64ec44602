//! Pre-tokenizers in `tokenizer.json`; no other reader knows the type names of our own.

use std::num::NonZeroUsize;
use std::sync::Arc;

use crate::error::Result;
use crate::format::json::{Json, JsonNode};
use crate::format::members::{Member, Record, components, names, record};
use crate::pretokenize::{Behavior, Dictionary, Function, Jieba, PreTokenizer, Split, UserWord};
use crate::settings::{ByteLevel, Metaspace};

/// The default length of a word.
const DEFAULT_LENGTH: NonZeroUsize = NonZeroUsize::MIN.saturating_add(4);

components! {
    PreTokenizer by JsonNode::kind;
    "BertPreTokenizer" {} => Bert;
    "Whitespace" {} => Whitespace;
    "WhitespaceSplit" {} => WhitespaceSplit;
    "UnicodeScripts" {} => UnicodeScripts;
    "Punctuation" { behavior = Behavior::Isolated } => Punctuation(behavior);
    "Digits" { individual_digits } => Digits { individual: individual_digits };
    "CharDelimiterSplit" { delimiter } => CharDelimiterSplit(delimiter);
    "Split": Split(Split);
    "ByteLevel": ByteLevel(ByteLevel);
    "Metaspace": Metaspace(Metaspace);
    "FixedLength" { length = DEFAULT_LENGTH } => FixedLength(length);
    "Sequence" { pretokenizers } => Sequence(pretokenizers);
    "piecework.Dictionary": Dictionary(Arc<Dictionary>);
    "piecework.Jieba": Jieba(Arc<Jieba>);
    "piecework.Function": Function(Function);
}

record!(Split { pattern, behavior, invert });

names! {
    Behavior: &[
        ("Removed", Self::Removed),
        ("Isolated", Self::Isolated),
        ("MergedWithPrevious", Self::MergedWithPrevious),
        ("MergedWithNext", Self::MergedWithNext),
        ("Contiguous", Self::Contiguous),
    ]
}

impl Member for NonZeroUsize {
    fn read(node: &JsonNode<'_>) -> Result<Self> {
        Self::new(node.size()?).ok_or_else(|| node.error("words of no characters are none; expected 1 or more"))
    }

    fn json(&self) -> Json {
        self.get().json()
    }
}

impl Record for Arc<Dictionary> {
    const MEMBERS: &'static [&'static str] = &["phrases", "single_word"];

    fn read_members(node: &JsonNode<'_>) -> Result<Self> {
        node.only_members(Self::MEMBERS)?;
        let phrases = node.member("phrases")?;
        let dictionary = Dictionary::new(phrases.strings()?, node.get_or("single_word", false)?);
        Ok(Self::new(dictionary.map_err(|error| phrases.error(error))?))
    }

    fn members(&self) -> Vec<(&'static str, Json)> {
        vec![
            ("phrases", self.phrases().iter().map(String::as_str).collect()),
            ("single_word", self.single_word().json()),
        ]
    }
}

impl Record for Arc<Jieba> {
    const MEMBERS: &'static [&'static str] = &["hmm", "user_words"];

    fn read_members(node: &JsonNode<'_>) -> Result<Self> {
        Jieba::require()?;
        node.only_members(Self::MEMBERS)?;
        let words = node.find("user_words")?;
        let jieba = Jieba::new(node.get_or("hmm", true)?, node.get_or("user_words", Vec::new())?);
        Ok(Self::new(jieba.map_err(|error| words.as_ref().unwrap_or(node).error(error))?))
    }

    fn members(&self) -> Vec<(&'static str, Json)> {
        vec![("hmm", self.hmm().json()), ("user_words", self.user_words().iter().map(Member::json).collect())]
    }
}

/// `[word, frequency, tag]`; the last two may be null.
impl Member for UserWord {
    fn read(node: &JsonNode<'_>) -> Result<Self> {
        let [word, frequency, tag] = node.tuple("[word, frequency, tag]")?;
        Ok(Self {
            word: word.str()?.to_owned(),
            frequency: frequency.optional().map(|node| node.unsigned()).transpose()?,
            tag: tag.optional().map(|node| String::read(&node)).transpose()?,
        })
    }

    fn json(&self) -> Json {
        Json::Array(vec![self.word.json(), self.frequency.json(), self.tag.json()])
    }
}

/// A function of the caller, which is read by index; no file holds it.
impl Record for Function {
    const MEMBERS: &'static [&'static str] = &["index"];

    fn read_members(node: &JsonNode<'_>) -> Result<Self> {
        node.only_members(Self::MEMBERS)?;
        let function = node.functions.get(node.get::<usize>("index")?);
        function.cloned().ok_or_else(|| node.unsupported("a Python function cannot be read from a file"))
    }

    fn members(&self) -> Vec<(&'static str, Json)> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PreTokenizer> {
        PreTokenizer::read(&JsonNode::root(&Json::parse(text.as_bytes())?))
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
            assert_eq!(read(short).unwrap().json().text().replace(' ', ""), long.replace(' ', ""));
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
