//! Texts are cut at added tokens, and then at phrases, as a search by trial cuts them; in trusted ranges, too.
//!
//! The model knows no word, so that each part of a text is one token.

#![no_main]

use std::ops::Range;

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use piecework_core::added::AddedToken;
use piecework_core::model::Model;
use piecework_core::model::word_level::WordLevel;
use piecework_core::normalize::Normalizer;
use piecework_core::pipeline::{EncodingPath, Input, Options, Scratch, Tokenizer, TokenizerParts};
use piecework_core::pretokenize::{Dictionary, PreTokenizer};
use piecework_core::splitter::WordSplitter;
use piecework_core::text::span::Span;
use piecework_core::vocab::Vocab;
use piecework_fuzz::added::{Part, parts, stands_alone};

/// Characters whose lower case has as many bytes.
const CHARACTERS: [char; 12] = ['a', 'a', 'b', 'B', ' ', ' ', '\n', '_', '<', '.', 'é', '中'];

/// Added tokens, phrases, and a text with its trusted ranges.
#[derive(Debug)]
struct CutTrial {
    tokens: Vec<AddedToken>,
    phrases: Vec<String>,
    is_single_word: bool,
    is_lowercase: bool,
    text: String,
    trusted: Option<Vec<Range<usize>>>,
}

fn string(u: &mut Unstructured<'_>, most: usize) -> Result<String> {
    let length = 1 + usize::from(u.arbitrary::<u8>()?) % most;
    (0..length).map(|_| Ok(CHARACTERS[usize::from(u.arbitrary::<u8>()?) % CHARACTERS.len()])).collect()
}

fn tokens(u: &mut Unstructured<'_>) -> Result<Vec<AddedToken>> {
    let mut tokens = Vec::<AddedToken>::new();
    for id in 1..=u32::from(u.arbitrary::<u8>()? % 6) {
        let (flags, content) = (u.arbitrary::<u8>()?, string(u, 3)?);
        let [single_word, lstrip, rstrip, normalized, special] = [1, 2, 4, 8, 16].map(|bit| flags & bit != 0);
        if tokens.iter().all(|token| token.content != content) {
            tokens.push(AddedToken { id, content, single_word, lstrip, rstrip, normalized, special, control: false });
        }
    }
    Ok(tokens)
}

impl CutTrial {
    fn new(mut u: Unstructured<'_>) -> Result<Self> {
        let (flags, tokens) = (u.arbitrary::<u8>()?, tokens(&mut u)?);
        let mut phrases = (0..u.arbitrary::<u8>()? % 4).map(|_| string(&mut u, 4)).collect::<Result<Vec<_>>>()?;
        phrases.sort();
        phrases.dedup();
        let trusted: [u8; 4] = u.arbitrary()?;
        let text: String = u.take_rest().iter().map(|&byte| CHARACTERS[usize::from(byte) % CHARACTERS.len()]).collect();
        let mut ends = trusted.map(|byte| text.floor_char_boundary(usize::from(byte)));
        ends.sort_unstable();
        let ranges = [ends[0]..ends[1], ends[2]..ends[3]].into_iter().filter(|range| !range.is_empty()).collect();
        // Ranges do not touch.
        let trusted = (flags & 4 != 0 && ends[1] < ends[2]).then_some(ranges);
        Ok(Self { tokens, phrases, is_single_word: flags & 1 != 0, is_lowercase: flags & 2 != 0, text, trusted })
    }

    fn tokenizer(&self) -> Tokenizer {
        let dictionary = || Dictionary::new(self.phrases.clone(), self.is_single_word).expect("the phrases differ");
        let dictionary = (!self.phrases.is_empty()).then(|| PreTokenizer::Dictionary(dictionary().into()));
        let lowercase = self.is_lowercase.then_some(Normalizer::Lowercase);
        let splitter = WordSplitter::new(lowercase, dictionary).expect("the stages go together");
        let vocab = Vocab::from_tokens(["[UNK]".to_owned()]).expect("one token");
        let model = Model::WordLevel(WordLevel::new(vocab, "[UNK]".to_owned()));
        let parts = TokenizerParts { added: self.tokens.clone(), ..TokenizerParts::new(splitter, model) };
        Tokenizer::new(parts).expect("the tokens differ")
    }

    fn form(&self, text: &str) -> String {
        if self.is_lowercase { text.to_lowercase() } else { text.to_owned() }
    }

    /// Returns whether a token may be matched: anywhere if it is white space, or within a trusted range.
    fn is_allowed(&self, token: &AddedToken, start: usize, end: usize) -> bool {
        let is_within = |range: &Range<usize>| range.start <= start && end <= range.end;
        self.trusted.as_ref().is_none_or(|ranges| ranges.iter().any(is_within)) || token.content.trim().is_empty()
    }

    /// Cuts each text among some parts again.
    fn cut(found: Vec<Part>, text: &str, again: impl Fn(&str, usize) -> Vec<Part>) -> Vec<Part> {
        let parts = found.into_iter().flat_map(|part| match part {
            (start, end, None) => again(&text[start..end], start)
                .into_iter()
                .map(|(from, to, token)| (start + from, start + to, token))
                .collect(),
            token => vec![token],
        });
        parts.collect()
    }

    /// Returns the spans of the tokens, with their ids; 0 for text.
    fn wanted(&self) -> Vec<(usize, usize, u32)> {
        let normalized = self.form(&self.text);
        let raw = |token: &AddedToken| (!token.normalized).then(|| token.content.clone());
        let found = parts(&self.text, &self.tokens, raw, |token, start, end| self.is_allowed(token, start, end));
        let form = |token: &AddedToken| token.normalized.then(|| self.form(&token.content));
        let found = Self::cut(found, &normalized, |text, at| {
            parts(text, &self.tokens, form, |token, start, end| self.is_allowed(token, at + start, at + end))
        });
        let phrase = |content: &String| AddedToken { content: content.clone(), ..AddedToken::default() };
        let phrases: Vec<AddedToken> = self.phrases.iter().map(phrase).collect();
        let found = Self::cut(found, &normalized, |text, _| {
            let is_found = |_: &_, start, end| !self.is_single_word || stands_alone(text, start, end);
            let found = parts(text, &phrases, |phrase| Some(phrase.content.clone()), is_found);
            found.into_iter().map(|(start, end, _)| (start, end, None)).collect()
        });
        found
            .into_iter()
            .map(|(start, end, place)| (start, end, place.map_or(0, |place| self.tokens[place].id)))
            .collect()
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(trial) = CutTrial::new(Unstructured::new(data)) else { return };
    let (tokenizer, wanted) = (trial.tokenizer(), trial.wanted());
    let ranges: Vec<Span> = trial.trusted.iter().flatten().map(|range| Span::new(range.start, range.end)).collect();
    let input = if trial.trusted.is_some() { Input::Trusted(&trial.text, &ranges) } else { Input::Text(&trial.text) };
    for path in [EncodingPath::Generic, EncodingPath::Fast] {
        let options = Options { path, ..Options::default() };
        let found =
            tokenizer.encode(input, None, &options, &mut Scratch::default()).expect("text is the unknown token");
        let spans = found.spans.iter().map(|span| span.range());
        let found: Vec<_> = spans.zip(&found.ids).map(|(span, &id)| (span.start, span.end, id)).collect();
        assert_eq!(found, wanted, "{trial:?}");
    }
});
