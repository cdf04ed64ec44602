//! Truncates a text to a number of tokens: finds its longest prefix or suffix that encodes to at most that number.
//!
//! A text that is cut at the offset of a token may encode to more tokens: the characters before the cut merge differently,
//! or the token begins inside a character. The number of tokens may even fall with a longer prefix. So candidates are
//! encoded, from the longest one down. [`BoundaryFinder`] limit them: if the text before a boundary has too many tokens, so
//! has every prefix that extends beyond it. Bisection finds the first such boundary, by encoding about twice the text
//! that is kept; the candidates lie between two boundaries. A suffix is found in the same way from the other end.
//!
//! Where boundaries are far apart or not known, [`WordEnds`] limit the candidates: the words of the stages whose words
//! depend on no text after them. If a single word is long, the longest token limits the distance of candidates that fit.
//! Stages that prove nothing, such as a regular expression of the user's, leave the ends of the text's words.
//!
//! Cost: O(k log k) for a kept text of length k, and a bounded number of candidates of that length. Without boundaries,
//! the words of a part of the text, or of the whole text, are listed once.

use std::ops::Range;

use super::Tokenizer;
use super::boundaries::BoundaryFinder;
use super::cuts::TextCutter;
use super::encode::IdPart;
use super::options::{Input, Options};
use super::scratch::Scratch;
use super::word_ends::{self, WordEnds};
use crate::added::SpecialsPolicy;
use crate::encoding::Direction;
use crate::error::{Error, Message, Result};
use crate::splitter::WordSplitter;
use crate::stop::Work;

/// The number of bytes of the first part of a text that is looked at, for each token.
const BYTES_PER_TOKEN: usize = 6;
/// The smallest number of bytes of that part.
const SMALLEST_PART: usize = 64;
/// The number of bytes that may be encoded to try all candidates between two boundaries.
const MOST_TRIED: usize = 1 << 20;
/// The number of candidates that are tried after one that does not fit, even if they have more bytes together: enough for
/// entries of 128 characters, which are the longest of most vocabularies.
const MOST_LATER: usize = 512;
/// The number of words at the end of a part of a text that the rest of the text may change.
const OPEN_WORDS: usize = 8;
/// The number of word ends that are tried after one that does not fit, if they depend on the text after them.
const LATER_WORDS: usize = 32;
/// The number of characters of a text for each of a token, at most, and the smallest step.
const STEPS: usize = 4;
const SMALLEST_STEP: usize = 128;

/// The part of a text that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TruncatedText<'t> {
    /// The prefix or suffix.
    pub text: &'t str,
    /// Whether no longer one fits; false if this is not proven.
    pub is_longest: bool,
}

/// The limit of a text, of which one end may be given.
#[derive(Debug, Clone, Copy)]
pub struct TextLimit {
    /// The maximum number of tokens.
    pub max_tokens: usize,
    /// The side that is cut off.
    pub direction: Direction,
    /// Whether the text continues at the side that is cut off.
    pub continues: bool,
}

impl Tokenizer {
    /// Returns the longest prefix of a text that encodes to at most a number of tokens, or the longest suffix.
    ///
    /// Special tokens that post-processing adds count. A prefix that cannot be encoded is not considered. Without stages that
    /// prove where a text may be cut, the result ends at a word. `None` if more of the text is needed, which continues at the
    /// side that is cut off.
    ///
    /// ```
    /// use piecework_core::encoding::Direction;
    /// use piecework_core::format::format_named;
    /// use piecework_core::pipeline::{Options, Scratch, TextLimit};
    ///
    /// let tokenizer = format_named("vocab.txt")?.read(b"[UNK]\nlow\n##er\n")?;
    /// let (options, mut scratch) = (Options::default(), Scratch::default());
    /// let limit = TextLimit { max_tokens: 2, direction: Direction::Right, continues: false };
    /// let kept = tokenizer.truncate_text("low lower", limit, &options, &mut scratch)?;
    /// assert_eq!(kept.map(|kept| (kept.text, kept.is_longest)), Some(("low lowe", true)));
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn truncate_text<'t>(
        &self,
        text: &'t str,
        limit: TextLimit,
        options: &Options,
        scratch: &mut Scratch,
    ) -> Result<Option<TruncatedText<'t>>> {
        let options = Options { truncation: None, padding: None, dropout: Some(0.0), alpha: None, ..options.clone() };
        let steps = self.plan(false, &options)?;
        let specials = steps.iter().map(|step| if let IdPart::Special(ids) = step { ids.len() } else { 0 }).sum();
        let mut search = Search {
            tokenizer: self,
            text,
            limit,
            specials,
            options: &options,
            cuts: self.cuts(&options),
            is_additive: false,
            scratch,
            work: Work::default(),
        };
        if !search.fits("")? {
            return Err(search.too_small()?);
        }
        let Some((at, is_longest)) = search.kept(BoundaryFinder::of(self, &options).as_ref())? else { return Ok(None) };
        let text = match limit.direction {
            Direction::Right => &text[..at],
            Direction::Left => &text[at..],
        };
        if matches!(options.specials, SpecialsPolicy::Error(_)) {
            search.check_specials(at)?;
        }
        Ok(Some(TruncatedText { text, is_longest }))
    }
}

