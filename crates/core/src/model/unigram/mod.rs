//! The Unigram language model: pieces with probabilities; a word becomes its most probable segmentation.
//!
//! * `tables`: the look-up tables of a model: the pieces that begin at a position, with their scores.
//! * `letters`, `trie`: the pieces by their characters.
//! * `viterbi`: the best path.
//! * `rounding_margin`: tests that rounding cannot change the best path.
//! * `encode`: converts a path to tokens.
//! * `running_score`, `id_tags`: the sum of scores from word to word, and the number of scores of a token.
//! * `adjacency`: safe split points.
//! * `lattice`: n-best lists, sampling and probabilities.
//! * `train`: the training.
//!
//! The rules are those of `spec/unigram.md`. Source: Kudo 2018, *Subword regularization*.

mod adjacency;
mod encode;
mod id_tags;
mod lattice;
mod letters;
mod rounding_margin;
mod running_score;
mod tables;
pub mod train;
mod viterbi;

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use crate::error::{Error, Result, shorten};
use crate::model::entries::TablesByEntries;
use crate::model::{DropoutTrait, ModelTraits};
use crate::numbers::floats::to_single;
use crate::vocab::{AllowedEntries, ReservedEntries, Vocab};
pub(super) use running_score::RunningScore;
use tables::Tables;
pub use viterbi::ViterbiScratch;

/// The settings of a [`Unigram`] model besides its vocabulary and scores.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnigramSettings {
    /// The token of characters that are not pieces; without it they are an error.
    pub unk_token: Option<String>,
    /// The precision of the sums of scores.
    pub precision: Precision,
    /// Whether unknown characters become the entries `<0x00>` to `<0xFF>` of their bytes, if the vocabulary has them.
    pub byte_fallback: bool,
    /// User-defined entries: [`Precision::Float32`] replaces their scores by 0.1 · (length − 1).
    pub user_defined: HashSet<u32>,
    /// Entries that are never produced from text, such as control tokens.
    pub reserved: HashSet<u32>,
}

/// The floating-point type in which scores are added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Precision {
    /// 64 bits, as in `tokenizers`.
    #[default]
    Float64,
    /// 32 bits, as in SentencePiece.
    Float32,
}

/// A unigram model, immutable once built and cheap to clone.
///
/// ```
/// use piecework_core::model::Model;
/// use piecework_core::model::unigram::{UnigramSettings, Unigram};
/// use piecework_core::vocab::{AllowedEntries, Vocab};
///
/// let vocab = Vocab::from_tokens(["a", "b", "ab"].map(String::from))?;
/// let model = Unigram::new(vocab, vec![-1.0, -1.0, -1.5], UnigramSettings::default())?;
/// let best = Model::Unigram(model).nbest("ab", AllowedEntries::All, 2)?;
/// assert_eq!(best.iter().map(|path| path.score).collect::<Vec<_>>(), [-1.5, -2.0]);
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Unigram {
    vocab: Arc<Vocab>,
    /// The scores, by id.
    scores: Arc<[f64]>,
    settings: Arc<UnigramSettings>,
    unk_id: Option<u32>,
    /// Built by [`Self::build_tables`], or when the first word is encoded: decoding and inspecting a file do not need them.
    tables: TablesByEntries<OnceLock<Tables>>,
}

impl Unigram {
    /// Returns the model with symbols as pieces if they have the next ids; those that it does not find are reserved.
    pub(crate) fn with_symbols(&self, symbols: &[(u32, &str, Option<bool>)]) -> Result<Self> {
        let (mut vocab, mut scores) = (self.vocab().clone(), self.scores().to_vec());
        let mut settings = self.settings().clone();
        for &(id, text, is_found) in symbols {
            let is_new = id == vocab.id_limit();
            if is_new {
                vocab.insert_next(text)?;
                scores.push(0.0);
            }
            if vocab.token(id).is_none() {
                continue;
            }
            let UnigramSettings { user_defined, reserved, .. } = &mut settings;
            if is_found == Some(true) {
                user_defined.insert(id);
                reserved.remove(&id);
            } else if is_new || (is_found == Some(false) && user_defined.remove(&id)) {
                reserved.insert(id);
            }
        }
        Self::new(vocab, scores, settings)
    }

