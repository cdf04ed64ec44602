//! The traits of a model: what is true of it, whatever word it encodes.

use super::SubwordRegularization;
use crate::error::{Error, Message, Result};

/// The traits of a model, computed once for a tokenizer.
///
/// A model states those in which it differs from the default.
#[derive(Debug, Clone, Default)]
pub struct ModelTraits {
    /// The name of the model's kind.
    pub kind: &'static str,
    /// The unknown token's text, if there is one.
    pub unk_token: Option<String>,
    /// The unknown token's id, if the vocabulary has one.
    pub unk_id: Option<u32>,
    /// The prefix of a token that continues a word; empty if there is none.
    pub continuing_subword_prefix: String,
    /// The suffix of a token that ends a word; empty if there is none.
    pub end_of_word_suffix: String,
    /// Whether unknown text without an unknown token has no token; otherwise it is an error.
    pub(crate) drops_unknown: bool,
    /// Whether unknown tokens take the text that they replace as their name, in other pipelines and in those of
    /// `SentencePiece`.
    pub(crate) names_unknown: [bool; 2],
    /// Whether the token counts of a training decide segmentations.
    pub(crate) uses_counts: bool,
    /// Whether segmentations have probabilities.
    pub(crate) has_probabilities: bool,
    /// The setting with which they would have probabilities.
    pub(crate) probable_with: Option<&'static str>,
    pub(crate) dropout: DropoutTrait,
    /// The reason for the refusal of an extension; a generic one if there is none.
    pub(super) not_extended: Option<Message>,
}

/// The effect of dropout on a model.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum DropoutTrait {
    /// There is none.
    #[default]
    None,
    /// The model has it, with this probability in calls that do not set one.
    Own(Option<f32>),
    /// The model refuses it, for this reason.
    Refused(&'static str),
}

impl ModelTraits {
    /// Returns an error for a model without probabilities of segmentations.
    pub fn check_probabilities(&self) -> Result<()> {
        if self.has_probabilities { Ok(()) } else { Err(self.without_probabilities()) }
    }

    pub(super) fn without_probabilities(&self) -> Error {
        let problem = format!(
            "a {} has no probabilities of segmentations; Unigram has them, and WordPiece with the likeliest \
             segmentation",
            self.kind
        );
        let hint = self.probable_with.map(|setting| format!("pass `{setting}`"));
        Error::Config(Message::new(problem).maybe_hint(hint))
    }

    /// Returns the error for an extension of the model.
    pub(crate) fn without_extension(&self) -> Error {
        let generic = || Message::new(format!("the entries of a {} cannot be extended", self.kind));
        Error::Config(self.not_extended.clone().unwrap_or_else(generic))
    }

    /// Returns an error for random choices that the model does not support.
    pub fn check_regularization(&self, dropout: Option<f32>, alpha: Option<f64>) -> Result<()> {
        if alpha.is_some() {
            self.check_probabilities()?;
        }
        match self.dropout {
            DropoutTrait::Refused(problem) if dropout.is_some_and(|dropout| dropout > 0.0) => Err(Error::Config(
                Message::new(problem).setting("dropout").hint("pass `alpha=...` to draw segmentations at random"),
            )),
            _ => Ok(()),
        }
    }

    /// Returns the random choices of a call, or else the model's own.
    pub(crate) fn regularization(
        &self,
        dropout: Option<f32>,
        alpha: Option<f64>,
        nbest_size: Option<usize>,
    ) -> Option<SubwordRegularization> {
        match self.dropout {
            DropoutTrait::Own(own) => {
                dropout.or(own).filter(|&dropout| dropout > 0.0).map(SubwordRegularization::Dropout)
            }
            _ => alpha.filter(|_| self.has_probabilities).map(|alpha| SubwordRegularization::Alpha(alpha, nbest_size)),
        }
    }

    /// Returns whether the model has a dropout of its own, for calls that do not set one.
    #[must_use]
    pub fn has_dropout(&self) -> bool {
        self.regularization(None, None, None).is_some()
    }

    /// Returns whether unknown text is an error.
    pub(crate) fn refuses_unknown(&self) -> bool {
        self.unk_id.is_none() && !self.drops_unknown
    }
}
