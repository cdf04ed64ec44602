//! Changes of encodings: the core changes the columns, once with spans in bytes and once with spans in characters.

use std::sync::Arc;

use piecework_core::encoding::Encoding;
use piecework_core::pipeline;
use piecework_core::text::span::Span;
use piecework_core::{Error, Result};
use pyo3::prelude::*;

use crate::encoding::{Encoding as PythonEncoding, Names, Node};
use crate::errors::to_py;
use crate::options::Options;

impl Node {
    /// Returns what `change` makes of encodings and their overflowing parts.
    pub(crate) fn changed(nodes: &[&Self], change: impl Fn(Vec<Encoding>) -> Result<Encoding>) -> Result<Self, Error> {
        let names = common_tokenizer(nodes);
        let [bytes, characters] = [false, true].map(|characters| {
            let trees = nodes.iter().map(|node| node.tree(names.is_none(), characters));
            change(trees.collect::<Result<_>>()?)
        });
        Ok(Self::of_trees(bytes?, characters?, names))
    }

    /// Returns the columns with all overflowing parts, with spans in bytes or in characters.
    ///
    /// If `named`, all tokens have their names in `renamed`.
    pub(crate) fn tree(&self, named: bool, characters: bool) -> Result<Encoding, Error> {
        let mut encoding = self.encoding.clone();
        if named {
            encoding.renamed = self.tokens().into_iter().map(str::to_owned).enumerate().collect();
        }
        if characters {
            encoding.spans = self.offsets.iter().map(|&(start, end)| Span { start, end }).collect();
        }
        let parts = self.overflowing()?.iter().map(|part| part.tree(named, characters));
        encoding.overflowing = parts.collect::<Result<_>>()?;
        Ok(encoding)
    }

    /// Returns an encoding of columns in bytes and the same in characters; without a tokenizer all tokens are named.
    pub(crate) fn of_trees(
        mut bytes: Encoding,
        characters: Encoding,
        tokenizer: Option<&Arc<pipeline::Tokenizer>>,
    ) -> Self {
        let parts = std::mem::take(&mut bytes.overflowing).into_iter().zip(characters.overflowing);
        let parts = parts.map(|(bytes, characters)| Arc::new(Self::of_trees(bytes, characters, tokenizer))).collect();
        let offsets = characters.spans.iter().map(|span| (span.start, span.end)).collect();
        let names = match tokenizer {
            Some(tokenizer) => Names::Of(Arc::clone(tokenizer)),
            None => Names::Listed(bytes.renamed.iter().map(|(_, name)| name.clone()).collect()),
        };
        bytes.is_truncated = false;
        Self::of_columns(bytes, offsets, names, parts)
    }
}

impl PythonEncoding {
    /// Returns the combination of this encoding and that of a second text, truncated, post-processed and padded.
    pub(crate) fn post_processed(
        &self,
        pair: Option<&Self>,
        tokenizer: &Arc<pipeline::Tokenizer>,
        options: &Options,
    ) -> PyResult<Self> {
        let nodes: Vec<&Node> = std::iter::once(self).chain(pair).map(|encoding| &*encoding.node).collect();
        let options = pipeline::Options { overflow: true, ..options.inner.clone() };
        let process = || {
            let trees = nodes.iter().map(|node| node.tree(true, true)).collect::<Result<_>>()?;
            let mut processed = tokenizer.process(trees, &options)?;
            name_all(&mut processed, tokenizer);
            Ok(Node::of_trees(processed.clone(), processed, None))
        };
        process().map(Self::new).map_err(to_py)
    }
}

/// Adds the names of tokens that the vocabulary names.
fn name_all(encoding: &mut Encoding, tokenizer: &pipeline::Tokenizer) {
    let mut renamed = std::mem::take(&mut encoding.renamed).into_iter().peekable();
    let name = |(place, &id): (usize, &u32)| {
        let given = renamed.next_if(|(at, _)| *at == place);
        given.unwrap_or_else(|| (place, tokenizer.token(id).unwrap_or_default().to_owned()))
    };
    encoding.renamed = encoding.ids.iter().enumerate().map(name).collect();
    encoding.overflowing.iter_mut().for_each(|part| name_all(part, tokenizer));
}

/// Returns the tokenizer of all encodings, if it is one.
fn common_tokenizer<'a>(nodes: &[&'a Node]) -> Option<&'a Arc<pipeline::Tokenizer>> {
    let mut tokenizers = nodes.iter().map(|node| match &node.names {
        Names::Of(tokenizer) => Some(tokenizer),
        Names::Listed(_) => None,
    });
    let first = tokenizers.next()??;
    tokenizers.all(|other| other.is_some_and(|other| Arc::ptr_eq(first, other))).then_some(first)
}
