//! The record of a training, in the model's own part of a `tokenizer.json`.

use super::trainers::trainer;
use crate::error::{Error, Result};
use crate::format::json::{Json, JsonNode};
use crate::format::members::Member;
use crate::learn::{Merge, UnigramStep};
use crate::pipeline::Training;
use crate::vocab::Vocab;

/// Reads the record in a model's own part, if it has one: one count for each id, whose sum fits 64 bits.
pub(super) fn read_training(own: &JsonNode<'_>, vocab: &Vocab) -> Result<Option<Training>> {
    let Some(node) = own.find("training")? else { return Ok(None) };
    node.only(&["trainer", "counts_sha256", "token_counts", "history", "rounds"])?;
    let counts = node.member("token_counts")?;
    let training = Training {
        trainer: trainer(&node.member("trainer")?)?,
        counts_sha256: node.get("counts_sha256")?,
        token_counts: counts.integers()?,
        history: node.get("history")?,
        // Only trainings of Unigram have this member.
        rounds: node.get_or("rounds", Vec::new())?,
    };
    let (found, limit) = (training.token_counts.len(), vocab.id_limit());
    if found != limit as usize {
        return Err(counts.error(format!("{found} entries for {limit} ids")));
    }
    if training.token_counts.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count)).is_none() {
        return Err(Error::Overflow("the token counts add up to more than 2^64 - 1".into()));
    }
    Ok(Some(training))
}

pub(super) fn training_json(training: &Training) -> Json {
    let members = [
        ("trainer", Some(training.trainer.json())),
        ("counts_sha256", Some(training.counts_sha256.json())),
        ("token_counts", Some(training.token_counts.json())),
        ("history", Some(training.history.json())),
        ("rounds", (!training.rounds.is_empty()).then(|| training.rounds.json())),
    ];
    let given = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Json::Object(given.collect())
}

impl Member for Merge {
    fn read(node: &JsonNode<'_>) -> Result<Self> {
        let [left, right, token, score, pair_count, left_count, right_count, ties] =
            node.tuple("[left, right, token, score, pair count, left count, right count, ties]")?;
        Ok(Self {
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

    fn json(&self) -> Json {
        let [pair_count, left_count, right_count, ties] =
            [self.pair_count, self.left_count, self.right_count, self.ties].map(Json::from);
        let [left, right, token] = [&self.left, &self.right, &self.token].map(Member::json);
        Json::Array(vec![left, right, token, self.score.json(), pair_count, left_count, right_count, ties])
    }
}

/// `[pieces, log-likelihood]`, with null for the likelihood of the final pruning, and without the removed pieces: seed
/// pieces are many, and no reader of the file needs them.
impl Member for UnigramStep {
    fn read(node: &JsonNode<'_>) -> Result<Self> {
        let [pieces, log_likelihood] = node.tuple("[pieces, log-likelihood]")?;
        let log_likelihood = log_likelihood.optional().map(|node| node.float()).transpose()?;
        Ok(Self { pieces: pieces.size()?, log_likelihood, removed: None })
    }

    fn json(&self) -> Json {
        Json::Array(vec![self.pieces.json(), self.log_likelihood.json()])
    }
}
