//! The options of a call, made once and used for many texts.

use piecework_core::added::Specials;
use piecework_core::format::{read_padding, read_truncation};
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
pub(crate) enum Limit {
    /// True takes that of the file, false takes none.
    AsPrescribed(bool),
    /// Settings as JSON.
    Given(String),
}

impl Options {
    /// Returns the options of a call of `tokenizer`, which provides the defaults and the id of the pad token.
    pub(crate) fn new(
        tokenizer: &pipeline::Tokenizer,
        add_special_tokens: bool,
        specials: Option<&Bound<'_, PyAny>>,
        truncation: Limit,
        padding: Limit,
        way: PathAndSampling,
    ) -> PyResult<Self> {
        let PathAndSampling { path, dropout, alpha, nbest_size, seed, first_input } = way;
        let path = self::path(&path)?;
        let specials = specials.map(self::specials).transpose()?.unwrap_or_default();
        tokenizer.traits().check_regularization(dropout, alpha).map_err(to_py)?;
        let truncation = match truncation {
            Limit::AsPrescribed(prescribed) => tokenizer.truncation().filter(|_| prescribed).copied(),
            Limit::Given(json) => Some(read_truncation(&json).map_err(to_py)?),
        };
        let padding = match padding {
            Limit::AsPrescribed(prescribed) => tokenizer.padding().filter(|_| prescribed).cloned(),
            Limit::Given(json) => Some(read_padding(&json).map_err(to_py)?),
        };
        let padding = padding.map(|padding| tokenizer.compare_padding(padding));
        Ok(Self {
            inner: pipeline::Options {
                add_special_tokens,
                specials,
                truncation,
                padding,
                overflow: false,
                path,
                dropout,
                alpha,
                nbest_size,
                seed,
                first_input,
            },
        })
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

/// Returns the path named `"fast"`, `"uncached"` or `"generic"`.
fn path(name: &str) -> PyResult<EncodingPath> {
    match name {
        "fast" => Ok(EncodingPath::Fast),
        "uncached" => Ok(EncodingPath::Uncached),
        "generic" => Ok(EncodingPath::Generic),
        other => {
            let problem = format!("expected \"fast\", \"uncached\" or \"generic\", found {other:?}");
            Err(invalid_setting("path", problem))
        }
    }
}

/// Returns the treatment of special tokens: `"match"`, `"text"`, `"error"` or a collection of allowed ones.
pub(crate) fn specials(value: &Bound<'_, PyAny>) -> PyResult<Specials> {
    const EXPECTED: &str = "\"match\", \"text\", \"error\" or a set of special tokens, each a str";
    if let Ok(word) = value.cast::<PyString>() {
        return match utf8(word)? {
            "match" => Ok(Specials::Match),
            "text" => Ok(Specials::Text),
            // For the facade of `tokenizers` alone, which encodes special tokens in this way.
            "unmatched" => Ok(Specials::Unmatched),
            "error" => Ok(Specials::Error),
            other => {
                let problem =
                    format!("expected \"match\", \"text\", \"error\" or a set of special tokens, found {other:?}");
                Err(invalid_setting("specials", problem))
            }
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
    Ok(Specials::Allowed(allowed))
}
