//! The tokenizer: all stages in a row.

use std::sync::Arc;

use crate::added::{AddedToken, AddedTokens, Allowed, Specials};
use crate::decode::Decoder;
use crate::encoding::{Encoding, NONE};
use crate::error::{Error, Result};
use crate::model::wordpiece::train::Merge;
use crate::model::{Model, ModelScratch, Token};
use crate::pad::Padding;
use crate::postprocess::{self, PostProcessor, Source};
use crate::span::{Span, check_length};
use crate::truncate::Truncation;
use crate::words::{Kind, Word, WordSplitter, Words};

/// What a token that was never counted is taken to be worth: note 002's epsilon.
pub const PROBABILITY_FLOOR: f64 = f64::EPSILON;

/// What training leaves behind beside the vocabulary.
#[derive(Debug, Clone, PartialEq)]
pub struct Training {
    /// The trainer's settings, as JSON.
    pub trainer: String,
    /// The fingerprint of the word counts.
    pub counts_sha256: String,
    /// How often each token occurs in them, by id.
    pub token_counts: Vec<u64>,
    /// The merges in their order.
    pub history: Vec<Merge>,
}

/// The parts of a [`Tokenizer`].
#[derive(Debug, Clone)]
pub struct Parts {
    /// Normalization and pre-tokenization.
    pub splitter: WordSplitter,
    /// The model.
    pub model: Model,
    /// Tokens beside the model's, and special ones.
    pub added: Vec<AddedToken>,
    /// Where special tokens go.
    pub post_processor: Option<PostProcessor>,
    /// How tokens become text; `None` joins them with spaces.
    pub decoder: Option<Decoder>,
    /// How encodings are truncated, unless a call says otherwise.
    pub truncation: Option<Truncation>,
    /// How encodings are padded, unless a call says otherwise.
    pub padding: Option<Padding>,
    /// What training left behind.
    pub training: Option<Arc<Training>>,
}

/// A tokenizer, immutable once built; mutable work lives in a [`Scratch`].
#[derive(Debug)]
pub struct Tokenizer {
    parts: Parts,
    added: AddedTokens,
    /// What post-processing makes of one text and of a pair, without and with special tokens.
    plans: [[Result<Vec<Step>>; 2]; 2],
}

/// A step of post-processing, as far as ids go.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// The tokens of the first (0) or second (1) text.
    Text(usize),
    /// Special tokens.
    Special(Vec<u32>),
}

/// The working memory of a worker.
#[derive(Debug, Default)]
pub struct Scratch {
    allowed: Allowed,
    words: Words,
    tokens: Vec<Token>,
    model: ModelScratch,
    ids: [Vec<u32>; 2],
}

/// A text to be encoded.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    /// A text.
    Text(&'a str),
    /// A text that was split by other means: each part is encoded for itself, and is one word.
    Words(&'a [&'a str]),
    /// A text in segments: where each ends, in bytes, and whether special tokens in it are to be matched.
    Segments(&'a str, &'a [(usize, bool)]),
}

/// How a call wants its text encoded.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether the post-processor adds its special tokens.
    pub add_special_tokens: bool,
    /// What special tokens in the text are.
    pub specials: Specials,
    /// How encodings are truncated.
    pub truncation: Option<Truncation>,
    /// How encodings are padded.
    pub padding: Option<Padding>,
    /// Whether what truncation cuts off is kept.
    pub overflow: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { add_special_tokens: true, specials: Specials::Match, truncation: None, padding: None, overflow: true }
    }
}

/// A word after normalization, or an added token in the text, and its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPieces {
    /// The word.
    pub word: String,
    /// Its tokens, with their bytes in the word.
    pub tokens: Vec<Token>,
}

/// A token of a text.
struct Found<'a> {
    id: u32,
    /// Its bytes in the normalized text.
    span: Span,
    /// The word it belongs to.
    word: &'a Word,
    /// That word's number.
    number: u32,
    words: &'a Words,
}

impl Found<'_> {
    /// Its bytes in the original.
    fn original(&self) -> Span {
        self.words.original(self.span)
    }
}

