//! The words of a text: what pre-tokenizers work on.

use crate::added::{Matching, Part};
use crate::error::Result;
use crate::normalize::{Normalized, Normalizer};
use crate::text::span::{Span, check_bytes};

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
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
    /// Its bytes in the normalized text.
    pub span: Span,
    /// Its bytes in the original; meaningless without alignment.
    pub origin: Span,
    /// What it is.
    pub kind: Kind,
    /// Whether the model may make a special token of it.
    pub specials: bool,
}

/// The words of one text, kept to be filled again.
#[derive(Debug, Default)]
pub struct Words {
    normalized: Normalized,
    words: Vec<Word>,
    /// The part of the text that is being normalized.
    part: Normalized,
    spare: Normalized,
    spare_words: Vec<Word>,
}

impl Words {
    /// The words from left to right.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| self.text_of(word))
    }

    /// The words from left to right, with all that is known of them.
    #[must_use]
    pub fn as_slice(&self) -> &[Word] {
        &self.words
    }

    /// The text of a word.
    #[must_use]
    pub fn text_of(&self, word: &Word) -> &str {
        &self.normalized.text()[word.span.range()]
    }

    /// The original bytes behind a non-empty span of the normalized text.
    #[must_use]
    pub fn original(&self, span: Span) -> Span {
        self.normalized.original(span)
    }

    /// The bytes or words that there is room for, whichever are more.
    pub(crate) fn capacity(&self) -> usize {
        let Self { normalized, words, part, spare, spare_words } = self;
        let texts = [normalized, part, spare].map(Normalized::capacity);
        texts.into_iter().fold(words.capacity().max(spare_words.capacity()), usize::max)
    }

    /// Refuses what normalization has made too long for a next step, which makes at most four bytes of one.
    pub(crate) fn check_length(&self) -> Result<()> {
        check_bytes(self.normalized.text().len())
    }

    pub(crate) fn reset(&mut self, aligned: bool) {
        self.normalized.reset(aligned);
        self.words.clear();
    }

    /// The added tokens that are sought before normalization, and what lies between them.
    pub(crate) fn add_segment(
        &mut self,
        normalizer: Option<&Normalizer>,
        text: &str,
        segment: Span,
        matching: Matching<'_>,
    ) -> Result<()> {
        let part = &text[segment.range()];
        matching.raw(part, segment.start, |found| {
            let (Part::Text(span) | Part::Token(_, span)) = found;
            let (here, span) = (&part[span.range()], span.shifted(segment.start));
            match found {
                Part::Text(_) => self.add_text(normalizer, here, span.start, Some(matching)),
                Part::Token(id, _) => {
                    self.part.start(here, span.start, self.normalized.is_aligned());
                    self.add_part(Span::new(0, here.len()), Kind::Added(id), true);
                    // Tokens that take white space along may all take the same, each anew.
                    self.check_length()
                }
            }
        })
    }

    /// Normalizes `text`, which begins at byte `base`, and finds the added tokens that are sought after that.
    pub(crate) fn add_text(
        &mut self,
        normalizer: Option<&Normalizer>,
        text: &str,
        base: u32,
        matching: Option<Matching<'_>>,
    ) -> Result<()> {
        self.check_length()?;
        self.part.start(text, base, self.normalized.is_aligned());
        if let Some(normalizer) = normalizer {
            normalizer.normalize(&mut self.part, &mut self.spare)?;
        }
        let Some(matching) = matching else {
            self.add_part(Span::new(0, self.part.text().len()), Kind::Text, true);
            return Ok(());
        };
        let specials = matching.may_match();
        if !matching.seeks_normalized() {
            self.add_part(Span::new(0, self.part.text().len()), Kind::Text, specials);
            return Ok(());
        }
        let part = std::mem::take(&mut self.part);
        let origin = |at: usize| part.origin_of(at).unwrap_or(base) as usize;
        let found = matching.normalized(part.text(), origin, |found| {
            match found {
                Part::Text(span) => self.add_from(&part, span, Kind::Text, specials),
                Part::Token(id, span) => self.add_from(&part, span, Kind::Added(id), specials),
            }
            self.check_length()
        });
        self.part = part;
        found
    }

    /// Makes a word of a span of the part.
    fn add_part(&mut self, span: Span, kind: Kind, specials: bool) {
        if span.start == span.end {
            return;
        }
        if self.normalized.text().is_empty() && span.range().len() == self.part.text().len() {
            std::mem::swap(&mut self.normalized, &mut self.part);
            self.push(span, kind, specials);
        } else {
            let part = std::mem::take(&mut self.part);
            self.add_from(&part, span, kind, specials);
            self.part = part;
        }
    }

    fn add_from(&mut self, part: &Normalized, span: Span, kind: Kind, specials: bool) {
        if span.start < span.end {
            let span = self.normalized.append(part, span);
            self.push(span, kind, specials);
        }
    }

    fn push(&mut self, span: Span, kind: Kind, specials: bool) {
        let origin = self.normalized.origin(span);
        self.words.push(Word { span, origin, kind, specials });
    }

    /// Splits each word of ordinary text by `split`, which tells the spans of its parts in the word; empty ones are
    /// left out.
    pub(crate) fn split(&mut self, mut split: impl FnMut(&str, &mut dyn FnMut(Span)) -> Result<()>) -> Result<()> {
        self.split_into(|text, each| split(text, &mut |span| each(span, Kind::Text)))
    }

    /// The same, where the parts say of what kind they are.
    pub(crate) fn split_into(
        &mut self,
        mut split: impl FnMut(&str, &mut dyn FnMut(Span, Kind)) -> Result<()>,
    ) -> Result<()> {
        let Self { normalized, words, spare_words, .. } = self;
        spare_words.clear();
        for &word in words.iter() {
            if word.kind != Kind::Text {
                spare_words.push(word);
                continue;
            }
            split(&normalized.text()[word.span.range()], &mut |span, kind| {
                if span.start < span.end {
                    let span = span.shifted(word.span.start);
                    spare_words.push(Word { span, origin: normalized.origin(span), kind, ..word });
                }
            })?;
        }
        std::mem::swap(words, spare_words);
        Ok(())
    }

    /// Writes the text anew: `write` gets each word but the added tokens, and appends its text.
    pub(crate) fn rewrite(&mut self, write: impl Fn(&Normalized, &Word, &mut Normalized) -> Span) {
        let Self { normalized, words, spare, .. } = self;
        spare.reset(normalized.is_aligned());
        for word in words {
            word.span = match word.kind {
                Kind::Added(_) => spare.append(normalized, word.span),
                Kind::Text | Kind::Whole => write(normalized, word, spare),
            };
        }
        std::mem::swap(normalized, spare);
    }

    /// Puts `prefix` before each word for which `wanted` and which does not begin with it.
    pub(crate) fn prepend(&mut self, prefix: char, wanted: impl Fn(&Word, &str) -> bool) {
        let lacks = |word: &Word, text: &str| {
            !matches!(word.kind, Kind::Added(_)) && !text.starts_with(prefix) && wanted(word, text)
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

    /// Every `old` becomes a `new`, which stands for the same.
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
