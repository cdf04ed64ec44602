//! Structs that cross the boundary as tuples.

use piecework_core::added::AddedToken;
use piecework_core::learn::{Merge, UnigramStep};

/// Defines a struct that Python reads and writes as a tuple of its fields, in their order.
macro_rules! tuple_struct {
    ($(#[$meta:meta])* $name:ident { $($(#[$note:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$meta])*
        pub(crate) struct $name {
            $($(#[$note])* pub(crate) $field: $type,)*
        }

        impl<'py> pyo3::FromPyObject<'_, 'py> for $name {
            type Error = pyo3::PyErr;

            fn extract(tuple: pyo3::Borrowed<'_, 'py, pyo3::PyAny>) -> pyo3::PyResult<Self> {
                let ($($field,)*): ($($type,)*) = tuple.extract()?;
                Ok(Self { $($field,)* })
            }
        }

        impl<'py> pyo3::IntoPyObject<'py> for $name {
            type Target = pyo3::types::PyTuple;
            type Output = pyo3::Bound<'py, Self::Target>;
            type Error = pyo3::PyErr;

            fn into_pyobject(self, py: pyo3::Python<'py>) -> pyo3::PyResult<Self::Output> {
                ($(self.$field,)*).into_pyobject(py)
            }
        }
    };
}

pub(crate) use tuple_struct;

tuple_struct! {
    /// The fields of an added token, without its id.
    AddedTokenRow {
        content: String,
        single_word: bool,
        lstrip: bool,
        rstrip: bool,
        normalized: bool,
        special: bool,
    }
}

impl AddedTokenRow {
    pub(crate) fn of(token: &AddedToken) -> Self {
        let AddedToken { content, single_word, lstrip, rstrip, normalized, special, .. } = token.clone();
        Self { content, single_word, lstrip, rstrip, normalized, special }
    }
}

tuple_struct! {
    /// Added tokens with the same flags: `single_word`, `lstrip`, `rstrip`, `normalized` and `special`.
    AddedTokenRun {
        flags: (bool, bool, bool, bool, bool),
        contents: Vec<String>,
    }
}

impl AddedTokenRun {
    /// Returns the tokens with the id 0, which the core replaces.
    pub(crate) fn into_core(self) -> impl Iterator<Item = AddedToken> {
        let (single_word, lstrip, rstrip, normalized, special) = self.flags;
        let token = move |content| AddedToken {
            id: 0,
            content,
            single_word,
            lstrip,
            rstrip,
            normalized,
            special,
            control: false,
        };
        self.contents.into_iter().map(token)
    }
}

/// A merge of a training: left, right, token, score, counts of the pair, of left and of right, ties.
pub(crate) type MergeRow<'a> = (&'a str, &'a str, &'a str, f64, u64, u64, u64, u64);

pub(crate) fn merge_row(merge: &Merge) -> MergeRow<'_> {
    let Merge { left, right, token, score, pair_count, left_count, right_count, ties } = merge;
    (left, right, token, *score, *pair_count, *left_count, *right_count, *ties)
}

/// A step of a Unigram training: pieces before it, log-likelihood, removed pieces if they are known.
pub(crate) type StepRow<'a> = (usize, Option<f64>, Option<&'a [String]>);

pub(crate) fn step_row(step: &UnigramStep) -> StepRow<'_> {
    (step.pieces, step.log_likelihood, step.removed.as_deref())
}
