//! Words to stretches of characters of the alphabet, which all is learned from (U6 to U9 of `spec/unigram.md`).

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use super::TrainerConfig;
use crate::error::{Error, Result};
use crate::learn::{ProgressCallback, Stage, report};
use crate::settings::METASPACE;

/// What white space is written as.
pub(super) const SPACE: char = METASPACE;

/// How many words are read between two calls of the progress callback.
const CHUNK: usize = 1 << 14;
/// One more than the last code point.
const CODE_POINTS: usize = 0x11_0000;
/// The most symbols, those at the ends of stretches included: places are 32-bit integers with a sign.
const MOST: usize = i32::MAX as usize;

/// A character of the alphabet by its place there; in the order of code points, and so of UTF-8.
pub(super) type Symbol = u32;

/// What is learned from.
pub(super) struct Corpus {
    /// The characters in order, with their weights.
    pub(super) alphabet: Vec<(char, u64)>,
    /// The stretches in order, behind each of them [`Self::end`].
    pub(super) text: Vec<Symbol>,
    /// Where each stretch starts, and where one more would.
    starts: Vec<usize>,
    /// How often each stretch occurs.
    pub(super) counts: Vec<u64>,
}

type Counted<'w> = (&'w str, u64);

impl Corpus {
    /// Cuts words into stretches.
    pub(super) fn new(words: &[Counted<'_>], config: &TrainerConfig, callback: ProgressCallback<'_>) -> Result<Self> {
        let parts = between(words, config)?;
        let alphabet = alphabet(&parts, config, callback)?;
        let mut symbols = vec![None; CODE_POINTS];
        for (symbol, &(character, _)) in (0..).zip(&alphabet) {
            symbols[character as usize] = Some(symbol);
        }
        let mut stretches = stretches(&parts, &symbols, config, callback)?;
        drop(parts);
        stretches.sort_unstable();
        stretches.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        Self::of(&stretches, &symbols, alphabet)
    }

    fn of(stretches: &[Counted<'_>], symbols: &[Option<Symbol>], alphabet: Vec<(char, u64)>) -> Result<Self> {
        let length = stretches.iter().map(|(text, _)| text.chars().count() + 1).sum();
        if length > MOST {
            return Err(Error::Counts(format!(
                "the different words have {length} characters in all, and at most {MOST} can be learned from; raise \
                 min_word_frequency"
            )));
        }
        let end = u32::try_from(alphabet.len()).expect("characters are fewer than 2^32");
        let mut text = Vec::with_capacity(length);
        let mut starts = Vec::with_capacity(stretches.len() + 1);
        for (stretch, _) in stretches {
            starts.push(text.len());
            text.extend(stretch.chars().filter_map(|character| symbols[character as usize]));
            text.push(end);
        }
        starts.push(text.len());
        let counts = stretches.iter().map(|&(_, count)| count).collect();
        Ok(Self { alphabet, text, starts, counts })
    }

    /// What stands behind each stretch: more than any character.
    pub(super) fn end(&self) -> Symbol {
        u32::try_from(self.alphabet.len()).expect("characters are fewer than 2^32")
    }

    /// How many stretches there are.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// Where a stretch stands in the text.
    pub(super) fn range(&self, stretch: usize) -> Range<usize> {
        self.starts[stretch]..self.starts[stretch + 1] - 1
    }

    /// The stretch that a place of the text belongs to.
    pub(super) fn stretch_at(&self, place: usize) -> usize {
        self.starts.partition_point(|&start| start <= place) - 1
    }
}

/// What is left of the words that are learned from where user-defined symbols are taken out.
fn between<'w>(words: &[Counted<'w>], config: &TrainerConfig) -> Result<Vec<Counted<'w>>> {
    let least = config.min_word_frequency.max(1);
    let kept = words.iter().copied().filter(|&(_, count)| count >= least);
    if config.user_defined_symbols.is_empty() {
        return Ok(kept.collect());
    }
    let symbols = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(&config.user_defined_symbols)
        .map_err(|error| Error::Config(format!("user_defined_symbols: {error}; name fewer or shorter ones")))?;
    let mut parts = Vec::new();
    for (word, count) in kept {
        let mut start = 0;
        for found in symbols.find_iter(word) {
            parts.push((&word[start..found.start()], count));
            start = found.end();
        }
        parts.push((&word[start..], count));
    }
    Ok(parts)
}

