//! A text during normalization: its current form, and the origin of each byte.
//!
//! **Alignment.** Every byte has the span of the original that it represents. For each character it writes, a
//! normalizer states whether it *replaces* the next one of the previous text (and takes its span) or is *inserted* (and
//! takes the span of the character before it; an empty one at the very start). Characters in between may be *removed*.
//!
//! Without a request for offsets no spans are stored, and the text is the same. The output of a few components depends
//! on the origin of characters; with these, spans are always stored (`WordSplitter`).

use std::ops::Range;

use super::reordering::Block;
use crate::error::Result;
use crate::memory::{Growable, MAX_KEPT_CAPACITY, lengthen};
use crate::settings::METASPACE;
use crate::stop;
use crate::text::span::{Span, check_growth};

/// The number of bytes of a text whose spans are made between two checks whether the call is to stop.
const BLOCK: u32 = 1 << 16;

/// A normalized text, and the span of the original for each of its bytes.
///
/// Without `aligned`, no alignment is stored: ids alone seldom need it.
#[derive(Debug, Clone, Default)]
pub struct Normalized {
    text: String,
    alignment: Vec<Span>,
    aligned: bool,
    /// The span of the original that this text was made from.
    origin: Span,
    /// The working memory of the normalizer that writes this text.
    pub(super) block: Block,
}

impl Normalized {
    /// Returns the normalized text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the alignment is stored.
    #[must_use]
    pub fn is_aligned(&self) -> bool {
        self.aligned
    }

    /// Returns the capacity of the text in bytes.
    pub(crate) fn capacity(&self) -> usize {
        self.text.capacity().max(self.alignment.capacity())
    }

    /// Clears the text, and sets whether the next one has an alignment.
    pub fn reset(&mut self, aligned: bool) {
        self.text.clear();
        self.alignment.clear();
        self.aligned = aligned;
        self.origin = Span::default();
    }

    /// Sets the text to `text`, which begins at byte `base` of the original and is not normalized yet.
    pub fn start(&mut self, text: &str, base: u32, aligned: bool) {
        self.reset(aligned);
        self.text.make_room(text.len());
        self.text.push_str(text);
        self.origin = Span::new(0, text.len()).shifted(base);
        if !aligned {
            return;
        }
        self.alignment.make_room(text.len());
        if text.is_ascii() {
            for block in (base..self.origin.end).step_by(BLOCK as usize) {
                stop::check_after((block - base) as usize);
                let bytes = block..self.origin.end.min(block.saturating_add(BLOCK));
                self.alignment.extend(bytes.map(|start| Span { start, end: start + 1 }));
            }
            return;
        }
        for (start, c) in text.char_indices() {
            let end = start + c.len_utf8();
            stop::check_growth(start, end);
            self.alignment.resize(end, Span::new(start, end).shifted(base));
        }
    }

    /// Returns an error if no text of this many bytes may be made of the original.
    pub(super) fn check_growth(&self, bytes: usize) -> Result<()> {
        check_growth(self.origin.range().len(), bytes)
    }

    /// Clears the text, to be rewritten from `source`.
    pub(super) fn restart(&mut self, source: &Self) {
        self.reset(source.aligned);
        self.origin = source.origin;
        // Most normalizers keep the length, or add a prefix; a buffer that doubles until it suffices is up to twice as large.
        let length = source.text.len() + METASPACE.len_utf8();
        self.text.make_room(length);
        self.alignment.make_room(if self.aligned { length } else { 0 });
    }

    /// Frees the buffers if they are large.
    pub(crate) fn trim(&mut self) {
        if self.capacity() > MAX_KEPT_CAPACITY {
            *self = Self::default();
        }
    }

