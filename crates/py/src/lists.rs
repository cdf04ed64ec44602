//! Lists of Python, whose making a signal such as Ctrl-C ends.

use piecework_core::stop::Work;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::memory::room_for;
use crate::threads::stoppable;

/// The number of items below which no signal is looked for.
const FEW: usize = 1024;
/// The work of an item, which may have items of its own.
const WORK: usize = 64;

/// The memory of an item and of its place in the list, for small ones.
const ITEM_BYTES: usize = 40;

/// Returns a list of these items.
pub(crate) fn list<'py, T: IntoPyObject<'py>>(
    py: Python<'py>,
    items: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
) -> PyResult<Bound<'py, PyList>> {
    let items = items.into_iter();
    if items.len() < FEW {
        return PyList::new(py, items);
    }
    room_for::<[u8; ITEM_BYTES]>(items.len())?;
    let mut work = Work::default();
    stoppable(|| PyList::new(py, items.inspect(|_| work.add(WORK))))?
}

/// Items that become a list of Python.
pub(crate) struct Listed<T>(pub(crate) Vec<T>);

impl<T> FromIterator<T> for Listed<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl<'py, T: IntoPyObject<'py>> IntoPyObject<'py> for Listed<T> {
    type Target = PyList;
    type Output = Bound<'py, PyList>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        list(py, self.0)
    }
}