/// The characters to keep, in order, with their weights.
fn alphabet(parts: &[Counted<'_>], config: &TrainerConfig, callback: ProgressCallback<'_>) -> Result<Vec<(char, u64)>> {
    let mut weights = vec![0_u128; CODE_POINTS];
    for (done, chunk) in parts.chunks(CHUNK).enumerate() {
        report(callback, Stage::Reading, done * CHUNK, 2 * parts.len())?;
        for &(part, count) in chunk {
            part.chars().for_each(|character| weights[character as usize] += u128::from(count));
        }
    }
    let reserved = config.reserved();
    let barred: HashSet<&str> = reserved.iter().map(String::as_str).collect();
    let is_free = |character: char| !barred.contains(character.encode_utf8(&mut [0; 4]) as &str);
    let mut kept: Vec<char> = config.required_chars.iter().copied().filter(|&character| is_free(character)).collect();
    kept.sort_unstable();
    kept.dedup();
    let seen = (0..).zip(&weights).filter(|&(_, &weight)| weight > 0).filter_map(|(code, _)| char::from_u32(code));
    let mut others: Vec<char> = seen.filter(|character| kept.binary_search(character).is_err()).collect();
    others.sort_by_key(|&character| Reverse(weights[character as usize]));
    let all: u128 = weights.iter().sum();
    let mut covered: u128 = kept.iter().map(|&character| weights[character as usize]).sum();
    for character in others {
        if covered as f64 / all as f64 >= config.character_coverage {
            break;
        }
        covered += weights[character as usize];
        if is_free(character) {
            kept.push(character);
        }
    }
    kept.sort_unstable();
    // A weight that does not fit is refused with the stretches that it comes from.
    let weight = |character: char| u64::try_from(weights[character as usize]).unwrap_or(u64::MAX);
    Ok(kept.into_iter().map(|character| (character, weight(character))).collect())
}

/// The parts cut at what is not in the alphabet, and at white space.
fn stretches<'w>(
    parts: &[Counted<'w>],
    symbols: &[Option<Symbol>],
    config: &TrainerConfig,
    callback: ProgressCallback<'_>,
) -> Result<Vec<Counted<'w>>> {
    let mut stretches = Vec::with_capacity(parts.len());
    let mut weight = 0_u128;
    for (done, chunk) in parts.chunks(CHUNK).enumerate() {
        report(callback, Stage::Reading, parts.len() + done * CHUNK, 2 * parts.len())?;
        for &(part, count) in chunk {
            cut(part, symbols, config, |stretch| {
                weight += u128::from(count) * stretch.chars().count() as u128;
                stretches.push((stretch, count));
            });
        }
    }
    if stretches.is_empty() {
        let message = "nothing to learn from: no word is left, or none has a character of the alphabet \
                       (min_word_frequency and character_coverage leave out what is rare)";
        return Err(Error::Counts(message.to_owned()));
    }
    if weight > u128::from(u64::MAX) {
        let message = "the characters of the words do not fit 64 bits: there are more than 2^64 - 1; divide all counts \
                       by a common factor";
        return Err(Error::Overflow(message.to_owned()));
    }
    Ok(stretches)
}

/// Whether a word ends between two characters, as far as white space goes.
fn divides(last: Option<char>, next: char, config: &TrainerConfig) -> bool {
    let (before, after) = (last == Some(SPACE), next == SPACE);
    let in_run = config.allow_whitespace_only_pieces && before && after;
    !in_run && if config.treat_whitespace_as_suffix { before } else { after }
}

fn cut<'w>(part: &'w str, symbols: &[Option<Symbol>], config: &TrainerConfig, mut emit: impl FnMut(&'w str)) {
    let (mut start, mut last) = (0, None);
    let mut emit = |range: Range<usize>| {
        if !range.is_empty() {
            emit(&part[range]);
        }
    };
    for (place, character) in part.char_indices() {
        if symbols[character as usize].is_none() {
            emit(start..place);
            start = place + character.len_utf8();
        } else if config.split_by_whitespace && divides(last, character, config) {
            emit(start..place);
            start = place;
        }
        last = Some(character);
    }
    emit(start..part.len());
}
