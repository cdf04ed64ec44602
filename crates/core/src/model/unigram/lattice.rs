//! Words as lattices: n-best segmentations, sampling, and probabilities.

use super::Unigram;
use super::letters::PieceTrie;
use super::tables::{Scores, Tables, user_defined_score};
use crate::error::{Error, Result, shorten};
use crate::lattice::{Lattice, LatticePath, PathScore, Sampling, Segmentations};
use crate::model::steps::{LatticeSteps, lattice_edges};
use crate::model::{Scored, Token};
use crate::vocab::AllowedEntries;

impl Unigram {
    /// Appends the tokens of a sampled segmentation of `word`.
    pub(crate) fn sample_word(
        &self,
        word: &str,
        entries: AllowedEntries,
        sampling: &mut Sampling,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        let tables = self.tables(entries);
        let drawn = self.lattice(word, tables)?.sample(sampling);
        self.push(word, drawn.into_iter().rev(), tables, out);
        Ok(())
    }

    /// Returns the best segmentations of `word`, best first, with the sums of their scores.
    pub fn nbest(&self, word: &str, entries: AllowedEntries, wanted: usize) -> Result<Vec<Scored>> {
        let tables = self.tables(entries);
        let paths = self.lattice(word, tables)?.nbest(wanted);
        Ok(self.scored(word, &paths, tables))
    }

    /// Returns the tokens and the scores of paths.
    fn scored(&self, word: &str, paths: &[LatticePath], tables: &Tables) -> Vec<Scored> {
        let scored = paths.iter().map(|path| {
            let mut tokens = Vec::new();
            self.push(word, path.reversed.iter().rev().copied(), tables, &mut tokens);
            Scored { tokens, score: path.score }
        });
        scored.collect()
    }

    /// Returns the lattice of `word` and its `wanted` best segmentations.
    pub(crate) fn lattice_steps(&self, word: &str, entries: AllowedEntries, wanted: usize) -> Result<LatticeSteps> {
        let tables = self.tables(entries);
        let lattice = self.lattice(word, tables)?;
        let best = self.scored(word, &lattice.nbest(wanted), tables);
        let (edges, log_probability) = (lattice_edges(&lattice.scored_edges()), lattice.log_probability());
        Ok(LatticeSteps { edges, log_probability, best })
    }

    /// Returns the natural logarithm of the probability of `word`, summed over all segmentations.
    pub fn log_probability(&self, word: &str, entries: AllowedEntries) -> Result<f64> {
        Ok(self.lattice(word, self.tables(entries))?.log_probability())
    }

    /// Returns the sum of the scores of these entries.
    ///
    /// An unknown token has the score of one unknown character, a reserved one none.
    #[must_use]
    pub fn score(&self, ids: &[u32]) -> f64 {
        match &self.tables(AllowedEntries::All).scores {
            Scores::Float32(scores, unknown) => self.sum(ids, *unknown, |id| self.lattice_score(scores, id)),
            Scores::Float64(scores, unknown) => self.sum(ids, *unknown, |id| scores[id as usize]),
        }
    }

    fn sum<F: PathScore>(&self, ids: &[u32], unknown: F, score: impl Fn(u32) -> F) -> f64 {
        let scores = ids.iter().map(|&id| match id {
            id if Some(id) == self.unk_id() => unknown,
            id if self.settings().reserved.contains(&id) => F::default(),
            id => score(id),
        });
        scores.fold(F::default(), F::add).into()
    }

    fn lattice(&self, word: &str, tables: &Tables) -> Result<Box<dyn Segmentations>> {
        let letters = &tables.letters;
        let lattice = match &tables.scores {
            Scores::Float32(scores, unknown) => {
                lattice(word, letters, self.unk_id().map(|_| *unknown), |id| self.lattice_score(scores, id))
            }
            Scores::Float64(scores, unknown) => {
                lattice(word, letters, self.unk_id().map(|_| *unknown), |id| scores[id as usize])
            }
        };
        lattice.ok_or_else(|| Error::NoUnknownToken { word: shorten(word) })
    }

    /// Returns an entry's score in a lattice, where that of a user-defined entry depends on its number of characters.
    fn lattice_score(&self, scores: &[f32], id: u32) -> f32 {
        let symbol = self.vocab().token(id).filter(|_| self.settings().user_defined.contains(&id));
        symbol.map_or(scores[id as usize], |text| user_defined_score(text.chars().count()))
    }
}

fn lattice<F: PathScore + 'static>(
    word: &str,
    letters: &PieceTrie,
    unknown: Option<F>,
    score: impl Fn(u32) -> F,
) -> Option<Box<dyn Segmentations>> {
    let lattice = Lattice::new(word, unknown, |start, each| {
        letters.each_in(&word[start..], |bytes, id| each(bytes, id, score(id)));
    });
    lattice.map(|lattice| Box::new(lattice) as Box<dyn Segmentations>)
}
