//! Converts a trained WordPiece model to a BPE model with the same vocabulary and the merges of its training.

use super::{Tokenizer, TokenizerParts};
use crate::error::{Error, Message, Result};
use crate::model::Model;
use crate::model::bpe::{self, Bpe};
use crate::model::wordpiece::WordPiece;
use crate::model::wordpiece::train::Merge;

impl Tokenizer {
    /// Returns the tokenizer with a BPE model, which applies the merges of its `WordPiece` training in order.
    ///
    /// The training record is not copied, because its token counts are those of longest-match segmentation.
    pub fn to_bpe(&self) -> Result<Self> {
        let model = self.model().as_word_piece().ok_or_else(|| {
            Error::Config("only a WordPiece can be converted to BPE, and the tokenizer has another model".into())
        })?;
        let history = self.training().map(|training| &*training.history).ok_or_else(|| {
            Error::Config(
                Message::new("the tokenizer has no history of merges")
                    .hint("load a tokenizer.json that piecework saved after training; a vocab.txt contains no history"),
            )
        })?;
        Self::new(TokenizerParts { model: Model::Bpe(merging(model, history)?), training: None, ..self.parts() })
    }
}

fn merging(model: &WordPiece, history: &[Merge]) -> Result<Bpe> {
    let vocab = model.vocab();
    let id = |token: &str| {
        vocab.id(token).ok_or_else(|| {
            let message = Message::new("is part of a merge, and no longer in the vocabulary")
                .hint("train with `prune_unused=False`");
            Error::Config(format!("{token:?} {message}").into())
        })
    };
    let pairs = history.iter().map(|Merge { left, right, .. }| Ok((id(left)?, id(right)?))).collect::<Result<_>>()?;
    let settings = bpe::BpeSettings {
        unk_token: model.settings().unk_token.clone(),
        continuing_subword_prefix: model.settings().continuing_subword_prefix.clone(),
        ..bpe::BpeSettings::default()
    };
    Bpe::listed(vocab.clone(), pairs, settings)
}
