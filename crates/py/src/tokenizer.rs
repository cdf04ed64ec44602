//! The tokenizer.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use piecework_core::Error;
use piecework_core::added::{AddedToken, Specials};
use piecework_core::decode::StreamOutput;
use piecework_core::format::{
    JsonSettings, VocabSettings, read_splitter, read_tokenizer_json, read_vocab_txt, with_parts, write_model,
    write_parts, write_splitter, write_tokenizer_json, write_trainer, write_vocab_txt,
};
use piecework_core::learn::{Merge, UnigramStep};
use piecework_core::model::wordpiece::{self, Segmentation, Settings, Unknown, WordPiece};
use piecework_core::model::{Model, Token};
use piecework_core::pipeline::{self, WordPieces, WordScores};
use piecework_core::pretokenize::PreTokenizer;
use piecework_core::splitter::WordSplitter;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict};

use crate::arguments::{Ids, flag, string};
use crate::batch::Batch;
use crate::encode::{self, Call, FLOOR};
use crate::encoding::{Encoding, Node, Source};
use crate::errors::{in_parts, to_py};
use crate::file::{FileCall, encode_file};
use crate::functions::functions;
use crate::input::{CharMap, Given, Maps, Row, Rows, Text};
use crate::options::{Limit, Options, Way};
use crate::stream::DecodeStream;
use crate::threads::Asked;
use crate::workers::Workers;

/// A merge of the history: left, right, token, score, pair, left and right counts, ties.
type MergeTuple<'a> = (&'a str, &'a str, &'a str, f64, u64, u64, u64, u64);
/// A round of the history: pieces before it, log-likelihood, what it removed if that is known.
type RoundTuple<'a> = (usize, Option<f64>, Option<&'a [String]>);
/// Settings of a model: prefix, unknown token, unknown policy, longest word, segmentation.
type ModelSettings = (String, Option<String>, String, Option<usize>, String);
/// An added token: content, `single_word`, lstrip, rstrip, normalized, special.
type AddedTuple = (String, bool, bool, bool, bool, bool);

/// A tokenizer of the core.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct Tokenizer {
    pub(crate) inner: Arc<pipeline::Tokenizer>,
    workers: Workers,
}

impl Tokenizer {
    pub(crate) fn new(inner: pipeline::Tokenizer) -> Self {
        Self { inner: Arc::new(inner), workers: Workers::default() }
    }
}

fn settings(py: Python<'_>, given: ModelSettings) -> PyResult<Settings> {
    let (continuing_subword_prefix, unk_token, unknown, max_input_chars_per_word, segmentation) = given;
    let refused = |message| to_py(py, &Error::Config(message));
    let unknown = Unknown::from_name(&unknown)
        .ok_or_else(|| refused(format!("unknown must be \"word\", \"run\" or \"char\", not {unknown:?}")))?;
    let segmentation = Segmentation::from_name(&segmentation)
        .ok_or_else(|| refused(format!("segmentation must be \"longest\" or \"likeliest\", not {segmentation:?}")))?;
    Ok(Settings {
        continuing_subword_prefix,
        unk_token,
        unknown,
        max_input_chars_per_word,
        segmentation,
        ..Settings::default()
    })
}

#[pymethods]
impl Tokenizer {
    #[staticmethod]
    fn from_json(
        py: Python<'_>,
        data: &[u8],
        functions: Vec<Py<PyAny>>,
        allow_no_unk: bool,
        exact_numbers: bool,
    ) -> PyResult<Self> {
        let settings = JsonSettings { allow_no_unk, exact_numbers, functions: self::functions(functions) };
        let read = py.detach(|| read_tokenizer_json(data, &settings));
        read.map(Self::new).map_err(|error| to_py(py, &error))
    }

    #[staticmethod]
    fn from_vocab(
        py: Python<'_>,
        data: &[u8],
        splitter: Option<&str>,
        functions: Vec<Py<PyAny>>,
        model: ModelSettings,
    ) -> PyResult<Self> {
        let splitter = match splitter {
            Some(text) => read_splitter(text, &self::functions(functions)),
            None => WordSplitter::bert(),
        };
        let splitter = splitter.map_err(|error| in_parts(py, &error))?;
        let settings = VocabSettings { splitter, model: settings(py, model)? };
        let read = py.detach(|| read_vocab_txt(data, settings));
        read.map(Self::new).map_err(|error| to_py(py, &error))
    }

