//! How often longest match emits each entry: what probabilities and pruning go by.

use crate::error::Result;
use crate::learn::table::Table;
use crate::merge::Tick;
use crate::model::wordpiece::automaton::{Automaton, Piece};

/// Counts the entries that a table of words is encoded into; a word that cannot be is left out.
pub(super) fn count_tokens(entries: &[String], prefix: &str, table: &Table<'_>, tick: Tick<'_>) -> Result<Vec<u64>> {
    let automaton = Automaton::new(entries.iter().map(String::as_str).zip(0..), prefix);
    let mut counts = vec![0; entries.len()];
    let (mut stack, mut found) = (Vec::new(), Vec::new());
    for (done, (word, count)) in table.iter().enumerate() {
        if done % 4096 == 0 {
            tick()?;
        }
        found.clear();
        automaton.walk(word, &mut stack, |piece| match piece {
            Piece::Token { id, .. } => {
                found.push(id as usize);
                true
            }
            Piece::Unmatched { .. } => {
                found.clear();
                false
            }
        });
        for &id in &found {
            counts[id] += count; // no more than the characters of the table, whose sum was checked
        }
    }
    Ok(counts)
}
