//! Tokens of one or two texts to the sequence a model reads.
//!
//! A post-processor takes a list of encodings, at first one for each text, and gives another list, with special tokens
//! in it or around its members; at the end they are put together. A sequence hands the list on.

mod around;
mod template;
mod trim;

pub use around::{Bert, Roberta};
pub use template::{Piece, Special, Template};

use crate::encoding::{Encoding, NamedToken};
use crate::error::Result;
use crate::settings::ByteLevel;
use crate::span::Span;

/// Where special tokens go, and which type ids the texts get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostProcessor {
    /// `[CLS] A [SEP] B [SEP]`.
    Bert(Bert),
    /// `<s> A </s></s> B </s>`, all of one type.
    Roberta(Roberta),
    /// A template.
    Template(Template),
    /// Leaves spaces out of offsets.
    ByteLevel(ByteLevel),
    /// One after the other.
    Sequence(Vec<PostProcessor>),
}

/// What a post-processor may ask about tokens.
pub(crate) trait Source {
    /// The text of a token.
    fn token<'a>(&'a self, encoding: &'a Encoding, place: usize) -> &'a str;

    /// The text that a token's span is of.
    fn text(&self, encoding: &Encoding, place: usize) -> &str;
}

impl PostProcessor {
    /// The special tokens that are added to one text, or to a pair.
    #[must_use]
    pub fn added_tokens(&self, pair: bool) -> usize {
        match self {
            Self::Bert(_) => 2 + usize::from(pair),
            Self::Roberta(_) => 2 + 2 * usize::from(pair),
            Self::Template(template) => template.added_tokens(pair),
            Self::ByteLevel(_) => 0,
            Self::Sequence(processors) => processors.iter().map(|processor| processor.added_tokens(pair)).sum(),
        }
    }

    /// The encodings of one or two texts as one.
    pub(crate) fn process(
        &self,
        mut encodings: Vec<Encoding>,
        specials: bool,
        source: &dyn Source,
    ) -> Result<Encoding> {
        for (sequence, encoding) in encodings.iter_mut().enumerate() {
            encoding.set_sequence(sequence);
            encoding.overflowing.iter_mut().for_each(|part| part.set_sequence(sequence));
            encoding.set_type_ids(if sequence == 0 { 0 } else { 1 });
        }
        Ok(merged(self.process_list(encodings, specials, source)?))
    }

    fn process_list(&self, mut encodings: Vec<Encoding>, specials: bool, source: &dyn Source) -> Result<Vec<Encoding>> {
        match self {
            Self::Bert(bert) => Ok(if specials { bert.process(encodings) } else { encodings }),
            Self::Roberta(roberta) => Ok(roberta.process(encodings, specials, source)),
            Self::Template(template) => template.process(&encodings, specials),
            Self::ByteLevel(byte_level) => {
                if byte_level.trim_offsets {
                    trim::trim_all(&mut encodings, byte_level.add_prefix_space, source);
                }
                encodings.iter_mut().enumerate().for_each(|(number, encoding)| encoding.set_sequence(number));
                Ok(encodings)
            }
            Self::Sequence(processors) => {
                for processor in processors {
                    encodings = processor.process_list(encodings, specials, source)?;
                }
                Ok(encodings)
            }
        }
    }

    /// All special tokens that may be added.
    pub(crate) fn tokens_mut(&mut self) -> Box<dyn Iterator<Item = &mut NamedToken> + '_> {
        match self {
            Self::Bert(bert) => Box::new([&mut bert.cls, &mut bert.sep].into_iter()),
            Self::Roberta(roberta) => Box::new([&mut roberta.around.cls, &mut roberta.around.sep].into_iter()),
            Self::Template(template) => Box::new(template.tokens_mut()),
            Self::ByteLevel(_) => Box::new(std::iter::empty()),
            Self::Sequence(processors) => Box::new(processors.iter_mut().flat_map(Self::tokens_mut)),
        }
    }
}

/// Encodings one after the other.
pub(crate) fn merged(encodings: Vec<Encoding>) -> Encoding {
    encodings.into_iter().fold(Encoding::default(), |mut all, encoding| {
        all.append(encoding);
        all
    })
}

/// Without post-processor: the texts one after the other.
pub(crate) fn unprocessed(mut encodings: Vec<Encoding>) -> Encoding {
    if let [_] = &encodings[..]
        && let Some(only) = encodings.pop()
    {
        return only;
    }
    encodings.iter_mut().enumerate().for_each(|(sequence, encoding)| encoding.set_sequence(sequence));
    merged(encodings)
}

/// For texts without tokens, about which there is nothing to ask.
pub(crate) struct NoSource;

impl Source for NoSource {
    fn token<'a>(&'a self, _: &'a Encoding, _: usize) -> &'a str {
        ""
    }

    fn text(&self, _: &Encoding, _: usize) -> &str {
        ""
    }
}

/// The spans of a text's characters that are white space, at the ends of a token's span.
pub(crate) fn trimmed(text: &str, span: Span, leading: usize, trailing: usize) -> Span {
    let (mut start, mut end) = (span.range().start, span.range().end);
    if leading > 0 {
        start = text[start..end].char_indices().nth(leading).map_or(end, |(at, _)| start + at);
    }
    if trailing > 0
        && let Some((at, _)) = text[..end].char_indices().nth_back(trailing - 1)
    {
        end = at.max(start);
    }
    Span::new(start, end)
}
