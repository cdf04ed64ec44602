//! Whether added tokens may become entries of the model: only if it then encodes every word as before.
//!
//! A word is what the model receives. An added token that no word contains is never matched in one.

use std::collections::HashSet;

use super::Tokenizer;
use crate::added::AddedToken;
use crate::error::Result;
use crate::model::Model;
use crate::model::bpe::{Bpe, Settings};
use crate::model::wordpiece;
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
            let in_no_word = || Ok(is_divided(token, &alone)? || self.is_always_cut(token)?);
            let is_possible = match self.model() {
                Model::Bpe(model) => {
                    let is_made = can_produce(model.settings(), &token.content);
                    !is_made && (is_unmatched(model, token, self.splitter())? || in_no_word()?)
                }
                Model::WordPiece(model) => {
                    let wordpiece::Settings { continuing_subword_prefix: prefix, unk_token, .. } = model.settings();
                    let continues = !prefix.is_empty() && token.content.starts_with(prefix);
                    !continues && unk_token.as_deref() != Some(&*token.content) && in_no_word()?
                }
                Model::Unigram(_) | Model::WordLevel(_) => false,
            };
            if is_possible {
                found.insert(&*token.content);
            }
        }
        Ok(found)
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

/// Returns whether a BPE model with this entry, which no merge gives, can produce it.
fn can_produce(settings: &Settings, content: &str) -> bool {
    let Settings { continuing_subword_prefix: prefix, end_of_word_suffix: suffix, .. } = settings;
    let inner = content.strip_prefix(prefix.as_str()).unwrap_or(content);
    // A first symbol of a word is a character, with a prefix or suffix.
    let is_character = |text: &str| text.chars().nth(1).is_none();
    let is_symbol = [content, inner]
        .iter()
        .any(|text| is_character(text) || text.strip_suffix(suffix.as_str()).is_some_and(is_character));
    let is_byte = settings.byte_fallback && content.starts_with("<0x");
    is_symbol || is_byte || content == suffix || settings.unk_token.as_deref() == Some(content)
}

/// Returns whether a BPE model never matches the token as an entry: no merge makes it, and no word equals it.
///
/// `ignore_merges` matches whole words. A text that contains the token is cut there before it is split; it is split into
/// words only as ordinary text, and by the pre-tokenizer. A visible ASCII character in a word stands for itself, unless
/// there is a normalizer.
pub(crate) fn is_unmatched(model: &Bpe, token: &AddedToken, splitter: &WordSplitter) -> Result<bool> {
    if can_produce(model.settings(), &token.content) {
        return Ok(false);
    }
    let is_cut = !token.single_word && token.content.bytes().all(|byte| byte.is_ascii_graphic());
    Ok(!model.settings().ignore_merges
        || (is_cut && splitter.normalizer().is_none() && words_of(&token.content, splitter)?.len() > 1))
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
