//! Text to normalized text, with the way back to the original.

mod bert;

pub use bert::BertNormalizer;

use crate::span::Span;

/// What a text is changed by before it is split into words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Normalizer {
    /// The normalization of BERT.
    Bert(BertNormalizer),
}

/// A normalized text, and for each of its bytes the original bytes it stands for.
///
/// Without `aligned` no alignment is kept: ids alone do not need it.
#[derive(Debug, Clone, Default)]
pub struct Normalized {
    text: String,
    alignment: Vec<Span>,
    aligned: bool,
}

impl Normalized {
    /// An empty text that keeps its alignment if `aligned`.
    #[must_use]
    pub fn new(aligned: bool) -> Self {
        Self { aligned, ..Self::default() }
    }

    /// The normalized text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Empties the text and says whether the next one keeps its alignment.
    pub fn reset(&mut self, aligned: bool) {
        self.text.clear();
        self.alignment.clear();
        self.aligned = aligned;
    }

    /// The original bytes behind a non-empty span of the normalized text: from where its first byte
    /// came from to where its last one did.
    #[must_use]
    pub fn original(&self, span: Span) -> Span {
        debug_assert!(self.aligned && span.start < span.end);
        Span { start: self.alignment[span.start as usize].start, end: self.alignment[span.end as usize - 1].end }
    }

    fn push(&mut self, c: char, origin: Span) {
        self.text.push(c);
        if self.aligned {
            self.alignment.resize(self.text.len(), origin);
        }
    }

    fn push_unchanged(&mut self, text: &str) {
        self.text.push_str(text);
        if self.aligned {
            for (start, c) in text.char_indices() {
                let end = start + c.len_utf8();
                self.alignment.resize(end, Span::new(start, end));
            }
        }
    }
}

/// Normalizes `text` into `out`, which must be empty; no normalizer leaves the text as it is.
pub fn normalize(normalizer: Option<&Normalizer>, text: &str, out: &mut Normalized) {
    match normalizer {
        None => out.push_unchanged(text),
        Some(Normalizer::Bert(bert)) => bert.normalize(text, out),
    }
}