impl Tokenizer {
    /// The tokenizer made of `parts`.
    pub fn new(mut parts: Parts) -> Result<Self> {
        let added = AddedTokens::new(std::mem::take(&mut parts.added), |text| parts.splitter.normalize(text))?;
        let vocab = parts.model.vocab();
        parts.model =
            parts.model.with_specials(added.specials().filter_map(|token| vocab.id(&token.content)).collect());
        let plan = |pair, specials| steps(parts.post_processor.as_ref(), pair, specials);
        let plans = [[plan(false, false), plan(false, true)], [plan(true, false), plan(true, true)]];
        let mut tokenizer = Self { parts, added, plans };
        tokenizer.name_tokens();
        Ok(tokenizer)
    }

    /// The same tokenizer with more added tokens, or with other flags of those there are.
    pub fn with_added_tokens(&self, new: Vec<AddedToken>) -> Result<Self> {
        if new.iter().any(|token| token.content.is_empty()) {
            return Err(Error::Config("an added token is empty; expected a text to look for".to_owned()));
        }
        let added = self.added.numbered(new, self.model().vocab());
        Self::new(Parts { added, ..self.parts.clone() })
    }

    /// The same tokenizer with another model over the same tokens.
    pub fn with_model(&self, model: Model) -> Result<Self> {
        Self::new(Parts { model, ..self.parts() })
    }

    /// The padding with its token called as the vocabulary calls it.
    #[must_use]
    pub fn settled(&self, mut padding: Padding) -> Padding {
        let token = &mut padding.token;
        token.compare(self.token(token.id));
        padding
    }

    /// Tells the tokens that are added to encodings what the vocabulary calls them.
    fn name_tokens(&mut self) {
        let Self { parts: Parts { post_processor, padding, model, .. }, added, .. } = self;
        let specials = post_processor.iter_mut().flat_map(PostProcessor::tokens_mut);
        for token in specials.chain(padding.iter_mut().map(|padding| &mut padding.token)) {
            token.compare(added.token(token.id).or_else(|| model.vocab().token(token.id)));
        }
    }

    /// The parts it was made of.
    #[must_use]
    pub fn parts(&self) -> Parts {
        Parts { added: self.added.tokens().to_vec(), ..self.parts.clone() }
    }

    /// Normalization and pre-tokenization.
    #[must_use]
    pub fn splitter(&self) -> &WordSplitter {
        &self.parts.splitter
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.parts.model
    }

    /// The added tokens.
    #[must_use]
    pub fn added(&self) -> &AddedTokens {
        &self.added
    }

    /// Where special tokens go.
    #[must_use]
    pub fn post_processor(&self) -> Option<&PostProcessor> {
        self.parts.post_processor.as_ref()
    }

    /// How tokens become text.
    #[must_use]
    pub fn decoder(&self) -> Option<&Decoder> {
        self.parts.decoder.as_ref()
    }

    /// How encodings are truncated, unless a call says otherwise.
    #[must_use]
    pub fn truncation(&self) -> Option<&Truncation> {
        self.parts.truncation.as_ref()
    }

    /// How encodings are padded, unless a call says otherwise.
    #[must_use]
    pub fn padding(&self) -> Option<&Padding> {
        self.parts.padding.as_ref()
    }

    /// What training left behind.
    #[must_use]
    pub fn training(&self) -> Option<&Arc<Training>> {
        self.parts.training.as_ref()
    }

    /// The token with `id`, added or the model's.
    #[must_use]
    pub fn token(&self, id: u32) -> Option<&str> {
        self.added.token(id).or_else(|| self.model().vocab().token(id))
    }

    /// The token with `id`, or an error that says how far ids go.
    pub fn expect_token(&self, id: u32) -> Result<&str> {
        self.token(id).ok_or_else(|| Error::Id { id, last: self.id_limit().saturating_sub(1) })
    }

    /// The id of a token, added or the model's.
    #[must_use]
    pub fn id(&self, token: &str) -> Option<u32> {
        self.added.id(token).or_else(|| self.model().vocab().id(token))
    }

    /// One past the largest id.
    #[must_use]
    pub fn id_limit(&self) -> u32 {
        let added = self.added.last_id().map_or(0, |last| last.saturating_add(1));
        self.model().vocab().id_limit().max(added)
    }

