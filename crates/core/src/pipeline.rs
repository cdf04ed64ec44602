//! The tokenizer: all stages in a row.

use std::sync::Arc;

use crate::decode::Decoder;
use crate::error::{Error, Result};
use crate::model::Token;
use crate::model::wordpiece::train::Merge;
use crate::model::wordpiece::{Matches, Settings, WordPiece};
use crate::postprocess::{Piece, Template};
use crate::span::{Span, check_length};
use crate::special::{Finders, Segment, SpecialToken, SpecialTokens, Specials};
use crate::vocab::Vocab;
use crate::words::{WordSplitter, Words};

/// Stands for "no word" and "no text" beside a special token that the template added.
pub const NONE: u32 = u32::MAX;

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
#[derive(Debug)]
pub struct Parts {
    /// Normalization and pre-tokenization.
    pub splitter: WordSplitter,
    /// The model.
    pub model: WordPiece,
    /// The special tokens.
    pub specials: Vec<SpecialToken>,
    /// Where special tokens go.
    pub template: Option<Template>,
    /// How tokens become text; `None` joins them with spaces.
    pub decoder: Option<Decoder>,
    /// What training left behind.
    pub training: Option<Arc<Training>>,
}

/// A tokenizer, immutable once built; mutable work lives in a [`Scratch`].
#[derive(Debug)]
pub struct Tokenizer {
    splitter: WordSplitter,
    model: WordPiece,
    specials: SpecialTokens,
    template: Option<Template>,
    plain: Template,
    decoder: Option<Decoder>,
    training: Option<Arc<Training>>,
}

/// The working memory of a worker.
#[derive(Debug, Default)]
pub struct Scratch {
    finders: Finders,
    words: Words,
    tokens: Vec<Token>,
    matches: Matches,
}

/// How a call wants its text encoded.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whether the template adds its special tokens.
    pub add_special_tokens: bool,
    /// What special tokens in the text are.
    pub specials: Specials,
}

impl Default for Options {
    fn default() -> Self {
        Self { add_special_tokens: true, specials: Specials::Match }
    }
}

/// Everything about the tokens of one text or pair, in columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Encoding {
    /// Token ids.
    pub ids: Vec<u32>,
    /// Bytes of the original text; empty at 0 for tokens of the template.
    pub spans: Vec<Span>,
    /// The word of its text that a token belongs to, or [`NONE`].
    pub word_ids: Vec<u32>,
    /// Type ids.
    pub type_ids: Vec<u32>,
    /// The text (0 or 1) that a token belongs to, or [`NONE`] where the template added it.
    pub sequence_ids: Vec<u32>,
}

impl Encoding {
    fn push(&mut self, id: u32, span: Span, word: u32, type_id: u32, sequence: u32) {
        self.ids.push(id);
        self.spans.push(span);
        self.word_ids.push(word);
        self.type_ids.push(type_id);
        self.sequence_ids.push(sequence);
    }

    /// The spans of the tokens of the first (0) or second (1) text.
    #[must_use]
    pub fn spans_of(&self, sequence: u32) -> Vec<Span> {
        let spans = self.spans.iter().zip(&self.sequence_ids);
        spans.filter(|&(_, &other)| other == sequence).map(|(&span, _)| span).collect()
    }

    /// One column from what belongs to the tokens of the first and of the second text, in their order; tokens of
    /// the template get the default.
    #[must_use]
    pub fn interleave<T: Default>(&self, first: Vec<T>, second: Vec<T>) -> Vec<T> {
        let (mut first, mut second) = (first.into_iter(), second.into_iter());
        let of = |&sequence: &u32| match sequence {
            0 => first.next(),
            1 => second.next(),
            _ => None,
        };
        self.sequence_ids.iter().map(of).map(Option::unwrap_or_default).collect()
    }
}

/// A word after normalization, or a special token in the text, and its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPieces {
    /// The word.
    pub word: String,
    /// Its tokens, with their bytes in the word.
    pub tokens: Vec<Token>,
}

