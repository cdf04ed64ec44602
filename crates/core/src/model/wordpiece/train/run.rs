//! One training: what is entered, when to stop, what is remembered.

use std::collections::HashSet;

use super::Merge;
use super::alphabet::prepare;
use super::config::{Stage, TrainerConfig, Watch, tell};
use super::criterion::gain;
use super::table::Table;
use super::usage::count_tokens;
use crate::error::{Error, Result};
use crate::merge::score::Counts;
use crate::merge::{Best, Engine, Settings};

/// What rounding can leave of a gain that is zero, for each merge.
const ROUNDING: f64 = 1e-12;

/// A merge as it is remembered until names are made of it.
struct Step {
    left: u32,
    right: u32,
    token: u32,
    score: f64,
    counts: Counts,
    ties: u64,
}

/// A training between two merges.
pub(super) struct Run<'a> {
    config: &'a TrainerConfig,
    table: &'a Table<'a>,
    engine: Engine,
    /// The entries that were asked for by name.
    named: HashSet<&'a str>,
    /// The alphabet without what is such an entry.
    alphabet: Vec<String>,
    /// The symbols that are learned entries, in order.
    pub(super) learned: Vec<u32>,
    steps: Vec<Step>,
}

impl<'a> Run<'a> {
    /// Checks the settings against the words, and finds all pairs.
    pub(super) fn new(table: &'a Table<'a>, config: &'a TrainerConfig, watch: Watch<'_>) -> Result<Self> {
        let named = named(config)?;
        let prepared = prepare(table, config, watch)?;
        // A merge may make a user-defined symbol, once.
        let taken = config.special_tokens.iter().chain(&prepared.names).cloned().collect();
        let mut alphabet = prepared.names;
        alphabet.retain(|name| !named.contains(name.as_str()));
        check_size(config, alphabet.len())?;
        let mut tick = || tell(watch, Stage::Pairing, 0, 0);
        let engine = Engine::new(settings(config), prepared.segments, prepared.symbols, taken, &mut tick)?;
        Ok(Self { config, table, engine, named, alphabet, learned: Vec::new(), steps: Vec::new() })
    }

    fn size(&self) -> usize {
        self.named.len() + self.alphabet.len() + self.learned.len()
    }

    /// Merges until a stop rule holds.
    pub(super) fn merge_on(&mut self, watch: Watch<'_>) -> Result<()> {
        while !self.is_complete() {
            let (size, goal) = (self.size(), self.config.vocab_size);
            let mut tick = || tell(watch, Stage::Merging, size, goal);
            tick()?;
            let Some(best) = self.engine.best(&mut tick)? else {
                break;
            };
            if self.config.stop_without_gain && !self.gains(&best) {
                break;
            }
            let (left, right) = self.engine.sides(best.pair);
            let score = self.config.criterion.score().float(&best.counts);
            let token = self.engine.merge(best.pair, &mut tick)?;
            if !self.named.contains(self.engine.symbols().name(token)) {
                self.learned.push(token);
            }
            self.steps.push(Step { left, right, token, score, counts: best.counts, ties: best.ties });
        }
        Ok(())
    }

    /// Whether a stop rule holds that does not ask for the best pair.
    fn is_complete(&mut self) -> bool {
        let frequency = self.config.stop_at_pair_frequency;
        self.size() >= self.config.vocab_size
            || self.config.max_merges.is_some_and(|most| self.steps.len() >= most)
            || frequency.is_some_and(|least| self.engine.most_frequent() <= least)
    }

    /// Whether the merge raises the log-likelihood, whatever the criterion.
    #[expect(clippy::cast_precision_loss, reason = "a bound on rounding may be rounded itself")]
    fn gains(&self, best: &Best) -> bool {
        let counts = Counts { pair: self.engine.merges(best.pair), ..best.counts };
        gain(&counts) > ROUNDING * counts.pair as f64
    }

    /// The id of the first learned entry.
    pub(super) fn first_learned(&self) -> usize {
        let later = if self.config.special_tokens_first { 0 } else { self.config.special_tokens.len() };
        self.named.len() - later + self.alphabet.len()
    }

    /// The entries as they stand, in the order of their ids.
    pub(super) fn entries(&self) -> Vec<String> {
        let specials = self.config.special_tokens.iter().cloned();
        let learned = self.learned.iter().map(|&id| self.engine.symbols().name(id).to_owned());
        let symbols = self.config.user_defined_symbols.iter().cloned();
        let rest = symbols.chain(self.alphabet.iter().cloned()).chain(learned);
        if self.config.special_tokens_first { specials.chain(rest).collect() } else { rest.chain(specials).collect() }
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

    /// All merges ever made, with names.
    pub(super) fn history(&self) -> Vec<Merge> {
        let name = |id| self.engine.symbols().name(id).to_owned();
        let merge = |step: &Step| Merge {
            left: name(step.left),
            right: name(step.right),
            token: name(step.token),
            score: step.score,
            pair_count: step.counts.pair,
            left_count: step.counts.left,
            right_count: step.counts.right,
            ties: step.ties,
        };
        self.steps.iter().map(merge).collect()
    }
}

/// The special tokens and the user-defined symbols, each of which is an entry of its own.
fn named(config: &TrainerConfig) -> Result<HashSet<&str>> {
    let mut named = HashSet::new();
    if let Some(twice) = config.special_tokens.iter().find(|special| !named.insert(special.as_str())) {
        return Err(Error::Config(format!("the special token {twice:?} is given twice")));
    }
    for symbol in &config.user_defined_symbols {
        if symbol.is_empty() {
            return Err(Error::Config("user_defined_symbols: an empty one".to_owned()));
        }
        if !named.insert(symbol) {
            let reason = if config.special_tokens.contains(symbol) { "is a special token" } else { "is given twice" };
            return Err(Error::Config(format!("user_defined_symbols: {symbol:?} {reason}")));
        }
    }
    Ok(named)
}

fn check_size(config: &TrainerConfig, alphabet: usize) -> Result<()> {
    let (size, specials) = (config.vocab_size, config.special_tokens.len());
    let symbols = config.user_defined_symbols.len();
    let least = specials + symbols + alphabet;
    if size >= least {
        return Ok(());
    }
    let named = match symbols {
        0 => format!("{specials} special tokens"),
        _ => format!("{specials} special tokens, {symbols} user-defined symbols"),
    };
    Err(Error::Config(format!(
        "vocab_size={size} is too small: {named} and an alphabet of {alphabet} need at least {least}; \
         raise vocab_size, or lower the alphabet with limit_alphabet"
    )))
}

fn settings(config: &TrainerConfig) -> Settings {
    let longest = config.max_token_length.unwrap_or(usize::MAX);
    Settings {
        score: config.criterion.score(),
        ties: config.ties,
        min_frequency: config.min_frequency.max(1),
        max_width: u32::try_from(longest).unwrap_or(u32::MAX),
        track_frequency: config.stop_at_pair_frequency.is_some(),
    }
}
