//! Learns entries on top of a vocabulary (W25 to W27): longest match segments the words, and learning goes on from there.

use super::criterion::Criterion;
use super::prune::replace_unused;
use crate::error::Result;
use crate::learn::plan::{Plan, Spelling};
use crate::learn::run::MergeRun;
use crate::learn::segmented::SegmentedTokens;
use crate::learn::table::TrainingWords;
use crate::learn::{CountedWords, Extension, Merge, ProgressCallback};
use crate::model::Token;
use crate::model::wordpiece::{MatchScratch, WordPiece};
use crate::vocab::AllowedEntries;

/// Returns the entries to add to those of a model, in the order of learning, and all merges.
///
/// These include the merges whose entry longest match never emitted. No entry is one of the model or a taken name.
///
/// # Errors
/// [`Error::Counts`](crate::Error::Counts) if there are too many words, [`Error::Overflow`](crate::Error::Overflow) if a
/// sum does not fit into 64 bits, [`Error::Interrupted`](crate::Error::Interrupted) if the callback ends the training.
pub fn extend(
    model: &WordPiece,
    Extension { words, taken, config }: Extension<'_>,
    criterion: Criterion,
    callback: ProgressCallback<'_>,
) -> Result<(Vec<String>, Vec<Merge>)> {
    let prefix = &*model.settings().continuing_subword_prefix;
    let old: Vec<&str> = model.ordinary_entries().collect();
    let plan = Plan::extending(config, criterion.score(), Spelling::prefixed(prefix));
    let mut run = MergeRun::extending(segmented(model, words, callback)?, taken.to_vec(), plan, callback)?;
    run.merge_until_stop(callback)?;
    let table = TrainingWords { words: words.borrowed(), whole: Vec::new() };
    replace_unused(&mut run, &old, prefix, &table, callback)?;
    Ok((run.entries(), run.history))
}

/// Returns the words as their tokens, cut at unknown tokens.
fn segmented(model: &WordPiece, words: &CountedWords<'_>, callback: ProgressCallback<'_>) -> Result<SegmentedTokens> {
    let mut segmented = SegmentedTokens::new(&model.settings().continuing_subword_prefix, "");
    let mut matches = MatchScratch::default();
    let encode =
        |word: &str, tokens: &mut Vec<Token>| model.encode_word(word, AllowedEntries::Ordinary, &mut matches, tokens);
    segmented.add_words(words, callback, encode, |segmented, token| {
        if Some(token.id) == model.unk_id() {
            segmented.cut();
            return Ok(());
        }
        segmented.push(token.id, model.vocab().token(token.id).unwrap_or_default())
    })?;
    Ok(segmented)
}
