//! The `WordPiece` model: a vocabulary, and greedy longest match in each word.
//!
//! See `spec/wordpiece.md`. `encode` matches or finds the most likely segmentation, with the tokens that `automaton`
//! finds, and [`train`] learns vocabularies; the trainer depends on the model, never the reverse.

mod automaton;
mod encode;
pub mod train;

use std::sync::{Arc, OnceLock};

use crate::error::{Error, Message, Result, shorten};
use crate::lattice::UNKNOWN;
use crate::model::entries::TablesByEntries;
use crate::model::{DropoutTrait, FoundEntry, ModelTraits, Probabilities};
use crate::numbers::floats::{Scaled, ln};
use crate::text::span::Span;
use crate::vocab::{AllowedEntries, ReservedEntries, Vocab};
use automaton::Automaton;
pub use encode::MatchScratch;

/// The treatment of characters that no piece covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unknown {
    /// The whole word is one unknown token (BERT).
    #[default]
    Word,
    /// Each run of unmatched characters is one unknown token, the rest is matched.
    Run,
    /// Each unmatched character is one unknown token, the rest is matched.
    Char,
}

impl Unknown {
    pub(crate) const NAMES: [(&str, Self); 3] = [("word", Self::Word), ("run", Self::Run), ("char", Self::Char)];

    /// Returns the name of the policy in files and settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, policy)| *policy == self).map_or("", |(name, _)| name)
    }

    /// Returns the policy with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(other, _)| *other == name).map(|(_, policy)| *policy)
    }
}

/// The choice of a word's segmentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Segmentation {
    /// The longest token at each position.
    #[default]
    Longest,
    /// The tokens whose joint probability is highest.
    Likeliest,
}

impl Segmentation {
    pub(crate) const NAMES: [(&str, Self); 2] = [("longest", Self::Longest), ("likeliest", Self::Likeliest)];

    /// Returns the name in files and settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, segmentation)| *segmentation == self).map_or("", |(name, _)| name)
    }

    /// Returns the segmentation with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(other, _)| *other == name).map(|(_, segmentation)| *segmentation)
    }
}

/// The settings of a [`WordPiece`] model, apart from its vocabulary.
#[derive(Debug, Clone, PartialEq)]
pub struct WordPieceSettings {
    /// The prefix of a token that continues a word; may be empty.
    pub continuing_subword_prefix: String,
    /// The text of the unknown token, if there is one; it may be missing from the vocabulary.
    pub unk_token: Option<String>,
    /// The treatment of characters that no piece covers.
    pub unknown: Unknown,
    /// The maximum word length, in characters after normalization; longer words are one unknown token.
    pub max_input_chars_per_word: Option<usize>,
    /// The choice of a word's segmentation.
    pub segmentation: Segmentation,
    /// The probability that longest match skips a token; `None` for never.
    pub dropout: Option<f32>,
    /// The probability of each token, by id, in place of its relative frequency in training.
    pub probabilities: Option<Arc<[f64]>>,
}

impl Default for WordPieceSettings {
    fn default() -> Self {
        Self {
            continuing_subword_prefix: "##".to_owned(),
            unk_token: Some("[UNK]".to_owned()),
            unknown: Unknown::Word,
            max_input_chars_per_word: Some(100),
            segmentation: Segmentation::Longest,
            dropout: None,
            probabilities: None,
        }
    }
}

/// Returns the probabilities of tokens by id; those that are not given are 0.
pub fn probabilities<'t>(vocab: &Vocab, given: impl IntoIterator<Item = (&'t str, f64)>) -> Result<Arc<[f64]>> {
    let mut probabilities = vec![0.0; vocab.id_limit() as usize];
    for (token, probability) in given {
        let refused = |why: &str| Error::Vocabulary(format!("{:?} {why}", shorten(token)).into());
        let id = vocab.id(token).ok_or_else(|| refused("has a probability and is not in the vocabulary"))?;
        if !(0.0..=1.0).contains(&probability) {
            return Err(refused("needs a probability that is a number from 0 to 1"));
        }
        probabilities[id as usize] = probability;
    }
    Ok(probabilities.into())
}

