//! Cuts words into segments of characters of the alphabet, from which the pieces are learned (U6 to U9 of
//! `spec/unigram.md`).

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;

use super::UnigramTrainerConfig;
use crate::error::{Error, Message, Result};
use crate::learn::cut::{CutToken, cut_words};
use crate::learn::{CountedWords, ProgressCallback, Stage, report};
use crate::memory::{Growable, filled, lengthen, prefetch_at, reserved, with_room};
use crate::settings::METASPACE;

/// The character that replaces white space.
pub(super) const SPACE: char = METASPACE;

/// The number of words processed between two calls of the progress callback.
const CHUNK: usize = 1 << 14;
/// The largest number of bytes of a word that are read between two calls.
const PART: usize = 1 << 20;
/// The largest number of symbols, those at the ends of segments included: positions have 32 bits.
const MOST: usize = u32::MAX as usize;

/// The index of a character in the alphabet, which is in the order of code points, and so of UTF-8.
pub(super) type Symbol = u32;

/// The segments to learn from.
pub(super) struct Corpus {
    /// The characters in order, with their weights.
    pub(super) alphabet: Vec<(char, u64)>,
    /// The segments in order, each followed by [`Self::end`].
    pub(super) text: Vec<Symbol>,
    /// The position of each segment, and the length of the text.
    starts: Vec<usize>,
    /// The count of each segment.
    pub(super) counts: Vec<u64>,
}

type Counted<'w> = (&'w str, u64);

impl Corpus {
    /// Cuts words into segments, at `tokens` first.
    pub(super) fn new(
        words: &CountedWords<'_>,
        tokens: &[String],
        config: &UnigramTrainerConfig,
        callback: ProgressCallback<'_>,
    ) -> Result<Self> {
        let tokens: Vec<_> = tokens.iter().map(|content| CutToken::special(content)).collect();
        let parts = between(words, &tokens, config)?;
        let alphabet = alphabet(&parts, config, callback)?;
        let mut symbols = filled(None, alphabet.last().map_or(0, |&(character, _)| character as usize + 1));
        for (symbol, &(character, _)) in (0..).zip(&alphabet) {
            symbols[character as usize] = Some(symbol);
        }
        let mut segments = segments(&parts, &symbols, config, callback)?;
        segments.sort_unstable();
        segments.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        Self::of(&segments, &symbols, alphabet, callback)
    }

    fn of(
        segments: &[Counted<'_>],
        symbols: &[Option<Symbol>],
        alphabet: Vec<(char, u64)>,
        callback: ProgressCallback<'_>,
    ) -> Result<Self> {
        let length = segments.iter().map(|(text, _)| text.chars().count() + 1).sum();
        if length > MOST {
            return Err(Error::Counts(
                Message::new(format!(
                    "the different words have {length} characters in all, and at most {MOST} can be learned from"
                ))
                .hint("raise `min_word_frequency`"),
            ));
        }
        let end = u32::try_from(alphabet.len()).expect("characters are fewer than 2^32");
        let mut text = reserved(length);
        let mut starts = with_room(segments.len() + 1);
        for (segment, _) in segments {
            starts.push(text.len());
            for part in short_parts(segment, || report(callback, Stage::Reading, segments.len(), segments.len())) {
                text.extend(part?.chars().filter_map(|character| symbol_of(symbols, character)));
            }
            text.push(end);
        }
        starts.push(text.len());
        let mut counts = with_room(segments.len());
        counts.extend(segments.iter().map(|&(_, count)| count));
        Ok(Self { alphabet, text, starts, counts })
    }

    /// Returns the symbol after each segment, which is greater than that of any character.
    pub(super) fn end(&self) -> Symbol {
        u32::try_from(self.alphabet.len()).expect("characters are fewer than 2^32")
    }

    /// Returns the number of segments.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// Returns the range of a segment in the text.
    pub(super) fn range(&self, segment: usize) -> Range<usize> {
        self.starts[segment]..self.starts[segment + 1] - 1
    }

    /// Prefetches the range and the count of a segment.
    pub(super) fn prefetch(&self, segment: usize) {
        prefetch_at(&self.starts, segment);
        prefetch_at(&self.counts, segment);
    }

    /// Returns the symbols of a text, if all of its characters are in the alphabet.
    pub(super) fn symbols_of(&self, text: &str) -> Option<Vec<Symbol>> {
        let symbol = |c: char| self.alphabet.binary_search_by_key(&c, |&(known, _)| known).ok();
        text.chars().map(|c| symbol(c).and_then(|place| Symbol::try_from(place).ok())).collect()
    }
}

/// Returns the parts of the words between tokens, without those that are rare.
fn between<'w>(
    words: &'w CountedWords<'w>,
    tokens: &'w [CutToken],
    config: &UnigramTrainerConfig,
) -> Result<CountedWords<'w>> {
    let mut parts = cut_words(words, tokens)?;
    let least = config.min_word_frequency.max(1);
    parts.retain(|_, count| count >= least);
    Ok(parts)
}

