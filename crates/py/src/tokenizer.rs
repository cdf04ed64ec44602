//! The tokenizer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use piecework_core::Error;
use piecework_core::format::{
    JsonSettings, VocabSettings, read_splitter, read_tokenizer_json, read_vocab_txt, write_splitter,
    write_tokenizer_json, write_vocab_txt,
};
use piecework_core::model::wordpiece::train::Merge;
use piecework_core::model::wordpiece::{Settings, Unknown};
use piecework_core::pipeline::{self, Options, Scratch, WordPieces};
use piecework_core::special::Specials;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyAnyMethods, PyDict, PyString};

use crate::batch::Batch;
use crate::encoding::Encoding;
use crate::errors::{in_text, to_py, utf8};
use crate::text::{char_spans, texts};
use crate::threads::{self, Tickets};

/// Fewer bytes than this are encoded faster on one thread than on two.
const FLOOR: usize = 1 << 16;
/// The bytes of a piece of work that a thread takes at a time.
const CHUNK: usize = 1 << 18;

/// A merge of the history: left, right, token, score, pair, left and right counts, ties.
type MergeTuple<'a> = (&'a str, &'a str, &'a str, f64, u64, u64, u64, u64);
/// Settings of a model: prefix, unknown token, unknown policy, longest word.
type ModelSettings = (String, Option<String>, String, Option<usize>);

/// A tokenizer of the core.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct Tokenizer {
    inner: Arc<pipeline::Tokenizer>,
}

impl Tokenizer {
    pub(crate) fn new(inner: pipeline::Tokenizer) -> Self {
        Self { inner: Arc::new(inner) }
    }
}

