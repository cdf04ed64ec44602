//! File formats: bytes to parts of a tokenizer and back. No other module knows a file format.
//!
//! What a format cannot hold is an error or is reported, never dropped silently.

mod counts_file;
mod encodings;
mod file_sizes;
mod fingerprint;
mod json;
mod lines;
mod members;
mod merged;
mod merges_txt;
mod registry;
mod sentencepiece;
mod subword_nmt;
mod tiktoken;
mod tokenizer_json;
mod vocab_txt;

pub use counts_file::{CountsReader, CountsSummary, read_counts, write_buckets, write_counts, write_sorted_counts};
pub use encodings::{ENCODINGS, NamedEncoding, named_encoding};
pub use file_sizes::{FileSizes, file_sizes};
pub use fingerprint::{fingerprint, splitter_fingerprint};
pub use members::Kinds;
pub use merges_txt::{read_clip, read_merges, write_clip, write_merges_txt, write_vocab_json};
pub use registry::{FORMATS, FileFormat, Files, detect_format, format_named};
pub use sentencepiece::{read_sentencepiece, write_sentencepiece};
pub use subword_nmt::{Filter, read_subword_nmt, write_subword_nmt};
pub use tiktoken::{TiktokenSettings, read_tiktoken, write_tiktoken};
pub use tokenizer_json::{
    AddedIdSource, JsonSettings, component_members, has_nearest_splitter, read_decoder, read_edited_json, read_padding,
    read_splitter, read_text_splitter, read_tokenizer_json, read_trainer, read_truncation, with_parts, write_decoder,
    write_model, write_own_json, write_parts, write_saved_json, write_splitter, write_text_splitter,
    write_tokenizer_json, write_trainer,
};
pub use vocab_txt::{VocabSettings, read_vocab_txt, write_vocab_txt};