    /// How many tokens there are, the model's and the added ones that it lacks.
    #[must_use]
    pub fn vocab_size(&self) -> usize {
        let vocab = self.model().vocab();
        vocab.len() + self.added.tokens().iter().filter(|token| vocab.id(&token.content).is_none()).count()
    }

    /// All tokens with their ids, in order of these; added tokens by what they are sought as in the text.
    #[must_use]
    pub fn vocab(&self) -> Vec<(&str, u32)> {
        let vocab = self.model().vocab();
        let added = self.added.tokens().iter().map(|token| (token.content.as_str(), token.id));
        let mut tokens: Vec<_> = vocab.iter().chain(added.filter(|(content, _)| vocab.id(content).is_none())).collect();
        tokens.sort_by_key(|&(_, id)| id);
        tokens
    }

    /// Whether the token with `id` is special.
    #[must_use]
    pub fn is_special(&self, id: u32) -> bool {
        self.token(id).is_some_and(|token| self.added.is_special(token))
    }

    /// Appends the ids of a text or pair to `ids`, truncated, but not padded.
    pub fn encode_ids(
        &self,
        text: Input<'_>,
        pair: Option<Input<'_>>,
        options: &Options,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
    ) -> Result<()> {
        let plan = self.plan(pair.is_some(), options)?;
        let input = |index| if index == 0 { text } else { pair.unwrap_or(Input::Text("")) };
        let texts = 1 + usize::from(pair.is_some());
        if options.truncation.is_none() && in_order(plan, texts) {
            for step in plan {
                match step {
                    Step::Special(special) => ids.extend_from_slice(special),
                    Step::Text(index) => {
                        self.each_token(input(*index), options, scratch, |found| ids.push(found.id))?;
                    }
                }
            }
            return Ok(());
        }
        let mut kept = std::mem::take(&mut scratch.ids);
        kept.iter_mut().for_each(Vec::clear);
        for (index, kept) in kept.iter_mut().enumerate().take(texts) {
            self.each_token(input(index), options, scratch, |found| kept.push(found.id))?;
        }
        let (first, second) = (kept[0].len(), kept[1].len());
        let parts = match &options.truncation {
            Some(truncation) => {
                let added = self.added_tokens(pair.is_some(), options);
                let lengths = truncation.kept(first, pair.map(|_| second), added)?;
                [truncation.first_part(first, lengths.0)?, truncation.first_part(second, lengths.1)?]
            }
            None => [0..first, 0..second],
        };
        for step in plan {
            match step {
                Step::Special(special) => ids.extend_from_slice(special),
                Step::Text(index) => ids.extend_from_slice(&kept[*index][parts[*index].clone()]),
            }
        }
        scratch.ids = kept;
        Ok(())
    }

