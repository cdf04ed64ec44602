//! Decoding: texts equal those of a definition on whole parts, and the steps of a stream add up to them. A step delays no
//! text that later tokens cannot change, and returns none that they can.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "in a test a panic is the message, and its numbers are small"
)]

mod decoders;
mod random;

use decoders::{TOKENS, decoder, parts};
use piecework_core::Error;
use piecework_core::added::AddedToken;
use piecework_core::decode::{DecodeStream, Decoder, StreamOutput};
use piecework_core::format::read_decoder;
use piecework_core::model::Model;
use piecework_core::model::word_level::WordLevel;
use piecework_core::pipeline::{StreamSettings, Tokenizer, TokenizerParts, TokensBytes};
use piecework_core::splitter::WordSplitter;
use piecework_core::vocab::Vocab;
use random::Random;
use serde_json::{Value, json};

fn strings(random: &mut Random, count: usize) -> Vec<&'static str> {
    (0..count).map(|_| random.pick(&TOKENS)).collect()
}

fn read(decoder: &Value) -> Decoder {
    read_decoder(&decoder.to_string()).unwrap()
}

fn text(decoder: Option<&Decoder>, tokens: &[&str]) -> String {
    decoder.map_or_else(|| tokens.join(" "), |decoder| decoder.decode(tokens.iter().copied()).unwrap())
}

#[test]
fn texts_equal_the_definition() {
    for seed in 0..trials() {
        let random = &mut Random(seed);
        let settings = decoder(random, 2);
        let count = random.below(9);
        let tokens = strings(random, count);
        let wanted = parts(&settings, tokens.iter().map(|&token| token.to_owned()).collect()).concat();
        assert_eq!(text(Some(&read(&settings)), &tokens), wanted, "seed {seed}: {settings} {tokens:?}");
    }
}

fn trials() -> u64 {
    std::env::var("TRIALS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000)
}

/// Returns the text of each step, and the rest at the end.
fn steps(stream: &mut DecodeStream, tokens: &[&str], random: &mut Random) -> (Vec<String>, String) {
    let (mut steps, mut rest) = (Vec::new(), tokens);
    while !rest.is_empty() {
        let (now, later) = rest.split_at(random.below(3).min(rest.len()));
        steps.push(String::from_utf8(stream.step(now.iter().copied()).unwrap()).unwrap());
        rest = later;
    }
    (steps, String::from_utf8(stream.finish().unwrap()).unwrap())
}

#[test]
fn steps_add_up_to_the_text() {
    for seed in 0..trials() {
        let random = &mut Random(seed);
        let settings = decoder(random, 2);
        let decoder = (random.below(20) > 0).then(|| read(&settings));
        let mut stream = DecodeStream::new(decoder.as_ref(), StreamOutput::Text);
        for _ in 0..4 {
            let count = random.below(9);
            let tokens = strings(random, count);
            let (steps, rest) = steps(&mut stream, &tokens, random);
            let whole = text(decoder.as_ref(), &tokens);
            assert_eq!(steps.concat() + &rest, whole, "seed {seed}: {settings} {tokens:?} {steps:?}");
        }
    }
}

/// Returns the length in bytes of the longest common prefix of two texts.
fn common(one: &str, other: &str) -> usize {
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b);
    same.map(|(c, _)| c.len_utf8()).sum()
}

