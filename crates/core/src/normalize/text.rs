//! A text under way: what it has become, and where each of its bytes came from.
//!
//! **Alignment.** Every byte carries the span of the original that it stands for. A normalizer says of each character
//! it writes whether it *replaces* the next one of the text before (and takes its span) or was *inserted* (and takes
//! the span of the character before it; an empty one at the very start). Characters in between may be *removed*.

use std::ops::Range;

use super::reordering::Block;
use crate::text::span::Span;

/// A normalized text, and for each of its bytes the original bytes it stands for.
///
/// Without `aligned` no alignment is kept: ids alone seldom need it.
#[derive(Debug, Clone, Default)]
pub struct Normalized {
    text: String,
    alignment: Vec<Span>,
    aligned: bool,
    /// The part of the original that this is the text of.
    origin: Span,
    /// The memory of a normalizer that writes this text.
    pub(super) block: Block,
}

impl Normalized {
    /// The normalized text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the alignment is kept.
    #[must_use]
    pub fn is_aligned(&self) -> bool {
        self.aligned
    }

    /// The bytes that it has room for.
    pub(crate) fn capacity(&self) -> usize {
        self.text.capacity().max(self.alignment.capacity())
    }

    /// Empties the text and says whether the next one keeps its alignment.
    pub fn reset(&mut self, aligned: bool) {
        self.text.clear();
        self.alignment.clear();
        self.aligned = aligned;
        self.origin = Span::default();
    }

    /// Starts over with `text`, which begins at byte `base` of the original and stands for itself.
    pub fn start(&mut self, text: &str, base: u32, aligned: bool) {
        self.reset(aligned);
        self.text.push_str(text);
        self.origin = Span::new(0, text.len()).shifted(base);
        if !aligned {
            return;
        }
        self.alignment.reserve(text.len());
        if text.is_ascii() {
            self.alignment.extend((base..self.origin.end).map(|start| Span { start, end: start + 1 }));
            return;
        }
        for (start, c) in text.char_indices() {
            let end = start + c.len_utf8();
            self.alignment.resize(end, Span::new(start, end).shifted(base));
        }
    }

    /// Starts over with nothing, to be written from `source`.
    pub(super) fn restart(&mut self, source: &Self) {
        self.reset(source.aligned);
        self.origin = source.origin;
    }

    /// The original bytes behind a span of the normalized text: from where its first byte came from to where its last one
    /// did; behind an empty one the end of what stands before it.
    #[must_use]
    pub fn original(&self, span: Span) -> Span {
        debug_assert!(self.aligned);
        if span.start == span.end {
            let at = span.start.checked_sub(1).map_or(self.origin.start, |last| self.alignment[last as usize].end);
            return Span { start: at, end: at };
        }
        Span { start: self.alignment[span.start as usize].start, end: self.alignment[span.end as usize - 1].end }
    }

    /// The same for any span; nothing without alignment.
    pub(crate) fn origin(&self, span: Span) -> Span {
        if self.aligned && span.start < span.end { self.original(span) } else { Span::default() }
    }

    /// Where the character at byte `at` came from, if that is known.
    pub(crate) fn origin_of(&self, at: usize) -> Option<u32> {
        self.alignment.get(at).map(|span| span.start)
    }

    /// Appends `span` of `other`, with its alignment; returns where it stands now.
    pub(crate) fn append(&mut self, other: &Self, span: Span) -> Span {
        let start = self.text.len();
        self.text.push_str(&other.text[span.range()]);
        if self.aligned {
            self.alignment.extend_from_slice(&other.alignment[span.range()]);
        }
        Span::new(start, self.text.len())
    }

