//! Bytes to parts and back. Nothing outside this room knows a file format.
//!
//! What a format cannot hold is an error or is handed back as a note, never dropped in silence.

mod added_tokens;
mod bpe;
mod bpe_trainer;
mod components;
mod counts_file;
mod decoders;
mod encodings;
mod json;
mod limits;
mod lines;
mod merged;
mod merges_txt;
mod models;
mod normalizers;
mod patterns;
mod post_processors;
mod pre_tokenizers;
mod scores;
mod sentencepiece;
mod subword_nmt;
mod tiktoken;
mod tokenizer_json;
mod trainer;
mod training;
mod unigram;
mod unigram_trainer;
mod vocab_txt;

pub use components::{read_splitter, write_splitter};
pub use counts_file::{read_counts, write_counts};
pub use decoders::{read_decoder, write_decoder};
pub use encodings::{ENCODINGS, Encoding, named_encoding};
pub use limits::{read_padding, read_truncation, write_padding, write_truncation};
pub use merges_txt::{read_clip, read_merges, write_clip, write_merges_txt, write_vocab_json};
pub use models::write_model;
pub use sentencepiece::{read_sentencepiece, write_sentencepiece};
pub use subword_nmt::{Filter, read_subword_nmt, write_subword_nmt};
pub use tiktoken::{TiktokenSettings, read_tiktoken, write_tiktoken};
pub use tokenizer_json::{JsonSettings, read_tokenizer_json, with_parts, write_parts, write_tokenizer_json};
pub use trainer::{read_trainer, write_trainer};
pub use vocab_txt::{VocabSettings, read_vocab_txt, write_vocab_txt};