/// The text known after some tokens is the longest common prefix of all texts that begin with these tokens.
#[test]
fn steps_delay_no_stable_text() {
    let decoders = [
        json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}),
        json!({"type": "WordPiece", "prefix": "##", "cleanup": true}),
        json!({"type": "BPEDecoder", "suffix": "</w>"}),
        json!({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true}),
        json!({"type": "ByteFallback"}),
        json!({"type": "CTC", "pad_token": "<pad>", "word_delimiter_token": "|", "cleanup": true}),
        json!({"type": "piecework.SentencePiece", "add_dummy_prefix": true, "remove_extra_whitespaces": true,
            "byte_fallback": true, "unk_token": "<unk>", "unk_surface": " ⁇ "}),
        json!({"type": "Sequence", "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ]}),
        json!({"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "Strip", "content": "a", "start": 1, "stop": 2}]}),
        json!({"type": "Sequence", "decoders": [{"type": "Fuse"}, {"type": "BPEDecoder", "suffix": "</w>"}]}),
        json!({"type": "Sequence", "decoders": [
            {"type": "Fuse"}, {"type": "Replace", "pattern": {"String": "aab"}, "content": "x"},
        ]}),
    ];
    let random = &mut Random(7);
    for settings in &decoders {
        let decoder = read(settings);
        for _ in 0..200 {
            let count = random.below(5);
            let tokens = strings(random, count);
            let mut stream = DecodeStream::new(Some(&decoder), StreamOutput::Text);
            let known = String::from_utf8(stream.step(tokens.iter().copied()).unwrap()).unwrap();
            let mut shared = text(Some(&decoder), &tokens);
            let rare = [vec!["¸", "Ń"], vec!["<0xB8>", "<0xAD>"]];
            let random = (0..200).map(|_| strings(random, 3));
            for later in TOKENS.iter().map(|token| vec![*token]).chain(rare).chain(random) {
                let whole = text(Some(&decoder), &[&*tokens, &*later].concat());
                shared.truncate(common(&shared, &whole));
            }
            assert_eq!(known, shared, "{settings} {tokens:?}");
        }
    }
}

#[test]
fn a_character_of_several_byte_tokens_waits_for_the_last() {
    let decoder =
        read(&json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}));
    let mut stream = DecodeStream::new(Some(&decoder), StreamOutput::Text);
    let mut step = |token| String::from_utf8(stream.step([token]).unwrap()).unwrap();
    // 👩 is F0 9F 91 A9.
    assert_eq!(["ð", "Ł", "ĳ", "©a", "ð", "Łb"].map(&mut step), ["", "", "", "👩a", "", "\u{fffd}b"]);
    assert_eq!(step("ðŁ"), "");
    assert_eq!(stream.finish().unwrap(), "\u{fffd}".as_bytes());
    assert_eq!(stream.finish().unwrap(), b"");
}

#[test]
fn invalid_bytes_are_returned_unchanged() {
    let byte_level =
        read(&json!({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true}));
    let llama = read(&json!({"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 0},
    ]}));
    let bytes = |decoder: &Decoder, tokens: &[&str]| {
        let mut stream = DecodeStream::new(Some(decoder), StreamOutput::Bytes);
        let given: Vec<Vec<u8>> = tokens.iter().map(|token| stream.step([*token]).unwrap()).collect();
        assert_eq!(stream.finish().unwrap(), b"");
        given
    };
    assert_eq!(bytes(&byte_level, &["Ġä", "中Ġ"]), [b" \xe4".to_vec(), "中Ġ".into()]);
    assert_eq!(bytes(&llama, &["▁a", "<0xE4>", "<0xFF>", "▁"]), [&b"a"[..], b"\xe4", b"\xff", b" "]);
}

/// If all bytes are valid UTF-8, they are equal to those of the text.
#[test]
fn valid_bytes_equal_the_text() {
    for seed in 0..20_000 {
        let random = &mut Random(seed);
        let settings = decoder(random, 2);
        let decoder = read(&settings);
        let count = random.below(9);
        let tokens = strings(random, count);
        let whole = text(Some(&decoder), &tokens);
        if whole.contains('\u{fffd}') || settings.to_string().contains("ByteFallback") {
            continue; // a run of byte tokens is decoded as one part here, valid or not
        }
        let mut stream = DecodeStream::new(Some(&decoder), StreamOutput::Bytes);
        let mut bytes: Vec<u8> = tokens.iter().flat_map(|token| stream.step([*token]).unwrap()).collect();
        bytes.extend(stream.finish().unwrap());
        assert_eq!(String::from_utf8_lossy(&bytes), whole, "seed {seed}: {settings} {tokens:?}");
    }
}

#[test]
fn a_stream_restarts_after_an_error() {
    let replace = json!({"type": "Replace", "pattern": {"Regex": "(a|aa)+(?=$)"}, "content": ""});
    let decoder = read(&json!({"type": "Sequence", "decoders": [{"type": "BPEDecoder", "suffix": "x"}, replace]}));
    let mut stream = DecodeStream::new(Some(&decoder), StreamOutput::Text);
    assert_eq!(stream.step(["bx"]).unwrap(), b"");
    let hostile = "a".repeat(100_000) + "b";
    assert!(matches!(stream.step([&*hostile]), Err(Error::Regex(_))));
    assert_eq!((stream.step(["b"]).unwrap(), stream.finish().unwrap()), (b"b".to_vec(), Vec::new()));
}