    /// The same tokenizer with other settings of its model; its probabilities stay, unless others are given, perhaps none.
    fn with_model(
        &self,
        py: Python<'_>,
        model: ModelSettings,
        probabilities: Option<BTreeMap<String, f64>>,
    ) -> PyResult<Self> {
        let old = self.word_piece(py)?;
        let Settings { dropout, probabilities: own, .. } = old.settings().clone();
        let given = probabilities.map(|given| {
            let given = given.iter().map(|(token, probability)| (token.as_str(), *probability));
            let is_none = given.len() == 0;
            wordpiece::probabilities(old.vocab(), given).map(|given| (!is_none).then_some(given))
        });
        let probabilities = given.transpose().map_err(|error| to_py(py, &error))?.unwrap_or(own);
        let changed = old.with_settings(Settings { dropout, probabilities, ..settings(py, model)? });
        self.inner.with_model(Model::WordPiece(changed)).map(Self::new).map_err(|error| to_py(py, &error))
    }

    /// The same tokenizer, whose words are merged as its training merged them.
    fn as_bpe(&self, py: Python<'_>) -> PyResult<Self> {
        let changed = py.detach(|| self.inner.as_bpe());
        changed.map(Self::new).map_err(|error| to_py(py, &error))
    }

    /// The same tokenizer with other parts (JSON), all but the model.
    fn with_parts(&self, py: Python<'_>, parts: &str, functions: Vec<Py<PyAny>>) -> PyResult<Self> {
        let functions = self::functions(functions);
        let changed = py.detach(|| with_parts(&self.inner, parts, &functions));
        changed.map(Self::new).map_err(|error| in_parts(py, &error))
    }

    /// The parts that are settings, as JSON.
    fn parts(&self) -> String {
        write_parts(&self.inner)
    }

    fn with_added_tokens(&self, py: Python<'_>, tokens: Vec<AddedTuple>) -> PyResult<Self> {
        let tokens = tokens.into_iter().map(|(content, single_word, lstrip, rstrip, normalized, special)| AddedToken {
            id: 0,
            content,
            single_word,
            lstrip,
            rstrip,
            normalized,
            special,
            control: false,
        });
        let tokens = tokens.collect();
        let changed = py.detach(|| self.inner.with_added_tokens(tokens));
        changed.map(Self::new).map_err(|error| to_py(py, &error))
    }

    /// The added tokens with their ids.
    fn added_tokens(&self) -> Vec<(u32, AddedTuple)> {
        let tuple = |token: &AddedToken| {
            let AddedToken { id, content, single_word, lstrip, rstrip, normalized, special, .. } = token.clone();
            (id, (content, single_word, lstrip, rstrip, normalized, special))
        };
        self.inner.added().tokens().iter().map(tuple).collect()
    }

    /// The special tokens that by default are ordinary text.
    fn control_symbols(&self) -> Vec<&str> {
        self.inner.added().controls().map(|token| token.content.as_str()).collect()
    }

