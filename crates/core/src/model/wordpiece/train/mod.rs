//! WordPiece training: words are sequences of characters, and the best adjacent pair repeatedly becomes a new symbol.
//!
//! The result depends only on the words, their counts and order, and the settings. A merge costs time linear in its
//! occurrences and in the pairs next to them; see the module `merge`. The module `learn` contains the shared parts of
//! trainers.

mod config;
mod criterion;
mod extend;
mod prune;
mod usage;

pub use config::WordPieceTrainerConfig;
pub use criterion::Criterion;
pub use extend::extend;

pub use crate::learn::{CountedWords, Merge, MergeRecorder, Progress, ProgressCallback, Stage, Ties, Trained};

use self::prune::replace_unused;
use self::usage::count_tokens;
use crate::error::Result;
use crate::learn::cut::{CutToken, cut_words};
use crate::learn::run::MergeRun;
use crate::learn::table::TrainingWords;

/// Trains on words and their counts, in order of first occurrence.
///
/// With a recorder it records the steps; the result does not depend on it.
///
/// # Errors
/// [`Error::Config`](crate::Error::Config) if the settings do not fit the words,
/// [`Error::Counts`](crate::Error::Counts) if there is no word or too many, [`Error::Overflow`](crate::Error::Overflow)
/// if a sum does not fit into 64 bits, [`Error::Interrupted`](crate::Error::Interrupted) if the callback ends the
/// training.
pub fn train<'w>(
    words: impl Into<CountedWords<'w>>,
    config: &WordPieceTrainerConfig,
    recorder: Option<&mut MergeRecorder>,
    callback: ProgressCallback<'_>,
) -> Result<Trained> {
    let tokens: Vec<_> = config.special_tokens.iter().map(|content| CutToken::special(content)).collect();
    let words = words.into();
    let words = cut_words(&words, &tokens)?;
    let table = TrainingWords::new(&words, &config.plan())?;
    let mut run = MergeRun::new(&table, config.plan(), recorder, callback)?;
    run.merge_until_stop(callback)?;
    let prefix = &config.continuing_subword_prefix;
    if config.prune_unused {
        replace_unused(&mut run, &[], prefix, &table, callback)?;
    }
    let entries = run.entries();
    let mut token_counts = count_tokens(&entries, prefix, &table, callback)?;
    // The count of a special token is 0, although longest match may emit one.
    let specials = config.special_tokens.len();
    let start = if config.special_tokens_first { 0 } else { entries.len() - specials };
    token_counts[start..start + specials].fill(0);
    Ok(Trained { entries, token_counts, history: run.history })
}
