//! Properties that hold for all pipelines, on random small pipelines and random text.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "in a test a panic is the message, and its numbers are small"
)]

mod random;

use piecework_core::added::{SpecialsPolicy, TextTokens};
use piecework_core::encoding::pad::Padding;
use piecework_core::encoding::truncate::{Truncation, TruncationStrategy};
use piecework_core::encoding::{Direction, Encoding, NONE, NamedToken};
use piecework_core::format::{JsonSettings, read_tokenizer_json, write_tokenizer_json};
use piecework_core::pipeline::{EncodingPath, Input, Options, Scratch, Tokenizer};
use piecework_core::text::span::Span;
use random::Random;
use serde_json::{Value, json};

impl Random {
    /// Returns null, one value of `one`, or several combined by `sequence`.
    fn some(&mut self, one: impl Fn(&mut Self) -> Value, sequence: impl Fn(Vec<Value>) -> Value) -> Value {
        match self.below(4) {
            0 => Value::Null,
            1 => sequence((0..self.below(4)).map(|_| one(self)).collect()),
            _ => one(self),
        }
    }
}

// Pipelines

const ENTRIES: [&str; 24] = [
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[PAD]",
    "a",
    "##a",
    "b",
    "##b",
    "ab",
    "##ab",
    "é",
    "##é",
    "e",
    "##\u{301}",
    "中",
    "##文",
    "_",
    "##_",
    "▁",
    "##Ġ",
    "Ġ",
    "##a_",
    "1",
    "!",
];
const PIECES: [&str; 30] = [
    "a", "b", "ab", "A", "B", "é", "e\u{301}", "İ", "中", "文", " ", "  ", "\t", "\u{3000}", "_", "▁", "1", "!", "-",
    "ﬁ", "\u{200b}", "\u{301}", "😀", "[SEP]", "[CLS]", "[X]", "Ab", " ab ", "[", "\0",
];

fn text(random: &mut Random) -> String {
    (0..random.below(9)).map(|_| random.pick(&PIECES)).collect()
}

fn normalizer(random: &mut Random) -> Value {
    let one = |random: &mut Random| {
        let (one, other) = (random.flag(), random.flag());
        let bert = json!({
            "type": "BertNormalizer", "clean_text": one, "handle_chinese_chars": other,
            "strip_accents": random.pick(&[None, Some(true), Some(false)]), "lowercase": random.flag(),
        });
        let pattern = random.pick(&[json!({"String": "a"}), json!({"Regex": "[b-é]+"}), json!({"Regex": "x*"})]);
        let all = [
            bert,
            json!({"type": random.pick(&["NFC", "NFD", "NFKC", "NFKD", "Nmt", "Lowercase", "StripAccents"])}),
            json!({"type": "ByteLevel"}),
            json!({"type": "Strip", "strip_left": one, "strip_right": other}),
            json!({"type": "Replace", "pattern": pattern, "content": random.pick(&["", "_", "ab"])}),
            json!({"type": "Prepend", "prepend": random.pick(&["", "_", "ab"])}),
        ];
        random.pick(&all)
    };
    random.some(one, |steps| json!({"type": "Sequence", "normalizers": steps}))
}

fn pre_tokenizer(random: &mut Random) -> Value {
    let one = |random: &mut Random| {
        let (one, other) = (random.flag(), random.flag());
        let behaviors = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"];
        let behavior = random.pick(&behaviors);
        let pattern = random.pick(&[json!({"String": "a"}), json!({"Regex": "[a-z]+|\\s"}), json!({"Regex": "(?=b)"})]);
        let scheme = random.pick(&["always", "first", "never"]);
        let all = [
            json!({"type": random.pick(&["BertPreTokenizer", "Whitespace", "WhitespaceSplit", "UnicodeScripts"])}),
            json!({"type": "Punctuation", "behavior": behavior}),
            json!({"type": "Digits", "individual_digits": one}),
            json!({"type": "CharDelimiterSplit", "delimiter": "a"}),
            json!({"type": "Split", "pattern": pattern, "behavior": behavior, "invert": one}),
            json!({"type": "ByteLevel", "add_prefix_space": one, "trim_offsets": true, "use_regex": other}),
            json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": one}),
            json!({"type": "FixedLength", "length": 1 + random.below(3)}),
            json!({"type": "piecework.Dictionary", "phrases": ["a b", "ab", "中"], "single_word": one}),
        ];
        random.pick(&all)
    };
    random.some(one, |steps| json!({"type": "Sequence", "pretokenizers": steps}))
}

