//! BPE training: merges the most frequent pair of adjacent symbols into a new one, until a limit is reached.
//!
//! The result depends on the words, their counts and order, and the settings, on nothing else. Cost: proportional to
//! the merged occurrences and the pairs that they affect; see the module `merge`. The parts that all trainers share are
//! in the module `learn`. Source: Sennrich, Haddow and Birch 2016, *Neural machine translation of rare words with
//! subword units*.

mod config;
mod extend;

use std::collections::HashMap;

pub use config::{BpeTrainerConfig, InitialAlphabet};
pub use extend::extend;

pub use crate::learn::{CountedWords, Merge, MergeRecorder, Progress, ProgressCallback, Stage, Ties, Trained};

use crate::error::{Error, Message, Result, shorten};
use crate::learn::cut::cut_words;
use crate::learn::run::MergeRun;
use crate::learn::table::TrainingWords;
use crate::text::bytes::char_to_byte;

/// Trains on words and their counts, in order of first occurrence.
///
/// With a recorder it records the steps; the result does not depend on it.
///
/// # Errors
///
/// [`Error::Config`] if the settings do not fit the words, [`Error::Counts`] if no word is left, if there are too many
/// words or if they are not written in the characters of bytes, [`Error::Overflow`] if a sum does not fit into 64 bits,
/// [`Error::Interrupted`] if the callback ends the training.
pub fn train<'w>(
    words: impl Into<CountedWords<'w>>,
    config: &BpeTrainerConfig,
    recorder: Option<&mut MergeRecorder>,
    callback: ProgressCallback<'_>,
) -> Result<Trained> {
    let wanted = config.wanted();
    let special_tokens = config.all_special_tokens();
    let plan = config.plan(&wanted, &special_tokens);
    let tokens = config.cut_tokens(&special_tokens);
    let words = words.into();
    let words = cut_words(&words, &tokens)?;
    let table = TrainingWords::new(&words, &plan)?;
    if config.alphabet == InitialAlphabet::Byte {
        check_bytes(&table)?;
    }
    let mut run = MergeRun::new(&table, plan, recorder, callback)?;
    run.merge_until_stop(callback)?;
    let entries = run.entries();
    let token_counts = count(&run, &entries, &table);
    Ok(Trained { entries, token_counts, history: run.history })
}

fn check_bytes(table: &TrainingWords<'_>) -> Result<()> {
    let is_foreign = |word: &str| word.chars().any(|c| char_to_byte(c).is_none());
    match table.words.iter().find(|&(word, _)| is_foreign(word)) {
        Some((word, _)) => Err(Error::Counts(
            Message::new(format!(
                "\"byte\" requires words whose characters stand for bytes, found {:?}",
                shorten(word)
            ))
            .setting("alphabet")
            .hint("split the words with the pre-tokenizer ByteLevel"),
        )),
        None => Ok(()),
    }
}

/// Returns the number of occurrences of each entry in the words.
///
/// The sum is at most the number of symbols of the table, whose overflow was checked.
fn count(run: &MergeRun<'_>, entries: &[String], table: &TrainingWords<'_>) -> Vec<u64> {
    let whole: HashMap<&str, u64> = table.whole.iter().copied().collect();
    let given = |entry: &String| whole.get(entry.as_str()).copied().unwrap_or_default();
    entries.iter().map(|entry| run.occurrences(entry) + given(entry)).collect()
}
