//! Reading and writing files of other libraries, as bytes.

use std::collections::BTreeMap;

use piecework_core::format::{
    self, ENCODINGS, FORMATS, FileSizes, Filter, TiktokenSettings, format_named, named_encoding, read_merges,
    read_subword_nmt, read_text_splitter, read_tiktoken,
};
use piecework_core::text::grammar::translated;
use piecework_core::text::pattern::Pattern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{in_settings, to_py};
use crate::functions;
use crate::threads::detach;
use crate::tokenizer::Tokenizer;

/// A row of the table of formats: its name, its file name suffix, and the suffixes of its companion files.
type FormatTuple = (&'static str, Option<&'static str>, Vec<(&'static str, &'static str)>);

/// Returns the table of formats.
#[pyfunction]
pub(crate) fn file_formats() -> Vec<FormatTuple> {
    FORMATS.iter().map(|format| (format.name, format.suffix, format.companions.to_vec())).collect()
}

/// Returns the types of each stage, and the members of each type.
#[pyfunction]
pub(crate) fn component_members() -> BTreeMap<&'static str, BTreeMap<&'static str, Vec<&'static str>>> {
    let members = |kinds: format::Kinds| kinds.iter().map(|(kind, members)| (*kind, members.to_vec())).collect();
    format::component_members().into_iter().map(|(stage, kinds)| (stage, members(kinds))).collect()
}

/// Returns the name of the format of bytes.
#[pyfunction]
pub(crate) fn detect_format(data: &[u8], name: &str) -> &'static str {
    format::detect_format(data, name).name
}

/// Returns the sizes of a file that is not read yet, by the names of their limits.
#[pyfunction]
pub(crate) fn file_sizes(name: &str, data: &[u8]) -> [(&'static str, usize); 3] {
    let FileSizes { nesting, values, entries } = format::file_sizes(name, data);
    [("nesting", nesting), ("values", values), ("entries", entries)]
}

/// Reads a file that needs no other file.
#[pyfunction]
pub(crate) fn read_format(py: Python<'_>, name: &str, data: &[u8]) -> PyResult<Tokenizer> {
    let format = format_named(name).map_err(to_py)?;
    Tokenizer::detached(py, || format.read(data))
}

/// Returns the files of a format, by name; `base` is a `.model` that provides what a tokenizer does not hold.
#[pyfunction]
#[pyo3(signature = (tokenizer, name, base=None))]
pub(crate) fn write_format<'py>(
    tokenizer: &Bound<'py, Tokenizer>,
    name: &str,
    base: Option<&[u8]>,
) -> PyResult<BTreeMap<&'static str, Bound<'py, PyBytes>>> {
    let py = tokenizer.py();
    let format = format_named(name).map_err(to_py)?;
    let inner = &tokenizer.get().inner;
    let files = detach(py, || format.write(inner, base))?.map_err(to_py)?;
    Ok(files.into_iter().map(|(name, bytes)| (name, PyBytes::new(py, &bytes))).collect())
}

/// Reads tiktoken's ranks with a split pattern, in the syntax of Oniguruma or tiktoken's own.
#[pyfunction]
pub(crate) fn from_tiktoken(
    py: Python<'_>,
    data: &[u8],
    pattern: &str,
    special_tokens: Vec<(String, u32)>,
) -> PyResult<Tokenizer> {
    let pattern = translated(pattern).unwrap_or(pattern);
    Tokenizer::detached(py, || {
        read_tiktoken(data, TiktokenSettings { pattern: Pattern::regex(pattern)?, special_tokens })
    })
}

/// Reads a vocabulary and merges; the splitter is JSON, a known kind is `gpt2`, `roberta` or `clip`.
#[pyfunction]
#[pyo3(signature = (vocab, merges, splitter, functions, kind=None))]
pub(crate) fn from_merges(
    vocab: &Bound<'_, PyBytes>,
    merges: &[u8],
    splitter: Option<&str>,
    functions: Vec<Py<PyAny>>,
    kind: Option<&str>,
) -> PyResult<Tokenizer> {
    let (py, vocab) = (vocab.py(), vocab.as_bytes());
    let splitter = splitter.map(|json| functions::splitter(json, functions)).transpose()?;
    Tokenizer::detached(py, || read_merges(vocab, merges, splitter, kind))
}

/// Reads subword-nmt codes; `kept` is a vocabulary file, a minimum count and a separator within words.
#[pyfunction]
#[pyo3(signature = (data, kept=None))]
pub(crate) fn from_subword_nmt(
    py: Python<'_>,
    data: &[u8],
    kept: Option<(&[u8], Option<i64>, &str)>,
) -> PyResult<Tokenizer> {
    let filter = kept.map(|(vocabulary, threshold, separator)| Filter { vocabulary, threshold, separator });
    Tokenizer::detached(py, || read_subword_nmt(data, filter.as_ref()))
}

/// Returns the names of tiktoken's encodings.
#[pyfunction]
pub(crate) fn encoding_names() -> Vec<&'static str> {
    ENCODINGS.to_vec()
}

/// Returns the pattern and the special tokens of an encoding.
#[pyfunction]
pub(crate) fn encoding_named(name: &str) -> PyResult<(&'static str, Vec<(String, u32)>)> {
    let encoding = named_encoding(name).map_err(to_py)?;
    Ok((encoding.pattern, encoding.special_tokens))
}

/// Returns the smallest unused id that is below a used one.
#[pyfunction]
pub(crate) fn first_gap(tokenizer: &Bound<'_, Tokenizer>) -> Option<u32> {
    tokenizer.get().inner.model().vocab().first_gap()
}

/// Returns the fingerprint of normalizer and pre-tokenizer (JSON), which decide the words of a text.
#[pyfunction]
pub(crate) fn splitter_fingerprint(py: Python<'_>, splitter: &str) -> PyResult<String> {
    let splitter = read_text_splitter(splitter, &[]).map_err(in_settings)?;
    detach(py, || format::splitter_fingerprint(&splitter))?.map_err(to_py)
}
