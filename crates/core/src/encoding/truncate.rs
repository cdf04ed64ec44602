//! Truncation to a maximum number of tokens.
//!
//! Tokens that are cut off become overflowing windows of at most the same length, each of which repeats `stride` tokens
//! of the window before it.

use std::ops::Range;

use crate::encoding::{Direction, Encoding};
use crate::error::{Error, Message, Result};

/// The choice of the text of a pair that is truncated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TruncationStrategy {
    /// The longer one, until both have the same length.
    #[default]
    LongestFirst,
    /// The first.
    OnlyFirst,
    /// The second.
    OnlySecond,
}

/// The settings of truncation.
///
/// ```
/// use piecework_core::encoding::Direction;
/// use piecework_core::encoding::truncate::{Truncation, TruncationStrategy};
/// use piecework_core::format::format_named;
/// use piecework_core::pipeline::{Input, Options, Scratch};
///
/// let strategy = TruncationStrategy::LongestFirst;
/// let truncation = Truncation { max_length: 2, stride: 0, strategy, direction: Direction::Right };
/// let options = Options { truncation: Some(truncation), ..Options::default() };
/// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\nlow\n##er\n")?;
/// let encoding = tokenizer.encode(Input::Text("lower low"), None, &options, &mut Scratch::default())?;
/// assert_eq!((&encoding.ids[..], &encoding.overflowing[0].ids[..]), (&[1, 2][..], &[1][..]));
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truncation {
    /// The maximum number of tokens, including those that the post-processor adds.
    pub max_length: usize,
    /// The number of tokens that a window repeats of the one before it.
    pub stride: usize,
    /// The choice of the text of a pair that is truncated.
    pub strategy: TruncationStrategy,
    /// The side that is cut off.
    pub direction: Direction,
}

/// The maximum number of combinations of overflowing windows.
const MAX_COMBINATIONS: usize = 1 << 14;
/// The maximum number of tokens of all combinations, besides those that the texts allow.
const MAX_COMBINED_TOKENS: usize = 1 << 22;
/// The number of tokens of combinations that a token of the texts allows.
const COMBINED_PER_TOKEN: usize = 32;
/// The number of times that a combination of two parts is made: alone, and as a part of each.
const COMBINATIONS_OF_TWO: usize = 3;

/// Returns an error if the parts of several texts, which are combined with each other, have too many tokens.
///
/// A text is its number of tokens, the number of those that are kept, and that of its parts.
pub(crate) fn check_combined(texts: &[(usize, usize, usize)]) -> Result<()> {
    let again = COMBINATIONS_OF_TWO.saturating_pow(u32::try_from(texts.len().saturating_sub(1)).unwrap_or(u32::MAX));
    let parts = texts.iter().map(|&(_, _, parts)| parts).fold(again, usize::saturating_mul);
    let [tokens, kept] = [|text: &(_, _, _)| text.0, |text: &(_, _, _)| text.1].map(|of| texts.iter().map(of).sum());
    check_parts(if texts.iter().all(|&(_, _, parts)| parts <= 1) { 1 } else { parts }, kept, tokens)
}

/// Returns an error if `parts` parts of `length` tokens each are too many for texts of `tokens` tokens.
pub(crate) fn check_parts(parts: usize, length: usize, tokens: usize) -> Result<()> {
    let combined = parts.saturating_mul(length);
    let most = MAX_COMBINED_TOKENS.saturating_add(tokens.saturating_mul(COMBINED_PER_TOKEN));
    if parts <= 1 || parts <= COMBINATIONS_OF_TWO * MAX_COMBINATIONS && combined <= most {
        return Ok(());
    }
    let message = format!("{parts} combinations of the parts of texts have {combined} tokens, and the texts {tokens}");
    Err(Error::Truncation(Message::new(message).hint(
        "truncate only one of them (`strategy=\"only_first\"` or `strategy=\"only_second\"`), raise `max_length`, lower `stride`, \
         or pad to fewer tokens",
    )))
}

/// The number of tokens to keep of the first and of the second text; `None` keeps all.
pub(crate) type Kept = (Option<usize>, Option<usize>);

impl Truncation {
    /// Returns the tokens to keep of texts with `first` and `second` tokens, if `added` special tokens are added.
    pub(crate) fn kept(&self, first: usize, second: Option<usize>, added: usize) -> Result<Kept> {
        let available = self.max_length.checked_sub(added).ok_or_else(|| {
            let max_length = self.max_length;
            Error::Truncation(
                Message::new(format!("{max_length} is too small: the post-processor adds {added} special tokens"))
                    .setting("max_length")
                    .hint("raise `max_length`, or pass `add_special_tokens=False`"),
            )
        })?;
        if available == 0 {
            return Ok((Some(0), second.map(|_| 0)));
        }
        let Some(excess) = (first + second.unwrap_or(0)).checked_sub(available).filter(|&excess| excess > 0) else {
            return Ok((None, None));
        };
        let kept = match (self.strategy, second) {
            (TruncationStrategy::LongestFirst, None) => (Some(available), None),
            (TruncationStrategy::LongestFirst, Some(second)) => {
                let (first, second) = share(first, second, available);
                (Some(first), Some(second))
            }
            (TruncationStrategy::OnlyFirst, _) => (Some(remaining(first, excess, "first")?), None),
            (TruncationStrategy::OnlySecond, Some(second)) => (None, Some(remaining(second, excess, "second")?)),
            (TruncationStrategy::OnlySecond, None) => {
                return Err(Error::Truncation(
                    "the strategy \"only_second\" truncates the second of two texts, and there is only one".into(),
                ));
            }
        };
        Ok(kept)
    }

