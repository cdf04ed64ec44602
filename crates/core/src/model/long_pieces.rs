//! The pieces of many letters: a walk in a trie of them would take as many steps at each place of a word that nearly
//! matches. The places where they begin are found for a whole word at once, in linear time.

use crate::strings::Automaton;

/// The largest number of letters of a piece in a trie; few in tests, so that they have long pieces.
pub(super) const MOST_STEPS: usize = if cfg!(test) { 4 } else { 64 };

/// The pieces that are too long for a trie.
#[derive(Debug)]
pub(super) struct LongPieces {
    automaton: Automaton,
    /// Their numbers of letters, and their ids.
    pieces: Vec<(usize, u32)>,
    /// The number of bytes of the shortest.
    shortest: usize,
}

/// The long pieces of a word that is read from left to right.
pub(super) struct LongMatches<'a> {
    pieces: Option<&'a LongPieces>,
    starts: LongStarts,
}

/// The places of a word where long pieces begin, as bytes, and the number of the longest at each; the first place last.
pub(super) type LongStarts = Vec<(u32, u32)>;

/// Returns whether a piece is too long for a trie.
pub(super) fn is_long(piece: &str) -> bool {
    piece.len() > MOST_STEPS && piece.chars().count() > MOST_STEPS
}

impl LongPieces {
    /// Returns these pieces, if there are any.
    pub(super) fn new(pieces: &[(&str, u32)]) -> Option<Self> {
        let texts: Vec<&str> = pieces.iter().map(|&(text, _)| text).collect();
        let shortest = texts.iter().map(|text| text.len()).min()?;
        let automaton = Automaton::new(&texts, "the pieces").expect("a vocabulary is short enough");
        let pieces = pieces.iter().map(|(text, id)| (text.chars().count(), *id)).collect();
        Some(Self { automaton, pieces, shortest })
    }

    /// Returns whether a word is long enough for one of the pieces.
    pub(super) fn may_be_in(&self, word: &str) -> bool {
        word.len() >= self.shortest
    }

    /// Appends the places where pieces begin in a word.
    #[expect(clippy::cast_possible_truncation, reason = "no word is longer than 2^32 bytes")]
    pub(super) fn starts(&self, word: &str, starts: &mut LongStarts) {
        if self.may_be_in(word) {
            self.automaton.each_start(word.as_bytes(), |at, longest| {
                starts.push((at as u32, longest));
                true
            });
        }
    }

    /// Returns the pieces that begin at a place, the longest first: the number of letters and the id of each.
    pub(super) fn prefixes(&self, longest: u32) -> impl Iterator<Item = (usize, u32)> {
        self.automaton.prefixes(longest).map(|number| self.pieces[number as usize])
    }

    /// Returns the numbers of bytes and the ids of the pieces that begin at a place, the longest first.
    fn sized_prefixes(&self, longest: u32) -> impl Iterator<Item = (usize, u32)> {
        self.automaton.prefixes(longest).map(|number| (self.automaton.length(number), self.pieces[number as usize].1))
    }

    /// Returns the piece that equals a text.
    pub(super) fn piece(&self, text: &str) -> Option<u32> {
        let mut starts = LongStarts::new();
        self.starts(text, &mut starts);
        let &(at, longest) = starts.last()?;
        self.sized_prefixes(longest).find(|&(size, _)| at == 0 && size == text.len()).map(|(_, id)| id)
    }
}

impl<'a> LongMatches<'a> {
    /// Returns the matches of long pieces, if there are any, in a word.
    pub(super) fn new(pieces: Option<&'a LongPieces>, word: &str) -> Self {
        let mut starts = LongStarts::new();
        if let Some(pieces) = pieces {
            pieces.starts(word, &mut starts);
        }
        Self { pieces, starts }
    }

    /// Calls `each` with the length in bytes and the id of each piece at a byte, the shortest first; bytes never decrease.
    pub(super) fn each(&mut self, start: usize, mut each: impl FnMut(usize, u32)) {
        while self.starts.pop_if(|&mut (at, _)| (at as usize) < start).is_some() {}
        if let (Some(pieces), Some(&(at, longest))) = (self.pieces, self.starts.last())
            && at as usize == start
        {
            let found: Vec<(usize, u32)> = pieces.sized_prefixes(longest).collect();
            found.into_iter().rev().for_each(|(bytes, id)| each(bytes, id));
        }
    }
}
