//! Truncates a text to a number of tokens: finds its longest prefix or suffix that encodes to at most that number.
//!
//! A text that is cut at the offset of a token may encode to more tokens: the characters before the cut merge differently,
//! or the token begins inside a character. The number of tokens may even fall with a longer prefix. So candidates are
//! encoded, from the longest one down. [`Boundaries`] limit them: if the text before a boundary has too many tokens, so
//! has every prefix that extends beyond it. Bisection finds the first such boundary, by encoding about twice the text
//! that is kept; the candidates lie between two boundaries. A suffix is found in the same way from the other end.
//!
//! Cost: O(k log k) for a kept text of length k, and k for each candidate (its distance to a safe split point, if the
//! pipeline has these). Without boundaries every prefix is a candidate, which takes quadratic time.

use std::ops::Range;

use super::Tokenizer;
use super::boundaries::Boundaries;
use super::cuts::Cuts;
use super::encode::Step;
use super::options::{Input, Options};
use super::scratch::Scratch;
use crate::added::Specials;
use crate::encoding::Direction;
use crate::error::{Error, Message, Result};

/// The number of bytes of the first part of a text that is looked at, for each token.
const BYTES_PER_TOKEN: usize = 6;
/// The smallest number of bytes of that part.
const SMALLEST_PART: usize = 64;
/// The number of bytes between two boundaries from which on candidates are searched by steps, not all tried.
const WIDE: usize = 4096;
/// The number of characters of a text for each of a token, at most, and the smallest step.
const STEPS: usize = 4;
const SMALLEST_STEP: usize = 128;

impl Tokenizer {
    /// Returns the longest prefix of a text that encodes to at most `max_tokens` tokens, or the longest suffix.
    ///
    /// The direction is the side that is cut off. Special tokens that post-processing adds count. A prefix that cannot be
    /// encoded is not considered.
    ///
    /// ```
    /// use piecework_core::encoding::Direction;
    /// use piecework_core::format::format_named;
    /// use piecework_core::pipeline::{Options, Scratch};
    ///
    /// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\nlow\n##er\n")?;
    /// let (options, mut scratch) = (Options::default(), Scratch::default());
    /// let mut truncate = |side| tokenizer.truncate_text("low lower", 2, side, &options, &mut scratch);
    /// assert_eq!((truncate(Direction::Right)?, truncate(Direction::Left)?), ("low lowe", " lower"));
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn truncate_text<'t>(
        &self,
        text: &'t str,
        max_tokens: usize,
        direction: Direction,
        options: &Options,
        scratch: &mut Scratch,
    ) -> Result<&'t str> {
        let kept = self.truncate_part(text, max_tokens, direction, false, options, scratch)?;
        Ok(kept.unwrap_or(text))
    }

    /// Returns what [`Self::truncate_text`] returns for a longer text, of which only one end is given.
    ///
    /// If `continues`, `text` is the beginning of the longer text, or its end for [`Direction::Left`]. `None` if more of
    /// the text is needed.
    pub fn truncate_part<'t>(
        &self,
        text: &'t str,
        max_tokens: usize,
        direction: Direction,
        continues: bool,
        options: &Options,
        scratch: &mut Scratch,
    ) -> Result<Option<&'t str>> {
        let options = Options { truncation: None, padding: None, dropout: Some(0.0), alpha: None, ..options.clone() };
        let steps = self.plan(false, &options)?;
        let specials = steps.iter().map(|step| if let Step::Special(ids) = step { ids.len() } else { 0 }).sum();
        let mut search = Search {
            tokenizer: self,
            text,
            continues,
            max_tokens,
            specials,
            options: &options,
            cuts: self.cuts(&options),
            scratch,
        };
        if !search.fits("")? {
            return Err(search.too_small()?);
        }
        let boundaries = Boundaries::of(self, &options);
        let kept = match direction {
            Direction::Right => search.prefix_end(boundaries.as_ref())?.map(|end| &text[..end]),
            Direction::Left => search.suffix_start(boundaries.as_ref())?.map(|start| &text[start..]),
        };
        if let Some(kept) = kept.filter(|_| options.specials == Specials::Error) {
            search.check_specials(text.len() - kept.len(), direction)?;
        }
        Ok(kept)
    }
}

