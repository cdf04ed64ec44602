//! Structs that cross the boundary as tuples.

use piecework_core::added::AddedToken;
use piecework_core::learn::{Merge, UnigramStep};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

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

    /// Returns the token with the id 0, which the core replaces.
    pub(crate) fn into_core(self) -> AddedToken {
        let Self { content, single_word, lstrip, rstrip, normalized, special } = self;
        AddedToken { id: 0, content, single_word, lstrip, rstrip, normalized, special, control: false }
    }
}

/// A merge of a training, as a tuple of its fields.
pub(crate) struct MergeRow<'a>(pub(crate) &'a Merge);

impl<'py> IntoPyObject<'py> for MergeRow<'_> {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let Merge { left, right, token, score, pair_count, left_count, right_count, ties } = self.0;
        (left, right, token, *score, *pair_count, *left_count, *right_count, *ties).into_pyobject(py)
    }
}

/// A step of a Unigram training, as a tuple: pieces before it, log-likelihood, removed pieces if they are known.
pub(crate) struct StepRow<'a>(pub(crate) &'a UnigramStep);

impl<'py> IntoPyObject<'py> for StepRow<'_> {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        let UnigramStep { pieces, log_likelihood, removed } = self.0;
        (*pieces, *log_likelihood, removed.as_deref()).into_pyobject(py)
    }
}
