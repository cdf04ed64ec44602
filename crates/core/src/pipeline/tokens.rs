//! The generic path: the tokens of a text in order, before post-processing.

use super::Tokenizer;
use super::options::{Input, Options};
use super::scratch::{GenericBuffers, Scratch};
use crate::added::SegmentTrust;
use crate::error::{Error, Result};
use crate::model::{ModelScratch, Token};
use crate::pretokenize::words::{Word, WordKind, Words};
use crate::stop::Work;
use crate::text::span::{Span, check_length};

/// A token of a text, on the generic path.
pub(super) struct TextToken<'a> {
    pub(super) id: u32,
    /// Its bytes in the normalized text.
    pub(super) span: Span,
    /// The word that contains it.
    pub(super) word: &'a Word,
    /// The number of that word.
    pub(super) number: u32,
    pub(super) words: &'a Words,
}

impl<'a> TextToken<'a> {
    /// Returns its part of the normalized text.
    fn surface(&self) -> &'a str {
        &self.words.text_of(self.word)[self.span.shifted_left(self.word.span.start).range()]
    }

    /// Returns its bytes in the original text.
    pub(super) fn original(&self) -> Span {
        self.words.original(self.span)
    }
}

impl Tokenizer {
    /// Returns the text of a token, if it differs from the one that its id is decoded to.
    pub(super) fn other_name<'a>(&'a self, found: &TextToken<'a>) -> Option<&'a str> {
        let name = match found.word.kind {
            WordKind::Added(_) => found.words.text_of(found.word),
            _ if self.is_unknown(found) => found.surface(),
            _ if self.shadows => self.model().vocab().token(found.id)?,
            _ => return None,
        };
        (self.token(found.id) != Some(name)).then_some(name)
    }

    /// Returns whether a token replaces unknown text and has that text as its name.
    ///
    /// False for a byte-fallback token whose id is also that of the unknown token.
    fn is_unknown(&self, found: &TextToken<'_>) -> bool {
        self.names_unknown()
            && self.traits().unk_id == Some(found.id)
            && !self.model().falls_back(found.surface(), found.word.entries)
    }

    /// Returns whether an unknown token takes the text that it replaces as its name.
    pub(super) fn names_unknown(&self) -> bool {
        self.traits().names_unknown[usize::from(self.is_sentencepiece())]
    }

    /// Returns whether the normalizer or the decoder is SentencePiece's, as in a tokenizer read from its files.
    ///
    /// The decoder alone decides if the normalizer consists of steps of `tokenizers`.
    fn is_sentencepiece(&self) -> bool {
        self.splitter().sentencepiece().is_some() || self.decoder().is_some_and(|own| own.sentencepiece().is_some())
    }

    /// Calls `each` with every token of an input and the index of its word.
    ///
    /// With `aligned`, [`TextToken::original`] is defined.
    pub(super) fn each_token(
        &self,
        input: Input<'_>,
        options: &Options,
        aligned: bool,
        scratch: &mut Scratch,
        mut each: impl FnMut(&TextToken<'_>, u32),
    ) -> Result<()> {
        input.each_text(|given, text, segments| {
            self.split(text, segments, options, aligned, scratch)?;
            self.each_word_token(&mut scratch.generic, |found| each(found, given.unwrap_or(found.number)))
        })
    }

    /// Splits a text into words.
    pub(super) fn split(
        &self,
        text: &str,
        segments: &[(usize, SegmentTrust<'_>)],
        options: &Options,
        aligned: bool,
        scratch: &mut Scratch,
    ) -> Result<()> {
        check_length(text)?;
        scratch.belong_to(self);
        let matching = self.added.matching(text, &options.specials, &mut scratch.allowed)?;
        let mut start = 0;
        let spans = segments.iter().map(|&(end, trust)| {
            let segment = Span::new(start, end);
            start = end;
            (segment, matching.of_segment(trust))
        });
        let spans: Vec<_> = spans.collect();
        let aligned = aligned || spans.iter().any(|(_, search)| search.needs_origin());
        match self.parts.splitter.split_segments(text, spans, aligned, &mut scratch.generic.words) {
            // The position of the error in the original text needs the alignment.
            Err(Error::SpecialToken { .. }) if !aligned => self.split(text, segments, options, true, scratch),
            split => split,
        }
    }

    /// Calls `each` with the tokens of the words in the buffers.
    pub(super) fn each_word_token(
        &self,
        GenericBuffers { words, tokens, model, .. }: &mut GenericBuffers,
        mut each: impl FnMut(&TextToken<'_>),
    ) -> Result<()> {
        let mut work = Work::default();
        for (number, word) in (0..).zip(words.as_slice()) {
            work.add(word.span.range().len());
            tokens.clear();
            self.encode_word(words, word, tokens, model)?;
            tokens.iter().for_each(|token| each(&TextToken { id: token.id, span: token.span, word, number, words }));
        }
        Ok(())
    }

    pub(super) fn encode_word(
        &self,
        words: &Words,
        word: &Word,
        out: &mut Vec<Token>,
        scratch: &mut ModelScratch,
    ) -> Result<()> {
        if let WordKind::Added(id) = word.kind {
            out.push(Token { id, span: word.span });
            return Ok(());
        }
        let first = out.len();
        self.model().encode_word(words.text_of(word), word.entries, scratch, out)?;
        shift(&mut out[first..], word.span.start);
        Ok(())
    }
}

/// Moves the spans of the tokens of a word, which starts at byte `at` of the normalized text.
pub(super) fn shift(tokens: &mut [Token], at: u32) {
    tokens.iter_mut().for_each(|token| token.span = token.span.shifted(at));
}
