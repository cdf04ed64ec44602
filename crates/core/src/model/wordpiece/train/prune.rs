//! Replaces learned entries that longest match never emits.

use crate::error::Result;
use crate::learn::ProgressCallback;
use crate::learn::run::MergeRun;

/// The maximum number of rounds; new merges can make other entries unused.
const ROUNDS: usize = 4;

/// Removes unused learned entries and continues merging, until all are used or the rounds are over.
///
/// `count` returns the number of uses of each learned entry, in order.
pub(super) fn replace_unused<'a>(
    run: &mut MergeRun<'a>,
    callback: ProgressCallback<'_>,
    count: impl Fn(&MergeRun<'a>, ProgressCallback<'_>) -> Result<Vec<u64>>,
    merge: impl Fn(&mut MergeRun<'a>, ProgressCallback<'_>) -> Result<()>,
) -> Result<()> {
    for _ in 0..ROUNDS {
        let (before, counts) = (run.learned.len(), count(run, callback)?);
        let mut counts = counts.iter();
        run.retain_learned(|| counts.next().is_none_or(|&count| count > 0));
        if run.learned.len() == before {
            break;
        }
        merge(run, callback)?;
    }
    Ok(())
}
