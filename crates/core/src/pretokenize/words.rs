//! The words of a text, on which pre-tokenizers operate.
//!
//! A word is text, whole, or an added token. Pre-tokenizers split text only, so a phrase of a dictionary stays whole in
//! all later steps, and no pre-tokenizer depends on another.
//!
//! An explanation needs the place of a word in the normalized text, too. The alignment has one origin for each byte, so
//! `Words::rebase` keeps the alignment of the normalizer, and makes the normalized text its own original before the
//! pre-tokenizer runs. Both alignments in a row give the original.

use crate::added::{AddedTokenSearch, TextPart};
use crate::error::Result;
use crate::memory::Growable;
use crate::normalize::{Normalized, Normalizer};
use crate::stop;
use crate::text::span::{Span, check_growth};
use crate::vocab::AllowedEntries;

/// The kind of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordKind {
    /// Ordinary text.
    Text,
    /// Ordinary text that is not split further.
    Whole,
    /// An added token, by its id.
    Added(u32),
}

/// A word of the normalized text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// Its byte range in the normalized text.
    pub span: Span,
    /// Its byte range in the original text; undefined without alignment.
    pub origin: Span,
    /// Its kind.
    pub kind: WordKind,
    /// The entries that the model may produce from it.
    pub entries: AllowedEntries,
}

/// The words of one text, with buffers that the next text reuses.
#[derive(Debug, Default)]
pub struct Words {
    normalized: Normalized,
    /// The number of bytes of the original text.
    original: usize,
    /// The text before pre-tokenization, if origins are spans of that text; see [`Words::rebase`].
    base: Option<Normalized>,
    words: Vec<Word>,
    /// The segment of the text that is being normalized.
    part: Normalized,
    spare: Normalized,
    spare_words: Vec<Word>,
}

