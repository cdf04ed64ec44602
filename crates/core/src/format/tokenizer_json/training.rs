//! The record of a training, in the model's own part of a `tokenizer.json`.

use super::trainers::{trainer, trainer_json};
use crate::error::{Error, Result};
use crate::format::json::{Json, Node};
use crate::learn::{Merge, UnigramStep};
use crate::pipeline::Training;
use crate::vocab::Vocab;

pub(super) struct RawTraining(Training);

impl RawTraining {
    pub(super) fn read(node: &Node<'_>) -> Result<Self> {
        node.only(&["trainer", "counts_sha256", "token_counts", "history", "rounds"])?;
        Ok(Self(Training {
            trainer: trainer(&node.member("trainer")?)?,
            counts_sha256: node.member("counts_sha256")?.str()?.to_owned(),
            token_counts: node.member("token_counts")?.integers()?,
            history: node.member("history")?.array()?.map(|node| merge(&node)).collect::<Result<_>>()?,
            // Only trainings of Unigram have this member.
            rounds: node
                .find("rounds")?
                .map_or_else(|| Ok(Vec::new()), |node| node.array()?.map(|node| round(&node)).collect::<Result<_>>())?,
        }))
    }

    /// Checks that the counts have one value for each id, and that their sum fits 64 bits.
    pub(super) fn checked(self, node: &Node<'_>, vocab: &Vocab) -> Result<Training> {
        let Self(training) = self;
        if training.token_counts.len() != vocab.id_limit() as usize {
            return Err(node.error(format!(
                "piecework.training.token_counts has {} entries for {} ids",
                training.token_counts.len(),
                vocab.id_limit()
            )));
        }
        if training.token_counts.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count)).is_none() {
            return Err(Error::Overflow("the token counts add up to more than 2^64 - 1".into()));
        }
        Ok(training)
    }
}

/// Reads `[left, right, token, score, pair count, left count, right count, ties]`.
fn merge(node: &Node<'_>) -> Result<Merge> {
    let parts: Vec<Node<'_>> = node.array()?.collect();
    let [left, right, token, score, pair_count, left_count, right_count, ties] = &parts[..] else {
        return Err(node.error("expected [left, right, token, score, pair count, left count, right count, ties]"));
    };
    Ok(Merge {
        left: left.str()?.to_owned(),
        right: right.str()?.to_owned(),
        token: token.str()?.to_owned(),
        score: score.float()?,
        pair_count: pair_count.unsigned()?,
        left_count: left_count.unsigned()?,
        right_count: right_count.unsigned()?,
        ties: ties.unsigned()?,
    })
}

/// Reads `[pieces, log-likelihood]`; the final pruning has null for the likelihood.
fn round(node: &Node<'_>) -> Result<UnigramStep> {
    let parts: Vec<Node<'_>> = node.array()?.collect();
    let [pieces, log_likelihood] = &parts[..] else {
        return Err(node.error("expected [pieces, log-likelihood]"));
    };
    Ok(UnigramStep {
        pieces: pieces.size()?,
        log_likelihood: if log_likelihood.is_null() { None } else { Some(log_likelihood.float()?) },
        removed: None,
    })
}

pub(super) fn training_json(training: &Training) -> Json {
    let rounds = (!training.rounds.is_empty()).then(|| training.rounds.iter().map(round_json).collect::<Json>());
    let members = [
        ("trainer", Some(trainer_json(&training.trainer))),
        ("counts_sha256", Some(training.counts_sha256.as_str().into())),
        ("token_counts", Some(training.token_counts.iter().copied().collect())),
        ("history", Some(training.history.iter().map(merge_json).collect())),
        ("rounds", rounds),
    ];
    let given = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Json::Object(given.collect())
}

/// Writes a step without the removed pieces: seed pieces are many, and no reader of the file needs them.
fn round_json(round: &UnigramStep) -> Json {
    Json::Array(vec![(round.pieces as u64).into(), round.log_likelihood.map(Json::Float).into()])
}

fn merge_json(merge: &Merge) -> Json {
    Json::Array(vec![
        merge.left.as_str().into(),
        merge.right.as_str().into(),
        merge.token.as_str().into(),
        Json::Float(merge.score),
        merge.pair_count.into(),
        merge.left_count.into(),
        merge.right_count.into(),
        merge.ties.into(),
    ])
}
