//! The pieces of a step: their texts in order, and their probabilities.

use super::seeds::Seed;
use super::segments::{Corpus, Symbol};
use crate::strings::trie::Trie;

/// Pieces by number, in the order of their UTF-8 bytes.
pub(super) struct Pieces {
    symbols: Vec<Symbol>,
    /// The index of the first symbol of each, and the number of all symbols.
    starts: Vec<usize>,
    pub(super) probabilities: Vec<f64>,
    /// Whether each is a piece of a model that is extended: it is never removed, and its probability is fixed.
    fixed: Vec<bool>,
    pub(super) trie: Trie,
}

impl Pieces {
    /// Returns the characters and the seeds, with probabilities proportional to their values (U14).
    pub(super) fn new(corpus: &Corpus, seeds: &[Seed]) -> Self {
        let characters = corpus.alphabet.len();
        let mut symbols = Vec::with_capacity(characters + seeds.iter().map(|seed| seed.length as usize).sum::<usize>());
        let mut starts = Vec::with_capacity(characters + seeds.len() + 1);
        let mut values: Vec<u128> = Vec::with_capacity(characters + seeds.len());
        let mut alphabet = (0..).zip(&corpus.alphabet).peekable();
        for seed in seeds.iter().map(Some).chain([None]) {
            let text = seed.map(|seed| seed.text(corpus));
            // A character precedes all pieces that begin with it.
            while let Some((symbol, &(_, weight))) =
                alphabet.next_if(|&(symbol, _)| text.is_none_or(|text| symbol <= text[0]))
            {
                starts.push(symbols.len());
                symbols.push(symbol);
                values.push(u128::from(weight.max(1)));
            }
            if let (Some(seed), Some(text)) = (seed, text) {
                starts.push(symbols.len());
                symbols.extend(text);
                values.push(seed.value());
            }
        }
        starts.push(symbols.len());
        let whole = values.iter().sum::<u128>() as f64;
        let probabilities: Vec<_> = values.into_iter().map(|value| value as f64 / whole).collect();
        let fixed = vec![false; probabilities.len()];
        let trie = trie(&symbols, &starts);
        Self { symbols, starts, probabilities, fixed, trie }
    }

    /// Returns the pieces together with those of a model, whose probabilities are fixed (U50).
    ///
    /// The characters of the alphabet are pieces of the model.
    pub(super) fn with_fixed(self, fixed: Vec<(Vec<Symbol>, f64)>) -> Self {
        let own = |piece| (self.text(piece).to_vec(), self.probabilities[piece], false);
        let learned = (0..self.len()).filter(|&piece| !self.is_character(piece)).map(own);
        let mut all: Vec<_> = learned.chain(fixed.into_iter().map(|(text, p)| (text, p, true))).collect();
        all.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        let (mut symbols, mut starts) = (Vec::new(), vec![0]);
        for (text, ..) in &all {
            symbols.extend(text);
            starts.push(symbols.len());
        }
        let trie = trie(&symbols, &starts);
        let (probabilities, fixed) = all.into_iter().map(|(_, probability, fixed)| (probability, fixed)).unzip();
        Self { symbols, starts, probabilities, fixed, trie }
    }

    /// Returns whether the probability of a piece is fixed.
    pub(super) fn is_fixed(&self, piece: usize) -> bool {
        self.fixed[piece]
    }

    /// Returns whether a piece may be removed: it is neither fixed nor a character of the alphabet.
    pub(super) fn is_removable(&self, piece: usize) -> bool {
        !self.fixed[piece] && !self.is_character(piece)
    }

    /// Returns the number of fixed pieces.
    pub(super) fn count_fixed(&self) -> usize {
        self.fixed.iter().filter(|&&fixed| fixed).count()
    }

    pub(super) fn len(&self) -> usize {
        self.probabilities.len()
    }

    /// Returns the symbols of a piece.
    pub(super) fn text(&self, piece: usize) -> &[Symbol] {
        &self.symbols[self.starts[piece]..self.starts[piece + 1]]
    }

    /// Returns whether a piece is a character of the alphabet, which is never removed.
    fn is_character(&self, piece: usize) -> bool {
        self.text(piece).len() == 1
    }

    /// Removes pieces; the others are renumbered in their order.
    pub(super) fn retain(&mut self, keep: &[bool]) {
        let (mut size, mut kept) = (0, 0);
        for piece in (0..self.len()).filter(|&piece| keep[piece]) {
            let text = self.starts[piece]..self.starts[piece + 1];
            self.starts[kept] = size;
            size += text.len();
            self.symbols.copy_within(text.clone(), size - text.len());
            self.probabilities[kept] = self.probabilities[piece];
            self.fixed[kept] = self.fixed[piece];
            kept += 1;
        }
        self.starts[kept] = size;
        self.starts.truncate(kept + 1);
        self.symbols.truncate(size);
        self.probabilities.truncate(kept);
        self.fixed.truncate(kept);
        self.trie = trie(&self.symbols, &self.starts);
    }

    /// Returns the text of a piece.
    pub(super) fn name(&self, piece: usize, corpus: &Corpus) -> String {
        self.text(piece).iter().map(|&symbol| corpus.alphabet[symbol as usize].0).collect()
    }
}

fn trie(symbols: &[Symbol], starts: &[usize]) -> Trie {
    Trie::new(starts.len() - 1, |piece, depth| symbols[starts[piece]..starts[piece + 1]].get(depth).copied())
}
