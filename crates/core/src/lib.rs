//! Subword tokenizers over byte slices: no Python, no files, no globals, no threads of its own.
//!
//! The modules follow the flow of a text:
//!
//! ```text
//! special ─ normalize ─ pretokenize ─ model ─ postprocess ─ ids and spans ─ decode
//!              └─ counts ─ model::*::train ┘
//! ```
//!
//! [`pipeline::Tokenizer`] ties them together; [`mod@format`] turns it into bytes and back.

pub mod added;
pub mod counts;
pub mod decode;
pub mod encoding;
pub mod error;
mod fast;
pub mod format;
mod lattice;
pub mod learn;
mod merge;
pub mod model;
pub mod normalize;
pub mod numbers;
pub mod pipeline;
pub mod postprocess;
pub mod pretokenize;
pub mod settings;
pub mod splitter;
pub mod text;
pub mod training;
pub mod vocab;

pub use error::{Error, Result};
