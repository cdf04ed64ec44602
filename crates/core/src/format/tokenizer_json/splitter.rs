//! Splitters, as the boundary passes them.
//!
//! A function of the caller is `piecework.Function` in the JSON, with its index among the functions that are passed
//! with it. No file can hold it, so writing one is an error.

use crate::counts::TextSplitter;
use crate::error::{Error, Message, Result};
use crate::format::json::{Json, JsonNode, object};
use crate::format::members::Member;
use crate::normalize::SentencePieceSettings;
use crate::pretokenize::{Function, PreTokenizer};
use crate::settings::{Metaspace, PrependScheme};
use crate::splitter::WordSplitter;

/// The member with the tokens at which texts are cut.
const ADDED_TOKENS: &str = "added_tokens";

/// Reads `{"normalizer": …, "pre_tokenizer": …}`; `functions` are the caller's own pre-tokenizers, named by index.
pub fn read_splitter(text: &str, functions: &[Function]) -> Result<WordSplitter> {
    let json = Json::parse(text.as_bytes())?;
    let root = JsonNode::root(&json).with_functions(functions);
    root.only(&["normalizer", "pre_tokenizer"])?;
    splitter(&root)
}

/// Writes `{"normalizer": …, "pre_tokenizer": …}`.
#[must_use]
pub fn write_splitter(splitter: &WordSplitter) -> String {
    splitter_json(splitter).text()
}

pub(in crate::format) fn splitter_json(splitter: &WordSplitter) -> Json {
    object([
        ("normalizer", splitter.normalizer().map(Member::json).into()),
        ("pre_tokenizer", splitter.pre_tokenizer().map(Member::json).into()),
    ])
}

/// Reads a splitter with an optional member `added_tokens`: the tokens at which texts are cut.
pub fn read_text_splitter(text: &str, functions: &[Function]) -> Result<TextSplitter> {
    let json = Json::parse(text.as_bytes())?;
    let root = JsonNode::root(&json).with_functions(functions);
    root.only(&["normalizer", "pre_tokenizer", ADDED_TOKENS])?;
    text_splitter(&root)
}

/// Writes `{"normalizer": …, "pre_tokenizer": …}`, and the member `added_tokens` if there are any.
#[must_use]
pub fn write_text_splitter(splitter: &TextSplitter) -> String {
    text_splitter_json(splitter).text()
}

pub(in crate::format) fn text_splitter_json(splitter: &TextSplitter) -> Json {
    let mut json = splitter_json(splitter.words());
    if let (Json::Object(members), tokens @ [_, ..]) = (&mut json, splitter.added()) {
        members.push((ADDED_TOKENS.to_owned(), tokens.iter().map(Member::json).collect()));
    }
    json
}

/// Reads the members `normalizer`, `pre_tokenizer` and `added_tokens` of `node`.
pub(in crate::format) fn text_splitter(node: &JsonNode<'_>) -> Result<TextSplitter> {
    let words = splitter(node)?;
    let Some(tokens) = node.get(ADDED_TOKENS)? else { return Ok(words.into()) };
    TextSplitter::new(words, tokens)
}

/// Reads the members `normalizer` and `pre_tokenizer` of `node`.
pub(in crate::format) fn splitter(node: &JsonNode<'_>) -> Result<WordSplitter> {
    WordSplitter::new(node.get("normalizer")?, node.get("pre_tokenizer")?)
}

/// Returns the pre-tokenizer that is nearest to the normalization of a `SentencePiece` model without rules; `None` if
/// `tokenizers` has it, or no component that is near.
///
/// Both give equal words to a text, except to one that begins with an added token or a space: a space is put before it,
/// but not by the component.
pub(super) fn nearest_splitter(splitter: &WordSplitter) -> Option<PreTokenizer> {
    let own = splitter.sentencepiece().filter(|_| splitter.pre_tokenizer().is_none())?;
    let SentencePieceSettings { precompiled_charsmap, remove_extra_whitespaces, escape_whitespaces, .. } =
        own.settings();
    let is_near = precompiled_charsmap.is_none()
        && !remove_extra_whitespaces
        && *escape_whitespaces
        && !own.settings().treat_whitespace_as_suffix;
    let prepend_scheme = if own.settings().add_dummy_prefix { PrependScheme::First } else { PrependScheme::Never };
    let spaces = PreTokenizer::Metaspace(Metaspace { prepend_scheme, split: false, ..Metaspace::default() });
    is_near.then_some(spaces)
}

/// Refuses to write a Python function, which no file can contain.
pub(in crate::format) fn refuse_functions(splitter: &WordSplitter, what: &str) -> Result<()> {
    if !splitter.pre_tokenizer().is_some_and(PreTokenizer::has_function) {
        return Ok(());
    }
    Err(Error::Config(
        Message::new(format!(
            "{what} with a Python function as pre-tokenizer cannot be saved: no file holds the function"
        ))
        .hint("use one of piecework.pre_tokenizers instead, such as Split, Dictionary or Jieba"),
    ))
}
