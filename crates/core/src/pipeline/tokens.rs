//! A text's tokens, one after the other, before post-processing.

use std::sync::Arc;

use super::Tokenizer;
use super::encode::{Input, Options};
use super::fast_path::FastScratch;
use crate::added::AllowedTokens;
use crate::decode::Decoder;
use crate::error::{Error, Result};
use crate::model::{Chance, ModelScratch, Token};
use crate::normalize::Normalizer;
use crate::pretokenize::words::{Word, WordKind, Words};
use crate::text::span::{Span, check_length};

/// The working memory of a worker; it is of most use to the tokenizer that it was used with last.
#[derive(Debug, Default)]
pub struct Scratch {
    allowed: AllowedTokens,
    pub(super) words: Words,
    tokens: Vec<Token>,
    model: ModelScratch,
    fast: FastScratch,
    pub(super) ids: [Vec<u32>; 2],
    /// The tokenizer that what is kept belongs to.
    owner: Option<Arc<()>>,
}

/// Room for more is not kept: a long text is worth its own memory.
const KEPT: usize = 1 << 20;

impl Scratch {
    /// What was kept of earlier calls, all of them of this tokenizer.
    pub(super) fn of(&mut self, tokenizer: &Tokenizer) -> (&mut AllowedTokens, &mut FastScratch) {
        if !self.owner.as_ref().is_some_and(|owner| Arc::ptr_eq(owner, &tokenizer.identity)) {
            self.owner = Some(Arc::clone(&tokenizer.identity));
            (self.allowed, self.fast) = Default::default();
        }
        (&mut self.allowed, &mut self.fast)
    }

    /// Begins an input of a call with this seed.
    pub(super) fn begin(&mut self, chance: Option<Chance>, seed: u64, input: u64) {
        self.model.begin(chance, seed, input);
    }

    /// Gives back the memory that a long text made it grow to.
    pub fn trim(&mut self) {
        if self.capacity() > KEPT {
            (self.words, self.tokens, self.ids, self.model) = Default::default();
            self.fast.trim();
        }
    }

    /// The most that any part but the caches has room for.
    pub(super) fn capacity(&self) -> usize {
        let Self { words, tokens, model, ids, fast, .. } = self;
        let columns = ids.iter().map(Vec::capacity).fold(tokens.capacity(), usize::max);
        words.capacity().max(columns).max(model.capacity()).max(fast.capacity())
    }
}

/// A word after normalization, or an added token in the text, and its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordPieces {
    /// The word.
    pub word: String,
    /// Its tokens, with their bytes in the word.
    pub tokens: Vec<Token>,
}

/// A token of a text.
pub(super) struct Found<'a> {
    pub(super) id: u32,
    /// Its bytes in the normalized text.
    pub(super) span: Span,
    /// The word it belongs to.
    pub(super) word: &'a Word,
    /// That word's number.
    pub(super) number: u32,
    pub(super) words: &'a Words,
}

impl<'a> Found<'a> {
    /// Its part of the normalized text.
    fn surface(&self) -> &'a str {
        &self.words.text_of(self.word)[self.span.shifted_left(self.word.span.start).range()]
    }

    /// Its bytes in the original.
    pub(super) fn original(&self) -> Span {
        self.words.original(self.span)
    }
}

impl Tokenizer {
    /// What a token of a text is called, where that is not what its id is decoded as.
    pub(super) fn other_name<'a>(&'a self, found: &Found<'a>) -> Option<&'a str> {
        let name = match found.word.kind {
            WordKind::Added(_) => found.words.text_of(found.word),
            _ if self.is_unknown(found) => found.surface(),
            _ if self.shadows => self.model().vocab().token(found.id)?,
            _ => return None,
        };
        (self.token(found.id) != Some(name)).then_some(name)
    }

    /// Whether a token stands for what is unknown, and is called so; the unknown token may also be the entry of a byte.
    fn is_unknown(&self, found: &Found<'_>) -> bool {
        self.names_unknown()
            && self.model().unk_id() == Some(found.id)
            && !self.model().falls_back(found.surface(), found.word.specials)
    }

    /// Whether an unknown token has the name of the text it stands for.
    pub(super) fn names_unknown(&self) -> bool {
        self.model().names_unknown(self.is_sentencepiece())
    }

