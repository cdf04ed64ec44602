//! Encoding: pieces of the automaton to tokens, by the policy for unknown characters.

use super::{Unknown, WordPiece};
use crate::error::Result;
use crate::lattice::{Edge, Lattice, UNKNOWN};
use crate::memory::Growable;
use crate::model::Token;
use crate::model::segmentations::unknown_score;
use crate::numbers::random::Dropout;
use crate::text::span::{Span, offset};
use crate::vocab::AllowedEntries;

/// The working memory of the longest match, which the caller reuses for every word.
#[derive(Debug, Default)]
pub struct MatchScratch {
    stack: Vec<u32>,
    /// The dropout of tokens, if there is one.
    pub dropout: Option<Dropout>,
}

impl WordPiece {
    /// Appends the tokens of `word`, with spans in it.
    ///
    /// No text produces a token outside `entries`. The cost is linear in the length of the word,
    /// with dropout also in the tokens that it contains.
    pub fn encode_word(
        &self,
        word: &str,
        entries: AllowedEntries,
        matches: &mut MatchScratch,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        if self.is_likeliest() {
            let best = self.lattice(word, entries).map(|lattice| lattice.best().reversed);
            return self.push_path(word, best.as_deref(), out);
        }
        if self.is_too_long(word) {
            return self.push_unknown_word(word, out);
        }
        let first = out.len();
        let mut run = WordTokens::new(self.settings().unknown);
        let emit = |id, bytes| run.push(id, bytes, out);
        match &mut matches.dropout {
            None => self.automaton(entries).walk(word, &mut matches.stack, emit),
            Some(dropout) => self.automaton(entries).walk_with_dropout(word, dropout, emit),
        }
        self.resolve_unknown(word, &run, first, out)
    }

    /// Returns the sum of the scores of these tokens.
    pub(in crate::model) fn score(&self, ids: &[u32]) -> f64 {
        let scores = self.scores();
        let score = |&id: &u32| if Some(id) == self.unk_id() { unknown_score() } else { scores[id as usize] };
        ids.iter().map(score).fold(0.0, |sum, score| sum + score)
    }

    /// Returns the lattice of a word's segmentations, if there are any (W20 of `spec/wordpiece.md`).
    ///
    /// The longest match need not find the most likely one.
    pub(in crate::model) fn lattice(&self, word: &str, entries: AllowedEntries) -> Option<Lattice> {
        if self.is_too_long(word) {
            return None;
        }
        let (automaton, scores) = (self.automaton(entries), self.scores());
        let unknown = (self.settings().unknown != Unknown::Word).then(unknown_score);
        let mut long = automaton.long_matches(word);
        Lattice::new(word, unknown, false, |start, each| {
            automaton.each(word, start, &mut long, |bytes, id| each(bytes, id, scores[id as usize]));
        })
    }

    /// Appends the tokens of a path in reverse order; without a path, the word is unknown.
    pub(in crate::model) fn push_path(
        &self,
        word: &str,
        reversed: Option<&[Edge]>,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        let Some(reversed) = reversed else { return self.push_unknown_word(word, out) };
        let first = out.len();
        let mut run = WordTokens::new(self.settings().unknown);
        for edge in reversed.iter().rev() {
            run.push(edge.id, offset(edge.end - edge.start), out);
        }
        self.resolve_unknown(word, &run, first, out)
    }

    /// Appends unknown tokens for unmatched characters.
    fn resolve_unknown(&self, word: &str, run: &WordTokens, first: usize, out: &mut Vec<Token>) -> Result<()> {
        if !run.unmatched {
            return Ok(());
        }
        match run.policy {
            Unknown::Word => {
                out.truncate(first);
                self.push_unknown_word(word, out)
            }
            Unknown::Run | Unknown::Char => {
                let unk = self.require_unk_id(word)?;
                for token in &mut out[first..] {
                    if token.id == UNKNOWN {
                        token.id = unk;
                    }
                }
                Ok(())
            }
        }
    }

    /// Returns whether the word exceeds the maximum length.
    pub(super) fn is_too_long(&self, word: &str) -> bool {
        let limit = self.settings().max_input_chars_per_word;
        limit.is_some_and(|limit| word.len() > limit && word.chars().count() > limit)
    }

    /// Appends one unknown token for the whole word.
    fn push_unknown_word(&self, word: &str, out: &mut Vec<Token>) -> Result<()> {
        let id = self.require_unk_id(word)?;
        out.push(Token { id, span: Span::new(0, word.len()) });
        Ok(())
    }
}

/// The tokens of one word as they are found; until it is complete, an unknown token has the id [`UNKNOWN`].
struct WordTokens {
    policy: Unknown,
    unmatched: bool,
    end: u32,
}

impl WordTokens {
    fn new(policy: Unknown) -> Self {
        Self { policy, unmatched: false, end: 0 }
    }

    /// Adds a piece of this number of bytes; returns false if the rest of the word no longer matters.
    fn push(&mut self, id: u32, bytes: u32, out: &mut Vec<Token>) -> bool {
        let start = self.end;
        self.end += bytes;
        if id == UNKNOWN {
            self.unmatched = true;
            match (self.policy, out.last_mut()) {
                (Unknown::Word, _) => return false,
                (Unknown::Run, Some(last)) if last.id == UNKNOWN => {
                    last.span.end = self.end;
                    return true;
                }
                _ => {}
            }
        }
        out.make_room(1);
        out.push(Token { id, span: Span { start, end: self.end } });
        true
    }
}
