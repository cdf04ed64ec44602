//! Trains a tokenizer from word counts and a trainer's settings.

mod decoder;
mod extend;
mod words;

pub use extend::{LearnedTokens, extend};

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use self::decoder::{TokenMarks, decoder_for, sentencepiece};
use self::words::{tokens_in_words, words_of};
use crate::added::AddedToken;
use crate::counts::{TextSplitter, WordCounts};
use crate::decode::{Decoder, SentencePieceDecoder, WordPieceDecoder};
use crate::error::{Error, Message, Result};
use crate::learn::cut::cut_words;
use crate::learn::{CountedWords, Merge, MergeRecorder, ProgressCallback, Stage, Threads, UnigramRecorder, report};
use crate::memory::in_megabytes;
use crate::model::bpe::{self, Bpe};
use crate::model::unigram::{self, Unigram};
use crate::model::word_level::{self, WordLevel};
use crate::model::wordpiece::{self, WordPiece};
use crate::model::{Model, ModelScratch, Trainer};
use crate::normalize::SentencePiece;
use crate::pipeline::{Tokenizer, TokenizerParts, Training};
use crate::postprocess::{PostProcessor, Template};
use crate::pretokenize::PreTokenizer;
use crate::splitter::WordSplitter;
use crate::vocab::{AllowedEntries, Vocab};

/// The recorders of a training; that of its kind of model is used.
#[derive(Debug)]
pub struct Recorders {
    /// The recorder of merges, for WordPiece and BPE.
    pub merges: MergeRecorder,
    /// The recorder of EM steps and prunings, for Unigram.
    pub unigram: UnigramRecorder,
}

/// The threads and the progress of a training, neither of which changes the result.
pub struct Execution<'a> {
    /// The threads, for Unigram and for the final counts; merges are learned in one thread.
    pub threads: Threads<'a>,
    /// The callback that receives the progress.
    pub callback: ProgressCallback<'a>,
}

/// Trains a tokenizer on `counts`.
///
/// The tokenizer splits text by `splitter`, which must agree with the splitter of the counts, if that is recorded. The
/// recorders receive the steps; the result does not depend on them.
pub fn train(
    counts: &WordCounts,
    splitter: &WordSplitter,
    trainer: &Trainer,
    recorders: Option<&mut Recorders>,
    Execution { threads, callback }: Execution<'_>,
) -> Result<Tokenizer> {
    let (words, tokens) = (words_of(counts), tokens_in_words(counts, splitter, &trainer.added_tokens())?);
    let words = cut_words(&words, &tokens)?;
    let (merges, steps) = recorders.map(|recorders| (&mut recorders.merges, &mut recorders.unigram)).unzip();
    let (parts, token_counts, history, rounds) = match trainer {
        Trainer::WordPiece(config) => {
            let trained = wordpiece::train::train(&words, config, merges, callback)?;
            (word_piece(trained.entries, splitter, config)?, trained.token_counts, trained.history, Vec::new())
        }
        Trainer::Bpe(config) => {
            let trained = bpe::train::train(&words, config, merges, callback)?;
            let parts = bpe(trained.entries, &trained.history, splitter, config)?;
            (parts, trained.token_counts, trained.history, Vec::new())
        }
        Trainer::Unigram(config) => {
            let trained = unigram::train::train(&words, config, steps, threads, callback)?;
            let parts = unigram(trained.entries, splitter, config)?;
            let token_counts = count(&parts.model, &parts.added, &words, Execution { threads, callback })?;
            (parts, token_counts, Vec::new(), trained.history)
        }
        Trainer::WordLevel(config) => {
            let parts = word_level(word_level::train::train(&words, config)?, splitter, config)?;
            let token_counts = count(&parts.model, &parts.added, &words, Execution { threads, callback })?;
            (parts, token_counts, Vec::new(), Vec::new())
        }
    };
    let training =
        Training { trainer: trainer.clone(), counts_sha256: counts.fingerprint(), token_counts, history, rounds };
    Tokenizer::new(TokenizerParts { training: Some(Arc::new(training)), ..parts })
}

/// Returns the error for a training that wanted more memory than it may have; `wanted` is a number of bytes.
#[must_use]
pub fn too_little_memory(wanted: usize) -> Error {
    let problem = format!("the training needs at least {}", in_megabytes(wanted));
    let hint = "raise it, or `min_word_frequency`, which excludes rare words";
    Error::Config(Message::new(problem).setting("max_memory").hint(hint))
}

