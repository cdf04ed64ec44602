//! The result of encoding: the tokens of a text or pair, in columns.

mod change;
pub mod pad;
pub mod truncate;

use std::ops::Range;

use crate::memory::{Growable, with_room};
use crate::text::span::Span;

/// The side of an encoding that truncation or padding changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// The beginning.
    Left,
    /// The end.
    #[default]
    Right,
}

/// A token that a component adds, by its id and the component's name for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedToken {
    /// The id.
    pub id: u32,
    /// The name.
    pub name: String,
    /// Whether the name differs from the vocabulary's token.
    renames: bool,
}

impl NamedToken {
    /// Returns the token `name` with `id`.
    #[must_use]
    pub fn new(name: &str, id: u32) -> Self {
        Self { id, name: name.to_owned(), renames: true }
    }

    /// Returns how many tokens of ordinary length the name is as long as.
    pub(crate) fn units(&self) -> usize {
        const ORDINARY: usize = 64;
        self.name.len().div_ceil(ORDINARY).max(1)
    }

    /// Compares the name with the vocabulary's token for the id.
    pub(crate) fn compare(&mut self, vocabulary: Option<&str>) {
        self.renames = vocabulary != Some(&self.name);
    }
}

/// The number of tokens for which an empty encoding gets memory.
const FEW: usize = 8;

/// The value for "no word" and "no text".
pub const NONE: u32 = u32::MAX;

/// The tokens of one text or pair, in columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Encoding {
    /// The token ids.
    pub ids: Vec<u32>,
    /// The bytes of the original text; an empty span at 0 for added special tokens.
    pub spans: Vec<Span>,
    /// The index of the token's word in its text, or [`NONE`].
    pub word_ids: Vec<u32>,
    /// The type ids.
    pub type_ids: Vec<u32>,
    /// The index (0 or 1) of the text that a token's span refers to, or [`NONE`].
    pub texts: Vec<u32>,
    /// 1 for tokens that post-processing or padding added, else 0.
    pub special_tokens_mask: Vec<u32>,
    /// 0 for padding, else 1.
    pub attention_mask: Vec<u32>,
    /// The tokens that differ from the vocabulary's tokens for their ids, with their positions.
    pub renamed: Vec<(usize, String)>,
    /// The token range of each text, with its index; an empty list means that all are of the first.
    pub sequences: Vec<(usize, Range<usize>)>,
    /// The windows that truncation cut off, if they were requested.
    pub overflowing: Vec<Self>,
    /// Whether any token was cut off.
    pub is_truncated: bool,
}

impl Encoding {
    /// Returns the number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there is no token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the number of encodings that it and its overflowing parts are.
    pub(crate) fn part_count(&self) -> usize {
        1 + self.overflowing.iter().map(Self::part_count).sum::<usize>()
    }

    /// Returns the number of tokens of it and its parts, at most, that of its own, and that of the parts.
    pub(crate) fn part_sizes(&self) -> (usize, usize, usize) {
        let parts = self.part_count();
        (self.len() * parts, self.len(), parts)
    }

    /// Appends a token of the text with the index `text`.
    pub(crate) fn push(&mut self, id: u32, span: Span, word: u32, text: u32) {
        if self.ids.len() == self.ids.capacity() {
            self.make_room(self.len().max(FEW));
        }
        self.ids.push(id);
        self.spans.push(span);
        self.word_ids.push(word);
        self.type_ids.push(text);
        self.texts.push(text);
        self.special_tokens_mask.push(0);
        self.attention_mask.push(1);
    }

    /// Reserves memory for more tokens in all columns.
    fn make_room(&mut self, additional: usize) {
        self.spans.make_room(additional);
        let Self { ids, word_ids, type_ids, texts, special_tokens_mask, attention_mask, .. } = self;
        for column in [ids, word_ids, type_ids, texts, special_tokens_mask, attention_mask] {
            column.make_room(additional);
        }
    }

    /// Removes all tokens of an encoding that has only ids, spans, word ids and names, and keeps its memory.
    pub(crate) fn clear_spans(&mut self) {
        self.ids.clear();
        self.spans.clear();
        self.word_ids.clear();
        self.renamed.clear();
    }

    /// Returns the tokens of an encoding that has only ids, spans, word ids and names, as those of the text with the index
    /// `text`; the vectors have capacity for special tokens besides.
    ///
    /// The columns of a short text keep their memory for the next one.
    pub(crate) fn take_text(&mut self, text: u32) -> Self {
        const SPECIAL: usize = 4;
        let (length, capacity) = (self.len(), self.len() + SPECIAL);
        let constant = |value| {
            let mut column = with_room(capacity);
            column.resize(length, value);
            column
        };
        Self {
            ids: take_column(&mut self.ids, capacity),
            spans: take_column(&mut self.spans, capacity),
            word_ids: take_column(&mut self.word_ids, capacity),
            type_ids: constant(text),
            texts: constant(text),
            special_tokens_mask: constant(0),
            attention_mask: constant(1),
            renamed: std::mem::take(&mut self.renamed),
            ..Self::default()
        }
    }

