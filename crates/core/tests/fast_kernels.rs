//! Runs every kernel of the fast path at every position of a block, and up to the end of a buffer.
//!
//! Texts also end directly before an unreadable page, so a kernel that reads too far crashes the test.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_imports,
    reason = "in a test a panic is the message, and its parts share what stands above them"
)]

#[expect(unreachable_pub, reason = "the fuzz targets use this list as well")]
mod hard_texts;

use piecework_core::format::{JsonSettings, read_tokenizer_json};
use piecework_core::pipeline::{EncodingPath, Input, Options, Scratch, Tokenizer};
use piecework_core::text::grammar::Grammar;
use serde_json::{Value, json};

const KERNELS: [&str; 5] = ["scalar", "AVX-512 emulated", "SSSE3", "AVX2", "AVX-512"];

/// Returns whether the machine can run a kernel, independently of the core's own detection.
fn runs(kernel: &str) -> bool {
    #[cfg(target_arch = "x86_64")]
    match kernel {
        "SSSE3" => return is_x86_feature_detected!("ssse3"),
        "AVX2" => return is_x86_feature_detected!("avx2"),
        "AVX-512" => return is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vbmi"),
        _ => {}
    }
    kernel == "scalar" || (kernel == "AVX-512 emulated" && cfg!(debug_assertions))
}

fn bert(clean_text: bool, handle_chinese_chars: bool, lowercase: bool) -> Value {
    json!({
        "type": "BertNormalizer", "clean_text": clean_text, "handle_chinese_chars": handle_chinese_chars,
        "strip_accents": null, "lowercase": lowercase,
    })
}

/// Returns pipelines that classify ASCII characters differently.
fn pipelines() -> Vec<Value> {
    let nfd = json!({
        "type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}, {"type": "Lowercase"}],
    });
    let clip = json!({"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]});
    let grammar = |grammar: Grammar, behavior, invert| {
        let pattern = json!({"Regex": grammar.pattern()});
        json!({"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert})
    };
    let two_patterns = json!({"type": "Sequence", "pretokenizers": [
        grammar(Grammar::O200K, "Isolated", false),
        grammar(Grammar::GPT2, "Isolated", false),
        json!({"type": "Punctuation", "behavior": "Removed"}),
    ]});
    let stages = [
        (bert(true, true, true), json!({"type": "BertPreTokenizer"})),
        (bert(false, false, false), json!({"type": "Whitespace"})),
        (nfd, json!({"type": "WhitespaceSplit"})),
        (Value::Null, grammar(Grammar::GPT2, "Isolated", false)),
        (Value::Null, grammar(Grammar::CL100K, "Isolated", false)),
        (Value::Null, grammar(Grammar::O200K, "Isolated", false)),
        (Value::Null, two_patterns),
        (Value::Null, grammar(Grammar::CLIP, "Removed", true)),
        (clip, grammar(Grammar::CLIP, "Removed", true)),
    ];
    let pieces = ["a", "b", "x", "é", "e", "中", "!", "1", "un", "able", "hello", "i", "\u{301}", "σ", "\u{AC00}"];
    let entries = ["[UNK]".to_owned()].into_iter().chain(pieces.iter().flat_map(|piece| {
        let continued = format!("##{piece}");
        [(*piece).to_owned(), continued]
    }));
    let vocab: Value = entries.enumerate().map(|(id, entry)| (entry, json!(id))).collect();
    let pipeline = |(normalizer, pre_tokenizer): (Value, Value)| {
        json!({
            "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer, "post_processor": null, "decoder": null,
            "model": {
                "type": "WordPiece", "vocab": vocab, "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
            },
        })
    };
    stages.map(pipeline).into_iter().chain([byte_fallback()]).collect()
}

/// Returns a pipeline that encodes a text as one word, by a BPE model with byte fallback.
fn byte_fallback() -> Value {
    let letters = "▁abehilnoux1é中a\u{301}σ\u{AC00}![-".chars().map(String::from);
    let merges = ["▁ a", "▁ ▁", "h e", "l l", "he ll", "hell o", "é é", "中 a", "1 1", "a !", "! ▁", "\u{AC00} 中"];
    let made = merges.map(|merge| merge.replace(' ', ""));
    let bytes = (0..=255).map(|byte: u8| format!("<0x{byte:02X}>"));
    let entries = ["<unk>".to_owned()].into_iter().chain(bytes).chain(letters).chain(made);
    let mut vocab = serde_json::Map::new();
    for entry in entries {
        let id = vocab.len();
        vocab.entry(entry).or_insert(json!(id));
    }
    let spaces = json!({"type": "Replace", "pattern": {"String": " "}, "content": "▁"});
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, spaces]},
        "pre_tokenizer": null, "post_processor": null, "decoder": null,
        "model": {
            "type": "BPE", "dropout": null, "unk_token": "<unk>", "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": true, "byte_fallback": true, "ignore_merges": false,
            "vocab": vocab, "merges": merges,
        },
    })
}

