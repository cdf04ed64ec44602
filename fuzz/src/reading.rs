//! Checks of tokenizers that were read from any bytes: they encode, decode and save, however odd their files are.

use piecework_core::Result;
use piecework_core::added::{AddedToken, SpecialsPolicy, TextTokens};
use piecework_core::encoding::Direction;
use piecework_core::encoding::truncate::{Truncation, TruncationStrategy};
use piecework_core::format::{JsonSettings, read_tokenizer_json, write_tokenizer_json};
use piecework_core::pipeline::{EncodingPath, Input, Options, Scratch, TextLimit, Tokenizer, TokenizerParts};

use crate::decoding::check_decoding;
use crate::hard_texts::HARD_TEXTS;

/// The number of retries of Oniguruma in a text, as the expressions of a file may need exponential time.
const RETRIES: u64 = 1 << 12;
/// The length in tokens up to which the padding of a file is applied.
const LONGEST_ROW: usize = 1 << 10;
/// The number of tokens that are encoded and decoded beside the hard texts.
const OWN_TOKENS: usize = 32;

/// Checks what a reader returned, and that those that were written and read `again` give equal ids.
pub fn check_read(read: &Tokenizer, again: impl IntoIterator<Item = Tokenizer>) {
    let tokenizer = &limited(read);
    for again in again {
        check_same_ids(tokenizer, &limited(&again));
    }
    let scratch = &mut Scratch::default();
    let [hard, own] = texts(tokenizer);
    check_paths(tokenizer, &hard, &Options::default(), scratch);
    for options in options(tokenizer) {
        check_paths(tokenizer, &own, &options, scratch);
    }
    check_text(tokenizer, &HARD_TEXTS[..20].join(" "), scratch);
    check_ids(tokenizer);
}

/// Returns a tokenizer whose expressions need time in proportion to the text.
fn limited(tokenizer: &Tokenizer) -> Tokenizer {
    let parts = TokenizerParts { regex_retries: Some(RETRIES), ..tokenizer.parts() };
    Tokenizer::new(parts).expect("these parts were a tokenizer")
}

/// Returns the tokenizer that is read from its tokenizer.json; `None` if it has none.
#[must_use]
pub fn json_again(tokenizer: &Tokenizer) -> Option<Tokenizer> {
    let saved = write_tokenizer_json(tokenizer).ok()?;
    let again = read_tokenizer_json(saved.as_bytes(), &JsonSettings::default());
    let again = again.unwrap_or_else(|error| panic!("{error}: {saved}"));
    assert_eq!(write_tokenizer_json(&again), Ok(saved));
    Some(again)
}

/// Returns the hard texts joined, and a short text: some of them, and the first tokens of the vocabulary.
fn texts(tokenizer: &Tokenizer) -> [String; 2] {
    let own = tokenizer.vocab().into_iter().take(OWN_TOKENS).map(|(token, _)| token);
    [HARD_TEXTS.concat(), own.chain(HARD_TEXTS.iter().copied().step_by(4)).collect()]
}

/// Returns options of each kind.
fn options(tokenizer: &Tokenizer) -> Vec<Options> {
    let plain = Options::default;
    let specials = [
        SpecialsPolicy::Match,
        SpecialsPolicy::Unmatched,
        SpecialsPolicy::Text(TextTokens::Special),
        SpecialsPolicy::Error(TextTokens::Untrusted),
    ];
    let mut all: Vec<_> = specials.map(|specials| Options { specials, ..plain() }).into();
    let (direction, strategy) = (Direction::Left, TruncationStrategy::LongestFirst);
    let truncation = Truncation { max_length: 40, stride: 2, strategy, direction };
    all.push(Options { truncation: Some(truncation), add_special_tokens: false, ..plain() });
    let padding = tokenizer.padding().filter(|padding| padding.target(LONGEST_ROW).is_ok_and(|row| row <= LONGEST_ROW));
    all.push(Options { truncation: tokenizer.truncation().cloned(), padding: padding.cloned(), ..plain() });
    all.push(Options { dropout: Some(0.5), seed: 7, ..plain() });
    all.push(Options { alpha: Some(0.3), seed: 7, ..plain() });
    all
}

