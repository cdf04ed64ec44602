//! Learns pieces on top of a model, whose pieces keep their scores (U49 to U52).
//!
//! The lattice has the pieces of the model with fixed probabilities, and new ones, whose probabilities EM estimates.
//! Cost: as a training of as many pieces as both together.

use std::collections::{BTreeSet, HashSet};

use super::pieces::Pieces;
use super::segments::{Corpus, Symbol};
use super::{Training, UnigramTrainerConfig, seeds};
use crate::error::Result;
use crate::learn::{Extension, ProgressCallback, Threads};
use crate::model::unigram::Unigram;
use crate::numbers::floats::exp;
use crate::text::single_character;
use crate::vocab::AllowedEntries;

/// The score below which a piece of the model has the probability of this score, so that sums stay safe.
const LOWEST_FIXED_SCORE: f64 = -110.0;

/// Returns the pieces to add to those of a model with their scores, in the order of their ids.
///
/// None is an entry of the model or a taken name. With `suffixed`, `▁` ends the words of the model.
///
/// # Errors
/// [`Error::Counts`](crate::Error::Counts) if no word has a character that is a piece, or there are too many words,
/// [`Error::Overflow`](crate::Error::Overflow) if a sum does not fit into 64 bits,
/// [`Error::Interrupted`](crate::Error::Interrupted) if the callback ends the training.
pub fn extend(
    model: &Unigram,
    extension: Extension<'_>,
    suffixed: bool,
    threads: Threads<'_>,
    callback: ProgressCallback<'_>,
) -> Result<Vec<(String, f64)>> {
    let trainer = trainer(model, extension, suffixed);
    trainer.check()?;
    let corpus = Corpus::new(extension.words, &trainer.user_defined_symbols, &trainer, callback)?;
    let seeds = seeds::seeds(&corpus, &trainer, threads, callback)?;
    let fixed = fixed_pieces(model, &corpus);
    let size = fixed.len() + extension.config.new_tokens.min(seeds.len());
    let pieces = Pieces::new(&corpus, &seeds).with_fixed(fixed);
    let mut training = Training::over(&trainer, threads, corpus, size, pieces);
    training.run(callback)?;
    let lowest = ordinary(model).map(|(_, score)| score).fold(f64::INFINITY, f64::min);
    Ok(training.learned().into_iter().map(|(piece, own)| (piece, own.max(lowest))).collect())
}

impl Training<'_> {
    /// Returns the pieces that are not fixed, with their scores, by decreasing probability (U22).
    fn learned(&self) -> Vec<(String, f64)> {
        let learned = self.ranked().into_iter().filter(|&piece| !self.pieces.is_fixed(piece));
        learned.map(|piece| self.entry(piece)).collect()
    }
}

/// Returns the pieces that ordinary text may become by their scores, with these.
fn ordinary(model: &Unigram) -> impl Iterator<Item = (&str, f64)> {
    let settings = model.settings();
    let is_ordinary = move |id: &u32| {
        !settings.reserved.contains(id)
            && !settings.user_defined.contains(id)
            && model.unk_id() != Some(*id)
            && model.tables.allows(AllowedEntries::Ordinary, *id)
    };
    let pieces = model.vocab().iter().filter(move |(_, id)| is_ordinary(id));
    pieces.map(|(piece, id)| (piece, model.scores()[id as usize]))
}

/// Returns the settings of the training: all entries but the characters are reserved, and so are unknown characters.
fn trainer(model: &Unigram, Extension { words, taken, config }: Extension<'_>, suffixed: bool) -> UnigramTrainerConfig {
    let known: HashSet<char> = ordinary(model).filter_map(|(piece, _)| single_character(piece)).collect();
    let symbols: BTreeSet<String> =
        model.settings().user_defined.iter().filter_map(|&id| Some(model.vocab().token(id)?.to_owned())).collect();
    let unknown = words.iter().flat_map(|(word, _)| word.chars()).filter(|c| !known.contains(c)).map(String::from);
    let entries = model.vocab().iter().map(|(entry, _)| entry.to_owned()).chain(taken.iter().cloned());
    let entries = entries.filter(|entry| single_character(entry).is_none_or(|c| !known.contains(&c)));
    let reserved: BTreeSet<String> =
        unknown.chain(entries).filter(|entry| !entry.is_empty() && !symbols.contains(entry)).collect();
    UnigramTrainerConfig {
        max_piece_length: config.max_token_length.unwrap_or(UnigramTrainerConfig::default().max_piece_length),
        min_frequency: config.min_frequency,
        special_tokens: reserved.into_iter().collect(),
        unk_token: None,
        user_defined_symbols: symbols.into_iter().collect(),
        character_coverage: 1.0,
        treat_whitespace_as_suffix: suffixed,
        ..UnigramTrainerConfig::default()
    }
}

/// Returns the pieces of the model that are made of the alphabet, with their probabilities (U50).
fn fixed_pieces(model: &Unigram, corpus: &Corpus) -> Vec<(Vec<Symbol>, f64)> {
    let fixed = |(piece, score): (&str, f64)| {
        let text = corpus.symbols_of(piece)?;
        Some((text, exp(score.clamp(LOWEST_FIXED_SCORE, 0.0)).float()))
    };
    ordinary(model).filter_map(fixed).collect()
}
