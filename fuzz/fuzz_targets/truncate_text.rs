//! The part of a text that is kept encodes to at most the number of tokens, and is the longest of all if that is said. The
//! first part of a text that continues gives the same, or asks for more.

#![no_main]

use libfuzzer_sys::fuzz_target;
use piecework_core::added::SpecialsPolicy;
use piecework_core::encoding::Direction;
use piecework_core::pipeline::{EncodingPath, Options, Scratch, TextLimit, Tokenizer, TruncatedText};
use piecework_fuzz::Trial;

/// The number of characters of a text: each prefix or suffix is encoded.
const CHARACTERS: usize = 48;

/// Returns the longest prefix or suffix with at most the number of tokens; `None` if none can be encoded so.
fn longest<'t>(tokenizer: &Tokenizer, text: &'t str, limit: TextLimit, options: &Options) -> Option<&'t str> {
    let scratch = &mut Scratch::default();
    let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let candidates = ends.map(|at| match limit.direction {
        Direction::Right => &text[..at],
        Direction::Left => &text[at..],
    });
    let mut fits = |part: &&str| tokenizer.count(part, options, scratch).is_ok_and(|tokens| tokens <= limit.max_tokens);
    candidates.filter(|part| fits(part)).max_by_key(|part| part.len())
}

fn check(trial: &Trial, tokenizer: &Tokenizer, kept: &mut Scratch) {
    let end = trial.text.char_indices().nth(CHARACTERS).map_or(trial.text.len(), |(at, _)| at);
    let text = &trial.text[..end];
    let plain = Options { truncation: None, padding: None, ..trial.on(EncodingPath::Generic) };
    let direction = if trial.way & 1 == 0 { Direction::Right } else { Direction::Left };
    let limit = TextLimit { max_tokens: trial.cut % 24, direction, continues: false };
    let wanted = longest(tokenizer, text, limit, &plain);
    let found = tokenizer.truncate_text(text, limit, &trial.options, kept);
    let Ok(found) = found else {
        return assert!(wanted.is_none() || matches!(plain.specials, SpecialsPolicy::Error(_)), "{found:?} {trial:?}");
    };
    let found = found.expect("the text ends");
    let tokens = tokenizer.count(found.text, &plain, kept);
    assert!(tokens.as_ref().is_ok_and(|&tokens| tokens <= limit.max_tokens), "{tokens:?} {found:?} {trial:?}");
    if found.is_longest {
        trial.same(&Some(found.text), &wanted, "longest");
    }
    let middle = text.floor_char_boundary(text.len() / 2);
    let part = if direction == Direction::Right { &text[..middle] } else { &text[middle..] };
    let limit = TextLimit { continues: true, ..limit };
    if let Ok(Some(first @ TruncatedText { is_longest: true, .. })) =
        tokenizer.truncate_text(part, limit, &trial.options, kept)
        && found.is_longest
    {
        trial.same(&first.text, &found.text, "first part");
    }
}

fuzz_target!(|data: &[u8]| {
    if let Ok(trial) = Trial::new(data) {
        trial.run(|tokenizer, kept| check(&trial, tokenizer, kept));
    }
});
