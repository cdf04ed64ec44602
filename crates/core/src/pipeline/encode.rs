//! Encodes texts to ids, or to encodings with all columns.
//!
//! What a post-processor does to ids follows from what it does to texts of one token each. So it processes such texts
//! once, when the tokenizer is made (`steps`), and ids alone follow these steps without an `Encoding`.

use std::borrow::Cow;

use super::options::{Input, Options};
use super::scratch::Scratch;
use super::tokens::TextToken;
use super::{Tokenizer, is_one};
use crate::encoding::truncate::check_parts;
use crate::encoding::{Encoding, NONE};
use crate::error::{Error, Result};
use crate::memory::Growable;
use crate::model::SubwordRegularization;
use crate::postprocess::{self, PostProcessor, TokenTexts};
use crate::text::span::Span;

/// A part of the ids that post-processing gives: those of a text, or of special tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IdPart {
    /// The tokens of the first (0) or second (1) text.
    Text(usize),
    /// Special tokens.
    Special(Vec<u32>),
}

impl Tokenizer {
    /// Appends the ids of a text or pair to `ids`, truncated, but not padded.
    ///
    /// ```
    /// use piecework_core::format::format_named;
    /// use piecework_core::pipeline::{Input, Options, Scratch};
    ///
    /// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\nlow\n##er\n")?;
    /// let (options, mut scratch, mut ids) = (Options::default(), Scratch::default(), Vec::new());
    /// for text in ["low", "lower"] {
    ///     tokenizer.encode_ids(Input::Text(text), None, &options, &mut scratch, &mut ids)?;
    /// }
    /// assert_eq!(ids, [1, 1, 2]);
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn encode_ids(
        &self,
        text: Input<'_>,
        pair: Option<Input<'_>>,
        options: &Options,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
    ) -> Result<()> {
        let plan = self.plan(pair.is_some(), options)?;
        self.begin(options, scratch);
        let input = |index| if index == 0 { text } else { pair.unwrap_or(Input::Text("")) };
        let texts = 1 + usize::from(pair.is_some());
        if options.truncation.is_none() && in_order(plan, texts) {
            for step in plan {
                match step {
                    IdPart::Special(special) => ids.extend_from_slice(special),
                    IdPart::Text(index) => {
                        self.token_ids(input(*index), options, scratch, ids)?;
                    }
                }
            }
            return Ok(());
        }
        let mut kept = std::mem::take(&mut scratch.ids);
        kept.iter_mut().for_each(Vec::clear);
        for (index, kept) in kept.iter_mut().enumerate().take(texts) {
            self.token_ids(input(index), options, scratch, kept)?;
        }
        let (first, second) = (kept[0].len(), kept[1].len());
        let parts = match &options.truncation {
            Some(truncation) => {
                let added = self.added_tokens(pair.is_some(), options);
                let lengths = truncation.kept(first, pair.map(|_| second), added)?;
                [truncation.kept_range(first, lengths.0)?, truncation.kept_range(second, lengths.1)?]
            }
            None => [0..first, 0..second],
        };
        for step in plan {
            match step {
                IdPart::Special(special) => ids.extend_from_slice(special),
                IdPart::Text(index) => ids.extend_from_slice(&kept[*index][parts[*index].clone()]),
            }
        }
        scratch.ids = kept;
        Ok(())
    }

    /// Appends the ids of one text, before post-processing.
    pub(super) fn token_ids(
        &self,
        input: Input<'_>,
        options: &Options,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
    ) -> Result<()> {
        if self.fast_ids(input, options, scratch, ids) {
            return Ok(());
        }
        self.each_token(input, options, false, scratch, |found, _| {
            ids.make_room(1);
            ids.push(found.id);
        })
    }