    /// The same tokenizer, of whose special tokens just these are control symbols.
    fn with_control_symbols(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Self> {
        let changed = py.detach(|| self.inner.with_controls(&names));
        changed.map(Self::new).map_err(|error| to_py(py, &error))
    }

    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| write_tokenizer_json(&self.inner)).map_err(|error| to_py(py, &error))
    }

    fn to_vocab(&self, py: Python<'_>) -> PyResult<String> {
        write_vocab_txt(self.inner.model().vocab()).map_err(|error| to_py(py, &error))
    }

    fn splitter(&self) -> String {
        write_splitter(self.inner.splitter())
    }

    fn model_type(&self) -> &'static str {
        self.inner.model().kind()
    }

    fn has_dropout(&self) -> bool {
        self.inner.model().has_dropout()
    }

    /// The model with its vocabulary as JSON.
    fn model_json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| write_model(self.inner.model())).map_err(|error| to_py(py, &error))
    }

    fn continuing_subword_prefix(&self) -> &str {
        self.inner.model().continuing_subword_prefix()
    }

    fn model(&self, py: Python<'_>) -> PyResult<ModelSettings> {
        let settings = self.word_piece(py)?.settings();
        Ok((
            settings.continuing_subword_prefix.clone(),
            settings.unk_token.clone(),
            settings.unknown.name().to_owned(),
            settings.max_input_chars_per_word,
            settings.segmentation.name().to_owned(),
        ))
    }

    /// Returns why texts take the generic path; `None` if they take the fast path.
    fn generic_path_reason(&self) -> Option<&'static str> {
        self.inner.road().err()
    }

    /// Returns the vector instructions of the fast path; `None` if texts take the generic path.
    fn kernel(&self) -> Option<&'static str> {
        self.inner.road().ok()
    }

    /// Returns the backends that match the patterns of the pre-tokenizer, in their order.
    fn split_backends(&self) -> Vec<String> {
        self.inner.splitter().pre_tokenizer().map_or_else(Vec::new, PreTokenizer::engines)
    }

    /// The tokens of a BPE model that no text becomes; none but for BPE.
    fn unreachable_tokens(&self, py: Python<'_>) -> Vec<String> {
        let Some(model) = self.inner.model().as_bpe() else { return Vec::new() };
        let ids = py.detach(|| model.unreachable());
        let is_added = |id: u32| self.inner.added().token(id).is_some();
        ids.into_iter().filter(|&id| !is_added(id)).filter_map(|id| self.inner.token(id).map(str::to_owned)).collect()
    }

    fn max_id(&self) -> Option<u32> {
        self.inner.id_limit().checked_sub(1)
    }

    fn unk_token(&self) -> Option<&str> {
        self.inner.model().unk_token()
    }

    fn special_tokens(&self) -> Vec<(&str, u32)> {
        self.inner.added().specials().map(|token| (token.content.as_str(), token.id)).collect()
    }

    fn model_vocab<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let vocab = PyDict::new(py);
        for (token, id) in self.inner.model().vocab().iter() {
            vocab.set_item(token, id)?;
        }
        Ok(vocab)
    }

    fn vocab<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let vocab = PyDict::new(py);
        for (token, id) in self.inner.vocab() {
            vocab.set_item(token, id)?;
        }
        Ok(vocab)
    }

    fn __len__(&self) -> usize {
        self.inner.vocab_size()
    }

    fn token_to_id(&self, token: &Bound<'_, PyAny>) -> PyResult<Option<u32>> {
        Ok(self.inner.id(string("token", token)?))
    }

    fn id_to_token(&self, id: u32) -> Option<&str> {
        self.inner.token(id)
    }

    /// The trainer's settings (JSON), the counts' fingerprint and the token counts.
    fn training(&self) -> Option<(String, &str, Vec<u64>)> {
        let training = self.inner.training()?;
        Some((write_trainer(&training.trainer), &training.counts_sha256, training.token_counts.clone()))
    }

    fn history(&self) -> Option<Vec<MergeTuple<'_>>> {
        let training = self.inner.training()?;
        Some(training.history.iter().map(merge_tuple).collect())
    }

    /// The rounds of a training of Unigram.
    fn steps(&self) -> Option<Vec<RoundTuple<'_>>> {
        let training = self.inner.training()?;
        Some(training.rounds.iter().map(round_tuple).collect())
    }

    /// The options of calls.
    fn options(
        &self,
        py: Python<'_>,
        add_special_tokens: bool,
        specials: Option<&Bound<'_, PyAny>>,
        truncation: Limit,
        padding: Limit,
        way: Way,
    ) -> PyResult<Options> {
        Options::new(py, &self.inner, add_special_tokens, specials, truncation, padding, way)
    }

    fn encode(
        &self,
        text: &Bound<'_, PyAny>,
        pair: Option<&Bound<'_, PyAny>>,
        is_pretokenized: &Bound<'_, PyAny>,
        options: &Options,
    ) -> PyResult<Encoding> {
        let is_pretokenized = flag("is_pretokenized", is_pretokenized)?;
        self.encode_row(text.py(), Row::new(text, pair, is_pretokenized)?, options)
    }

    /// One text in segments, each with whether it is trusted.
    fn encode_segments(&self, segments: &Bound<'_, PyAny>, options: &Options) -> PyResult<Encoding> {
        self.encode_row(segments.py(), Row::of(Given::segments(segments)?), options)
    }

    fn encode_ids(
        &self,
        text: &Bound<'_, PyAny>,
        pair: Option<&Bound<'_, PyAny>>,
        is_pretokenized: &Bound<'_, PyAny>,
        options: &Options,
    ) -> PyResult<Vec<u32>> {
        let is_pretokenized = flag("is_pretokenized", is_pretokenized)?;
        let row = Row::new(text, pair, is_pretokenized)?;
        let encode = || {
            let mut ids = Vec::with_capacity(row.len().min(FLOOR) / 2);
            row.with_inputs(|text, pair| {
                self.inner.encode_ids(text, pair, &options.inner, &mut self.workers.hire(), &mut ids)
            })?;
            options.inner.padding.as_ref().map_or(Ok(()), |padding| padding.pad_ids(&mut ids))?;
            Ok(ids)
        };
        detached(text.py(), row.len(), encode).map_err(|error| to_py(text.py(), &error))
    }

    #[pyo3(signature = (batch, is_pretokenized, options, columns, threads))]
    fn encode_batch(
        &self,
        py: Python<'_>,
        batch: &Bound<'_, PyAny>,
        is_pretokenized: &Bound<'_, PyAny>,
        options: &Options,
        columns: bool,
        threads: Option<Asked>,
    ) -> PyResult<Batch> {
        let rows = Rows::new(batch, flag("is_pretokenized", is_pretokenized)?)?;
        let call = Call { tokenizer: &self.inner, workers: &self.workers, options: &options.inner, columns };
        encode::encode_batch(py, &call, &rows, threads)
    }

    /// Encodes a file, or the data of one, and calls `progress` with the bytes read.
    #[expect(clippy::too_many_arguments, reason = "what a call may say")]
    #[pyo3(signature = (path, data, lines, replace, options, threads, progress, block))]
    fn encode_file(
        &self,
        py: Python<'_>,
        path: PathBuf,
        data: Option<PyBackedBytes>,
        lines: bool,
        replace: bool,
        options: &Options,
        threads: Option<Asked>,
        progress: &Bound<'_, PyAny>,
        block: usize,
    ) -> PyResult<Batch> {
        let call = Call { tokenizer: &self.inner, workers: &self.workers, options: &options.inner, columns: false };
        encode_file(py, &FileCall { call, path, data, lines, replace, block }, threads, progress)
    }

    fn count(&self, text: &Bound<'_, PyAny>, options: &Options) -> PyResult<usize> {
        let (py, text) = (text.py(), Text::new("text", text)?);
        detached(py, text.len(), || self.inner.count(text.get()?, &options.inner, &mut self.workers.hire()))
            .map_err(|error| to_py(py, &error))
    }

    /// The best segmentations of a text, best first, and the sums of their scores.
    fn encode_nbest(&self, text: &Bound<'_, PyAny>, n: usize, options: &Options) -> PyResult<Vec<(Encoding, f64)>> {
        let (py, text) = (text.py(), Text::new("text", text)?);
        let encode = || {
            let text = text.get()?;
            let found = self.inner.encode_nbest(text, n, &options.inner, &mut self.workers.hire())?;
            Ok((found, Maps::of(text)))
        };
        let (found, maps) = py.detach(encode).map_err(|error: Error| to_py(py, &error))?;
        let node = |encoding| Encoding::new(Node::new(encoding, &maps, &self.inner, None));
        Ok(found.into_iter().map(|(encoding, score)| (node(encoding), score)).collect())
    }

    fn log_probability(&self, text: &Bound<'_, PyAny>, options: &Options) -> PyResult<f64> {
        let (py, text) = (text.py(), Text::new("text", text)?);
        py.detach(|| self.inner.log_probability(text.get()?, &options.inner, &mut self.workers.hire()))
            .map_err(|error| to_py(py, &error))
    }

    /// The sum of the scores of a list of tokens.
    fn score(&self, py: Python<'_>, ids: Ids) -> PyResult<f64> {
        self.inner.score(&ids.0).map_err(|error| to_py(py, &error))
    }

    fn log_likelihood(&self, text: &Bound<'_, PyAny>, options: &Options) -> PyResult<f64> {
        let (py, text) = (text.py(), string("text", text)?);
        let specials: &Specials = &options.inner.specials;
        py.detach(|| self.inner.log_likelihood(text, specials, &mut self.workers.hire()))
            .map_err(|error| to_py(py, &error))
    }

    fn decode(&self, ids: Ids, skip_special_tokens: &Bound<'_, PyAny>) -> PyResult<String> {
        let (py, skip) = (skip_special_tokens.py(), flag("skip_special_tokens", skip_special_tokens)?);
        py.detach(|| self.inner.decode(&ids.0, skip)).map_err(|error| to_py(py, &error))
    }

    fn decode_bytes(&self, ids: Ids, skip_special_tokens: &Bound<'_, PyAny>) -> PyResult<Py<PyBytes>> {
        let (py, skip) = (skip_special_tokens.py(), flag("skip_special_tokens", skip_special_tokens)?);
        let bytes = py.detach(|| self.inner.decode_bytes(&ids.0, skip));
        bytes.map(|bytes| PyBytes::new(py, &bytes).unbind()).map_err(|error| to_py(py, &error))
    }

    fn decode_stream(&self, skip_special_tokens: bool, as_bytes: bool) -> DecodeStream {
        let form = if as_bytes { StreamOutput::Bytes } else { StreamOutput::Text };
        DecodeStream::new(&self.inner, skip_special_tokens, form)
    }

    /// The bytes that a token by itself stands for.
    fn token_bytes(&self, token: &Bound<'_, PyAny>) -> PyResult<Py<PyBytes>> {
        let (py, token) = (token.py(), string("token", token)?);
        let bytes = self.inner.token_bytes(token).map_err(|error| to_py(py, &error))?;
        Ok(PyBytes::new(py, &bytes).unbind())
    }

    /// The first character of a word at which no piece begins, or None.
    fn first_unmatched(&self, word: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        let word = string("word", word)?;
        let model = self.inner.model().as_word_piece();
        Ok(model.and_then(|model| model.first_unmatched(word)).map(|byte| word[..byte].chars().count()))
    }

    /// The words of a text after normalization; for each piece its id, its characters in the word, and the longer
    /// prefixes that were tried before it.
    fn word_pieces(&self, text: &Bound<'_, PyAny>) -> PyResult<Vec<WordTuple>> {
        let options = pipeline::Options { add_special_tokens: false, ..pipeline::Options::default() };
        let words = self.inner.word_pieces(string("word", text)?, &options, &mut self.workers.hire());
        let words = words.map_err(|error| to_py(text.py(), &error))?;
        Ok(words.into_iter().map(|word| self.word_tuple(word)).collect())
    }

    /// For each word of a text, but for added tokens, the logarithm of its probability, and its best segmentations with their scores.
    fn word_scores(&self, text: &Bound<'_, PyAny>, n: usize) -> PyResult<Vec<Option<ScoresTuple>>> {
        let words =
            self.inner.word_scores(string("word", text)?, n, &pipeline::Options::default(), &mut self.workers.hire());
        let words = words.map_err(|error| to_py(text.py(), &error))?;
        let ids = |tokens: &[Token]| tokens.iter().map(|token| token.id).collect();
        let tuple = |word: WordScores| {
            (word.log_probability, word.best.iter().map(|best| (ids(&best.tokens), best.score)).collect())
        };
        Ok(words.into_iter().map(|word| word.map(tuple)).collect())
    }
}

