//! Learns merges on top of a model (B37 to B39): its merges segment the words, and learning goes on from there.
//!
//! Source: Purason et al. 2025, *Teaching old tokenizers new words*, who call it continued BPE training. Cost: encoding
//! each word once, then as a training.

use std::collections::HashSet;

use crate::error::Result;
use crate::learn::plan::{Plan, Spelling};
use crate::learn::run::MergeRun;
use crate::learn::segmented::SegmentedTokens;
use crate::learn::{Extension, Merge, ProgressCallback};
use crate::merge::score::Frequency;
use crate::model::Token;
use crate::model::bpe::{Bpe, BpeScratch};
use crate::settings::METASPACE;
use crate::text::bytes::byte_entry;
use crate::vocab::AllowedEntries;

/// Returns the merges to append to those of a model; none makes an entry of the model or a taken name.
///
/// # Errors
/// [`Error::Counts`](crate::Error::Counts) if there are too many words, [`Error::Overflow`](crate::Error::Overflow) if a
/// sum does not fit into 64 bits, [`Error::Interrupted`](crate::Error::Interrupted) if the callback ends the training.
pub fn extend(
    model: &Bpe,
    Extension { words, taken, config }: Extension<'_>,
    callback: ProgressCallback<'_>,
) -> Result<Vec<Merge>> {
    let settings = model.settings();
    let (prefix, suffix) = (&*settings.continuing_subword_prefix, &*settings.end_of_word_suffix);
    let separators = separators(model);
    let (mut segmented, mut scratch) = (SegmentedTokens::new(prefix, suffix), BpeScratch::default());
    let encode =
        |word: &str, tokens: &mut Vec<Token>| model.encode_word(word, AllowedEntries::Ordinary, &mut scratch, tokens);
    segmented.add_words(words, callback, encode, |segmented, token| {
        let name = model.vocab().token(token.id).unwrap_or_default();
        if separators.contains(&token.id) || name.starts_with(METASPACE) {
            segmented.cut();
        }
        if separators.contains(&token.id) { Ok(()) } else { segmented.push(token.id, name) }
    })?;
    let plan = Plan::extending(config, &Frequency, Spelling { prefix, suffix, separate: false });
    let mut run = MergeRun::extending(segmented, taken.to_vec(), plan, callback)?;
    run.merge_until_stop(callback)?;
    Ok(run.history)
}

/// Returns the tokens that are not text: the unknown token and the bytes of the fallback.
fn separators(model: &Bpe) -> HashSet<u32> {
    let bytes = (0..=255).filter(|_| model.settings().byte_fallback).map(byte_entry);
    bytes.filter_map(|entry| model.vocab().id(&entry)).chain(model.unk_id()).collect()
}
