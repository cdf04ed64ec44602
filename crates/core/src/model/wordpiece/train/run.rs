//! One training of `WordPiece`: what is its own beside the merging.

use super::config::TrainerConfig;
use super::criterion::gain;
use super::usage::count_tokens;
use crate::error::Result;
use crate::learn::run::Run;
use crate::learn::table::Table;
use crate::learn::{Stage, Watch, tell};
use crate::merge::score::Counts;
use crate::merge::{Best, Engine};

/// A training between two merges.
pub(super) struct Training<'a> {
    config: &'a TrainerConfig,
    table: &'a Table<'a>,
    pub(super) run: Run<'a>,
}

impl<'a> Training<'a> {
    /// Checks the settings against the words, and finds all pairs.
    pub(super) fn new(table: &'a Table<'a>, config: &'a TrainerConfig, watch: Watch<'_>) -> Result<Self> {
        let run = Run::new(table, config.plan(), watch)?;
        Ok(Self { config, table, run })
    }

    /// Merges until a stop rule holds.
    pub(super) fn merge_on(&mut self, watch: Watch<'_>) -> Result<()> {
        let any = !self.config.stop_without_gain;
        self.run.merge_on(watch, &|engine, best| any || gains(engine, best))
    }

    /// How often longest match emits each entry; special tokens count 0.
    pub(super) fn count(&self, entries: &[String], watch: Watch<'_>) -> Result<Vec<u64>> {
        let mut tick = || tell(watch, Stage::Counting, 0, 0);
        let prefix = &self.config.continuing_subword_prefix;
        let mut counts = count_tokens(entries, prefix, self.table, &mut tick)?;
        let specials = self.config.special_tokens.len();
        let start = if self.config.special_tokens_first { 0 } else { entries.len() - specials };
        counts[start..start + specials].fill(0);
        Ok(counts)
    }
}

/// Whether the merge raises the log-likelihood, whatever the criterion.
fn gains(engine: &Engine, best: &Best) -> bool {
    let counts = Counts { pair: engine.merges(best.pair), ..best.counts };
    gain(&counts).sign().is_gt()
}