    /// Returns the encoding of a text or pair, truncated and padded, with the overflowing windows if requested.
    ///
    /// ```
    /// use piecework_core::format::format_named;
    /// use piecework_core::pipeline::{Input, Options, Scratch};
    /// use piecework_core::text::span::Span;
    ///
    /// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\nlow\n##er\n")?;
    /// let encoding = tokenizer.encode(Input::Text("é lower"), None, &Options::default(), &mut Scratch::default())?;
    /// assert_eq!(encoding.spans, [Span { start: 0, end: 2 }, Span { start: 3, end: 6 }, Span { start: 6, end: 8 }]);
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn encode(
        &self,
        text: Input<'_>,
        pair: Option<Input<'_>>,
        options: &Options,
        scratch: &mut Scratch,
    ) -> Result<Encoding> {
        self.plan(pair.is_some(), options)?;
        self.begin(options, scratch);
        let mut encodings = vec![self.encode_input(text, 0, options, scratch)?];
        if let Some(pair) = pair {
            encodings.push(self.encode_input(pair, 1, options, scratch)?);
        }
        let texts = Inputs { tokenizer: self, inputs: [text, pair.unwrap_or(Input::Text(""))] };
        self.finish(encodings, &texts, options)
    }

    /// Returns the combination of the encodings of one or two texts, truncated, post-processed and padded.
    ///
    /// The spans count characters. Tokens have the names in `renamed`, or else those of the vocabulary.
    ///
    /// ```
    /// use piecework_core::encoding::Encoding;
    /// use piecework_core::format::format_named;
    /// use piecework_core::pipeline::Options;
    ///
    /// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\n[CLS]\n[SEP]\nlow\n")?;
    /// assert_eq!(tokenizer.process(vec![Encoding::default()], &Options::default())?.ids, [1, 2]);
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn process(&self, encodings: Vec<Encoding>, options: &Options) -> Result<Encoding> {
        let end = |encoding: &Encoding| encoding.spans.iter().map(|span| span.range().end).max().unwrap_or(0);
        let all = || encodings.iter().flat_map(|encoding| std::iter::once(encoding).chain(&encoding.overflowing));
        // Trimming moves offsets by characters, for which any text of characters of one byte serves.
        let text = " ".repeat(all().map(end).max().unwrap_or(0));
        self.plan(encodings.len() > 1, options)?;
        self.finish(encodings, &Inputs { tokenizer: self, inputs: [Input::Text(&text); 2] }, options)
    }

    /// Truncates, post-processes and pads the encodings of one or two texts.
    fn finish(&self, mut encodings: Vec<Encoding>, texts: &dyn TokenTexts, options: &Options) -> Result<Encoding> {
        let mut is_truncated = false;
        if let Some(truncation) = &options.truncation {
            let lengths: Vec<usize> = encodings.iter().map(Encoding::len).collect();
            let added = self.added_tokens(encodings.len() > 1, options);
            let kept = truncation.kept(lengths[0], lengths.get(1).copied(), added)?;
            let kept = [kept.0, kept.1];
            is_truncated = kept.iter().zip(&lengths).any(|(kept, length)| kept.is_some_and(|kept| kept < *length));
            if options.overflow {
                truncation.check_overflow([(lengths[0], kept[0]), (lengths.get(1).copied().unwrap_or(0), kept[1])])?;
            }
            for (encoding, length) in encodings.iter_mut().zip(kept) {
                truncation.truncate(encoding, length, options.overflow)?;
            }
        }
        let is_pair = encodings.len() > 1;
        let tokens = encodings.iter().map(|encoding| encoding.part_sizes().0).sum();
        let mut encoding = self.post_process(encodings, texts, options)?;
        if let Some(padding) = &options.padding {
            if self.text_count(is_pair, options)? > 1 {
                check_parts(encoding.part_count(), padding.target(encoding.len())?, tokens)?;
            }
            padding.pad(&mut encoding)?;
        }
        encoding.is_truncated = is_truncated;
        Ok(encoding)
    }

