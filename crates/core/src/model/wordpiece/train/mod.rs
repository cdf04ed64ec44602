//! WordPiece training: characters become symbols, and the best pair of adjacent symbols becomes a
//! new one, again and again.
//!
//! The result depends on the words, their counts and order, and the settings, on nothing else.
//! Cost: that of the merged occurrences and of the pairs they touch; see the room `merge`. What all trainers share is in
//! the room `learn`.

mod config;
mod criterion;
mod prune;
mod run;
mod usage;

pub use config::TrainerConfig;
pub use criterion::Criterion;

pub use crate::learn::{Merge, Progress, Stage, Ties, Watch};

use crate::error::Result;
use crate::learn::table::Table;
use run::Training;

/// What a training gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    /// The vocabulary, by id.
    pub entries: Vec<String>,
    /// How often longest match emits each entry for the words trained on; special tokens have 0.
    pub token_counts: Vec<u64>,
    /// All merges, among them those whose token was pruned.
    pub history: Vec<Merge>,
}

/// Trains on words and their counts, in order of first sight.
///
/// # Errors
/// [`Error::Config`](crate::Error::Config) for settings that do not fit the words, [`Error::Counts`](crate::Error::Counts) where no word is
/// left or the words are too many, [`Error::Overflow`](crate::Error::Overflow) where a sum does not fit into 64 bits,
/// [`Error::Interrupted`](crate::Error::Interrupted) where the watch asks for it.
pub fn train(words: &[(&str, u64)], config: &TrainerConfig, watch: Watch<'_>) -> Result<Trained> {
    let table = Table::new(words, &config.plan())?;
    let mut training = Training::new(&table, config, watch)?;
    training.merge_on(watch)?;
    if config.prune_unused {
        prune::prune(&mut training, watch)?;
    }
    let entries = training.run.entries();
    let token_counts = training.count(&entries, watch)?;
    Ok(Trained { entries, token_counts, history: training.run.history() })
}
