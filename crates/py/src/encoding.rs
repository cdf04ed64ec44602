//! A single encoding, whose columns become Python lists on access.

use std::sync::{Arc, OnceLock};

use piecework_core::Error;
use piecework_core::encoding::{self, Direction, NONE, NamedToken};
use piecework_core::pipeline::{self, Scratch};
use piecework_core::text::span::Span;
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyInt, PyList, PyType};

use crate::arguments::{position, wrong_type};
use crate::encode_list::without_text;
use crate::errors::{invalid_setting, to_py};
use crate::input::{Maps, Row};
use crate::tuples::tuple_struct;

/// The tokens of one text or pair.
#[pyclass(frozen, module = "piecework._core", eq)]
pub(crate) struct Encoding {
    pub(crate) node: Arc<Node>,
}

/// An encoding with its offsets in characters and its overflowing parts.
pub(crate) struct Node {
    pub(crate) encoding: encoding::Encoding,
    pub(crate) offsets: Vec<(u32, u32)>,
    pub(crate) names: Names,
    /// The parts that truncation cut off, computed on first access: they are rarely used, and can be large.
    overflowing: OnceLock<Vec<Arc<Self>>>,
    source: Option<Source>,
}

/// The input and settings with which a text is encoded again.
pub(crate) struct Source {
    pub(crate) row: Row,
    pub(crate) options: pipeline::Options,
    pub(crate) tokenizer: Arc<pipeline::Tokenizer>,
    /// Whether the encoding has tokens, words and offsets.
    pub(crate) columns: bool,
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        let same = self.row == other.row && self.options == other.options && self.columns == other.columns;
        same && Arc::ptr_eq(&self.tokenizer, &other.tokenizer)
    }
}

impl Source {
    /// Returns the overflowing parts.
    fn overflowing(&self) -> Result<Vec<Arc<Node>>, Error> {
        let Self { row, options, tokenizer, columns } = self;
        let options = pipeline::Options { overflow: true, ..options.clone() };
        let encoded = row.with_inputs(|text, pair| tokenizer.encode(text, pair, &options, &mut Scratch::default()))?;
        let encoded = if *columns { encoded } else { without_text(encoded) };
        Ok(Node::parts(encoded.overflowing, &row.maps(), tokenizer))
    }
}

/// The names of the tokens.
pub(crate) enum Names {
    /// The vocabulary of this tokenizer.
    Of(Arc<pipeline::Tokenizer>),
    /// The names in the order of the tokens, of an encoding without a tokenizer.
    Listed(Vec<String>),
}

type Spans = Vec<(u32, u32)>;

tuple_struct! {
    /// The pickled state of an encoding.
    EncodingState {
        ids: Vec<u32>,
        tokens: Vec<String>,
        /// The indices of the tokens whose names differ from the vocabulary.
        renamed: Vec<usize>,
        /// Spans in characters.
        offsets: Spans,
        /// Spans in bytes.
        byte_offsets: Spans,
        word_ids: Vec<u32>,
        type_ids: Vec<u32>,
        texts: Vec<u32>,
        special_tokens_mask: Vec<u32>,
        attention_mask: Vec<u32>,
        /// The index of each text, and the range of its tokens.
        sequences: Vec<(usize, usize, usize)>,
        overflowing: Vec<Py<Encoding>>,
    }
}

impl EncodingState {
    /// Returns whether all columns have one length, and texts are ranges of them.
    fn is_consistent(&self) -> bool {
        let length = self.ids.len();
        let spans = [self.offsets.len(), self.byte_offsets.len()];
        let columns = [&self.word_ids, &self.type_ids, &self.texts, &self.special_tokens_mask, &self.attention_mask]
            .map(Vec::len);
        let columns_agree = spans.iter().chain(&columns).chain(&[self.tokens.len()]).all(|&other| other == length);
        columns_agree && self.sequences.iter().all(|&(_, start, end)| start <= end && end <= length)
    }
}

impl PartialEq for Encoding {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        if std::ptr::eq(self, other) {
            return true;
        }
        let same = self.encoding == other.encoding && self.offsets == other.offsets;
        // Equal sources have equal overflowing parts; otherwise the parts are compared.
        let overflows =
            || matches!((self.overflowing(), other.overflowing()), (Ok(ours), Ok(theirs)) if ours == theirs);
        same && ((self.source.is_some() && self.source == other.source) || overflows())
    }
}

