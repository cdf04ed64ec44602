//! The settings of any trainer.

use super::{bpe, unigram, word_level, wordpiece};
use crate::added::AddedToken;
use crate::error::Result;

/// The names of unknown tokens of BPE that special tokens imply.
const UNKNOWN: [&str; 2] = ["<unk>", "[UNK]"];

/// The settings of a training, by the kind of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Trainer {
    /// The settings of a `WordPiece` training.
    WordPiece(wordpiece::train::WordPieceTrainerConfig),
    /// The settings of a BPE training.
    Bpe(bpe::train::BpeTrainerConfig),
    /// The settings of a Unigram training.
    Unigram(unigram::train::UnigramTrainerConfig),
    /// The settings of a `WordLevel` training.
    WordLevel(word_level::train::WordLevelTrainerConfig),
}

impl Trainer {
    /// Returns an error for settings that contradict each other.
    pub fn check(&self) -> Result<()> {
        match self {
            Self::WordPiece(_) | Self::Bpe(_) => Ok(()),
            Self::Unigram(config) => config.check(),
            Self::WordLevel(config) => config.check(),
        }
    }

    /// Returns the trainer with the unknown token that its special tokens imply, for files older than that setting.
    #[must_use]
    pub fn with_implied_unknown(mut self) -> Self {
        if let Self::Bpe(config) = &mut self {
            let is_special = |unk: &&str| config.special_tokens.iter().any(|token| token == unk);
            config.unk_token = UNKNOWN.into_iter().find(is_special).map(str::to_owned);
        }
        self
    }

    /// Returns the tokens at which encoding with the trained tokenizer always cuts texts, and training with it.
    ///
    /// They are the special tokens, and the user-defined symbols that are not entries of the model like others. There are
    /// none for the trainer of `tokenizers`.
    #[must_use]
    pub fn added_tokens(&self) -> Vec<AddedToken> {
        let (specials, symbols) = match self {
            Self::WordPiece(config) => (config.special_tokens.clone(), &[][..]),
            Self::WordLevel(config) => (config.special_tokens.clone(), &[][..]),
            Self::Bpe(config) if config.cuts_words() => (config.all_special_tokens(), &config.user_defined_symbols[..]),
            Self::Bpe(_) => (Vec::new(), &[][..]),
            Self::Unigram(config) => (config.special_tokens.clone(), &config.user_defined_symbols[..]),
        };
        let special = specials.iter().map(|content| AddedToken::special(0, content));
        let symbol =
            |content: &String| AddedToken { content: content.clone(), normalized: true, ..AddedToken::default() };
        let tokens = special.chain(symbols.iter().map(symbol));
        (0..).zip(tokens).map(|(id, token)| AddedToken { id, ..token }).collect()
    }
}
