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
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use piecework_core::counts::Counter;
//! use piecework_core::learn::Threads;
//! use piecework_core::model::{Trainer, wordpiece};
//! use piecework_core::pipeline::{Input, Options, Scratch};
//! use piecework_core::splitter::WordSplitter;
//! use piecework_core::training::{Execution, train};
//!
//! let splitter = WordSplitter::bert()?;
//! let mut counter = Counter::new(splitter.clone());
//! counter.add_text(0, "low lower newest lowest")?;
//! let trainer = Trainer::WordPiece(wordpiece::train::WordPieceTrainerConfig { vocab_size: 20, ..Default::default() });
//! let execution = Execution { threads: Threads::SINGLE, callback: &mut |_| ControlFlow::Continue(()) };
//! let tokenizer = train(&counter.finish()?, &splitter, &trainer, None, execution)?;
//!
//! let (options, mut scratch, mut ids) = (Options::default(), Scratch::default(), Vec::new());
//! tokenizer.encode_ids(Input::Text("lower"), None, &options, &mut scratch, &mut ids)?;
//! assert_eq!(tokenizer.decode(&ids, true)?, "lower");
//! # Ok::<(), piecework_core::Error>(())
//! ```

pub mod added;
pub mod counts;
pub mod decode;
pub mod documents;
pub mod encoding;
pub mod error;
mod fast;
pub mod format;
mod hash;
mod heap;
mod lattice;
pub mod learn;
pub mod memory;
mod merge;
pub mod model;
pub mod normalize;
pub mod numbers;
pub mod pipeline;
pub mod postprocess;
pub mod pretokenize;
pub mod settings;
pub mod splitter;
pub mod stop;
mod strings;
pub mod text;
pub mod training;
pub mod vocab;

pub use error::{Error, Result};