impl Words {
    /// Returns the words from left to right.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| self.text_of(word))
    }

    /// Returns the words with their spans and kinds, from left to right.
    #[must_use]
    pub fn as_slice(&self) -> &[Word] {
        &self.words
    }

    /// Returns the text of a word.
    #[must_use]
    pub fn text_of(&self, word: &Word) -> &str {
        &self.normalized.text()[word.span.range()]
    }

    /// Returns the original bytes of a non-empty span of the normalized text.
    #[must_use]
    pub fn original(&self, span: Span) -> Span {
        self.normalized.original(span)
    }

    /// Returns the largest capacity of the buffers, in bytes or words.
    pub(crate) fn capacity(&self) -> usize {
        let Self { normalized, original: _, base: _, words, part, spare, spare_words } = self;
        let texts = [normalized, part, spare].map(Normalized::capacity);
        texts.into_iter().fold(words.capacity().max(spare_words.capacity()), usize::max)
    }

    /// Returns an error if the text has become too long for the next stage, which may lengthen it by a factor of four.
    pub(crate) fn check_length(&self) -> Result<()> {
        check_growth(self.original, self.normalized.text().len())
    }

    /// Removes all words, for those of a text of `original` bytes.
    pub(crate) fn reset(&mut self, original: usize, aligned: bool) {
        self.original = original;
        self.normalized.reset(aligned);
        self.base = None;
        self.words.clear();
    }

    /// Keeps the normalized text, and makes the origins of words spans of it, no longer of the original.
    ///
    /// Pre-tokenizers then show where their words come from in the normalized text. They behave alike: they use an origin
    /// only to see whether it is the start of the original ([`Self::prepend_first`]) and whether it is empty.
    pub(crate) fn rebase(&mut self) {
        let base = std::mem::take(&mut self.normalized);
        self.normalized = base.aligned_with_itself();
        let mut work = stop::Work::default();
        for word in &mut self.words {
            work.add(1);
            word.origin = self.normalized.origin(word.span);
        }
        self.base = Some(base);
    }

    /// Removes and returns the text that [`Self::rebase`] kept.
    pub(crate) fn take_base(&mut self) -> Normalized {
        self.base.take().unwrap_or_default()
    }

    /// Adds the words of a segment, and the tokens that are matched before normalization.
    pub(crate) fn add_segment(
        &mut self,
        normalizer: Option<&Normalizer>,
        text: &str,
        segment: Span,
        matching: AddedTokenSearch<'_>,
    ) -> Result<()> {
        let part = &text[segment.range()];
        matching.raw(part, segment.start, |found| {
            let (TextPart::Text(span) | TextPart::Token(_, span)) = found;
            let (here, span) = (&part[span.range()], span.shifted(segment.start));
            match found {
                TextPart::Text(_) => self.add_text(normalizer, here, span.start, Some(matching)),
                TextPart::Token(id, _) => {
                    self.part.start(here, span.start, self.normalized.is_aligned());
                    self.add_part(Span::new(0, here.len()), WordKind::Added(id), AllowedEntries::All);
                    // Adjacent tokens may each include the same white space.
                    self.check_length()
                }
            }
        })
    }

    /// Normalizes `text`, which begins at byte `base`, and matches the tokens of normalized text.
    pub(crate) fn add_text(
        &mut self,
        normalizer: Option<&Normalizer>,
        text: &str,
        base: u32,
        matching: Option<AddedTokenSearch<'_>>,
    ) -> Result<()> {
        self.check_length()?;
        self.part.start(text, base, self.normalized.is_aligned());
        if let Some(normalizer) = normalizer {
            normalizer.normalize(&mut self.part, &mut self.spare)?;
            self.spare.trim();
        }
        let Some(matching) = matching else {
            self.add_part(Span::new(0, self.part.text().len()), WordKind::Text, AllowedEntries::All);
            return Ok(());
        };
        let entries = matching.entries();
        if !matching.searches_normalized() {
            self.add_part(Span::new(0, self.part.text().len()), WordKind::Text, entries);
            return Ok(());
        }
        let part = std::mem::take(&mut self.part);
        let origin = |at: usize| part.origin_of(at).unwrap_or(base) as usize;
        let found = matching.normalized(part.text(), origin, |found| {
            match found {
                TextPart::Text(span) => self.add_from(&part, span, WordKind::Text, entries),
                TextPart::Token(id, span) => self.add_from(&part, span, WordKind::Added(id), entries),
            }
            self.check_length()
        });
        self.part = part;
        found
    }

    /// Adds a span of the normalized segment as a word.
    fn add_part(&mut self, span: Span, kind: WordKind, entries: AllowedEntries) {
        if span.start == span.end {
            return;
        }
        if self.normalized.text().is_empty() && span.range().len() == self.part.text().len() {
            std::mem::swap(&mut self.normalized, &mut self.part);
            self.push(span, kind, entries);
        } else {
            let part = std::mem::take(&mut self.part);
            self.add_from(&part, span, kind, entries);
            self.part = part;
        }
    }

    /// Adds a span of another normalized text as a word.
    fn add_from(&mut self, part: &Normalized, span: Span, kind: WordKind, entries: AllowedEntries) {
        if span.start < span.end {
            let span = self.normalized.append(part, span);
            self.push(span, kind, entries);
        }
    }

    /// Adds a word that is in the text already.
    fn push(&mut self, span: Span, kind: WordKind, entries: AllowedEntries) {
        let origin = self.normalized.origin(span);
        self.words.make_room(1);
        self.words.push(Word { span, origin, kind, entries });
    }

    /// Splits each word of ordinary text into the spans that `split` passes to its callback; empty spans are omitted.
    pub(crate) fn split(&mut self, mut split: impl FnMut(&str, &mut dyn FnMut(Span)) -> Result<()>) -> Result<()> {
        self.split_into(|text, each| split(text, &mut |span| each(span, WordKind::Text)))
    }

    /// Splits each word of ordinary text into spans with their kinds.
    pub(crate) fn split_into(
        &mut self,
        mut split: impl FnMut(&str, &mut dyn FnMut(Span, WordKind)) -> Result<()>,
    ) -> Result<()> {
        let Self { normalized, words, spare_words, .. } = self;
        spare_words.clear();
        for &word in words.iter() {
            if word.kind != WordKind::Text {
                spare_words.make_room(1);
                spare_words.push(word);
                continue;
            }
            split(&normalized.text()[word.span.range()], &mut |span, kind| {
                if span.start < span.end {
                    stop::check_growth(spare_words.len(), spare_words.len() + 1);
                    let span = span.shifted(word.span.start);
                    spare_words.make_room(1);
                    spare_words.push(Word { span, origin: normalized.origin(span), kind, ..word });
                }
            })?;
        }
        std::mem::swap(words, spare_words);
        Ok(())
    }

    /// Rewrites the text: `write` appends the new text of each word, except added tokens.
    pub(crate) fn rewrite(&mut self, write: impl Fn(&Normalized, &Word, &mut Normalized) -> Span) {
        let Self { normalized, words, spare, .. } = self;
        spare.reset(normalized.is_aligned());
        for word in words {
            word.span = match word.kind {
                WordKind::Added(_) => spare.append(normalized, word.span),
                WordKind::Text | WordKind::Whole => write(normalized, word, spare),
            };
        }
        std::mem::swap(normalized, spare);
        spare.trim();
    }

    /// Inserts `prefix` before each word for which `wanted` holds and which does not begin with it.
    pub(crate) fn prepend(&mut self, prefix: char, wanted: impl Fn(&Word, &str) -> bool) {
        let lacks = |word: &Word, text: &str| {
            !matches!(word.kind, WordKind::Added(_)) && !text.starts_with(prefix) && wanted(word, text)
        };
        if !self.words.iter().any(|word| lacks(word, self.text_of(word))) {
            return;
        }
        self.rewrite(|from, word, to| {
            let text = &from.text()[word.span.range()];
            if !lacks(word, text) {
                return to.append(from, word.span);
            }
            let start = word.span.start as usize;
            let first = text.chars().next().map_or(0, char::len_utf8);
            let at = to.text().len();
            to.push(prefix, from.origin(Span::new(start, start + first)));
            let rest = to.append(from, word.span);
            Span::new(at, rest.range().end)
        });
    }

    /// Inserts `prefix` before the first word, if its origin is the start of the original text.
    pub(crate) fn prepend_first(&mut self, prefix: char) {
        let base = self.base.take();
        let start = |word: &Word| match &base {
            None => Some(word.origin.start),
            Some(base) => base.origin_of(word.origin.start as usize),
        };
        self.prepend(prefix, |word, _| start(word) == Some(0));
        self.base = base;
    }

    /// Replaces every `old` with `new`, which gets its origin.
    pub(crate) fn replace_char(&mut self, old: char, new: char) {
        if old == new {
            return;
        }
        self.rewrite(|from, word, to| {
            let at = to.text().len();
            let mut kept = word.span.range().start;
            for (found, _) in from.text()[word.span.range()].match_indices(old) {
                let found = word.span.range().start + found;
                let end = found + old.len_utf8();
                to.append(from, Span::new(kept, found));
                to.push(new, from.origin(Span::new(found, end)));
                kept = end;
            }
            to.append(from, Span::new(kept, word.span.range().end));
            Span::new(at, to.text().len())
        });
    }
}
