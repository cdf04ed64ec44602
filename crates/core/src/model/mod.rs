//! The models, which encode a word to tokens. Each has a module of its own, and none imports another.

pub(crate) mod adjacency;
pub mod bpe;
mod context;
mod entries;
mod long_pieces;
mod segmentations;
pub mod steps;
mod trainer;
mod traits;
pub mod unigram;
pub mod word_level;
pub mod wordpiece;

use std::collections::HashSet;

use crate::error::Result;
use crate::lattice::Sampling;
use crate::numbers::random::Dropout;
use crate::text::span::Span;
use crate::vocab::{AllowedEntries, ReservedEntries, Vocab};
use adjacency::{ByteAdjacency, UnspacedAdjacency};
pub(crate) use bpe::WordParts;
use bpe::{Bpe, BpeScratch};
pub(crate) use context::{Context, VALID_ALWAYS};
use steps::Steps;
pub use trainer::Trainer;
pub(crate) use traits::DropoutTrait;
pub use traits::ModelTraits;
use unigram::{Unigram, ViterbiScratch};
use word_level::WordLevel;
use wordpiece::{MatchScratch, WordPiece};

/// A token, with its bytes: in the word, from a model; in the normalized text, in a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// The token's id.
    pub id: u32,
    /// Its bytes.
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

/// The probability of a token that was never counted, so that every text has a finite log-likelihood.
pub const PROBABILITY_FLOOR: f64 = f64::EPSILON;
/// The score of unknown text is the lowest score less this.
pub(crate) const UNKNOWN_PENALTY: f64 = 10.0;
/// The largest limit of the length of a word that is a distance of candidates: see [`Model::longest_step`].
const LARGEST_STEP: usize = 1000;

/// The probabilities of tokens: given ones, or else their shares of all counted tokens.
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

    /// Returns the probability of a token, or the floor if it has none.
    #[expect(clippy::cast_precision_loss, reason = "a probability needs no more than 53 bits of a count")]
    pub(crate) fn of(&self, id: u32) -> f64 {
        let share = match self {
            Self::Given(probabilities) => probabilities.get(id as usize).copied(),
            Self::Counted(counts, total) => counts.get(id as usize).map(|&count| count as f64 / *total as f64),
        };
        share.filter(|&share| share > 0.0).unwrap_or(PROBABILITY_FLOOR)
    }
}

/// The random choices of an encoding call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SubwordRegularization {
    /// The probability with which a merge or a matching token is skipped.
    Dropout(f32),
    /// The exponent of the probabilities with which segmentations are sampled, and the number of best ones to sample
    /// from.
    Alpha(f64, Option<usize>),
}

/// Any model; cheap to clone.
#[derive(Debug, Clone)]
pub enum Model {
    /// Greedy longest match.
    WordPiece(WordPiece),
    /// Merges of adjacent symbols in their order.
    Bpe(Bpe),
    /// The most probable segmentation into pieces.
    Unigram(Unigram),
    /// Whole words.
    WordLevel(WordLevel),
}

/// Where a model finds the text of an entry that has no merge and no score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoundEntry {
    /// Also in other text, since it is a symbol of its own.
    Always,
    /// In each word with the text.
    InWord,
    /// In a word that equals the text.
    WholeWord,
    /// Nowhere.
    Never,
}

/// The working memory of any model, owned by the caller.
#[derive(Debug, Default)]
pub struct ModelScratch {
    matches: MatchScratch,
    merging: BpeScratch,
    paths: ViterbiScratch,
    sampling: Option<Sampling>,
}

impl ModelScratch {
    /// Begins an input of a call with this seed.
    pub(crate) fn begin(&mut self, chance: Option<SubwordRegularization>, seed: u64, input: u64) {
        let (dropout, sampling) = match chance {
            None => (None, None),
            Some(SubwordRegularization::Dropout(dropout)) => (Some(Dropout::new(dropout, seed, input)), None),
            Some(SubwordRegularization::Alpha(alpha, nbest_size)) => {
                (None, Some(Sampling::new(alpha, nbest_size, seed, input)))
            }
        };
        self.merging.dropout.clone_from(&dropout);
        (self.matches.dropout, self.sampling) = (dropout, sampling);
    }

    /// Returns the largest capacity of a buffer.
    pub(crate) fn capacity(&self) -> usize {
        self.merging.capacity().max(self.paths.capacity())
    }
}

impl Model {
    /// Returns what is true of the model, whatever word it encodes.
    #[must_use]
    pub fn traits(&self) -> ModelTraits {
        match self {
            Self::WordPiece(model) => model.traits(),
            Self::Bpe(model) => model.traits(),
            Self::Unigram(model) => model.traits(),
            Self::WordLevel(model) => model.traits(),
        }
    }

