//! The settings of `WordPiece` models: to the core and back.

use std::collections::BTreeMap;

use piecework_core::model::Model;
use piecework_core::model::wordpiece::{self, Segmentation, Unknown, WordPiece, WordPieceSettings};
use piecework_core::{Error, pipeline};
use pyo3::prelude::*;

use crate::errors::{invalid_setting, to_py};
use crate::tuples::tuple_struct;

tuple_struct! {
    /// The settings of a `WordPiece` model, with choices by name.
    ModelSettings {
        continuing_subword_prefix: String,
        unk_token: Option<String>,
        unknown: String,
        max_input_chars_per_word: Option<usize>,
        segmentation: String,
    }
}

impl ModelSettings {
    /// Returns the settings of a model.
    pub(crate) fn of(model: &WordPiece) -> Self {
        let settings = model.settings();
        Self {
            continuing_subword_prefix: settings.continuing_subword_prefix.clone(),
            unk_token: settings.unk_token.clone(),
            unknown: settings.unknown.name().to_owned(),
            max_input_chars_per_word: settings.max_input_chars_per_word,
            segmentation: settings.segmentation.name().to_owned(),
        }
    }

    /// Returns the settings of the core; an unknown choice is an error.
    pub(crate) fn into_core(self) -> PyResult<WordPieceSettings> {
        let Self { continuing_subword_prefix, unk_token, unknown, max_input_chars_per_word, segmentation } = self;
        let unknown = Unknown::from_name(&unknown)
            .ok_or_else(|| invalid_setting("unknown", "\"word\", \"run\" or \"char\"", format_args!("{unknown:?}")))?;
        let segmentation = Segmentation::from_name(&segmentation).ok_or_else(|| {
            invalid_setting("segmentation", "\"longest\" or \"likeliest\"", format_args!("{segmentation:?}"))
        })?;
        Ok(WordPieceSettings {
            continuing_subword_prefix,
            unk_token,
            unknown,
            max_input_chars_per_word,
            segmentation,
            ..WordPieceSettings::default()
        })
    }
}

/// Returns the `WordPiece` model of a tokenizer; another model is an error.
pub(crate) fn word_piece(tokenizer: &pipeline::Tokenizer) -> PyResult<&WordPiece> {
    tokenizer.model().as_word_piece().ok_or_else(|| {
        let message = "this is a setting of WordPiece models, and the tokenizer has another";
        to_py(Error::Config(message.into()))
    })
}

/// Returns a tokenizer with other settings of its model, and other probabilities if given; an empty map removes them.
pub(crate) fn with_model(
    tokenizer: &pipeline::Tokenizer,
    model: ModelSettings,
    probabilities: Option<BTreeMap<String, f64>>,
) -> PyResult<pipeline::Tokenizer> {
    let old = word_piece(tokenizer)?;
    let WordPieceSettings { dropout, probabilities: own, .. } = old.settings().clone();
    let given = probabilities.map(|given| {
        let given = given.iter().map(|(token, probability)| (token.as_str(), *probability));
        let is_none = given.len() == 0;
        wordpiece::probabilities(old.vocab(), given).map(|given| (!is_none).then_some(given))
    });
    let probabilities = given.transpose().map_err(to_py)?.unwrap_or(own);
    let changed = old.with_settings(WordPieceSettings { dropout, probabilities, ..model.into_core()? });
    tokenizer.with_model(Model::WordPiece(changed)).map_err(to_py)
}
