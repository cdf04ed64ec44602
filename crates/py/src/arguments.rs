//! Checks of single arguments; an error names the argument and what was expected.

use numpy::PyReadonlyArray1;
use piecework_core::error::shorten;
use pyo3::Borrowed;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyIterator, PyList, PyString, PyTuple};

use crate::errors::{id_error, invalid_setting, utf8};
use crate::memory::room_for;

/// Returns the exception for an argument of a wrong type.
pub(crate) fn wrong_type(name: &str, expected: &str, found: &Bound<'_, PyAny>) -> PyErr {
    wrong_type_with(name, expected, found, None)
}

/// Returns the exception for an argument of a wrong type, with what to do.
pub(crate) fn wrong_type_with(name: &str, expected: &str, found: &Bound<'_, PyAny>, hint: Option<&str>) -> PyErr {
    let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    PyTypeError::new_err(format!("{name}: expected {expected}, found {}{hint}", type_name(found)))
}

/// Returns whether a value is a list or a tuple.
pub(crate) fn is_list(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>()
}

/// Returns the name of a value's type, shortened if it is long.
pub(crate) fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "an object".to_owned(), |name| shorten(&name.to_string_lossy()))
}

/// Returns the text of a `str`.
pub(crate) fn string<'a>(name: &str, value: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    utf8(value.cast::<PyString>().map_err(|_| wrong_type(name, "a str", value))?)
}

/// Returns an iterator over the items of an iterable; a `str`, which iterates over its characters, is refused.
pub(crate) fn items<'py>(name: &str, expected: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyIterator>> {
    let items = if value.is_instance_of::<PyString>() { None } else { value.try_iter().ok() };
    items.ok_or_else(|| wrong_type(name, expected, value))
}

/// Returns a boolean; NumPy's are accepted.
pub(crate) fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.extract().map_err(|_| wrong_type(name, "a bool", value))
}

/// Returns an index from 0 on; an index beyond the range of `i64` becomes the largest `usize`.
pub(crate) fn position(name: &str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    const EXPECTED: &str = "an integer from 0 on";
    if value.is_instance_of::<PyBool>() {
        return Err(wrong_type(name, EXPECTED, value));
    }
    match value.extract::<i64>() {
        Ok(position) if position >= 0 => Ok(usize::try_from(position).unwrap_or(usize::MAX)),
        Ok(_) => Err(invalid_setting(name, EXPECTED, display_value(value))),
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => {
            if value.lt(0)? {
                Err(invalid_setting(name, EXPECTED, display_value(value)))
            } else {
                Ok(usize::MAX)
            }
        }
        Err(_) => Err(wrong_type(name, EXPECTED, value)),
    }
}

/// Returns a number as messages show it.
pub(crate) fn display_value(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| format!("<{}>", type_name(value)), |text| shorten(&text.to_string_lossy()))
}

/// The number of items of a list between two checks of signals.
const BLOCK: usize = 1 << 16;

/// Token ids, from a list or any iterable.
pub(crate) struct Ids(pub(crate) Vec<u32>);

impl FromPyObject<'_, '_> for Ids {
    type Error = PyErr;

    fn extract(ids: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let array = if ids.is_instance_of::<PyList>() { None } else { ids.extract::<PyReadonlyArray1<'_, u32>>().ok() };
        if let Some(array) = array {
            return Ok(Self(array.as_array().to_vec()));
        }
        let known = match ids.cast::<PyList>() {
            Ok(list) => integers(&list)?,
            Err(_) => ids.extract().ok(),
        };
        if let Some(ids) = known {
            return Ok(Self(ids));
        }
        let each = ids.try_iter().map_err(|_| wrong_type("ids", "token ids", &ids))?;
        each.map(|id| token_id(&id?)).collect::<PyResult<_>>().map(Self)
    }
}

/// Returns the integers of a list; `None` if another object is in it.
fn integers(list: &Bound<'_, PyList>) -> PyResult<Option<Vec<u32>>> {
    if list.len() < BLOCK {
        return Ok(list.extract().ok());
    }
    room_for::<u32>(list.len())?;
    let mut integers: Vec<u32> = Vec::with_capacity(list.len());
    for start in (0..list.len()).step_by(BLOCK) {
        list.py().check_signals()?;
        let Ok(block) = list.get_slice(start, start + BLOCK).extract::<Vec<u32>>() else { return Ok(None) };
        integers.extend(block);
    }
    Ok(Some(integers))
}

fn token_id(id: &Bound<'_, PyAny>) -> PyResult<u32> {
    id.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(id.py()) {
            return id_error();
        }
        let hint = if id.is_instance_of::<PyString>() {
            Some("token_to_id returns the id of a token")
        } else {
            is_list(id).then_some("pass several lists to decode_batch")
        };
        wrong_type_with("ids", "token ids, which are integers", id, hint)
    })
}