/// Returns the characters of the alphabet, in order, with their weights.
fn alphabet(
    parts: &CountedWords<'_>,
    config: &UnigramTrainerConfig,
    callback: ProgressCallback<'_>,
) -> Result<Vec<(char, u64)>> {
    // By code point, up to the largest.
    let mut weights: Vec<u128> = Vec::new();
    for (done, (part, count)) in parts.iter().enumerate() {
        if done % CHUNK == 0 {
            report(callback, Stage::Reading, done, 2 * parts.len())?;
        }
        for part in short_parts(part, || report(callback, Stage::Reading, done, 2 * parts.len())) {
            for character in part?.chars() {
                lengthen(&mut weights, character as usize + 1, 0);
                weights[character as usize] += u128::from(count);
            }
        }
    }
    let weight = |character: char| weights.get(character as usize).copied().unwrap_or_default();
    let reserved = config.reserved();
    let barred: HashSet<&str> = reserved.iter().map(String::as_str).collect();
    let is_free = |character: char| !barred.contains(character.encode_utf8(&mut [0; 4]) as &str);
    let mut kept: Vec<char> = config.required_chars.iter().copied().filter(|&character| is_free(character)).collect();
    kept.sort_unstable();
    kept.dedup();
    let seen = (0..).zip(&weights).filter(|&(_, &weight)| weight > 0).filter_map(|(code, _)| char::from_u32(code));
    let mut others: Vec<char> = seen.filter(|character| kept.binary_search(character).is_err()).collect();
    others.sort_by_key(|&character| Reverse(weight(character)));
    let all: u128 = weights.iter().sum();
    let mut covered: u128 = kept.iter().map(|&character| weight(character)).sum();
    for character in others {
        if covered as f64 / all as f64 >= config.character_coverage {
            break;
        }
        covered += weight(character);
        if is_free(character) {
            kept.push(character);
        }
    }
    kept.sort_unstable();
    // A weight that overflows is an error that the segments report.
    let weight = |character: char| u64::try_from(weight(character)).unwrap_or(u64::MAX);
    Ok(kept.into_iter().map(|character| (character, weight(character))).collect())
}

/// Returns the parts cut at characters outside the alphabet, and at white space.
fn segments<'w>(
    parts: &'w CountedWords<'_>,
    symbols: &[Option<Symbol>],
    config: &UnigramTrainerConfig,
    callback: ProgressCallback<'_>,
) -> Result<Vec<Counted<'w>>> {
    let mut segments = with_room(parts.len());
    let mut weight = 0_u128;
    for (done, (part, count)) in parts.iter().enumerate() {
        let mut ask = || report(callback, Stage::Reading, parts.len() + done, 2 * parts.len());
        if done % CHUNK == 0 {
            ask()?;
        }
        cut(part, symbols, config, ask, |segment| {
            weight += u128::from(count) * segment.chars().count() as u128;
            segments.make_room(1);
            segments.push((segment, count));
        })?;
    }
    if segments.is_empty() {
        let message = Message::new("nothing to learn from: no word is left, or none has a character of the alphabet")
            .hint("pass more text, lower `min_word_frequency` or raise `character_coverage`");
        return Err(Error::Counts(message));
    }
    if weight > u128::from(u64::MAX) {
        let message = Message::new("the characters of the words do not fit 64 bits: there are more than 2^64 - 1")
            .hint("divide all counts by a common factor");
        return Err(Error::Overflow(message));
    }
    Ok(segments)
}

/// Divides a text into parts, and calls `ask` before each long one; its error is the item.
fn short_parts(mut text: &str, mut ask: impl FnMut() -> Result<()>) -> impl Iterator<Item = Result<&str>> {
    std::iter::from_fn(move || {
        let mut length = text.len().min(PART);
        while !text.is_char_boundary(length) {
            length -= 1;
        }
        let (part, rest) = text.split_at(length);
        text = rest;
        let asked = if part.len() > PART / 2 { ask() } else { Ok(()) };
        (!part.is_empty()).then(|| asked.map(|()| part))
    })
}

/// Returns the symbol of a character, if it is in the alphabet.
fn symbol_of(symbols: &[Option<Symbol>], character: char) -> Option<Symbol> {
    symbols.get(character as usize).copied().flatten()
}

/// Returns whether a segment ends between two characters, because of `▁` (U8).
fn ends_word(last: Option<char>, next: char, config: &UnigramTrainerConfig) -> bool {
    let (before, after) = (last == Some(SPACE), next == SPACE);
    let in_run = config.allow_whitespace_only_pieces && before && after;
    !in_run && if config.treat_whitespace_as_suffix { before } else { after }
}

/// Calls `emit` with the segments of a part, and `ask` between long parts of it.
fn cut<'w>(
    part: &'w str,
    symbols: &[Option<Symbol>],
    config: &UnigramTrainerConfig,
    ask: impl FnMut() -> Result<()>,
    mut emit: impl FnMut(&'w str),
) -> Result<()> {
    let (mut start, mut place, mut last) = (0, 0, None);
    let mut emit = |range: Range<usize>| {
        if !range.is_empty() {
            emit(&part[range]);
        }
    };
    for short in short_parts(part, ask) {
        for character in short?.chars() {
            let next = place + character.len_utf8();
            if symbol_of(symbols, character).is_none() {
                emit(start..place);
                start = next;
            } else if config.split_by_whitespace && ends_word(last, character, config) {
                emit(start..place);
                start = place;
            }
            (place, last) = (next, Some(character));
        }
    }
    emit(start..part.len());
    Ok(())
}
