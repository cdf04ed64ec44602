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
use crate::text::span::Span;

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
            encoding.set_type_ids(u32::from(sequence > 0));
        }
        Ok(merged(self.process_list(encodings, specials, source)?))
    }

    fn process_list(&self, mut encodings: Vec<Encoding>, specials: bool, source: &dyn Source) -> Result<Vec<Encoding>> {
        match self {
            Self::Bert(bert) => Ok(if specials { bert.process(encodings) } else { encodings }),
            Self::Roberta(roberta) => Ok(roberta.process(encodings, specials, source)),
            Self::Template(template) => template.process(encodings, specials),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::NONE;
    use crate::error::Error;

    /// Tokens with the given texts, one after the other in `text`.
    struct Tokens(&'static str, Vec<&'static str>);

    impl Source for Tokens {
        fn token<'a>(&'a self, encoding: &'a Encoding, place: usize) -> &'a str {
            self.1[encoding.ids[place] as usize]
        }

        fn text(&self, _: &Encoding, _: usize) -> &str {
            self.0
        }
    }

    const CLS: u32 = 90;
    const SEP: u32 = 91;

    fn bert() -> Bert {
        Bert { cls: NamedToken::new("[CLS]", CLS), sep: NamedToken::new("[SEP]", SEP) }
    }

    fn roberta() -> PostProcessor {
        PostProcessor::Roberta(Roberta { around: bert(), trim_offsets: true, add_prefix_space: true })
    }

    /// Both texts stand twice in it, the first also where there is one only.
    fn twice() -> PostProcessor {
        let (a, b) = (|type_id| Piece::Sequence { index: 0, type_id }, |type_id| Piece::Sequence { index: 1, type_id });
        let special = |type_id| Piece::Special { name: "S".to_owned(), type_id };
        let tokens = Special { id: "S".to_owned(), tokens: vec![NamedToken::new("[SEP]", SEP)] };
        PostProcessor::Template(Template {
            single: vec![a(0), special(2), a(1)],
            pair: vec![b(1), special(0), a(3), b(2)],
            specials: [("S".to_owned(), tokens)].into(),
        })
    }

    fn text(ids: &[u32], overflowing: &[&[u32]]) -> Encoding {
        let mut encoding = Encoding::default();
        for (&id, word) in ids.iter().zip(0..) {
            encoding.push(id, Span { start: word, end: word + 1 }, word, 0);
        }
        encoding.overflowing = overflowing.iter().map(|ids| text(ids, &[])).collect();
        encoding
    }

    fn process(processor: &PostProcessor, texts: Vec<Encoding>, specials: bool) -> Encoding {
        processor.process(texts, specials, &NoSource).unwrap()
    }

    fn overflow(encoding: &Encoding) -> Vec<&[u32]> {
        encoding.overflowing.iter().map(|part| part.ids.as_slice()).collect()
    }

    #[test]
    fn bert_surrounds_every_part() {
        let bert = PostProcessor::Bert(bert());
        let found = process(&bert, vec![text(&[1, 2], &[&[3]]), text(&[4], &[&[5]])], true);
        assert_eq!(found.ids, [CLS, 1, 2, SEP, 4, SEP]);
        assert_eq!(found.type_ids, [0, 0, 0, 0, 1, 1]);
        assert_eq!(found.special_tokens_mask, [1, 0, 0, 1, 0, 1]);
        assert_eq!((found.sequence(0), found.sequence(1)), (1..3, 4..5));
        let others = [&[CLS, 3, SEP, 4, SEP][..], &[CLS, 3, SEP, 5, SEP], &[CLS, 1, 2, SEP, 5, SEP]];
        assert_eq!(overflow(&found), others);
        assert_eq!((bert.added_tokens(false), bert.added_tokens(true)), (2, 3));
    }

    #[test]
    fn roberta_knows_one_type() {
        let mut second = text(&[4], &[&[5]]);
        second.overflowing[0].set_type_ids(1);
        let found = process(&roberta(), vec![text(&[1, 2], &[]), second], true);
        assert_eq!(found.ids, [CLS, 1, 2, SEP, SEP, 4, SEP]);
        assert_eq!(found.type_ids, [0; 7]);
        assert_eq!(found.sequence_ids(), [NONE, 0, 0, NONE, NONE, 1, NONE]);
        assert_eq!(overflow(&found), [[CLS, 1, 2, SEP, SEP, 5, SEP]]);
        assert_eq!(found.overflowing[0].type_ids, [0; 7]);
        let bare = process(&roberta(), vec![text(&[1, 2], &[]), text(&[4], &[])], false);
        assert_eq!((bare.ids, bare.type_ids), (vec![1, 2, 4], vec![0; 3]));
        assert_eq!((roberta().added_tokens(false), roberta().added_tokens(true)), (2, 4));
    }

    /// The figures are those of `tokenizers`, as are all that follow on templates.
    #[test]
    fn a_text_may_stand_twice_in_a_template() {
        let single = process(&twice(), vec![text(&[1, 2], &[])], true);
        assert_eq!((single.ids.as_slice(), single.type_ids.as_slice()), (&[1, 2, SEP, 1, 2][..], &[0, 0, 2, 1, 1][..]));
        assert_eq!(single.sequence_ids(), [NONE, NONE, NONE, 0, 0], "the last place is the text's");
        let pair = process(&twice(), vec![text(&[1, 2], &[]), text(&[7], &[])], true);
        assert_eq!((pair.ids.as_slice(), pair.type_ids.as_slice()), (&[7, SEP, 1, 2, 7][..], &[1, 0, 3, 3, 2][..]));
        assert_eq!(pair.special_tokens_mask, [0, 1, 0, 0, 0]);
        assert_eq!(pair.sequence_ids(), [NONE, NONE, 0, 0, 1]);
        let bare = process(&twice(), vec![text(&[1, 2], &[]), text(&[7], &[])], false);
        assert_eq!((bare.ids, bare.type_ids), (vec![7, 1, 2, 7], vec![1, 3, 3, 2]));
        assert_eq!((twice().added_tokens(false), twice().added_tokens(true)), (1, 1));
    }

    #[test]
    fn what_overflows_from_a_text_that_stands_twice() {
        let single = process(&twice(), vec![text(&[1, 2], &[&[3, 4]])], true);
        assert_eq!(overflow(&single), [[3, 4, SEP, 1, 2], [3, 4, SEP, 3, 4], [1, 2, SEP, 3, 4]]);
        let types: Vec<&[u32]> = single.overflowing.iter().map(|part| part.type_ids.as_slice()).collect();
        assert_eq!(types, [[0, 0, 2, 1, 1], [0, 0, 2, 0, 0], [0, 0, 2, 0, 0]], "its type is never told to a part");
    }

    #[test]
    fn one_after_the_other() {
        let both = PostProcessor::Sequence(vec![roberta(), twice()]);
        let found = process(&both, vec![text(&[1, 2], &[]), text(&[7], &[])], true);
        assert_eq!(found.ids, [SEP, 7, SEP, SEP, CLS, 1, 2, SEP, SEP, 7, SEP]);
        assert_eq!(found.type_ids, [1, 1, 1, 0, 3, 3, 3, 3, 2, 2, 2]);
        assert_eq!(found.special_tokens_mask, [1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 1]);
        assert_eq!(found.sequence_ids(), [NONE, NONE, NONE, NONE, 0, 0, 0, 0, 1, 1, 1], "special tokens are text now");
        assert_eq!((both.added_tokens(false), both.added_tokens(true)), (3, 5));
    }

    #[test]
    fn templates_that_cannot_be() {
        let sequence = PostProcessor::Sequence(vec![twice(), twice()]);
        let failed = sequence.process(vec![text(&[1], &[])], true, &NoSource);
        assert!(matches!(failed, Err(Error::Config(text)) if text.contains("gives 3")));
        let PostProcessor::Template(Template { pair, specials, .. }) = twice() else {
            unreachable!("it is a template")
        };
        let second = PostProcessor::Template(Template { single: pair.clone(), pair: pair.clone(), specials });
        assert!(second.process(vec![text(&[1], &[])], true, &NoSource).is_err());
        let nameless = PostProcessor::Template(Template { single: vec![], pair, specials: Default::default() });
        let texts = || vec![text(&[1], &[]), text(&[2], &[])];
        assert!(nameless.process(texts(), true, &NoSource).is_err());
        assert!(nameless.process(texts(), false, &NoSource).is_ok());
    }

    #[test]
    fn a_text_that_stands_twice_does_not_take_the_memory() {
        let part: &[u32] = &[7];
        let texts = |parts: usize| vec![text(&[1], &vec![part; parts]), text(&[2], &vec![part; parts])];
        assert!(twice().process(texts(10), true, &NoSource).is_ok());
        let failed = twice().process(texts(100), true, &NoSource);
        assert!(matches!(failed, Err(Error::Truncation(text)) if text.contains("1030301 combinations")));
    }

    #[test]
    fn without_post_processor() {
        let one = unprocessed(vec![text(&[1], &[])]);
        assert_eq!((one.ids, one.sequences), (vec![1], vec![]));
        let two = unprocessed(vec![text(&[1], &[]), text(&[2], &[])]);
        assert_eq!((two.ids.as_slice(), two.sequence_ids()), (&[1, 2][..], vec![0, 1]));
    }

    #[test]
    fn offsets_leave_out_spaces() {
        let source = Tokens(" a  b ", vec!["Ġa", "ĠĠb", "Ġ"]);
        let spans = |add_prefix_space| {
            let mut text = text(&[0, 1, 2], &[]);
            text.spans = vec![Span::new(0, 2), Span::new(2, 5), Span::new(5, 6)];
            text.overflowing = vec![text.clone()];
            let settings = ByteLevel { add_prefix_space, ..ByteLevel::default() };
            let found = PostProcessor::ByteLevel(settings).process(vec![text], true, &source).unwrap();
            assert_eq!(found.overflowing[0].spans, found.spans);
            found.spans
        };
        assert_eq!(spans(false), [Span::new(1, 2), Span::new(4, 5), Span::new(6, 6)]);
        assert_eq!(spans(true), [Span::new(0, 2), Span::new(4, 5), Span::new(6, 6)], "the first space was put there");
    }

    #[test]
    fn trimming_counts_characters() {
        for (leading, trailing, wanted) in
            [(0, 0, (0, 8)), (1, 0, (3, 8)), (1, 1, (3, 5)), (9, 0, (8, 8)), (2, 2, (5, 5))]
        {
            let found = trimmed("\u{3000}é\u{3000}", Span::new(0, 8), leading, trailing);
            assert_eq!(found, Span::new(wanted.0, wanted.1), "{leading} {trailing}");
        }
    }
}
