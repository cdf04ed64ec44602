//! Text to words: normalization and pre-tokenization together, as training and encoding both begin.

use crate::normalize::{Normalized, Normalizer, normalize};
use crate::pretokenize::{PreTokenizer, pre_tokenize};
use crate::span::Span;

/// The two stages that come before every model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WordSplitter {
    /// What the text is changed by; `None` leaves it as it is.
    pub normalizer: Option<Normalizer>,
    /// How it is split; `None` makes it one word.
    pub pre_tokenizer: Option<PreTokenizer>,
}

/// The words of one text, kept to be filled again.
#[derive(Debug, Default)]
pub struct Words {
    /// The normalized text.
    pub normalized: Normalized,
    /// The words in it.
    pub spans: Vec<Span>,
}

impl WordSplitter {
    /// Fills `words` with those of `text`; `aligned` keeps the way back to the original.
    pub fn split(&self, text: &str, aligned: bool, words: &mut Words) {
        words.normalized.reset(aligned);
        words.spans.clear();
        normalize(self.normalizer.as_ref(), text, &mut words.normalized);
        pre_tokenize(self.pre_tokenizer, words.normalized.text(), &mut words.spans);
    }
}

impl Words {
    /// The words from left to right.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.spans.iter().map(|span| &self.normalized.text()[span.range()])
    }
}
