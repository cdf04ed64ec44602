//! The columns of a batch other than ids, and padded rows.

use std::collections::TryReserveError;

use piecework_core::encoding::pad::append_padded;
use piecework_core::encoding::{Direction, Encoding};
use piecework_core::memory::Growable;
use pyo3::PyResult;

use crate::char_map::CharMaps;
use crate::copies::Copies;

/// All columns of many encodings but their ids, concatenated.
#[derive(Default)]
pub(crate) struct Columns {
    /// The start and end of each token in characters.
    pub(crate) offsets: Vec<[u32; 2]>,
    pub(crate) word_ids: Vec<i32>,
    pub(crate) type_ids: Vec<u32>,
    pub(crate) special_tokens_mask: Vec<u8>,
    pub(crate) attention_mask: Vec<u8>,
}

impl Columns {
    #[expect(clippy::cast_possible_wrap, reason = "no text has 2^31 words, and none is -1")]
    pub(crate) fn push(&mut self, encoding: &Encoding, maps: &CharMaps) {
        self.make_room(encoding.len());
        self.offsets.extend(maps.characters(encoding).map(|(start, end)| [start, end]));
        self.word_ids.extend(encoding.word_ids.iter().map(|&word| word as i32));
        self.type_ids.extend_from_slice(&encoding.type_ids);
        self.special_tokens_mask
            .extend(encoding.special_tokens_mask.iter().map(|&is_special| u8::from(is_special > 0)));
        self.attention_mask.extend(encoding.attention_mask.iter().map(|&is_seen| u8::from(is_seen > 0)));
    }

    fn make_room(&mut self, additional: usize) {
        self.offsets.make_room(additional);
        self.word_ids.make_room(additional);
        self.type_ids.make_room(additional);
        self.special_tokens_mask.make_room(additional);
        self.attention_mask.make_room(additional);
    }

    /// Returns the columns of padded rows.
    pub(crate) fn padded(self, rows: &PaddedRows<'_>, pad_type_id: u32) -> Result<Self, TryReserveError> {
        Ok(Self {
            offsets: rows.filled(&self.offsets, [0, 0])?,
            word_ids: rows.filled(&self.word_ids, -1)?,
            type_ids: rows.filled(&self.type_ids, pad_type_id)?,
            special_tokens_mask: rows.filled(&self.special_tokens_mask, 1)?,
            attention_mask: rows.filled(&self.attention_mask, 0)?,
        })
    }

    /// Adds the copies of all parts to these columns.
    pub(crate) fn concatenate<'a>(&'a mut self, parts: Vec<Self>, copies: &mut Copies<'a>) -> PyResult<()> {
        let (mut offsets, mut word_ids, mut type_ids) = (Vec::new(), Vec::new(), Vec::new());
        let (mut special_tokens_masks, mut attention_masks) = (Vec::new(), Vec::new());
        for part in parts {
            offsets.push(part.offsets);
            word_ids.push(part.word_ids);
            type_ids.push(part.type_ids);
            special_tokens_masks.push(part.special_tokens_mask);
            attention_masks.push(part.attention_mask);
        }
        copies.add(&mut self.offsets, offsets)?;
        copies.add(&mut self.word_ids, word_ids)?;
        copies.add(&mut self.type_ids, type_ids)?;
        copies.add(&mut self.special_tokens_mask, special_tokens_masks)?;
        copies.add(&mut self.attention_mask, attention_masks)
    }
}

/// Rows to be padded to at least `target` values.
pub(crate) struct PaddedRows<'a> {
    pub(crate) lengths: &'a [usize],
    pub(crate) target: usize,
    pub(crate) direction: Direction,
}

impl PaddedRows<'_> {
    /// Returns the values of all rows, concatenated and filled up with `pad`.
    pub(crate) fn filled<T: Copy>(&self, values: &[T], pad: T) -> Result<Vec<T>, TryReserveError> {
        let mut filled = Vec::new();
        filled.try_reserve_exact(self.lengths.iter().map(|&length| length.max(self.target)).sum())?;
        let mut start = 0;
        for &length in self.lengths {
            append_padded(&mut filled, &values[start..start + length], self.target, self.direction, pad);
            start += length;
        }
        Ok(filled)
    }
}
