//! Splitters, as the boundary passes them.

use super::normalizers::{normalizer, normalizer_json};
use super::pre_tokenizers::{pre_tokenizer, pre_tokenizer_json};
use crate::error::{Error, Message, Result};
use crate::format::json::{Json, Node, object};
use crate::pretokenize::{Function, PreTokenizer};
use crate::splitter::WordSplitter;

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

/// Reads the members `normalizer` and `pre_tokenizer` of `node`.
pub(in crate::format) fn splitter(node: &Node<'_>, functions: &[Function]) -> Result<WordSplitter> {
    WordSplitter::new(
        node.find("normalizer")?.map(|node| normalizer(&node)).transpose()?,
        node.find("pre_tokenizer")?.map(|node| pre_tokenizer(&node, functions)).transpose()?,
    )
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