#[test]
fn a_copy_is_independent() {
    let decoder = read(&json!({"type": "BPEDecoder", "suffix": "</w>"}));
    let mut one = DecodeStream::new(Some(&decoder), StreamOutput::Text);
    assert_eq!(one.step(["a</w>"]).unwrap(), b"a");
    let mut other = one.clone();
    assert_eq!((one.step(["b"]).unwrap(), other.finish().unwrap()), (b" b".to_vec(), Vec::new()));
}

/// Returns a tokenizer with the vocabulary of all tokens and a decoder.
fn tokenizer(decoder: Option<Decoder>) -> Tokenizer {
    let vocab = Vocab::from_tokens(TOKENS.iter().map(|&token| token.to_owned())).unwrap();
    let model = Model::WordLevel(WordLevel::new(vocab, TOKENS[0].to_owned()));
    let added = vec![AddedToken::special(2, TOKENS[2])];
    Tokenizer::new(TokenizerParts { added, decoder, ..TokenizerParts::new(WordSplitter::default(), model) }).unwrap()
}

/// Returns the output of a stream of ids, step by step.
fn stepped(tokenizer: &Tokenizer, settings: &StreamSettings, ids: &[u32], random: &mut Random) -> Vec<u8> {
    let (mut stream, mut out, mut rest) = (tokenizer.id_stream(settings), Vec::new(), ids);
    while !rest.is_empty() {
        let (now, later) = rest.split_at(random.below(3).min(rest.len()));
        match now {
            [id] if random.below(2) == 0 => match tokenizer.decode_plain(&mut stream, settings, *id) {
                Some(bytes) => out.extend_from_slice(bytes),
                None => drop(tokenizer.decode_step(&mut stream, settings, now, &mut out).unwrap()),
            },
            _ => drop(tokenizer.decode_step(&mut stream, settings, now, &mut out).unwrap()),
        }
        rest = later;
    }
    tokenizer.decode_rest(&mut stream, settings, &mut out).unwrap();
    out
}

/// Decoding by the table equals that by the stages of the decoder, for text and bytes, whole, by id and in streams.
#[test]
fn ids_are_decoded_as_their_tokens() {
    for seed in 0..trials() / 4 {
        let random = &mut Random(seed);
        let settings = decoder(random, 2);
        let decoder = (random.below(20) > 0).then(|| read(&settings));
        let tokenizer = tokenizer(decoder.clone());
        let skip = random.below(2) == 0;
        for _ in 0..4 {
            let count = random.below(9);
            let ids: Vec<u32> = (0..count).map(|_| u32::try_from(random.below(TOKENS.len())).unwrap()).collect();
            let tokens: Vec<&str> =
                ids.iter().filter_map(|&id| (!skip || id != 2).then_some(TOKENS[id as usize])).collect();
            if decoder.as_ref().is_some_and(|decoder| format!("{decoder:?}").contains("SentencePiece"))
                && skip
                && ids.contains(&2)
            {
                continue; // a skipped token ends a run of bytes here
            }
            let context = format!("seed {seed}: {settings} {tokens:?}");
            let wanted = text(decoder.as_ref(), &tokens);
            let mut bytes = DecodeStream::new(decoder.as_ref(), StreamOutput::Bytes);
            let mut wanted_bytes = bytes.step(tokens.iter().copied()).unwrap();
            wanted_bytes.extend(bytes.finish().unwrap());
            for output in [StreamOutput::Text, StreamOutput::Bytes] {
                let settings = StreamSettings { output, decoding: skip.into(), ..StreamSettings::default() };
                let found = stepped(&tokenizer, &settings, &ids, random);
                let wanted = if output == StreamOutput::Text { wanted.as_bytes() } else { &wanted_bytes };
                assert_eq!(found, wanted, "{output:?} {context}");
            }
            // The streams have built the table.
            assert_eq!(tokenizer.decode(&ids, skip).unwrap(), wanted, "{context}");
            assert_eq!(tokenizer.decode_bytes(&ids, skip).unwrap(), wanted_bytes, "{context}");
            let TokensBytes { bytes, starts } = tokenizer.tokens_bytes(&ids, skip).unwrap();
            assert_eq!((&bytes, starts.len()), (&wanted_bytes, ids.len()), "{context}");
            let found = tokenizer.decode_offsets(&ids, skip).unwrap();
            assert!(found.starts.is_sorted() && found.text == wanted, "{context}");
            let last = found.starts.last().copied().unwrap_or_default();
            assert!(last <= wanted.chars().count(), "{context}");
        }
    }
}
