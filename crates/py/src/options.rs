//! How a call wants its texts encoded, made once and used for many texts.

use piecework_core::Error;
use piecework_core::added::Specials;
use piecework_core::format::{read_padding, read_truncation};
use piecework_core::pipeline::{self, Road};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::arguments::wrong_type;
use crate::errors::{to_py, utf8};

/// Settings of calls.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct Options {
    pub(crate) inner: pipeline::Options,
}

/// What a call says about truncation or padding.
#[derive(FromPyObject)]
pub(crate) enum Limit {
    /// True is as the file prescribes, False is none.
    AsPrescribed(bool),
    /// JSON.
    Given(String),
}

impl Options {
    /// The options of calls of `tokenizer`, which says what it prescribes and has the pad token's id.
    pub(crate) fn new(
        py: Python<'_>,
        tokenizer: &pipeline::Tokenizer,
        add_special_tokens: bool,
        specials: Option<&Bound<'_, PyAny>>,
        truncation: Limit,
        padding: Limit,
        way: Way,
    ) -> PyResult<Self> {
        let Way(road, dropout, alpha, nbest_size, seed, first_input) = way;
        let road = self::road(py, &road)?;
        let specials = specials.map(self::specials).transpose()?.unwrap_or_default();
        tokenizer.model().check_chance(dropout, alpha).map_err(|error| to_py(py, &error))?;
        let truncation = match truncation {
            Limit::AsPrescribed(prescribed) => tokenizer.truncation().filter(|_| prescribed).copied(),
            Limit::Given(json) => Some(read_truncation(&json).map_err(|error| to_py(py, &error))?),
        };
        let padding = match padding {
            Limit::AsPrescribed(prescribed) => tokenizer.padding().filter(|_| prescribed).cloned(),
            Limit::Given(json) => Some(read_padding(&json).map_err(|error| to_py(py, &error))?),
        };
        let padding = padding.map(|padding| tokenizer.settled(padding));
        Ok(Self {
            inner: pipeline::Options {
                add_special_tokens,
                specials,
                truncation,
                padding,
                overflow: false,
                road,
                dropout,
                alpha,
                nbest_size,
                seed,
                first_input,
            },
        })
    }
}

/// The road, how likely merges are passed over, the power by which segmentations are drawn and among how many of the best, the seed,
/// and the number of the first input.
#[derive(FromPyObject)]
pub(crate) struct Way(String, Option<f32>, Option<f64>, Option<usize>, u64, u64);

/// `"fast"`, `"uncached"` or `"general"`.
fn road(py: Python<'_>, name: &str) -> PyResult<Road> {
    match name {
        "fast" => Ok(Road::Fast),
        "uncached" => Ok(Road::Uncached),
        "general" => Ok(Road::General),
        other => {
            let message = format!("road must be \"fast\", \"uncached\" or \"general\", not {other:?}");
            Err(to_py(py, &Error::Config(message)))
        }
    }
}

/// `"match"`, `"text"`, `"error"` or a collection of allowed special tokens.
fn specials(value: &Bound<'_, PyAny>) -> PyResult<Specials> {
    const EXPECTED: &str = "\"match\", \"text\", \"error\" or a set of special tokens, each a str";
    if let Ok(word) = value.cast::<PyString>() {
        return match utf8(word)? {
            "match" => Ok(Specials::Match),
            "text" => Ok(Specials::Text),
            "error" => Ok(Specials::Error),
            other => Err(to_py(
                value.py(),
                &Error::Config(format!(
                    "specials must be \"match\", \"text\", \"error\" or a set of special tokens, not {other:?}"
                )),
            )),
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
