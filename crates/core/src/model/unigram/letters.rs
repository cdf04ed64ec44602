//! The pieces by their characters, and words as sequences of letters for look-ups.
//!
//! Characters have numbers, lower ones for characters that are more frequent in pieces, so that the slots of frequent
//! ones are close together in memory. The child of the trie's root by a character, and the piece that equals it, are
//! stored with its number.
//!
//! A walk in the trie takes as many steps as its longest piece has letters. So longer ones are not in it, but are found
//! in a whole word before: see `long_pieces`.

use std::cmp::Reverse;

use hashbrown::HashMap;

use crate::model::long_pieces::{LongPieces, is_long};

use crate::hash::FixedHasher;
pub(super) use crate::strings::trie::NO_STRING as NO_PIECE;
use crate::strings::trie::{Node, Symbol, Trie};
use crate::text::unicode::CharMap;

/// A character of a word: its byte, its piece, and its node in the trie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Letter {
    symbol: Symbol,
    /// The child of the root by this character.
    node: Node,
    /// The piece that equals the character, or [`NO_PIECE`].
    piece: u32,
    /// Its first byte in the word.
    pub(super) at: u32,
}

/// A character that occurs in no piece, and the letter that ends a word.
///
/// Its symbol is so large that a base plus the symbol is beyond all slots.
const UNKNOWN_LETTER: Letter = Letter { symbol: 1 << 31, node: Node::NOWHERE, piece: NO_PIECE, at: 0 };

/// The trie of pieces, and the numbers of their characters.
#[derive(Debug)]
pub(super) struct PieceTrie {
    /// All pieces but the long ones.
    trie: Trie,
    letters: CharMap<Letter>,
    /// The number of letters of the longest piece, at least 1.
    pub(super) longest: usize,
    /// The pieces that are too long for the trie, if there are any.
    pub(super) long: Option<LongPieces>,
}

impl PieceTrie {
    /// Returns the trie of pieces with their ids; an empty piece is not found.
    pub(super) fn new(pieces: &[(&str, u32)]) -> Self {
        let symbols = symbols(pieces);
        let spell = |text: &str| -> Vec<Symbol> { text.chars().map(|c| symbols[&c]).collect() };
        let pieces = pieces.iter().filter(|(text, _)| !text.is_empty());
        let (long, short): (Vec<_>, Vec<_>) = pieces.copied().partition(|(text, _)| is_long(text));
        let mut spelled: Vec<(Vec<Symbol>, u32)> = short.into_iter().map(|(text, id)| (spell(text), id)).collect();
        spelled.sort_unstable();
        let mut trie = Trie::new(spelled.len(), |piece, depth| spelled[piece].0.get(depth).copied());
        trie.rename(|piece| spelled[piece as usize].1);
        let mut letters = CharMap::new(UNKNOWN_LETTER);
        for (c, symbol) in symbols {
            let (node, piece) = trie.child(trie.root(), symbol).unwrap_or((Node::NOWHERE, NO_PIECE));
            *letters.get_mut(c) = Letter { symbol, node, piece, at: 0 };
        }
        let long_lengths = long.iter().map(|(text, _)| text.chars().count());
        let longest = spelled.iter().map(|(symbols, _)| symbols.len()).chain(long_lengths).fold(1, usize::max);
        Self { trie, letters, longest, long: LongPieces::new(&long) }
    }

    /// Appends the letters of a word from byte `at` on, for about `most` bytes, and returns the first byte after them.
    ///
    /// The last one of the word is followed by a letter that ends it.
    #[expect(clippy::cast_possible_truncation, reason = "no word is longer than 2^32 bytes")]
    pub(super) fn read(&self, word: &str, at: usize, most: usize, letters: &mut Vec<Letter>) -> usize {
        let mut end = at.saturating_add(most).min(word.len());
        while !word.is_char_boundary(end) {
            end += 1;
        }
        let characters = word[at..end].char_indices();
        letters.extend(characters.map(|(place, c)| Letter { at: (at + place) as u32, ..self.letters.get(c) }));
        if end == word.len() {
            letters.push(Letter { at: end as u32, ..UNKNOWN_LETTER });
        }
        end
    }

    /// Calls `each` with each piece of two or more letters that is a prefix of `letters`, the shortest first, without long
    /// ones.
    ///
    /// The arguments are its number of letters and its id. Returns the piece of the first letter alone, or
    /// [`NO_PIECE`].
    #[inline]
    pub(super) fn each(&self, letters: &[Letter], mut each: impl FnMut(usize, u32)) -> u32 {
        let [first, rest @ ..] = letters else { return NO_PIECE };
        let rest = rest.iter().map(|letter| letter.symbol);
        self.trie.each_from(first.node, rest, |piece, length| each(1 + length as usize, piece));
        first.piece
    }

    /// Calls `each` with each piece that is a prefix of `text`, the shortest first, without long ones.
    ///
    /// The arguments are its number of bytes and its id.
    pub(super) fn each_in(&self, text: &str, mut each: impl FnMut(usize, u32)) {
        let symbols = text.chars().map(|c| self.letters.get(c).symbol);
        let mut ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
        let mut before = 0;
        self.trie.each_from(self.trie.root(), symbols, |piece, length| {
            each(ends.nth((length - before - 1) as usize).unwrap_or(text.len()), piece);
            before = length;
        });
    }

    /// Returns the piece that equals a text.
    pub(super) fn piece(&self, text: &str) -> Option<u32> {
        if let Some(long) = &self.long
            && is_long(text)
        {
            return long.piece(text);
        }
        let mut found = None;
        self.each_in(text, |size, piece| found = Some(piece).filter(|_| size == text.len()));
        found
    }
}

/// Returns the numbers of the characters in texts; the most frequent ones have the lowest.
fn symbols(pieces: &[(&str, u32)]) -> HashMap<char, Symbol, FixedHasher> {
    let mut counts: HashMap<char, usize, FixedHasher> = HashMap::default();
    pieces.iter().flat_map(|(text, _)| text.chars()).for_each(|c| *counts.entry(c).or_default() += 1);
    let mut characters: Vec<(char, usize)> = counts.into_iter().collect();
    characters.sort_unstable_by_key(|&(c, count)| (Reverse(count), c));
    characters.into_iter().map(|(c, _)| c).zip(0..).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_is_found_and_nothing_else() {
        let pieces = [("a", 7), ("ab", 3), ("b", 0), ("ä", 5), ("aä\u{10ffff}", 1), ("日本", 9), ("ba\0", 4)];
        let letters = PieceTrie::new(&pieces);
        let mut word = Vec::new();
        for text in ["", "a", "ab", "abä", "aä\u{10ffff}b", "日", "日本a", "本", "ba\0x", "x", "xab", "ba"] {
            let mut wanted: Vec<(usize, u32)> =
                pieces.iter().filter_map(|&(piece, id)| text.starts_with(piece).then_some((piece.len(), id))).collect();
            wanted.sort_unstable();
            let mut found = Vec::new();
            letters.each_in(text, |bytes, id| found.push((bytes, id)));
            assert_eq!(found, wanted, "{text:?}");
            word.clear();
            letters.read(text, 0, text.len(), &mut word);
            found.clear();
            let first = letters.each(&word, |length, id| found.push((word[length].at as usize, id)));
            if first != NO_PIECE {
                found.insert(0, (word[1].at as usize, first));
            }
            assert_eq!(found, wanted, "{text:?}, as letters");
            assert_eq!(letters.piece(text), pieces.iter().find(|(piece, _)| *piece == text).map(|&(_, id)| id));
        }
    }
}
