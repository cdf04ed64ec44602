//! The class `Tokenizer`; the work of its methods is in other files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::PyArray1;
use piecework_core::Result;
use piecework_core::added::SpecialsPolicy;
use piecework_core::decode::StreamOutput;
use piecework_core::encoding::Direction;
use piecework_core::format::{
    AddedIdSource, JsonSettings, VocabSettings, fingerprint, has_nearest_splitter, read_edited_json, read_padding,
    read_truncation, read_vocab_txt, with_parts, write_model, write_own_json, write_parts, write_saved_json,
    write_splitter, write_trainer, write_vocab_txt,
};
use piecework_core::model::bpe::Bpe;
use piecework_core::pipeline::{self, DecodeOptions, ExplainLimits, Sizes, StreamSettings, TextLimit};
use piecework_core::postprocess::PostProcessor;
use piecework_core::pretokenize::PreTokenizer;
use piecework_core::splitter::WordSplitter;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyList, PyString};

use crate::aligned::AlignedEncoding;
use crate::arguments::{Ids, flag, string};
use crate::batch::Batch;
use crate::call::Call;
use crate::decode_batch::{OffsetColumns, decode_batch, decode_offsets_batch, position};
use crate::encode;
use crate::encode_list::encode_list;
use crate::encode_one::to_object;
use crate::encoding::Encoding;
use crate::errors::{in_settings, invalid_setting, to_core, to_py, warn_of_records};
use crate::explain::{MergeStepRow, TextRow, bytes_of, explain, merge_step_row};
use crate::file::{FileReading, encode_file};
use crate::functions;
use crate::input::{InputRow, InputRows, InputText, PythonText, short_text};
use crate::lists::list;
use crate::memory;
use crate::model_settings::{ModelSettings, with_model, word_piece};
use crate::options::{self, LengthSetting, Options, PathAndSampling};
use crate::scratch_pool::ScratchPool;
use crate::stream::DecodeStream;
use crate::threads::{ThreadCount, detach};
use crate::tuples::{AddedTokenRow, AddedTokenRun, MergeRow, StepRow, merge_row, step_row};

/// A tokenizer of the core.
#[pyclass(frozen, module = "piecework._core")]
pub(crate) struct Tokenizer {
    pub(crate) inner: Arc<pipeline::Tokenizer>,
    pub(crate) pool: ScratchPool,
}

impl Tokenizer {
    pub(crate) fn new(inner: pipeline::Tokenizer) -> Self {
        Self { inner: Arc::new(inner), pool: ScratchPool::default() }
    }

    /// Returns the tokenizer that `make` makes without the GIL.
    pub(crate) fn detached(
        py: Python<'_>,
        make: impl FnOnce() -> Result<pipeline::Tokenizer> + Send,
    ) -> PyResult<Self> {
        detach(py, make)?.map(Self::new).map_err(to_py)
    }

    /// Returns a call with options, for all columns or for ids alone.
    pub(crate) fn call<'a>(&'a self, options: &'a Options, columns: bool) -> Call<'a> {
        Call { tokenizer: &self.inner, pool: &self.pool, options: &options.inner, columns }
    }
}

/// Reads a tokenizer.json; `place` names the file in a warning of records that are ignored.
fn read_json(data: &Bound<'_, PyBytes>, settings: &JsonSettings, place: &str) -> PyResult<Tokenizer> {
    let (py, data) = (data.py(), data.as_bytes());
    let (tokenizer, dropped) = detach(py, || read_edited_json(data, settings))?.map_err(to_py)?;
    if !dropped.is_empty() {
        warn_of_records(py, &dropped, place)?;
    }
    Ok(Tokenizer::new(tokenizer))
}

/// Returns the ids of added tokens named `"file"` or `"tokenizers"`; by default ids that differ are refused.
fn added_ids(name: Option<&str>) -> PyResult<AddedIdSource> {
    match name {
        None => Ok(AddedIdSource::Equal),
        Some("file") => Ok(AddedIdSource::File),
        Some("tokenizers") => Ok(AddedIdSource::Tokenizers),
        Some(other) => {
            let expected = "\"file\", \"tokenizers\" or None";
            Err(invalid_setting("added_token_ids", expected, format_args!("{other:?}")))
        }
    }
}

