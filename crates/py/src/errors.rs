//! The errors of the core as exceptions of `piecework.errors`.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use piecework_core::Error;
use piecework_core::error::{CallerError, Message, Place};
use pyo3::exceptions::{PyException, PyMemoryError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyString};

use crate::temporary::PathError;

/// Returns the exception for an error of the core.
pub(crate) fn to_py(error: Error) -> PyErr {
    make(&error, None)
}

/// Warns of records of ours in a file that do not belong to its other members; `place` names the file, if known.
pub(crate) fn warn_of_records(py: Python<'_>, names: &[String], place: &str) -> PyResult<()> {
    let (was, is) = if names.len() == 1 { ("was", "is") } else { ("were", "are") };
    let problem =
        format!("{} {was} written for other members than the file has now, and {is} ignored", names.join(", "));
    let named = [("place", place)].into_py_dict(py)?;
    py.import("piecework._exceptions")?.getattr("warn")?.call((problem,), Some(&named))?;
    Ok(())
}

/// Returns the exception for an invalid value of a setting or argument.
pub(crate) fn invalid_setting(name: &str, expected: &str, found: impl Display) -> PyErr {
    to_py(Error::Config(Message::new(format!("expected {expected}, found {found}")).setting(name)))
}

/// Returns the exception for an error in settings that the caller combined, whose JSON is in no file.
pub(crate) fn in_settings(error: Error) -> PyErr {
    match error {
        Error::Format { at: Place::Json(path), message } => {
            let part = path.trim_start_matches(['$', '.']);
            to_py(Error::Config(if part.is_empty() { message } else { message.within(part) }))
        }
        _ => to_py(error),
    }
}

/// Returns the exception for an error in a file with a name.
pub(crate) fn in_file(error: Error, path: &Path) -> PyErr {
    make(&error, Some(&path.display().to_string()))
}

/// Returns the exception for an error in a line of a file.
pub(crate) fn in_line(error: Error, path: &Path, line: u64) -> PyErr {
    make(&error, Some(&format!("{}: line {line}", path.display())))
}

/// Returns the exception for an error in one text of several.
pub(crate) fn in_text((number, error): (usize, Error)) -> PyErr {
    make(&error, Some(&format!("text {number}")))
}

/// Returns the exception for an error of the operating system.
pub(crate) fn from_io(error: &std::io::Error, path: &Path) -> PyErr {
    system_error("from_os_error", error, path)
}

/// Returns the exception for an error of the operating system that may name its path.
pub(crate) fn from_storage(error: &std::io::Error) -> PyErr {
    match error.get_ref().and_then(|inner| inner.downcast_ref()) {
        Some(PathError { path, is_work_folder: false, source }) => from_io(source, path),
        Some(PathError { path, is_work_folder: true, source }) => system_error("from_work_folder", source, path),
        None => from_io(error, Path::new("temporary file")),
    }
}

/// Returns the exception that a function of `piecework._exceptions` makes of an error of the operating system.
fn system_error(function: &str, error: &std::io::Error, path: &Path) -> PyErr {
    let number = error.raw_os_error().unwrap_or(0);
    new_exception(function, (number, error.to_string(), path.display().to_string()))
}

/// Returns an exception as an error of the core, which passes it through.
pub(crate) fn to_core(error: PyErr) -> Error {
    Error::Function(CallerError(Arc::new(error)))
}

/// Returns the exception for an id that no tokenizer has.
pub(crate) fn id_error() -> PyErr {
    new_exception("id_error", ())
}

/// Returns the exception for an invalid Arrow array.
pub(crate) fn in_arrow(message: String) -> PyErr {
    new_exception("from_core", ("ArrowError", "", message, None::<&str>, None::<&str>))
}

/// Returns the text of a `str`; lone surrogates, which UTF-8 cannot represent, are an error.
pub(crate) fn utf8<'a>(text: &'a Bound<'_, PyString>) -> PyResult<&'a str> {
    text.to_str().map_err(surrogate)
}

/// Returns the exception for a `str` with lone surrogates.
pub(crate) fn surrogate(error: PyErr) -> PyErr {
    surrogate_at(error, String::new())
}

/// Returns the exception for a `str` with lone surrogates, preceded by its place.
pub(crate) fn surrogate_at(error: PyErr, place: String) -> PyErr {
    if Python::attach(|py| error.is_instance_of::<PyMemoryError>(py)) {
        return error;
    }
    new_exception("from_surrogate", (error, place))
}

fn make(error: &Error, place: Option<&str>) -> PyErr {
    if let Error::Function(foreign) = error
        && let Some(exception) = foreign.0.downcast_ref::<PyErr>()
    {
        return Python::attach(|py| exception.clone_ref(py));
    }
    if let Error::Storage(CallerError(storage)) = error
        && let Some(error) = storage.downcast_ref()
    {
        return from_storage(error);
    }
    let places = [place.map(str::to_owned), error.place()].into_iter().flatten();
    let place: String = places.map(|place| place + ": ").collect();
    let kind = match error {
        Error::Utf8 { line, byte, value } => {
            return new_exception("from_utf8", (&place, error.problem(), *value, *line, *byte));
        }
        Error::Bytes { byte, value } => {
            return new_exception("from_bytes", (&place, error.problem(), *value, *byte));
        }
        Error::Function(_) | Error::Storage(_) => return PyRuntimeError::new_err(error.to_string()),
        Error::Interrupted => return pyo3::exceptions::PyKeyboardInterrupt::new_err(error.to_string()),
        Error::Config(_) => "ConfigError",
        Error::Vocabulary(_) => "VocabularyError",
        Error::Format { .. } => "FormatError",
        Error::Unsupported { .. } => "UnsupportedError",
        Error::Counts(_) => "CountsError",
        Error::Overflow(_) => "CountOverflowError",
        Error::SpecialToken { .. } => "SpecialTokenError",
        Error::NoUnknownToken { .. } => "UnknownTokenError",
        Error::Id { .. } => "TokenIdError",
        Error::NoCounts(_) => "MissingCountsError",
        Error::TooLong(_) | Error::Lengthened { .. } => "TextTooLongError",
        Error::Truncation(_) => "TruncationError",
        Error::Regex(_) => "RegexError",
    };
    new_exception("from_core", (kind, &place, error.problem(), error.setting(), error.hint()))
}

/// Calls `piecework._exceptions.<name>` and returns the exception that it makes.
fn new_exception<A>(name: &str, arguments: A) -> PyErr
where
    A: for<'py> pyo3::call::PyCallArgs<'py>,
{
    Python::attach(|py| {
        let make = || py.import("piecework._exceptions")?.getattr(name)?.call1(arguments);
        match make() {
            Ok(exception) => PyErr::from_value(exception),
            // Ctrl-C may come at any moment, and so may an end of memory.
            Err(error) if !error.is_instance_of::<PyException>(py) || error.is_instance_of::<PyMemoryError>(py) => {
                error
            }
            Err(error) => PyRuntimeError::new_err(format!("piecework._exceptions.{name} failed: {error}")),
        }
    })
}
