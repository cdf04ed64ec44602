//! A run of merges with the criteria of WordPiece.

use super::config::TrainerConfig;
use super::criterion::gain;
use super::usage::count_tokens;
use crate::error::Result;
use crate::learn::run::MergeRun;
use crate::learn::table::TrainingWords;
use crate::learn::{MergeRecorder, ProgressCallback, Stage, report};
use crate::merge::score::PairCounts;
use crate::merge::{BestPair, MergeEngine};

/// A training between two merges.
pub(super) struct Training<'a> {
    config: &'a TrainerConfig,
    table: &'a TrainingWords<'a>,
    pub(super) run: MergeRun<'a>,
}

impl<'a> Training<'a> {
    /// Checks the settings against the words, and collects all pairs.
    pub(super) fn new(
        table: &'a TrainingWords<'a>,
        config: &'a TrainerConfig,
        recorder: Option<&'a mut MergeRecorder>,
        callback: ProgressCallback<'_>,
    ) -> Result<Self> {
        let run = MergeRun::new(table, config.plan(), recorder, callback)?;
        Ok(Self { config, table, run })
    }

    /// Merges until a stop rule holds.
    pub(super) fn merge_until_stop(&mut self, callback: ProgressCallback<'_>) -> Result<()> {
        let any = !self.config.stop_without_gain;
        self.run.merge_until_stop(callback, &|engine, best| any || gains(engine, best))
    }

    /// Returns the number of times that longest match emits each entry; 0 for special tokens.
    pub(super) fn count(&self, entries: &[String], callback: ProgressCallback<'_>) -> Result<Vec<u64>> {
        let mut tick = || report(callback, Stage::Counting, 0, 0);
        let prefix = &self.config.continuing_subword_prefix;
        let mut counts = count_tokens(entries, prefix, self.table, &mut tick)?;
        let specials = self.config.special_tokens.len();
        let start = if self.config.special_tokens_first { 0 } else { entries.len() - specials };
        counts[start..start + specials].fill(0);
        Ok(counts)
    }
}

/// Returns whether the merge increases the log-likelihood, whatever the criterion.
fn gains(engine: &MergeEngine, best: &BestPair) -> bool {
    let counts = PairCounts { pair: engine.merge_count(best.pair), ..best.counts };
    gain(&counts).sign().is_gt()
}
