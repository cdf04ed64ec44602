//! Ids of added tokens that `tokenizers` would not give by counting.
//!
//! `tokenizers` takes the id of an added token from the vocabulary, and numbers the others after it. So a tokenizer with
//! other ids is saved with all its added tokens in the vocabulary. That is possible if the model never produces them.

use std::sync::Arc;

use crate::added::{AddedToken, AddedTokens};
use crate::error::{Error, Message, Result, shorten};
use crate::model::Model;
use crate::pipeline::{Tokenizer, Training};

/// Returns the tokenizer with its added tokens in the vocabulary, or `None` if their ids follow from counting.
pub(super) fn with_counted_ids(tokenizer: &Tokenizer) -> Result<Option<Tokenizer>> {
    let tokens = tokenizer.added().tokens();
    let vocab = tokenizer.model().vocab();
    let counted = AddedTokens::default().numbered(tokens.to_vec(), vocab);
    let is_other = |(token, counted): &(&AddedToken, &AddedToken)| token.id != counted.id;
    let Some((token, counted)) = tokens.iter().zip(&counted).find(is_other) else { return Ok(None) };
    let refuse = |reason: String| {
        let name = shorten(&token.content);
        let problem = format!(
            "the added token {name:?} has the id {}, but `tokenizers` would give it {} in a tokenizer.json; {reason}",
            token.id, counted.id
        );
        let hint = "add the tokens in the order of their ids, without gaps after the vocabulary";
        Error::Config(Message::new(problem).hint(hint))
    };
    let Some(model) = tokenizer.model().as_bpe() else {
        return Err(refuse("in the vocabulary, this model would match it in words".to_owned()));
    };
    let new: Vec<&AddedToken> = tokens.iter().filter(|token| vocab.id(&token.content).is_none()).collect();
    for other in &new {
        if !tokenizer.is_never_found(other)? {
            let name = shorten(&other.content);
            return Err(refuse(format!("in the vocabulary, the model would match {name:?} in words")));
        }
    }
    if let Some(known) = tokens.iter().find(|token| vocab.id(&token.content).is_some_and(|id| id != token.id)) {
        return Err(refuse(format!("the vocabulary has another id for {:?}", shorten(&known.content))));
    }
    if let Some(taken) = new.iter().find(|token| vocab.token(token.id).is_some()) {
        return Err(refuse(format!("the vocabulary has another entry with the id {}", taken.id)));
    }
    let mut parts = tokenizer.parts();
    let model = model.with_entries(new.iter().map(|token| (&*token.content, token.id)))?;
    parts.training = parts.training.map(|training| Arc::new(counting(&training, model.vocab().id_limit())));
    parts.model = Model::Bpe(model);
    Tokenizer::new(parts).map(Some)
}

/// Returns a training with a count for each id; those of new entries are 0.
fn counting(training: &Training, limit: u32) -> Training {
    let mut training = training.clone();
    training.token_counts.resize(limit as usize, 0);
    training
}
