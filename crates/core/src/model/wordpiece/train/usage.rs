//! Counts how often longest match emits each entry, for probabilities and pruning.

use crate::error::Result;
use crate::lattice::UNKNOWN;
use crate::learn::table::TrainingWords;
use crate::learn::{ProgressCallback, Stage, report};
use crate::model::wordpiece::automaton::Automaton;

/// Counts the tokens of a table of words; a word that cannot be encoded is left out.
pub(super) fn count_tokens(
    entries: &[String],
    prefix: &str,
    table: &TrainingWords<'_>,
    callback: ProgressCallback<'_>,
) -> Result<Vec<u64>> {
    let automaton = Automaton::new(entries.iter().map(String::as_str).zip(0..), prefix);
    let mut counts = vec![0; entries.len()];
    let (mut stack, mut found) = (Vec::new(), Vec::new());
    for (done, (word, count)) in table.iter().enumerate() {
        if done % 4096 == 0 {
            report(callback, Stage::Counting, 0, 0)?;
        }
        found.clear();
        automaton.walk(word, &mut stack, |id, _| {
            if id == UNKNOWN {
                found.clear();
            } else {
                found.push(id as usize);
            }
            id != UNKNOWN
        });
        for &id in &found {
            counts[id] += count; // no more than the characters of the table, whose sum was checked
        }
    }
    Ok(counts)
}