/// A search for the part of a text to keep.
struct Search<'a> {
    tokenizer: &'a Tokenizer,
    text: &'a str,
    limit: TextLimit,
    /// The number of special tokens that post-processing adds.
    specials: usize,
    options: &'a Options,
    cuts: Option<TextCutter<'a>>,
    /// Whether the words on both sides of a word's end that stages prove are those of the two sides.
    is_additive: bool,
    scratch: &'a mut Scratch,
    work: Work,
}

/// The candidates: places at a distance in bytes from one that fits.
#[derive(Debug, Clone, Copy)]
struct Window {
    /// The place that fits.
    base: usize,
    /// The distance from which on no place fits.
    far: usize,
    /// The distance of the end of the first word that does not fit, or `far`.
    exceeding: usize,
    direction: Direction,
}

impl Window {
    fn place(self, distance: usize) -> usize {
        match self.direction {
            Direction::Right => self.base + distance,
            Direction::Left => self.base - distance,
        }
    }

    /// Returns the range between the base and a place.
    fn part(self, distance: usize) -> Range<usize> {
        let place = self.place(distance);
        self.base.min(place)..self.base.max(place)
    }

    /// Returns the window from one of its places on to another one; `exceeding` is the end of a word between them.
    fn between(self, fitting: usize, exceeding: usize, far: usize) -> Self {
        Self { base: self.place(fitting), far: far - fitting, exceeding: exceeding - fitting, ..self }
    }
}