    /// Returns the original bytes of a span of the normalized text.
    ///
    /// The result is from the origin of its first byte to that of its last one; for an empty span, the end of the
    /// origin before it.
    #[must_use]
    pub fn original(&self, span: Span) -> Span {
        debug_assert!(self.aligned);
        if span.start == span.end {
            let at = span.start.checked_sub(1).map_or(self.origin.start, |last| self.alignment[last as usize].end);
            return Span { start: at, end: at };
        }
        Span { start: self.alignment[span.start as usize].start, end: self.alignment[span.end as usize - 1].end }
    }

    /// Returns the original bytes of any span; an empty span without alignment.
    pub(crate) fn origin(&self, span: Span) -> Span {
        if self.aligned && span.start < span.end { self.original(span) } else { Span::default() }
    }

    /// Returns the original position of the character at byte `at`, if it is known.
    pub(crate) fn origin_of(&self, at: usize) -> Option<u32> {
        self.alignment.get(at).map(|span| span.start)
    }

    /// Returns the text as its own original; a character without origin keeps an empty one.
    pub(crate) fn aligned_with_itself(&self) -> Self {
        let mut alignment = Vec::with_capacity(self.alignment.len());
        for (start, c) in self.text.char_indices() {
            let end = start + c.len_utf8();
            stop::check_growth(start, end);
            let is_empty = self.alignment[start].start == self.alignment[start].end;
            alignment.resize(end, Span::new(start, if is_empty { start } else { end }));
        }
        let origin = Span::new(0, self.text.len());
        Self { text: self.text.clone(), alignment, aligned: true, origin, block: Block::default() }
    }

    /// Appends `span` of `other`, with its alignment; returns its new span.
    pub(crate) fn append(&mut self, other: &Self, span: Span) -> Span {
        let start = self.text.len();
        stop::check_growth(start, start + span.range().len());
        self.text.push_str(&other.text[span.range()]);
        if self.aligned {
            self.alignment.extend_from_slice(&other.alignment[span.range()]);
        }
        Span::new(start, self.text.len())
    }

