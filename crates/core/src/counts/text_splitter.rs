//! The stages that make the words of a table: added tokens, normalizer and pre-tokenizer.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::added::{AddedToken, AddedTokenSearch, AddedTokens, AllowedFinders, SpecialsPolicy};
use crate::error::Result;
use crate::pretokenize::words::{Word, WordKind, Words};
use crate::splitter::WordSplitter;
use crate::text::span::Span;

/// Splits texts into words as encoding does: at added tokens first, then by normalizer and pre-tokenizer.
///
/// ```
/// use piecework_core::added::AddedToken;
/// use piecework_core::counts::{Counter, TextSplitter};
/// use piecework_core::splitter::WordSplitter;
///
/// let splitter = TextSplitter::new(WordSplitter::bert()?, vec![AddedToken::special(0, "[A]")])?;
/// let mut counter = Counter::new(splitter);
/// counter.add_text(0, "low[A]er")?;
/// assert_eq!(counter.finish()?.by_first_occurrence(), [("low", 1), ("[A]", 1), ("er", 1)]);
/// # Ok::<(), piecework_core::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct TextSplitter {
    words: WordSplitter,
    added: Arc<AddedTokens>,
}

impl PartialEq for TextSplitter {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words && self.added() == other.added()
    }
}

impl Eq for TextSplitter {}

impl From<WordSplitter> for TextSplitter {
    fn from(words: WordSplitter) -> Self {
        Self { words, added: Arc::default() }
    }
}

impl TextSplitter {
    /// Returns a splitter that cuts texts at `tokens`, whose ids and order do not matter.
    ///
    /// Control symbols are left out, since texts have none.
    pub fn new(words: WordSplitter, tokens: Vec<AddedToken>) -> Result<Self> {
        let tokens = tokens.into_iter().filter(|token| !token.control && !token.content.is_empty());
        let tokens: BTreeMap<_, _> = tokens.map(|token| (token.content.clone(), token)).collect();
        let numbered = (0..).zip(tokens.into_values()).map(|(id, token)| AddedToken { id, ..token });
        let added = AddedTokens::new(numbered.collect(), |text| words.normalize_token(text))?;
        Ok(Self { words, added: Arc::new(added) })
    }

    /// Returns the normalizer and the pre-tokenizer.
    #[must_use]
    pub fn words(&self) -> &WordSplitter {
        &self.words
    }

    /// Returns the tokens that texts are cut at, in the order of their contents.
    #[must_use]
    pub fn added(&self) -> &[AddedToken] {
        self.added.tokens()
    }

    /// Replaces `words` with the words of `text`.
    pub(super) fn split(&self, text: &str, words: &mut Words) -> Result<()> {
        let mut allowed = AllowedFinders::default();
        let search = self.search(text, &mut allowed)?;
        self.words.split_segments(text, [(Span::new(0, text.len()), search)], false, words)
    }

    /// Returns the search for the added tokens of a text.
    pub(super) fn search<'a>(&'a self, text: &'a str, allowed: &'a mut AllowedFinders) -> Result<AddedTokenSearch<'a>> {
        self.added.matching(text, &SpecialsPolicy::Match, allowed)
    }

    /// Returns the text of an added token.
    pub(super) fn content(&self, id: u32) -> &str {
        self.added().get(id as usize).map_or("", |token| &token.content)
    }

    /// Returns the text of a word as a table has it: that of an added token is its content.
    pub(super) fn text_of<'a>(&'a self, words: &'a Words, word: &Word) -> &'a str {
        match word.kind {
            WordKind::Added(id) => self.content(id),
            WordKind::Text | WordKind::Whole => words.text_of(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::Normalizer;
    use crate::pretokenize::PreTokenizer;

    fn splitter(tokens: Vec<AddedToken>) -> TextSplitter {
        let words = WordSplitter::new(Some(Normalizer::Lowercase), Some(PreTokenizer::WhitespaceSplit)).unwrap();
        TextSplitter::new(words, tokens).unwrap()
    }

    #[test]
    fn tokens_are_ordered_by_content() {
        let plain = AddedToken { content: "b".to_owned(), normalized: true, id: 7, ..AddedToken::default() };
        let one = splitter(vec![AddedToken::special(3, "[C]"), plain.clone(), AddedToken::control(5, "</s>")]);
        assert_eq!(one, splitter(vec![AddedToken { id: 1, ..plain.clone() }, AddedToken::special(0, "[C]")]));
        assert_eq!(
            one.added().iter().map(|token| (token.id, &*token.content)).collect::<Vec<_>>(),
            [(0, "[C]"), (1, "b")]
        );
        assert_ne!(one, splitter(vec![plain]));
    }

    #[test]
    fn words_are_cut_as_encoding_cuts_them() {
        let mask = AddedToken { lstrip: true, ..AddedToken::special(0, "[C]") };
        let lone =
            AddedToken { content: "LO".to_owned(), normalized: true, single_word: true, ..AddedToken::default() };
        let splitter = splitter(vec![mask, lone]);
        let mut words = Words::default();
        splitter.split("Low  [C]lo-[c]", &mut words).unwrap();
        let found: Vec<_> = words.as_slice().iter().map(|word| splitter.text_of(&words, word)).collect();
        assert_eq!(found, ["low", "[C]", "LO", "-[c]"]);
    }
}
