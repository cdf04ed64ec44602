//! Learns new entries for the model of a tokenizer.

use super::Execution;
use super::decoder::sentencepiece;
use super::words::{tokens_in_words, words_of};
use crate::counts::WordCounts;
use crate::error::{Error, Message, Result};
use crate::learn::cut::cut_words;
use crate::learn::{Extension, ExtensionConfig, Merge};
use crate::model::wordpiece::train::Criterion;
use crate::model::{Model, bpe, unigram, wordpiece};
use crate::pipeline::Tokenizer;

/// The entries to add to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedTokens {
    /// The entries, in the order of their ids.
    pub tokens: Vec<String>,
    /// Their scores; empty for models without scores.
    pub scores: Vec<f64>,
    /// The merges that made them; empty for Unigram.
    pub history: Vec<Merge>,
}

/// Learns entries from `counts` on top of those of a tokenizer.
///
/// The splitter of the counts, if it is recorded, must be the tokenizer's. The criterion is WordPiece's.
pub fn extend(
    tokenizer: &Tokenizer,
    counts: &WordCounts,
    criterion: Criterion,
    config: &ExtensionConfig,
    Execution { threads, callback }: Execution<'_>,
) -> Result<LearnedTokens> {
    let added = tokenizer.added().tokens();
    let (words, found) = (words_of(counts), tokens_in_words(counts, tokenizer.splitter(), added)?);
    let mut words = cut_words(&words, &found)?;
    let is_token = |word: &str| tokenizer.added().id(word).is_some();
    words.retain(|word, count| count > 0 && !word.is_empty() && !is_token(word));
    if words.is_empty() {
        return Err(Error::Counts(Message::new("empty corpus: no word is left to learn from").hint("pass text")));
    }
    let taken: Vec<String> = tokenizer.vocab().into_iter().map(|(token, _)| token.to_owned()).collect();
    let extension = Extension { words: &words, taken: &taken, config };
    match tokenizer.model() {
        Model::Bpe(model) => {
            let history = bpe::train::extend(model, extension, callback)?;
            let tokens = history.iter().map(|merge| merge.token.clone()).collect();
            Ok(LearnedTokens { tokens, scores: Vec::new(), history })
        }
        Model::WordPiece(model) if !model.is_likeliest() => {
            let (tokens, history) = wordpiece::train::extend(model, extension, criterion, callback)?;
            Ok(LearnedTokens { tokens, scores: Vec::new(), history })
        }
        Model::Unigram(model) => {
            let suffixed = sentencepiece(tokenizer.splitter())
                .is_some_and(|normalizer| normalizer.settings().treat_whitespace_as_suffix);
            let learned = unigram::train::extend(model, extension, suffixed, threads, callback)?;
            let (tokens, scores) = learned.into_iter().unzip();
            Ok(LearnedTokens { tokens, scores, history: Vec::new() })
        }
        _ => Err(tokenizer.traits().without_extension()),
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::counts::Counter;
    use crate::format::format_named;
    use crate::learn::Threads;
    use crate::splitter::WordSplitter;

    fn counts(tokenizer: &Tokenizer, text: &str) -> WordCounts {
        let mut counter = Counter::new(tokenizer.splitter().clone());
        counter.add_text(0, text).unwrap();
        counter.finish().unwrap()
    }

    fn extended(tokenizer: &Tokenizer, counts: &WordCounts) -> Result<LearnedTokens> {
        let config = ExtensionConfig { new_tokens: 2, min_frequency: 2, max_token_length: None };
        let execution = Execution { threads: Threads::SINGLE, callback: &mut |_| ControlFlow::Continue(()) };
        extend(tokenizer, counts, Criterion::Likelihood, &config, execution)
    }

    #[test]
    fn word_piece_learns_from_the_pieces_of_words() {
        let tokenizer = format_named("vocab.txt").unwrap().read(b"[UNK]\nlow\n##er\n##est\n").unwrap();
        let learned = extended(&tokenizer, &counts(&tokenizer, "lower lower lowest lowest lowest unknown")).unwrap();
        assert_eq!(learned.tokens, ["lowest", "lower"]);
        assert_eq!((&*learned.history[0].left, &*learned.history[0].right), ("low", "##est"));
    }

    #[test]
    fn words_of_another_splitter_are_an_error() {
        let tokenizer = format_named("vocab.txt").unwrap().read(b"[UNK]\nlow\n").unwrap();
        let mut counter = Counter::new(WordSplitter::default());
        counter.add_text(0, "low").unwrap();
        assert!(matches!(extended(&tokenizer, &counter.finish().unwrap()), Err(Error::Counts(_))));
        assert!(matches!(extended(&tokenizer, &counts(&tokenizer, "")), Err(Error::Counts(_))));
    }
}
