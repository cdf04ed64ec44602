//! Entries that no text becomes, since an added token is always matched inside them.

use std::collections::HashSet;

use super::Tokenizer;
use crate::error::Result;
use crate::model::bpe::Bpe;
use crate::pretokenize::{PreTokenizer, Substitution};
use crate::settings::METASPACE;
use crate::strings::Finder;
use crate::text::bytes::char_to_byte;

impl Tokenizer {
    /// Returns the ids of entries that no text becomes, in order, without added tokens.
    ///
    /// They are the entries of a BPE model that merges never make, and entries of all models that contain an added token
    /// which is matched wherever it occurs. Control symbols are not matched. Where a token may be rejected, or a normalizer
    /// may make one of other text, entries count as reachable. The cost is that of encoding all entries.
    pub fn unreachable(&self) -> Result<Vec<u32>> {
        let mut ids: HashSet<u32> =
            self.model().as_bpe().map(Bpe::unreachable).unwrap_or_default().into_iter().collect();
        let tokens = self.always_matched()?;
        if !tokens.is_empty() {
            let tokens = Finder::new(&tokens, "the added tokens")?;
            let is_cut = |token: &str| self.spelled(token).is_some_and(|text| tokens.is_in(&text));
            ids.extend(self.model().vocab().iter().filter(|&(token, _)| is_cut(token)).map(|(_, id)| id));
        }
        let mut ids: Vec<u32> = ids.into_iter().filter(|&id| self.added().token(id).is_none()).collect();
        ids.sort_unstable();
        Ok(ids)
    }

    /// Returns the added tokens, as normalized text has them, that are matched wherever they occur in it.
    fn always_matched(&self) -> Result<Vec<String>> {
        let tokens: Vec<_> = self.added().cutting().collect();
        let pre_tokenizer = self.splitter().pre_tokenizer();
        if pre_tokenizer.is_some_and(PreTokenizer::has_function) {
            return Ok(Vec::new());
        }
        let replacement =
            |substitution| if let Substitution::Spaces(mark) = substitution { Some(mark.replacement) } else { None };
        let substitutions = pre_tokenizer.into_iter().flat_map(PreTokenizer::substitutions);
        let replacements: HashSet<char> = substitutions.filter_map(replacement).collect();
        // A rejected match consumes its text, and another token in it is not found.
        let rejected: HashSet<char> = tokens
            .iter()
            .filter(|token| token.single_word || token.control)
            .flat_map(|token| token.content.chars())
            .collect();
        let is_text_kept = self
            .splitter()
            .locality()
            .is_none_or(|locality| locality.metaspaces.is_some_and(|spaces| spaces.keeps_characters()));
        let mut found = Vec::new();
        for token in tokens.iter().copied().filter(|token| !token.single_word && !token.control) {
            let form = if token.normalized {
                self.splitter().normalize_token(&token.content)?
            } else if is_text_kept {
                token.content.clone()
            } else {
                continue;
            };
            // Spaces may be inserted, removed or replaced after the search.
            let is_plain = !form.is_empty()
                && !form.contains(|c: char| c == METASPACE || c.is_whitespace() || replacements.contains(&c));
            if is_plain && !form.chars().any(|c| rejected.contains(&c)) {
                found.push(form);
            }
        }
        Ok(found)
    }

    /// Returns the bytes of the text that an entry stands for at least; `None` if it may stand for unknown characters.
    fn spelled(&self, token: &str) -> Option<Vec<u8>> {
        let is_unknown = self.traits().unk_token.as_deref().is_some_and(|unk| !unk.is_empty() && token.contains(unk));
        if is_unknown || token.contains("<0x") {
            return None;
        }
        let text = token.strip_prefix(&self.traits().continuing_subword_prefix).unwrap_or(token);
        let text = text.strip_suffix(&self.traits().end_of_word_suffix).unwrap_or(text);
        let mut substitutions = self.splitter().pre_tokenizer().into_iter().flat_map(PreTokenizer::substitutions);
        if !substitutions.any(|substitution| matches!(substitution, Substitution::Bytes)) {
            return Some(text.into());
        }
        text.chars().map(char_to_byte).collect()
    }
}
