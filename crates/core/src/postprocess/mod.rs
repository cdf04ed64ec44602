//! Post-processing: one or two encoded texts to the sequence that a model reads.
//!
//! A post-processor receives a list of encodings, at first one for each text, and returns a list with special tokens in
//! or between its members. The last list is concatenated. A sequence passes the list on.

mod bert;
mod template;
mod trim;

pub use bert::{Bert, Roberta};
pub use template::{Template, TemplatePart, TemplateToken};

use crate::encoding::{Encoding, NamedToken};
use crate::error::Result;
use crate::settings::ByteLevel;
use crate::text::span::Span;

/// The placement of special tokens, and the type ids of texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostProcessor {
    /// The format `[CLS] A [SEP] B [SEP]`.
    Bert(Bert),
    /// The format `<s> A </s></s> B </s>`, all with one type id.
    Roberta(Roberta),
    /// A template.
    Template(Template),
    /// Excludes spaces from offsets.
    ByteLevel(ByteLevel),
    /// Several post-processors in order.
    Sequence(Vec<PostProcessor>),
}

/// The texts of tokens, for post-processors that trim offsets.
pub(crate) trait TokenTexts {
    /// Returns the text of a token.
    fn token<'a>(&'a self, encoding: &'a Encoding, place: usize) -> &'a str;

    /// Returns the text that a token's span refers to.
    fn text(&self, encoding: &Encoding, place: usize) -> &str;
}

impl PostProcessor {
    /// Returns the number of special tokens that are added to one text or to a pair.
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

    /// Returns the number of special tokens that are added to one text or to a pair, long ones as several.
    pub(crate) fn added_units(&self, pair: bool) -> usize {
        match self {
            Self::Bert(_) | Self::Roberta(_) | Self::ByteLevel(_) => {
                self.added_tokens(pair) * self.tokens().map(NamedToken::units).max().unwrap_or(1)
            }
            Self::Template(template) => template.added_units(pair),
            Self::Sequence(processors) => processors.iter().map(|processor| processor.added_units(pair)).sum(),
        }
    }

    /// Returns the number of parts that the longest template has, or each of a sequence together.
    pub(crate) fn part_count(&self) -> usize {
        match self {
            Self::Template(template) => {
                [false, true].map(|pair| template.parts(pair).len()).into_iter().max().unwrap_or(0)
            }
            Self::Sequence(processors) => processors.iter().map(Self::part_count).sum(),
            Self::Bert(_) | Self::Roberta(_) | Self::ByteLevel(_) => 1,
        }
    }

    /// Returns the type id of all tokens of a single text, or `None` if they may differ.
    ///
    /// ```
    /// use piecework_core::postprocess::{PostProcessor, Template};
    ///
    /// let bert = PostProcessor::Template(Template::bert(("[CLS]", 2), ("[SEP]", 3)));
    /// assert_eq!(bert.single_type_id(), Some(0));
    /// ```
    #[must_use]
    pub fn single_type_id(&self) -> Option<u32> {
        match self {
            Self::Bert(_) | Self::Roberta(_) | Self::ByteLevel(_) => Some(0),
            Self::Template(template) => template.single_type_id(),
            Self::Sequence(processors) => {
                let are_zero = processors.iter().all(|processor| processor.single_type_id() == Some(0));
                are_zero.then_some(0)
            }
        }
    }

    /// Combines the encodings of one or two texts into one; without `texts` no offsets are trimmed.
    pub(crate) fn process(
        &self,
        mut encodings: Vec<Encoding>,
        add_special_tokens: bool,
        texts: Option<&dyn TokenTexts>,
    ) -> Result<Encoding> {
        for (sequence, encoding) in encodings.iter_mut().enumerate() {
            encoding.set_sequence(sequence);
            encoding.overflowing.iter_mut().for_each(|part| part.set_sequence(sequence));
            encoding.set_type_ids(u32::from(sequence > 0));
        }
        Ok(Encoding::merged(self.process_list(encodings, add_special_tokens, texts)?, false))
    }