/// `"match"`, `"text"`, `"error"` or a collection of allowed special tokens.
fn specials(value: &Bound<'_, PyAny>) -> PyResult<Specials> {
    if let Ok(word) = value.cast::<PyString>() {
        return match word.to_str()? {
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
    let items = value.try_iter().map_err(|_| {
        PyTypeError::new_err("specials must be \"match\", \"text\", \"error\" or a set of special tokens")
    })?;
    for item in items {
        allowed.push(utf8(item?.cast::<PyString>()?)?.to_owned());
    }
    allowed.sort_unstable();
    Ok(Specials::Allowed(allowed))
}

fn options(add_special_tokens: bool, value: &Bound<'_, PyAny>) -> PyResult<Options> {
    Ok(Options { add_special_tokens, specials: specials(value)? })
}

fn settings(py: Python<'_>, (prefix, unk_token, unknown, limit): ModelSettings) -> PyResult<Settings> {
    let Some(unknown) = Unknown::from_name(&unknown) else {
        let message = format!("unknown must be \"word\", \"run\" or \"char\", not {unknown:?}");
        return Err(to_py(py, &Error::Config(message)));
    };
    Ok(Settings { continuing_subword_prefix: prefix, unk_token, unknown, max_input_chars_per_word: limit })
}

#[pymethods]
impl Tokenizer {
    #[staticmethod]
    fn from_json(
        py: Python<'_>,
        data: &[u8],
        ignore_truncation: bool,
        ignore_padding: bool,
        allow_no_unk: bool,
    ) -> PyResult<Self> {
        let settings = JsonSettings { ignore_truncation, ignore_padding, allow_no_unk };
        let read = py.detach(|| read_tokenizer_json(data, settings));
        read.map(Self::new).map_err(|error| to_py(py, &error))
    }

    #[staticmethod]
    fn from_vocab(py: Python<'_>, data: &[u8], splitter: &str, model: ModelSettings) -> PyResult<Self> {
        let splitter = read_splitter(splitter).map_err(|error| to_py(py, &error))?;
        let settings = VocabSettings { splitter, model: settings(py, model)? };
        let read = py.detach(|| read_vocab_txt(data, settings));
        read.map(Self::new).map_err(|error| to_py(py, &error))
    }

    fn with_model(&self, py: Python<'_>, model: ModelSettings) -> PyResult<Self> {
        let changed = self.inner.with_model_settings(settings(py, model)?);
        changed.map(Self::new).map_err(|error| to_py(py, &error))
    }

    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| write_tokenizer_json(&self.inner)).map_err(|error| to_py(py, &error))
    }

    fn to_vocab(&self, py: Python<'_>) -> PyResult<String> {
        write_vocab_txt(self.inner.vocab()).map_err(|error| to_py(py, &error))
    }

    fn splitter(&self) -> String {
        write_splitter(self.inner.splitter())
    }

    fn model(&self) -> ModelSettings {
        let settings = self.inner.model().settings();
        (
            settings.continuing_subword_prefix.clone(),
            settings.unk_token.clone(),
            settings.unknown.name().to_owned(),
            settings.max_input_chars_per_word,
        )
    }

    fn special_tokens(&self) -> Vec<(&str, u32)> {
        self.inner.specials().tokens().iter().map(|token| (token.content.as_str(), token.id)).collect()
    }

    fn vocab<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let vocab = PyDict::new(py);
        for (token, id) in self.inner.vocab().iter() {
            vocab.set_item(token, id)?;
        }
        Ok(vocab)
    }

    fn __len__(&self) -> usize {
        self.inner.vocab().len()
    }

    fn token_to_id(&self, token: &Bound<'_, PyString>) -> PyResult<Option<u32>> {
        Ok(self.inner.vocab().id(utf8(token)?))
    }

    fn id_to_token(&self, id: u32) -> Option<&str> {
        self.inner.vocab().token(id)
    }

    /// The trainer's settings (JSON), the counts' fingerprint and the token counts.
    fn training(&self) -> Option<(&str, &str, Vec<u64>)> {
        let training = self.inner.training()?;
        Some((&training.trainer, &training.counts_sha256, training.token_counts.clone()))
    }

    fn history(&self) -> Option<Vec<MergeTuple<'_>>> {
        let training = self.inner.training()?;
        Some(training.history.iter().map(merge_tuple).collect())
    }

    fn encode(
        &self,
        text: &Bound<'_, PyString>,
        pair: Option<&Bound<'_, PyString>>,
        add_special_tokens: bool,
        specials: &Bound<'_, PyAny>,
    ) -> PyResult<Encoding> {
        let options = options(add_special_tokens, specials)?;
        let (text, pair) = (utf8(text)?, pair.map(utf8).transpose()?);
        let encode = || self.inner.encode(text, pair, &options, &mut Scratch::default());
        let encoding = detached(specials.py(), text, encode).map_err(|error| to_py(specials.py(), &error))?;
        let first = char_spans(text, &encoding.spans_of(0));
        let second = char_spans(pair.unwrap_or_default(), &encoding.spans_of(1));
        let offsets = encoding.interleave(first, second);
        Ok(Encoding::new(encoding, offsets, Arc::clone(&self.inner)))
    }

    fn encode_ids(
        &self,
        text: &Bound<'_, PyString>,
        pair: Option<&Bound<'_, PyString>>,
        add_special_tokens: bool,
        specials: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<u32>> {
        let options = options(add_special_tokens, specials)?;
        let (text, pair) = (utf8(text)?, pair.map(utf8).transpose()?);
        let mut ids = Vec::new();
        let encode = || self.inner.encode_ids(text, pair, &options, &mut Scratch::default(), &mut ids);
        detached(specials.py(), text, encode).map_err(|error| to_py(specials.py(), &error))?;
        Ok(ids)
    }

    fn encode_batch(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
        add_special_tokens: bool,
        specials: &Bound<'_, PyAny>,
        threads: Option<i64>,
    ) -> PyResult<Batch> {
        let options = options(add_special_tokens, specials)?;
        let texts = texts(batch)?;
        let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
        let rows = encode_rows(py, &self.inner, &texts, &options, threads)?;
        let (ids, row_offsets) = rows.map_err(|(text, error)| in_text(py, &error, text))?;
        Ok(Batch::new(ids, row_offsets))
    }

    fn count(
        &self,
        text: &Bound<'_, PyString>,
        add_special_tokens: bool,
        specials: &Bound<'_, PyAny>,
    ) -> PyResult<usize> {
        let options = options(add_special_tokens, specials)?;
        let text = utf8(text)?;
        let py = specials.py();
        py.detach(|| self.inner.count(text, &options, &mut Scratch::default())).map_err(|error| to_py(py, &error))
    }

    fn log_likelihood(&self, text: &Bound<'_, PyString>, specials: &Bound<'_, PyAny>) -> PyResult<f64> {
        let specials = self::specials(specials)?;
        let (py, text) = (text.py(), utf8(text)?);
        py.detach(|| self.inner.log_likelihood(text, &specials, &mut Scratch::default()))
            .map_err(|error| to_py(py, &error))
    }

    fn decode(&self, py: Python<'_>, ids: Vec<u32>, skip_special_tokens: bool) -> PyResult<String> {
        py.detach(|| self.inner.decode(&ids, skip_special_tokens)).map_err(|error| to_py(py, &error))
    }

    /// The first character of a word at which no piece begins, or None.
    fn first_unmatched(&self, word: &Bound<'_, PyString>) -> PyResult<Option<usize>> {
        let word = utf8(word)?;
        Ok(self.inner.model().first_unmatched(word).map(|byte| word[..byte].chars().count()))
    }

    /// The words of a text after normalization; for each piece its id, its characters in the word, and the longer
    /// prefixes that were tried before it.
    fn word_pieces(&self, text: &Bound<'_, PyString>) -> PyResult<Vec<WordTuple>> {
        let options = Options { add_special_tokens: false, ..Options::default() };
        let words = self.inner.word_pieces(utf8(text)?, &options, &mut Scratch::default());
        let words = words.map_err(|error| to_py(text.py(), &error))?;
        Ok(words.into_iter().map(|word| self.word_tuple(word)).collect())
    }
}

