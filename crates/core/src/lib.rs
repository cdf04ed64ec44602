//! Subword tokenizers over byte slices: no Python, no files, no globals, no threads of its own.
//!
//! The rooms follow the flow of a text:
//!
//! ```text
//! special ─ normalize ─ pretokenize ─ model ─ postprocess ─ ids and spans ─ decode
//!              └─ counts ─ model::*::train ┘
//! ```
//!
//! [`pipeline::Tokenizer`] ties them together; [`mod@format`] turns it into bytes and back.

pub mod added;
mod bytes;
pub mod chance;
pub mod charset;
pub mod counts;
pub mod decode;
pub mod encoding;
pub mod error;
mod fast;
mod floats;
pub mod format;
pub mod grammar;
mod lattice;
pub mod learn;
mod logarithms;
mod merge;
pub mod model;
pub mod normalize;
pub mod pad;
pub mod pattern;
pub mod pipeline;
pub mod postprocess;
pub mod pretokenize;
pub mod settings;
pub mod span;
pub mod training;
mod trie;
pub mod truncate;
pub mod unicode;
pub mod vocab;
pub mod words;

pub use error::{Error, Result};