fn post_processor(random: &mut Random) -> Value {
    let one = |random: &mut Random| {
        let (one, other) = (random.flag(), random.flag());
        let (cls, sep) = (json!(["[CLS]", 1]), json!(["[SEP]", 2]));
        let special = |id| json!({"SpecialToken": {"id": id, "type_id": 0}});
        let sequence = |id, type_id| json!({"Sequence": {"id": id, "type_id": type_id}});
        let single = [special("[CLS]"), sequence("A", 0), special("[SEP]"), sequence("A", 1)];
        let pair = [sequence("B", 2), special("[SEP]"), sequence("A", 1), sequence("B", 0)];
        let (first, last) = (random.below(5), random.below(5));
        let all = [
            json!({"type": "BertProcessing", "sep": sep, "cls": cls}),
            json!({
                "type": "RobertaProcessing", "sep": sep, "cls": cls, "trim_offsets": one, "add_prefix_space": other,
            }),
            json!({"type": "ByteLevel", "add_prefix_space": one, "trim_offsets": other, "use_regex": true}),
            json!({
                "type": "TemplateProcessing", "single": single[..first], "pair": pair[..last],
                "special_tokens": {
                    "[CLS]": {"id": "[CLS]", "ids": [1, 3], "tokens": ["[CLS]", "[PAD]"]},
                    "[SEP]": {"id": "[SEP]", "ids": [2], "tokens": ["[SEP]"]},
                },
            }),
        ];
        random.pick(&all)
    };
    random.some(one, |steps| json!({"type": "Sequence", "processors": steps}))
}

fn added_tokens(random: &mut Random) -> Value {
    let mut tokens = Vec::new();
    let mut next = ENTRIES.len();
    for content in ["[CLS]", "[SEP]", "[X]", "Ab", " b", "é"] {
        if random.below(3) == 0 {
            continue;
        }
        let id = ENTRIES.iter().position(|&entry| entry == content).unwrap_or(next);
        next += usize::from(id == next);
        tokens.push(json!({
            "id": id, "content": content, "single_word": random.below(4) == 0, "lstrip": random.below(4) == 0,
            "rstrip": random.below(4) == 0, "normalized": random.below(3) == 0, "special": random.flag(),
        }));
    }
    json!(tokens)
}

fn pipeline(random: &mut Random) -> Value {
    let vocab: Value = ENTRIES.iter().enumerate().map(|(id, entry)| ((*entry).to_owned(), json!(id))).collect();
    let model = if random.below(4) == 0 {
        json!({"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"})
    } else {
        json!({
            "type": "WordPiece", "vocab": vocab, "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": random.pick(&[3, 100]),
        })
    };
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": added_tokens(random),
        "normalizer": normalizer(random), "pre_tokenizer": pre_tokenizer(random),
        "post_processor": post_processor(random), "decoder": null, "model": model,
    })
}

// Calls

fn truncation(random: &mut Random) -> Truncation {
    Truncation {
        max_length: random.below(9),
        stride: random.below(3),
        strategy: random.pick(&[
            TruncationStrategy::LongestFirst,
            TruncationStrategy::OnlyFirst,
            TruncationStrategy::OnlySecond,
        ]),
        direction: random.pick(&[Direction::Left, Direction::Right]),
    }
}

fn padding(random: &mut Random) -> Padding {
    Padding {
        length: random.flag().then(|| random.below(9)),
        pad_to_multiple_of: random.flag().then(|| random.below(5)),
        direction: random.pick(&[Direction::Left, Direction::Right]),
        token: NamedToken::new("[PAD]", 3),
        type_id: 0,
    }
}

fn options(random: &mut Random) -> Options {
    Options {
        add_special_tokens: random.flag(),
        specials: random.pick(&[
            SpecialsPolicy::Match,
            SpecialsPolicy::Match,
            SpecialsPolicy::Text(TextTokens::Special),
            SpecialsPolicy::Unmatched,
            SpecialsPolicy::Error(TextTokens::Special),
            SpecialsPolicy::Text(TextTokens::Untrusted),
            SpecialsPolicy::Error(TextTokens::Untrusted),
            SpecialsPolicy::Allowed(TextTokens::Untrusted, Vec::new()),
        ]),
        truncation: random.flag().then(|| truncation(random)),
        padding: None,
        overflow: true,
        path: random.pick(&[EncodingPath::Fast, EncodingPath::Uncached]),
        ..Options::default()
    }
}