/// A `WordPiece` model, immutable and cheap to clone.
///
/// ```
/// use piecework_core::model::wordpiece::{WordPieceSettings, WordPiece};
/// use piecework_core::text::span::Span;
/// use piecework_core::vocab::{AllowedEntries, Vocab};
///
/// let vocab = Vocab::from_tokens(["[UNK]", "un", "##able"].map(String::from))?;
/// let model = WordPiece::new(vocab, WordPieceSettings::default());
/// assert_eq!(
///     model.matches("unzip", AllowedEntries::All),
///     [(Some(1), Span::new(0, 2)), (None, Span::new(2, 3))],
/// );
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct WordPiece {
    vocab: Arc<Vocab>,
    settings: Arc<WordPieceSettings>,
    unk_id: Option<u32>,
    /// Built by [`Self::build_tables`], or when the first word is encoded: decoding and conversion do not need them.
    automata: TablesByEntries<OnceLock<Automaton>>,
    /// The count of each token, by id, for the likeliest segmentation.
    counts: Option<Arc<[u64]>>,
    /// The logarithm of the probability of each token, by id, computed on first use.
    scores: Arc<OnceLock<Vec<f64>>>,
}

impl WordPiece {
    /// Returns where a text is found in words if it becomes an entry.
    pub(crate) fn finds_entry(&self, text: &str) -> FoundEntry {
        let WordPieceSettings { continuing_subword_prefix: prefix, unk_token, .. } = self.settings();
        let continues = !prefix.is_empty() && text.starts_with(prefix);
        if continues || unk_token.as_deref() == Some(text) { FoundEntry::Always } else { FoundEntry::InWord }
    }

    /// Returns the model over `vocab`.
    #[must_use]
    pub fn new(vocab: Vocab, settings: WordPieceSettings) -> Self {
        Self::over(Arc::new(vocab), settings)
    }

    fn over(vocab: Arc<Vocab>, settings: WordPieceSettings) -> Self {
        let unk_id = settings.unk_token.as_ref().and_then(|unk| vocab.id(unk));
        let (settings, automata) = (Arc::new(settings), TablesByEntries::default());
        Self { vocab, settings, unk_id, automata, counts: None, scores: Arc::default() }
    }

    /// Returns the model with other settings.
    #[must_use]
    pub fn with_settings(&self, settings: WordPieceSettings) -> Self {
        Self { automata: self.automata.emptied(), ..Self::over(Arc::clone(&self.vocab), settings) }
    }

    /// Returns the model with these reserved entries.
    #[must_use]
    pub fn with_reserved(&self, reserved: ReservedEntries) -> Self {
        Self { automata: self.automata.with_reserved(reserved), ..self.clone() }
    }

    /// Returns the model with token counts, or an error if it needs counts or probabilities and has neither.
    pub fn with_counts(mut self, counts: Option<&[u64]>) -> Result<Self> {
        let WordPieceSettings { dropout, probabilities, .. } = self.settings();
        if !self.is_likeliest() {
            return Ok(self);
        }
        if dropout.is_some_and(|dropout| dropout > 0.0) {
            let message = Message::new("the likeliest segmentation has no dropout")
                .setting("dropout")
                .hint("pass `dropout=None` or `segmentation=\"longest\"`");
            return Err(Error::Config(message));
        }
        if counts.is_none() && probabilities.is_none() {
            let message = Message::new("the likeliest segmentation needs token counts, and the tokenizer has none");
            let message = message.setting("segmentation").hint(
                "load a tokenizer.json that piecework saved after training, which contains them, or pass \
                 `probabilities=...`",
            );
            return Err(Error::NoCounts(message));
        }
        self.counts = counts.map(Into::into);
        self.scores = Arc::default();
        Ok(self)
    }