/// Returns an error for counts of another splitter than `splitter`, with the stage that differs.
fn check_splitter(counts: &WordCounts, splitter: &WordSplitter) -> Result<()> {
    let Some(made_with) = counts.splitter().map(TextSplitter::words).filter(|&made_with| made_with != splitter) else {
        return Ok(());
    };
    let same_normalizer = made_with.normalizer() == splitter.normalizer();
    let same_pre_tokenizer = made_with.pre_tokenizer() == splitter.pre_tokenizer();
    let other = match (same_normalizer, same_pre_tokenizer) {
        (true, _) => "pre-tokenizer",
        (false, true) => "normalizer",
        (false, false) => "normalizer and another pre-tokenizer",
    };
    Err(Error::Counts(
        Message::new(format!("the words were counted with another {other} than the tokenizer's"))
            .hint("count again, or train with the settings of the counts"),
    ))
}

fn word_piece(
    entries: Vec<String>,
    splitter: &WordSplitter,
    config: &wordpiece::train::WordPieceTrainerConfig,
) -> Result<TokenizerParts> {
    let vocab = Vocab::from_tokens(entries)?;
    let prefix = config.continuing_subword_prefix.clone();
    let template = Template::bert_of(&vocab, &config.special_tokens);
    // Cleaning up reverts BERT's splitting of punctuation; with other pre-tokenizers it would change the text.
    let cleanup = splitter.pre_tokenizer() == Some(&PreTokenizer::Bert);
    let undo = decoder_for(splitter, TokenMarks { prefix: &prefix, cleanup, ..TokenMarks::default() })?;
    // Without a prefix, tokens do not show where words end; they are joined without spaces.
    let glue = || Decoder::WordPiece(WordPieceDecoder { prefix: String::new(), cleanup });
    let settings = wordpiece::WordPieceSettings { continuing_subword_prefix: prefix, ..Default::default() };
    let added = specials(&vocab, &config.special_tokens);
    let model = Model::WordPiece(WordPiece::new(vocab, settings));
    let (post_processor, decoder) = (template.map(PostProcessor::Template), Some(undo.unwrap_or_else(glue)));
    Ok(TokenizerParts { added, post_processor, decoder, ..TokenizerParts::new(splitter.clone(), model) })
}

fn bpe(
    entries: Vec<String>,
    history: &[Merge],
    splitter: &WordSplitter,
    config: &bpe::train::BpeTrainerConfig,
) -> Result<TokenizerParts> {
    let vocab = Vocab::from_tokens(entries)?;
    let pair = |merge: &Merge| Some((vocab.id(&merge.left)?, vocab.id(&merge.right)?));
    let merges = history.iter().filter_map(pair).collect();
    let added = named(&vocab, &config.all_special_tokens(), &config.user_defined_symbols);
    let settings = bpe::BpeSettings {
        unk_token: config.unk_token.clone(),
        continuing_subword_prefix: config.continuing_subword_prefix.clone(),
        end_of_word_suffix: config.end_of_word_suffix.clone(),
        suffix_style: config.suffix_style,
        ..Default::default()
    };
    let marks = TokenMarks {
        prefix: &config.continuing_subword_prefix,
        suffix: &config.end_of_word_suffix,
        is_suffix_separate: config.suffix_style == bpe::SuffixStyle::Separate,
        ..TokenMarks::default()
    };
    let model = Model::Bpe(Bpe::listed(vocab, merges, settings)?);
    let decoder = decoder_for(splitter, marks)?;
    Ok(TokenizerParts { added, decoder, ..TokenizerParts::new(splitter.clone(), model) })
}

fn word_level(
    entries: Vec<String>,
    splitter: &WordSplitter,
    config: &word_level::train::WordLevelTrainerConfig,
) -> Result<TokenizerParts> {
    let vocab = Vocab::from_tokens(entries)?;
    let added = specials(&vocab, &config.special_tokens);
    let model = WordLevel::new(vocab, config.unk_token.clone().unwrap_or_default());
    // The words of the table may be special tokens, which no text becomes.
    let model = model.with_reserved(added.iter().map(|token| token.id).collect::<HashSet<_>>().into());
    let decoder = decoder_for(splitter, TokenMarks::default())?;
    Ok(TokenizerParts { added, decoder, ..TokenizerParts::new(splitter.clone(), Model::WordLevel(model)) })
}

fn specials(vocab: &Vocab, names: &[String]) -> Vec<AddedToken> {
    names.iter().filter_map(|content| Some(AddedToken::special(vocab.id(content)?, content))).collect()
}

