//! Word counts and a trainer's settings to a tokenizer.

use std::sync::Arc;

use crate::added::AddedToken;
use crate::bytes::byte_to_char;
use crate::counts::WordCounts;
use crate::decode::{BpeDecoder, Decoder, ReplaceDecoder, StripDecoder, WordPieceDecoder};
use crate::error::{Error, Result};
use crate::format::{write_splitter, write_trainer};
use crate::learn::Watch;
use crate::model::bpe::{self, Bpe};
use crate::model::wordpiece::{self, WordPiece};
use crate::model::{Model, Trainer};
use crate::pattern::Pattern;
use crate::pipeline::{Parts, Tokenizer, Training};
use crate::postprocess::{PostProcessor, Template};
use crate::pretokenize::PreTokenizer;
use crate::settings::ByteLevel;
use crate::vocab::Vocab;
use crate::words::WordSplitter;

/// Trains a tokenizer on `counts`.
///
/// The tokenizer splits text by `splitter`, with which the counts must agree where they know how they were made.
pub fn train(counts: &WordCounts, splitter: &WordSplitter, trainer: &Trainer, watch: Watch<'_>) -> Result<Tokenizer> {
    check_splitter(counts, splitter)?;
    let words = counts.by_first_sight();
    let (parts, token_counts, history) = match trainer {
        Trainer::WordPiece(config) => {
            let trained = wordpiece::train::train(&words, config, watch)?;
            (word_piece(trained.entries, splitter, config)?, trained.token_counts, trained.history)
        }
        Trainer::Bpe(config) => {
            let trained = bpe::train::train(&words, config, watch)?;
            (bpe(trained.entries, trained.merges, splitter, config)?, trained.token_counts, trained.history)
        }
        Trainer::Unigram(_) => return Err(Error::Config("there is no model for a UnigramTrainer yet".to_owned())),
    };
    let trainer = write_trainer(trainer);
    let training = Training { trainer, counts_sha256: counts.fingerprint(), token_counts, history };
    Tokenizer::new(Parts { training: Some(Arc::new(training)), ..parts })
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

fn word_piece(
    entries: Vec<String>,
    splitter: &WordSplitter,
    config: &wordpiece::train::TrainerConfig,
) -> Result<Parts> {
    let vocab = Vocab::from_tokens(entries)?;
    let prefix = config.continuing_subword_prefix.clone();
    let bert = splitter.pre_tokenizer() == Some(&PreTokenizer::Bert);
    let template = Template::bert_of(&vocab, &config.special_tokens);
    let settings = wordpiece::Settings { continuing_subword_prefix: prefix.clone(), ..Default::default() };
    Ok(Parts {
        splitter: splitter.clone(),
        added: specials(&vocab, &config.special_tokens),
        model: Model::WordPiece(WordPiece::new(vocab, settings)),
        post_processor: template.map(PostProcessor::Template),
        // Cleaning up undoes what BERT's splitting did to punctuation; elsewhere it would change the text.
        decoder: Some(Decoder::WordPiece(WordPieceDecoder { prefix, cleanup: bert })),
        truncation: None,
        padding: None,
        training: None,
    })
}

fn bpe(
    entries: Vec<String>,
    merges: Vec<(u32, u32)>,
    splitter: &WordSplitter,
    config: &bpe::train::TrainerConfig,
) -> Result<Parts> {
    let vocab = Vocab::from_tokens(entries)?;
    let mut added = specials(&vocab, &config.special_tokens);
    // No merge need make these; so they are looked for in the text.
    let symbol = |content: &String| {
        Some(AddedToken { id: vocab.id(content)?, content: content.clone(), normalized: true, ..AddedToken::default() })
    };
    added.extend(config.user_defined_symbols.iter().filter_map(symbol));
    let unk_token = UNKNOWN.into_iter().find(|unk| config.special_tokens.iter().any(|token| token == unk));
    let settings = bpe::Settings {
        unk_token: unk_token.map(str::to_owned),
        continuing_subword_prefix: config.continuing_subword_prefix.clone(),
        end_of_word_suffix: config.end_of_word_suffix.clone(),
        suffix_style: config.suffix_style,
        ..Default::default()
    };
    Ok(Parts {
        splitter: splitter.clone(),
        model: Model::Bpe(Bpe::listed(vocab, merges, settings)?),
        added,
        post_processor: None,
        decoder: bpe_decoder(splitter, config),
        truncation: None,
        padding: None,
        training: None,
    })
}

/// The names of the unknown token of BPE models.
const UNKNOWN: [&str; 2] = ["<unk>", "[UNK]"];

fn specials(vocab: &Vocab, names: &[String]) -> Vec<AddedToken> {
    names.iter().filter_map(|content| Some(AddedToken::special(vocab.id(content)?, content))).collect()
}

/// What undoes the way in which the tokens are written.
fn bpe_decoder(splitter: &WordSplitter, config: &bpe::train::TrainerConfig) -> Option<Decoder> {
    let (prefix, suffix) = (config.continuing_subword_prefix.clone(), config.end_of_word_suffix.clone());
    let steps = || splitter.pre_tokenizer().into_iter().flat_map(PreTokenizer::steps);
    let metaspace = steps().find_map(|step| if let PreTokenizer::Metaspace(mark) = step { Some(*mark) } else { None });
    if steps().any(|step| matches!(step, PreTokenizer::ByteLevel(_))) {
        let bytes = Decoder::ByteLevel(ByteLevel::default());
        Some(if suffix.is_empty() { bytes } else { Decoder::Sequence(vec![space(&suffix), bytes, last_space()]) })
    } else if let Some(metaspace) = metaspace {
        Some(Decoder::Metaspace(metaspace))
    } else if !suffix.is_empty() {
        Some(Decoder::Bpe(BpeDecoder { suffix }))
    } else if !prefix.is_empty() {
        Some(Decoder::WordPiece(WordPieceDecoder { prefix, cleanup: false }))
    } else {
        None
    }
}

/// Makes of a suffix the character that stands for a space among bytes.
fn space(suffix: &str) -> Decoder {
    let pattern = Pattern::literal(suffix);
    Decoder::Replace(ReplaceDecoder { pattern, content: byte_to_char(b' ').to_string() })
}

/// Drops the space that the last suffix became.
fn last_space() -> Decoder {
    Decoder::Strip(StripDecoder { content: ' ', start: 0, stop: 1 })
}