    /// Everything about the tokens of a text or pair.
    pub fn encode(
        &self,
        text: Input<'_>,
        pair: Option<Input<'_>>,
        options: &Options,
        scratch: &mut Scratch,
    ) -> Result<Encoding> {
        self.plan(pair.is_some(), options)?;
        let mut encodings = vec![self.encode_input(text, 0, options, scratch)?];
        if let Some(pair) = pair {
            encodings.push(self.encode_input(pair, 1, options, scratch)?);
        }
        let mut is_truncated = false;
        if let Some(truncation) = &options.truncation {
            let lengths: Vec<usize> = encodings.iter().map(Encoding::len).collect();
            let added = self.added_tokens(pair.is_some(), options);
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
        let mut encoding = match &self.parts.post_processor {
            Some(processor) => {
                let source = Inputs { tokenizer: self, inputs: [text, pair.unwrap_or(Input::Text(""))] };
                processor.process(encodings, options.add_special_tokens, &source)?
            }
            None => postprocess::unprocessed(encodings),
        };
        if let Some(padding) = &options.padding {
            padding.pad(&mut encoding)?;
        }
        encoding.is_truncated = is_truncated;
        Ok(encoding)
    }

    /// The number of tokens of a text, neither truncated nor padded.
    pub fn count(&self, text: &str, options: &Options, scratch: &mut Scratch) -> Result<usize> {
        let mut count = 0;
        for step in self.plan(false, options)? {
            match step {
                Step::Special(ids) => count += ids.len(),
                Step::Text(_) => self.each_token(Input::Text(text), options, scratch, |_| count += 1)?,
            }
        }
        Ok(count)
    }

    /// The steps of post-processing, or why it cannot be done.
    fn plan(&self, pair: bool, options: &Options) -> Result<&[Step]> {
        let plan = &self.plans[usize::from(pair)][usize::from(options.add_special_tokens)];
        plan.as_deref().map_err(Clone::clone)
    }

    /// The special tokens that there has to be room for.
    fn added_tokens(&self, pair: bool, options: &Options) -> usize {
        let processor = self.parts.post_processor.as_ref().filter(|_| options.add_special_tokens);
        processor.map_or(0, |processor| processor.added_tokens(pair))
    }

    /// The tokens of one text, before post-processing.
    fn encode_input(&self, input: Input<'_>, text: u32, options: &Options, scratch: &mut Scratch) -> Result<Encoding> {
        let mut encoding = Encoding::default();
        let words_are_given = matches!(input, Input::Words(_));
        self.each_token_of_word(input, options, true, scratch, |found, place| {
            if let Some(name) = self.other_name(found) {
                encoding.renamed.push((encoding.len(), name.to_owned()));
            }
            let word = if words_are_given { place } else { found.number };
            encoding.push(found.id, found.original(), word, text);
        })?;
        Ok(encoding)
    }

    /// What a token of a text is called, where that is not what its id is decoded as.
    fn other_name<'a>(&'a self, found: &Found<'a>) -> Option<&'a str> {
        let name = match found.word.kind {
            Kind::Added(_) => found.words.text_of(found.word),
            _ if self.added.has_normalized_forms() => self.model().vocab().token(found.id)?,
            _ => return None,
        };
        (self.token(found.id) != Some(name)).then_some(name)
    }

    /// Calls `each` with every token of a text.
    fn each_token(
        &self,
        input: Input<'_>,
        options: &Options,
        scratch: &mut Scratch,
        mut each: impl FnMut(&Found<'_>),
    ) -> Result<()> {
        self.each_token_of_word(input, options, false, scratch, |found, _| each(found))
    }

    /// The same with the number of the given word and, if `aligned`, with the way back to the original.
    fn each_token_of_word(
        &self,
        input: Input<'_>,
        options: &Options,
        aligned: bool,
        scratch: &mut Scratch,
        mut each: impl FnMut(&Found<'_>, u32),
    ) -> Result<()> {
        match input {
            Input::Text(text) => {
                self.split(text, &[(text.len(), None)], options, aligned, scratch)?;
                self.each_word_token(scratch, |found| each(found, 0))
            }
            Input::Words(words) => {
                for (place, word) in (0..).zip(words) {
                    self.split(word, &[(word.len(), None)], options, aligned, scratch)?;
                    self.each_word_token(scratch, |found| each(found, place))?;
                }
                Ok(())
            }
            Input::Segments(text, segments) => {
                let segments: Vec<_> = segments.iter().map(|&(end, trusted)| (end, Some(trusted))).collect();
                self.split(text, &segments, options, aligned, scratch)?;
                self.each_word_token(scratch, |found| each(found, 0))
            }
        }
    }

    /// Splits a text into words; a segment's own say about special tokens goes before the call's.
    fn split(
        &self,
        text: &str,
        segments: &[(usize, Option<bool>)],
        options: &Options,
        aligned: bool,
        scratch: &mut Scratch,
    ) -> Result<()> {
        check_length(text)?;
        let matching = self.added.matching(text, &options.specials, &mut scratch.allowed)?;
        let aligned = aligned || matching.asks_for_origin();
        let mut start = 0;
        let spans = segments.iter().map(|&(end, trusted)| {
            let segment = Span::new(start, end);
            start = end;
            (segment, trusted.map_or(matching, |trusted| matching.trusting(trusted)))
        });
        match self.parts.splitter.split_segments(text, spans, aligned, &mut scratch.words) {
            // Where it stood in the original only the alignment tells.
            Err(Error::SpecialToken { .. }) if !aligned => self.split(text, segments, options, true, scratch),
            split => split,
        }
    }

    /// Calls `each` with the tokens of the words in `scratch`.
    fn each_word_token(&self, scratch: &mut Scratch, mut each: impl FnMut(&Found<'_>)) -> Result<()> {
        let Scratch { words, tokens, model, .. } = scratch;
        for (number, word) in (0..).zip(words.as_slice()) {
            tokens.clear();
            self.encode_word(words, word, tokens, model)?;
            for token in tokens.iter() {
                each(&Found { id: token.id, span: token.span, word, number, words });
            }
        }
        Ok(())
    }

    fn encode_word(&self, words: &Words, word: &Word, out: &mut Vec<Token>, scratch: &mut ModelScratch) -> Result<()> {
        if let Kind::Added(id) = word.kind {
            out.push(Token { id, span: word.span });
            return Ok(());
        }
        self.model().encode_word(words.text_of(word), word.span.start, word.specials, scratch, out)
    }

    /// The words of `text` with their tokens, whose spans are bytes of the word, not of the text.
    pub fn word_pieces(&self, text: &str, options: &Options, scratch: &mut Scratch) -> Result<Vec<WordPieces>> {
        self.split(text, &[(text.len(), None)], options, false, scratch)?;
        let mut found = Vec::new();
        let Scratch { words, model, .. } = scratch;
        for word in words.as_slice() {
            let mut tokens = Vec::new();
            self.encode_word(words, word, &mut tokens, model)?;
            for token in &mut tokens {
                token.span = token.span.back(word.span.start);
            }
            found.push(WordPieces { word: words.text_of(word).to_owned(), tokens });
        }
        Ok(found)
    }

    /// The text of `ids`.
    pub fn decode(&self, ids: &[u32], skip_special_tokens: bool) -> Result<String> {
        let mut tokens = Vec::with_capacity(ids.len());
        for &id in ids {
            let token = self.expect_token(id)?;
            if !(skip_special_tokens && self.added.is_special(token)) {
                tokens.push(token);
            }
        }
        match &self.parts.decoder {
            Some(decoder) => decoder.decode(tokens),
            None => Ok(tokens.join(" ")),
        }
    }

    /// The sum of the logarithms of the probabilities of a text's tokens, without special tokens around it.
    ///
    /// A token's probability is its share of all tokens counted in training, or [`PROBABILITY_FLOOR`] if it
    /// was not counted or is the unknown token, so the sum is finite.
    pub fn log_likelihood(&self, text: &str, specials: &Specials, scratch: &mut Scratch) -> Result<f64> {
        let training = self.parts.training.as_ref().ok_or_else(|| {
            Error::NoCounts(
                "the tokenizer has no token counts, so its tokens have no probabilities; counts come from training and \
                 are kept in a tokenizer.json that piecework saved, not in a vocab.txt"
                    .to_owned(),
            )
        })?;
        let options = Options { add_special_tokens: false, specials: specials.clone(), ..Options::default() };
        let total: u64 = training.token_counts.iter().sum();
        let unk_id = self.model().unk_id();
        let mut sum = 0.0;
        self.each_token(Input::Text(text), &options, scratch, |found| {
            let counted = training.token_counts.get(found.id as usize).copied();
            let count = if unk_id == Some(found.id) { 0 } else { counted.unwrap_or(0) };
            sum += libm::log(probability(count, total));
        })?;
        Ok(sum)
    }
}

/// The share of `count` in `total`, or the floor where nothing was counted.
#[expect(clippy::cast_precision_loss, reason = "a probability needs no more than 53 bits of a count")]
fn probability(count: u64, total: u64) -> f64 {
    if count == 0 { PROBABILITY_FLOOR } else { count as f64 / total as f64 }
}

/// What post-processing does, told by what it makes of texts of one token each.
fn steps(processor: Option<&PostProcessor>, pair: bool, specials: bool) -> Result<Vec<Step>> {
    let texts = (0..=u32::from(pair)).map(|text| {
        let mut encoding = Encoding::default();
        encoding.push(0, Span::default(), 0, text);
        encoding
    });
    let texts = texts.collect();
    let processed = match processor {
        Some(processor) => processor.process(texts, specials, &postprocess::NoSource)?,
        None => postprocess::unprocessed(texts),
    };
    let mut steps = Vec::new();
    for (&id, &text) in processed.ids.iter().zip(&processed.texts) {
        match (steps.last_mut(), text) {
            (Some(Step::Special(ids)), NONE) => ids.push(id),
            (_, NONE) => steps.push(Step::Special(vec![id])),
            (_, text) => steps.push(Step::Text(text as usize)),
        }
    }
    Ok(steps)
}

/// Whether each of the texts stands in the plan once, in their order, so that ids can be written as they are found.
fn in_order(plan: &[Step], texts: usize) -> bool {
    let found = plan.iter().filter_map(|step| if let Step::Text(index) = step { Some(*index) } else { None });
    found.eq(0..texts)
}

/// The texts of a call, for who has to look at them again.
struct Inputs<'a> {
    tokenizer: &'a Tokenizer,
    inputs: [Input<'a>; 2],
}

impl Source for Inputs<'_> {
    fn token<'a>(&'a self, encoding: &'a Encoding, place: usize) -> &'a str {
        match encoding.renamed.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(at) => &encoding.renamed[at].1,
            Err(_) => self.tokenizer.token(encoding.ids[place]).unwrap_or_default(),
        }
    }

    fn text(&self, encoding: &Encoding, place: usize) -> &str {
        match self.inputs.get(encoding.texts[place] as usize) {
            None => "",
            Some(Input::Text(text) | Input::Segments(text, _)) => text,
            Some(Input::Words(words)) => words.get(encoding.word_ids[place] as usize).copied().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::{Direction, NamedToken};
    use crate::model::word_level::WordLevel;
    use crate::postprocess::{Bert, Piece, Template};
    use crate::pretokenize::PreTokenizer;
    use crate::truncate::Strategy;
    use crate::vocab::Vocab;

    const PAD: u32 = 0;
    const CLS: u32 = 2;
    const SEP: u32 = 3;
    const A: u32 = 4;

    fn tokenizer(post_processor: Option<PostProcessor>) -> Tokenizer {
        let tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "c", "d", "e"].map(str::to_owned);
        let added = [(PAD, "[PAD]"), (CLS, "[CLS]"), (SEP, "[SEP]")];
        Tokenizer::new(Parts {
            splitter: WordSplitter::new(None, Some(PreTokenizer::WhitespaceSplit)).unwrap(),
            model: Model::WordLevel(WordLevel::new(Vocab::from_tokens(tokens).unwrap(), "[UNK]".to_owned())),
            added: added.map(|(id, content)| AddedToken::special(id, content)).into(),
            post_processor,
            decoder: None,
            truncation: None,
            padding: None,
            training: None,
        })
        .unwrap()
    }

    fn bert() -> Option<PostProcessor> {
        Some(PostProcessor::Bert(Bert { cls: NamedToken::new("[CLS]", CLS), sep: NamedToken::new("[SEP]", SEP) }))
    }

    /// `$B [SEP] $A $B`, which one text alone cannot have.
    fn second_first() -> Option<PostProcessor> {
        let text = |index| Piece::Sequence { index, type_id: 0 };
        let mut template = Template::bert(("[CLS]", CLS), ("[SEP]", SEP));
        template.pair = vec![text(1), Piece::Special { name: "[SEP]".to_owned(), type_id: 0 }, text(0), text(1)];
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

    fn truncated(max_length: usize, stride: usize, strategy: Strategy, direction: Direction) -> Options {
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
            let options = truncated(5, 0, Strategy::LongestFirst, direction);
            assert_eq!(ids(&tokenizer, "a b c d e", None, &options), Ok(single.to_vec()));
            assert_eq!(ids(&tokenizer, "a b c", Some("d e"), &options), Ok(pair.to_vec()));
        }
    }

    #[test]
    fn ids_alone_are_those_of_the_encoding() {
        let texts = ["", "a", "a b c", "[SEP] a b x d e"];
        let strategies = [Strategy::LongestFirst, Strategy::OnlyFirst, Strategy::OnlySecond];
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
    fn padding_after_truncation() {
        let token = NamedToken::new("[PAD]", PAD);
        let padding =
            Padding { length: None, pad_to_multiple_of: Some(3), direction: Direction::Left, token, type_id: 0 };
        let options = truncated(4, 0, Strategy::LongestFirst, Direction::Right);
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
