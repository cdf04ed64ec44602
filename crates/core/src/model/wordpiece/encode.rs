//! From the automaton's pieces to tokens, by the policy for what is unknown.

use super::automaton::Piece;
use super::{Segmentation, Unknown, WordPiece};
use crate::chance::Dropout;
use crate::error::Result;
use crate::model::Token;
use crate::span::Span;

/// The working memory of a walk, owned by the caller and used again for every word.
#[derive(Debug, Default)]
pub struct Matches {
    stack: Vec<u32>,
    /// Whether tokens are passed over, and which.
    pub dropout: Option<Dropout>,
}

impl WordPiece {
    /// Appends the tokens of `word`, which starts at byte `at` of the normalized text.
    ///
    /// With `specials` false, no special token is ever produced by matching text. The cost is linear in
    /// the length of the word, but for dropout.
    pub fn encode_word(
        &self,
        word: &str,
        at: u32,
        specials: bool,
        matches: &mut Matches,
        out: &mut Vec<Token>,
    ) -> Result<()> {
        if self.is_too_long(word) {
            return self.push_unknown_word(word, at, out);
        }
        let first = out.len();
        let mut run = Run { policy: self.settings().unknown, unmatched: false, end: at };
        let emit = |piece| run.push(piece, out);
        match (self.settings().segmentation, &mut matches.dropout) {
            (Segmentation::Likeliest, _) => {
                self.likeliest(specials)?.walk(word, self.settings().unknown != Unknown::Word, emit);
            }
            (Segmentation::Longest, None) => self.automaton(specials).walk(word, &mut matches.stack, emit),
            (Segmentation::Longest, Some(dropout)) => self.automaton(specials).walk_passing(word, dropout, emit),
        }
        if !run.unmatched {
            return Ok(());
        }
        match run.policy {
            Unknown::Word => {
                out.truncate(first);
                self.push_unknown_word(word, at, out)
            }
            Unknown::Run | Unknown::Char => {
                let unk = self.expect_unk(word)?;
                for token in &mut out[first..] {
                    if token.id == UNMATCHED {
                        token.id = unk;
                    }
                }
                Ok(())
            }
        }
    }

    fn is_too_long(&self, word: &str) -> bool {
        let limit = self.settings().max_input_chars_per_word;
        limit.is_some_and(|limit| word.len() > limit && word.chars().count() > limit)
    }

    fn push_unknown_word(&self, word: &str, at: u32, out: &mut Vec<Token>) -> Result<()> {
        let id = self.expect_unk(word)?;
        out.push(Token { id, span: Span::new(0, word.len()).shifted(at) });
        Ok(())
    }
}

/// Stands for the unknown token until the word is done; no vocabulary reaches this id.
const UNMATCHED: u32 = u32::MAX;

/// The tokens of one word as they come.
struct Run {
    policy: Unknown,
    unmatched: bool,
    end: u32,
}

impl Run {
    /// Takes one piece; false where the rest of the word no longer matters.
    fn push(&mut self, piece: Piece, out: &mut Vec<Token>) -> bool {
        let start = self.end;
        match piece {
            Piece::Token { id, bytes } => {
                self.end += bytes;
                out.push(Token { id, span: Span { start, end: self.end } });
            }
            Piece::Unmatched { bytes } => {
                self.end += bytes;
                self.unmatched = true;
                match (self.policy, out.last_mut()) {
                    (Unknown::Word, _) => return false,
                    (Unknown::Run, Some(last)) if last.id == UNMATCHED => last.span.end = self.end,
                    _ => out.push(Token { id: UNMATCHED, span: Span { start, end: self.end } }),
                }
            }
        }
        true
    }
}
