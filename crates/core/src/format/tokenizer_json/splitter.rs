//! Splitters, as the boundary passes them.

use super::added_tokens::{added_token, added_token_json};
use super::normalizers::{normalizer, normalizer_json};
use super::pre_tokenizers::{pre_tokenizer, pre_tokenizer_json};
use crate::counts::TextSplitter;
use crate::error::{Error, Message, Result};
use crate::format::json::{Json, Node, object};
use crate::normalize::{Normalizer, SentencePieceSettings};
use crate::pretokenize::{Function, PreTokenizer};
use crate::settings::{Metaspace, PrependScheme};
use crate::splitter::WordSplitter;

/// The member with the tokens at which texts are cut.
const ADDED_TOKENS: &str = "added_tokens";

/// Reads `{"normalizer": …, "pre_tokenizer": …}`; `functions` are the caller's own pre-tokenizers, named by index.
pub fn read_splitter(text: &str, functions: &[Function]) -> Result<WordSplitter> {
    let json = Json::parse(text.as_bytes())?;
    let root = Node::root(&json);
    root.only(&["normalizer", "pre_tokenizer"])?;
    splitter(&root, functions)
}

/// Writes `{"normalizer": …, "pre_tokenizer": …}`.
#[must_use]
pub fn write_splitter(splitter: &WordSplitter) -> String {
    splitter_json(splitter).text()
}

pub(in crate::format) fn splitter_json(splitter: &WordSplitter) -> Json {
    object([
        ("normalizer", normalizer_json(splitter.normalizer())),
        ("pre_tokenizer", pre_tokenizer_json(splitter.pre_tokenizer())),
    ])
}

/// Reads a splitter with an optional member `added_tokens`: the tokens at which texts are cut.
pub fn read_text_splitter(text: &str, functions: &[Function]) -> Result<TextSplitter> {
    let json = Json::parse(text.as_bytes())?;
    let root = Node::root(&json);
    root.only(&["normalizer", "pre_tokenizer", ADDED_TOKENS])?;
    text_splitter(&root, functions)
}

/// Writes `{"normalizer": …, "pre_tokenizer": …}`, and the member `added_tokens` if there are any.
#[must_use]
pub fn write_text_splitter(splitter: &TextSplitter) -> String {
    text_splitter_json(splitter).text()
}

pub(in crate::format) fn text_splitter_json(splitter: &TextSplitter) -> Json {
    let mut json = splitter_json(splitter.words());
    if let (Json::Object(members), tokens @ [_, ..]) = (&mut json, splitter.added()) {
        members.push((ADDED_TOKENS.to_owned(), tokens.iter().map(added_token_json).collect()));
    }
    json
}

/// Reads the members `normalizer`, `pre_tokenizer` and `added_tokens` of `node`.
pub(in crate::format) fn text_splitter(node: &Node<'_>, functions: &[Function]) -> Result<TextSplitter> {
    let words = splitter(node, functions)?;
    let Some(tokens) = node.find(ADDED_TOKENS)? else { return Ok(words.into()) };
    TextSplitter::new(words, tokens.array()?.map(|node| added_token(&node)).collect::<Result<_>>()?)
}

/// Reads the members `normalizer` and `pre_tokenizer` of `node`.
pub(in crate::format) fn splitter(node: &Node<'_>, functions: &[Function]) -> Result<WordSplitter> {
    WordSplitter::new(
        node.find("normalizer")?.map(|node| normalizer(&node)).transpose()?,
        node.find("pre_tokenizer")?.map(|node| pre_tokenizer(&node, functions)).transpose()?,
    )
}

/// Returns the members that are nearest to the normalization of a `SentencePiece` model without rules; `None` if
/// `tokenizers` has it, or no component that is near.
///
/// Both give equal words to a text, except to one that begins with an added token or a space: a space is put before it,
/// but not by the component.
pub(super) fn nearest_splitter(splitter: &WordSplitter) -> Option<Json> {
    let (Some(Normalizer::SentencePiece(own)), None) = (splitter.normalizer(), splitter.pre_tokenizer()) else {
        return None;
    };
    let SentencePieceSettings { rules, remove_extra_whitespaces, escape_whitespaces, .. } = own.settings();
    let is_near = rules.is_none()
        && !remove_extra_whitespaces
        && *escape_whitespaces
        && !own.settings().treat_whitespace_as_suffix;
    let prepend_scheme = if own.settings().add_dummy_prefix { PrependScheme::First } else { PrependScheme::Never };
    let spaces = PreTokenizer::Metaspace(Metaspace { prepend_scheme, split: false, ..Metaspace::default() });
    is_near.then(|| object([("normalizer", Json::Null), ("pre_tokenizer", pre_tokenizer_json(Some(&spaces)))]))
}

/// Refuses to write a Python function, which no file can contain.
pub(in crate::format) fn refuse_functions(splitter: &WordSplitter, what: &str) -> Result<()> {
    let mut steps = splitter.pre_tokenizer().into_iter().flat_map(PreTokenizer::steps);
    if !steps.any(|step| matches!(step, PreTokenizer::Function(_))) {
        return Ok(());
    }
    Err(Error::Config(
        Message::new(format!(
            "{what} with a Python function as pre-tokenizer cannot be saved: no file holds the function"
        ))
        .hint("use one of piecework.pre_tokenizers instead, such as Split, Dictionary or Jieba"),
    ))
}
