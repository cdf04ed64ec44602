//! The unigram language model: pieces with probabilities, and of all ways to spell a word in them the likeliest.
//!
//! See `spec/unigram.md`. `pieces` are those that begin at a place, `viterbi` finds the best path, `rounding_margin` says how sure
//! it is, `tables` holds what it looks up, by characters as `letters` has them; `encode` makes tokens of the path. `adjacency` says
//! where no path goes over, `running_score` adds scores up from word to word, by what `id_tags` keep in ids; `lattice` has all
//! other questions.

mod adjacency;
mod encode;
mod id_tags;
mod lattice;
mod letters;
mod pieces;
mod rounding_margin;
mod running_score;
mod tables;
pub mod train;
mod trie;
mod viterbi;

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result, shorten};
use crate::vocab::Vocab;
pub(crate) use running_score::RunningScore;
use tables::{Scores, Tables};
pub use viterbi::Paths;

/// The settings of a [`Unigram`] model beside its vocabulary and scores.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// Stands for characters that are no pieces; without it they are an error.
    pub unk_token: Option<String>,
    /// How scores are rounded.
    pub precision: Precision,
    /// Whether unknown characters become the entries `<0x00>` to `<0xFF>` of their bytes, where the vocabulary has them.
    pub byte_fallback: bool,
    /// Entries that go before all others, whatever their score.
    pub user_defined: HashSet<u32>,
    /// Entries that no text becomes.
    pub reserved: HashSet<u32>,
}

/// Whose sums the scores are added up as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// 64 bits, as in `tokenizers`.
    #[default]
    Float64,
    /// 32 bits, as in SentencePiece.
    Float32,
}

/// Scores that were added up in 32 bits.
#[derive(Debug, Clone, Copy, Default)]
struct Total {
    score: f32,
    /// What the scores come to without their signs.
    size: f64,
    /// How many they are.
    steps: usize,
}

impl Total {
    fn add(&mut self, score: f32) {
        self.score += score;
        self.size += f64::from(score.abs());
        self.steps += 1;
    }
}

/// A unigram model, immutable once built and cheap to clone.
#[derive(Debug, Clone)]
pub struct Unigram {
    shared: Arc<Shared>,
    /// The ids that text must not produce where special tokens are no more than text.
    specials: HashSet<u32>,
    /// Built when first asked for; models with the same special tokens share it.
    without_specials: Arc<OnceLock<Tables>>,
}

#[derive(Debug)]
struct Shared {
    vocab: Arc<Vocab>,
    /// By id.
    scores: Arc<[f64]>,
    settings: Settings,
    unk_id: Option<u32>,
    /// Built when the first word is encoded: whoever decodes, or looks at a file, has no need of them.
    tables: OnceLock<Tables>,
}

impl Unigram {
    /// The model of entries with scores, one for each id; each of them is a finite number.
    pub fn new(vocab: Vocab, scores: Vec<f64>, settings: Settings) -> Result<Self> {
        if scores.len() != vocab.id_limit() as usize {
            return Err(Error::Vocabulary(format!("{} scores were given for {} ids", scores.len(), vocab.id_limit())));
        }
        for (token, id) in vocab.iter() {
            let score = scores[id as usize];
            if token.is_empty() {
                return Err(Error::Vocabulary(format!("piece {id} is empty; a piece spells some text")));
            }
            if !stays_finite(score, settings.precision) {
                let token = shorten(token);
                let message = format!("the score of {token:?} is {score:e}; expected a number that stays finite");
                return Err(Error::Vocabulary(message));
            }
        }
        Ok(Self::over(Arc::new(vocab), scores.into(), settings))
    }

    fn over(vocab: Arc<Vocab>, scores: Arc<[f64]>, settings: Settings) -> Self {
        let unk_id = settings.unk_token.as_ref().and_then(|unk| vocab.id(unk));
        let shared = Arc::new(Shared { vocab, scores, settings, unk_id, tables: OnceLock::new() });
        Self { shared, specials: HashSet::new(), without_specials: Arc::default() }
    }

    /// The same model with other settings.
    #[must_use]
    pub fn with_settings(&self, settings: Settings) -> Self {
        let Shared { vocab, scores, .. } = &*self.shared;
        Self::over(Arc::clone(vocab), Arc::clone(scores), settings).with_specials(self.specials.clone())
    }

    /// The same model; on request no text produces these ids.
    #[must_use]
    pub fn with_specials(&self, specials: HashSet<u32>) -> Self {
        let is_same = specials == self.specials;
        let without_specials = if is_same { Arc::clone(&self.without_specials) } else { Arc::default() };
        Self { shared: Arc::clone(&self.shared), specials, without_specials }
    }

    /// The vocabulary.
    #[must_use]
    pub fn vocab(&self) -> &Vocab {
        &self.shared.vocab
    }

    /// The scores, by id.
    #[must_use]
    pub fn scores(&self) -> &[f64] {
        &self.shared.scores
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// The unknown token's id, where the vocabulary has one.
    #[must_use]
    pub fn unk_id(&self) -> Option<u32> {
        self.shared.unk_id
    }

    /// Whether a text becomes a piece by itself, whatever is done with special tokens.
    pub(crate) fn is_piece(&self, text: &str) -> bool {
        let open = |id: &u32| !self.settings().reserved.contains(id) && !self.specials.contains(id);
        self.vocab().id(text).as_ref().is_some_and(open)
    }

    /// Returns what adds up the scores of a text, where they go on from word to word.
    pub(crate) fn context(&self) -> RunningScore<'_> {
        RunningScore::new(self)
    }

    /// Adds the scores that ids stand for to a sum, one after the other. See [`id_tags`].
    fn add_up(&self, ids: &[u32], specials: bool, sum: &mut Total) {
        let Scores::Float32(scores, unknown) = &self.tables(specials).scores else { return };
        for &id in ids {
            if id_tags::is_tagged(id) {
                (0..id_tags::scores(id)).for_each(|_| sum.add(*unknown));
            } else {
                sum.add(scores[id as usize]);
            }
        }
    }

    /// The largest score, in 32 bits, whatever its sign.
    fn largest(&self, specials: bool) -> f32 {
        self.tables(specials).largest
    }

    /// What words are looked up in: all entries, or all but the special ones.
    fn tables(&self, specials: bool) -> &Tables {
        let Shared { vocab, scores, settings, tables, .. } = &*self.shared;
        if specials || self.specials.is_empty() {
            return tables.get_or_init(|| Tables::new(vocab, scores, settings, |_| true));
        }
        let make = || Tables::new(vocab, scores, settings, |id| !self.specials.contains(&id));
        self.without_specials.get_or_init(make)
    }
}

/// Whether a score is a finite number, and stays one when it is rounded.
#[expect(clippy::cast_possible_truncation, reason = "that is the question")]
fn stays_finite(score: f64, precision: Precision) -> bool {
    match precision {
        Precision::Float64 => score.is_finite(),
        Precision::Float32 => (score as f32).is_finite(),
    }
}