    /// Returns an encoding of special tokens.
    pub(crate) fn of_special_tokens<'a>(tokens: impl IntoIterator<Item = &'a NamedToken>, type_id: u32) -> Self {
        let (mut encoding, tokens) = (Self::default(), tokens.into_iter());
        encoding.make_room(tokens.size_hint().0);
        for (place, token) in tokens.enumerate() {
            encoding.push(token.id, Span::default(), NONE, NONE);
            if token.renames {
                encoding.renamed.push((place, token.name.clone()));
            }
        }
        encoding.set_type_ids(type_id);
        encoding.special_tokens_mask.fill(1);
        encoding
    }

    /// Sets the type id of all tokens.
    pub(crate) fn set_type_ids(&mut self, type_id: u32) {
        self.type_ids.fill(type_id);
    }

    /// Assigns all tokens to the text with the index `sequence`.
    pub(crate) fn set_sequence(&mut self, sequence: usize) {
        self.set_range(sequence, 0..self.len());
    }

    /// Sets the token range of the text with the index `sequence`.
    pub(crate) fn set_range(&mut self, sequence: usize, range: Range<usize>) {
        self.sequences.retain(|(other, _)| *other != sequence);
        self.sequences.push((sequence, range));
    }

    /// Returns the token range of the text with the index `sequence`.
    #[must_use]
    pub fn sequence(&self, sequence: usize) -> Range<usize> {
        let found = self.sequences.iter().find(|(other, _)| *other == sequence);
        found.map_or(0..self.len(), |(_, range)| range.clone())
    }

    /// Returns the number of texts.
    #[must_use]
    pub fn n_sequences(&self) -> usize {
        self.sequences.len().max(1)
    }

    /// Returns for each token the index (0 or 1) of its text, or [`NONE`].
    #[must_use]
    pub fn sequence_ids(&self) -> Vec<u32> {
        let mut ids = vec![NONE; self.len()];
        for (number, sequence) in (0..).zip(0..self.n_sequences()) {
            ids[self.sequence(sequence)].fill(number);
        }
        ids
    }

    /// Returns the index of the text that the token at `place` belongs to.
    #[must_use]
    pub fn token_to_sequence(&self, place: usize) -> Option<usize> {
        if self.sequences.is_empty() {
            // One past the end is valid too, as in the reference library.
            return (place <= self.len()).then_some(0);
        }
        self.sequences.iter().find(|(_, range)| range.contains(&place)).map(|(sequence, _)| *sequence)
    }

    /// Returns the tokens of a word, by its index in the text with the index `sequence`.
    #[must_use]
    pub fn word_to_tokens(&self, word: u32, sequence: usize) -> Option<Range<usize>> {
        let range = self.sequence(sequence);
        let words = &self.word_ids[range.clone()];
        // Word indices ascend within a text; the search ends where they do not, as in pairs out of order.
        let rising = words.iter().take_while(|&&other| other == NONE || other <= word).count();
        let first = words[..rising].iter().position(|&other| other == word)?;
        let last = words[..rising].iter().rposition(|&other| other == word)?;
        Some(range.start + first..range.start + last + 1)
    }

    /// Returns the index of the word that the token at `place` belongs to.
    #[must_use]
    pub fn token_to_word(&self, place: usize) -> Option<u32> {
        self.word_ids.get(place).copied().filter(|&word| word != NONE)
    }

    /// Returns an encoding of the tokens in `range`.
    pub(crate) fn slice(&self, range: Range<usize>) -> Self {
        let renamed = self.renamed.iter().filter(|(place, _)| range.contains(place));
        Self {
            ids: self.ids[range.clone()].to_vec(),
            spans: self.spans[range.clone()].to_vec(),
            word_ids: self.word_ids[range.clone()].to_vec(),
            type_ids: self.type_ids[range.clone()].to_vec(),
            texts: self.texts[range.clone()].to_vec(),
            special_tokens_mask: self.special_tokens_mask[range.clone()].to_vec(),
            attention_mask: self.attention_mask[range.clone()].to_vec(),
            renamed: renamed.map(|(place, name)| (place - range.start, name.clone())).collect(),
            ..Self::default()
        }
    }

    /// Keeps the first of `windows`; the others become overflowing windows.
    pub(crate) fn split_windows(&mut self, windows: &[Range<usize>]) {
        let mut windows = windows.iter().map(|range| self.slice(range.clone()));
        if let Some(mut first) = windows.next() {
            first.overflowing = windows.collect();
            *self = first;
        }
    }

    /// Removes all tokens, which become an overflowing window if `overflow` is true.
    pub(crate) fn clear(&mut self, overflow: bool) {
        let all = std::mem::take(self);
        if overflow {
            self.overflowing.push(all);
        }
    }

    /// Appends `other`. Each overflowing window is combined with the other encoding and with its windows.
    ///
    /// With `growing_offsets`, its spans count from the end of the last span, and not from the start of the text.
    fn append(&mut self, other: Self, growing_offsets: bool) {
        let mut overflowing = Vec::new();
        for part in &self.overflowing {
            for end in std::iter::once(&other).chain(&other.overflowing) {
                overflowing.push(part.followed_by(end, growing_offsets));
            }
        }
        overflowing.extend(other.overflowing.iter().map(|end| self.followed_by(end, growing_offsets)));
        self.append_tokens(other, growing_offsets);
        self.overflowing = overflowing;
    }

    /// Returns the concatenation of two encodings.
    fn followed_by(&self, other: &Self, growing_offsets: bool) -> Self {
        let mut both = self.clone();
        both.append(other.clone(), growing_offsets);
        both
    }

    /// Appends the tokens of `other` without its overflowing windows.
    fn append_tokens(&mut self, mut other: Self, growing_offsets: bool) {
        if self.is_empty() && self.sequences.is_empty() {
            *self = other;
            return;
        }
        if growing_offsets && let Some(last) = self.spans.last() {
            let by = last.end;
            for Span { start, end } in &mut other.spans {
                (*start, *end) = (start.saturating_add(by), end.saturating_add(by));
            }
        }
        let length = self.len();
        for (sequence, range) in other.sequences {
            self.set_range(sequence, range.start + length..range.end + length);
        }
        append_column(&mut self.ids, other.ids);
        append_column(&mut self.spans, other.spans);
        append_column(&mut self.word_ids, other.word_ids);
        append_column(&mut self.type_ids, other.type_ids);
        append_column(&mut self.texts, other.texts);
        append_column(&mut self.special_tokens_mask, other.special_tokens_mask);
        append_column(&mut self.attention_mask, other.attention_mask);
        self.renamed.extend(other.renamed.into_iter().map(|(place, name)| (place + length, name)));
    }

    /// Pads to `length` tokens, including the overflowing windows.
    pub(crate) fn pad(&mut self, length: usize, token: &NamedToken, type_id: u32, direction: Direction) {
        for part in &mut self.overflowing {
            part.pad(length, token, type_id, direction);
        }
        let Some(missing) = length.checked_sub(self.len()).filter(|&missing| missing > 0) else { return };
        let mut padding = Self::of_special_tokens(std::iter::repeat_n(token, missing), type_id);
        padding.attention_mask.fill(0);
        let (overflowing, is_truncated) = (std::mem::take(&mut self.overflowing), self.is_truncated);
        match direction {
            // Without ranges all tokens are of the first text, and so is the padding.
            Direction::Right => self.append_tokens(padding, false),
            Direction::Left => {
                padding.append_tokens(std::mem::take(self), false);
                *self = padding;
            }
        }
        (self.overflowing, self.is_truncated) = (overflowing, is_truncated);
    }
}

