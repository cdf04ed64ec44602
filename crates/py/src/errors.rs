//! The core's errors as the exceptions of `piecework.errors`.

use std::path::Path;

use piecework_core::Error;
use piecework_core::error::Place;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The exception for an error of the core.
pub(crate) fn to_py(py: Python<'_>, error: &Error) -> PyErr {
    make(py, error, None)
}

/// The same, for parts that the caller has put together: they are settings, and the JSON of them was in no file.
pub(crate) fn in_parts(py: Python<'_>, error: &Error) -> PyErr {
    match error {
        Error::Format { at: Place::Json(path), message } => {
            let part = path.trim_start_matches(['$', '.']);
            to_py(py, &Error::Config(if part.is_empty() { message.clone() } else { format!("{part}: {message}") }))
        }
        _ => to_py(py, error),
    }
}

/// The same, for an error in a file that has a name.
pub(crate) fn in_file(py: Python<'_>, error: &Error, path: &Path) -> PyErr {
    make(py, error, Some(&path.display().to_string()))
}

/// The same, for an error in a line of a file.
pub(crate) fn in_line(py: Python<'_>, error: &Error, path: &Path, line: u64) -> PyErr {
    make(py, error, Some(&format!("{}: line {line}", path.display())))
}

/// The same, for an error in one text of several.
pub(crate) fn in_text(py: Python<'_>, error: &Error, number: usize) -> PyErr {
    make(py, error, Some(&format!("text {number}")))
}

/// The exception for an error of the operating system.
pub(crate) fn from_io(py: Python<'_>, error: &std::io::Error, path: &Path) -> PyErr {
    let number = error.raw_os_error().unwrap_or(0);
    raised(py, "from_os_error", (number, error.to_string(), path.display().to_string()))
}

/// The exception for an id that no tokenizer has.
pub(crate) fn id_error(py: Python<'_>) -> PyErr {
    raised(py, "id_error", ())
}

/// The exception for an Arrow array that is not as it should be.
pub(crate) fn in_arrow(py: Python<'_>, message: String) -> PyErr {
    raised(py, "ArrowError", (message,))
}

/// The text of a `str`, which may hold surrogates that no UTF-8 can.
pub(crate) fn utf8<'a>(text: &'a Bound<'_, PyString>) -> PyResult<&'a str> {
    text.to_str().map_err(|error| surrogate(text.py(), &error))
}

/// The exception for a `str` that has no UTF-8.
pub(crate) fn surrogate(py: Python<'_>, error: &PyErr) -> PyErr {
    raised(py, "from_surrogate", (error.value(py),))
}

/// The same, with the place of the `str` before it.
pub(crate) fn surrogate_at(py: Python<'_>, error: &PyErr, place: String) -> PyErr {
    raised(py, "from_surrogate", (error.value(py), place))
}

fn make(py: Python<'_>, error: &Error, place: Option<&str>) -> PyErr {
    if let Error::Function(foreign) = error
        && let Some(exception) = foreign.0.downcast_ref::<PyErr>()
    {
        return exception.clone_ref(py);
    }
    let place = place.map_or_else(String::new, |place| format!("{place}: "));
    let message = format!("{place}{error}");
    match error {
        Error::Config(_) => raised(py, "ConfigError", (message,)),
        Error::Vocabulary(_) => raised(py, "VocabularyError", (message,)),
        Error::Format { .. } => raised(py, "FormatError", (message,)),
        Error::Unsupported { .. } => raised(py, "UnsupportedError", (message,)),
        Error::Utf8 { line, byte, value } => raised(py, "from_utf8", (message, *value, *line, *byte)),
        Error::Bytes { byte, value } => raised(py, "from_bytes", (message, *value, *byte)),
        Error::Counts(_) => raised(py, "CountsError", (message,)),
        Error::Overflow(_) => raised(py, "CountOverflowError", (message,)),
        Error::SpecialToken { .. } => raised(py, "SpecialTokenError", (message,)),
        Error::NoUnknownToken { .. } => raised(py, "UnknownTokenError", (message,)),
        Error::Id { .. } => raised(py, "TokenIdError", (message,)),
        Error::NoCounts(_) => raised(py, "MissingCountsError", (message,)),
        Error::TooLong(_) => raised(py, "TextTooLongError", (message,)),
        Error::Truncation(_) => raised(py, "TruncationError", (message,)),
        Error::Regex(_) => raised(py, "RegexError", (message,)),
        Error::Function(_) => PyRuntimeError::new_err(message),
        Error::Interrupted => pyo3::exceptions::PyKeyboardInterrupt::new_err(message),
    }
}

/// What `piecework.errors.<name>` makes of the arguments.
fn raised<'py, A>(py: Python<'py>, name: &str, arguments: A) -> PyErr
where
    A: pyo3::call::PyCallArgs<'py>,
{
    let make = || py.import("piecework.errors")?.getattr(name)?.call1(arguments);
    match make() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => PyRuntimeError::new_err(format!("piecework.errors.{name} failed: {error}")),
    }
}