impl Node {
    /// Returns an encoding; `source` is its input if anything was cut off.
    pub(crate) fn new(
        mut encoding: encoding::Encoding,
        maps: &Maps,
        tokenizer: &Arc<pipeline::Tokenizer>,
        source: Option<Source>,
    ) -> Self {
        // The source replaces this flag, and a pickle has no source.
        encoding.is_truncated = false;
        let offsets = maps.characters(&encoding).collect();
        Self::with_offsets(encoding, offsets, tokenizer, source)
    }

    /// Returns an encoding whose offsets in characters are known.
    pub(crate) fn with_offsets(
        encoding: encoding::Encoding,
        offsets: Vec<(u32, u32)>,
        tokenizer: &Arc<pipeline::Tokenizer>,
        source: Option<Source>,
    ) -> Self {
        let names = Names::Of(Arc::clone(tokenizer));
        Self { encoding, offsets, names, overflowing: OnceLock::new(), source }
    }

    /// Returns an encoding of columns that were changed after they were made.
    pub(crate) fn of_columns(
        encoding: encoding::Encoding,
        offsets: Vec<(u32, u32)>,
        names: Names,
        overflowing: Vec<Arc<Self>>,
    ) -> Self {
        Self { encoding, offsets, names, overflowing: overflowing.into(), source: None }
    }

    /// Returns the names of the tokens.
    pub(crate) fn tokens(&self) -> Vec<&str> {
        let mut tokens: Vec<&str> = match &self.names {
            Names::Of(tokenizer) => {
                self.encoding.ids.iter().map(|&id| tokenizer.token(id).unwrap_or_default()).collect()
            }
            Names::Listed(names) => names.iter().map(String::as_str).collect(),
        };
        for (place, name) in &self.encoding.renamed {
            tokens[*place] = name;
        }
        tokens
    }

    /// Returns overflowing parts, with their own overflowing parts.
    fn parts(parts: Vec<encoding::Encoding>, maps: &Maps, tokenizer: &Arc<pipeline::Tokenizer>) -> Vec<Arc<Self>> {
        let whole = |mut part: encoding::Encoding| {
            let more = std::mem::take(&mut part.overflowing);
            let node = Self::new(part, maps, tokenizer, None);
            Arc::new(Self { overflowing: OnceLock::from(Self::parts(more, maps, tokenizer)), ..node })
        };
        parts.into_iter().map(whole).collect()
    }

    /// Returns the parts that truncation cut off.
    pub(crate) fn overflowing(&self) -> Result<&[Arc<Self>], Error> {
        if let Some(done) = self.overflowing.get() {
            return Ok(done);
        }
        let parts = self.source.as_ref().map_or(Ok(Vec::new()), Source::overflowing)?;
        Ok(self.overflowing.get_or_init(|| parts))
    }

    /// Returns the encoding of a pickled state, or `None` for another value.
    fn restored(state: EncodingState) -> Option<Self> {
        if !state.is_consistent() {
            return None;
        }
        let EncodingState { tokens, offsets, overflowing, .. } = state;
        let renamed = state.renamed.into_iter().map(|place| Some((place, tokens.get(place)?.clone())));
        let encoding = encoding::Encoding {
            ids: state.ids,
            spans: state.byte_offsets.into_iter().map(|(start, end)| Span { start, end }).collect(),
            word_ids: state.word_ids,
            type_ids: state.type_ids,
            texts: state.texts,
            special_tokens_mask: state.special_tokens_mask,
            attention_mask: state.attention_mask,
            renamed: renamed.collect::<Option<_>>()?,
            sequences: state.sequences.into_iter().map(|(sequence, start, end)| (sequence, start..end)).collect(),
            overflowing: Vec::new(),
            is_truncated: false,
        };
        let overflowing: Vec<_> = overflowing.iter().map(|part| Arc::clone(&part.get().node)).collect();
        Some(Self { encoding, offsets, names: Names::Listed(tokens), overflowing: overflowing.into(), source: None })
    }

    /// Returns the index of the token that contains a character of text `sequence`.
    fn char_to_token(&self, character: u32, sequence: usize) -> Option<usize> {
        let range = self.encoding.sequence(sequence);
        let offsets = &self.offsets[range.clone()];
        let found = offsets.iter().position(|&(start, end)| start <= character && character < end)?;
        Some(range.start + found)
    }

    /// Returns the word of a token, or `None` for a token that is not from a text.
    fn token_to_word(&self, place: usize) -> Option<u32> {
        self.encoding.token_to_sequence(place).and_then(|_| self.encoding.token_to_word(place))
    }
}