/// A pipeline with each kernel that runs here, and a scratch for each.
struct KernelTrials(Vec<(&'static str, Tokenizer, Scratch)>);

impl KernelTrials {
    fn new(pipeline: &Value) -> Self {
        let read = || read_tokenizer_json(pipeline.to_string().as_bytes(), &JsonSettings::default()).unwrap();
        let with = |kernel| Some((kernel, read().with_kernel(kernel)?, Scratch::default()));
        let tried: Vec<_> = KERNELS.into_iter().filter_map(with).collect();
        let found: Vec<_> = tried.iter().map(|(kernel, ..)| *kernel).collect();
        assert_eq!(found, KERNELS.into_iter().filter(|kernel| runs(kernel)).collect::<Vec<_>>());
        assert!(tried.iter().all(|(kernel, tokenizer, _)| tokenizer.fast_path_kernel() == Ok(*kernel)));
        Self(tried)
    }

    fn all() -> Vec<Self> {
        pipelines().iter().map(Self::new).collect()
    }

    /// Compares the paths; `place` puts a text where a kernel may read too far.
    fn check(&mut self, text: &str, mut place: impl FnMut(&str, &mut dyn FnMut(&str))) {
        let general = Options { path: EncodingPath::Generic, ..Options::default() };
        let (_, tokenizer, scratch) = &mut self.0[0];
        let plain = tokenizer.encode(Input::Text(text), None, &general, scratch).unwrap();
        for (kernel, tokenizer, scratch) in &mut self.0 {
            // The first pass fills the cache; the second one finds chunks there, and compares their keys byte by byte.
            for path in [EncodingPath::Fast, EncodingPath::Fast, EncodingPath::Uncached] {
                let options = Options { path, ..Options::default() };
                place(text, &mut |text| {
                    let mut ids = Vec::new();
                    tokenizer.encode_ids(Input::Text(text), None, &options, scratch, &mut ids).unwrap();
                    assert_eq!(ids, plain.ids, "{kernel} {path:?} {text:?}");
                });
            }
            place(text, &mut |text| {
                let whole = tokenizer.encode(Input::Text(text), None, &Options::default(), scratch).unwrap();
                assert_eq!(whole, plain, "{kernel} {text:?}");
            });
        }
    }
}

/// Returns the last `length` bytes of repetitions of `unit`; letters replace the bytes of a cut character.
fn ending(unit: &str, length: usize) -> String {
    let whole = unit.repeat(length / unit.len() + 1);
    let start = (whole.len() - length..).find(|&start| whole.is_char_boundary(start)).unwrap();
    let text = &whole[start..];
    "x".repeat(length - text.len()) + text
}

const UNITS: [&str; 8] = [
    "a",
    " ",
    "!",
    "unable hello, ",
    "it's [a-b]  1.5\t",
    "é",
    "中 a\u{301}\u{323}b\u{AC00}\u{3000}",
    "hello\u{0}\u{200B}x \u{85}😀",
];

/// Returns every hard text after 0 to 64 bytes of other text.
fn shifted() -> impl Iterator<Item = String> {
    let units = hard_texts::HARD_TEXTS.iter().flat_map(|hard| ["a", " ", "é!"].map(|unit| (hard, unit)));
    units.flat_map(|(hard, unit)| (0..=64).map(move |shift| ending(unit, shift) + hard))
}

#[test]
fn every_kernel_encodes_hard_texts_at_every_position() {
    let mut tried = KernelTrials::all();
    for text in shifted() {
        let text = text + "b" + &ending("a b!", 66);
        tried.iter_mut().for_each(|tried| tried.check(&text, |text, each| each(text)));
    }
}

#[test]
fn every_kernel_encodes_every_slice_of_the_hard_texts() {
    let all = hard_texts::HARD_TEXTS.concat() + &hard_texts::HARD_TEXTS.join(" ");
    let slices = all.char_indices().take(200).map(|(start, _)| &all[start..]);
    let mut tried = KernelTrials::all();
    for text in slices {
        tried.iter_mut().for_each(|tried| tried.check(text, |text, each| each(text)));
    }
}

#[test]
fn every_kernel_encodes_long_runs() {
    let mut tried = KernelTrials::all();
    for run in &hard_texts::runs() {
        tried.iter_mut().for_each(|tried| tried.check(run, |text, each| each(text)));
    }
}

/// Texts directly before and after unreadable pages.
#[cfg(unix)]
mod guarded {
    #![allow(unsafe_code, reason = "only the system provides an unreadable page")]

    use super::*;

    /// Readable and writable pages between two unreadable ones.
    struct Guarded {
        start: *mut u8,
        page: usize,
    }

    /// The number of pages between the unreadable ones; no text here is longer.
    const PAGES: usize = 2;

    impl Guarded {
        fn new() -> Self {
            // SAFETY: the call only returns a number.
            let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap();
            let (size, flags) = ((PAGES + 2) * page, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            // SAFETY: this maps new memory at an address that the system chooses.
            let map = unsafe { libc::mmap(std::ptr::null_mut(), size, libc::PROT_NONE, flags, -1, 0) };
            assert_ne!(map, libc::MAP_FAILED);
            // SAFETY: the second page is within the mapping.
            let start = unsafe { map.cast::<u8>().add(page) };
            // SAFETY: the pages between the first and the last are within the mapping; nothing else refers to them.
            assert_eq!(unsafe { libc::mprotect(start.cast(), PAGES * page, libc::PROT_READ | libc::PROT_WRITE) }, 0);
            Self { start, page }
        }

        /// Calls `each` with the text directly before an unreadable page, then directly after one.
        fn place(&mut self, text: &str, each: &mut dyn FnMut(&str)) {
            let capacity = PAGES * self.page;
            assert!(text.len() <= capacity);
            // SAFETY: these bytes were mapped for reading and writing, hold zeros or older text, and are borrowed with `self`.
            let bytes = unsafe { std::slice::from_raw_parts_mut(self.start, capacity) };
            for start in [capacity - text.len(), 0] {
                let place = &mut bytes[start..][..text.len()];
                place.copy_from_slice(text.as_bytes());
                each(std::str::from_utf8(place).unwrap());
            }
        }
    }

    impl Drop for Guarded {
        fn drop(&mut self) {
            // SAFETY: this is the start of the mapping, and nothing borrows from it any more.
            let map = unsafe { self.start.sub(self.page) };
            // SAFETY: the range is the whole mapping.
            unsafe { libc::munmap(map.cast(), (PAGES + 2) * self.page) };
        }
    }

    #[test]
    fn no_kernel_reads_beyond_a_text_of_any_length() {
        let (mut tried, mut pages) = (KernelTrials::all(), Guarded::new());
        for (unit, length) in UNITS.iter().flat_map(|unit| (0..=200).map(move |length| (unit, length))) {
            let text = ending(unit, length);
            assert_eq!(text.len(), length);
            tried.iter_mut().for_each(|tried| tried.check(&text, |text, each| pages.place(text, each)));
        }
    }

    #[test]
    fn no_kernel_reads_beyond_a_hard_text() {
        let (mut tried, mut pages) = (KernelTrials::all(), Guarded::new());
        for text in shifted() {
            tried.iter_mut().for_each(|tried| tried.check(&text, |text, each| pages.place(text, each)));
        }
    }
}