    /// Truncates `encoding` to `length` tokens; with `overflow`, the rest becomes overflowing windows.
    pub(crate) fn truncate(&self, encoding: &mut Encoding, length: Option<usize>, overflow: bool) -> Result<()> {
        let Some(length) = length.filter(|&length| length < encoding.len()) else { return Ok(()) };
        if length == 0 {
            encoding.clear(overflow);
            return Ok(());
        }
        self.check_stride(length)?;
        let windows = self.windows(encoding.len(), length);
        encoding.split_windows(if overflow { &windows } else { &windows[..1] });
        Ok(())
    }

    /// Returns an error if the windows of two texts, each combined with each, would take too much memory.
    pub(crate) fn check_overflow(&self, lengths: [(usize, Option<usize>); 2]) -> Result<()> {
        let parts = |(tokens, length): (usize, Option<usize>)| match length {
            Some(length) if self.stride < length && length < tokens => (tokens - length).div_ceil(length - self.stride),
            _ => 0,
        };
        let [first, second] = lengths.map(parts);
        let text = |((tokens, kept), parts): ((usize, Option<usize>), usize)| {
            (tokens, kept.map_or(tokens, |kept| kept.min(tokens)), 1 + parts)
        };
        // Without a second text, nothing is combined.
        let texts = [text((lengths[0], first)), text((lengths[1], second))];
        if lengths[1].0 > 0 { check_combined(&texts) } else { Ok(()) }
    }

    /// Returns the range that is kept of `tokens` tokens.
    pub(crate) fn kept_range(&self, tokens: usize, length: Option<usize>) -> Result<Range<usize>> {
        let Some(length) = length.filter(|&length| length < tokens) else { return Ok(0..tokens) };
        if length > 0 {
            self.check_stride(length)?;
        }
        Ok(match self.direction {
            Direction::Right => 0..length,
            Direction::Left => tokens - length..tokens,
        })
    }

    /// Returns the ranges that are cut off of `tokens` tokens, of which `length` are kept; the stride is less than that.
    pub(crate) fn cut_off(&self, tokens: usize, length: Option<usize>) -> Vec<Range<usize>> {
        match length.filter(|&length| length < tokens) {
            None => Vec::new(),
            Some(0) => std::iter::once(0..tokens).collect(),
            Some(length) => self.windows(tokens, length).split_off(1),
        }
    }

    /// Returns an error if windows of `length` tokens would not advance.
    fn check_stride(&self, length: usize) -> Result<()> {
        let stride = self.stride;
        if stride < length {
            return Ok(());
        }
        Err(Error::Truncation(
            Message::new(format!(
                "expected less than {length}, the number of tokens without special tokens, found {stride}"
            ))
            .setting("stride")
            .hint("lower it"),
        ))
    }

    /// Returns the windows over `tokens` tokens, of `length` each except the last.
    fn windows(&self, tokens: usize, length: usize) -> Vec<Range<usize>> {
        let step = length - self.stride;
        let count = (tokens - length).div_ceil(step) + 1;
        let part = |number: usize| {
            let start = number * step;
            start..(start + length).min(tokens)
        };
        match self.direction {
            Direction::Right => (0..count).map(part).collect(),
            Direction::Left => (0..count).map(part).map(|range| tokens - range.end..tokens - range.start).collect(),
        }
    }
}

/// Divides `available` tokens between two texts; the shorter one keeps all of its tokens if possible.
fn share(first: usize, second: usize, available: usize) -> (usize, usize) {
    let short = first.min(second);
    let mut kept = (short, if short > available { short } else { short.max(available - short) });
    if kept.0 + kept.1 > available {
        kept = (available / 2, available / 2 + available % 2);
    }
    if first > second { (kept.1, kept.0) } else { kept }
}

/// Returns the number of tokens that remain of a text, or an error if none does.
fn remaining(tokens: usize, excess: usize, text: &str) -> Result<usize> {
    tokens.checked_sub(excess).filter(|&kept| kept > 0).ok_or_else(|| {
        Error::Truncation(
            Message::new(format!("the {text} text has {tokens} tokens, and {excess} would have to go"))
                .hint("raise `max_length`, or pass `strategy=\"longest_first\"`"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truncation(direction: Direction) -> Truncation {
        Truncation { max_length: 5, stride: 2, strategy: TruncationStrategy::LongestFirst, direction }
    }

    #[test]
    fn parts_overlap_by_the_stride() {
        assert_eq!(truncation(Direction::Right).windows(10, 5), [0..5, 3..8, 6..10]);
        assert_eq!(truncation(Direction::Left).windows(10, 5), [5..10, 2..7, 0..4]);
        assert_eq!(truncation(Direction::Right).windows(6, 5), [0..5, 3..6]);
    }

    #[test]
    fn available_tokens_are_shared() {
        for (lengths, shared) in
            [((2, 9), (2, 8)), ((9, 2), (8, 2)), ((9, 9), (5, 5)), ((20, 11), (5, 5)), ((3, 7), (3, 7))]
        {
            assert_eq!(share(lengths.0, lengths.1, 10), shared);
        }
    }

    #[test]
    fn impossible_truncations_are_errors() {
        let right = truncation(Direction::Right);
        assert!(right.kept(9, None, 6).is_err());
        assert!(Truncation { strategy: TruncationStrategy::OnlySecond, ..right }.kept(9, None, 0).is_err());
        assert!(Truncation { strategy: TruncationStrategy::OnlyFirst, ..right }.kept(4, Some(5), 0).is_err());
        assert!(right.truncate(&mut encoding(9), Some(2), true).is_err());
        assert_eq!(right.kept(9, None, 5), Ok((Some(0), None)));
    }

    fn encoding(tokens: u32) -> Encoding {
        let mut encoding = Encoding::default();
        (0..tokens).for_each(|id| encoding.push(id, crate::text::span::Span::default(), 0, 0));
        encoding
    }
}
