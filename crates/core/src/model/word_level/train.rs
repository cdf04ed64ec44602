//! Training of a vocabulary of whole words (L2 to L4 of `spec/word_level.md`).

use std::collections::HashSet;

use crate::error::{Error, Message, Result};
use crate::learn::CountedWords;
use crate::learn::cut::{CutToken, cut_words};

/// The settings of a `WordLevel` training.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordLevelTrainerConfig {
    /// The largest number of entries, special tokens included.
    pub vocab_size: usize,
    /// The smallest count of a word.
    pub min_frequency: u64,
    /// Entries that no text becomes, with the first ids.
    pub special_tokens: Vec<String>,
    /// The special token for unknown words, if there is one.
    pub unk_token: Option<String>,
}

impl Default for WordLevelTrainerConfig {
    fn default() -> Self {
        let unk = "[UNK]".to_owned();
        Self { vocab_size: 30_000, min_frequency: 1, special_tokens: vec![unk.clone()], unk_token: Some(unk) }
    }
}

impl WordLevelTrainerConfig {
    /// Returns an error for settings that no words can be trained with.
    pub fn check(&self) -> Result<()> {
        let refuse = |setting: &str, message: Message| Err(Error::Config(message.setting(setting)));
        if self.vocab_size == 0 {
            return refuse("vocab_size", "expected an integer from 1 on, found 0".into());
        }
        let mut seen = HashSet::new();
        if let Some(token) = self.special_tokens.iter().find(|token| token.is_empty() || !seen.insert(*token)) {
            return refuse("special_tokens", format!("{token:?} is empty or a duplicate; remove it").into());
        }
        if let Some(unk) = self.unk_token.as_ref().filter(|unk| !self.special_tokens.contains(unk)) {
            return refuse(
                "unk_token",
                Message::new(format!("{unk:?} is not a special token"))
                    .hint("add it to `special_tokens`, or pass `unk_token=None`"),
            );
        }
        Ok(())
    }
}

/// Returns the entries of the vocabulary, in order of their ids. Cost: the time to sort the words.
///
/// ```
/// use piecework_core::model::word_level::train::{WordLevelTrainerConfig, train};
///
/// let words = [("to", 4), ("be", 4), ("or", 2), ("not", 1)];
/// let config = WordLevelTrainerConfig { vocab_size: 3, ..WordLevelTrainerConfig::default() };
/// assert_eq!(train(&words, &config)?, ["[UNK]", "be", "to"]);
/// # Ok::<(), piecework_core::Error>(())
/// ```
pub fn train<'w>(words: impl Into<CountedWords<'w>>, config: &WordLevelTrainerConfig) -> Result<Vec<String>> {
    config.check()?;
    let specials = &config.special_tokens;
    let Some(space) = config.vocab_size.checked_sub(specials.len()) else {
        return Err(Error::Config(
            Message::new(format!(
                "{} is too small: {} special tokens need as many entries",
                config.vocab_size,
                specials.len()
            ))
            .setting("vocab_size")
            .hint("raise `vocab_size`, or pass fewer special tokens"),
        ));
    };
    let words = words.into();
    if words.iter().all(|(_, count)| count == 0) {
        return Err(Error::Counts(Message::new("empty corpus: no word is left to train on").hint("pass text")));
    }
    let tokens: Vec<_> = specials.iter().map(|content| CutToken::special(content)).collect();
    let words = cut_words(&words, &tokens)?;
    let least = config.min_frequency.max(1);
    let is_candidate = |&(word, count): &(&str, u64)| count >= least && !word.is_empty();
    let mut candidates: Vec<_> = words.iter().filter(is_candidate).collect();
    candidates.sort_unstable_by(|(word, count), (other, other_count)| other_count.cmp(count).then(word.cmp(other)));
    let learned = candidates.into_iter().take(space).map(|(word, _)| word.to_owned());
    Ok(specials.iter().cloned().chain(learned).collect())
}
