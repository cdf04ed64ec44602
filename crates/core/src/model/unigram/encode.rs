//! Encodes a word: converts its best path to tokens.

use super::id_tags;
use super::tables::Tables;
use super::viterbi::{Path, ViterbiScratch};
use super::{Precision, Unigram};
use crate::error::{Error, Result, shorten};
use crate::lattice::{Edge, UNKNOWN};
use crate::memory::Growable;
use crate::model::Token;
use crate::stop::Work;
use crate::text::span::Span;
use crate::vocab::AllowedEntries;

impl Unigram {
    /// Appends the tokens of `word`, with spans in it.
    ///
    /// No text produces a token outside `entries`. The cost is linear in the word.
    pub fn encode_word(
        &self,
        word: &str,
        entries: AllowedEntries,
        paths: &mut ViterbiScratch,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        let tables = self.tables(entries);
        paths.search(tables, word).ok_or_else(|| Error::NoUnknownToken { word: shorten(word) })?;
        out.make_room(paths.steps());
        self.push(word, paths.path.edges(), tables, out);
        paths.path.trim();
        Ok(())
    }

    /// Appends the tokens of `word`, with spans in it, if they are the same for all absolute running scores below 2^`exponent`.
    ///
    /// Returns their valid-below exponent, or `None` if nothing was appended. Ids have tags: see [`id_tags`].
    pub(super) fn encode_cacheable(
        &self,
        word: &str,
        entries: AllowedEntries,
        exponent: u8,
        paths: &mut ViterbiScratch,
        out: &mut Vec<Token>,
    ) -> Option<u8> {
        let (tables, before) = (self.tables(entries), out.len());
        let valid_below = paths.search_cacheable(tables, word)?;
        if valid_below <= exponent || self.push_tagged(word, &paths.path, tables, out).is_none() {
            out.truncate(before);
            return None;
        }
        Some(valid_below)
    }

    /// Appends the tokens of a path, with id tags; `None` if no tag can store their number of scores.
    ///
    /// That is the case for too many unknown characters, for the unknown token as a piece of the path, and for unknown
    /// characters without a token.
    fn push_tagged(&self, word: &str, path: &Path, tables: &Tables, out: &mut Vec<Token>) -> Option<()> {
        let mut edges = path.edges().peekable();
        while let Some(edge) = edges.next() {
            if Some(edge.id) == self.unk_id() {
                return None;
            }
            if edge.id != UNKNOWN {
                out.push(Token { id: edge.id, span: Span::new(edge.start, edge.end) });
                continue;
            }
            let (mut end, mut characters, first) = (edge.end, 1, out.len());
            while let Some(next) = edges.next_if(|next| next.id == UNKNOWN && !self.falls_back_per_character()) {
                (end, characters) = (next.end, characters + 1);
            }
            self.push_unknown(word, Edge { end, ..edge }, tables, out);
            let [token, others @ ..] = &mut out[first..] else { return None };
            token.id = id_tags::unknown(token.id, characters)?;
            others.iter_mut().for_each(|token| token.id = id_tags::nothing(token.id));
        }
        Some(())
    }

    /// Appends the tokens of a path.
    pub(super) fn push(&self, word: &str, path: impl Iterator<Item = Edge>, tables: &Tables, out: &mut Vec<Token>) {
        let (mut unknown, mut work): (Option<Edge>, _) = (None, Work::default());
        for edge in path {
            work.add(1);
            let is_unknown = edge.id == UNKNOWN || Some(edge.id) == self.unk_id();
            if let Some(run) = unknown.take_if(|_| !is_unknown || self.falls_back_per_character()) {
                self.push_unknown(word, run, tables, out);
            }
            if is_unknown {
                let start = unknown.map_or(edge.start, |run| run.start);
                unknown = Some(Edge { start, ..edge });
            } else {
                out.make_room(1);
                out.push(Token { id: edge.id, span: Span::new(edge.start, edge.end) });
            }
        }
        if let Some(run) = unknown {
            self.push_unknown(word, run, tables, out);
        }
    }

    /// Returns whether a text becomes the entries of its bytes if it is unknown.
    pub(crate) fn falls_back(&self, text: &str, entries: AllowedEntries) -> bool {
        self.tables(entries).fallbacks(text).is_some()
    }

    /// Returns whether byte fallback applies to each unknown character alone, not to runs of them.
    fn falls_back_per_character(&self) -> bool {
        self.settings().precision == Precision::Float32 && self.settings().byte_fallback
    }

    /// Appends the tokens of characters that no piece of the path covers.
    fn push_unknown(&self, word: &str, Edge { start, end, .. }: Edge, tables: &Tables, out: &mut Vec<Token>) {
        let (text, span) = (&word[start..end], Span::new(start, end));
        // `tokenizers` looks up the unknown text in the vocabulary; SentencePiece does not.
        let may_be_piece = self.settings().precision == Precision::Float64;
        out.make_room(1);
        if let Some(id) = may_be_piece.then(|| tables.letters.piece(text)).flatten() {
            out.push(Token { id, span });
        } else if let Some(ids) = tables.fallbacks(text) {
            out.make_room(text.len());
            out.extend(ids.map(|id| Token { id, span }));
        } else {
            out.extend(self.unk_id().map(|id| Token { id, span }));
        }
    }
}
