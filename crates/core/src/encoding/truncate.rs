//! Truncation: no more tokens than a model reads.
//!
//! What is cut off is not lost: it overflows, in parts of the same length, each of which repeats `stride` tokens of
//! the one before.

use std::ops::Range;

use crate::encoding::{Direction, Encoding};
use crate::error::{Error, Result};

/// Which text of a pair loses tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// The longer one, until both are of a length.
    #[default]
    LongestFirst,
    /// The first.
    OnlyFirst,
    /// The second.
    OnlySecond,
}

/// How encodings are truncated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truncation {
    /// The most tokens, those of the post-processor included.
    pub max_length: usize,
    /// How many tokens a part repeats of the one before.
    pub stride: usize,
    /// Which text of a pair loses tokens.
    pub strategy: Strategy,
    /// Which end loses them.
    pub direction: Direction,
}

/// So many combinations of overflowing parts are made at the most, and combinations of them.
const MOST_COMBINED: usize = 1 << 14;

/// Tokens to keep of the first and of the second text; `None` keeps all.
pub(crate) type Kept = (Option<usize>, Option<usize>);

impl Truncation {
    /// How many tokens of texts with `first` and `second` tokens are kept, beside `added` special tokens.
    pub(crate) fn kept(&self, first: usize, second: Option<usize>, added: usize) -> Result<Kept> {
        let room = self.max_length.checked_sub(added).ok_or_else(|| {
            let max_length = self.max_length;
            Error::Truncation(format!(
                "max_length={max_length} leaves no room: the post-processor adds {added} special tokens; raise it, or \
                 pass add_special_tokens=False"
            ))
        })?;
        if room == 0 {
            return Ok((Some(0), second.map(|_| 0)));
        }
        let Some(excess) = (first + second.unwrap_or(0)).checked_sub(room).filter(|&excess| excess > 0) else {
            return Ok((None, None));
        };
        let kept = match (self.strategy, second) {
            (Strategy::LongestFirst, None) => (Some(room), None),
            (Strategy::LongestFirst, Some(second)) => {
                let (first, second) = share(first, second, room);
                (Some(first), Some(second))
            }
            (Strategy::OnlyFirst, _) => (Some(remove(first, excess, "first")?), None),
            (Strategy::OnlySecond, Some(second)) => (None, Some(remove(second, excess, "second")?)),
            (Strategy::OnlySecond, None) => {
                return Err(Error::Truncation(
                    "the strategy \"only_second\" truncates the second of two texts, and there is only one".to_owned(),
                ));
            }
        };
        Ok(kept)
    }

    /// Truncates `encoding` to `length` tokens, if it has more; what is cut off overflows if that is wanted.
    pub(crate) fn truncate(&self, encoding: &mut Encoding, length: Option<usize>, overflow: bool) -> Result<()> {
        let Some(length) = length.filter(|&length| length < encoding.len()) else { return Ok(()) };
        if length == 0 {
            encoding.clear(overflow);
            return Ok(());
        }
        self.check_stride(length)?;
        let parts = self.parts(encoding.len(), length);
        encoding.split(if overflow { &parts } else { &parts[..1] });
        Ok(())
    }

    /// Refuses parts that are more than memory holds: those of two texts are combined, each with each.
    pub(crate) fn check_overflow(&self, lengths: [(usize, Option<usize>); 2]) -> Result<()> {
        let parts = |(tokens, length): (usize, Option<usize>)| match length {
            Some(length) if self.stride < length && length < tokens => (tokens - length).div_ceil(length - self.stride),
            _ => 0,
        };
        let [first, second] = lengths.map(parts);
        // Every combination is itself followed by the rest of the second text.
        if first.saturating_mul(second) <= MOST_COMBINED {
            return Ok(());
        }
        Err(Error::Truncation(format!(
            "{first} parts of one text and {second} of the other overflow, and make {} combinations; truncate only one \
             of them (strategy \"only_first\" or \"only_second\"), or raise max_length",
            first.saturating_mul(second)
        )))
    }

    /// The part that is kept of `tokens` tokens.
    pub(crate) fn first_part(&self, tokens: usize, length: Option<usize>) -> Result<Range<usize>> {
        let Some(length) = length.filter(|&length| length < tokens) else { return Ok(0..tokens) };
        if length > 0 {
            self.check_stride(length)?;
        }
        Ok(match self.direction {
            Direction::Right => 0..length,
            Direction::Left => tokens - length..tokens,
        })
    }

    fn check_stride(&self, length: usize) -> Result<()> {
        let stride = self.stride;
        if stride < length {
            return Ok(());
        }
        Err(Error::Truncation(format!(
            "stride={stride} repeats as much as there is room for, {length} tokens beside the special ones; lower it"
        )))
    }

    /// The parts of `tokens` tokens, of `length` each but the last.
    fn parts(&self, tokens: usize, length: usize) -> Vec<Range<usize>> {
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

/// The lengths that `room` tokens are shared out in: the shorter text keeps all if it can.
fn share(first: usize, second: usize, room: usize) -> (usize, usize) {
    let short = first.min(second);
    let mut kept = (short, if short > room { short } else { short.max(room - short) });
    if kept.0 + kept.1 > room {
        kept = (room / 2, room / 2 + room % 2);
    }
    if first > second { (kept.1, kept.0) } else { kept }
}

fn remove(tokens: usize, excess: usize, text: &str) -> Result<usize> {
    tokens.checked_sub(excess).filter(|&kept| kept > 0).ok_or_else(|| {
        Error::Truncation(format!(
            "the {text} text has {tokens} tokens, and {excess} would have to go; raise max_length, or use the strategy \
             \"longest_first\""
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn truncation(direction: Direction) -> Truncation {
        Truncation { max_length: 5, stride: 2, strategy: Strategy::LongestFirst, direction }
    }

    #[test]
    fn parts_overlap_by_the_stride() {
        assert_eq!(truncation(Direction::Right).parts(10, 5), [0..5, 3..8, 6..10]);
        assert_eq!(truncation(Direction::Left).parts(10, 5), [5..10, 2..7, 0..4]);
        assert_eq!(truncation(Direction::Right).parts(6, 5), [0..5, 3..6]);
    }

    #[test]
    fn room_is_shared() {
        for (lengths, shared) in
            [((2, 9), (2, 8)), ((9, 2), (8, 2)), ((9, 9), (5, 5)), ((20, 11), (5, 5)), ((3, 7), (3, 7))]
        {
            assert_eq!(share(lengths.0, lengths.1, 10), shared);
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let right = truncation(Direction::Right);
        assert!(right.kept(9, None, 6).is_err());
        assert!(Truncation { strategy: Strategy::OnlySecond, ..right }.kept(9, None, 0).is_err());
        assert!(Truncation { strategy: Strategy::OnlyFirst, ..right }.kept(4, Some(5), 0).is_err());
        assert!(right.truncate(&mut encoding(9), Some(2), true).is_err());
        assert_eq!(right.kept(9, None, 5), Ok((Some(0), None)));
    }

    fn encoding(tokens: u32) -> Encoding {
        let mut encoding = Encoding::default();
        (0..tokens).for_each(|id| encoding.push(id, crate::text::span::Span::default(), 0, 0));
        encoding
    }
}
