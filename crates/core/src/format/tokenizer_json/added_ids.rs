//! Ids of added tokens that `tokenizers` would not give by counting.
//!
//! `tokenizers` takes the id of an added token from the vocabulary, and numbers the others after it. So a tokenizer with
//! other ids is saved with all its added tokens in the vocabulary. That is possible if the model never produces them.

use std::sync::Arc;

use crate::added::{AddedToken, AddedTokens};
use crate::error::{Error, Message, Result, shorten};
use crate::model::Model;
use crate::model::bpe::{Bpe, Merges, NO_RANK, Settings};
use crate::pipeline::{Tokenizer, Training};
use crate::pretokenize::words::Words;
use crate::splitter::WordSplitter;

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
    let Model::Bpe(model) = tokenizer.model() else {
        return Err(refuse("in the vocabulary, this model would match it in words".to_owned()));
    };
    let new: Vec<&AddedToken> = tokens.iter().filter(|token| vocab.id(&token.content).is_none()).collect();
    let splitter = tokenizer.splitter();
    for other in &new {
        if can_produce(model.settings(), &other.content)
            || (model.settings().ignore_merges && !is_never_a_word(other, splitter)?)
        {
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
    let model = with_entries(model, &new)?;
    parts.training = parts.training.map(|training| Arc::new(counting(&training, model.vocab().id_limit())));
    parts.model = Model::Bpe(model);
    Tokenizer::new(parts).map(Some)
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

/// Returns whether no word equals the token's entry, which `ignore_merges` would match.
///
/// A text that contains the token is cut there before it is split; it is split into words only as ordinary text, and by
/// the pre-tokenizer. A visible ASCII character in a word stands for itself, unless there is a normalizer.
fn is_never_a_word(token: &AddedToken, splitter: &WordSplitter) -> Result<bool> {
    let is_cut = !token.single_word && token.content.bytes().all(|byte| byte.is_ascii_graphic());
    if !is_cut || splitter.normalizer().is_some() {
        return Ok(false);
    }
    let mut words = Words::default();
    splitter.split(&token.content, false, &mut words)?;
    Ok(words.as_slice().len() > 1)
}

fn with_entries(model: &Bpe, tokens: &[&AddedToken]) -> Result<Bpe> {
    let mut vocab = model.vocab().clone();
    for token in tokens {
        vocab.insert(&token.content, token.id)?;
    }
    match model.merges() {
        Merges::Listed(merges) => Bpe::listed(vocab, merges.clone(), model.settings().clone()),
        Merges::Implied(ranks) => {
            let mut ranks = ranks.clone();
            ranks.resize(vocab.id_limit() as usize, NO_RANK);
            Bpe::implied(vocab, ranks, model.settings().clone())
        }
    }
}

/// Returns a training with a count for each id; those of new entries are 0.
fn counting(training: &Training, limit: u32) -> Training {
    let mut training = training.clone();
    training.token_counts.resize(limit as usize, 0);
    training
}
