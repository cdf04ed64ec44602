//! Shared parts of the fuzz targets: trials made of bytes, and tokenizers that are reused between trials.
//!
//! The first [`HEADER`] bytes choose a tokenizer and the options of a call; the others are text. A tokenizer keeps its
//! scratch, so a trial finds the caches that earlier ones filled.

pub mod added;
mod bpe;
#[path = "../../crates/core/tests/decoders/mod.rs"]
mod decoders;
pub mod decoding;
pub mod files;
/// The list of hard texts of the core's tests.
#[path = "../../crates/core/tests/hard_texts/mod.rs"]
pub mod hard_texts;
pub mod models;
#[path = "../../crates/core/tests/random/mod.rs"]
mod random;
pub mod reading;
pub mod recipe;
mod unigram;
pub mod unigram_scores;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Debug;

use arbitrary::{Result, Unstructured};
use piecework_core::format::{JsonSettings, read_tokenizer_json};
use piecework_core::pipeline::{EncodingPath, Options, Scratch, Tokenizer};
use serde_json::Value;

/// The number of bytes of a trial before its text.
pub const HEADER: usize = 16;
/// The number of tokenizers: few enough to be reused, since making one takes as long as ten trials.
const TOKENIZERS: u16 = 4096;
/// The maximum length of a repeated text in bytes.
const LONG: usize = 1 << 15;

/// One trial.
#[derive(Debug)]
pub struct Trial {
    /// The number of the tokenizer.
    pub tokenizer: u16,
    /// The options of the call, with the fast path.
    pub options: Options,
    /// The length of the documents of a batch in characters; 0 makes one document.
    pub cut: usize,
    /// Bits that choose the form of input, the order of documents, and more.
    pub way: u8,
    /// The text.
    pub text: String,
}

impl Trial {
    /// Returns the trial that `data` encodes. Missing bytes are read as zeros.
    pub fn new(data: &[u8]) -> Result<Self> {
        let (header, text) = data.split_at(HEADER.min(data.len()));
        let mut u = Unstructured::new(header);
        let style: u8 = u.arbitrary()?;
        let tokenizer = u.arbitrary::<u16>()? % TOKENIZERS;
        let (cut, way): (u8, u8) = (u.arbitrary()?, u.arbitrary()?);
        let options = recipe::options(&mut u)?;
        let mut text: String = match style % 2 {
            0 => String::from_utf8_lossy(text).into_owned(),
            _ => text
                .iter()
                .map(|&byte| hard_texts::HARD_TEXTS[usize::from(byte) % hard_texts::HARD_TEXTS.len()])
                .collect(),
        };
        // Running scores of 32 bits accumulate over a text, and round differently in a long one.
        if style / 2 % 8 == 7 {
            text = text.repeat(LONG / text.len().max(1));
        }
        Ok(Self { tokenizer, options, cut: usize::from(cut), way, text })
    }

    /// Returns the options with another path.
    #[must_use]
    pub fn on(&self, path: EncodingPath) -> Options {
        Options { path, ..self.options.clone() }
    }

    /// Returns the text in documents of [`Self::cut`] characters; 0 makes one document.
    #[must_use]
    pub fn documents(&self) -> Vec<&str> {
        let mut documents = Vec::new();
        let mut rest = self.text.as_str();
        while !rest.is_empty() {
            let end = if self.cut == 0 { None } else { rest.char_indices().nth(self.cut) };
            let (document, next) = rest.split_at(end.map_or(rest.len(), |(end, _)| end));
            documents.push(document);
            rest = next;
        }
        documents
    }

    /// Calls `check` with the tokenizer and its scratch, which is kept between trials.
    pub fn run(&self, check: impl FnOnce(&Tokenizer, &mut Scratch)) {
        thread_local! {
            static KEPT: RefCell<HashMap<u16, (Tokenizer, Scratch)>> = RefCell::default();
        }
        KEPT.with_borrow_mut(|kept| {
            let made = || (tokenizer(self.tokenizer), Scratch::default());
            let (tokenizer, scratch) = kept.entry(self.tokenizer).or_insert_with(made);
            check(tokenizer, scratch);
        });
    }

    /// Panics with a full description if the two differ.
    pub fn same<T: PartialEq + Debug>(&self, got: &T, wanted: &T, what: &str) {
        if got != wanted {
            let (kernel, pipeline) = pipeline(self.tokenizer);
            panic!("{what}: got {got:?}\nwanted {wanted:?}\nof {self:?}\nkernel {kernel}\n{pipeline}");
        }
    }
}

/// Returns the bytes before the first byte of 0, and those after it.
#[must_use]
pub fn parts(data: &[u8]) -> [&[u8]; 2] {
    let end = data.iter().position(|&byte| byte == 0);
    end.map_or([data, b""], |end| [&data[..end], &data[end + 1..]])
}

/// Returns pseudo-random bytes that depend on `number` alone.
#[must_use]
pub fn bytes(number: u64, count: usize) -> Vec<u8> {
    let mut state = number;
    let byte = |_| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB).to_be_bytes()[0]
    };
    (0..count).map(byte).collect()
}

/// Returns a kernel and a tokenizer.json.
#[must_use]
pub fn pipeline(number: u16) -> (&'static str, Value) {
    let bytes = bytes(u64::from(number) << 8, 128);
    let pipeline = any_pipeline(&mut Unstructured::new(&bytes)).expect("bytes without an end are zeros");
    (recipe::KERNELS[usize::from(number) % recipe::KERNELS.len()], pipeline)
}

/// Returns a tokenizer.json with any model.
fn any_pipeline(u: &mut Unstructured<'_>) -> Result<Value> {
    match recipe::below(u, 3)? {
        0 => unigram::pipeline(u),
        1 => bpe::pipeline(u),
        _ => recipe::pipeline(u),
    }
}

/// Returns the tokenizer with this number; every recipe makes a valid one.
fn tokenizer(number: u16) -> Tokenizer {
    let (kernel, pipeline) = pipeline(number);
    let text = pipeline.to_string();
    let read = || read_tokenizer_json(text.as_bytes(), &JsonSettings::default()).expect(&text);
    read().with_kernel(kernel).unwrap_or_else(read)
}