impl Tokenizer {
    /// The tokenizer made of `parts`.
    pub fn new(parts: Parts) -> Result<Self> {
        Ok(Self {
            splitter: parts.splitter,
            model: parts.model,
            specials: SpecialTokens::new(parts.specials)?,
            template: parts.template,
            plain: Template::plain(),
            decoder: parts.decoder,
            training: parts.training,
        })
    }

    /// The same tokenizer with other settings of its model.
    pub fn with_model_settings(&self, settings: Settings) -> Result<Self> {
        Self::new(Parts {
            splitter: self.splitter.clone(),
            model: self.model.with_settings(settings),
            specials: self.specials.tokens().to_vec(),
            template: self.template.clone(),
            decoder: self.decoder.clone(),
            training: self.training.clone(),
        })
    }

    /// Normalization and pre-tokenization.
    #[must_use]
    pub fn splitter(&self) -> &WordSplitter {
        &self.splitter
    }

    /// The model.
    #[must_use]
    pub fn model(&self) -> &WordPiece {
        &self.model
    }

    /// The vocabulary.
    #[must_use]
    pub fn vocab(&self) -> &Vocab {
        self.model.vocab()
    }

    /// The special tokens.
    #[must_use]
    pub fn specials(&self) -> &SpecialTokens {
        &self.specials
    }

    /// Where special tokens go.
    #[must_use]
    pub fn template(&self) -> Option<&Template> {
        self.template.as_ref()
    }

    /// How tokens become text.
    #[must_use]
    pub fn decoder(&self) -> Option<&Decoder> {
        self.decoder.as_ref()
    }

    /// What training left behind.
    #[must_use]
    pub fn training(&self) -> Option<&Arc<Training>> {
        self.training.as_ref()
    }

    /// Appends the ids of a text or pair to `ids`.
    pub fn encode_ids(
        &self,
        text: &str,
        pair: Option<&str>,
        options: &Options,
        scratch: &mut Scratch,
        ids: &mut Vec<u32>,
    ) -> Result<()> {
        for piece in self.pieces(pair.is_some(), options) {
            match piece {
                Piece::Special { ids: special, .. } => ids.extend_from_slice(special),
                Piece::Sequence { index, .. } => {
                    let text = if *index == 0 { text } else { pair.unwrap_or_default() };
                    self.encode_text(text, options, false, scratch, |id, _, _| ids.push(id))?;
                }
            }
        }
        Ok(())
    }

    /// Everything about the tokens of a text or pair.
    pub fn encode(&self, text: &str, pair: Option<&str>, options: &Options, scratch: &mut Scratch) -> Result<Encoding> {
        let mut out = Encoding::default();
        for piece in self.pieces(pair.is_some(), options) {
            match piece {
                Piece::Special { ids, type_id, .. } => {
                    for &id in ids {
                        out.push(id, Span::default(), NONE, *type_id, NONE);
                    }
                }
                Piece::Sequence { index, type_id } => {
                    let text = if *index == 0 { text } else { pair.unwrap_or_default() };
                    let sequence = u32::from(*index != 0);
                    self.encode_text(text, options, true, scratch, |id, span, word| {
                        out.push(id, span, word, *type_id, sequence);
                    })?;
                }
            }
        }
        Ok(out)
    }

    /// The number of tokens of a text.
    pub fn count(&self, text: &str, options: &Options, scratch: &mut Scratch) -> Result<usize> {
        let mut count = 0;
        for piece in self.pieces(false, options) {
            match piece {
                Piece::Special { ids, .. } => count += ids.len(),
                Piece::Sequence { .. } => self.encode_text(text, options, false, scratch, |_, _, _| count += 1)?,
            }
        }
        Ok(count)
    }

    /// The template's pieces; without special tokens its order and type ids still hold.
    fn pieces(&self, pair: bool, options: &Options) -> impl Iterator<Item = &Piece> {
        let pieces = self.template.as_ref().unwrap_or(&self.plain).pieces(pair);
        let special = options.add_special_tokens;
        pieces.iter().filter(move |piece| special || matches!(piece, Piece::Sequence { .. }))
    }