    /// Returns the vocabulary.
    #[must_use]
    pub fn vocab(&self) -> &Vocab {
        &self.vocab
    }

    /// Returns the settings.
    #[must_use]
    pub fn settings(&self) -> &WordPieceSettings {
        &self.settings
    }

    /// Returns what is true of the model, whatever word it encodes.
    pub(super) fn traits(&self) -> ModelTraits {
        let settings = self.settings();
        let is_likeliest = self.is_likeliest();
        ModelTraits {
            kind: "WordPiece",
            unk_token: settings.unk_token.clone(),
            unk_id: self.unk_id(),
            continuing_subword_prefix: settings.continuing_subword_prefix.clone(),
            uses_counts: is_likeliest && settings.probabilities.is_none(),
            has_probabilities: is_likeliest,
            probable_with: Some("segmentation=\"likeliest\""),
            dropout: if is_likeliest {
                DropoutTrait::Refused("the likeliest segmentation has no dropout, which the longest match has")
            } else {
                DropoutTrait::Own(settings.dropout)
            },
            not_extended: is_likeliest.then(|| {
                Message::new("the likeliest segmentation needs a probability of each token, and new tokens have none")
                    .setting("segmentation")
                    .hint("extend `tok.replace(segmentation=\"longest\")`")
            }),
            ..ModelTraits::default()
        }
    }

    /// Returns the unknown token's id, if the vocabulary has one.
    #[must_use]
    pub fn unk_id(&self) -> Option<u32> {
        self.unk_id
    }

    /// Whether the likeliest segmentation is used.
    #[must_use]
    pub fn is_likeliest(&self) -> bool {
        self.settings().segmentation == Segmentation::Likeliest
    }

    /// Returns the entries that are not special tokens, in order of their ids.
    pub(crate) fn ordinary_entries(&self) -> impl Iterator<Item = &str> {
        self.vocab()
            .iter()
            .filter(|&(_, id)| self.automata.allows(AllowedEntries::Ordinary, id))
            .map(|(entry, _)| entry)
    }

    /// Returns the unknown token's id, or an error for this word.
    fn require_unk_id(&self, word: &str) -> Result<u32> {
        self.unk_id().ok_or_else(|| Error::NoUnknownToken { word: shorten(word) })
    }

    /// Builds the tables that encode words of these entries.
    pub(crate) fn build_tables(&self, entries: AllowedEntries) {
        self.automaton(entries);
        if self.is_likeliest() {
            self.scores();
        }
    }

    /// Returns the automaton over these tokens.
    fn automaton(&self, entries: AllowedEntries) -> &Automaton {
        self.automata.of(entries).get_or_init(|| {
            let tokens = self.vocab().iter().filter(|(_, id)| self.automata.allows(entries, *id));
            Automaton::new(tokens, &self.settings().continuing_subword_prefix)
        })
    }

    /// Returns the logarithm of the probability of each token, by id.
    fn scores(&self) -> &[f64] {
        self.scores.get_or_init(|| {
            let given = self.settings.probabilities.as_deref();
            let probabilities = Probabilities::new(given, self.counts.as_deref());
            (0..self.vocab.id_limit()).map(|id| ln(Scaled::of(probabilities.of(id)))).collect()
        })
    }

    /// Returns the longest matches of `word` in order: the token, or `None` where none matches, and its bytes of the word.
    ///
    /// They end at the first character without a match if that makes the whole word unknown. None for a word that is too
    /// long.
    #[must_use]
    pub fn matches(&self, word: &str, entries: AllowedEntries) -> Vec<(Option<u32>, Span)> {
        let (mut found, mut end) = (Vec::new(), 0);
        if self.is_too_long(word) {
            return found;
        }
        self.automaton(entries).walk(word, &mut Vec::new(), |id, bytes| {
            let id = (id != UNKNOWN).then_some(id);
            found.push((id, Span { start: end, end: end + bytes }));
            end += bytes;
            id.is_some() || self.settings().unknown != Unknown::Word
        });
        found
    }
}