    /// Returns the vocabulary.
    #[must_use]
    pub fn vocab(&self) -> &Vocab {
        match self {
            Self::WordPiece(model) => model.vocab(),
            Self::Bpe(model) => model.vocab(),
            Self::Unigram(model) => model.vocab(),
            Self::WordLevel(model) => model.vocab(),
        }
    }

    /// Returns the `WordPiece` model, if it is one.
    #[must_use]
    pub fn as_word_piece(&self) -> Option<&WordPiece> {
        if let Self::WordPiece(model) = self { Some(model) } else { None }
    }

    /// Returns the BPE model, if it is one.
    #[must_use]
    pub fn as_bpe(&self) -> Option<&Bpe> {
        if let Self::Bpe(model) = self { Some(model) } else { None }
    }

    /// Returns the Unigram model, if it is one.
    #[must_use]
    pub fn as_unigram(&self) -> Option<&Unigram> {
        if let Self::Unigram(model) = self { Some(model) } else { None }
    }

    /// Returns a number of characters, such that a beginning of a word has at most as many tokens as a longer one if that
    /// number of characters, or fewer, are removed from it at the right place; `None` if there is no such number.
    ///
    /// The beginnings of a word that end with its tokens have the tokens before them, and no token is longer. With `ends`,
    /// the same holds for the ends of a word. A beginning that `WordPiece` makes one unknown token is not considered.
    pub(crate) fn longest_step(&self, ends: bool) -> Option<usize> {
        let longest = || self.vocab().iter().map(|(token, _)| token.chars().count()).max().unwrap_or(0);
        match self {
            Self::WordPiece(model) if ends => {
                let limit = model.settings().max_input_chars_per_word.filter(|&limit| limit <= LARGEST_STEP)?;
                Some(limit.saturating_add(1).max(longest()))
            }
            Self::WordPiece(_) => Some(longest()),
            Self::Bpe(model) => {
                let settings = model.settings();
                let has_affix =
                    !settings.continuing_subword_prefix.is_empty() || !settings.end_of_word_suffix.is_empty();
                (!has_affix && settings.unused.is_empty()).then(longest)
            }
            Self::Unigram(_) => Some(longest()),
            Self::WordLevel(_) => Some(1),
        }
    }

    /// Returns a number of characters at the end of a word: if a beginning of it that ends before them is one unknown token
    /// of `WordPiece`, so is each longer one. 1 for other models.
    pub(crate) fn longest_open_end(&self) -> usize {
        let Self::WordPiece(model) = self else { return 1 };
        model.vocab().iter().map(|(token, _)| token.chars().count()).max().unwrap_or(0) + 1
    }

    /// Returns the steps by which `word` is encoded, with the `nbest` best segmentations; `None` for whole words.
    pub(crate) fn steps(&self, word: &str, entries: AllowedEntries, nbest: usize) -> Result<Option<Steps>> {
        Ok(match self {
            Self::WordPiece(model) if !model.is_likeliest() => Some(Steps::Matches(model.matches(word, entries))),
            Self::WordPiece(_) | Self::Unigram(_) => Some(Steps::Lattice(self.lattice_steps(word, entries, nbest)?)),
            Self::Bpe(model) => Some(Steps::Merges(model.merge_steps(word, entries)?)),
            Self::WordLevel(_) => None,
        })
    }

    /// Returns the given probabilities of its tokens, by id.
    pub(crate) fn probabilities(&self) -> Option<&[f64]> {
        self.as_word_piece()?.settings().probabilities.as_deref()
    }

    /// Returns the logarithms of the probabilities of entries, if the model has them.
    pub(crate) fn entry_scores(&self, ids: &[u32]) -> Option<Vec<f64>> {
        self.as_unigram().map(|model| ids.iter().map(|&id| model.score(&[id])).collect())
    }

    /// Returns those of some entries that the model makes of characters; `None` if it can make any text an entry.
    pub(crate) fn made(&self, ids: &[u32]) -> Option<HashSet<u32>> {
        self.as_bpe().map(|model| model.made(ids))
    }

    /// Returns where the model finds a text in words if that becomes an entry.
    pub(crate) fn finds_entry(&self, text: &str) -> FoundEntry {
        match self {
            Self::Bpe(model) => model.finds_entry(text),
            Self::WordPiece(model) => model.finds_entry(text),
            // Entries have scores, or are whole words.
            Self::Unigram(_) | Self::WordLevel(_) => FoundEntry::Always,
        }
    }

