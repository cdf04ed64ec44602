//! Changes of encodings: the core changes the columns, once with spans in bytes and once with spans in characters.

use std::sync::Arc;

use piecework_core::Result;
use piecework_core::encoding::Encoding;
use piecework_core::pipeline;
use piecework_core::text::span::Span;

use crate::aligned::{AlignedEncoding, Names};

impl AlignedEncoding {
    /// Returns what `change` makes of encodings and their overflowing parts.
    pub(crate) fn changed(encodings: &[&Self], change: impl Fn(Vec<Encoding>) -> Result<Encoding>) -> Result<Self> {
        let names = common_tokenizer(encodings);
        let [bytes, characters] = [false, true].map(|characters| {
            let trees = encodings.iter().map(|encoding| encoding.tree(names.is_none(), characters));
            change(trees.collect::<Result<_>>()?)
        });
        Ok(Self::of_trees(bytes?, characters?, names))
    }

    /// Returns the columns with all overflowing parts, with spans in bytes or in characters.
    ///
    /// If `named`, all tokens have their names in `renamed`.
    pub(crate) fn tree(&self, named: bool, characters: bool) -> Result<Encoding> {
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

    /// Returns the combination of the encodings of one or two texts, truncated, post-processed and padded.
    pub(crate) fn post_processed(
        encodings: &[&Self],
        tokenizer: &Arc<pipeline::Tokenizer>,
        options: &pipeline::Options,
    ) -> Result<Self> {
        let options = pipeline::Options { overflow: true, ..options.clone() };
        let trees = encodings.iter().map(|encoding| encoding.tree(true, true)).collect::<Result<_>>()?;
        let mut processed = tokenizer.process(trees, &options)?;
        name_all(&mut processed, tokenizer);
        Ok(Self::of_trees(processed.clone(), processed, None))
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
fn common_tokenizer<'a>(encodings: &[&'a AlignedEncoding]) -> Option<&'a Arc<pipeline::Tokenizer>> {
    let mut tokenizers = encodings.iter().map(|encoding| match &encoding.names {
        Names::Of(tokenizer) => Some(tokenizer),
        Names::Listed(_) => None,
    });
    let first = tokenizers.next()??;
    tokenizers.all(|other| other.is_some_and(|other| Arc::ptr_eq(first, other))).then_some(first)
}