/// A text in one of the forms of input.
struct RandomInput {
    text: String,
    words: Vec<String>,
    segments: Vec<(usize, bool)>,
    way: usize,
}

impl RandomInput {
    fn new(random: &mut Random) -> Self {
        let words: Vec<String> = (0..random.below(4)).map(|_| text(random)).collect();
        let mut end = 0;
        let segments = words.iter().map(|word| {
            end += word.len();
            (end, random.flag())
        });
        let segments = segments.collect();
        Self { text: words.concat(), words, segments, way: random.below(3) }
    }

    fn with(&self, use_it: impl FnOnce(Input<'_>)) {
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        use_it(match self.way {
            0 => Input::Text(&self.text),
            1 => Input::Words(&words),
            _ => Input::Segments(&self.text, &self.segments),
        });
    }
}

// Properties

/// Checks that all columns have one length, and that spans begin and end between characters of their text.
fn check_columns(encoding: &Encoding, inputs: [Input<'_>; 2]) {
    let length = encoding.len();
    let columns = [&encoding.word_ids, &encoding.type_ids, &encoding.texts, &encoding.attention_mask];
    assert!(columns.iter().all(|column| column.len() == length));
    assert_eq!((encoding.special_tokens_mask.len(), encoding.spans.len()), (length, length));
    assert!(encoding.renamed.is_sorted() && encoding.renamed.iter().all(|(place, _)| *place < length));
    assert!(encoding.sequences.iter().all(|(_, range)| range.start <= range.end && range.end <= length));
    for place in 0..length {
        let text = match (encoding.texts[place], encoding.word_ids[place]) {
            (NONE, _) => "",
            (text, word) => match inputs[text as usize] {
                Input::Text(text) | Input::Segments(text, _) | Input::Trusted(text, _) => text,
                Input::Words(words) => words[word as usize],
            },
        };
        assert!(text.get(encoding.spans[place].range()).is_some(), "{:?} of {text:?}", encoding.spans[place]);
    }
    encoding.overflowing.iter().for_each(|part| check_columns(part, inputs));
}

/// Checks that ids alone equal those of the encoding, in number too, and fail when it fails.
fn check_ids(
    tokenizer: &Tokenizer,
    (text, pair): (Input<'_>, Option<Input<'_>>),
    options: &Options,
    kept: &mut Scratch,
) {
    let plain = Options { path: EncodingPath::Generic, ..options.clone() };
    let full = tokenizer.encode(text, pair, &plain, &mut Scratch::default());
    let mut ids = Vec::new();
    let alone = tokenizer.encode_ids(text, pair, options, kept, &mut ids);
    assert_eq!(alone.map(|()| &ids), full.as_ref().map(|encoding| &encoding.ids).map_err(Clone::clone));
    assert_eq!(tokenizer.encode(text, pair, options, kept), full, "what was encoded before changes nothing");
    let Ok(full) = full else { return };
    check_columns(&full, [text, pair.unwrap_or(Input::Text(""))]);
    if let (Input::Text(text), None, None) = (text, pair, &options.truncation) {
        assert_eq!(tokenizer.count(text, options, kept), Ok(ids.len()));
    }
}

/// Checks that padding only adds padding.
fn check_padding(tokenizer: &Tokenizer, text: Input<'_>, options: &Options, padding: &Padding) {
    let scratch = &mut Scratch::default();
    let Ok(bare) = tokenizer.encode(text, None, options, scratch) else { return };
    let padded = Options { padding: Some(padding.clone()), ..options.clone() };
    let padded = tokenizer.encode(text, None, &padded, scratch).unwrap();
    assert_eq!(Ok(&padded.ids), padding.padded_ids(&bare.ids).as_ref());
    let real = (0..padded.len()).filter(|&place| padded.attention_mask[place] == 1).map(|place| padded.ids[place]);
    assert_eq!(real.collect::<Vec<_>>(), bare.ids);
    let target = padding.target(bare.len()).unwrap();
    assert!(padded.overflowing.iter().all(|part| part.len() >= target));
}

/// Checks that the truncated part and the overflowing parts add up to the whole encoding.
fn check_truncation(tokenizer: &Tokenizer, text: Input<'_>, options: &Options, truncation: Truncation) {
    let scratch = &mut Scratch::default();
    let whole = Options { add_special_tokens: false, truncation: None, ..options.clone() };
    let Ok(whole) = tokenizer.encode(text, None, &whole, scratch) else { return };
    let truncated = Options { add_special_tokens: false, truncation: Some(truncation), ..options.clone() };
    let Ok(truncated) = tokenizer.encode(text, None, &truncated, scratch) else { return };
    // A template may omit the text or repeat it.
    if tokenizer.post_processor().is_some() || truncation.max_length == 0 {
        return;
    }
    let mut parts = vec![truncated.ids];
    parts.extend(truncated.overflowing.into_iter().map(|part| part.ids));
    assert!(parts.iter().all(|part| part.len() <= truncation.max_length));
    let mut joined = parts.remove(0);
    for part in parts {
        match truncation.direction {
            Direction::Right => joined.extend_from_slice(&part[truncation.stride..]),
            Direction::Left => drop(joined.splice(0..0, part[..part.len() - truncation.stride].iter().copied())),
        }
    }
    assert_eq!(joined, whole.ids);
}

/// Checks that one segment is encoded as a text with special tokens matched or taken as text.
fn check_one_segment(tokenizer: &Tokenizer, text: &str, options: &Options) {
    let scratch = &mut Scratch::default();
    for (trusted, specials) in [(true, SpecialsPolicy::Match), (false, SpecialsPolicy::Text(TextTokens::Special))] {
        let options = Options { specials, ..options.clone() };
        let segments = [(text.len(), trusted)];
        let segment = tokenizer.encode(Input::Segments(text, &segments), None, &options, scratch);
        assert_eq!(segment, tokenizer.encode(Input::Text(text), None, &options, scratch));
    }
}

/// Checks that a text without trusted ranges is untrusted as a whole, and one with a single range spells all tokens.
fn check_trusted_ranges(tokenizer: &Tokenizer, text: &str, options: &Options) {
    let scratch = &mut Scratch::default();
    for path in [EncodingPath::Fast, EncodingPath::Generic] {
        let mut encoded = |input: Input<'_>, specials: &SpecialsPolicy| {
            let options = Options { specials: specials.clone(), path, ..options.clone() };
            tokenizer.encode(input, None, &options, scratch)
        };
        let untrusted = SpecialsPolicy::Text(TextTokens::Untrusted);
        let without = encoded(Input::Text(text), &untrusted);
        assert_eq!(without, encoded(Input::Trusted(text, &[]), &SpecialsPolicy::Match));
        assert_eq!(without, encoded(Input::Segments(text, &[(text.len(), false)]), &untrusted));
        let all: Vec<String> = tokenizer.added().tokens().iter().map(|token| token.content.clone()).collect();
        let whole = [Span::new(0, text.len())];
        let wanted = encoded(Input::Text(text), &SpecialsPolicy::Allowed(TextTokens::Untrusted, all));
        assert_eq!(encoded(Input::Trusted(text, &whole), &SpecialsPolicy::Match), wanted);
    }
}

/// Returns the saved and reloaded tokenizer, which must save to the same bytes.
fn saved_and_read(tokenizer: &Tokenizer) -> Tokenizer {
    let saved = write_tokenizer_json(tokenizer).unwrap();
    let back = read_tokenizer_json(saved.as_bytes(), &JsonSettings::default()).unwrap();
    assert_eq!(write_tokenizer_json(&back).unwrap(), saved);
    back
}

/// Prints the seed and the pipeline when a trial fails.
struct Trial(u64, Value);

impl Drop for Trial {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let Self(seed, pipeline) = self;
            std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("seed {seed}: {pipeline}\n")).unwrap();
        }
    }
}

#[test]
fn random_pipelines() {
    let trials = std::env::var("TRIALS").ok().and_then(|n| n.parse().ok()).unwrap_or(1500);
    let scratch = &mut Scratch::default();
    for seed in 0..trials {
        let mut random = Random(seed);
        let trial = Trial(seed, pipeline(&mut random));
        let first = read_tokenizer_json(trial.1.to_string().as_bytes(), &JsonSettings::default()).unwrap();
        let back = saved_and_read(&first);
        for _ in 0..8 {
            let (text, pair, options) =
                (RandomInput::new(&mut random), RandomInput::new(&mut random), options(&mut random));
            text.with(|input| {
                check_ids(&first, (input, None), &options, scratch);
                pair.with(|pair| check_ids(&first, (input, Some(pair)), &options, scratch));
                check_padding(&first, input, &options, &padding(&mut random));
                check_truncation(&first, input, &options, truncation(&mut random));
                let found = first.encode(input, None, &options, scratch);
                assert_eq!(back.encode(input, None, &options, scratch), found);
            });
            check_one_segment(&first, &text.text, &options);
            check_trusted_ranges(&first, &text.text, &options);
        }
    }
}
