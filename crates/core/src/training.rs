//! Word counts and a trainer's settings to a tokenizer.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::counts::WordCounts;
use crate::decode::{Decoder, WordPieceDecoder};
use crate::error::{Error, Result};
use crate::format::{write_splitter, write_trainer};
use crate::model::wordpiece::train::{Progress, Trained, TrainerConfig, train};
use crate::model::wordpiece::{Settings, WordPiece};
use crate::pipeline::{Parts, Tokenizer, Training};
use crate::postprocess::Template;
use crate::pretokenize::PreTokenizer;
use crate::special::SpecialToken;
use crate::vocab::Vocab;
use crate::words::WordSplitter;

/// Trains a `WordPiece` tokenizer on `counts`.
///
/// The tokenizer splits text by `splitter`, with which the counts must agree where they know how they were made.
pub fn train_wordpiece(
    counts: &WordCounts,
    splitter: &WordSplitter,
    config: &TrainerConfig,
    watch: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Tokenizer> {
    check_splitter(counts, splitter)?;
    let trained = train(&counts.by_first_sight(), config, watch)?;
    assemble(trained, counts, splitter, config)
}

fn check_splitter(counts: &WordCounts, splitter: &WordSplitter) -> Result<()> {
    match counts.splitter() {
        Some(made_with) if made_with != splitter => Err(Error::Counts(format!(
            "the words were counted with {} and cannot train a tokenizer with {}; count again, or train with the \
             settings of the counts",
            write_splitter(made_with),
            write_splitter(splitter)
        ))),
        _ => Ok(()),
    }
}

fn assemble(
    trained: Trained,
    counts: &WordCounts,
    splitter: &WordSplitter,
    config: &TrainerConfig,
) -> Result<Tokenizer> {
    let vocab = Vocab::from_tokens(trained.entries)?;
    let special = |content: &String| Some(SpecialToken { id: vocab.id(content)?, content: content.clone() });
    let specials: Vec<SpecialToken> = config.special_tokens.iter().filter_map(special).collect();
    let ids: HashSet<u32> = specials.iter().map(|special| special.id).collect();
    let prefix = config.continuing_subword_prefix.clone();
    let bert = splitter.pre_tokenizer == Some(PreTokenizer::Bert);
    Tokenizer::new(Parts {
        splitter: splitter.clone(),
        template: Template::bert_of(&vocab, &config.special_tokens),
        model: WordPiece::new(
            vocab,
            Settings { continuing_subword_prefix: prefix.clone(), ..Settings::default() },
            ids,
            HashSet::new(),
        ),
        specials,
        // Cleaning up undoes what BERT's splitting did to punctuation; elsewhere it would change the text.
        decoder: Some(Decoder::WordPiece(WordPieceDecoder { prefix, cleanup: bert })),
        training: Some(Arc::new(Training {
            trainer: write_trainer(config),
            counts_sha256: counts.fingerprint(),
            token_counts: trained.token_counts,
            history: trained.history,
        })),
    })
}