/// A search for the part of a text to keep.
struct Search<'a> {
    tokenizer: &'a Tokenizer,
    text: &'a str,
    /// Whether the text continues at the end that is cut off.
    continues: bool,
    max_tokens: usize,
    /// The number of special tokens that post-processing adds.
    specials: usize,
    options: &'a Options,
    cuts: Option<Cuts<'a>>,
    scratch: &'a mut Scratch,
}

impl Search<'_> {
    /// Returns the number of tokens of a text with its special tokens; `None` if it cannot be encoded.
    fn count(&mut self, text: &str) -> Result<Option<usize>> {
        match self.tokenizer.count(text, self.options, self.scratch) {
            Ok(count) => Ok(Some(count)),
            Err(Error::NoUnknownToken { .. } | Error::SpecialToken { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn fits(&mut self, text: &str) -> Result<bool> {
        Ok(self.count(text)?.is_some_and(|count| count <= self.max_tokens))
    }

    /// Returns the error that not even the empty text fits.
    fn too_small(&mut self) -> Result<Error> {
        let (max_tokens, least) = (self.max_tokens, self.count("")?.unwrap_or(0));
        let message = Message::new(format!("{max_tokens} is too small: an empty text has {least} special tokens"))
            .setting("n")
            .hint("raise `n`, or pass `add_special_tokens=False`");
        Ok(Error::Truncation(message))
    }

    /// Returns the end of the longest prefix that fits; `None` if the text is too short to decide.
    fn prefix_end(&mut self, boundaries: Option<&Boundaries<'_>>) -> Result<Option<usize>> {
        let (low, high) = match boundaries {
            Some(boundaries) => self.prefix_window(boundaries)?,
            None => (0, None),
        };
        let high = match high {
            Some(high) => high,
            None if self.continues => return Ok(None),
            None => self.text.len() + 1,
        };
        let known = self.known_alone(0..low, low)?;
        let fits = |search: &mut Self, end: usize| match known {
            Some(known) if end > low => search.fits_with(known, low..end),
            _ => search.fits(&search.text[..end]),
        };
        if boundaries.is_some()
            && high - low > WIDE
            && let Some(step) = self.step(false)
            && fits(self, low)?
        {
            let text = self.text;
            let place = |bytes: usize| (low + bytes, text.is_char_boundary(low + bytes));
            let kept = last_fitting(high - low, step, place, |end| fits(self, end))?;
            return Ok(Some(kept));
        }
        for end in (0..high).rev().filter(|&end| self.text.is_char_boundary(end)) {
            if fits(self, end)? {
                return Ok(Some(end));
            }
        }
        Ok(Some(0))
    }

    /// Returns two boundaries: the prefixes that extend beyond the second do not fit, nor does the one that ends there.
    ///
    /// The first is 0 if there is none; the second is `None` if the end of the text was reached.
    fn prefix_window(&mut self, boundaries: &Boundaries<'_>) -> Result<(usize, Option<usize>)> {
        let (mut low, mut high, mut size) = (0, None, self.first_size());
        let last = if self.continues { self.text.len().saturating_sub(boundaries.context()) } else { self.text.len() };
        while high.is_none() && low < last {
            let end = size.min(last);
            match boundaries.last_in(self.text, low + 1..end) {
                Some(at) if self.fits(&self.text[..at])? => low = at,
                Some(at) => high = Some(at),
                None => {}
            }
            if end == last {
                break;
            }
            size = size.saturating_mul(2);
        }
        let Some(mut high) = high else { return Ok((low, None)) };
        while let Some(at) = between(boundaries, self.text, low, high) {
            if self.fits(&self.text[..at])? { low = at } else { high = at }
        }
        Ok((low, Some(high)))
    }

    /// Returns the start of the longest suffix that fits; `None` if the text is too short to decide.
    fn suffix_start(&mut self, boundaries: Option<&Boundaries<'_>>) -> Result<Option<usize>> {
        let (low, mut high) = match boundaries {
            Some(boundaries) => self.suffix_window(boundaries)?,
            None => (None, self.text.len()),
        };
        let low = match low {
            Some(low) => low,
            None if self.continues => return Ok(None),
            None => 0,
        };
        if let Some(boundaries) = boundaries
            && !self.fits(&self.text[high..])?
        {
            high = self.fitting_boundary(boundaries, high)?;
        }
        let known = self.known_alone(high..self.text.len(), high)?;
        let fits = |search: &mut Self, start: usize| match known {
            Some(known) if start < high => search.fits_with(known, start..high),
            _ => search.fits(&search.text[start..]),
        };
        if boundaries.is_some()
            && high - low > WIDE
            && let Some(step) = self.step(true)
            && fits(self, high)?
        {
            let text = self.text;
            let place = |bytes: usize| (high - bytes, text.is_char_boundary(high - bytes));
            let kept = last_fitting(high - low + 1, step, place, |start| fits(self, start))?;
            return Ok(Some(kept));
        }
        for start in (low..self.text.len()).filter(|&start| self.text.is_char_boundary(start)) {
            if fits(self, start)? {
                return Ok(Some(start));
            }
        }
        Ok(Some(self.text.len()))
    }

    /// Returns the largest distance in characters between candidates that fit, with room for characters that normalization
    /// removes; `None` if the model allows no such statement.
    fn step(&self, ends: bool) -> Option<usize> {
        Some(self.tokenizer.model().longest_step(ends)?.saturating_mul(STEPS).max(SMALLEST_STEP))
    }

    /// Returns two boundaries: the suffixes that begin before the first do not fit.
    ///
    /// The first is `None` if the start of the text was reached; the second is the end of the text if there is none.
    fn suffix_window(&mut self, boundaries: &Boundaries<'_>) -> Result<(Option<usize>, usize)> {
        let (mut low, mut high, mut size) = (None, self.text.len(), self.first_size());
        let first = if self.continues { boundaries.context() } else { 1 };
        while low.is_none() && high > first {
            let start = self.text.len().saturating_sub(size).max(first);
            match boundaries.first_in(self.text, start..high) {
                Some(at) if self.exceeds_after(boundaries, at)? => low = Some(at),
                Some(at) => high = at,
                None => {}
            }
            if start == first {
                break;
            }
            size = size.saturating_mul(2);
        }
        let Some(mut low) = low else { return Ok((None, high)) };
        while let Some(at) = between(boundaries, self.text, low, high) {
            if self.exceeds_after(boundaries, at)? { low = at } else { high = at }
        }
        Ok((Some(low), high))
    }

    /// Returns a boundary after another, from which the rest of the text fits, or the end of the text.
    fn fitting_boundary(&mut self, boundaries: &Boundaries<'_>, mut low: usize) -> Result<usize> {
        let mut high = self.text.len();
        while let Some(at) = between(boundaries, self.text, low, high) {
            if self.fits(&self.text[at..])? { high = at } else { low = at }
        }
        Ok(high)
    }

    /// Returns whether the tokens after a boundary do not fit in any suffix that begins before it.
    fn exceeds_after(&mut self, boundaries: &Boundaries<'_>, at: usize) -> Result<bool> {
        if boundaries.has_context() {
            // The number of tokens may depend on the score of the text before, so only chunks are counted: each one that
            // ends at a boundary has a token.
            let wanted = self.max_tokens - self.specials;
            let chunks = (at + 1..self.text.len()).filter(|&end| boundaries.is_at(self.text, end));
            return Ok(chunks.take(wanted + 1).count() > wanted);
        }
        let before = self.text[..at].char_indices().next_back().map_or(0, |(start, _)| start);
        Ok(match (self.count(&self.text[before..])?, self.count(&self.text[before..at])?) {
            (Some(whole), Some(part)) => whole.saturating_sub(part) + self.specials > self.max_tokens,
            // What cannot be encoded is after the boundary.
            (None, part) => part.is_some(),
            (Some(_), None) => false,
        })
    }

    /// Returns the number of tokens of one side of a safe split point, without special tokens; `None` elsewhere.
    fn known_alone(&mut self, side: Range<usize>, at: usize) -> Result<Option<usize>> {
        let is_inside = at > 0 && at < self.text.len();
        let is_safe = is_inside && self.cuts.is_some_and(|cuts| cuts.is_safe(self.text, at));
        if is_safe { self.count_alone(side) } else { Ok(None) }
    }

    /// Returns whether a part next to a safe split point fits together with the `known` tokens of the other part.
    fn fits_with(&mut self, known: usize, part: Range<usize>) -> Result<bool> {
        let count = self.count_alone(part)?;
        Ok(count.is_some_and(|count| known + count + self.specials <= self.max_tokens))
    }

    /// Returns the number of tokens of a part of the text without special tokens; `None` if it cannot be encoded.
    fn count_alone(&mut self, part: Range<usize>) -> Result<Option<usize>> {
        Ok(self.count(&self.text[part])?.map(|count| count - self.specials))
    }

    fn first_size(&self) -> usize {
        self.max_tokens.saturating_mul(BYTES_PER_TOKEN).max(SMALLEST_PART)
    }

    /// Returns an error if special tokens are errors, and one of them spans the cut.
    fn check_specials(&mut self, removed: usize, direction: Direction) -> Result<()> {
        let cut = match direction {
            Direction::Right => self.text.len() - removed,
            Direction::Left => removed,
        };
        let lengths = self.tokenizer.added.specials().map(|token| token.content.len());
        let longest = lengths.max().unwrap_or(0);
        for start in (cut.saturating_sub(longest)..cut).filter(|&at| self.text.is_char_boundary(at)) {
            let end = (start + longest..=self.text.len()).find(|&at| self.text.is_char_boundary(at));
            let part = &self.text[start..end.unwrap_or(self.text.len())];
            let found = self.tokenizer.encode_ids(Input::Text(part), None, self.options, self.scratch, &mut Vec::new());
            if let Err(Error::SpecialToken { token, character: 0 }) = found
                && start + token.len() > cut
            {
                let character = self.text[..start].chars().count();
                return Err(Error::SpecialToken { token, character });
            }
        }
        Ok(())
    }
}

/// Returns the last place that fits among those 0 to `bytes` bytes away, of which the first does.
///
/// `place` returns the position at a distance, and whether it is a character boundary. Of two boundaries that fit, one after
/// the other, the distance is at most `step` boundaries. The cost is logarithmic in the result, and linear in `step`, in calls
/// of `fits`.
fn last_fitting(
    bytes: usize,
    step: usize,
    place: impl Fn(usize) -> (usize, bool),
    mut fits: impl FnMut(usize) -> Result<bool>,
) -> Result<usize> {
    let is_boundary = |&at: &usize| place(at).1;
    let mut best = 0;
    loop {
        let (mut width, mut above) = (1, bytes);
        while above - best > 1 {
            let wanted = if above == bytes { best.saturating_add(width).min(above - 1) } else { best.midpoint(above) };
            let Some(at) =
                (best + 1..=wanted).rev().find(is_boundary).or_else(|| (wanted + 1..above).find(is_boundary))
            else {
                break;
            };
            if fits(place(at).0)? {
                (best, width) = (at, width.saturating_mul(2));
            } else {
                above = at;
            }
        }
        let mut later = (above + 1..bytes).filter(is_boundary).take(step);
        let Some(next) = later.find_map(|at| match fits(place(at).0) {
            Ok(false) => None,
            Ok(true) => Some(Ok(at)),
            Err(error) => Some(Err(error)),
        }) else {
            return Ok(place(best).0);
        };
        best = next?;
    }
}

/// Returns a boundary between two others, near the middle.
fn between(boundaries: &Boundaries<'_>, text: &str, low: usize, high: usize) -> Option<usize> {
    let middle = low.midpoint(high);
    boundaries.last_in(text, low + 1..middle + 1).or_else(|| boundaries.first_in(text, (middle + 1).max(low + 1)..high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_place_that_fits() {
        // Every third byte is a character boundary, and gaps of up to two boundaries are allowed.
        let place = |bytes: usize| (100 + bytes, bytes.is_multiple_of(3));
        let last = |step, fitting: &[usize]| {
            let fits = |at: usize| Ok(fitting.contains(&(at - 100)));
            last_fitting(31, step, place, fits).unwrap() - 100
        };
        assert_eq!(last(2, &[0]), 0);
        assert_eq!(last(2, &[0, 3, 6, 9]), 9);
        assert_eq!(last(2, &[0, 3, 9, 15, 18]), 18);
        assert_eq!(last(0, &[0, 3, 9]), 3);
        assert_eq!(last(2, &(0..31).collect::<Vec<_>>()), 30);
    }
}
