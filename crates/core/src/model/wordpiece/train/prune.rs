//! Replaces learned entries that longest match never emits.

use super::config::Watch;
use super::run::Run;
use crate::error::Result;

/// A refill can make new unused entries, so the work ends after so many rounds.
const ROUNDS: usize = 4;

/// Drops unused learned entries and goes on merging, until none is unused or the rounds are over.
pub(super) fn prune(run: &mut Run<'_>, watch: Watch<'_>) -> Result<()> {
    for _ in 0..ROUNDS {
        let entries = run.entries();
        let counts = run.count(&entries, watch)?;
        let from = run.first_learned();
        let before = run.learned.len();
        let mut counts = counts[from..].iter();
        run.learned.retain(|_| counts.next().is_none_or(|&count| count > 0));
        if run.learned.len() == before {
            break;
        }
        run.merge_on(watch)?;
    }
    Ok(())
}