    /// Merges the encodings of one or two texts into one, and adds special tokens if requested.
    pub(super) fn post_process(
        &self,
        encodings: Vec<Encoding>,
        texts: &dyn TokenTexts,
        options: &Options,
    ) -> Result<Encoding> {
        match &self.parts.post_processor {
            Some(processor) => processor.process(encodings, options.add_special_tokens, Some(texts)),
            None => Ok(postprocess::unprocessed(encodings)),
        }
    }

    /// Returns the number of tokens of a text with its special tokens, without truncation and padding.
    ///
    /// ```
    /// use piecework_core::format::format_named;
    /// use piecework_core::pipeline::{Options, Scratch};
    ///
    /// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\nlow\n##er\n")?;
    /// assert_eq!(tokenizer.count("low lower", &Options::default(), &mut Scratch::default())?, 3);
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn count(&self, text: &str, options: &Options, scratch: &mut Scratch) -> Result<usize> {
        let mut count = 0;
        self.begin(options, scratch);
        let mut ids = std::mem::take(&mut scratch.ids[0]);
        for step in self.plan(false, options)? {
            match step {
                IdPart::Special(special) => count += special.len(),
                IdPart::Text(_) => {
                    ids.clear();
                    self.token_ids(Input::Text(text), options, scratch, &mut ids)?;
                    count += ids.len();
                }
            }
        }
        scratch.ids[0] = ids;
        Ok(count)
    }

    /// Sets the random generator of `scratch` for the next input, or turns dropout and sampling off.
    pub(super) fn begin(&self, options: &Options, scratch: &mut Scratch) {
        scratch.begin(self.regularization(options), options.seed, options.first_input);
    }

    /// Returns the options of the input with index `number`; its random choices differ from those of other inputs.
    #[must_use]
    pub fn options_of_input<'a>(&self, options: &'a Options, number: u64) -> Cow<'a, Options> {
        match self.regularization(options) {
            Some(_) => {
                let first_input = options.first_input.wrapping_add(number);
                Cow::Owned(Options { first_input, ..options.clone() })
            }
            None => Cow::Borrowed(options),
        }
    }

    /// Returns the dropout or the sampling settings of the call; `None` if its segmentation is deterministic.
    pub(super) fn regularization(&self, options: &Options) -> Option<SubwordRegularization> {
        self.traits().regularization(options.dropout, options.alpha, options.nbest_size)
    }

    /// Returns the steps of post-processing, or the reason why it is not possible.
    pub(super) fn plan(&self, pair: bool, options: &Options) -> Result<&[IdPart]> {
        let plan = &self.plans[usize::from(pair)][usize::from(options.add_special_tokens)];
        plan.as_deref().map_err(Clone::clone)
    }

    /// Returns the number of texts of an encoding, where a template may repeat one.
    pub(super) fn text_count(&self, pair: bool, options: &Options) -> Result<usize> {
        Ok(self.plan(pair, options)?.iter().filter(|step| matches!(step, IdPart::Text(_))).count())
    }

    /// Returns the number of special tokens that post-processing adds.
    pub(super) fn added_tokens(&self, pair: bool, options: &Options) -> usize {
        let processor = self.parts.post_processor.as_ref().filter(|_| options.add_special_tokens);
        processor.map_or(0, |processor| processor.added_tokens(pair))
    }

    /// Returns the tokens of one text, before post-processing.
    pub(super) fn encode_input(
        &self,
        input: Input<'_>,
        text: u32,
        options: &Options,
        scratch: &mut Scratch,
    ) -> Result<Encoding> {
        let encoding = match self.fast_tokens(input, text, options, scratch) {
            Some(encoding) => encoding,
            None => {
                let mut encoding = Encoding::default();
                let push = |found: &TextToken<'_>, word| self.push(&mut encoding, found, word, text);
                self.each_token(input, options, true, scratch, push)?;
                encoding
            }
        };
        if let Input::Trusted(text, ranges) = input {
            self.check_ranges(&encoding, text, ranges)?;
        }
        Ok(encoding)
    }

    /// Returns an error if the model itself found an untrusted token outside the trusted ranges of a text.
    fn check_ranges(&self, encoding: &Encoding, text: &str, ranges: &[Span]) -> Result<()> {
        if !self.added.has_untrusted_in_model() {
            return Ok(());
        }
        for (&id, span) in encoding.ids.iter().zip(&encoding.spans) {
            let token = self.added.untrusted_in_model(id).filter(|token| !is_one(&token.content));
            let is_within = |range: &Span| range.start <= span.start && span.end <= range.end;
            if let Some(token) = token.filter(|_| !ranges.iter().any(is_within)) {
                let character = text[..span.range().start].chars().count();
                return Err(Error::SpecialToken { token: token.content.clone(), is_special: false, character });
            }
        }
        Ok(())
    }

    /// Appends a token of a text to the columns of an encoding.
    pub(super) fn push(&self, encoding: &mut Encoding, found: &TextToken<'_>, word: u32, text: u32) {
        if let Some(name) = self.other_name(found) {
            encoding.renamed.push((encoding.len(), name.to_owned()));
        }
        encoding.push(found.id, found.original(), word, text);
    }
}

