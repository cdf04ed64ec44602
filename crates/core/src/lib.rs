//! Subword tokenizers over byte slices, without Python, files, global state or threads.
//!
//! The modules follow the flow of a text:
//!
//! ```text
//! added tokens ─ normalize ─ pretokenize ─ model ─ postprocess ─ ids and spans ─ decode
//!                     └─ counts ─ model::*::train ┘
//! ```
//!
//! [`pipeline::Tokenizer`] contains all stages; [`mod@format`] reads and writes files as bytes.

pub mod added;
pub mod counts;
pub mod decode;
pub mod encoding;
pub mod error;
mod fast;
pub mod format;
mod hash;
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
