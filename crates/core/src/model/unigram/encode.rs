//! From a word to tokens.

use super::tables::{Scores, Tables};
use super::viterbi::{Paths, Pieces};
use super::{Precision, Unigram};
use crate::error::{Error, Result, shorten};
use crate::lattice::{Edge, UNKNOWN};
use crate::model::Token;
use crate::span::Span;

impl Unigram {
    /// Appends the tokens of `word`, which starts at byte `at` of the normalized text.
    ///
    /// With `specials` false, no special token is ever produced by text. The cost is linear in the word.
    pub fn encode_word(
        &self,
        word: &str,
        at: u32,
        specials: bool,
        paths: &mut Paths,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        let tables = self.tables(specials);
        let trie = tables.trie()?;
        let has_unknown = |_: &_| self.unk_id().is_some();
        let found = match &tables.scores {
            Scores::Float32(scores, unknown) => {
                paths.single(&Pieces { trie, scores, unknown: Some(*unknown).filter(has_unknown) }, word)
            }
            Scores::Float64(scores, unknown) => paths
                .double(&Pieces { trie, scores, unknown: Some(*unknown).filter(|_| self.unk_id().is_some()) }, word),
        };
        found.ok_or_else(|| Error::NoUnknownToken { word: shorten(word) })?;
        self.push(word, &paths.reversed, at, tables, out);
        Ok(())
    }

    /// Makes tokens of a path that is given from its end.
    pub(super) fn push(&self, word: &str, reversed: &[Edge], at: u32, tables: &Tables, out: &mut Vec<Token>) {
        let mut unknown: Option<Edge> = None;
        for &edge in reversed.iter().rev() {
            let is_unknown = edge.id == UNKNOWN || Some(edge.id) == self.unk_id();
            if let Some(run) = unknown.take_if(|_| !is_unknown || self.bytes_by_themselves()) {
                self.push_unknown(word, run, at, tables, out);
            }
            if is_unknown {
                let start = unknown.map_or(edge.start, |run| run.start);
                unknown = Some(Edge { start, ..edge });
            } else {
                out.push(Token { id: edge.id, span: Span::new(edge.start, edge.end).shifted(at) });
            }
        }
        if let Some(run) = unknown {
            self.push_unknown(word, run, at, tables, out);
        }
    }

    /// Whether a text becomes the entries of its bytes where it is unknown.
    pub(crate) fn falls_back(&self, text: &str, specials: bool) -> bool {
        self.tables(specials).fallbacks(text).is_some()
    }

    /// Whether each unknown character falls back to bytes by itself.
    fn bytes_by_themselves(&self) -> bool {
        self.settings().precision == Precision::Float32 && self.settings().byte_fallback
    }

    /// Says what becomes of characters that no piece of the path covers.
    fn push_unknown(&self, word: &str, Edge { start, end, .. }: Edge, at: u32, tables: &Tables, out: &mut Vec<Token>) {
        let (text, span) = (&word[start..end], Span::new(start, end).shifted(at));
        // `tokenizers` looks up what they spell; SentencePiece knows that they are unknown.
        let piece = tables.piece(text).filter(|_| self.settings().precision == Precision::Float64);
        if let Some(id) = piece {
            out.push(Token { id, span });
        } else if let Some(ids) = tables.fallbacks(text) {
            out.extend(ids.map(|id| Token { id, span }));
        } else {
            out.extend(self.unk_id().map(|id| Token { id, span }));
        }
    }
}
