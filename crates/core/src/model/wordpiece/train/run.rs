//! A run of merges with the criteria of WordPiece.

use super::config::WordPieceTrainerConfig;
use super::criterion::gain;
use super::usage::count_tokens;
use crate::error::Result;
use crate::learn::run::MergeRun;
use crate::learn::table::TrainingWords;
use crate::learn::{ProgressCallback, Stage, report};
use crate::merge::score::PairCounts;
use crate::merge::{BestPair, MergeEngine};

/// Merges until a stop rule holds.
pub(super) fn merge_until_stop(
    run: &mut MergeRun<'_>,
    config: &WordPieceTrainerConfig,
    callback: ProgressCallback<'_>,
) -> Result<()> {
    let any = !config.stop_without_gain;
    run.merge_until_stop(callback, &|engine, best| any || gains(engine, best))
}

/// Returns the number of times that longest match emits each entry; 0 for special tokens.
pub(super) fn count(
    entries: &[String],
    config: &WordPieceTrainerConfig,
    table: &TrainingWords<'_>,
    callback: ProgressCallback<'_>,
) -> Result<Vec<u64>> {
    let mut tick = || report(callback, Stage::Counting, 0, 0);
    let mut counts = count_tokens(entries, &config.continuing_subword_prefix, table, &mut tick)?;
    let specials = config.special_tokens.len();
    let start = if config.special_tokens_first { 0 } else { entries.len() - specials };
    counts[start..start + specials].fill(0);
    Ok(counts)
}

/// Returns whether the merge increases the log-likelihood, whatever the criterion.
fn gains(engine: &MergeEngine, best: &BestPair) -> bool {
    let counts = PairCounts { pair: engine.merge_count(best.pair), ..best.counts };
    gain(&counts).sign().is_gt()
}
