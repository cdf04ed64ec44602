//! The models: a word in, tokens out. Each has a room of its own, and none knows another.

pub(crate) mod adjacency;
pub mod bpe;
pub(crate) mod context;
mod trainer;
pub(crate) mod trie;
pub mod unigram;
pub mod word_level;
pub mod wordpiece;

use std::collections::HashSet;

use crate::error::{Error, Result};
use crate::lattice::Sampling;
use crate::numbers::random::Dropout;
use crate::text::span::Span;
use crate::vocab::Vocab;
use adjacency::{ByteAdjacency, SpaceAdjacency};
use bpe::{Bpe, Merging};
use context::Context;
pub use trainer::Trainer;
use unigram::{Paths, Unigram};
use word_level::WordLevel;
use wordpiece::{Matches, WordPiece};

/// A token of a word, with its bytes in the normalized text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// The token's id.
    pub id: u32,
    /// Its bytes in the normalized text.
    pub span: Span,
}

/// A segmentation of a word, and the sum of its scores.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// The sum.
    pub score: f64,
}

/// What a token that was never counted is taken to be worth: note 002's epsilon.
pub const PROBABILITY_FLOOR: f64 = f64::EPSILON;
/// What is unknown has the lowest score there may be, less this.
pub(crate) const UNKNOWN_PENALTY: f64 = 10.0;

/// How likely tokens are: as was said, or else by their shares of all that were counted.
#[derive(Debug)]
pub(crate) enum Probabilities<'a> {
    Given(&'a [f64]),
    Counted(&'a [u64], u64),
}

impl<'a> Probabilities<'a> {
    pub(crate) fn new(given: Option<&'a [f64]>, counts: Option<&'a [u64]>) -> Self {
        let counts = counts.unwrap_or_default();
        given.map_or_else(|| Self::Counted(counts, counts.iter().sum()), Self::Given)
    }

    /// The probability of a token, or the floor where there is none.
    #[expect(clippy::cast_precision_loss, reason = "a probability needs no more than 53 bits of a count")]
    pub(crate) fn of(&self, id: u32) -> f64 {
        let share = match self {
            Self::Given(probabilities) => probabilities.get(id as usize).copied(),
            Self::Counted(counts, total) => counts.get(id as usize).map(|&count| count as f64 / *total as f64),
        };
        share.filter(|&share| share > 0.0).unwrap_or(PROBABILITY_FLOOR)
    }
}

/// What is left to chance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Chance {
    /// How likely a merge, or a token that matches, is passed over.
    Dropout(f32),
    /// The power of the probabilities by which segmentations are drawn, and among how many of the best, if not all.
    Alpha(f64, Option<usize>),
}

/// Any model; cheap to clone.
#[derive(Debug, Clone)]
pub enum Model {
    /// Greedy longest match.
    WordPiece(WordPiece),
    /// Merges of neighbours, the first first.
    Bpe(Bpe),
    /// The likeliest pieces.
    Unigram(Unigram),
    /// Whole words.
    WordLevel(WordLevel),
}

/// The working memory of any model, owned by the caller.
#[derive(Debug, Default)]
pub struct ModelScratch {
    matches: Matches,
    merging: Merging,
    paths: Paths,
    sampling: Option<Sampling>,
}

impl ModelScratch {
    /// Begins an input of a call with this seed.
    pub(crate) fn begin(&mut self, chance: Option<Chance>, seed: u64, input: u64) {
        let (dropout, sampling) = match chance {
            None => (None, None),
            Some(Chance::Dropout(dropout)) => (Some(Dropout::new(dropout, seed, input)), None),
            Some(Chance::Alpha(alpha, nbest_size)) => (None, Some(Sampling::new(alpha, nbest_size, seed, input))),
        };
        self.merging.dropout.clone_from(&dropout);
        (self.matches.dropout, self.sampling) = (dropout, sampling);
    }

    /// The most that any part has room for.
    pub(crate) fn capacity(&self) -> usize {
        self.merging.capacity().max(self.paths.capacity())
    }
}

impl Model {
    /// The vocabulary.
    #[must_use]
    pub fn vocab(&self) -> &Vocab {
        match self {
            Self::WordPiece(model) => model.vocab(),
            Self::Bpe(model) => model.vocab(),
            Self::Unigram(model) => model.vocab(),
            Self::WordLevel(model) => model.vocab(),
        }
    }

    /// The unknown token's text, if there is one.
    #[must_use]
    pub fn unk_token(&self) -> Option<&str> {
        match self {
            Self::WordPiece(model) => model.settings().unk_token.as_deref(),
            Self::Bpe(model) => model.settings().unk_token.as_deref(),
            Self::Unigram(model) => model.settings().unk_token.as_deref(),
            Self::WordLevel(model) => Some(model.unk_token()),
        }
    }

    /// The unknown token's id, where the vocabulary has one.
    #[must_use]
    pub fn unk_id(&self) -> Option<u32> {
        match self {
            Self::WordPiece(model) => model.unk_id(),
            Self::Bpe(model) => model.unk_id(),
            Self::Unigram(model) => model.unk_id(),
            Self::WordLevel(model) => model.unk_id(),
        }
    }

