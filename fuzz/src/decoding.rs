//! Properties of decoding: bytes, offsets and streams agree with the text of all ids.

use std::fmt::Debug;

use piecework_core::added::AddedToken;
use piecework_core::decode::StreamOutput;
use piecework_core::format::read_decoder;
use piecework_core::model::Model;
use piecework_core::model::word_level::WordLevel;
use piecework_core::pipeline::{MetStop, Stop, StreamSettings, Tokenizer, TokenizerParts};
use piecework_core::splitter::WordSplitter;
use piecework_core::vocab::Vocab;
use serde_json::Value;

use crate::decoders::{TOKENS, decoder, parts};
use crate::random::Random;

/// The place of the special token in the list of tokens.
const SPECIAL: u32 = 2;

/// A random decoder, and a tokenizer with it.
pub struct DecoderTrial {
    settings: Value,
    /// The tokenizer, whose ids are the places of [`TOKENS`].
    pub tokenizer: Tokenizer,
}

impl DecoderTrial {
    /// Returns the trial with this number.
    #[must_use]
    pub fn new(number: u16) -> Self {
        let settings = decoder(&mut Random(number.into()), 2);
        let decoder = read_decoder(&settings.to_string()).expect("the settings are valid");
        let vocab = Vocab::from_tokens(TOKENS.map(str::to_owned)).expect("the tokens differ");
        let model = Model::WordLevel(WordLevel::new(vocab, TOKENS[0].to_owned()));
        let added = vec![AddedToken::special(SPECIAL, TOKENS[SPECIAL as usize])];
        let parts = TokenizerParts::new(WordSplitter::default(), model);
        let parts = TokenizerParts { added, decoder: Some(decoder), ..parts };
        Self { settings, tokenizer: Tokenizer::new(parts).expect("the parts go together") }
    }

    /// Returns an id for each byte.
    #[must_use]
    pub fn ids(&self, bytes: &[u8]) -> Vec<u32> {
        bytes.iter().map(|&byte| u32::from(byte) % self.tokenizer.id_limit()).collect()
    }

    /// Returns the tokens that the decoder receives.
    #[must_use]
    pub fn tokens(&self, ids: &[u32], skip: bool) -> Vec<&'static str> {
        // Bytes on two sides of a control symbol never make one character in SentencePiece: an empty token is between them.
        let has_gaps = self.tokenizer.decoder().is_some_and(|decoder| decoder.sentencepiece().is_some());
        let token = |&id: &u32| match id {
            SPECIAL if skip => has_gaps.then_some(""),
            id => Some(TOKENS[id as usize]),
        };
        ids.iter().filter_map(token).collect()
    }

    /// Returns the text of ids by the decoder's definition.
    #[must_use]
    pub fn text(&self, ids: &[u32], skip: bool) -> String {
        let tokens = self.tokens(ids, skip);
        parts(&self.settings, tokens.into_iter().map(str::to_owned).collect()).concat()
    }

    /// Panics with the decoder if the two differ.
    pub fn same<T: PartialEq + Debug>(&self, got: &T, wanted: &T) {
        assert_eq!(got, wanted, "{}", self.settings);
    }
}

/// Checks that ids have one text, decoded as a whole, in steps, with offsets, and up to a stop.
pub fn check_decoding(tokenizer: &Tokenizer, ids: &[u32], skip: bool) {
    let Ok(text) = tokenizer.decode(ids, skip) else { return };
    let bytes = tokenizer.decode_bytes(ids, skip).expect("the text is no error");
    let found = tokenizer.tokens_bytes(ids, skip).expect("the text is no error");
    assert_eq!((&found.bytes, found.starts.len()), (&bytes, ids.len()));
    let offsets = tokenizer.decode_offsets(ids, skip).expect("the text is no error");
    assert_eq!((&offsets.text, &offsets.byte_starts), (&text, &found.starts));
    assert!(offsets.starts.is_sorted() && offsets.starts.last().is_none_or(|&last| last <= text.chars().count()));
    for (output, whole) in [(StreamOutput::Text, text.as_bytes()), (StreamOutput::Bytes, &bytes)] {
        for has_positions in [false, true] {
            let settings = StreamSettings { output, decoding: skip.into(), has_positions, ..StreamSettings::default() };
            assert_eq!(stream(tokenizer, &settings, ids, 3), (whole.to_vec(), None));
        }
        check_stops(tokenizer, ids, skip, output, whole);
    }
}

/// Checks streams that end at strings of the text, and at an id.
fn check_stops(tokenizer: &Tokenizer, ids: &[u32], skip: bool, output: StreamOutput, whole: &[u8]) {
    let valid = whole.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let [Some(start), Some(end)] = [2, 5].map(|n| valid.char_indices().nth(n).map(|(at, _)| at)) else { return };
    let strings = [start..end, start + (end - start) / 2..end + 1, 0..start]
        .into_iter()
        .filter_map(|range| String::from_utf8(whole.get(range)?.to_vec()).ok())
        // An id meets a string that is spelled like a special token, if it is skipped.
        .filter(|string| tokenizer.added().id(string).is_none());
    let strings: Vec<String> = strings.collect();
    let wanted = cut(whole, &strings);
    let stops: Vec<Stop> = strings.into_iter().map(Stop::Text).collect();
    let of = |stops: &[Stop]| {
        let stops = tokenizer.stops(stops, skip).expect("these stops are not empty, and have tokens");
        StreamSettings { output, decoding: skip.into(), stops, ..StreamSettings::default() }
    };
    for step in [1, 4, ids.len()] {
        assert_eq!(stream(tokenizer, &of(&stops), ids, step), wanted, "{stops:?} in steps of {step}");
    }
    let both: Vec<Stop> = stops.into_iter().chain(ids.get(ids.len() / 2).map(|&id| Stop::Id(id))).collect();
    let wanted = stream(tokenizer, &of(&both), ids, 1);
    assert_eq!(stream(tokenizer, &of(&both), ids, 5), wanted, "{both:?} in steps of 5");
}

/// Returns the text before the first end of a string, and the stop: of strings that end together the longest.
fn cut(text: &[u8], strings: &[String]) -> (Vec<u8>, Option<MetStop>) {
    for end in 0..=text.len() {
        let met = (0..strings.len()).filter(|&stop| text[..end].ends_with(strings[stop].as_bytes()));
        if let Some(stop) = met.max_by_key(|&stop| (strings[stop].len(), std::cmp::Reverse(stop))) {
            let start = end - strings[stop].len();
            return (text[..start].to_vec(), Some(MetStop { stop, rest: text[end..].to_vec() }));
        }
    }
    (text.to_vec(), None)
}

/// Returns the output of a stream, and the stop that it met.
pub fn stream(
    tokenizer: &Tokenizer,
    settings: &StreamSettings,
    ids: &[u32],
    step: usize,
) -> (Vec<u8>, Option<MetStop>) {
    let (mut stream, mut out) = (tokenizer.id_stream(settings), Vec::new());
    for some in ids.chunks(step.max(1)) {
        tokenizer.decode_step(&mut stream, settings, some, &mut out).expect("the text is no error");
    }
    tokenizer.decode_rest(&mut stream, settings, &mut out).expect("the text is no error");
    (out, stream.met().cloned())
}
