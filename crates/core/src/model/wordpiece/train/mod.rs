//! WordPiece training: characters become symbols, and the best pair of adjacent symbols becomes a
//! new one, again and again.
//!
//! The result depends on the words, their counts and order, and the settings, on nothing else.
//! Cost: that of the merged occurrences and of the pairs they touch; see the room `merge`.

mod alphabet;
mod config;
mod criterion;
mod prune;
mod run;
mod table;
mod usage;

pub use config::{Progress, Stage, TrainerConfig, Watch};
pub use criterion::Criterion;

pub use crate::merge::Ties;

use crate::error::{Error, Result};
use run::Run;
use table::Table;

/// A step of a training, with the counts before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    /// The left symbol as written.
    pub left: String,
    /// The right symbol as written, with its prefix.
    pub right: String,
    /// What they became.
    pub token: String,
    /// What the criterion gave.
    pub score: f64,
    /// How often the pair occurred.
    pub pair_count: u64,
    /// How often the left symbol occurred.
    pub left_count: u64,
    /// How often the right symbol occurred.
    pub right_count: u64,
    /// How many candidates had exactly this score.
    pub ties: u64,
}

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
/// [`Error::Config`] for settings that do not fit the words, [`Error::Counts`] where no word is
/// left or the words are too many, [`Error::Overflow`] where a sum does not fit into 64 bits,
/// [`Error::Interrupted`] where the watch asks for it.
pub fn train(words: &[(&str, u64)], config: &TrainerConfig, watch: Watch<'_>) -> Result<Trained> {
    let table = Table::new(words, config);
    if table.is_empty() {
        return Err(Error::Counts(
            "empty corpus: no word is left to train on (min_word_frequency leaves rare words out)".to_owned(),
        ));
    }
    let mut run = Run::new(&table, config, watch)?;
    run.merge_on(watch)?;
    if config.prune_unused {
        prune::prune(&mut run, watch)?;
    }
    let entries = run.entries();
    let token_counts = run.count(&entries, watch)?;
    Ok(Trained { entries, token_counts, history: run.history() })
}
