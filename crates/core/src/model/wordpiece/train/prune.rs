//! Replaces learned entries that longest match never emits.

use super::config::WordPieceTrainerConfig;
use super::run::{count, merge_until_stop};
use crate::error::Result;
use crate::learn::ProgressCallback;
use crate::learn::run::MergeRun;
use crate::learn::table::TrainingWords;

/// The maximum number of rounds; new merges can make other entries unused.
const ROUNDS: usize = 4;

/// Removes unused learned entries and continues merging, until all are used or the rounds are over.
pub(super) fn prune(
    run: &mut MergeRun<'_>,
    config: &WordPieceTrainerConfig,
    table: &TrainingWords<'_>,
    callback: ProgressCallback<'_>,
) -> Result<()> {
    for _ in 0..ROUNDS {
        let counts = count(&run.entries(), config, table, callback)?;
        let before = run.learned.len();
        let mut counts = counts[run.first_learned()..].iter();
        run.retain_learned(|| counts.next().is_none_or(|&count| count > 0));
        if run.learned.len() == before {
            break;
        }
        merge_until_stop(run, config, callback)?;
    }
    Ok(())
}