impl Search<'_> {
    /// Returns the number of tokens of a text with its special tokens; `None` if it cannot be encoded.
    fn count(&mut self, text: &str) -> Result<Option<usize>> {
        self.work.add(1 + text.len());
        match self.tokenizer.count(text, self.options, self.scratch) {
            Ok(count) => Ok(Some(count)),
            Err(Error::NoUnknownToken { .. } | Error::SpecialToken { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn fits(&mut self, text: &str) -> Result<bool> {
        Ok(self.count(text)?.is_some_and(|count| count <= self.limit.max_tokens))
    }

    /// Returns the error that not even the empty text fits.
    fn too_small(&mut self) -> Result<Error> {
        let (max_tokens, least) = (self.limit.max_tokens, self.count("")?.unwrap_or(0));
        let message = Message::new(format!("{max_tokens} is too small: an empty text has {least} special tokens"))
            .setting("n")
            .hint("raise `n`, or pass `add_special_tokens=False`");
        Ok(Error::Truncation(message))
    }

    /// Returns the place of the cut, and whether the kept part is proven to be the longest; `None` if the text is too short
    /// to decide.
    fn kept(&mut self, boundaries: Option<&BoundaryFinder<'_>>) -> Result<Option<(usize, bool)>> {
        let word_ends = WordEnds::of(self.tokenizer.splitter(), self.limit.direction)?;
        let window = match boundaries {
            Some(boundaries) => self.window(boundaries)?,
            None if self.limit.continues && word_ends.proven.is_none() => return Ok(None),
            None => {
                let base = if self.limit.direction == Direction::Right { 0 } else { self.text.len() };
                let far = self.text.len() + 1;
                Some(Window { base, far, exceeding: far, direction: self.limit.direction })
            }
        };
        let Some(mut window) = window else { return Ok(None) };
        let is_open = self.limit.continues && boundaries.is_none();
        if !is_open && (boundaries.is_some() || word_ends.is_proven() || word_ends.proven.is_some()) {
            if let Some(found) = self.try_all(window)? {
                return Ok(Some((found, true)));
            }
        } else if !is_open && self.fits_at(window, self.last_distance(window))? {
            return Ok(Some((window.place(self.last_distance(window)), true)));
        }
        if let Some(splitter) = &word_ends.proven {
            let Some(narrow) = self.between_words(window, splitter, is_open, 1)? else { return Ok(None) };
            window = narrow;
            self.is_additive = word_ends.are_additive && self.tokenizer.added.tokens().is_empty();
            if let Some(found) = self.try_all(window)? {
                return Ok(Some((found, self.is_decided_by_words())));
            }
        }
        if is_open && word_ends.proven.is_none() {
            return Ok(None);
        }
        if word_ends.is_proven() {
            return self.by_steps(window, word_ends.longest_shifted).map(Some);
        }
        let words = self.between_words(window, self.tokenizer.splitter(), false, LATER_WORDS)?;
        Ok(words.map(|words| (words.base, false)))
    }

    /// Returns the window between two boundaries; `None` if the text is too short to decide.
    fn window(&mut self, boundaries: &BoundaryFinder<'_>) -> Result<Option<Window>> {
        let (base, far) = match self.limit.direction {
            Direction::Right => {
                let (low, high) = self.prefix_window(boundaries)?;
                (low, high.or((!self.limit.continues).then_some(self.text.len() + 1)).map(|high| high - low))
            }
            Direction::Left => {
                let (low, mut high) = self.suffix_window(boundaries)?;
                if !self.fits(&self.text[high..])? {
                    high = self.fitting_boundary(boundaries, high)?;
                }
                (high, low.or((!self.limit.continues).then_some(0)).map(|low| high - low + 1))
            }
        };
        Ok(far.map(|far| Window { base, far, exceeding: far, direction: self.limit.direction }))
    }

    /// Returns whether the text fits if it is cut at a distance from the base of a window.
    fn fits_at(&mut self, window: Window, distance: usize) -> Result<bool> {
        let at = window.place(distance);
        let kept = if window.direction == Direction::Right { 0..at } else { at..self.text.len() };
        self.fits(&self.text[kept])
    }

    /// Returns the last place of a window that fits, by trying all; `None` if that takes long.
    fn try_all(&mut self, window: Window) -> Result<Option<usize>> {
        let known = self.known(window)?;
        if window.far.saturating_mul(self.bytes_of_candidate(known, window)) > MOST_TRIED {
            return Ok(None);
        }
        for distance in self.distances(window).into_iter().rev() {
            if self.fits_beside(known, window, distance)? {
                return Ok(Some(window.place(distance)));
            }
        }
        Ok(Some(window.base))
    }

    /// Returns the number of bytes that are encoded to try a place of a window, on average.
    fn bytes_of_candidate(&self, known: Option<usize>, window: Window) -> usize {
        let kept = match window.direction {
            _ if known.is_some() => 0,
            Direction::Right => window.base,
            Direction::Left => self.text.len() - window.base,
        };
        kept + window.far / 2
    }

    /// Returns the distances of the character boundaries of a window but its base.
    fn distances(&self, window: Window) -> Vec<usize> {
        (1..window.far).filter(|&distance| self.text.is_char_boundary(window.place(distance))).collect()
    }

    /// Returns the window between the last end of a word that fits and the end of the second word after it.
    ///
    /// The cut may be in the second word if both together have fewer tokens: an added token that is cut is text, part of the
    /// word before it, and a suffix that begins before a space may have no other prefix. Such a cut is near the word.
    ///
    /// `None` if the text continues (`is_open`), and all ends fit but those that the rest of the text may change. The first
    /// end that does not fit may be followed by up to `later` other ones.
    fn between_words(
        &mut self,
        window: Window,
        splitter: &WordSplitter,
        is_open: bool,
        later: usize,
    ) -> Result<Option<Window>> {
        let part = &self.text[window.part(self.last_distance(window))];
        let words = word_ends::spans(splitter, self.tokenizer, part, self.options, self.scratch)?;
        let mut ends = word_ends::distances(&words, part.len(), self.limit.direction);
        ends.retain(|&distance| distance < window.far && self.text.is_char_boundary(window.place(distance)));
        if is_open {
            ends.truncate(ends.len().saturating_sub(OPEN_WORDS));
        }
        let known = self.known(window)?;
        let last = last_fitting(ends.len() + 1, later, |place| match place {
            0 => Ok(true),
            _ => self.fits_beside(known, window, ends[place - 1]),
        })?;
        let fitting = if last == 0 { 0 } else { ends[last - 1] };
        let (exceeding, next) = (ends.get(last).copied().unwrap_or(window.far), ends.get(last + 1).copied());
        let far = next.unwrap_or(window.far).min(exceeding.saturating_add(SMALLEST_STEP + self.longest_added()));
        Ok((!is_open || next.is_some()).then(|| window.between(fitting, exceeding, far)))
    }

    /// Returns the number of bytes of the longest added token.
    fn longest_added(&self) -> usize {
        self.tokenizer.added.tokens().iter().map(|token| token.content.len()).max().unwrap_or(0)
    }

    /// Returns the last place of a long window that fits, which is in one word, and whether it is proven to be the last.
    fn by_steps(&mut self, window: Window, longest_shifted: usize) -> Result<(usize, bool)> {
        let known = self.known(window)?;
        let all = self.distances(window);
        let place = |distance| window.place(distance);
        let distances = word_ends::distinct(self.tokenizer.splitter(), self.text, all, window.direction, place)?;
        let most = (MOST_TRIED / self.bytes_of_candidate(known, window).max(1)).max(MOST_LATER);
        // A word that becomes unknown stays so, and is one token.
        let model = self.tokenizer.model();
        let inside = distances.partition_point(|&distance| distance < window.exceeding);
        let open_end = model.longest_open_end();
        for &distance in distances[inside.saturating_sub(open_end.min(most))..].iter().rev() {
            if self.fits_beside(known, window, distance)? {
                return Ok((window.place(distance), self.is_decided_by_words()));
            }
        }
        let step = model.longest_step(self.limit.direction == Direction::Left);
        // A cut may make an added token that is matched as a single word.
        let step_or_token = step.unwrap_or(0).max(longest_shifted).max(self.longest_added());
        let wanted = step_or_token.saturating_mul(STEPS).max(SMALLEST_STEP);
        let last = last_fitting(distances.len() + 1, wanted.min(most), |place| match place {
            0 => Ok(true),
            _ => self.fits_beside(known, window, distances[place - 1]),
        })?;
        let distance = if last == 0 { 0 } else { distances[last - 1] };
        let is_proven = step.is_some() && wanted.max(open_end) <= most;
        Ok((window.place(distance), is_proven && self.is_decided_by_words()))
    }

    /// Returns whether no place fits after the end of a word that does not; with unknown text as an error, one may.
    ///
    /// So it may if a cut makes other added tokens match, word after word: those that overlap, if they are cut on the left, or
    /// depend on the character after them.
    fn is_decided_by_words(&self) -> bool {
        let is_cut_left = self.limit.direction == Direction::Left;
        let depend = || self.tokenizer.added.cutting().any(|token| is_cut_left || token.single_word);
        !(self.tokenizer.traits().refuses_unknown() || depend() && self.may_overlap())
    }

    /// Returns whether an added token has a byte with which one begins elsewhere, as all do that overlap another one.
    fn may_overlap(&self) -> bool {
        let mut first = [false; 256];
        let contents = || self.tokenizer.added.cutting().map(|token| token.content.as_bytes());
        contents().for_each(|content| first[usize::from(content[0])] = true);
        contents().any(|content| content[1..].iter().any(|&byte| first[usize::from(byte)]))
    }

    /// Returns the largest distance of a character boundary in a window.
    fn last_distance(&self, window: Window) -> usize {
        let is_boundary = |&distance: &usize| self.text.is_char_boundary(window.place(distance));
        (0..window.far).rev().find(is_boundary).unwrap_or(0)
    }

    /// Returns the number of tokens before the base of a window, if they do not depend on the other side.
    fn known(&mut self, window: Window) -> Result<Option<usize>> {
        let kept = if window.direction == Direction::Right { 0..window.base } else { window.base..self.text.len() };
        if self.is_additive { self.count_alone(kept) } else { self.known_alone(kept, window.base) }
    }

    /// Returns whether a place fits; `known` is the result of [`Self::known`].
    fn fits_beside(&mut self, known: Option<usize>, window: Window, distance: usize) -> Result<bool> {
        match known {
            Some(known) => self.fits_with(known, window.part(distance)),
            None => self.fits_at(window, distance),
        }
    }

    /// Returns two boundaries: the prefixes that extend beyond the second do not fit, nor does the one that ends there.
    ///
    /// The first is 0 if there is none; the second is `None` if the end of the text was reached.
    fn prefix_window(&mut self, boundaries: &BoundaryFinder<'_>) -> Result<(usize, Option<usize>)> {
        let (mut low, mut high, mut size) = (0, None, self.first_size());
        let last =
            if self.limit.continues { self.text.len().saturating_sub(boundaries.context()) } else { self.text.len() };
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

    /// Returns two boundaries: the suffixes that begin before the first do not fit.
    ///
    /// The first is `None` if the start of the text was reached; the second is the end of the text if there is none.
    fn suffix_window(&mut self, boundaries: &BoundaryFinder<'_>) -> Result<(Option<usize>, usize)> {
        let (mut low, mut high, mut size) = (None, self.text.len(), self.first_size());
        let first = if self.limit.continues { boundaries.context() } else { 1 };
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
    fn fitting_boundary(&mut self, boundaries: &BoundaryFinder<'_>, mut low: usize) -> Result<usize> {
        let mut high = self.text.len();
        while let Some(at) = between(boundaries, self.text, low, high) {
            if self.fits(&self.text[at..])? { high = at } else { low = at }
        }
        Ok(high)
    }

    /// Returns whether the tokens after a boundary do not fit in any suffix that begins before it.
    fn exceeds_after(&mut self, boundaries: &BoundaryFinder<'_>, at: usize) -> Result<bool> {
        if boundaries.has_context() {
            // The number of tokens may depend on the score of the text before, so only chunks are counted: each one that
            // ends at a boundary has a token.
            let wanted = self.limit.max_tokens - self.specials;
            let mut work = Work::default();
            let chunks = (at + 1..self.text.len()).inspect(|_| work.add(1));
            let chunks = chunks.filter(|&end| boundaries.is_at(self.text, end));
            return Ok(chunks.take(wanted + 1).count() > wanted);
        }
        let before = self.text[..at].char_indices().next_back().map_or(0, |(start, _)| start);
        Ok(match (self.count(&self.text[before..])?, self.count(&self.text[before..at])?) {
            (Some(whole), Some(part)) => whole.saturating_sub(part) + self.specials > self.limit.max_tokens,
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
        Ok(count.is_some_and(|count| known + count + self.specials <= self.limit.max_tokens))
    }

    /// Returns the number of tokens of a part of the text without special tokens; `None` if it cannot be encoded.
    fn count_alone(&mut self, part: Range<usize>) -> Result<Option<usize>> {
        Ok(self.count(&self.text[part])?.map(|count| count - self.specials))
    }

    fn first_size(&self) -> usize {
        self.limit.max_tokens.saturating_mul(BYTES_PER_TOKEN).max(SMALLEST_PART)
    }

    /// Returns an error if tokens in the text are errors, and one of them spans the cut.
    fn check_specials(&mut self, cut: usize) -> Result<()> {
        let lengths = self.tokenizer.added.tokens().iter().map(|token| token.content.len());
        let longest = lengths.max().unwrap_or(0);
        for start in (cut.saturating_sub(longest)..cut).filter(|&at| self.text.is_char_boundary(at)) {
            let end = (start + longest..=self.text.len()).find(|&at| self.text.is_char_boundary(at));
            let part = &self.text[start..end.unwrap_or(self.text.len())];
            let found = self.tokenizer.encode_ids(Input::Text(part), None, self.options, self.scratch, &mut Vec::new());
            if let Err(Error::SpecialToken { token, is_special, character: 0 }) = found
                && start + token.len() > cut
            {
                let character = self.text[..start].chars().count();
                return Err(Error::SpecialToken { token, is_special, character });
            }
        }
        Ok(())
    }
}

/// Returns the last of `count` places that fits; the first one does.
///
/// After a place that fits, the next one that does is at most `step` places away. The cost is logarithmic in the result, and
/// linear in `step`, in calls of `fits`.
fn last_fitting(count: usize, step: usize, mut fits: impl FnMut(usize) -> Result<bool>) -> Result<usize> {
    let mut best = 0;
    loop {
        let (mut width, mut above) = (1, count);
        while above - best > 1 {
            let at = if above == count { best.saturating_add(width).min(above - 1) } else { best.midpoint(above) };
            if fits(at)? {
                (best, width) = (at, width.saturating_mul(2));
            } else {
                above = at;
            }
        }
        let mut later = (above..count).skip(1).take(step);
        let Some(next) = later.find_map(|at| match fits(at) {
            Ok(false) => None,
            Ok(true) => Some(Ok(at)),
            Err(error) => Some(Err(error)),
        }) else {
            return Ok(best);
        };
        best = next?;
    }
}

/// Returns a boundary between two others, near the middle.
fn between(boundaries: &BoundaryFinder<'_>, text: &str, low: usize, high: usize) -> Option<usize> {
    let middle = low.midpoint(high);
    boundaries.last_in(text, low + 1..middle + 1).or_else(|| boundaries.first_in(text, (middle + 1).max(low + 1)..high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_place_that_fits() {
        let last = |step, fitting: &[usize]| last_fitting(11, step, |at| Ok(fitting.contains(&at))).unwrap();
        assert_eq!(last(2, &[0]), 0);
        assert_eq!(last(2, &[0, 1, 2, 3]), 3);
        assert_eq!(last(2, &[0, 1, 3, 5, 6]), 6);
        assert_eq!(last(0, &[0, 1, 4]), 1);
        assert_eq!(last(2, &(0..11).collect::<Vec<_>>()), 10);
    }
}
