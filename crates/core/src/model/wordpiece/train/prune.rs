//! Replaces learned entries that longest match never emits.

use super::usage::count_tokens;
use crate::error::Result;
use crate::learn::ProgressCallback;
use crate::learn::run::MergeRun;
use crate::learn::table::TrainingWords;

/// The maximum number of rounds; new merges can make other entries unused.
const ROUNDS: usize = 4;

/// Removes unused learned entries and continues merging, until all are used or the rounds are over.
///
/// The vocabulary has the entries of the run after those of `old`.
pub(super) fn replace_unused(
    run: &mut MergeRun<'_>,
    old: &[&str],
    prefix: &str,
    table: &TrainingWords<'_>,
    callback: ProgressCallback<'_>,
) -> Result<()> {
    for _ in 0..ROUNDS {
        let entries: Vec<String> = old.iter().map(|&entry| entry.to_owned()).chain(run.entries()).collect();
        let counts = count_tokens(&entries, prefix, table, callback)?;
        let (before, mut counts) = (run.learned.len(), counts[old.len() + run.first_learned()..].iter());
        run.retain_learned(|| counts.next().is_none_or(|&count| count > 0));
        if run.learned.len() == before {
            break;
        }
        run.merge_until_stop(callback)?;
    }
    Ok(())
}