/// Returns the special tokens, and the symbols that the model may not produce, as added tokens.
fn named(vocab: &Vocab, special_tokens: &[String], symbols: &[String]) -> Vec<AddedToken> {
    let symbol = |content: &String| {
        Some(AddedToken { id: vocab.id(content)?, content: content.clone(), normalized: true, ..AddedToken::default() })
    };
    let symbols = symbols.iter().filter_map(symbol);
    specials(vocab, special_tokens).into_iter().chain(symbols).collect()
}

fn unigram(
    entries: Vec<(String, f64)>,
    splitter: &WordSplitter,
    config: &unigram::train::UnigramTrainerConfig,
) -> Result<TokenizerParts> {
    let (entries, scores) = entries.into_iter().unzip::<_, _, Vec<_>, _>();
    let vocab = Vocab::from_tokens(entries)?;
    let added = named(&vocab, &config.special_tokens, &config.user_defined_symbols);
    let settings = unigram::UnigramSettings {
        unk_token: config.unk_token.clone(),
        byte_fallback: config.byte_fallback,
        ..Default::default()
    };
    let model = Model::Unigram(Unigram::new(vocab, scores, settings)?);
    let decoder = match sentencepiece(splitter).map(SentencePiece::settings) {
        // The decoder that SentencePiece uses for a model trained with these settings.
        Some(own) => Some(Decoder::SentencePiece(SentencePieceDecoder {
            add_dummy_prefix: own.add_dummy_prefix,
            remove_extra_whitespaces: own.remove_extra_whitespaces,
            byte_fallback: config.byte_fallback,
            unk_token: config.unk_token.clone().unwrap_or_default(),
            unk_surface: SentencePieceDecoder::UNK_SURFACE.to_owned(),
        })),
        None => decoder_for(splitter, TokenMarks { byte_fallback: config.byte_fallback, ..TokenMarks::default() })?,
    };
    Ok(TokenizerParts { added, decoder, ..TokenizerParts::new(splitter.clone(), model) })
}

/// Returns the number of occurrences of each token in the words of `counts`, by id, except words that cannot be encoded.
///
/// The splitter of the counts, if it is recorded, must be the tokenizer's.
pub fn count_tokens(tokenizer: &Tokenizer, counts: &WordCounts, execution: Execution<'_>) -> Result<Vec<u64>> {
    let tokens = tokenizer.added().tokens();
    let (words, found) = (words_of(counts), tokens_in_words(counts, tokenizer.splitter(), tokens)?);
    count(tokenizer.model(), tokens, &cut_words(&words, &found)?, execution)
}

/// Returns the number of occurrences of each token in the encoded words, except words that cannot be encoded.
///
/// A word that is an added token is that token.
fn count(
    model: &Model,
    added: &[AddedToken],
    words: &CountedWords<'_>,
    Execution { threads, callback }: Execution<'_>,
) -> Result<Vec<u64>> {
    /// The number of words that a thread encodes at a time.
    const TASK: usize = 1 << 12;
    let last = added.iter().map(|token| token.id + 1).max().unwrap_or_default();
    let size = model.vocab().id_limit().max(last) as usize;
    let added: HashMap<&str, u32> =
        added.iter().filter(|token| !token.control).map(|token| (token.content.as_str(), token.id)).collect();
    let whole = Mutex::new((vec![0_u64; size], 0_u128));
    let mut progress = |begun: usize| report(callback, Stage::Counting, (begun * TASK).min(words.len()), words.len());
    threads.run_tasks(words.len().div_ceil(TASK), &mut progress, &|queue| {
        let (mut scratch, mut tokens) = (ModelScratch::default(), Vec::new());
        let (mut counts, mut total) = (vec![0_u64; size], 0_u128);
        while let Some(task) = queue.next_task() {
            for place in task * TASK..words.len().min((task + 1) * TASK) {
                let (word, count) = words.get(place);
                tokens.clear();
                let token = added.get(word).copied();
                if token.is_none()
                    && model.encode_word(word, AllowedEntries::Ordinary, &mut scratch, &mut tokens).is_err()
                {
                    continue;
                }
                for id in tokens.iter().map(|token| token.id).chain(token) {
                    // Sums that do not fit are an error below.
                    counts[id as usize] = counts[id as usize].wrapping_add(count);
                    total += u128::from(count);
                }
            }
        }
        let (sums, sum) = &mut *whole.lock().expect("no thread panicked");
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum = sum.wrapping_add(count));
        *sum += total;
    })?;
    let (counts, total) = whole.into_inner().expect("no thread panicked");
    if total > u128::from(u64::MAX) {
        return Err(Error::Overflow(
            Message::new("the tokens of the words are more than 2^64 - 1").hint("divide all counts by a common factor"),
        ));
    }
    Ok(counts)
}
