//! Whether added tokens may become entries of the model: only if it then encodes every word as before.
//!
//! A word is what the model receives. An added token that no word contains is never matched in one.

use std::collections::HashSet;

use super::Tokenizer;
use crate::added::AddedToken;
use crate::error::Result;
use crate::model::FoundEntry;
use crate::pretokenize::boundary::Boundary;
use crate::pretokenize::words::Words;
use crate::pretokenize::{PreTokenizer, Substitution};
use crate::splitter::WordSplitter;

impl Tokenizer {
    /// Returns the added tokens outside the vocabulary that the model never matches in words as entries either.
    ///
    /// None of a Unigram or `WordLevel` model counts as such, since entries there have scores, or are whole words.
    ///
    /// # Errors
    ///
    /// The error of a stage that cannot process the text of a token.
    pub fn possible_entries(&self) -> Result<HashSet<&str>> {
        let tokens = self.added().tokens();
        let vocab = self.model().vocab();
        let alone = WordSplitter::new(None, self.splitter().pre_tokenizer().cloned())?;
        let mut found = HashSet::new();
        for token in tokens.iter().filter(|token| vocab.id(&token.content).is_none()) {
            let is_always_found = self.model().finds_entry(&token.content) == FoundEntry::Always;
            let in_no_word = || Ok(is_divided(token, &alone)? || self.is_always_cut(token)?);
            if !is_always_found && (self.is_never_found(token)? || in_no_word()?) {
                found.insert(&*token.content);
            }
        }
        Ok(found)
    }

    /// Returns whether the model never finds the token as an entry, by its text alone.
    ///
    /// A text that contains the token is cut there before it is split; it is split into words only as ordinary text, and by
    /// the pre-tokenizer. A visible ASCII character in a word stands for itself, unless there is a normalizer.
    pub(crate) fn is_never_found(&self, token: &AddedToken) -> Result<bool> {
        let splitter = self.splitter();
        let is_cut = !token.single_word && token.content.bytes().all(|byte| byte.is_ascii_graphic());
        match self.model().finds_entry(&token.content) {
            FoundEntry::Never => Ok(true),
            FoundEntry::WholeWord if is_cut && splitter.normalizer().is_none() => {
                Ok(words_of(&token.content, splitter)?.len() > 1)
            }
            _ => Ok(false),
        }
    }

    /// Returns whether every text is cut at the token before it is split into words.
    fn is_always_cut(&self, token: &AddedToken) -> Result<bool> {
        let splitter = self.splitter();
        // A rejected match of another token consumes its text.
        let is_rejected = self.added().tokens().iter().any(|other| other.single_word);
        // Words are written in other characters, of which those of visible ASCII alone stand for themselves.
        let is_visible = token.content.bytes().all(|byte| byte.is_ascii_graphic());
        let may_write = |substitution| match substitution {
            Substitution::Bytes => !is_visible,
            Substitution::Spaces(metaspace) => token.content.contains([' ', metaspace.replacement]),
        };
        let is_rewritten =
            splitter.pre_tokenizer().is_some_and(|steps| steps.has_function() || steps.substitutions().any(may_write));
        if token.control || is_rejected || is_rewritten {
            return Ok(false);
        }
        if splitter.normalizer().is_none() {
            return Ok(true);
        }
        Ok(token.normalized && splitter.normalize_token(&token.content)? == token.content)
    }
}

/// Returns whether a pre-tokenizer by which two neighbours decide divides the token, and so every text with it.
fn is_divided(token: &AddedToken, alone: &WordSplitter) -> Result<bool> {
    let boundary = alone.pre_tokenizer().map(PreTokenizer::boundary);
    Ok(matches!(boundary, Some(Boundary::Characters(_))) && words_of(&token.content, alone)? != [&*token.content])
}

fn words_of(text: &str, splitter: &WordSplitter) -> Result<Vec<String>> {
    let mut words = Words::default();
    splitter.split(text, false, &mut words)?;
    Ok(words.iter().map(str::to_owned).collect())
}
