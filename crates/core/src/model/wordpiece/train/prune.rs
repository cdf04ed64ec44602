//! Replaces learned entries that longest match never emits.

use super::run::Training;
use crate::error::Result;
use crate::learn::Watch;

/// A refill can make new unused entries, so the work ends after so many rounds.
const ROUNDS: usize = 4;

/// Drops unused learned entries and goes on merging, until none is unused or the rounds are over.
pub(super) fn prune(training: &mut Training<'_>, watch: Watch<'_>) -> Result<()> {
    for _ in 0..ROUNDS {
        let entries = training.run.entries();
        let counts = training.count(&entries, watch)?;
        let from = training.run.first_learned();
        let before = training.run.learned.len();
        let mut counts = counts[from..].iter();
        training.run.learned.retain(|_| counts.next().is_none_or(|&count| count > 0));
        if training.run.learned.len() == before {
            break;
        }
        training.merge_on(watch)?;
    }
    Ok(())
}
