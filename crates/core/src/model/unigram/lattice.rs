//! Words as lattices, for n-best lists, sampling and probabilities.

use super::Unigram;
use super::tables::{Tables, user_defined_score};
use crate::error::{Error, Result, shorten};
use crate::lattice::{Edge, Lattice, add_scores};
use crate::model::Token;
use crate::model::long_pieces::LongMatches;
use crate::vocab::AllowedEntries;

impl Unigram {
    /// Returns the lattice of the segmentations of `word`.
    pub(in crate::model) fn lattice(&self, word: &str, entries: AllowedEntries) -> Result<Lattice> {
        let tables = self.tables(entries);
        let mut long = LongMatches::new(tables.letters.long.as_ref(), word);
        let lattice = Lattice::new(word, tables.unknown, tables.rounds_to_f32, |start, each| {
            tables.letters.each_in(&word[start..], |bytes, id| each(bytes, id, self.lattice_score(tables, id)));
            long.each(start, |bytes, id| each(bytes, id, self.lattice_score(tables, id)));
        });
        lattice.ok_or_else(|| Error::NoUnknownToken { word: shorten(word) })
    }

    /// Appends the tokens of a path in reverse order.
    pub(in crate::model) fn push_path(
        &self,
        word: &str,
        entries: AllowedEntries,
        reversed: &[Edge],
        out: &mut Vec<Token>,
    ) {
        self.push(word, reversed.iter().rev().copied(), self.tables(entries), out);
    }

    /// Returns the sum of the scores of these entries.
    ///
    /// An unknown token has the score of one unknown character, a reserved one none.
    #[must_use]
    pub fn score(&self, ids: &[u32]) -> f64 {
        let tables = self.tables(AllowedEntries::All);
        let score = |&id: &u32| match id {
            id if Some(id) == self.unk_id() => tables.unknown.unwrap_or_default(),
            id if self.settings().reserved.contains(&id) => 0.0,
            id => self.lattice_score(tables, id),
        };
        ids.iter().map(score).fold(0.0, |sum, score| add_scores(sum, score, tables.rounds_to_f32))
    }

    /// Returns an entry's score in a lattice, where that of a user-defined entry in 32 bits depends on its number of
    /// characters.
    fn lattice_score(&self, tables: &Tables, id: u32) -> f64 {
        let is_symbol = || tables.rounds_to_f32 && self.settings().user_defined.contains(&id);
        let symbol = self.vocab().token(id).filter(|_| is_symbol());
        symbol.map_or(tables.scores[id as usize], |text| user_defined_score(text.chars().count()))
    }
}