/// The largest number of special tokens of a text; a small file must not request a large table.
const MAX_ADDED: usize = 1 << 20;

/// Returns the steps of post-processing, derived from its result for texts of one token each.
pub(super) fn steps(processor: Option<&PostProcessor>, pair: bool, add_special_tokens: bool) -> Result<Vec<IdPart>> {
    let added = processor.map_or(0, |processor| processor.added_tokens(pair));
    if added > MAX_ADDED {
        return Err(Error::Config(format!("the post-processor adds {added} tokens; expected at most 2^20").into()));
    }
    let texts = (0..=u32::from(pair)).map(|text| {
        let mut encoding = Encoding::default();
        encoding.push(0, Span::default(), 0, text);
        encoding
    });
    let texts = texts.collect();
    let processed = match processor {
        Some(processor) => processor.process(texts, add_special_tokens, None)?,
        None => postprocess::unprocessed(texts),
    };
    let mut steps = Vec::new();
    for (&id, &text) in processed.ids.iter().zip(&processed.texts) {
        match (steps.last_mut(), text) {
            (Some(IdPart::Special(ids)), NONE) => ids.push(id),
            (_, NONE) => steps.push(IdPart::Special(vec![id])),
            (_, text) => steps.push(IdPart::Text(text as usize)),
        }
    }
    Ok(steps)
}

/// Returns whether each text occurs once in the plan, in order, so that ids can be written directly.
fn in_order(plan: &[IdPart], texts: usize) -> bool {
    let found = plan.iter().filter_map(|step| if let IdPart::Text(index) = step { Some(*index) } else { None });
    found.eq(0..texts)
}

/// The texts of a call with their tokenizer, for post-processors that trim offsets.
pub(super) struct Inputs<'a> {
    pub(super) tokenizer: &'a Tokenizer,
    pub(super) inputs: [Input<'a>; 2],
}