/// A piece of a word: its id, its characters, failed prefixes.
type PieceTuple = (u32, (u32, u32), Vec<String>);
type WordTuple = (String, Vec<PieceTuple>);

impl Tokenizer {
    fn word_tuple(&self, WordPieces { word, tokens }: WordPieces) -> WordTuple {
        let spans: Vec<_> = tokens.iter().map(|token| token.span).collect();
        let pieces = tokens.iter().zip(char_spans(&word, &spans)).map(|(token, span)| {
            let bytes = token.span.range();
            (token.id, span, self.inner.model().failed_prefixes(&word, bytes.start, bytes.end))
        });
        let pieces = pieces.collect();
        (word, pieces)
    }
}

/// Lets the GIL go for work on a text that takes longer than that.
fn detached<T: Send>(py: Python<'_>, text: &str, work: impl FnOnce() -> T + Send) -> T {
    if text.len() < FLOOR { work() } else { py.detach(work) }
}

fn merge_tuple(merge: &Merge) -> MergeTuple<'_> {
    let Merge { left, right, token, score, pair_count, left_count, right_count, ties } = merge;
    (left, right, token, *score, *pair_count, *left_count, *right_count, *ties)
}

type Rows = (Vec<u32>, Vec<i64>);
/// The number of a text, and what is wrong with it.
type Failure = (usize, Error);

/// Encodes the texts on as many threads as are worth their while.
fn encode_rows(
    py: Python<'_>,
    tokenizer: &pipeline::Tokenizer,
    texts: &[&str],
    options: &Options,
    asked: Option<i64>,
) -> PyResult<Result<Rows, Failure>> {
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    let threads = threads::number(py, asked)?;
    if bytes < FLOOR {
        return Ok(py.detach(|| encode_chunk(tokenizer, texts, 0, options)).map(|chunk| join(vec![chunk])));
    }
    // One thread, too, is one beside this, which listens for Ctrl-C.
    let chunks = chunks(texts, CHUNK.min(bytes / threads + 1));
    let tickets = Tickets::new(chunks.len());
    let work = |(), stop: &AtomicBool| {
        let mut done = Vec::new();
        while let Some(ticket) = tickets.next() {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let (first, texts) = chunks[ticket];
            done.push((ticket, encode_chunk(tokenizer, texts, first, options)));
        }
        done
    };
    let mut done: Vec<_> =
        threads::run(py, vec![(); threads.min(chunks.len())], work, threads::silent)?.into_iter().flatten().collect();
    done.sort_unstable_by_key(|&(ticket, _)| ticket);
    Ok(py.detach(|| done.into_iter().map(|(_, rows)| rows).collect::<Result<Vec<_>, _>>().map(join)))
}

/// Splits `texts` into runs of about `size` bytes, each with the number of its first text.
fn chunks<'a, 'b>(texts: &'a [&'b str], size: usize) -> Vec<(usize, &'a [&'b str])> {
    let mut chunks = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (at, text) in texts.iter().enumerate() {
        bytes += text.len();
        if bytes >= size {
            chunks.push((start, &texts[start..=at]));
            (start, bytes) = (at + 1, 0);
        }
    }
    chunks.push((start, &texts[start..]));
    chunks
}

/// The ids of the texts in a row, and how many each has; the first text has the number `first`.
fn encode_chunk(
    tokenizer: &pipeline::Tokenizer,
    texts: &[&str],
    first: usize,
    options: &Options,
) -> Result<(Vec<u32>, Vec<usize>), Failure> {
    let mut scratch = Scratch::default();
    let (mut ids, mut lengths) = (Vec::new(), Vec::with_capacity(texts.len()));
    for (number, text) in (first..).zip(texts) {
        let before = ids.len();
        let encoded = tokenizer.encode_ids(text, None, options, &mut scratch, &mut ids);
        encoded.map_err(|error| (number, error))?;
        lengths.push(ids.len() - before);
    }
    Ok((ids, lengths))
}

fn join(chunks: Vec<(Vec<u32>, Vec<usize>)>) -> Rows {
    let (ids, lengths): (Vec<_>, Vec<_>) = chunks.into_iter().unzip();
    (ids.concat(), row_offsets(&lengths.concat()))
}

#[expect(clippy::cast_possible_wrap, reason = "the number of ids in memory")]
fn row_offsets(lengths: &[usize]) -> Vec<i64> {
    let mut offsets = Vec::with_capacity(lengths.len() + 1);
    let mut end = 0;
    offsets.push(0);
    for &length in lengths {
        end += length as i64;
        offsets.push(end);
    }
    offsets
}