    /// Replaces the text with the output of `write`; `spare` is working memory.
    pub(super) fn rewrite(&mut self, spare: &mut Self, write: impl Fn(&mut Rewriter<'_>)) {
        spare.restart(self);
        spare.rewritten(self, Span::new(0, self.text.len()), self.origin, write);
        std::mem::swap(self, spare);
    }

    /// Appends the output of `write` for a part of `source`, whose origin is `origin`; returns the new span.
    pub(crate) fn rewritten(
        &mut self,
        source: &Self,
        span: Span,
        origin: Span,
        write: impl Fn(&mut Rewriter<'_>),
    ) -> Span {
        let start = self.text.len();
        let range = transformed(source.alignment(span), origin, span.range().len());
        let beginning = Span { end: origin.start, ..origin };
        let mut rewriter = Rewriter::new(source, span, range, beginning, self);
        write(&mut rewriter);
        if rewriter.finish().is_err() {
            // The reference library fails here; rewriting the whole text is the intended behaviour.
            self.text.truncate(start);
            self.alignment.truncate(start);
            let mut rewriter = Rewriter::new(source, span, 0..span.range().len(), beginning, self);
            write(&mut rewriter);
            // The whole text can be replaced, so its end is not exceeded.
            let _ = rewriter.finish();
        }
        Span::new(start, self.text.len())
    }

    /// Whether a rewrite covers the whole text, as it nearly always does.
    pub(super) fn is_whole(&self) -> bool {
        transformed(&self.alignment, self.origin, self.text.len()) == (0..self.text.len())
    }

    /// Replaces each of the `matches` with `content`.
    pub(super) fn replace(&mut self, spare: &mut Self, content: &str, matches: &[Range<usize>]) {
        if matches.is_empty() {
            return;
        }
        spare.restart(self);
        let mut kept = 0;
        for range in matches {
            spare.append(self, Span::new(kept, range.start));
            kept = range.end;
            // The origin of the replacement is that of the end of the match.
            let before = range.end.checked_sub(1).and_then(|at| self.alignment.get(at));
            spare.push_str(content, before.copied().unwrap_or(self.beginning()));
        }
        spare.append(self, Span::new(kept, self.text.len()));
        std::mem::swap(self, spare);
    }

    /// Inserts `prefix` before a non-empty text; its origin is that of the first character.
    pub(super) fn prepend(&mut self, spare: &mut Self, prefix: &str) {
        let Some(first) = self.text.chars().next() else { return };
        spare.restart(self);
        let from = self.alignment.first().copied().unwrap_or_default();
        spare.push_str(prefix, from);
        // An empty prefix costs the first character its origin: the reference library treats it as inserted.
        spare.push(first, if prefix.is_empty() { self.beginning() } else { from });
        spare.append(self, Span::new(first.len_utf8(), self.text.len()));
        std::mem::swap(self, spare);
    }

    /// Returns the origin of characters without origin: an empty span at the beginning.
    fn beginning(&self) -> Span {
        Span { start: self.origin.start, end: self.origin.start }
    }

    /// Keeps the first `length` bytes.
    pub(super) fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
        self.alignment.truncate(length);
    }

    pub(crate) fn push(&mut self, c: char, origin: Span) {
        stop::check_growth(self.text.len(), self.text.len() + c.len_utf8());
        self.text.make_room(c.len_utf8());
        self.text.push(c);
        if self.aligned {
            lengthen(&mut self.alignment, self.text.len(), origin);
        }
    }

    pub(crate) fn push_str(&mut self, text: &str, origin: Span) {
        stop::check_growth(self.text.len(), self.text.len() + text.len());
        self.text.make_room(text.len());
        self.text.push_str(text);
        if self.aligned {
            lengthen(&mut self.alignment, self.text.len(), origin);
        }
    }

    /// Returns the alignment of `span`; empty without alignment.
    pub(crate) fn alignment(&self, span: Span) -> &[Span] {
        if self.aligned { &self.alignment[span.range()] } else { &[] }
    }
}

/// Returns the byte range of a text that a rewrite covers.
///
/// In the reference library, it is the range that the *original* of the text maps to. That is all of it, except for
/// characters without origin at the start; and an empty range if the original is empty.
fn transformed(alignment: &[Span], origin: Span, length: usize) -> Range<usize> {
    match (alignment.first(), alignment.last()) {
        (Some(first), Some(last)) if first.start < first.end && last.end <= origin.end => 0..length,
        (None, _) => 0..length,
        _ if origin.start == origin.end => 0..0,
        _ => {
            let end = alignment.iter().take_while(|span| span.end <= origin.end).count();
            let start = alignment[..end].iter().position(|span| span.start != span.end);
            start.unwrap_or(end)..end
        }
    }
}

/// A writer that makes a new text from an old one, character by character.
pub(crate) struct Rewriter<'a> {
    text: &'a str,
    alignment: &'a [Span],
    /// The next byte to be replaced.
    at: usize,
    /// One past the last byte that can be replaced.
    end: usize,
    /// The origin of characters that are inserted at the start.
    beginning: Span,
    /// Whether a character was replaced after the end of the text.
    overran: bool,
    out: &'a mut Normalized,
}

impl<'a> Rewriter<'a> {
    /// Returns a rewriter of `range` of the part `span` of `source`; it appends to `out`.
    fn new(source: &'a Normalized, span: Span, range: Range<usize>, beginning: Span, out: &'a mut Normalized) -> Self {
        let (text, alignment) = (&source.text[span.range()], source.alignment(span));
        let mut rewriter = Self { text, alignment, at: 0, end: range.end, beginning, overran: false, out };
        rewriter.copy_to(range.start);
        rewriter
    }