impl Encoding {
    pub(crate) fn new(node: Node) -> Self {
        Self { node: Arc::new(node) }
    }

    fn columns(&self) -> &encoding::Encoding {
        &self.node.encoding
    }

    /// Returns the result of a change to the encoding.
    fn changed(
        &self,
        change: impl Fn(encoding::Encoding) -> piecework_core::Result<encoding::Encoding>,
    ) -> PyResult<Self> {
        let only = |encodings: Vec<_>| encodings.into_iter().next().map_or_else(|| Ok(Default::default()), &change);
        Node::changed(&[&*self.node], only).map(Self::new).map_err(to_py)
    }
}

/// Returns the side named `"left"` or `"right"`.
fn side(name: &str) -> PyResult<Direction> {
    match name {
        "left" => Ok(Direction::Left),
        "right" => Ok(Direction::Right),
        other => {
            let problem = format!("expected \"left\" or \"right\", found {other:?}");
            Err(invalid_setting("direction", problem))
        }
    }
}

/// Returns the index of a text; the default is 0.
fn sequence(index: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    index.map_or(Ok(0), |index| position("sequence_index", index))
}

/// Returns an index as the columns count it; larger ones become the largest, which no token has.
fn column(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(NONE).min(NONE - 1)
}

/// Returns a column of few runs of equal values as a list, which Python repeats faster than values are converted.
fn runs<'py>(py: Python<'py>, column: &[u32]) -> PyResult<Bound<'py, PyAny>> {
    const FEW: usize = 4;
    let starts = column.windows(2).filter(|pair| pair[0] != pair[1]).take(FEW).count();
    if column.is_empty() || starts == FEW {
        return PyList::new(py, column).map(Bound::into_any);
    }
    let mut parts = column.chunk_by(|left, right| left == right).map(|run| {
        let one = PyList::new(py, &run[..1])?;
        one.as_sequence().repeat(run.len())
    });
    let first = parts.next().unwrap_or_else(|| Ok(PyList::empty(py).into_sequence()))?;
    let all = parts.try_fold(first, |all, part| all.concat(&part?))?;
    Ok(all.into_any())
}

/// Returns spans as a list of tuples.
///
/// Most spans are near the start of their text. The integers of these are created once for all lists: creating and freeing
/// them would take half of the time.
fn pairs<'py>(py: Python<'py>, spans: impl ExactSizeIterator<Item = (u32, u32)>) -> PyResult<Bound<'py, PyList>> {
    const KEPT: u32 = 1 << 12;
    static INTEGERS: PyOnceLock<Vec<Py<PyInt>>> = PyOnceLock::new();
    let kept = INTEGERS.get_or_init(py, || (0..KEPT).map(|value| PyInt::new(py, value).unbind()).collect());
    let integer = |value: u32| match kept.get(value as usize) {
        Some(integer) => integer.bind(py).clone(),
        None => PyInt::new(py, value),
    };
    PyList::new(py, spans.map(|(start, end)| (integer(start), integer(end))))
}

/// Returns the column with `None` for `NONE`.
fn optional(column: &[u32]) -> Vec<Option<u32>> {
    column.iter().map(|&value| (value != NONE).then_some(value)).collect()
}

#[pymethods]
impl Encoding {
    #[new]
    fn restored(state: &Bound<'_, PyAny>) -> PyResult<Self> {
        let node = state.extract().ok().and_then(Node::restored);
        node.map(Self::new).ok_or_else(|| {
            PyValueError::new_err("state: expected what an encoding was pickled as; Tokenizer.encode makes encodings")
        })
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, (EncodingState,))> {
        let (py, node) = (this.py(), &this.get().node);
        let columns = &node.encoding;
        let parts = node.overflowing().map_err(to_py)?;
        let parts = parts.iter().map(|part| Py::new(py, Self { node: Arc::clone(part) }));
        let state = EncodingState {
            ids: columns.ids.clone(),
            tokens: this.get().tokens().into_iter().map(str::to_owned).collect(),
            renamed: columns.renamed.iter().map(|&(place, _)| place).collect(),
            offsets: node.offsets.clone(),
            byte_offsets: this.get().columns().spans.iter().map(|span| (span.start, span.end)).collect(),
            word_ids: columns.word_ids.clone(),
            type_ids: columns.type_ids.clone(),
            texts: columns.texts.clone(),
            special_tokens_mask: columns.special_tokens_mask.clone(),
            attention_mask: columns.attention_mask.clone(),
            sequences: columns.sequences.iter().map(|(sequence, range)| (*sequence, range.start, range.end)).collect(),
            overflowing: parts.collect::<PyResult<_>>()?,
        };
        Ok((this.get_type(), (state,)))
    }