    /// Returns the model with the symbols of a `SentencePiece` tokenizer, by id, as entries if they have the next ids.
    ///
    /// `Some(true)` is a symbol that the model finds, `Some(false)` one that it does not, `None` one that stays as it is.
    pub(crate) fn with_symbols(&self, symbols: &[(u32, &str, Option<bool>)]) -> Result<Self> {
        match self {
            Self::Unigram(model) => model.with_symbols(symbols).map(Self::Unigram),
            Self::Bpe(model) => model.with_symbols(symbols).map(Self::Bpe),
            Self::WordPiece(_) | Self::WordLevel(_) => Ok(self.clone()),
        }
    }

    /// Returns the model with the counts of tokens, if it needs them.
    pub(crate) fn with_counts(self, counts: Option<&[u64]>) -> Result<Self> {
        match self {
            Self::WordPiece(model) => model.with_counts(counts).map(Self::WordPiece),
            Self::Bpe(_) | Self::Unigram(_) | Self::WordLevel(_) => Ok(self),
        }
    }

    /// Returns the adjacency of a text that is one word, if no word but only adjacent characters matter.
    ///
    /// Spaces are written as `space`, and `symbols` stay whole.
    pub(crate) fn text_adjacency(&self, space: char, symbols: &[String]) -> Option<(ByteAdjacency, UnspacedAdjacency)> {
        self.as_bpe()?.text_adjacency(space, symbols)
    }

    /// Returns whether a text that is one word may be cut before all spaces, as `Some`, with the adjacency of unspaced scripts if
    /// it may also be cut there.
    ///
    /// Spaces are written as `space`, and `symbols` stay whole. The words of such a text share a [`Context`].
    pub(crate) fn space_adjacency(&self, space: char, symbols: &[String]) -> Option<Option<UnspacedAdjacency>> {
        self.as_unigram()?.space_adjacency(space, symbols)
    }

    /// Returns where byte-level words may be cut into parts that are encoded separately, if they may.
    pub(crate) fn word_parts(&self, entries: AllowedEntries) -> Option<&WordParts> {
        self.as_bpe()?.word_parts(entries)
    }

    /// Returns whether an unknown text becomes the entries of its bytes.
    ///
    /// Then the unknown token may be one of these.
    pub(crate) fn falls_back(&self, text: &str, entries: AllowedEntries) -> bool {
        self.as_unigram().is_some_and(|model| model.falls_back(text, entries))
    }

    /// Returns whether an entry is a symbol that the model itself finds in words, whatever normalization does.
    #[must_use]
    pub fn is_user_defined(&self, id: u32) -> bool {
        self.as_unigram().is_some_and(|model| model.settings().user_defined.contains(&id))
    }

    /// Returns the model with these reserved entries.
    #[must_use]
    pub fn with_reserved(&self, reserved: ReservedEntries) -> Self {
        match self {
            Self::WordPiece(model) => Self::WordPiece(model.with_reserved(reserved)),
            Self::Bpe(model) => Self::Bpe(model.with_reserved(reserved)),
            Self::Unigram(model) => Self::Unigram(model.with_reserved(reserved)),
            Self::WordLevel(model) => Self::WordLevel(model.with_reserved(reserved)),
        }
    }

    /// Builds the tables that encode words of these entries; those of BPE are for words as bytes or as text, and in parts or
    /// as a whole.
    pub(crate) fn build_tables(&self, entries: AllowedEntries, as_bytes: bool, in_parts: bool) {
        match self {
            Self::WordPiece(model) => model.build_tables(entries),
            Self::Bpe(model) => model.build_tables(entries, as_bytes, in_parts),
            Self::Unigram(model) => model.build_tables(entries),
            Self::WordLevel(_) => {}
        }
    }

    /// Appends the tokens of `word`, with spans in it.
    ///
    /// No text produces a token outside `entries`.
    pub(crate) fn encode_word(
        &self,
        word: &str,
        entries: AllowedEntries,
        scratch: &mut ModelScratch,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        if let Some(sampling) = &mut scratch.sampling {
            return self.sample_word(word, entries, sampling, out);
        }
        match self {
            Self::WordPiece(model) => model.encode_word(word, entries, &mut scratch.matches, out),
            Self::Bpe(model) => model.encode_word(word, entries, &mut scratch.merging, out),
            Self::Unigram(model) => model.encode_word(word, entries, &mut scratch.paths, out),
            Self::WordLevel(model) => model.encode_word(word, entries, out),
        }
    }

    /// Appends the tokens of a byte-level word, with spans in bytes of `word`; false if the model needs the characters.
    pub(crate) fn encode_bytes(
        &self,
        word: &str,
        entries: AllowedEntries,
        scratch: &mut ModelScratch,
        out: &mut Vec<Token>,
    ) -> Result<bool> {
        match self {
            Self::Bpe(model) => model.encode_bytes(word, entries, &mut scratch.merging, out).map(|()| true),
            Self::WordPiece(_) | Self::Unigram(_) | Self::WordLevel(_) => Ok(false),
        }
    }
}