    /// Whether it came from a `SentencePiece` model; the normalizer of one may be of steps that `tokenizers` knows, too.
    fn is_sentencepiece(&self) -> bool {
        matches!(self.splitter().normalizer(), Some(Normalizer::SentencePiece(_)))
            || matches!(self.decoder(), Some(Decoder::SentencePiece(_)))
    }

    /// Calls `each` with every token of a text.
    pub(super) fn each_token(
        &self,
        input: Input<'_>,
        options: &Options,
        scratch: &mut Scratch,
        mut each: impl FnMut(&Found<'_>),
    ) -> Result<()> {
        self.each_token_of_word(input, options, false, scratch, |found, _| each(found))
    }

    /// The same with the number of the given word and, if `aligned`, with the way back to the original.
    pub(super) fn each_token_of_word(
        &self,
        input: Input<'_>,
        options: &Options,
        aligned: bool,
        scratch: &mut Scratch,
        mut each: impl FnMut(&Found<'_>, u32),
    ) -> Result<()> {
        match input {
            Input::Text(text) => {
                self.split(text, &[(text.len(), None)], options, aligned, scratch)?;
                self.each_word_token(scratch, |found| each(found, 0))
            }
            Input::Words(words) => {
                for (place, word) in (0..).zip(words) {
                    self.split(word, &[(word.len(), None)], options, aligned, scratch)?;
                    self.each_word_token(scratch, |found| each(found, place))?;
                }
                Ok(())
            }
            Input::Segments(text, segments) => {
                let segments: Vec<_> = segments.iter().map(|&(end, trusted)| (end, Some(trusted))).collect();
                self.split(text, &segments, options, aligned, scratch)?;
                self.each_word_token(scratch, |found| each(found, 0))
            }
        }
    }

    /// Splits a text into words; a segment's own say about special tokens goes before the call's.
    pub(super) fn split(
        &self,
        text: &str,
        segments: &[(usize, Option<bool>)],
        options: &Options,
        aligned: bool,
        scratch: &mut Scratch,
    ) -> Result<()> {
        check_length(text)?;
        scratch.of(self);
        let matching = self.added.matching(text, &options.specials, &mut scratch.allowed)?;
        let aligned = aligned || matching.needs_origin();
        let mut start = 0;
        let spans = segments.iter().map(|&(end, trusted)| {
            let segment = Span::new(start, end);
            start = end;
            (segment, trusted.map_or(matching, |trusted| matching.with_trust(trusted)))
        });
        match self.parts.splitter.split_segments(text, spans, aligned, &mut scratch.words) {
            // Where it stood in the original only the alignment tells.
            Err(Error::SpecialToken { .. }) if !aligned => self.split(text, segments, options, true, scratch),
            split => split,
        }
    }

    /// Calls `each` with the tokens of the words in `scratch`.
    fn each_word_token(&self, scratch: &mut Scratch, mut each: impl FnMut(&Found<'_>)) -> Result<()> {
        let Scratch { words, tokens, model, .. } = scratch;
        for (number, word) in (0..).zip(words.as_slice()) {
            tokens.clear();
            self.encode_word(words, word, tokens, model)?;
            for token in tokens.iter() {
                each(&Found { id: token.id, span: token.span, word, number, words });
            }
        }
        Ok(())
    }

    fn encode_word(&self, words: &Words, word: &Word, out: &mut Vec<Token>, scratch: &mut ModelScratch) -> Result<()> {
        if let WordKind::Added(id) = word.kind {
            out.push(Token { id, span: word.span });
            return Ok(());
        }
        self.model().encode_word(words.text_of(word), word.span.start, word.specials, scratch, out)
    }

    /// The words of `text` with their tokens, whose spans are bytes of the word, not of the text.
    pub fn word_pieces(&self, text: &str, options: &Options, scratch: &mut Scratch) -> Result<Vec<WordPieces>> {
        self.begin(options, scratch);
        self.split(text, &[(text.len(), None)], options, false, scratch)?;
        let mut found = Vec::new();
        let Scratch { words, model, .. } = scratch;
        for word in words.as_slice() {
            let mut tokens = Vec::new();
            self.encode_word(words, word, &mut tokens, model)?;
            for token in &mut tokens {
                token.span = token.span.shifted_left(word.span.start);
            }
            found.push(WordPieces { word: words.text_of(word).to_owned(), tokens });
        }
        Ok(found)
    }
}
