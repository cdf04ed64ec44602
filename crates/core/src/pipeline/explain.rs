//! The stages of a text, one after the other, for explanations.

use super::Tokenizer;
use super::options::Options;
use super::scratch::Scratch;
use crate::error::Result;
use crate::model::Token;
use crate::model::steps::Steps;
use crate::normalize::Normalized;
use crate::pretokenize::words::{Word, WordKind, Words};
use crate::stop::Work;
use crate::text::span::{Span, check_length};

/// A text with the results of all stages up to the model.
#[derive(Debug, Clone)]
pub struct ExplainedText {
    /// The text after normalization, with added tokens.
    pub normalized: Normalized,
    /// The words of the pre-tokenizer and added tokens within the limits, in order.
    pub words: Vec<ExplainedWord>,
    /// The number of all words.
    pub word_count: usize,
}

/// A word of a text, or an added token, with its tokens.
#[derive(Debug, Clone)]
pub struct ExplainedWord {
    /// The word as the model receives it.
    pub text: String,
    /// Its kind.
    pub kind: WordKind,
    /// Its bytes in the normalized text.
    pub normalized: Span,
    /// Its bytes in the original text.
    pub original: Span,
    /// The tokens that begin within the limit of characters.
    pub tokens: Vec<ExplainedToken>,
    /// The number of all tokens.
    pub token_count: usize,
    /// The steps of the model; `None` for an added token, for a model without steps, and beyond the limits.
    pub steps: Option<Steps>,
}

impl ExplainedWord {
    /// Returns whether all its tokens are listed.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.tokens.len() == self.token_count
    }
}

/// A token of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExplainedToken {
    /// Its id.
    pub id: u32,
    /// Its bytes in the word.
    pub span: Span,
    /// Its bytes in the normalized text.
    pub normalized: Span,
    /// Its bytes in the original text.
    pub original: Span,
}

/// The limits of an explanation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExplainLimits {
    /// The bytes of the original text whose words are explained; a word that overlaps with them is explained as a whole.
    pub bytes: Span,
    /// The number of characters of words that are explained; the rest is only counted.
    pub characters: usize,
    /// The number of characters of the longest word whose steps are returned.
    pub step_characters: usize,
    /// The number of best segmentations.
    pub nbest: usize,
}

impl Tokenizer {
    /// Returns the stages of a text, without random choices.
    ///
    /// The tokens are those of an encoding before post-processing.
    ///
    /// ```
    /// use piecework_core::format::{VocabSettings, read_vocab_txt};
    /// use piecework_core::model::wordpiece::WordPieceSettings;
    /// use piecework_core::pipeline::{ExplainLimits, Options, Scratch};
    /// use piecework_core::splitter::WordSplitter;
    /// use piecework_core::text::span::Span;
    ///
    /// let settings = VocabSettings { splitter: WordSplitter::bert()?, model: WordPieceSettings::default() };
    /// let tokenizer = read_vocab_txt("[UNK]\nhug\n##s\n[UNK2]\n".as_bytes(), settings)?;
    /// let bytes = Span::new(0, 5);
    /// let limits = ExplainLimits { bytes, characters: 100, step_characters: 100, nbest: 3 };
    /// let explained = tokenizer.explain("Hugs!", &Options::default(), limits, &mut Scratch::default())?;
    /// assert_eq!(explained.normalized.text(), "hugs!");
    /// assert_eq!(explained.words.iter().map(|word| word.token_count).collect::<Vec<_>>(), [2, 1]);
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn explain(
        &self,
        text: &str,
        options: &Options,
        limits: ExplainLimits,
        scratch: &mut Scratch,
    ) -> Result<ExplainedText> {
        check_length(text)?;
        scratch.begin(None, 0, 0);
        scratch.belong_to(self);
        let matching = self.added.matching(text, &options.specials, &mut scratch.allowed)?;
        self.parts.splitter.split_with_base(text, matching, &mut scratch.generic.words)?;
        let normalized = scratch.generic.words.take_base();
        let (mut explained, mut rest) = (Vec::new(), limits.characters);
        let mut work = Work::default();
        for word in scratch.generic.words.as_slice() {
            work.add(1);
            if rest == 0 {
                break;
            }
            if !overlaps(original(&normalized, word.origin), limits.bytes) {
                continue;
            }
            let limits = ExplainLimits { characters: rest, ..limits };
            let mut tokens = Vec::new();
            self.encode_word(&scratch.generic.words, word, &mut tokens, &mut scratch.generic.model)?;
            explained.push(self.explained(&scratch.generic.words, word, &tokens, &normalized, limits)?);
            rest -= scratch.generic.words.text_of(word).chars().take(rest).count();
        }
        Ok(ExplainedText { normalized, words: explained, word_count: scratch.generic.words.as_slice().len() })
    }

    fn explained(
        &self,
        words: &Words,
        word: &Word,
        tokens: &[Token],
        normalized: &Normalized,
        limits: ExplainLimits,
    ) -> Result<ExplainedWord> {
        let text = words.text_of(word);
        let end = text.char_indices().nth(limits.characters).map_or(text.len(), |(at, _)| at);
        let listed = tokens.iter().map(|token| ExplainedToken {
            id: token.id,
            span: token.span.shifted_left(word.span.start),
            normalized: words.original(token.span),
            original: original(normalized, words.original(token.span)),
        });
        let is_listed = |token: &ExplainedToken| token.span.range().start < end;
        let has_steps = end == text.len() && text.chars().nth(limits.step_characters).is_none();
        let steps = match word.kind {
            WordKind::Text | WordKind::Whole if has_steps => self.model().steps(text, word.entries, limits.nbest)?,
            _ => None,
        };
        Ok(ExplainedWord {
            text: text.to_owned(),
            kind: word.kind,
            normalized: word.origin,
            original: original(normalized, word.origin),
            tokens: listed.filter(is_listed).collect(),
            token_count: tokens.len(),
            steps,
        })
    }
}

/// Returns the original bytes of the characters of the normalized text that a word comes from.
///
/// An empty span is the place of a character without origin, which has a place in the original too.
fn original(normalized: &Normalized, span: Span) -> Span {
    if span.start < span.end {
        return normalized.original(span);
    }
    let start = normalized.origin_of(span.start as usize).unwrap_or_default();
    Span { start, end: start }
}

/// Returns whether a word has bytes of a range; one without bytes has if it begins in the range or at its end.
fn overlaps(word: Span, range: Span) -> bool {
    if word.start == word.end {
        return range.start <= word.start && word.start <= range.end;
    }
    word.start < range.end && range.start < word.end
}