    /// Processes a list of encodings.
    fn process_list(
        &self,
        mut encodings: Vec<Encoding>,
        add_special_tokens: bool,
        texts: Option<&dyn TokenTexts>,
    ) -> Result<Vec<Encoding>> {
        match self {
            Self::Bert(bert) => Ok(if add_special_tokens { bert.process(encodings) } else { encodings }),
            Self::Roberta(roberta) => Ok(roberta.process(encodings, add_special_tokens, texts)),
            Self::Template(template) => template.process(encodings, add_special_tokens),
            Self::ByteLevel(byte_level) => {
                if byte_level.trim_offsets
                    && let Some(texts) = texts
                {
                    trim::trim_all(&mut encodings, byte_level.add_prefix_space, texts);
                }
                encodings.iter_mut().enumerate().for_each(|(number, encoding)| encoding.set_sequence(number));
                Ok(encodings)
            }
            Self::Sequence(processors) => {
                for processor in processors {
                    encodings = processor.process_list(encodings, add_special_tokens, texts)?;
                }
                Ok(encodings)
            }
        }
    }

    /// Returns all special tokens that may be added.
    ///
    /// ```
    /// use piecework_core::postprocess::{PostProcessor, Template};
    ///
    /// let bert = PostProcessor::Template(Template::bert(("[CLS]", 2), ("[SEP]", 3)));
    /// assert_eq!(bert.tokens().map(|token| token.id).collect::<Vec<_>>(), [2, 3]);
    /// ```
    #[must_use]
    pub fn tokens(&self) -> Box<dyn Iterator<Item = &NamedToken> + '_> {
        match self {
            Self::Bert(bert) => Box::new([&bert.cls, &bert.sep].into_iter()),
            Self::Roberta(roberta) => Box::new([&roberta.tokens.cls, &roberta.tokens.sep].into_iter()),
            Self::Template(template) => Box::new(template.tokens()),
            Self::ByteLevel(_) => Box::new(std::iter::empty()),
            Self::Sequence(processors) => Box::new(processors.iter().flat_map(Self::tokens)),
        }
    }

    /// Returns all special tokens that may be added, to be changed.
    pub(crate) fn tokens_mut(&mut self) -> Box<dyn Iterator<Item = &mut NamedToken> + '_> {
        match self {
            Self::Bert(bert) => Box::new([&mut bert.cls, &mut bert.sep].into_iter()),
            Self::Roberta(roberta) => Box::new([&mut roberta.tokens.cls, &mut roberta.tokens.sep].into_iter()),
            Self::Template(template) => Box::new(template.tokens_mut()),
            Self::ByteLevel(_) => Box::new(std::iter::empty()),
            Self::Sequence(processors) => Box::new(processors.iter_mut().flat_map(Self::tokens_mut)),
        }
    }
}

/// Returns the concatenation of texts without post-processor.
pub(crate) fn unprocessed(mut encodings: Vec<Encoding>) -> Encoding {
    if let [_] = &encodings[..]
        && let Some(only) = encodings.pop()
    {
        return only;
    }
    encodings.iter_mut().enumerate().for_each(|(sequence, encoding)| encoding.set_sequence(sequence));
    Encoding::merged(encodings, false)
}

