//! N-best segmentations of a text, and its marginal log-likelihood (U39, U46 and U47 of `spec/unigram.md`).

use super::Tokenizer;
use super::encode::Inputs;
use super::options::{Input, Options};
use super::scratch::Scratch;
use super::tokens::{TextToken, shift};
use crate::added::SegmentTrust;
use crate::encoding::Encoding;
use crate::error::Result;
use crate::model::{Scored, Token};
use crate::pretokenize::words::{WordKind, Words};

/// One of the best segmentations of the words so far, as a back pointer.
#[derive(Debug, Clone, Copy)]
struct Hypothesis {
    score: f64,
    /// The index of the segmentation of the words before the last, and of the last word's own.
    before: usize,
    own: usize,
}

impl Tokenizer {
    /// Returns the encodings of the best segmentations of a text, best first, with the sums of their scores.
    ///
    /// They are neither truncated nor padded.
    ///
    /// ```
    /// use piecework_core::model::{Model, unigram};
    /// use piecework_core::pipeline::{Options, TokenizerParts, Scratch, Tokenizer};
    /// use piecework_core::splitter::WordSplitter;
    /// use piecework_core::vocab::Vocab;
    ///
    /// let vocab = Vocab::from_tokens(["a", "b", "ab"].map(String::from))?;
    /// let model = unigram::Unigram::new(vocab, vec![-1.0, -1.0, -1.5], unigram::UnigramSettings::default())?;
    /// let tokenizer = Tokenizer::new(TokenizerParts::new(WordSplitter::default(), Model::Unigram(model)))?;
    /// let best = tokenizer.encode_nbest("ab", 2, &Options::default(), &mut Scratch::default())?;
    /// assert_eq!(best.iter().map(|(encoding, score)| (&encoding.ids[..], *score)).collect::<Vec<_>>(), [
    ///     (&[2][..], -1.5),
    ///     (&[0, 1], -2.0),
    /// ]);
    /// # Ok::<(), piecework_core::Error>(())
    /// ```
    pub fn encode_nbest(
        &self,
        text: &str,
        wanted: usize,
        options: &Options,
        scratch: &mut Scratch,
    ) -> Result<Vec<(Encoding, f64)>> {
        let words = self.nbest_words(text, wanted, options, scratch)?;
        let mut best = vec![Hypothesis { score: 0.0, before: 0, own: 0 }];
        let mut rows = Vec::with_capacity(words.len());
        for word in &words {
            best = joined(&best, word, wanted);
            rows.push(best.clone());
        }
        best.truncate(wanted);
        let encodings = best.iter().enumerate().map(|(number, &Hypothesis { score, .. })| {
            let encoding = self.encoding_of(&words, &choices(&rows, number), &scratch.generic.words);
            let texts = Inputs { tokenizer: self, inputs: [Input::Text(text), Input::Text("")] };
            Ok((self.post_process(vec![encoding], &texts, options)?, score))
        });
        encodings.collect()
    }

    /// Returns the best segmentations of each word of a text; `scratch` has the words.
    fn nbest_words(
        &self,
        text: &str,
        wanted: usize,
        options: &Options,
        scratch: &mut Scratch,
    ) -> Result<Vec<Vec<Scored>>> {
        let model = self.model();
        self.traits().check_probabilities()?;
        self.split(text, &[(text.len(), SegmentTrust::AsOptions)], options, true, scratch)?;
        let words = scratch.generic.words.as_slice().iter().map(|word| match word.kind {
            WordKind::Added(id) => Ok(vec![Scored { tokens: vec![Token { id, span: word.span }], score: 0.0 }]),
            _ => {
                let mut found = model.nbest(scratch.generic.words.text_of(word), word.entries, wanted)?;
                found.iter_mut().for_each(|segmentation| shift(&mut segmentation.tokens, word.span.start));
                Ok(found)
            }
        });
        words.collect()
    }

    /// Returns the encoding of words with the chosen segmentations.
    fn encoding_of(&self, segmented: &[Vec<Scored>], choices: &[usize], words: &Words) -> Encoding {
        let mut encoding = Encoding::default();
        let chosen = segmented.iter().zip(choices).map(|(word, &choice)| &word[choice].tokens);
        for ((number, word), tokens) in (0..).zip(words.as_slice()).zip(chosen) {
            for &Token { id, span } in tokens {
                self.push(&mut encoding, &TextToken { id, span, word, number, words }, number, 0);
            }
        }
        encoding
    }

    /// Returns the marginal log-likelihood of a text in nats, over all segmentations of its words.
    ///
    /// It is the sum of those of the words; added tokens add nothing.
    pub fn marginal_log_likelihood(&self, text: &str, options: &Options, scratch: &mut Scratch) -> Result<f64> {
        let model = self.model();
        self.traits().check_probabilities()?;
        self.split(text, &[(text.len(), SegmentTrust::AsOptions)], options, false, scratch)?;
        let words = scratch.generic.words.as_slice().iter().filter(|word| !matches!(word.kind, WordKind::Added(_)));
        let mut logs = words.map(|word| model.log_probability(scratch.generic.words.text_of(word), word.entries));
        logs.try_fold(0.0, |sum, log| Ok(sum + log?))
    }

    /// Returns the sum of the model's scores of `ids`; added tokens that the model lacks add nothing.
    pub fn score(&self, ids: &[u32]) -> Result<f64> {
        let model = self.model();
        self.traits().check_probabilities()?;
        ids.iter().try_for_each(|&id| self.expect_token(id).map(|_| ()))?;
        let own: Vec<u32> = ids.iter().copied().filter(|&id| model.vocab().token(id).is_some()).collect();
        model.score(&own)
    }
}

/// Follows the back pointers of segmentation `number`; returns the index of each word's segmentation.
fn choices(rows: &[Vec<Hypothesis>], mut number: usize) -> Vec<usize> {
    let choice = |row: &Vec<Hypothesis>| {
        let Hypothesis { before, own, .. } = row[number];
        number = before;
        own
    };
    let mut choices: Vec<usize> = rows.iter().rev().map(choice).collect();
    choices.reverse();
    choices
}

/// Returns the `wanted` best pairs of a segmentation so far and one of the next word, best first.
///
/// Only pairs (i, j), counted from 1, with i·j at most `wanted` are candidates (U46): O(w log² w) for w = `wanted`.
fn joined(best: &[Hypothesis], word: &[Scored], wanted: usize) -> Vec<Hypothesis> {
    let pairs = best.iter().enumerate().flat_map(|(before, &Hypothesis { score, .. })| {
        let most = wanted / (before + 1);
        word.iter().take(most).enumerate().map(move |(own, next)| Hypothesis { score: score + next.score, before, own })
    });
    let mut pairs: Vec<Hypothesis> = pairs.collect();
    // With one element on either side, the pairs are sorted; sorting by sums, which are rounded, could reorder them.
    if best.len() > 1 && word.len() > 1 {
        pairs.sort_by(|one, other| other.score.total_cmp(&one.score));
        pairs.truncate(wanted);
    }
    pairs
}
