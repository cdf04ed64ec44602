//! The pickled state of an encoding.
//!
//! Columns are the bytes of their numbers: objects of Python for each would take many times the time and the memory.

use std::collections::HashMap;
use std::sync::Arc;

use piecework_core::encoding;
use piecework_core::memory::with_room;
use piecework_core::stop::Work;
use piecework_core::text::span::Span;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::aligned::{AlignedEncoding, Names};
use crate::tuples::tuple_struct;

/// The numbers of a column, of 32 bits, the lowest byte first.
type Column = Py<PyBytes>;

/// The work for a token, which is looked up or copied.
const WORK: usize = 16;

tuple_struct! {
    /// The pickled state of an encoding.
    EncodingState {
        ids: Column,
        /// The different tokens, and the index of each token among them.
        tokens: (Vec<String>, Column),
        /// The indices of the tokens whose names differ from the vocabulary.
        renamed: Column,
        /// Spans in characters: the start and the end of each token.
        offsets: Column,
        /// Spans in bytes.
        byte_offsets: Column,
        word_ids: Column,
        type_ids: Column,
        texts: Column,
        special_tokens_mask: Column,
        attention_mask: Column,
        /// The index of each text, and the range of its tokens.
        sequences: Vec<(usize, usize, usize)>,
        overflowing: Vec<Py<PyAny>>,
    }
}

impl EncodingState {
    /// Returns the state of an encoding with these overflowing parts.
    pub(crate) fn of(py: Python<'_>, inner: &AlignedEncoding, overflowing: Vec<Py<PyAny>>) -> PyResult<Self> {
        let columns = &inner.encoding;
        let (names, tokens) = numbered(&inner.tokens());
        let column = |values: &[u32]| bytes(py, values.len(), values.iter().copied());
        let spans = |length, spans: &mut dyn Iterator<Item = (u32, u32)>| {
            bytes(py, 2 * length, spans.flat_map(|(start, end)| [start, end]))
        };
        #[expect(clippy::cast_possible_truncation, reason = "an encoding has fewer than 2^32 tokens")]
        let renamed = columns.renamed.iter().map(|&(place, _)| place as u32);
        Ok(Self {
            ids: column(&columns.ids)?,
            tokens: (names, column(&tokens)?),
            renamed: bytes(py, columns.renamed.len(), renamed)?,
            offsets: spans(columns.len(), &mut inner.offsets.iter().copied())?,
            byte_offsets: spans(columns.len(), &mut columns.spans.iter().map(|span| (span.start, span.end)))?,
            word_ids: column(&columns.word_ids)?,
            type_ids: column(&columns.type_ids)?,
            texts: column(&columns.texts)?,
            special_tokens_mask: column(&columns.special_tokens_mask)?,
            attention_mask: column(&columns.attention_mask)?,
            sequences: columns.sequences.iter().map(|(sequence, range)| (*sequence, range.start, range.end)).collect(),
            overflowing,
        })
    }

    /// Returns the encoding of a pickled state with these overflowing parts, or `None` for another value.
    pub(crate) fn restored(self, py: Python<'_>, overflowing: Vec<Arc<AlignedEncoding>>) -> Option<AlignedEncoding> {
        let length = self.ids.as_bytes(py).len() / size_of::<u32>();
        let column = |bytes: &Column| values(bytes.as_bytes(py)).filter(|values| values.len() == length);
        let (names, numbers) = &self.tokens;
        let tokens = named(names, &column(numbers)?)?;
        let renamed = values(self.renamed.as_bytes(py))?.into_iter().map(|place| {
            let place = place as usize;
            Some((place, tokens.get(place)?.clone()))
        });
        let is_range = |&(_, start, end): &(usize, usize, usize)| start <= end && end <= length;
        let sequences = self.sequences.iter().filter(|sequence| is_range(sequence));
        let encoding = encoding::Encoding {
            ids: column(&self.ids)?,
            spans: pairs(self.byte_offsets.as_bytes(py), length, |start, end| Span { start, end })?,
            word_ids: column(&self.word_ids)?,
            type_ids: column(&self.type_ids)?,
            texts: column(&self.texts)?,
            special_tokens_mask: column(&self.special_tokens_mask)?,
            attention_mask: column(&self.attention_mask)?,
            renamed: renamed.collect::<Option<_>>()?,
            sequences: sequences.map(|&(sequence, start, end)| (sequence, start..end)).collect(),
            overflowing: Vec::new(),
            is_truncated: false,
        };
        if encoding.sequences.len() < self.sequences.len() {
            return None;
        }
        let offsets = pairs(self.offsets.as_bytes(py), length, |start, end| (start, end))?;
        Some(AlignedEncoding::of_columns(encoding, offsets, Names::Listed(tokens), overflowing))
    }
}

/// Returns the token with each number; `None` if there is no such number.
fn named(names: &[String], numbers: &[u32]) -> Option<Vec<String>> {
    let (mut tokens, mut work) = (with_room(numbers.len()), Work::default());
    for &number in numbers {
        work.add(WORK);
        tokens.push(names.get(number as usize)?.clone());
    }
    Some(tokens)
}

/// Returns the different tokens, and the index of each token among them.
fn numbered(tokens: &[&str]) -> (Vec<String>, Vec<u32>) {
    let (mut names, mut numbers, mut known) = (Vec::new(), with_room(tokens.len()), HashMap::new());
    let mut work = Work::default();
    for &token in tokens {
        work.add(WORK);
        #[expect(clippy::cast_possible_truncation, reason = "an encoding has fewer than 2^32 tokens")]
        let number = *known.entry(token).or_insert_with(|| {
            names.push(token.to_owned());
            names.len() as u32 - 1
        });
        numbers.push(number);
    }
    (names, numbers)
}

/// Returns numbers as bytes.
fn bytes(py: Python<'_>, length: usize, values: impl Iterator<Item = u32>) -> PyResult<Column> {
    let written = PyBytes::new_with(py, length * size_of::<u32>(), |bytes| {
        bytes.as_chunks_mut().0.iter_mut().zip(values).for_each(|(bytes, value)| *bytes = value.to_le_bytes());
        Ok(())
    });
    written.map(Bound::unbind)
}

/// Returns the numbers that bytes are; `None` for too few bytes.
fn values(bytes: &[u8]) -> Option<Vec<u32>> {
    let (values, []) = bytes.as_chunks() else { return None };
    let mut read = with_room(values.len());
    read.extend(values.iter().map(|&bytes| u32::from_le_bytes(bytes)));
    Some(read)
}

/// Returns the `length` pairs of numbers that bytes are; `None` for another number of bytes.
fn pairs<T>(bytes: &[u8], length: usize, pair: impl Fn(u32, u32) -> T) -> Option<Vec<T>> {
    let (pairs, []) = bytes.as_chunks::<{ 2 * size_of::<u32>() }>() else { return None };
    if pairs.len() != length {
        return None;
    }
    let mut read = with_room(length);
    read.extend(
        pairs
            .iter()
            .map(|&[a, b, c, d, e, f, g, h]| pair(u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]))),
    );
    Some(read)
}