    /// Returns the model of entries with scores, one finite number for each id.
    pub fn new(vocab: Vocab, scores: Vec<f64>, settings: UnigramSettings) -> Result<Self> {
        if scores.len() != vocab.id_limit() as usize {
            return Err(Error::Vocabulary(
                format!("{} scores were given for {} ids", scores.len(), vocab.id_limit()).into(),
            ));
        }
        for (token, id) in vocab.iter() {
            let score = scores[id as usize];
            if token.is_empty() {
                return Err(Error::Vocabulary(format!("piece {id} is empty; a piece spells some text").into()));
            }
            if !is_representable(score, settings.precision) {
                let token = shorten(token);
                let message = format!("the score of {token:?} is {score:e}; expected a number that stays finite");
                return Err(Error::Vocabulary(message.into()));
            }
        }
        Ok(Self::over(Arc::new(vocab), scores.into(), settings))
    }

    fn over(vocab: Arc<Vocab>, scores: Arc<[f64]>, settings: UnigramSettings) -> Self {
        let unk_id = settings.unk_token.as_ref().and_then(|unk| vocab.id(unk));
        Self { vocab, scores, settings: Arc::new(settings), unk_id, tables: TablesByEntries::default() }
    }

    /// Returns the model with other settings.
    #[must_use]
    pub fn with_settings(&self, settings: UnigramSettings) -> Self {
        let changed = Self::over(Arc::clone(&self.vocab), Arc::clone(&self.scores), settings);
        Self { tables: self.tables.emptied(), ..changed }
    }

    /// Returns the model with these reserved entries.
    #[must_use]
    pub fn with_reserved(&self, reserved: ReservedEntries) -> Self {
        Self { tables: self.tables.with_reserved(reserved), ..self.clone() }
    }

    /// Returns the vocabulary.
    #[must_use]
    pub fn vocab(&self) -> &Vocab {
        &self.vocab
    }

    /// Returns the scores, by id.
    #[must_use]
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Returns the settings.
    #[must_use]
    pub fn settings(&self) -> &UnigramSettings {
        &self.settings
    }

    /// Returns what is true of the model, whatever word it encodes.
    pub(super) fn traits(&self) -> ModelTraits {
        ModelTraits {
            kind: "Unigram",
            unk_token: self.settings().unk_token.clone(),
            unk_id: self.unk_id(),
            names_unknown: [true, true],
            has_probabilities: true,
            dropout: DropoutTrait::Refused("Unigram has no dropout, which BPE and WordPiece have"),
            ..ModelTraits::default()
        }
    }

    /// Returns the unknown token's id, if the vocabulary has one.
    #[must_use]
    pub fn unk_id(&self) -> Option<u32> {
        self.unk_id
    }

    /// Returns whether a text is a piece, whatever the options for special tokens.
    pub(crate) fn is_piece(&self, text: &str) -> bool {
        let open = |id| !self.settings().reserved.contains(&id) && self.tables.allows(AllowedEntries::Ordinary, id);
        self.vocab().id(text).is_some_and(open)
    }

    /// Builds the tables that encode words of these entries.
    pub(crate) fn build_tables(&self, entries: AllowedEntries) {
        self.tables(entries);
    }

    /// Returns the tables of these entries.
    fn tables(&self, entries: AllowedEntries) -> &Tables {
        let allowed = |id| self.tables.allows(entries, id);
        self.tables.of(entries).get_or_init(|| Tables::new(self, allowed))
    }
}

/// Returns whether a score is a finite number, and stays one when it is rounded.
fn is_representable(score: f64, precision: Precision) -> bool {
    match precision {
        Precision::Float64 => score.is_finite(),
        Precision::Float32 => to_single(score).is_finite(),
    }
}