    /// Returns the token ids.
    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, &self.columns().ids)
    }

    /// Returns the tokens as in the vocabulary; an added token that includes white space as in the text.
    #[getter]
    fn tokens(&self) -> Vec<&str> {
        self.node.tokens()
    }

    /// Returns the start and end of each token in characters of the original text; (0, 0) for added tokens.
    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        pairs(py, self.node.offsets.iter().copied())
    }

    /// Returns the start and end of each token in bytes of the original text as UTF-8.
    #[getter]
    fn byte_offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        pairs(py, self.columns().spans.iter().map(|span| (span.start, span.end)))
    }

    /// Returns the index in its text of each token's word; None for added tokens.
    #[getter]
    fn word_ids(&self) -> Vec<Option<u32>> {
        optional(&self.columns().word_ids)
    }

    /// Returns the text of each token, 0 or 1; None for added tokens.
    #[getter]
    fn sequence_ids(&self) -> Vec<Option<u32>> {
        optional(&self.columns().sequence_ids())
    }

    /// Returns the type ids: 0 for the first text, 1 for the second, or those of the template.
    #[getter]
    fn type_ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        runs(py, &self.columns().type_ids)
    }

    /// Returns 0 for padding and 1 for other tokens.
    #[getter]
    fn attention_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        runs(py, &self.columns().attention_mask)
    }

    /// Returns 1 for each token that post-processor or padding added, else 0.
    #[getter]
    fn special_tokens_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        runs(py, &self.columns().special_tokens_mask)
    }

    /// Returns the tokens removed by truncation, in parts that share `stride` tokens with the previous part.
    #[getter]
    fn overflowing(&self, py: Python<'_>) -> PyResult<Vec<Self>> {
        let parts = py.detach(|| self.node.overflowing()).map_err(to_py)?;
        Ok(parts.iter().map(|node| Self { node: Arc::clone(node) }).collect())
    }

    /// Returns the number of texts: 1, or 2 for a pair.
    #[getter]
    fn n_sequences(&self) -> usize {
        self.columns().n_sequences()
    }

    /// Returns the token that covers a character.
    #[pyo3(signature = (char_pos, sequence_index=None), text_signature = "($self, char_pos, sequence_index=0)")]
    fn char_to_token(
        &self,
        char_pos: &Bound<'_, PyAny>,
        sequence_index: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<usize>> {
        let (character, sequence) = (position("char_pos", char_pos)?, sequence(sequence_index)?);
        Ok(self.node.char_to_token(column(character), sequence))
    }

    /// Returns the index of the word that contains a character; for the arguments see `char_to_token`.
    #[pyo3(signature = (char_pos, sequence_index=None), text_signature = "($self, char_pos, sequence_index=0)")]
    fn char_to_word(
        &self,
        char_pos: &Bound<'_, PyAny>,
        sequence_index: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<u32>> {
        Ok(self.char_to_token(char_pos, sequence_index)?.and_then(|token| self.node.token_to_word(token)))
    }

    /// Returns the start and end of a token in characters of its text; None for added tokens.
    fn token_to_chars(&self, token_index: &Bound<'_, PyAny>) -> PyResult<Option<(u32, u32)>> {
        let token = position("token_index", token_index)?;
        Ok(self.columns().token_to_sequence(token).and_then(|_| self.node.offsets.get(token).copied()))
    }

    /// Returns the index of a token's word in its text; None for added tokens.
    fn token_to_word(&self, token_index: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        Ok(self.node.token_to_word(position("token_index", token_index)?))
    }

    /// Returns the text of a token, 0 or 1; None for added tokens.
    fn token_to_sequence(&self, token_index: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        Ok(self.columns().token_to_sequence(position("token_index", token_index)?))
    }

    /// Returns the tokens of a word, as the first index and the one after the last.
    #[pyo3(signature = (word_index, sequence_index=None), text_signature = "($self, word_index, sequence_index=0)")]
    fn word_to_tokens(
        &self,
        word_index: &Bound<'_, PyAny>,
        sequence_index: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<(usize, usize)>> {
        let (word, sequence) = (position("word_index", word_index)?, sequence(sequence_index)?);
        Ok(self.columns().word_to_tokens(column(word), sequence).map(|range| (range.start, range.end)))
    }

    /// Returns the start and end of a word in characters of its text; for the arguments see `word_to_tokens`.
    #[pyo3(signature = (word_index, sequence_index=None), text_signature = "($self, word_index, sequence_index=0)")]
    fn word_to_chars(
        &self,
        word_index: &Bound<'_, PyAny>,
        sequence_index: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<(u32, u32)>> {
        let tokens = self.word_to_tokens(word_index, sequence_index)?;
        Ok(tokens.map(|(start, end)| (self.node.offsets[start].0, self.node.offsets[end - 1].1)))
    }

    /// Returns an encoding of the first (or last) `max_length` tokens, with the others in overflowing parts.
    #[pyo3(signature = (max_length, stride=0, direction="right"))]
    fn truncate(&self, max_length: usize, stride: usize, direction: &str) -> PyResult<Self> {
        let direction = side(direction)?;
        self.changed(|encoding| encoding.truncated(max_length, stride, direction))
    }

    /// Returns the encoding and its overflowing parts, padded to `length` tokens.
    #[pyo3(signature = (length, *, direction="right", pad_id=0, pad_type_id=0, pad_token="[PAD]"))]
    fn pad(&self, length: usize, direction: &str, pad_id: u32, pad_type_id: u32, pad_token: &str) -> PyResult<Self> {
        let (token, direction) = (NamedToken::new(pad_token, pad_id), side(direction)?);
        self.changed(|encoding| encoding.padded(length, &token, pad_type_id, direction))
    }

    /// Returns the concatenation of encodings.
    #[staticmethod]
    #[pyo3(signature = (encodings, growing_offsets=true))]
    fn merge(encodings: Vec<Py<Self>>, growing_offsets: bool) -> PyResult<Self> {
        let nodes: Vec<_> = encodings.iter().map(|encoding| &*encoding.get().node).collect();
        let merged = |encodings| Ok(encoding::Encoding::merged(encodings, growing_offsets));
        Node::changed(&nodes, merged).map(Self::new).map_err(to_py)
    }

    /// Returns the encoding with all tokens assigned to the text with the index `sequence_id`.
    fn with_sequence_id(&self, sequence_id: usize) -> PyResult<Self> {
        self.changed(|encoding| Ok(encoding.with_sequence(sequence_id)))
    }

    fn __len__(&self) -> usize {
        self.columns().len()
    }

    /// Returns an id; an encoding is a sequence of ids.
    fn __getitem__(&self, place: &Bound<'_, PyAny>) -> PyResult<u32> {
        let length = self.columns().len();
        let place = match place.extract::<isize>() {
            Ok(place) if place < 0 => length.checked_add_signed(place),
            Ok(place) => usize::try_from(place).ok(),
            Err(error) if error.is_instance_of::<PyOverflowError>(place.py()) => None,
            Err(_) => return Err(wrong_type("place", "an integer", place)),
        };
        let id = place.and_then(|place| self.columns().ids.get(place));
        id.copied().ok_or_else(|| PyIndexError::new_err(format!("an encoding of {length} tokens has no such place")))
    }

    /// Returns the first tokens as HTML.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        const SHOWN: usize = 500;
        let Node { encoding, offsets, names, .. } = &*self.node;
        let tokens = self.tokens();
        let rows = tokens.iter().take(SHOWN).enumerate().map(|(place, token)| {
            let decoded = match names {
                Names::Of(tokenizer) => {
                    let id = encoding.ids[place];
                    let is_own = tokenizer.token(id) == Some(token);
                    if is_own { tokenizer.token_bytes(id).ok() } else { tokenizer.text_bytes(token).ok() }
                }
                Names::Listed(_) => None,
            };
            let bytes = decoded.unwrap_or_else(|| token.as_bytes().to_vec());
            let is_added = encoding.special_tokens_mask[place] != 0;
            (PyBytes::new(py, &bytes), encoding.ids[place], offsets[place], is_added)
        });
        let rows: Vec<_> = rows.collect();
        let html = py.import("piecework.html")?.getattr("encoding_html")?.call1((rows, tokens.len()))?;
        html.extract()
    }

    fn __repr__(&self) -> String {
        const SHOWN: usize = 12;
        let tokens = self.tokens();
        let shown = tokens.iter().take(SHOWN).map(|token| format!("{token:?}")).collect::<Vec<_>>().join(", ");
        let more = if tokens.len() > SHOWN { ", …" } else { "" };
        format!("Encoding({} tokens: [{shown}{more}])", tokens.len())
    }
}