/// A piece of a word: its id, its characters, failed prefixes.
type PieceTuple = (u32, (u32, u32), Vec<String>);
type WordTuple = (String, Vec<PieceTuple>);
/// The logarithm of a word's probability, and its best segmentations: ids and score.
type ScoresTuple = (f64, Vec<(Vec<u32>, f64)>);

impl Tokenizer {
    fn word_piece(&self, py: Python<'_>) -> PyResult<&WordPiece> {
        self.inner.model().as_word_piece().ok_or_else(|| {
            let message = "this is a setting of WordPiece models, and the tokenizer has another".to_owned();
            to_py(py, &Error::Config(message))
        })
    }

    fn encode_row(&self, py: Python<'_>, row: Row, options: &Options) -> PyResult<Encoding> {
        let encode = || {
            let encoding =
                row.with_inputs(|text, pair| self.inner.encode(text, pair, &options.inner, &mut self.workers.hire()))?;
            Ok((encoding, row.maps()))
        };
        let (encoding, maps) = detached(py, row.len(), encode).map_err(|error| to_py(py, &error))?;
        let source = encoding.is_truncated.then(|| Source {
            row,
            options: options.inner.clone(),
            tokenizer: Arc::clone(&self.inner),
        });
        Ok(Encoding::new(Node::new(encoding, &maps, &self.inner, source)))
    }

    fn word_tuple(&self, WordPieces { word, tokens }: WordPieces) -> WordTuple {
        let (map, model) = (CharMap::new(&word), self.inner.model().as_word_piece());
        let pieces = tokens.iter().map(|token| {
            let bytes = token.span.range();
            let failed = model.map(|model| model.failed_prefixes(&word, bytes.start, bytes.end));
            (token.id, map.characters(token.span), failed.unwrap_or_default())
        });
        let pieces = pieces.collect();
        (word, pieces)
    }
}

/// Lets the GIL go for work on so many bytes that it takes longer than that.
fn detached<T: Send>(py: Python<'_>, bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes < FLOOR { work() } else { py.detach(work) }
}

fn round_tuple(round: &UnigramStep) -> RoundTuple<'_> {
    let UnigramStep { pieces, log_likelihood, removed } = round;
    (*pieces, *log_likelihood, removed.as_deref())
}

fn merge_tuple(merge: &Merge) -> MergeTuple<'_> {
    let Merge { left, right, token, score, pair_count, left_count, right_count, ties } = merge;
    (left, right, token, *score, *pair_count, *left_count, *right_count, *ties)
}