/// Returns the values of a column, which is left empty; those of a short one are copied to a vector with this capacity.
fn take_column<T: Copy>(column: &mut Vec<T>, capacity: usize) -> Vec<T> {
    const LONG: usize = 1 << 16;
    if column.len() > LONG {
        return std::mem::take(column);
    }
    let mut copy = with_room(capacity);
    copy.append(column);
    copy
}

/// Appends `back` to `front`, reusing the allocation of the longer one.
fn append_column<T: Copy>(front: &mut Vec<T>, mut back: Vec<T>) {
    if front.len() < back.len() {
        back.make_room(front.len());
        back.splice(0..0, front.iter().copied());
        *front = back;
    } else {
        front.make_room(back.len());
        front.extend(back);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an encoding of text 0 with these ids, each a word of its own.
    fn encoding(ids: &[u32]) -> Encoding {
        let mut encoding = Encoding::default();
        for (&id, word) in ids.iter().zip(0..) {
            encoding.push(id, Span { start: word, end: word + 1 }, word, 0);
        }
        encoding
    }

    fn with_overflow(ids: &[u32], overflowing: &[&[u32]]) -> Encoding {
        Encoding { overflowing: overflowing.iter().map(|ids| encoding(ids)).collect(), ..encoding(ids) }
    }

    fn overflow(encoding: &Encoding) -> Vec<&[u32]> {
        encoding.overflowing.iter().map(|part| part.ids.as_slice()).collect()
    }

    #[test]
    fn overflowing_windows_are_combined() {
        let mut both = with_overflow(&[1, 2], &[&[3]]);
        both.append(with_overflow(&[4], &[&[5], &[6]]), false);
        assert_eq!(both.ids, [1, 2, 4]);
        assert_eq!(overflow(&both), [&[3, 4][..], &[3, 5], &[3, 6], &[1, 2, 5], &[1, 2, 6]]);
    }

    #[test]
    fn appending_shifts_columns_and_ranges() {
        let mut both = encoding(&[1, 2]);
        both.set_sequence(0);
        let mut other = Encoding::of_special_tokens([&NamedToken::new("[S]", 9)], 3);
        other.append(encoding(&[1]), false);
        other.set_range(1, 1..2);
        both.append(other, false);
        assert_eq!((both.sequence(0), both.sequence(1), both.n_sequences()), (0..2, 3..4, 2));
        assert_eq!(both.sequence_ids(), [0, 0, NONE, 1]);
        assert_eq!(both.renamed, [(2, "[S]".to_owned())]);
        assert_eq!((both.type_ids, both.special_tokens_mask), (vec![0, 0, 3, 0], vec![0, 0, 1, 0]));
        assert_eq!((both.word_ids, both.texts), (vec![0, 1, NONE, 0], vec![0, 0, NONE, 0]));
    }

    #[test]
    fn padding_on_either_side() {
        let pad = NamedToken::new("[PAD]", 0);
        let padded = |direction| {
            let mut encoding = with_overflow(&[1, 2, 3], &[&[4]]);
            encoding.set_sequence(0);
            encoding.pad(4, &pad, 5, direction);
            encoding
        };
        let right = padded(Direction::Right);
        assert_eq!((right.ids, right.attention_mask), (vec![1, 2, 3, 0], vec![1, 1, 1, 0]));
        assert_eq!((right.special_tokens_mask, right.type_ids), (vec![0, 0, 0, 1], vec![0, 0, 0, 5]));
        assert_eq!((right.sequences, right.renamed), (vec![(0, 0..3)], vec![(3, "[PAD]".to_owned())]));
        assert_eq!(right.overflowing[0].ids, [4, 0, 0, 0]);
        let left = padded(Direction::Left);
        assert_eq!((left.ids, left.attention_mask), (vec![0, 1, 2, 3], vec![0, 1, 1, 1]));
        assert_eq!((left.sequences, left.word_ids), (vec![(0, 1..4)], vec![NONE, 0, 1, 2]));
        assert_eq!(left.overflowing[0].ids, [0, 0, 0, 4]);
        let mut bare = encoding(&[1]);
        bare.pad(2, &pad, 0, Direction::Left);
        assert_eq!(
            bare.word_to_tokens(0, 0),
            Some(1..2),
            "without ranges padding is of the text, and is no word of it"
        );
    }

    #[test]
    fn longer_encodings_are_not_padded() {
        let mut long = with_overflow(&[1, 2, 3], &[&[4]]);
        long.pad(2, &NamedToken::new("[PAD]", 0), 0, Direction::Left);
        assert_eq!((long.ids, long.overflowing[0].ids.as_slice()), (vec![1, 2, 3], &[0, 4][..]));
    }

    #[test]
    fn windows_and_cleared_encodings() {
        let mut parts = encoding(&[1, 2, 3, 4]);
        parts.renamed = vec![(0, "x".to_owned()), (2, "y".to_owned())];
        parts.split_windows(&[0..2, 2..4]);
        assert_eq!((parts.ids.as_slice(), overflow(&parts)), (&[1, 2][..], vec![&[3, 4][..]]));
        assert_eq!(parts.overflowing[0].renamed, [(0, "y".to_owned())]);
        assert_eq!(parts.overflowing[0].word_ids, [2, 3]);
        let mut cleared = encoding(&[1, 2]);
        cleared.clear(true);
        assert_eq!((cleared.is_empty(), overflow(&cleared)), (true, vec![&[1, 2][..]]));
    }

    #[test]
    fn tokens_and_words() {
        let special = NamedToken::new("[S]", 9);
        let mut pair = Encoding::of_special_tokens([&special], 0);
        let mut first = encoding(&[1, 2, 3]);
        first.word_ids = vec![0, 0, 1];
        pair.append(first, false);
        pair.set_range(0, 1..4);
        pair.append(Encoding::of_special_tokens([&special], 0), false);
        pair.append(encoding(&[4]), false);
        pair.set_range(1, 5..6);
        let words = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1)].map(|(word, text)| pair.word_to_tokens(word, text));
        assert_eq!(words, [Some(1..3), Some(3..4), Some(5..6), None, None]);
        let of = |place| (pair.token_to_sequence(place), pair.token_to_word(place));
        assert_eq!(
            [0, 2, 4, 5, 6].map(of),
            [(None, None), (Some(0), Some(0)), (None, None), (Some(1), Some(0)), (None, None)]
        );
    }
}