impl TokenTexts for Inputs<'_> {
    fn token<'a>(&'a self, encoding: &'a Encoding, place: usize) -> &'a str {
        match encoding.renamed.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(at) => &encoding.renamed[at].1,
            Err(_) => self.tokenizer.token(encoding.ids[place]).unwrap_or_default(),
        }
    }

    fn text(&self, encoding: &Encoding, place: usize) -> &str {
        // A special token has an empty span at 0, for which any text serves.
        match self.inputs.get(encoding.texts[place] as usize).unwrap_or(&self.inputs[0]) {
            Input::Text(text) | Input::Segments(text, _) | Input::Trusted(text, _) => text,
            Input::Words(words) => words.get(encoding.word_ids[place] as usize).copied().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::added::AddedToken;
    use crate::added::{SpecialsPolicy, TextTokens};
    use crate::encoding::pad::Padding;
    use crate::encoding::truncate::Truncation;
    use crate::encoding::truncate::TruncationStrategy;
    use crate::encoding::{Direction, NamedToken};
    use crate::error::Error;
    use crate::format::{JsonSettings, format_named, read_tokenizer_json};
    use crate::model::Model;
    use crate::model::word_level::WordLevel;
    use crate::pipeline::EncodingPath;
    use crate::pipeline::TokenizerParts;
    use crate::postprocess::{Bert, Template, TemplatePart};
    use crate::pretokenize::PreTokenizer;
    use crate::splitter::WordSplitter;
    use crate::vocab::Vocab;

    const PAD: u32 = 0;
    const CLS: u32 = 2;
    const SEP: u32 = 3;
    const A: u32 = 4;

    fn tokenizer(post_processor: Option<PostProcessor>) -> Tokenizer {
        let tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "c", "d", "e"].map(str::to_owned);
        let added = [(PAD, "[PAD]"), (CLS, "[CLS]"), (SEP, "[SEP]")];
        let splitter = WordSplitter::new(None, Some(PreTokenizer::WhitespaceSplit)).unwrap();
        let model = Model::WordLevel(WordLevel::new(Vocab::from_tokens(tokens).unwrap(), "[UNK]".to_owned()));
        Tokenizer::new(TokenizerParts {
            added: added.map(|(id, content)| AddedToken::special(id, content)).into(),
            post_processor,
            ..TokenizerParts::new(splitter, model)
        })
        .unwrap()
    }

    fn bert() -> Option<PostProcessor> {
        Some(PostProcessor::Bert(Bert { cls: NamedToken::new("[CLS]", CLS), sep: NamedToken::new("[SEP]", SEP) }))
    }

    /// Returns `$B [SEP] $A $B`, which is invalid for a single text.
    fn second_first() -> Option<PostProcessor> {
        let text = |index| TemplatePart::Sequence { index, type_id: 0 };
        let mut template = Template::bert(("[CLS]", CLS), ("[SEP]", SEP));
        template.pair = vec![text(1), TemplatePart::Special { name: "[SEP]".to_owned(), type_id: 0 }, text(0), text(1)];
        template.single.push(text(1));
        Some(PostProcessor::Template(template))
    }

    fn ids(tokenizer: &Tokenizer, text: &str, pair: Option<&str>, options: &Options) -> Result<Vec<u32>> {
        let mut ids = Vec::new();
        let pair = pair.map(Input::Text);
        tokenizer.encode_ids(Input::Text(text), pair, options, &mut Scratch::default(), &mut ids).map(|()| ids)
    }

    fn encode(tokenizer: &Tokenizer, text: &str, pair: Option<&str>, options: &Options) -> Result<Encoding> {
        tokenizer.encode(Input::Text(text), pair.map(Input::Text), options, &mut Scratch::default())
    }

    fn truncated(max_length: usize, stride: usize, strategy: TruncationStrategy, direction: Direction) -> Options {
        let truncation = Some(Truncation { max_length, stride, strategy, direction });
        Options { truncation, ..Options::default() }
    }

    #[test]
    fn either_end_is_cut_off() {
        let tokenizer = tokenizer(bert());
        for (direction, single, pair) in [
            (Direction::Right, [CLS, A, A + 1, A + 2, SEP], [CLS, A, SEP, A + 3, SEP]),
            (Direction::Left, [CLS, A + 2, A + 3, A + 4, SEP], [CLS, A + 2, SEP, A + 4, SEP]),
        ] {
            let options = truncated(5, 0, TruncationStrategy::LongestFirst, direction);
            assert_eq!(ids(&tokenizer, "a b c d e", None, &options), Ok(single.to_vec()));
            assert_eq!(ids(&tokenizer, "a b c", Some("d e"), &options), Ok(pair.to_vec()));
        }
    }

    #[test]
    fn ids_alone_are_those_of_the_encoding() {
        let texts = ["", "a", "a b c", "[SEP] a b x d e"];
        let strategies =
            [TruncationStrategy::LongestFirst, TruncationStrategy::OnlyFirst, TruncationStrategy::OnlySecond];
        let mut succeeded = 0;
        for post_processor in [None, bert(), second_first()] {
            let tokenizer = tokenizer(post_processor);
            for number in 0..4 * 5 * 2 * 3 * 2 * 2 * 9 {
                let (text, pair, rest) = (texts[number % 4], texts.get(number / 4 % 5), number / 20);
                let direction = [Direction::Left, Direction::Right][rest % 2];
                let (strategy, rest) = (strategies[rest / 2 % 3], rest / 6);
                let add_special_tokens = rest % 2 > 0;
                let options = truncated(rest / 4, rest / 2 % 2, strategy, direction);
                let options = Options { add_special_tokens, ..options };
                let alone = ids(&tokenizer, text, pair.copied(), &options);
                let all = encode(&tokenizer, text, pair.copied(), &options).map(|encoding| encoding.ids);
                assert_eq!(alone, all, "{text:?} {pair:?} {options:?}");
                succeeded += usize::from(all.is_ok());
            }
        }
        assert!(succeeded > 3000, "{succeeded}");
    }

    #[test]
    fn a_post_processor_that_fails_does_so_when_it_is_asked() {
        let tokenizer = tokenizer(second_first());
        let options = Options::default();
        assert_eq!(ids(&tokenizer, "a", Some("b"), &options), Ok(vec![A + 1, SEP, A, A + 1]));
        let mut scratch = Scratch::default();
        let failed = ids(&tokenizer, "a", None, &options).unwrap_err();
        assert!(failed.to_string().contains("asks for a second one"), "{failed}");
        assert_eq!(encode(&tokenizer, "a", None, &options), Err(failed.clone()));
        assert_eq!(tokenizer.count("a", &options, &mut scratch), Err(failed));
    }

    #[test]
    fn given_words_and_segments() {
        let tokenizer = tokenizer(bert());
        let (mut scratch, options) = (Scratch::default(), Options { add_special_tokens: false, ..Options::default() });
        let words = Input::Words(&["a b", "", "c"]);
        let found = tokenizer.encode(words, None, &options, &mut scratch).unwrap();
        assert_eq!((found.ids, found.word_ids), (vec![A, A + 1, A + 2], vec![0, 0, 2]));
        assert_eq!(found.spans, [Span::new(0, 1), Span::new(2, 3), Span::new(0, 1)]);
        let segments = Input::Segments("a[SEP]b [SEP]", &[(6, true), (13, false)]);
        let options = Options { specials: SpecialsPolicy::Text(TextTokens::Untrusted), ..options };
        let found = tokenizer.encode(segments, None, &options, &mut scratch).unwrap();
        assert_eq!(found.ids, [A, SEP, A + 1, 1], "what is not trusted is no special token, but unknown");
        assert_eq!(found.word_ids, [0, 1, 2, 3]);
    }

    #[test]
    fn ids_are_appended_and_counted() {
        let tokenizer = tokenizer(bert());
        let (mut scratch, mut all) = (Scratch::default(), vec![7]);
        for text in ["a", "b c"] {
            tokenizer.encode_ids(Input::Text(text), None, &Options::default(), &mut scratch, &mut all).unwrap();
        }
        assert_eq!(all, [7, CLS, A, SEP, CLS, A + 1, A + 2, SEP]);
        assert_eq!(tokenizer.count("b c", &Options::default(), &mut scratch), Ok(4));
    }

    #[test]
    fn a_scratch_may_serve_several_tokenizers() {
        let (one, mut scratch) = (tokenizer(None), Scratch::default());
        let other = one.with_added_tokens(vec![AddedToken::special(0, "b")]).unwrap();
        let tokens = ["[UNK]", "e", "a"].map(str::to_owned);
        let model = Model::WordLevel(WordLevel::new(Vocab::from_tokens(tokens).unwrap(), "[UNK]".to_owned()));
        let third = one.with_model(model).unwrap();
        for (tokenizer, wanted) in [(&one, [A, A + 4]), (&third, [2, 1]), (&other, [A, A + 4]), (&third, [2, 1])] {
            let mut ids = Vec::new();
            tokenizer.encode_ids(Input::Text("a e"), None, &Options::default(), &mut scratch, &mut ids).unwrap();
            assert_eq!(ids, wanted);
            let full = tokenizer.encode(Input::Text("a e"), None, &Options::default(), &mut scratch).unwrap();
            assert_eq!(full.ids, wanted);
        }
    }

    #[test]
    fn a_scratch_allows_what_each_tokenizer_calls_so() {
        let one = tokenizer(None);
        let other = one.with_added_tokens(vec![AddedToken::special(0, "b")]).unwrap();
        for path in [EncodingPath::Fast, EncodingPath::Generic] {
            let options = Options {
                specials: SpecialsPolicy::Allowed(TextTokens::Special, vec!["b".to_owned()]),
                path,
                ..Options::default()
            };
            let (mut scratch, input) = (Scratch::default(), Input::Text("a b"));
            for _ in 0..2 {
                let mut ids = Vec::new();
                other.encode_ids(input, None, &options, &mut scratch, &mut ids).unwrap();
                assert_eq!(ids, [A, A + 1]);
                let done = one.encode_ids(input, None, &options, &mut scratch, &mut ids);
                assert!(matches!(done, Err(Error::Config(_))), "{path:?}");
                let done = one.encode(Input::Segments("", &[]), None, &options, &mut scratch);
                assert!(matches!(done, Err(Error::Config(_))), "{path:?}, no segment");
            }
        }
    }

    #[test]
    fn of_several_errors_every_path_returns_the_same() {
        let tokens = ["a", "[SEP]"].map(str::to_owned);
        let no_unk = WordLevel::new(Vocab::from_tokens(tokens).unwrap(), "[UNK]".to_owned());
        let tokenizer = tokenizer(None).with_model(Model::WordLevel(no_unk)).unwrap();
        let texts = ["a x [SEP]", "a [SEP] x", "a x", "a"];
        let mut scratch = Scratch::default();
        for (text, specials) in texts.iter().flat_map(|text| {
            [(text, SpecialsPolicy::Error(TextTokens::Special)), (text, SpecialsPolicy::Text(TextTokens::Special))]
        }) {
            let of = |path| Options { specials: specials.clone(), path, ..Options::default() };
            let mut all = |path| {
                let mut ids = vec![7];
                let done = tokenizer.encode_ids(Input::Text(text), None, &of(path), &mut scratch, &mut ids);
                let encoding = tokenizer.encode(Input::Text(text), None, &of(path), &mut scratch);
                (done.map(|()| ids), encoding)
            };
            let wanted = all(EncodingPath::Generic);
            assert_eq!(
                (all(EncodingPath::Fast), all(EncodingPath::Uncached)),
                (wanted.clone(), wanted),
                "{text} {specials:?}"
            );
        }
    }

    #[test]
    fn a_symbol_that_the_model_finds_is_an_error_on_every_path() {
        let json = r#"{"normalizer": null, "pre_tokenizer": null, "post_processor": null, "decoder": null,
            "added_tokens": [{"id": 1, "content": "un", "normalized": true, "special": false, "single_word": false,
                "lstrip": false, "rstrip": false}],
            "model": {"type": "piecework.Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["un", 0.0], ["a", -1.0], ["▁", -1.0]],
                "byte_fallback": false, "piecework": {"version": 1, "precision": "float32", "user_defined": ["un"]}}}"#;
        let normalizer = r#"{"type": "piecework.SentencePiece", "precompiled_charsmap": null, "add_dummy_prefix": true,
            "remove_extra_whitespaces": true, "escape_whitespaces": true, "treat_whitespace_as_suffix": false,
            "user_defined_symbols": ["un"]}"#;
        let json = json.replacen("null", normalizer, 1);
        let tokenizer = read_tokenizer_json(json.as_bytes(), &JsonSettings::default()).unwrap();
        assert_eq!(tokenizer.fast_path_kernel().err(), None);
        for path in [EncodingPath::Fast, EncodingPath::Uncached, EncodingPath::Generic] {
            let specials = SpecialsPolicy::Error(TextTokens::Untrusted);
            let options = Options { path, specials, ..Options::default() };
            assert_eq!(ids(&tokenizer, "aa", None, &options), Ok(vec![3, 2, 2]));
            let error = ids(&tokenizer, "auna", None, &options).unwrap_err();
            assert!(matches!(error, Error::SpecialToken { character: 1, .. }), "{path:?}: {error}");
        }
    }

    #[test]
    fn many_tokens_of_normalized_text_take_one_pass_over_all_characters() {
        let bert = format_named("vocab.txt").unwrap().read(b"[UNK]\n").unwrap();
        let token = |number| AddedToken { content: format!("<T{number}>"), normalized: true, ..AddedToken::default() };
        let tokenizer = bert.with_added_tokens((0..5000).map(token).collect()).unwrap();
        let started = Instant::now();
        for path in [EncodingPath::Fast, EncodingPath::Generic] {
            assert_eq!(ids(&tokenizer, "É<t7>", None, &Options { path, ..Options::default() }), Ok(vec![0, 8]));
        }
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn buffers_of_a_long_text_are_freed() {
        let (tokenizer, mut scratch) = (tokenizer(None), Scratch::default());
        let long = "é".repeat(1 << 20);
        for path in [EncodingPath::Fast, EncodingPath::Generic] {
            let options = Options { path, ..Options::default() };
            tokenizer.encode_ids(Input::Text(&long), None, &options, &mut scratch, &mut Vec::new()).unwrap();
            assert!(scratch.capacity() > 1 << 20);
            scratch.trim();
            assert!(scratch.capacity() <= 1 << 20);
        }
    }

    #[test]
    fn padding_after_truncation() {
        let token = NamedToken::new("[PAD]", PAD);
        let padding =
            Padding { length: None, pad_to_multiple_of: Some(3), direction: Direction::Left, token, type_id: 0 };
        let options = truncated(4, 0, TruncationStrategy::LongestFirst, Direction::Right);
        let found = encode(&tokenizer(bert()), "a b c", None, &Options { padding: Some(padding), ..options }).unwrap();
        assert_eq!(found.ids, [PAD, PAD, CLS, A, A + 1, SEP]);
        assert_eq!(found.attention_mask, [0, 0, 1, 1, 1, 1]);
        assert_eq!(found.overflowing[0].ids, [PAD, PAD, PAD, CLS, A + 2, SEP]);
        assert_eq!(found.overflowing.len(), 1);
    }

    #[test]
    fn tokens_may_be_added_later() {
        let tokenizer = tokenizer(None);
        let new = |content: &str| AddedToken { content: content.to_owned(), ..AddedToken::default() };
        let more = tokenizer.with_added_tokens(vec![new("a b"), new("e")]).unwrap();
        assert_eq!(ids(&more, "ca bd e", None, &Options::default()), Ok(vec![A + 2, 9, A + 3, A + 4]));
        assert_eq!((more.id("a b"), more.token(9), more.id_limit(), more.vocab_size()), (Some(9), Some("a b"), 10, 10));
        assert!(tokenizer.with_added_tokens(vec![new("")]).is_err());
        assert_eq!((tokenizer.id("a b"), tokenizer.expect_token(9)), (None, Err(Error::Id { id: 9, last: 8 })));
        assert_eq!((more.decode(&[9, SEP, A], true), more.is_special(SEP)), (Ok("a b a".to_owned()), true));
    }
}