#[pymethods]
impl Tokenizer {
    #[staticmethod]
    #[pyo3(signature = (data, allow_no_unk, exact_numbers, added_token_ids=None, place=""))]
    fn from_json(
        data: &Bound<'_, PyBytes>,
        allow_no_unk: bool,
        exact_numbers: bool,
        added_token_ids: Option<&str>,
        place: &str,
    ) -> PyResult<Self> {
        let added_ids = added_ids(added_token_ids)?;
        read_json(data, &JsonSettings { allow_no_unk, exact_numbers, added_ids, ..JsonSettings::default() }, place)
    }

    /// Returns the tokenizer that `tokenizers` reads, which ignores the members of ours.
    #[staticmethod]
    fn from_json_as_tokenizers(data: &Bound<'_, PyBytes>, place: &str) -> PyResult<Self> {
        let settings = JsonSettings {
            allow_no_unk: true,
            ignore_own_normalizer: true,
            added_ids: AddedIdSource::Tokenizers,
            ..JsonSettings::default()
        };
        read_json(data, &settings, place)
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
            Some(json) => functions::splitter(json, functions)?,
            None => WordSplitter::bert().map_err(to_py)?,
        };
        let settings = VocabSettings { splitter, model: model.into_core()? };
        Self::detached(py, || read_vocab_txt(data, settings))
    }

    /// Returns a tokenizer with other settings of its model; probabilities stay unless given, and an empty map removes them.
    fn with_model(&self, model: ModelSettings, probabilities: Option<BTreeMap<String, f64>>) -> PyResult<Self> {
        with_model(&self.inner, model, probabilities).map(Self::new)
    }

    /// Returns a tokenizer with a BPE model that repeats the merges of the training.
    fn as_bpe(&self, py: Python<'_>) -> PyResult<Self> {
        Self::detached(py, || self.inner.to_bpe())
    }

    /// Returns a tokenizer with other parts (JSON) and the same model.
    fn with_parts(&self, py: Python<'_>, parts: &str, functions: Vec<Py<PyAny>>) -> PyResult<Self> {
        let functions = functions::functions(functions);
        let changed = detach(py, || with_parts(&self.inner, parts, &functions))?;
        changed.map(Self::new).map_err(in_settings)
    }

    /// Returns a tokenizer with the same model, without other parts and added tokens.
    fn model_alone(&self) -> PyResult<Self> {
        self.inner.model_alone().map(Self::new).map_err(to_py)
    }

    /// Returns the parts that are settings, as JSON.
    fn parts(&self) -> String {
        write_parts(&self.inner)
    }

    fn with_added_tokens(&self, py: Python<'_>, tokens: Vec<AddedTokenRun>) -> PyResult<Self> {
        let tokens = tokens.into_iter().flat_map(AddedTokenRun::into_core).collect();
        Self::detached(py, || self.inner.with_added_tokens(tokens))
    }

    /// Returns the tokenizer with more added tokens: user-defined symbols if it encodes as `SentencePiece` does.
    fn with_symbols(&self, py: Python<'_>, tokens: Vec<AddedTokenRun>) -> PyResult<Self> {
        let tokens = tokens.into_iter().flat_map(AddedTokenRun::into_core).collect();
        Self::detached(py, || self.inner.with_symbols(tokens))
    }

    /// Returns whether a `tokenizer.json` has other components, that `tokenizers` has, for the normalizer.
    fn has_nearest_splitter(&self) -> bool {
        has_nearest_splitter(&self.inner)
    }

    /// Returns the added tokens with their ids.
    fn added_tokens(&self) -> Vec<(u32, AddedTokenRow)> {
        self.inner.added().tokens().iter().map(|token| (token.id, AddedTokenRow::of(token))).collect()
    }

    /// Returns the added tokens outside the vocabulary that the model never matches in words as entries either.
    fn possible_entries(&self) -> PyResult<Vec<&str>> {
        let found = self.inner.possible_entries().map_err(to_py)?;
        Ok(found.into_iter().collect())
    }

    /// Returns the tokens that the post-processor and the padding insert: the part, the name and the id.
    fn inserted_tokens(&self) -> Vec<(&'static str, &str, u32)> {
        let processed = self.inner.post_processor().into_iter().flat_map(PostProcessor::tokens);
        let padded = self.inner.padding().map(|padding| &padding.token);
        processed
            .map(|token| ("post_processor", token))
            .chain(padded.map(|token| ("padding", token)))
            .map(|(part, token)| (part, token.name.as_str(), token.id))
            .collect()
    }

    /// Returns the control symbols: special tokens that a text cannot spell by default.
    fn control_symbols(&self) -> Vec<&str> {
        self.inner.added().controls().map(|token| token.content.as_str()).collect()
    }

    /// Returns a tokenizer with exactly these special tokens as control symbols.
    fn with_control_symbols(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Self> {
        Self::detached(py, || self.inner.with_controls(&names))
    }

    /// Returns a tokenizer whose untrusted texts may spell these added tokens.
    fn with_kept(&self, py: Python<'_>, names: Vec<String>) -> PyResult<Self> {
        Self::detached(py, || self.inner.with_kept(names))
    }

    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        detach(py, || write_own_json(&self.inner))?.map_err(to_py)
    }

    /// Returns the tokenizer.json with the fingerprint.
    fn to_saved_json(&self, py: Python<'_>) -> PyResult<String> {
        detach(py, || write_saved_json(&self.inner))?.map_err(to_py)
    }

    fn fingerprint(&self, py: Python<'_>) -> PyResult<String> {
        detach(py, || fingerprint(&self.inner))?.map_err(to_py)
    }

    fn to_vocab(&self) -> PyResult<String> {
        write_vocab_txt(self.inner.model().vocab()).map_err(to_py)
    }

    fn splitter(&self) -> String {
        write_splitter(self.inner.splitter())
    }

    fn model_type(&self) -> &'static str {
        self.inner.traits().kind
    }

    fn has_dropout(&self) -> bool {
        self.inner.traits().has_dropout()
    }

    fn single_type_id(&self) -> Option<u32> {
        self.inner.post_processor().map_or(Some(0), PostProcessor::single_type_id)
    }

    /// Returns the model with its vocabulary as JSON.
    fn model_json(&self, py: Python<'_>) -> PyResult<String> {
        detach(py, || write_model(self.inner.model()))?.map_err(to_py)
    }

    fn continuing_subword_prefix(&self) -> &str {
        &self.inner.traits().continuing_subword_prefix
    }

    fn end_of_word_suffix(&self) -> &str {
        &self.inner.traits().end_of_word_suffix
    }

    fn model(&self) -> PyResult<ModelSettings> {
        Ok(ModelSettings::of(word_piece(&self.inner)?))
    }

    /// Returns why texts take the generic path; `None` if they take the fast path.
    fn generic_path_reason(&self) -> Option<&'static str> {
        self.inner.fast_path_kernel().err()
    }

    /// Returns the sizes that limits bound, by their names.
    fn sizes(&self) -> BTreeMap<&'static str, usize> {
        let Sizes { entries, vocabulary_bytes, entry_bytes, components, pattern_bytes, padding } = self.inner.sizes();
        BTreeMap::from([
            ("entries", entries),
            ("vocabulary_bytes", vocabulary_bytes),
            ("entry_bytes", entry_bytes),
            ("components", components),
            ("pattern_bytes", pattern_bytes),
            ("padding", padding),
        ])
    }

    /// Builds the tables of calls with such a treatment of special tokens, which the first of them builds otherwise.
    #[pyo3(signature = (specials=None, untrusted=false))]
    fn build_tables(&self, py: Python<'_>, specials: Option<&Bound<'_, PyAny>>, untrusted: bool) -> PyResult<()> {
        let specials = options::specials(specials, untrusted)?;
        detach(py, || self.inner.build_tables(&specials))?;
        Ok(())
    }

    /// Returns the vector instructions of the fast path; `None` if texts take the generic path.
    fn kernel(&self) -> Option<&'static str> {
        self.inner.fast_path_kernel().ok()
    }

    /// Returns the tokenizer with these vector instructions, for tests and benchmarks; `None` if it has no fast path, or if
    /// the machine does not have them.
    fn with_kernel(&self, name: &str) -> Option<Self> {
        pipeline::Tokenizer::new(self.inner.parts()).ok()?.with_kernel(name).map(Self::new)
    }

    /// Returns the backends that match the patterns of the pre-tokenizer, in their order.
    fn split_backends(&self) -> Vec<String> {
        self.inner.splitter().pre_tokenizer().map_or_else(Vec::new, PreTokenizer::engines)
    }

    /// Returns the tokens of a BPE model that no text is encoded as; none for other models.
    fn unreachable_tokens(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let ids = detach(py, || self.inner.unreachable())?.map_err(to_py)?;
        Ok(ids.into_iter().filter_map(|id| self.inner.token(id).map(str::to_owned)).collect())
    }

    /// Returns the ids of the pairs of a BPE model that no word merges; none for other models.
    fn unused_merges(&self, py: Python<'_>) -> Vec<(u32, u32)> {
        py.detach(|| self.inner.model().as_bpe().map(Bpe::unused_merges).unwrap_or_default())
    }

    fn max_id(&self) -> Option<u32> {
        self.inner.id_limit().checked_sub(1)
    }

    fn unk_token(&self) -> Option<&str> {
        self.inner.traits().unk_token.as_deref()
    }

    fn special_tokens(&self) -> Vec<(&str, u32)> {
        self.inner.added().specials().map(|token| (token.content.as_str(), token.id)).collect()
    }

    fn model_vocab<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.inner.model().vocab().iter().into_py_dict(py)
    }

    fn vocab<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.inner.vocab().into_py_dict(py)
    }

    /// Returns the ids of all tokens, in ascending order.
    fn vocab_ids<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_vec(py, self.inner.vocab().into_iter().map(|(_, id)| id).collect())
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

    /// Returns the trainer's settings (JSON), the fingerprint of the word counts, and the token counts.
    fn training(&self) -> Option<(String, &str, Vec<u64>)> {
        let training = self.inner.training()?;
        Some((write_trainer(&training.trainer), &training.counts_sha256, training.token_counts.clone()))
    }

    fn history(&self) -> Option<Vec<MergeRow<'_>>> {
        let training = self.inner.training()?;
        Some(training.history.iter().map(merge_row).collect())
    }

    /// Returns the steps of a Unigram training.
    fn steps(&self) -> Option<Vec<StepRow<'_>>> {
        let training = self.inner.training()?;
        Some(training.rounds.iter().map(step_row).collect())
    }

    /// Returns the options of calls; `untrusted` states whether all texts are.
    #[pyo3(signature = (add_special_tokens, specials, truncation, padding, way, untrusted=false))]
    fn options(
        &self,
        add_special_tokens: bool,
        specials: Option<&Bound<'_, PyAny>>,
        truncation: LengthSetting,
        padding: LengthSetting,
        way: PathAndSampling,
        untrusted: bool,
    ) -> PyResult<Options> {
        let specials = options::specials(specials, untrusted)?;
        let sampling = way.into_core(&self.inner)?;
        let truncation = truncation.or_prescribed(self.inner.truncation(), read_truncation)?;
        let padding = padding.or_prescribed(self.inner.padding(), read_padding)?;
        let padding = padding.map(|padding| self.inner.compare_padding(padding));
        let inner = pipeline::Options { add_special_tokens, specials, truncation, padding, ..sampling };
        Ok(Options { inner })
    }

    fn encode(
        &self,
        text: &Bound<'_, PyAny>,
        pair: Option<&Bound<'_, PyAny>>,
        is_pretokenized: &Bound<'_, PyAny>,
        options: &Options,
    ) -> PyResult<Encoding> {
        let is_pretokenized = flag("is_pretokenized", is_pretokenized)?;
        self.call(options, true).encoding(text.py(), InputRow::new(text, pair, is_pretokenized)?)
    }

    /// Encodes a text in segments, each with whether it is trusted; if they are `joined`, words may span them.
    #[pyo3(signature = (segments, options, joined=false))]
    fn encode_segments(&self, segments: &Bound<'_, PyAny>, options: &Options, joined: bool) -> PyResult<Encoding> {
        let text = if joined { InputText::joined(segments)? } else { InputText::segments(segments)? };
        self.call(options, true).encoding(segments.py(), InputRow::of(text))
    }

    /// Encodes many texts in segments.
    #[pyo3(signature = (rows, options, columns, threads))]
    fn encode_segments_batch(
        &self,
        rows: &Bound<'_, PyAny>,
        options: &Options,
        columns: bool,
        threads: Option<ThreadCount>,
    ) -> PyResult<Batch> {
        encode::encode_batch(rows.py(), &self.call(options, columns), &InputRows::segments(rows)?, threads)
    }

    /// Returns the ids of a text or pair, as an array or as a list.
    fn encode_ids<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        pair: Option<&Bound<'py, PyAny>>,
        is_pretokenized: &Bound<'py, PyAny>,
        options: &Options,
        as_array: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (is_pretokenized, as_array) = (flag("is_pretokenized", is_pretokenized)?, flag("as_array", as_array)?);
        let (py, call) = (text.py(), self.call(options, false));
        let ids = match short_text(text) {
            Some(text) if pair.is_none() && !is_pretokenized => call.short_ids(text)?,
            _ => call.ids(py, &InputRow::new(text, pair, is_pretokenized)?)?,
        };
        to_object(py, ids, as_array)
    }

    #[pyo3(signature = (batch, is_pretokenized, options, columns, threads))]
    fn encode_batch(
        &self,
        batch: &Bound<'_, PyAny>,
        is_pretokenized: &Bound<'_, PyAny>,
        options: &Options,
        columns: bool,
        threads: Option<ThreadCount>,
    ) -> PyResult<Batch> {
        let rows = InputRows::new(batch, flag("is_pretokenized", is_pretokenized)?)?;
        encode::encode_batch(batch.py(), &self.call(options, columns), &rows, threads)
    }

    /// Encodes many texts to a list of encodings.
    #[pyo3(signature = (texts, is_pretokenized, options, offsets, threads))]
    fn encode_list(
        &self,
        texts: &Bound<'_, PyList>,
        is_pretokenized: &Bound<'_, PyAny>,
        options: &Options,
        offsets: bool,
        threads: Option<ThreadCount>,
    ) -> PyResult<Vec<Encoding>> {
        let rows = InputRows::new(texts, flag("is_pretokenized", is_pretokenized)?)?;
        encode_list(texts.py(), &self.call(options, offsets), rows, threads)
    }

    /// Truncates, post-processes and pads the encodings of a text or pair.
    fn post_process(&self, encoding: &Encoding, pair: Option<&Encoding>, options: &Options) -> PyResult<Encoding> {
        let encodings: Vec<_> = std::iter::once(encoding).chain(pair).map(|encoding| &*encoding.inner).collect();
        AlignedEncoding::post_processed(&encodings, &self.inner, &options.inner).map(Encoding::new).map_err(to_py)
    }

    /// Encodes a file, or its data, and calls `progress` with the bytes read.
    #[pyo3(signature = (path, reading, options, threads, progress))]
    fn encode_file(
        &self,
        path: PathBuf,
        reading: FileReading,
        options: &Options,
        threads: Option<ThreadCount>,
        progress: &Bound<'_, PyAny>,
    ) -> PyResult<Batch> {
        encode_file(self.call(options, false), &path, &reading, threads, progress)
    }

    fn count(&self, text: &Bound<'_, PyAny>, options: &Options) -> PyResult<usize> {
        self.call(options, false).count(text.py(), &PythonText::new("text", text)?)
    }

    /// Returns the longest prefix of a text with at most `n` tokens, or its longest suffix with `left`, and whether it is
    /// proven to be the longest.
    ///
    /// With `continues`, a longer text has this beginning or end; None if more of it is needed.
    fn truncate_text<'py>(
        &self,
        text: &Bound<'py, PyString>,
        n: usize,
        left: bool,
        continues: bool,
        options: &Options,
    ) -> PyResult<Option<(Bound<'py, PyString>, bool)>> {
        let direction = if left { Direction::Left } else { Direction::Right };
        self.call(options, false).truncated(text, TextLimit { max_tokens: n, direction, continues })
    }

    /// Returns what a BPE model merges its entries from, as ids: left, right and merged; none for other models.
    fn last_pairs(&self, py: Python<'_>) -> Vec<(u32, u32, u32)> {
        py.detach(|| self.inner.model().as_bpe().map(Bpe::last_pairs).unwrap_or_default())
    }

    /// Returns the best segmentations of a text with their scores, best first.
    fn encode_nbest(&self, text: &Bound<'_, PyAny>, n: usize, options: &Options) -> PyResult<Vec<(Encoding, f64)>> {
        self.call(options, true).nbest(text.py(), &PythonText::new("text", text)?, n)
    }

    fn log_probability(&self, text: &Bound<'_, PyAny>, options: &Options) -> PyResult<f64> {
        let (py, text) = (text.py(), PythonText::new("text", text)?);
        detach(py, || self.inner.marginal_log_likelihood(text.get()?, &options.inner, &mut self.pool.scratch()))?
            .map_err(to_py)
    }

    /// Returns the sum of the scores of a list of tokens.
    fn score(&self, ids: Ids) -> PyResult<f64> {
        self.inner.score(&ids.0).map_err(to_py)
    }

    /// Returns the natural logarithms of the probabilities of tokens; `None` if the model has none.
    fn log_probabilities(&self, ids: Ids) -> Option<Vec<f64>> {
        self.inner.log_probabilities(&ids.0)
    }

    fn log_likelihood(&self, text: &Bound<'_, PyAny>, options: &Options) -> PyResult<f64> {
        let (py, text) = (text.py(), string("text", text)?);
        let specials: &SpecialsPolicy = &options.inner.specials;
        detach(py, || self.inner.log_likelihood(text, specials, &mut self.pool.scratch()))?.map_err(to_py)
    }

    /// Returns the text of ids; with `added_as_entries` the decoder takes added tokens for entries of the model.
    #[pyo3(signature = (ids, skip_special_tokens, added_as_entries=false))]
    fn decode<'py>(
        &self,
        ids: Ids,
        skip_special_tokens: &Bound<'py, PyAny>,
        added_as_entries: bool,
    ) -> PyResult<Bound<'py, PyString>> {
        let (py, skip_special_tokens) = (skip_special_tokens.py(), flag("skip_special_tokens", skip_special_tokens)?);
        let options = DecodeOptions { skip_special_tokens, added_as_entries };
        memory::string(py, &detach(py, || self.inner.decode(&ids.0, options))?.map_err(to_py)?)
    }

    /// Returns the texts of rows of ids.
    fn decode_batch<'py>(
        &self,
        rows: &Bound<'py, PyAny>,
        skip_special_tokens: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let skip = flag("skip_special_tokens", skip_special_tokens)?;
        decode_batch(rows, |row| memory::string(rows.py(), &self.inner.decode(row, skip)?).map_err(to_core))
    }

    /// Returns the bytes of rows of ids.
    fn decode_bytes_batch<'py>(
        &self,
        rows: &Bound<'py, PyAny>,
        skip_special_tokens: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let skip = flag("skip_special_tokens", skip_special_tokens)?;
        decode_batch(rows, |row| Ok(PyBytes::new(rows.py(), &self.inner.decode_bytes(row, skip)?)))
    }

    /// Returns the bytes of each id.
    fn decode_tokens_bytes<'py>(
        &self,
        ids: Ids,
        skip_special_tokens: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (py, skip) = (skip_special_tokens.py(), flag("skip_special_tokens", skip_special_tokens)?);
        let found = detach(py, || self.inner.tokens_bytes(&ids.0, skip))?.map_err(to_py)?;
        let ends = found.starts.iter().skip(1).copied().chain([found.bytes.len()]);
        list(
            py,
            found
                .starts
                .iter()
                .zip(ends)
                .map(|(&start, end)| PyBytes::new(py, &found.bytes[start..end]))
                .collect::<Vec<_>>(),
        )
    }

    /// Returns the text of ids, and the first character and the first byte of each.
    fn decode_offsets(
        &self,
        ids: Ids,
        skip_special_tokens: &Bound<'_, PyAny>,
    ) -> PyResult<(String, Vec<usize>, Vec<usize>)> {
        let (py, skip) = (skip_special_tokens.py(), flag("skip_special_tokens", skip_special_tokens)?);
        let found = detach(py, || self.inner.decode_offsets(&ids.0, skip))?.map_err(to_py)?;
        Ok((found.text, found.starts, found.byte_starts))
    }

    /// Returns the texts of rows of ids, the first character and the first byte of each id, and the ends of rows.
    fn decode_offsets_batch<'py>(
        &self,
        rows: &Bound<'py, PyAny>,
        skip_special_tokens: &Bound<'py, PyAny>,
    ) -> PyResult<OffsetColumns<'py>> {
        decode_offsets_batch(&self.inner, rows, flag("skip_special_tokens", skip_special_tokens)?)
    }

    /// Returns the bytes that each id adds to a text, and the end of each id in them.
    fn all_token_bytes<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyArray1<i64>>)> {
        let found = detach(py, || self.inner.all_token_bytes())?.map_err(to_py)?;
        let starts = found.starts.iter().chain([&found.bytes.len()]).map(|&start| position(start)).collect();
        Ok((PyBytes::new(py, &found.bytes), PyArray1::from_vec(py, starts)))
    }

    fn decode_bytes(&self, ids: Ids, skip_special_tokens: &Bound<'_, PyAny>) -> PyResult<Py<PyBytes>> {
        let (py, skip) = (skip_special_tokens.py(), flag("skip_special_tokens", skip_special_tokens)?);
        let bytes = detach(py, || self.inner.decode_bytes(&ids.0, skip))?;
        bytes.map(|bytes| PyBytes::new(py, &bytes).unbind()).map_err(to_py)
    }

    /// Returns a stream of `"text"`, `"bytes"` or `"details"` after the ids `after` that ends at `stops`, each a `str` or an id.
    #[pyo3(signature = (skip_special_tokens, output, stops=Vec::new(), after=Ids(Vec::new()), added_as_entries=false))]
    fn decode_stream(
        &self,
        py: Python<'_>,
        skip_special_tokens: bool,
        output: &str,
        stops: Vec<Py<PyAny>>,
        after: Ids,
        added_as_entries: bool,
    ) -> PyResult<DecodeStream> {
        let (output, has_positions) = match output {
            "bytes" => (StreamOutput::Bytes, false),
            other => (StreamOutput::Text, other == "details"),
        };
        let decoding = DecodeOptions { skip_special_tokens, added_as_entries };
        let settings = StreamSettings { output, decoding, has_positions, ..StreamSettings::default() };
        DecodeStream::new(py, &self.inner, settings, &stops, &after.0)
    }

    /// Returns the bytes of the token with an id, decoded alone.
    fn token_bytes(&self, py: Python<'_>, token: u32) -> PyResult<Py<PyBytes>> {
        let bytes = self.inner.token_bytes(token).map_err(to_py)?;
        Ok(PyBytes::new(py, &bytes).unbind())
    }

    /// Returns the bytes of a part of a word, decoded alone.
    fn text_bytes(&self, text: &Bound<'_, PyAny>) -> PyResult<Py<PyBytes>> {
        let (py, text) = (text.py(), string("text", text)?);
        let bytes = self.inner.text_bytes(text).map_err(to_py)?;
        Ok(PyBytes::new(py, &bytes).unbind())
    }

    /// Returns the stages of a text for the words that overlap with a range of its characters.
    ///
    /// The limits are characters to explain, characters of words with steps, and n-best.
    fn explain(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        options: &Options,
        span: (usize, usize),
        limits: (usize, usize, usize),
    ) -> PyResult<TextRow> {
        let (characters, step_characters, nbest) = limits;
        let text = PythonText::new("text", text)?;
        let explained = detach(py, || {
            let text = text.get()?;
            let limits = ExplainLimits { bytes: bytes_of(text, span), characters, step_characters, nbest };
            explain(self.call(options, true), text, limits)
        })?;
        explained.map_err(to_py)
    }

    /// Returns the merges by which a BPE model makes a token from characters; `None` for a single character.
    fn merges_of(&self, token: &Bound<'_, PyAny>) -> PyResult<Option<Vec<MergeStepRow>>> {
        let token = string("token", token)?;
        let merges = self.inner.model().as_bpe().and_then(|model| model.merges_of(token));
        Ok(merges.map(|merges| merges.into_iter().map(merge_step_row).collect()))
    }
}