    /// Calls `each` with id, span and word number of every token of `text`.
    ///
    /// The span is one of the original text if `aligned`, else it means nothing.
    fn encode_text(
        &self,
        text: &str,
        options: &Options,
        aligned: bool,
        scratch: &mut Scratch,
        mut each: impl FnMut(u32, Span, u32),
    ) -> Result<()> {
        check_length(text)?;
        let special = SpecialTokens::matches_in_text(&options.specials);
        let mut word = 0;
        let Scratch { finders, words, tokens, matches } = scratch;
        self.specials.split(text, &options.specials, finders, |segment| match segment {
            Segment::Special(id, span) => {
                each(id, span, word);
                word += 1;
                Ok(())
            }
            Segment::Text(segment) => {
                self.splitter.split(&text[segment.range()], aligned, words);
                for (content, span) in words.iter().zip(&words.spans) {
                    tokens.clear();
                    self.model.encode_word(content, span.start, special, matches, tokens)?;
                    for token in tokens.iter() {
                        let span = if aligned {
                            words.normalized.original(token.span).shifted(segment.start)
                        } else {
                            segment
                        };
                        each(token.id, span, word);
                    }
                    word += 1;
                }
                Ok(())
            }
        })
    }

    /// The words of `text` with their tokens, whose spans are bytes of the word, not of the text.
    pub fn word_pieces(&self, text: &str, options: &Options, scratch: &mut Scratch) -> Result<Vec<WordPieces>> {
        check_length(text)?;
        let special = SpecialTokens::matches_in_text(&options.specials);
        let mut found = Vec::new();
        let Scratch { finders, words, matches, .. } = scratch;
        self.specials.split(text, &options.specials, finders, |segment| {
            let segment = match segment {
                Segment::Text(segment) => segment,
                Segment::Special(id, span) => {
                    let word = text[span.range()].to_owned();
                    let token = Token { id, span: Span::new(0, word.len()) };
                    found.push(WordPieces { word, tokens: vec![token] });
                    return Ok(());
                }
            };
            self.splitter.split(&text[segment.range()], false, words);
            for word in words.iter() {
                let mut tokens = Vec::new();
                self.model.encode_word(word, 0, special, matches, &mut tokens)?;
                found.push(WordPieces { word: word.to_owned(), tokens });
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The text of `ids`.
    pub fn decode(&self, ids: &[u32], skip_special_tokens: bool) -> Result<String> {
        let mut tokens = Vec::with_capacity(ids.len());
        for &id in ids {
            let token = self.vocab().expect_token(id)?;
            if !(skip_special_tokens && self.specials.contains(id)) {
                tokens.push(token);
            }
        }
        match &self.decoder {
            Some(decoder) => decoder.decode(tokens),
            None => Ok(tokens.join(" ")),
        }
    }

    /// The sum of the logarithms of the probabilities of a text's tokens, without special tokens around it.
    ///
    /// A token's probability is its share of all tokens counted in training, or [`PROBABILITY_FLOOR`] if it
    /// was not counted or is the unknown token, so the sum is finite.
    pub fn log_likelihood(&self, text: &str, specials: &Specials, scratch: &mut Scratch) -> Result<f64> {
        let training = self.training.as_ref().ok_or_else(|| {
            Error::NoCounts(
                "the tokenizer has no token counts, so its tokens have no probabilities; counts come from training and \
                 are kept in a tokenizer.json that piecework saved, not in a vocab.txt"
                    .to_owned(),
            )
        })?;
        let options = Options { add_special_tokens: false, specials: specials.clone() };
        let total: u64 = training.token_counts.iter().sum();
        let mut sum = 0.0;
        self.encode_text(text, &options, false, scratch, |id, _, _| {
            let unknown = self.model.unk_id() == Some(id);
            let count = if unknown { 0 } else { training.token_counts.get(id as usize).copied().unwrap_or(0) };
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
