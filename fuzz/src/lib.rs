//! What the fuzz targets share: bytes to a trial, and tokenizers that are kept from trial to trial.
//!
//! The first [`HEADER`] bytes choose a tokenizer and the options of a call; the others are text. A worker's scratch is kept
//! with its tokenizer, so what one trial leaves in the caches is there for the next.

mod bpe;
pub mod recipe;
/// The list that the tests of the core go through, too.
#[path = "../../crates/core/tests/traps/mod.rs"]
pub mod traps;
mod unigram;

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::Debug;

use arbitrary::{Result, Unstructured};
use piecework_core::format::{JsonSettings, read_tokenizer_json};
use piecework_core::pipeline::{Options, Road, Scratch, Tokenizer};
use serde_json::Value;

/// The bytes of a trial that are no text.
pub const HEADER: usize = 16;
/// So many tokenizers there are: few enough to be kept, since making one takes as long as ten trials.
const TOKENIZERS: u16 = 4096;
/// A text that is repeated has no more bytes than that.
const LONG: usize = 1 << 15;

/// One trial.
#[derive(Debug)]
pub struct Trial {
    /// The number of the tokenizer.
    pub tokenizer: u16,
    /// What is asked of it, on the fast road.
    pub options: Options,
    /// How many characters the documents of a batch have.
    pub cut: usize,
    /// Which way the text is handed over.
    pub way: u8,
    /// The text.
    pub text: String,
}

impl Trial {
    /// What `data` says. Too few bytes are as good as zeros.
    pub fn new(data: &[u8]) -> Result<Self> {
        let (header, text) = data.split_at(HEADER.min(data.len()));
        let mut u = Unstructured::new(header);
        let style: u8 = u.arbitrary()?;
        let tokenizer = u.arbitrary::<u16>()? % TOKENIZERS;
        let (cut, way): (u8, u8) = (u.arbitrary()?, u.arbitrary()?);
        let options = recipe::options(&mut u)?;
        let mut text: String = match style % 2 {
            0 => String::from_utf8_lossy(text).into_owned(),
            _ => text.iter().map(|&byte| traps::TRAPS[usize::from(byte) % traps::TRAPS.len()]).collect(),
        };
        // Sums of 32 bits go on through a text, and round otherwise when it is long.
        if style / 2 % 8 == 7 {
            text = text.repeat(LONG / text.len().max(1));
        }
        Ok(Self { tokenizer, options, cut: usize::from(cut), way, text })
    }

    /// The options on another road.
    #[must_use]
    pub fn on(&self, road: Road) -> Options {
        Options { road, ..self.options.clone() }
    }

    /// The text in documents; 0 characters each are all of them.
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

    /// Calls `check` with the tokenizer and what it keeps between texts.
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

    /// Panics with all there is to know if the two differ.
    pub fn same<T: PartialEq + Debug>(&self, got: &T, wanted: &T, what: &str) {
        if got != wanted {
            let (kernel, pipeline) = pipeline(self.tokenizer);
            panic!("{what}: got {got:?}\nwanted {wanted:?}\nof {self:?}\nkernel {kernel}\n{pipeline}");
        }
    }
}

/// Bytes that differ for each number, and are the same each time.
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

/// A kernel and a tokenizer.json.
#[must_use]
pub fn pipeline(number: u16) -> (&'static str, Value) {
    let bytes = bytes(u64::from(number) << 8, 128);
    let pipeline = recipe::pipeline(&mut Unstructured::new(&bytes)).expect("bytes without an end are zeros");
    (recipe::KERNELS[usize::from(number) % recipe::KERNELS.len()], pipeline)
}

/// The tokenizer with that number: every recipe is one.
fn tokenizer(number: u16) -> Tokenizer {
    let (kernel, pipeline) = pipeline(number);
    let text = pipeline.to_string();
    let read = || read_tokenizer_json(text.as_bytes(), &JsonSettings::default()).expect(&text);
    read().with_kernel(kernel).unwrap_or_else(read)
}
