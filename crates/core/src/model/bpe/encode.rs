//! From a word to its parts, and from these to tokens.

use super::Bpe;
use super::alphabet::{Alphabet, NONE};
use super::merging::Merging;
use crate::bytes::byte_to_char;
use crate::error::{Error, Result, shorten};
use crate::model::Token;
use crate::span::Span;

impl Bpe {
    /// Appends the tokens of `word`, which starts at byte `at` of the normalized text.
    ///
    /// With `specials` false, no special token is ever produced by text. The cost is O(n log n) for n characters.
    pub fn encode_word(
        &self,
        word: &str,
        at: u32,
        specials: bool,
        merging: &mut Merging,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        if let Some(id) = self.whole(word, specials, merging) {
            out.push(Token { id, span: Span::new(0, word.len()).shifted(at) });
            return Ok(());
        }
        let tables = self.tables(specials);
        merging.clear();
        self.fill(word, &tables.alphabet, merging)?;
        merging.merge(&tables.pairs);
        push(merging, at, out);
        Ok(())
    }

    /// Appends the tokens of a word whose bytes are characters to the model; their spans are bytes of the word.
    ///
    /// The same as [`Self::encode_word`] of these characters.
    pub(crate) fn encode_bytes(
        &self,
        word: &str,
        specials: bool,
        merging: &mut Merging,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        let tables = self.tables(specials);
        if !self.settings().ignore_merges && self.fill_bytes(word.as_bytes(), &tables.alphabet, merging) {
            merging.merge(&tables.pairs);
            push(merging, 0, out);
            return Ok(());
        }
        let mut text = std::mem::take(&mut merging.text);
        text.clear();
        text.extend(word.bytes().map(byte_to_char));
        let first = out.len();
        let encoded = self.encode_word(&text, 0, specials, merging, out);
        for token in &mut out[first..] {
            let characters = |at: u32| text[..at as usize].chars().count();
            token.span = Span::new(characters(token.span.start), characters(token.span.end));
        }
        merging.text = text;
        encoded
    }

    /// The entry that the whole word is, where that is all that counts.
    fn whole(&self, word: &str, specials: bool, merging: &Merging) -> Option<u32> {
        if !self.settings().ignore_merges || merging.dropout.is_some() {
            return None;
        }
        self.vocab().id(word).filter(|id| specials || !self.specials.contains(id))
    }

    /// Fills `merging` with the characters of a word.
    fn fill(&self, word: &str, alphabet: &Alphabet, merging: &mut Merging) -> Result<()> {
        let mut unknown = Unknown::default();
        let mut start = 0;
        for c in word.chars() {
            let end = start + c.len_utf8();
            let span = Span::new(start, end);
            let (first, last) = (start == 0, end == word.len());
            let id = alphabet.letters(first, last).id(c);
            if id != NONE {
                unknown.flush(merging);
                merging.push(id, span.start, span.end);
            } else if !self.fall_back(&word[start..end], first, last, span, alphabet, merging)
                && self.settings().unk_token.is_some()
            {
                let unk = self.unk_id().ok_or_else(|| Error::NoUnknownToken { word: shorten(word) })?;
                unknown.add(unk, span, self.settings().fuse_unk, merging);
            }
            start = end;
        }
        unknown.flush(merging);
        Ok(())
    }

    /// Adds the entries of a character's bytes, with the prefix and the suffix that it would have; false unless all exist.
    fn fall_back(
        &self,
        c: &str,
        first: bool,
        last: bool,
        span: Span,
        alphabet: &Alphabet,
        merging: &mut Merging,
    ) -> bool {
        if !self.settings().byte_fallback {
            return false;
        }
        let prefix = if first { "" } else { &self.settings().continuing_subword_prefix };
        let suffix = if last { &self.settings().end_of_word_suffix } else { "" };
        let whole = [prefix, c, suffix].concat();
        let Some(ids) = alphabet.fallback(&whole) else { return false };
        ids.for_each(|id| merging.push(id, span.start, span.end));
        true
    }

    /// Fills `merging` with the bytes of a word; false if not all have entries.
    fn fill_bytes(&self, word: &[u8], alphabet: &Alphabet, merging: &mut Merging) -> bool {
        merging.clear();
        for (at, &byte) in (0..).zip(word) {
            let id = alphabet.letters(at == 0, at as usize + 1 == word.len()).of_byte(byte);
            if id == NONE {
                return false;
            }
            merging.push(id, at, at + 1);
        }
        true
    }
}

/// An unknown token that may grow.
#[derive(Default)]
struct Unknown(Option<(u32, Span)>);

impl Unknown {
    /// Adds an unknown character.
    fn add(&mut self, unk: u32, span: Span, fuse: bool, merging: &mut Merging) {
        match &mut self.0 {
            Some((_, open)) if fuse => open.end = span.end,
            open => {
                if let Some((id, before)) = open.replace((unk, span)) {
                    merging.push(id, before.start, before.end);
                }
            }
        }
    }

    /// Gives it to `merging`, if there is one.
    fn flush(&mut self, merging: &mut Merging) {
        if let Some((id, span)) = self.0.take() {
            merging.push(id, span.start, span.end);
        }
    }
}

fn push(merging: &Merging, at: u32, out: &mut Vec<Token>) {
    let span = |start, end| Span { start, end }.shifted(at);
    out.extend(merging.parts().iter().map(|part| Token { id: part.id, span: span(part.start, part.end) }));
}
