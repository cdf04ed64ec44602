//! The compiled module `piecework._core`: converts, releases the GIL, calls the core, converts.
//!
//! This crate contains no algorithm. It reads files and owns the threads, which end with the call, so a fork never
//! inherits one.

#![allow(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over as values")]

mod aligned;
mod arguments;
mod arrow;
mod batch;
mod blocks;
mod call;
mod capsules;
mod char_map;
mod charset;
mod columns;
mod copies;
mod counts;
mod counts_files;
mod decode_batch;
mod documents;
mod encode;
mod encode_list;
mod encode_one;
mod encoded;
mod encoding;
mod encoding_changes;
mod encoding_state;
mod errors;
mod explain;
mod file;
mod formats;
mod functions;
mod input;
mod lists;
mod measures;
mod memory;
mod model_settings;
mod options;
mod scratch_pool;
mod stream;
mod temporary;
mod text;
mod threads;
mod tokenizer;
mod trace;
mod train;
mod tuples;
mod utf8;
mod word_characters;

use pyo3::prelude::*;

/// The compiled core of piecework.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    memory::reserve()?;
    module.add_class::<tokenizer::Tokenizer>()?;
    module.add_class::<options::Options>()?;
    module.add_class::<stream::DecodeStream>()?;
    module.add_class::<stream::StreamPieces>()?;
    module.add_class::<text::TextStages>()?;
    module.add_class::<encoding::Encoding>()?;
    module.add_class::<encoding::Overflowing>()?;
    encoding::Overflowing::register(module.py())?;
    module.add_class::<batch::Batch>()?;
    module.add_class::<arrow::ArrowTexts>()?;
    module.add_class::<documents::DocumentReader>()?;
    module.add_class::<documents::LineFault>()?;
    module.add_class::<documents::ParsedDocuments>()?;
    module.add_class::<documents::TextArray>()?;
    module.add_class::<measures::TextMeasures>()?;
    module.add_class::<counts::WordCounts>()?;
    module.add_class::<counts::WordCounter>()?;
    module.add_class::<word_characters::WordCharacters>()?;
    module.add_function(wrap_pyfunction!(counts_files::merge_counts, module)?)?;
    module.add_function(wrap_pyfunction!(train::train, module)?)?;
    module.add_function(wrap_pyfunction!(train::check_trainer, module)?)?;
    module.add_function(wrap_pyfunction!(trace::train_traced, module)?)?;
    module.add_function(wrap_pyfunction!(trace::pair_scores, module)?)?;
    module.add_function(wrap_pyfunction!(train::extend, module)?)?;
    module.add_function(wrap_pyfunction!(train::count_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(formats::file_formats, module)?)?;
    module.add_function(wrap_pyfunction!(formats::component_members, module)?)?;
    module.add_function(wrap_pyfunction!(formats::detect_format, module)?)?;
    module.add_function(wrap_pyfunction!(formats::file_sizes, module)?)?;
    module.add_function(wrap_pyfunction!(formats::read_format, module)?)?;
    module.add_function(wrap_pyfunction!(formats::write_format, module)?)?;
    module.add_function(wrap_pyfunction!(formats::from_tiktoken, module)?)?;
    module.add_function(wrap_pyfunction!(formats::from_merges, module)?)?;
    module.add_function(wrap_pyfunction!(formats::first_gap, module)?)?;
    module.add_function(wrap_pyfunction!(formats::from_subword_nmt, module)?)?;
    module.add_function(wrap_pyfunction!(formats::splitter_fingerprint, module)?)?;
    module.add_function(wrap_pyfunction!(formats::encoding_names, module)?)?;
    module.add_function(wrap_pyfunction!(formats::encoding_named, module)?)?;
    module.add_function(wrap_pyfunction!(text::decode_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(text::charsmap_named, module)?)?;
    module.add_function(wrap_pyfunction!(text::charsmap_of, module)?)?;
    module.add_function(wrap_pyfunction!(charset::detect_encoding, module)?)?;
    Ok(())
}