    /// This as a `WordPiece` model, if it is one.
    #[must_use]
    pub fn as_word_piece(&self) -> Option<&WordPiece> {
        match self {
            Self::WordPiece(model) => Some(model),
            Self::Bpe(_) | Self::Unigram(_) | Self::WordLevel(_) => None,
        }
    }

    /// This as a BPE model, if it is one.
    #[must_use]
    pub fn as_bpe(&self) -> Option<&Bpe> {
        match self {
            Self::Bpe(model) => Some(model),
            Self::WordPiece(_) | Self::Unigram(_) | Self::WordLevel(_) => None,
        }
    }

    /// This as a unigram model, if it is one.
    #[must_use]
    pub fn as_unigram(&self) -> Option<&Unigram> {
        match self {
            Self::Unigram(model) => Some(model),
            Self::WordPiece(_) | Self::Bpe(_) | Self::WordLevel(_) => None,
        }
    }

    /// What the kind of model is called.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::WordPiece(_) => "WordPiece",
            Self::Bpe(_) => "BPE",
            Self::Unigram(_) => "Unigram",
            Self::WordLevel(_) => "WordLevel",
        }
    }

    /// Refuses a model that has no probabilities of segmentations.
    pub fn check_probabilities(&self) -> Result<()> {
        match self {
            Self::Unigram(_) => Ok(()),
            Self::WordPiece(model) if model.is_likeliest() => Ok(()),
            Self::WordPiece(_) | Self::Bpe(_) | Self::WordLevel(_) => Err(self.without_probabilities()),
        }
    }

    fn without_probabilities(&self) -> Error {
        let hint = match self {
            Self::WordPiece(_) => "; give it segmentation=\"likeliest\"",
            _ => "",
        };
        Error::Config(format!(
            "only Unigram, and WordPiece with segmentation=\"likeliest\", have probabilities of segmentations, and the \
             tokenizer has a {}{hint}",
            self.kind()
        ))
    }

    /// Refuses chance that the model does not know.
    pub fn check_chance(&self, dropout: Option<f32>, alpha: Option<f64>) -> Result<()> {
        if alpha.is_some() {
            self.check_probabilities()?;
        }
        if dropout.is_none_or(|dropout| dropout <= 0.0) {
            return Ok(());
        }
        let refused = |message: &str| Err(Error::Config(message.to_owned()));
        match self {
            Self::Unigram(_) => {
                refused("dropout is of BPE and WordPiece; segmentations of a Unigram are drawn with alpha")
            }
            Self::WordPiece(model) if model.is_likeliest() => {
                refused("dropout is of the longest match, and the tokenizer takes the likeliest segmentation")
            }
            _ => Ok(()),
        }
    }

    /// What is left to chance, by a call or else by the model.
    pub(crate) fn chance(&self, dropout: Option<f32>, alpha: Option<f64>, nbest_size: Option<usize>) -> Option<Chance> {
        let own = match self {
            Self::WordPiece(model) if !model.is_likeliest() => model.settings().dropout,
            Self::Bpe(model) => model.settings().dropout,
            Self::WordPiece(_) | Self::Unigram(_) => return alpha.map(|alpha| Chance::Alpha(alpha, nbest_size)),
            Self::WordLevel(_) => return None,
        };
        dropout.or(own).filter(|&dropout| dropout > 0.0).map(Chance::Dropout)
    }

    /// Returns whether the model itself drops merges or tokens at random, where a call does not say.
    pub fn has_dropout(&self) -> bool {
        self.chance(None, None, None).is_some()
    }

    /// The best segmentations of `word`, which starts at byte `at` of the normalized text, best first, with the sums of their
    /// scores.
    pub(crate) fn nbest(&self, word: &str, at: u32, specials: bool, wanted: usize) -> Result<Vec<Scored>> {
        match self {
            Self::Unigram(model) => model.nbest(word, at, specials, wanted),
            Self::WordPiece(model) if model.is_likeliest() => model.nbest(word, at, specials, wanted),
            Self::WordPiece(_) | Self::Bpe(_) | Self::WordLevel(_) => Err(self.without_probabilities()),
        }
    }

    /// The natural logarithm of the probability of `word`, however it is segmented.
    pub(crate) fn log_probability(&self, word: &str, specials: bool) -> Result<f64> {
        match self {
            Self::Unigram(model) => model.log_probability(word, specials),
            Self::WordPiece(model) if model.is_likeliest() => model.log_probability(word, specials),
            Self::WordPiece(_) | Self::Bpe(_) | Self::WordLevel(_) => Err(self.without_probabilities()),
        }
    }

    /// The sum of the scores of these entries.
    pub(crate) fn score(&self, ids: &[u32]) -> Result<f64> {
        match self {
            Self::Unigram(model) => Ok(model.score(ids)),
            Self::WordPiece(model) if model.is_likeliest() => model.score(ids),
            Self::WordPiece(_) | Self::Bpe(_) | Self::WordLevel(_) => Err(self.without_probabilities()),
        }
    }

    /// The probabilities of its tokens that were given to it, by id.
    pub(crate) fn probabilities(&self) -> Option<&[f64]> {
        self.as_word_piece()?.settings().probabilities.as_deref()
    }

    /// The same model, which knows how often each token was counted, if it needs that.
    pub(crate) fn with_counts(self, counts: Option<&[u64]>) -> Result<Self> {
        match self {
            Self::WordPiece(model) => model.with_counts(counts).map(Self::WordPiece),
            Self::Bpe(_) | Self::Unigram(_) | Self::WordLevel(_) => Ok(self),
        }
    }

    /// What marks a token that continues a word; empty if nothing does.
    #[must_use]
    pub fn continuing_subword_prefix(&self) -> &str {
        match self {
            Self::WordPiece(model) => &model.settings().continuing_subword_prefix,
            Self::Bpe(model) => &model.settings().continuing_subword_prefix,
            Self::Unigram(_) | Self::WordLevel(_) => "",
        }
    }

    /// Returns which bytes of a text may become part of one token, where spaces are written as `space`; `None` if all may.
    pub(crate) fn byte_adjacency(&self, space: char) -> Option<ByteAdjacency> {
        match self {
            Self::Bpe(model) => model.byte_adjacency(space),
            Self::WordPiece(_) | Self::Unigram(_) | Self::WordLevel(_) => None,
        }
    }

    /// Returns where a text that is one word may be cut, if that is before all spaces; these are written as `space`, and
    /// `symbols` stay whole.
    ///
    /// The words of such a text share a [`Model::context`], if the model has one.
    pub(crate) fn space_adjacency(&self, space: char, symbols: &[String]) -> Option<SpaceAdjacency> {
        match self {
            Self::Unigram(model) => model.space_adjacency(space, symbols),
            Self::WordPiece(_) | Self::Bpe(_) | Self::WordLevel(_) => None,
        }
    }

    /// Returns what goes on from word to word of a text that is one word, if anything does.
    pub(crate) fn context(&self) -> Option<impl Context + '_> {
        match self {
            Self::Unigram(model) => Some(model.context()),
            Self::WordPiece(_) | Self::Bpe(_) | Self::WordLevel(_) => None,
        }
    }

    /// Returns whether unknown tokens have the name of the text they stand for: with some models always, with others where the
    /// pipeline is SentencePiece's.
    pub(crate) fn names_unknown(&self, is_sentencepiece: bool) -> bool {
        match self {
            Self::Unigram(_) => true,
            Self::Bpe(_) => is_sentencepiece,
            Self::WordPiece(_) | Self::WordLevel(_) => false,
        }
    }

    /// Returns whether an unknown text becomes the entries of its bytes, so that the unknown token may be one of these.
    pub(crate) fn falls_back(&self, text: &str, specials: bool) -> bool {
        match self {
            Self::Unigram(model) => model.falls_back(text, specials),
            Self::WordPiece(_) | Self::Bpe(_) | Self::WordLevel(_) => false,
        }
    }

    /// The same model; on request no text produces these ids.
    #[must_use]
    pub fn with_specials(&self, specials: HashSet<u32>) -> Self {
        match self {
            Self::WordPiece(model) => Self::WordPiece(model.with_specials(specials)),
            Self::Bpe(model) => Self::Bpe(model.with_specials(specials)),
            Self::Unigram(model) => Self::Unigram(model.with_specials(specials)),
            Self::WordLevel(model) => Self::WordLevel(model.with_specials(specials)),
        }
    }

    /// Appends the tokens of `word`, which starts at byte `at` of the normalized text.
    ///
    /// With `specials` false, no special token is ever produced by matching text.
    pub(crate) fn encode_word(
        &self,
        word: &str,
        at: u32,
        specials: bool,
        scratch: &mut ModelScratch,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        match self {
            Self::WordPiece(model) => match &mut scratch.sampling {
                Some(sampling) => model.sample_word(word, at, specials, sampling, out),
                None => model.encode_word(word, at, specials, &mut scratch.matches, out),
            },
            Self::Bpe(model) => model.encode_word(word, at, specials, &mut scratch.merging, out),
            Self::Unigram(model) => match &mut scratch.sampling {
                Some(sampling) => model.sample_word(word, at, specials, sampling, out),
                None => model.encode_word(word, at, specials, &mut scratch.paths, out),
            },
            Self::WordLevel(model) => model.encode_word(word, at, specials, out),
        }
    }

    /// Appends the tokens of a word whose bytes are written as characters for the model, with spans in bytes of `word`; false
    /// if only the characters will do.
    pub(crate) fn encode_bytes(
        &self,
        word: &str,
        specials: bool,
        scratch: &mut ModelScratch,
        out: &mut Vec<Token>,
    ) -> Result<bool> {
        match self {
            Self::Bpe(model) => model.encode_bytes(word, specials, &mut scratch.merging, out).map(|()| true),
            Self::WordPiece(_) | Self::Unigram(_) | Self::WordLevel(_) => Ok(false),
        }
    }
}