fn ids(tokenizer: &Tokenizer, text: &str, options: &Options, scratch: &mut Scratch) -> Result<Vec<u32>> {
    let mut ids = Vec::new();
    tokenizer.encode_ids(Input::Text(text), None, options, scratch, &mut ids).map(|()| ids)
}

/// Checks that the columns of a text are equal on all paths, and agree with its ids.
fn check_paths(tokenizer: &Tokenizer, text: &str, options: &Options, scratch: &mut Scratch) {
    let on = |path| Options { path, overflow: false, ..options.clone() };
    let generic = tokenizer.encode(Input::Text(text), None, &on(EncodingPath::Generic), scratch);
    let fast = tokenizer.encode(Input::Text(text), None, &on(EncodingPath::Fast), scratch);
    assert_eq!(fast, generic, "{options:?}");
    let alone = ids(tokenizer, text, options, scratch);
    let Ok(encoding) = generic else {
        return assert_eq!(alone.map(|_| ()), generic.map(|_| ()));
    };
    assert!(encoding.spans.iter().all(|span| span.range().end <= text.len()));
    if options.padding.is_none() {
        assert_eq!(alone.as_ref(), Ok(&encoding.ids));
    }
}

/// Checks the other operations on a text; errors are allowed, panics are not.
fn check_text(tokenizer: &Tokenizer, text: &str, scratch: &mut Scratch) {
    let options = Options { specials: SpecialsPolicy::Text(TextTokens::Special), ..Options::default() };
    for direction in [Direction::Left, Direction::Right] {
        let limit = TextLimit { max_tokens: 5, direction, continues: false };
        let Ok(kept) = tokenizer.truncate_text(text, limit, &options, scratch) else { continue };
        let kept = kept.expect("the text ends").text;
        assert!(ids(tokenizer, kept, &options, scratch).is_ok_and(|ids| ids.len() <= 5), "{kept:?}");
    }
    // Only Unigram has an n-best list, and some texts have no segmentation.
    if let Ok(best) = tokenizer.encode_nbest(text, 5, &options, scratch) {
        assert!(!best.is_empty());
        let _ = tokenizer.marginal_log_likelihood(text, &options, scratch);
        let sampled = Options { alpha: Some(0.3), nbest_size: Some(3), seed: 7, ..options };
        assert!(tokenizer.encode(Input::Text(text), None, &sampled, scratch).is_ok());
    }
}

/// Checks the operations on ids and on the vocabulary; errors are allowed, panics are not.
fn check_ids(tokenizer: &Tokenizer) {
    let known: Vec<u32> = tokenizer.vocab().iter().take(OWN_TOKENS).map(|&(_, id)| id).collect();
    for skip in [false, true] {
        check_decoding(tokenizer, &[&known[..], &known].concat(), skip);
        assert!(tokenizer.decode(&[0, u32::MAX], skip).is_err() || tokenizer.token(u32::MAX).is_some());
    }
    for &id in &known {
        let _ = tokenizer.token_bytes(id);
    }
    let _ = (tokenizer.unreachable(), tokenizer.log_probabilities(&known), tokenizer.score(&known));
    let _ = tokenizer.with_added_tokens(vec![AddedToken::special(0, "[NEW]")]);
}

/// Checks that a saved tokenizer gives equal ids. No format but its own has control symbols, so all tokens are matched.
fn check_same_ids(tokenizer: &Tokenizer, again: &Tokenizer) {
    let options = Options { specials: SpecialsPolicy::Match, ..Options::default() };
    for text in texts(tokenizer) {
        let [one, other] = [tokenizer, again].map(|each| ids(each, &text, &options, &mut Scratch::default()));
        assert_eq!(one.ok(), other.ok(), "{}", write_tokenizer_json(tokenizer).unwrap_or_default());
    }
}
