//! The scores of segmentations of Unigram by their definition (U31 to U35 of spec/unigram.md).

use std::collections::HashMap;

use piecework_core::encoding::Encoding;
use serde_json::Value;

/// The cost of an unknown character beside the lowest score.
const UNKNOWN_COST: f64 = 10.0;

/// A Unigram model of a tokenizer.json.
#[derive(Debug)]
pub struct UnigramScores {
    scores: HashMap<String, f64>,
    names: Vec<String>,
    /// The score of an unknown character, if there is an unknown token.
    unknown: Option<f64>,
    is_float32: bool,
}

impl UnigramScores {
    /// Returns the model of a tokenizer.json.
    #[must_use]
    pub fn new(model: &Value) -> Self {
        let is_float32 = model["piecework"]["precision"] == "float32";
        let list = |name: &str| -> Vec<&str> {
            model["piecework"][name].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
        };
        let (reserved, symbols) = (list("reserved"), list("user_defined"));
        let pieces = model["vocab"].as_array().into_iter().flatten();
        let pieces = pieces.filter_map(|piece| Some((piece[0].as_str()?, piece[1].as_f64()?)));
        let lowest =
            pieces.clone().filter(|(name, _)| !is_float32 || !(reserved.contains(name) || symbols.contains(name)));
        let lowest = lowest.map(|(_, score)| score).fold(f64::INFINITY, f64::min);
        let score = |name: &str, score| if symbols.contains(&name) { 0.1 * (name.len() as f64 - 1.0) } else { score };
        Self {
            names: pieces.clone().map(|(name, _)| name.to_owned()).collect(),
            scores: pieces
                .filter(|(name, _)| !reserved.contains(name))
                .map(|(name, own)| (name.to_owned(), score(name, own)))
                .collect(),
            unknown: (!model["unk_id"].is_null()).then_some(lowest - UNKNOWN_COST),
            is_float32,
        }
    }

    /// Returns the score of the best segmentation; `None` if there is none.
    #[must_use]
    pub fn best(&self, word: &str) -> Option<f64> {
        let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
        let mut best: Vec<Option<f64>> = vec![None; ends.len()];
        best[0] = Some(0.0);
        for (place, &start) in ends.iter().enumerate() {
            let Some(before) = best[place] else { continue };
            for (other, &end) in ends.iter().enumerate().skip(place + 1) {
                let own = self.scores.get(&word[start..end]).copied();
                let score = own.or(self.unknown.filter(|_| other == place + 1));
                let sum = score.map(|score| before + score);
                best[other] = best[other].into_iter().chain(sum).reduce(f64::max);
            }
        }
        best.last().copied().flatten()
    }

    /// Returns the score of an encoding: those of its pieces, and of the characters of unknown tokens and of bytes.
    #[must_use]
    pub fn score(&self, word: &str, found: &Encoding) -> f64 {
        let (mut score, mut done) = (0.0, 0);
        for (id, span) in found.ids.iter().zip(&found.spans) {
            let text = &word[span.range()];
            if self.names[*id as usize] == text && self.scores.contains_key(text) {
                score += self.scores[text];
            } else if done < span.range().end {
                score += self.unknown.unwrap_or_default() * text.chars().count() as f64;
            }
            done = span.range().end;
        }
        score
    }

    /// Returns by how much the sums of a segmentation may differ.
    #[must_use]
    pub fn rounding(&self, best: f64) -> f64 {
        (1.0 + best.abs()) * if self.is_float32 { 1e-3 } else { 1e-9 }
    }
}
