//! Replaces learned entries that longest match never emits.

use super::run::Training;
use crate::error::Result;
use crate::learn::ProgressCallback;

/// The maximum number of rounds; new merges can make other entries unused.
const ROUNDS: usize = 4;

/// Removes unused learned entries and continues merging, until all are used or the rounds are over.
pub(super) fn prune(training: &mut Training<'_>, callback: ProgressCallback<'_>) -> Result<()> {
    for _ in 0..ROUNDS {
        let entries = training.run.entries();
        let counts = training.count(&entries, callback)?;
        let from = training.run.first_learned();
        let before = training.run.learned.len();
        let mut counts = counts[from..].iter();
        training.run.retain_learned(|| counts.next().is_none_or(|&count| count > 0));
        if training.run.learned.len() == before {
            break;
        }
        training.merge_until_stop(callback)?;
    }
    Ok(())
}
