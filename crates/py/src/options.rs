//! The options of a call, made once and used for many texts.

use piecework_core::Result;
use piecework_core::added::{SpecialsPolicy, TextTokens};
use piecework_core::pipeline::{self, EncodingPath};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arguments::wrong_type;
use crate::errors::{invalid_setting, to_py, utf8};
use crate::tuples::tuple_struct;

/// The options of a call.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct Options {
    pub(crate) inner: pipeline::Options,
}

/// The truncation or padding of a call.
#[derive(FromPyObject)]
pub(crate) enum LengthSetting {
    /// True takes that of the file, false takes none.
    AsPrescribed(bool),
    /// Settings as JSON.
    Given(String),
}

impl LengthSetting {
    /// Returns what a tokenizer prescribes, or what `read` finds in JSON.
    pub(crate) fn or_prescribed<T: Clone>(
        self,
        prescribed: Option<&T>,
        read: impl FnOnce(&str) -> Result<T>,
    ) -> PyResult<Option<T>> {
        match self {
            Self::AsPrescribed(is_used) => Ok(prescribed.filter(|_| is_used).cloned()),
            Self::Given(json) => read(&json).map(Some).map_err(to_py),
        }
    }
}

tuple_struct! {
    /// The path of a call, and its sampling.
    PathAndSampling {
        /// The name of the path.
        path: String,
        /// The probability that a merge or a token is skipped.
        dropout: Option<f32>,
        /// The power of the probabilities when a segmentation is sampled.
        alpha: Option<f64>,
        /// The number of best segmentations to sample from; `None` for all.
        nbest_size: Option<usize>,
        seed: u64,
        /// The number of the first input, a part of the seed of each.
        first_input: u64,
    }
}

impl PathAndSampling {
    /// Returns the options of the core with defaults for the others; an error if `tokenizer` cannot be sampled so.
    pub(crate) fn into_core(self, tokenizer: &pipeline::Tokenizer) -> PyResult<pipeline::Options> {
        let Self { path, dropout, alpha, nbest_size, seed, first_input } = self;
        let path = self::path(&path)?;
        tokenizer.traits().check_regularization(dropout, alpha).map_err(to_py)?;
        let overflow = false;
        let others = pipeline::Options::default();
        Ok(pipeline::Options { overflow, path, dropout, alpha, nbest_size, seed, first_input, ..others })
    }
}

/// Returns the path named `"fast"`, `"uncached"` or `"generic"`.
fn path(name: &str) -> PyResult<EncodingPath> {
    match name {
        "fast" => Ok(EncodingPath::Fast),
        "uncached" => Ok(EncodingPath::Uncached),
        "generic" => Ok(EncodingPath::Generic),
        other => Err(invalid_setting("path", "\"fast\", \"uncached\" or \"generic\"", format_args!("{other:?}"))),
    }
}

/// Returns the treatment of special tokens, by default that of the core: a word, or a collection of allowed ones.
///
/// With `untrusted`, the words stand for all tokens that untrusted text must not spell.
pub(crate) fn specials(value: Option<&Bound<'_, PyAny>>, untrusted: bool) -> PyResult<SpecialsPolicy> {
    const NAMES: &str = "\"match\", \"text\", \"error\", \"text-all\", \"error-all\" or a set of special tokens";
    const EXPECTED: &str =
        "\"match\", \"text\", \"error\", \"text-all\", \"error-all\" or a set of special tokens, each a str";
    let tokens = if untrusted { TextTokens::Untrusted } else { TextTokens::Special };
    let Some(value) = value else {
        return Ok(if untrusted { SpecialsPolicy::Text(tokens) } else { SpecialsPolicy::default() });
    };
    if let Ok(word) = value.cast::<PyString>() {
        return match utf8(word)? {
            "match" => Ok(SpecialsPolicy::Match),
            "text" => Ok(SpecialsPolicy::Text(tokens)),
            "text-all" => Ok(SpecialsPolicy::Text(TextTokens::Untrusted)),
            // For the facade of `tokenizers` alone, which encodes special tokens in this way.
            "unmatched" => Ok(SpecialsPolicy::Unmatched),
            "error" => Ok(SpecialsPolicy::Error(tokens)),
            "error-all" => Ok(SpecialsPolicy::Error(TextTokens::Untrusted)),
            other => Err(invalid_setting("specials", NAMES, format_args!("{other:?}"))),
        };
    }
    let mut allowed = Vec::new();
    let items = value.try_iter().map_err(|_| wrong_type("specials", EXPECTED, value))?;
    for item in items {
        let item = item?;
        let token = item.cast::<PyString>().map_err(|_| wrong_type("specials", EXPECTED, &item))?;
        allowed.push(utf8(token)?.to_owned());
    }
    allowed.sort_unstable();
    Ok(SpecialsPolicy::Allowed(tokens, allowed))
}
