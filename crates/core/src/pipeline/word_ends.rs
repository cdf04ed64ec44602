//! The ends of words, at which a text may be cut.
//!
//! The words of most stages depend on no text after them: a prefix that ends at one of their words has the words of the
//! text. [`WordEnds`] names the first stages of a pipeline for which this holds.

use super::Tokenizer;
use super::options::Options;
use super::scratch::{GenericBuffers, Scratch};
use crate::added::SpecialsPolicy;
use crate::encoding::Direction;
use crate::error::Result;
use crate::normalize::Normalizer;
use crate::pretokenize::PreTokenizer;
use crate::splitter::WordSplitter;
use crate::text::span::{Span, check_length};

/// The number of characters from which on a run without an effect is looked for.
const LONG_RUN: usize = 32;
/// The number of characters next to such a run that are normalized with it.
const CONTEXT: usize = 16;

/// The stages of a pipeline whose words depend on no text after them.
#[derive(Debug)]
pub(super) struct WordEnds {
    /// The first stages, up to one that proves nothing; `None` if that is the first one.
    pub(super) proven: Option<WordSplitter>,
    is_proven: bool,
    /// The number of characters of the longest word that a suffix may begin inside of, with other words.
    pub(super) longest_shifted: usize,
    /// Whether the words on each side of a word's end are those of that side alone, without added tokens.
    pub(super) are_additive: bool,
}

impl WordEnds {
    /// Returns the stages of a splitter; the direction is the side that is cut off.
    pub(super) fn of(splitter: &WordSplitter, direction: Direction) -> Result<Self> {
        let normalizer = splitter.normalizer();
        let nothing = Self { proven: None, is_proven: false, longest_shifted: 0, are_additive: false };
        if normalizer.is_some_and(Normalizer::has_unknown_pattern) {
            return Ok(nothing);
        }
        let (mut steps, mut is_proven, mut longest_shifted) = (Vec::new(), true, 0);
        for step in splitter.pre_tokenizer().into_iter().flat_map(PreTokenizer::steps) {
            let longest = step.longest_shifted();
            if longest > 0 && direction == Direction::Left {
                longest_shifted = longest_shifted.max(longest);
                continue;
            }
            is_proven = step.proves_words();
            steps.extend(step.runs());
            if !is_proven {
                break;
            }
            if longest_shifted == 0 {
                steps.push(step.clone());
            }
        }
        if !is_proven && steps.is_empty() {
            return Ok(nothing);
        }
        let proven = WordSplitter::new(normalizer.cloned(), Some(PreTokenizer::Sequence(steps)))?;
        let are_additive = normalizer.is_none() && splitter.pre_tokenizer().is_none_or(PreTokenizer::is_additive);
        Ok(Self { proven: Some(proven), is_proven, longest_shifted, are_additive })
    }

    /// Returns whether all stages prove their words.
    pub(super) fn is_proven(&self) -> bool {
        self.is_proven
    }
}

/// Returns the spans of the words of a text in it.
pub(super) fn spans(
    splitter: &WordSplitter,
    tokenizer: &Tokenizer,
    text: &str,
    options: &Options,
    scratch: &mut Scratch,
) -> Result<Vec<Span>> {
    check_length(text)?;
    let Scratch { allowed, generic: GenericBuffers { words, .. }, .. } = scratch;
    let specials =
        if matches!(options.specials, SpecialsPolicy::Error(_)) { &SpecialsPolicy::Match } else { &options.specials };
    let matching = tokenizer.added.matching(text, specials, allowed)?;
    splitter.split_segments(text, [(Span::new(0, text.len()), matching)], true, words)?;
    Ok(words.as_slice().iter().map(|word| word.origin).collect())
}

/// Returns the distances of the ends of words from the start of a text of this length, in ascending order.
///
/// If the left side is cut off, those of the starts of the words from its end.
pub(super) fn distances(words: &[Span], length: usize, direction: Direction) -> Vec<usize> {
    let distance = |word: &Span| match direction {
        Direction::Right => word.range().end,
        Direction::Left => length - word.range().start,
    };
    let mut ends: Vec<_> = words.iter().map(distance).chain([length]).collect();
    ends.sort_unstable();
    ends.dedup();
    ends.retain(|&end| end > 0);
    ends
}

/// Removes places that have the normalized text of a later one: those inside a long run of characters without an effect.
///
/// Such a run consists of characters that normalization removes, or of one character that is repeated. The distances of the
/// places are in ascending order.
pub(super) fn distinct(
    splitter: &WordSplitter,
    text: &str,
    distances: Vec<usize>,
    direction: Direction,
    place: impl Fn(usize) -> usize,
) -> Result<Vec<usize>> {
    if splitter.normalizer().is_none() {
        return Ok(distances);
    }
    let part = |from: usize, to: usize| &text[from.min(to)..from.max(to)];
    let at = |index: usize| place(distances[index]);
    let has_effect = |character: &str| Ok(!splitter.normalize(character)?.is_empty());
    let (mut kept, mut start) = (Vec::new(), 0);
    while start < distances.len() {
        // The run has the characters between the places `start` and `end`.
        let mut end = start;
        while end + 1 < distances.len() {
            let next = part(at(end), at(end + 1));
            if has_effect(next)? && (end == start || next != part(at(end - 1), at(end))) {
                break;
            }
            end += 1;
        }
        let is_long = end - start >= LONG_RUN;
        let context = if is_long { context(text, at(start), direction) } else { 0 };
        let form = |to: usize| splitter.normalize(part(context, at(to)));
        if is_long && form(start + 2)? == form(end)? && form(start.midpoint(end))? == form(end)? {
            kept.extend([distances[start], distances[start + 1], distances[end]]);
        } else {
            kept.extend_from_slice(&distances[start..=end]);
        }
        start = end + 1;
    }
    Ok(kept)
}

/// Returns the place that is [`CONTEXT`] characters away from another one, in the text that is kept.
fn context(text: &str, place: usize, direction: Direction) -> usize {
    let size = |characters: &mut dyn Iterator<Item = char>| characters.take(CONTEXT).map(char::len_utf8).sum::<usize>();
    match direction {
        Direction::Right => place - size(&mut text[..place].chars().rev()),
        Direction::Left => place + size(&mut text[place..].chars()),
    }
}