    /// Returns the text before the rewrite.
    pub(crate) fn source(&self) -> &'a str {
        self.text
    }

    /// Whether the rewrite covers the whole text.
    pub(crate) fn is_whole(&self) -> bool {
        self.at == 0 && self.end == self.text.len()
    }

    /// Replaces the next character with `c`.
    pub(crate) fn replace(&mut self, c: char) {
        let origin = self.alignment.get(self.at);
        self.overran |= self.at >= self.text.len();
        self.out.push(c, origin.copied().unwrap_or_default());
        self.remove();
    }

    /// Inserts `c` without origin.
    pub(crate) fn insert(&mut self, c: char) {
        let origin = self.at.checked_sub(1).and_then(|at| self.alignment.get(at));
        self.out.push(c, origin.copied().unwrap_or(self.beginning));
    }

    /// Removes the next character.
    pub(crate) fn remove(&mut self) {
        if self.at < self.end {
            self.at += self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        }
    }

    /// Removes the text up to byte `to`; only valid if the rewrite covers the whole text.
    pub(super) fn remove_to(&mut self, to: usize) {
        self.at = to;
    }

    /// Writes one character by the reference library's number: 0 replaces, 1 inserts, -n replaces and removes the n
    /// next.
    pub(crate) fn change(&mut self, c: char, change: isize) {
        if change > 0 {
            return self.insert(c);
        }
        self.replace(c);
        (change..0).for_each(|_| self.remove());
    }

    /// Copies the text up to byte `to`; only valid if the rewrite covers the whole text.
    pub(crate) fn copy_to(&mut self, to: usize) {
        self.out.text.push_str(&self.text[self.at..to]);
        if self.out.aligned {
            self.out.alignment.extend_from_slice(&self.alignment[self.at..to]);
        }
        self.at = to;
    }

    /// Copies the ASCII text up to byte `to` in lower case.
    pub(super) fn lowercase_ascii_to(&mut self, to: usize) {
        let start = self.out.text.len();
        self.copy_to(to);
        self.out.text[start..].make_ascii_lowercase();
    }

    /// Copies the rest of the text; returns an error if more was replaced than there is.
    fn finish(mut self) -> Result<(), ()> {
        self.at = self.end;
        self.copy_to(self.text.len());
        if self.overran { Err(()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(aligned: bool) -> (Normalized, Normalized) {
        (Normalized::default(), Normalized { aligned, ..Normalized::default() })
    }

    #[test]
    fn replaced_inserted_and_removed() {
        let (mut text, mut spare) = texts(true);
        text.start("aéb", 10, true);
        text.rewrite(&mut spare, |to| {
            to.remove();
            to.replace('x');
            to.insert('y');
            to.replace('z');
        });
        assert_eq!(text.text(), "xyz");
        let spans: Vec<Span> = (0..3).map(|at| text.original(Span::new(at, at + 1))).collect();
        assert_eq!(spans, [Span::new(11, 13), Span::new(11, 13), Span::new(13, 14)]);
    }

    #[test]
    fn characters_without_origin_are_skipped() {
        let (mut text, mut spare) = texts(true);
        text.start("ab", 0, true);
        text.replace(&mut spare, "X", std::slice::from_ref(&(0..0)));
        assert_eq!((text.text(), text.is_whole()), ("Xab", false));
        text.rewrite(&mut spare, |to| {
            to.source().chars().for_each(|c| to.replace(c.to_ascii_lowercase()));
        });
        assert_eq!(text.text(), "xab", "the reference fails here");
        text.start("ab", 0, true);
        text.replace(&mut spare, "X", std::slice::from_ref(&(0..0)));
        text.rewrite(&mut spare, |to| {
            to.replace('X');
            to.replace('a');
            to.remove();
        });
        assert_eq!(text.text(), "XXa", "and follows this way elsewhere");
    }

    #[test]
    fn prepending() {
        let (mut text, mut spare) = texts(true);
        text.start("ab", 3, true);
        text.prepend(&mut spare, "__");
        assert_eq!(text.text(), "__ab");
        assert_eq!(text.original(Span::new(0, 2)), Span::new(3, 4));
    }
}