    /// Rewrites the text by what `write` makes of it; `spare` is working memory.
    pub(super) fn rewrite(&mut self, spare: &mut Self, write: impl Fn(&mut Rewriter<'_>)) {
        spare.restart(self);
        spare.rewritten(self, Span::new(0, self.text.len()), self.origin, write);
        std::mem::swap(self, spare);
    }

    /// Appends what `write` makes of a part of `source`, which is the text of `origin`; returns where it stands.
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
            // Here the reference fails; to rewrite all of it is what was meant.
            self.text.truncate(start);
            self.alignment.truncate(start);
            let mut rewriter = Rewriter::new(source, span, 0..span.range().len(), beginning, self);
            write(&mut rewriter);
            // With all of the text to replace there is no end to run past.
            let _ = rewriter.finish();
        }
        Span::new(start, self.text.len())
    }

    /// Whether a rewriting starts at the beginning of the text and ends at its end, as it nearly always does.
    pub(super) fn is_whole(&self) -> bool {
        transformed(&self.alignment, self.origin, self.text.len()) == (0..self.text.len())
    }

    /// Replaces the stretches that `each` is told of by `content`, all else is kept.
    pub(super) fn replace(&mut self, spare: &mut Self, content: &str, matches: &[Range<usize>]) {
        if matches.is_empty() {
            return;
        }
        spare.restart(self);
        let mut kept = 0;
        for range in matches {
            spare.append(self, Span::new(kept, range.start));
            kept = range.end;
            // What is put in comes from where the end of the match does.
            let before = range.end.checked_sub(1).and_then(|at| self.alignment.get(at));
            spare.push_str(content, before.copied().unwrap_or(self.beginning()));
        }
        spare.append(self, Span::new(kept, self.text.len()));
        std::mem::swap(self, spare);
    }

    /// Puts `prefix` before the text, unless that is empty; it comes from where the first character does.
    pub(super) fn prepend(&mut self, spare: &mut Self, prefix: &str) {
        let Some(first) = self.text.chars().next() else { return };
        spare.restart(self);
        let from = self.alignment.first().copied().unwrap_or_default();
        spare.push_str(prefix, from);
        // To prepend nothing costs the first character its origin: the reference takes it for inserted.
        spare.push(first, if prefix.is_empty() { self.beginning() } else { from });
        spare.append(self, Span::new(first.len_utf8(), self.text.len()));
        std::mem::swap(self, spare);
    }

    /// The origin of what has none: nothing, at the beginning.
    fn beginning(&self) -> Span {
        Span { start: self.origin.start, end: self.origin.start }
    }

    /// Keeps the first `length` bytes.
    pub(super) fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
        self.alignment.truncate(length);
    }

    pub(crate) fn push(&mut self, c: char, origin: Span) {
        self.text.push(c);
        if self.aligned {
            self.alignment.resize(self.text.len(), origin);
        }
    }

    pub(crate) fn push_str(&mut self, text: &str, origin: Span) {
        self.text.push_str(text);
        if self.aligned {
            self.alignment.resize(self.text.len(), origin);
        }
    }

    /// The alignment of `span`; empty where none is kept.
    pub(crate) fn alignment(&self, span: Span) -> &[Span] {
        if self.aligned { &self.alignment[span.range()] } else { &[] }
    }
}

/// The bytes of a text that a rewriting covers.
///
/// It covers what the *original* of the text maps to, says the reference. That is all of it, save for characters
/// without origin at the start, which it passes by; and nothing, where the original is empty.
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

/// Writes a new text from an old one, character by character.
pub(crate) struct Rewriter<'a> {
    text: &'a str,
    alignment: &'a [Span],
    /// The next byte to be replaced.
    at: usize,
    /// One past the last byte that can be.
    end: usize,
    /// The origin of what is inserted before everything else.
    beginning: Span,
    /// Whether a character was replaced behind the end of the text.
    overran: bool,
    out: &'a mut Normalized,
}

impl<'a> Rewriter<'a> {
    /// A rewriter of `range` of the part `span` of `source`; it appends to `out`.
    fn new(source: &'a Normalized, span: Span, range: Range<usize>, beginning: Span, out: &'a mut Normalized) -> Self {
        let (text, alignment) = (&source.text[span.range()], source.alignment(span));
        let mut rewriter = Self { text, alignment, at: 0, end: range.end, beginning, overran: false, out };
        rewriter.copy_to(range.start);
        rewriter
    }

    /// The text before.
    pub(crate) fn source(&self) -> &'a str {
        self.text
    }

    /// Whether all of the text is covered.
    pub(crate) fn is_whole(&self) -> bool {
        self.at == 0 && self.end == self.text.len()
    }

    /// `c` replaces the next character.
    pub(crate) fn replace(&mut self, c: char) {
        let origin = self.alignment.get(self.at);
        self.overran |= self.at >= self.text.len();
        self.out.push(c, origin.copied().unwrap_or_default());
        self.remove();
    }

    /// `c` comes from nowhere.
    pub(crate) fn insert(&mut self, c: char) {
        let origin = self.at.checked_sub(1).and_then(|at| self.alignment.get(at));
        self.out.push(c, origin.copied().unwrap_or(self.beginning));
    }

    /// The next character is left out.
    pub(crate) fn remove(&mut self) {
        if self.at < self.end {
            self.at += self.text[self.at..].chars().next().map_or(0, char::len_utf8);
        }
    }

    /// All up to byte `to` is left out; only for a rewriting of the whole.
    pub(super) fn remove_to(&mut self, to: usize) {
        self.at = to;
    }

    /// One character by the reference's number: 0 replaces, 1 inserts, -n replaces and removes the n next.
    pub(crate) fn change(&mut self, c: char, change: isize) {
        if change > 0 {
            return self.insert(c);
        }
        self.replace(c);
        (change..0).for_each(|_| self.remove());
    }

    /// All up to byte `to` of the old text stays as it is; only for a rewriting of the whole.
    pub(crate) fn copy_to(&mut self, to: usize) {
        self.out.text.push_str(&self.text[self.at..to]);
        if self.out.aligned {
            self.out.alignment.extend_from_slice(&self.alignment[self.at..to]);
        }
        self.at = to;
    }

    /// The same for ASCII, in lower case.
    pub(super) fn lowercase_ascii_to(&mut self, to: usize) {
        let start = self.out.text.len();
        self.copy_to(to);
        self.out.text[start..].make_ascii_lowercase();
    }

    /// What the rewriting did not cover stays; an error if more was replaced than there is.
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
    fn what_has_no_origin_is_passed_by() {
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