/// Returns a token's span without `leading` and `trailing` characters.
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

    /// Tokens with the given texts; the first member is the text that contains them.
    struct Tokens(&'static str, Vec<&'static str>);

    impl TokenTexts for Tokens {
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
        PostProcessor::Roberta(Roberta { tokens: bert(), trim_offsets: true, add_prefix_space: true })
    }

    /// Returns a template that contains both texts twice, and a single text twice too.
    fn twice() -> PostProcessor {
        let (a, b) = (
            |type_id| TemplatePart::Sequence { index: 0, type_id },
            |type_id| TemplatePart::Sequence { index: 1, type_id },
        );
        let special = |type_id| TemplatePart::Special { name: "S".to_owned(), type_id };
        let tokens = TemplateToken { id: "S".to_owned(), tokens: vec![NamedToken::new("[SEP]", SEP)] };
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

    fn process(processor: &PostProcessor, texts: Vec<Encoding>, add_special_tokens: bool) -> Encoding {
        processor.process(texts, add_special_tokens, None).unwrap()
    }

    fn overflow(encoding: &Encoding) -> Vec<&[u32]> {
        encoding.overflowing.iter().map(|part| part.ids.as_slice()).collect()
    }

    #[test]
    fn bert_adds_special_tokens_to_every_window() {
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
    fn roberta_has_one_type_id() {
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

    /// The expected values are those of `tokenizers`, also in the other tests of templates.
    #[test]
    fn a_template_may_repeat_a_text() {
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
    fn overflowing_windows_of_a_repeated_text() {
        let single = process(&twice(), vec![text(&[1, 2], &[&[3, 4]])], true);
        assert_eq!(overflow(&single), [[3, 4, SEP, 1, 2], [3, 4, SEP, 3, 4], [1, 2, SEP, 3, 4]]);
        let types: Vec<&[u32]> = single.overflowing.iter().map(|part| part.type_ids.as_slice()).collect();
        assert_eq!(types, [[0, 0, 2, 1, 1], [0, 0, 2, 0, 0], [0, 0, 2, 0, 0]], "overflowing windows keep type 0");
    }

    #[test]
    fn sequence_of_post_processors() {
        let both = PostProcessor::Sequence(vec![roberta(), twice()]);
        let found = process(&both, vec![text(&[1, 2], &[]), text(&[7], &[])], true);
        assert_eq!(found.ids, [SEP, 7, SEP, SEP, CLS, 1, 2, SEP, SEP, 7, SEP]);
        assert_eq!(found.type_ids, [1, 1, 1, 0, 3, 3, 3, 3, 2, 2, 2]);
        assert_eq!(found.special_tokens_mask, [1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 1]);
        assert_eq!(found.sequence_ids(), [NONE, NONE, NONE, NONE, 0, 0, 0, 0, 1, 1, 1], "special tokens are text now");
        assert_eq!((both.added_tokens(false), both.added_tokens(true)), (3, 5));
    }

    #[test]
    fn invalid_templates_are_errors() {
        let sequence = PostProcessor::Sequence(vec![twice(), twice()]);
        let failed = sequence.process(vec![text(&[1], &[])], true, None);
        assert!(matches!(failed, Err(Error::Config(text)) if text.to_string().contains("gives 3")));
        let PostProcessor::Template(Template { pair, specials, .. }) = twice() else {
            unreachable!("it is a template")
        };
        let second = PostProcessor::Template(Template { single: pair.clone(), pair: pair.clone(), specials });
        assert!(second.process(vec![text(&[1], &[])], true, None).is_err());
        let nameless = PostProcessor::Template(Template { single: vec![], pair, specials: Default::default() });
        let texts = || vec![text(&[1], &[]), text(&[2], &[])];
        assert!(nameless.process(texts(), true, None).is_err());
        assert!(nameless.process(texts(), false, None).is_ok());
    }

    #[test]
    fn combinations_of_a_repeated_text_are_limited() {
        let part: &[u32] = &[7];
        let texts = |parts: usize| vec![text(&[1], &vec![part; parts]), text(&[2], &vec![part; parts])];
        assert!(twice().process(texts(10), true, None).is_ok());
        let failed = twice().process(texts(100), true, None);
        assert!(matches!(failed, Err(Error::Truncation(text)) if text.to_string().contains("9272709 combinations")));
    }

    #[test]
    fn without_post_processor() {
        let one = unprocessed(vec![text(&[1], &[])]);
        assert_eq!((one.ids, one.sequences), (vec![1], vec![]));
        let two = unprocessed(vec![text(&[1], &[]), text(&[2], &[])]);
        assert_eq!((two.ids.as_slice(), two.sequence_ids()), (&[1, 2][..], vec![0, 1]));
    }

    #[test]
    fn offsets_exclude_spaces() {
        let source = Tokens(" a  b ", vec!["Ġa", "ĠĠb", "Ġ"]);
        let spans = |add_prefix_space| {
            let mut text = text(&[0, 1, 2], &[]);
            text.spans = vec![Span::new(0, 2), Span::new(2, 5), Span::new(5, 6)];
            text.overflowing = vec![text.clone()];
            let settings = ByteLevel { add_prefix_space, ..ByteLevel::default() };
            let found = PostProcessor::ByteLevel(settings).process(vec![text], true, Some(&source)).unwrap();
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
